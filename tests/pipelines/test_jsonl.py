"""MicroCoder's own JSONL form."""

from __future__ import annotations

import datetime as dt
import gzip
import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipelines.formats import problem_from_json, problem_to_json
from pipelines.problem import (
    Checker,
    Dropped,
    Problem,
    ProblemError,
    Provenance,
    Solution,
    TestCase,
)
from pipelines.sources.jsonl import read

TESTS = [{"input": "1\n", "output": "2\n"}]
FULL: dict[str, Any] = {
    "id": "mine/one",
    "tests": [{"input": "1\n", "output": "2\n", "kind": "sample", "name": "a"}, *TESTS],
    "title": "Próba",
    "statement": "s",
    "url": "https://example.org/1",
    "time_limit_s": 1.5,
    "memory_limit_mb": 256,
    "checker": {"kind": "float", "args": {"abs_tol": 1e-6, "rel_tol": 0.0}},
    "starter_code": "x = 1\n",
    "prelude": "import math\n",
    "tags": ["a", "b"],
    "flags": ["f"],
    "level": "easy",
    "rating": 1200,
    "released_at": "2024-02-29",
    "licence": "CC0-1.0",
    "solutions": [{"code": "print(2)", "expected": "rejected", "origin": "x.py"}, {"code": "y"}],
}


def test_every_field_round_trips() -> None:
    p = problem_from_json(FULL, "jsonl")
    assert (p.id, p.rating, p.memory_limit_mb) == ("mine/one", 1200, 256)
    assert p.released_at == dt.date(2024, 2, 29)
    assert p.checker == Checker("float", (("abs_tol", 1e-6), ("rel_tol", 0.0)))
    assert p.tests == (TestCase("1\n", "2\n", "sample", "a"), TestCase("1\n", "2\n"))
    assert p.solutions == (Solution("print(2)", "rejected", "python", "x.py"), Solution("y"))
    assert problem_to_json(p) == FULL
    assert problem_from_json(json.loads(json.dumps(problem_to_json(p))), "other") == p
    kept = replace(p, provenance=Provenance("somewhere", None, "00", "p/1"))
    assert problem_from_json(problem_to_json(kept), "other") == p


def test_defaults_and_nulls() -> None:
    p = problem_from_json({"id": "x", "tests": []}, "src")
    assert p == Problem(id="src/x")
    nulls = dict.fromkeys(set(FULL) - {"id", "tests"})
    assert problem_from_json({"id": "x", "tests": [], "fn_name": None, **nulls}, "src") == p


def test_function_tests_are_one_json_value_a_line() -> None:
    tests = [
        {"input": [[1, 2], "é", None], "output": {"a": True}},
        {"input": "[1]\n2", "output": "3"},
        {"input": [], "output": None},
    ]
    p = problem_from_json({"id": "x", "fn_name": "f", "tests": tests}, "s")
    assert p.tests == (
        TestCase('[1, 2]\n"é"\nnull', '{"a": true}'),
        TestCase("[1]\n2", "3"),
        TestCase("", "null"),
    )


def test_checker_shorthand_and_programs() -> None:
    def checker(value: Any) -> Checker:
        return problem_from_json({"id": "x", "tests": [], "checker": value}, "s").checker

    assert checker("float") == Checker("float")
    assert checker({"kind": "program", "source": "exit(42)"}) == Checker("program", (), "exit(42)")
    asserts = {
        "id": "x", "fn_name": "f", "checker": "asserts", "tests": [{"input": "assert candidate()"}]
    }  # fmt: skip
    assert problem_from_json(asserts, "s").tests == (TestCase("assert candidate()", ""),)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"titel": "x"}, "field 'titel' is unknown; allowed fields: id, tests"),
        ({"id": None}, "field 'id' is missing"),
        ({"id": 3}, "field 'id': expected text"),
        ({"id": "a/"}, "must read 'source/native_id'"),
        ({"tests": None}, "field 'tests' is missing"),
        ({"tests": {}}, "field 'tests': expected a list, found an object"),
        ({"tests": ["x"]}, r"field 'tests\[0\]': expected an object, found text"),
        ({"tests": [{"input": ""}]}, r"field 'tests\[0\].output' is missing"),
        ({"tests": [{"input": [1], "output": ""}]}, r"field 'tests\[0\].input': expected text"),
        ({"tests": [{"input": "", "output": 1}]}, r"field 'tests\[0\].output': expected text"),
        ({"tests": [{"input": "", "output": "", "kind": "x"}]}, "not one of sample, hidden"),
        ({"tests": [{"input": "", "output": "", "in": ""}]}, "allowed fields: input, output"),
        ({"fn_name": "f", "tests": [{"input": {}, "output": 1}]}, "a JSON list of arguments"),
        ({"fn_name": "a b"}, "neither null nor a Python name"),
        ({"fn_name": ""}, "neither null nor a Python name"),
        ({"time_limit_s": 0}, "field 'time_limit_s': 0 is not a positive number"),
        ({"time_limit_s": float("inf")}, "not a finite number"),
        ({"time_limit_s": float("nan")}, "not a finite number"),
        ({"time_limit_s": True}, "expected a number, found true"),
        ({"time_limit_s": "1"}, "expected a number, found text"),
        ({"memory_limit_mb": 1.5}, "not a whole number"),
        ({"memory_limit_mb": -1}, "not a positive number"),
        ({"memory_limit_mb": 2**63}, "out of range"),
        ({"rating": float("nan")}, "field 'rating'"),
        ({"checker": "fuzzy"}, "'fuzzy' is not one of default, tokens, float"),
        ({"checker": []}, "field 'checker'"),
        ({"checker": {"kind": "float", "args": {"eps": 1}}}, "allowed fields: abs_tol, rel_tol"),
        ({"checker": {"kind": "float", "args": {"abs_tol": -1}}}, "negative"),
        ({"checker": {"kind": "tokens", "args": {"abs_tol": 1}}}, "allowed fields: none"),
        ({"checker": "program"}, "needs the checker's Python code"),
        ({"checker": {"kind": "tokens", "source": "x"}}, "no other kind has it"),
        ({"checker": "asserts"}, "needs field 'fn_name'"),
        ({"tags": "a"}, "field 'tags': expected a list"),
        ({"tags": [1]}, r"field 'tags\[0\]'"),
        ({"level": 1}, "field 'level'"),
        ({"released_at": "2024-1-1"}, "not a date YYYY-MM-DD"),
        ({"released_at": "2023-02-29"}, "not a date YYYY-MM-DD"),
        ({"released_at": 2024}, "field 'released_at'"),
        ({"solutions": [{}]}, r"field 'solutions\[0\].code' is missing"),
        ({"solutions": [{"code": "", "expected": "ok"}]}, "'ok' is not one of accepted"),
        ({"statement": "\ud800"}, "not valid UTF-8"),
    ],
)
def test_a_fault_is_named(change: dict[str, Any], says: str) -> None:
    with pytest.raises(ProblemError, match=says):
        problem_from_json({"id": "x", "tests": TESTS, **change}, "jsonl")


def test_read_keeps_good_rows_and_says_what_is_wrong_with_the_others(tmp_path: Path) -> None:
    lines = [
        json.dumps({"id": "good", "tests": TESTS}).encode(),
        b"{",
        b"",
        json.dumps({"id": "empty", "tests": []}).encode(),
        json.dumps({"id": "odd", "tests": TESTS, "x": 1}).encode(),
        b'{"id": "\xff", "tests": []}',
        b"[]",
    ]
    path = tmp_path / "p.jsonl.gz"
    path.write_bytes(gzip.compress(b"\n".join(lines)))
    rows = list(read(path))
    good = rows[0]
    assert isinstance(good, Problem)
    assert good.id == "jsonl/good"
    digest = hashlib.sha256(lines[0]).hexdigest()
    assert good.provenance == Provenance(f"{path}:1", None, digest, "jsonl/1")
    bad = [r for r in rows if isinstance(r, Dropped)]
    assert [r.reason for r in bad] == ["not_json", "no_tests", "bad_row", "invalid_utf8", "bad_row"]
    assert bad[1].problem is not None
    assert bad[2].id == "jsonl/odd"
    for r in bad:
        assert r.stage == "import"
        assert r.evidence["file"] == str(path)
        assert r.evidence["remedy"]
    assert [r.evidence["row"] for r in bad] == [2, 4, 5, 6, 7]


def test_the_example_file_imports() -> None:
    rows = list(read(Path(__file__).resolve().parents[2] / "examples" / "problems.jsonl"))
    assert sum(isinstance(r, Problem) for r in rows) >= 4
    assert all(r.reason == "no_tests" for r in rows if isinstance(r, Dropped))
