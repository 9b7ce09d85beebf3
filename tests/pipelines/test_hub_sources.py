"""Readers of the Hub's data sets, on rows of their exact schemas written for this project. Each one
proves itself: the row's own solution passes its tests in the sandbox, and a wrong one does not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evaluator.judge import Judge
from pipelines.problem import Dropped, Problem
from pipelines.sources import SourceError, read_source
from pipelines.sources.location import HubPath

SUM = "a, b = map(int, input().split())\nprint(a + b)\n"
WRONG = "input()\nprint(7)\n"
TOTAL = "class Solution:\n    def total(self, nums, k):\n        return sum(nums) + k\n"
NUMS = [[[1, 2], 3], [[], 5], [[10], -4]]
RESULTS = [6, 5, 6]
CHECKER = """import sys
given, answer, output = (open(p).read().split() for p in sys.argv[1:4])
print(1 if sorted(output) == sorted(answer) else 0)
"""

ROWS: dict[str, dict[str, Any]] = {
    "taco-stdin": {
        "question": "Add two numbers.",
        "solutions": json.dumps([SUM, SUM]),
        "starter_code": "",
        "input_output": json.dumps({"inputs": ["1 2\n", "3 4\n"], "outputs": ["3\n", "7\n"]}),
        "difficulty": "EASY",
        "raw_tags": "['math', 'implementation']",
        "name": "Sum",
        "source": "codeforces",
        "tags": "['Mathematics']",
        "skill_types": "[]",
        "url": "https://codeforces.com/problemset/problem/1/A",
        "Expected Auxiliary Space": "",
        "time_limit": "2.0 seconds",
        "date": "2019-12-31",
        "picture_num": "0",
        "memory_limit": "256.0 megabytes",
        "Expected Time Complexity": "",
    },
    "taco-function": {
        "question": "Total of nums and k.",
        "solutions": json.dumps([TOTAL]),
        "starter_code": "class Solution:\n    def total(self, nums, k):\n",
        "input_output": json.dumps(
            {"fn_name": "total", "inputs": NUMS, "outputs": [[r] for r in RESULTS]}
        ),
        "difficulty": "UNKNOWN_DIFFICULTY",
        "tags": "[]",
        "url": "",
        "time_limit": "",
        "date": "",
    },
    "apps-stdin": {
        "problem_id": 0,
        "question": "Add two numbers, please.",
        "solutions": json.dumps([SUM]),
        "input_output": json.dumps(
            json.dumps({"inputs": [["1 2"], "3 4"], "outputs": [["3"], "7\n"]})
        ),
        "difficulty": "introductory",
        "url": "https://www.codewars.com/kata/x",
        "starter_code": "",
    },
    "apps-function": {
        "problem_id": 1,
        "question": "Reverse it.",
        "solutions": json.dumps(["def rev(xs):\n    return xs[::-1]\n"]),
        "input_output": json.dumps(
            {"fn_name": "rev", "inputs": [[[1, 2, 3]], [[4]]], "outputs": [[[3, 2, 1]], [[4]]]}
        ),
        "difficulty": "interview",
        "url": "",
        "starter_code": "def rev(xs):\n",
    },
    "code_contests": {
        "name": "1_A. Sum",
        "description": "Add. <image>",
        "public_tests": {"input": ["1 2\n"], "output": ["3\n"]},
        "private_tests": {"input": ["3 4\n"], "output": ["7\n"]},
        "generated_tests": {"input": ["5 6\n"], "output": ["11\n"]},
        "source": 2,
        "difficulty": 7,
        "solutions": {"language": [2, 1, 3], "solution": ["int main(){}", "print 1", SUM]},
        "incorrect_solutions": {"language": [3], "solution": [WRONG]},
        "cf_contest_id": 1,
        "cf_index": "A",
        "cf_points": 0.0,
        "cf_rating": 0,
        "cf_tags": ["math", ""],
        "is_description_translated": False,
        "untranslated_description": "",
        "time_limit": {"seconds": 1, "nanos": 500000000},
        "memory_limit_bytes": 268435456,
        "input_file": "",
        "output_file": "",
    },
    "open_r1_codeforces": {
        "id": "2046/A",
        "aliases": ["2047/C"],
        "contest_id": "2046",
        "contest_start": 1733207700,
        "index": "A",
        "time_limit": 2.0,
        "memory_limit": 512.0,
        "title": "Both",
        "description": "Print both numbers in any order.",
        "input_format": "Two numbers.",
        "output_format": "Both.",
        "interaction_format": None,
        "note": None,
        "examples": [{"input": "1 2\n", "output": "1 2\n"}],
        "rating": 1200,
        "tags": ["sortings"],
        "official_tests": [
            {"input": "1 2\n", "output": "1 2\n"},
            {"input": "5 3\n", "output": "5 3\n"},
            {"input": "1 2 3 " * 50 + "4...", "output": "1 2..."},
            {"input": "3 5\n", "output": "3 5\n"},
        ],
        "official_tests_complete": False,
        "input_mode": "stdio",
        "generated_checker": CHECKER,
        "executable": True,
        "generated_tests": 0,
    },
    "primeintellect-function": {
        "source": "taco",
        "task_type": "verifiable_code",
        "in_source_id": "https://leetcode.com/problems/total/",
        "prompt": "Solve the following coding problem using the programming language python:\n\n"
        "Total of nums and k, again.\n\nNow solve the problem and return the code.",
        "gold_standard_solution": f"```python\n{TOTAL}```",
        "verification_info": repr(
            {
                "language": "python",
                "test_cases": [
                    {"type": "function_call", "fn_name": "total", "input": i, "output": [r]}
                    for i, r in zip(NUMS, RESULTS, strict=True)
                ],
            }
        ),
        "metadata": "{}",
    },
    "primeintellect-stdin": {
        "source": "codeforces",
        "in_source_id": "1",
        "prompt": "Add.\n\nNow solve the problem and return the code.",
        "gold_standard_solution": SUM,
        "verification_info": json.dumps(
            {
                "language": "python",
                "test_cases": [
                    {"type": "stdin_stdout", "fn_name": None, "input": "1 2\n", "output": "3\n"}
                ],
            }
        ),
    },
    "deepcoder-primeintellect": {
        "problem": "Total of nums and k.",
        "solutions": [f"```python\n{TOTAL}```"],
        "tests": json.dumps(
            [
                {"type": "function_call", "fn_name": "total", "input": i, "output": [r]}
                for i, r in zip(NUMS, RESULTS, strict=True)
            ]
        ),
    },
    "deepcoder-taco": {
        "problem": "Add two numbers.",
        "solutions": [SUM],
        "tests": json.dumps({"inputs": ["1 2\n"], "outputs": ["3\n"]}),
    },
    "deepcoder-lcb": {
        "problem": "Total, as in LiveCodeBench.",
        "solutions": [TOTAL],
        "starter_code": "class Solution:\n    def total(self, nums: List[int], k: int) -> int:\n",
        "tests": json.dumps(
            [
                {
                    "input": "[1, 2]\n3",
                    "output": "6",
                    "testtype": "functional",
                    "metadata": {"func_name": "total"},
                }
            ]
        ),
        "metadata": json.dumps({"func_name": "total"}),
    },
}
BAD = {"": WRONG, "function": "def total(nums, k):\n    return 0\ndef rev(xs):\n    return 0\n"}


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Judge(workers=2) as judge:
        yield judge


def source_of(name: str) -> str:
    return name.partition("-")[0]


def read(name: str, path: Path) -> list[Problem | Dropped]:
    return list(read_source(source_of(name), path))


def one(name: str, tmp_path: Path) -> Problem:
    path = tmp_path / "train.jsonl"
    path.write_text(json.dumps(ROWS[name]) + "\n")
    (found,) = read(name, path)
    assert isinstance(found, Problem), found
    return found


@pytest.mark.parametrize("name", ROWS)
def test_the_reference_passes_and_a_wrong_one_fails(
    name: str, tmp_path: Path, judge: Judge
) -> None:
    p = one(name, tmp_path)
    function = p.fn_name is not None
    assert function == ("total" in str(ROWS[name]) or "rev" in str(ROWS[name]))
    good = [s for s in p.solutions if s.expected == "accepted" and s.language == "python"]
    code = good[0].code if good else "print(*input().split()[::-1])"  # any order
    result = judge.judge(p, code)
    assert result.passed, result.detail
    bad = judge.judge(p, BAD["function" if function else ""])
    assert bad.verdict == "wrong_answer"


@pytest.mark.parametrize("name", [n for n in ROWS if "total" in str(ROWS[n])])
def test_dropping_fn_name_makes_the_row_unsolvable(name: str, tmp_path: Path, judge: Judge) -> None:
    """What a public loader does to these rows: the right solution is refused."""
    p = one(name, tmp_path)
    assert not judge.judge(replace(p, fn_name=None), p.solutions[0].code).passed


@pytest.mark.parametrize("name", ROWS)
def test_parquet_says_the_same(name: str, tmp_path: Path) -> None:
    from_json = one(name, tmp_path)
    folder = tmp_path / "ALL"
    folder.mkdir()
    pq.write_table(pa.Table.from_pylist([ROWS[name]] * 3), folder / "train-00000-of-00001.parquet")
    found = read(name, folder)
    assert len(found) == 3
    for p in found:
        assert isinstance(p, Problem)
        assert replace(p, provenance=from_json.provenance) == from_json


def test_facts(tmp_path: Path) -> None:
    taco = one("taco-stdin", tmp_path)
    assert (taco.time_limit_s, taco.memory_limit_mb, taco.level) == (2.0, 256, "EASY")
    assert (taco.tags, str(taco.released_at)) == (("Mathematics",), "2019-12-31")
    assert len(taco.solutions) == 1  # repeats
    assert one("taco-function", tmp_path).level is None
    assert one("apps-stdin", tmp_path).id == "apps/train-0"
    cc = one("code_contests", tmp_path)
    assert cc.url == "https://codeforces.com/problemset/problem/1/A"
    assert [t.kind for t in cc.tests] == ["sample", "hidden", "generated"]
    assert [(s.language, s.expected) for s in cc.solutions] == [
        ("python", "accepted"),
        ("cpp", "accepted"),
        ("python2", "accepted"),
        ("python", "rejected"),
    ]
    assert (cc.time_limit_s, cc.memory_limit_mb, cc.rating, cc.flags) == (
        1.5,
        256,
        None,
        ("needs_image",),
    )
    cf = one("open_r1_codeforces", tmp_path)
    assert (len(cf.tests), cf.flags, str(cf.released_at)) == (
        3,
        ("tests_incomplete",),
        "2024-12-03",
    )
    assert "## Input\n\nTwo numbers." in cf.statement
    prime = one("primeintellect-function", tmp_path)
    assert prime.statement == "Total of nums and k, again."
    assert prime.url == "https://leetcode.com/problems/total/"


_STDIN = {"type": "stdin_stdout", "input": "", "output": "1"}
_CALL = {"type": "function_call", "input": [], "output": 1}
BROKEN: dict[str, tuple[str, dict[str, Any], str, str]] = {
    "uneven": (
        "taco",
        {"question": "q", "input_output": '{"inputs": ["1"], "outputs": []}'},
        "uneven_tests",
        "1 inputs but 0",
    ),
    "empty": ("taco", {"question": "q", "input_output": ""}, "no_tests", "empty"),
    "neither": ("taco", {"question": "q", "input_output": "open('x')"}, "bad_row", "neither JSON"),
    "no question": ("apps", {"problem_id": 3}, "bad_row", "question"),
    "mixed": (
        "deepcoder",
        {"problem": "p", "tests": json.dumps([_STDIN, {**_CALL, "fn_name": "f"}])},
        "mixed_tests",
        "function",
    ),
    "no name": (
        "deepcoder",
        {"problem": "p", "tests": json.dumps([_CALL])},
        "bad_row",
        "without fn_name",
    ),
    "other type": (
        "code_contests",
        {"name": "x", "description": "d", "public_tests": "text"},
        "bad_row",
        "public_tests",
    ),
    "enum": ("code_contests", {"name": "x", "description": "d", "source": 99}, "bad_row", "source"),
    "surrogate": ("taco", {"question": "bad \ud800 text"}, "invalid_utf8", "surrogate"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_bad_rows_are_refused_by_name(case: str, tmp_path: Path) -> None:
    source, row, reason, said = BROKEN[case]
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(row) + "\n" + json.dumps(ROWS["taco-stdin"]) + "\n")
    found = list(read_source(source, path))
    first = found[0]
    assert isinstance(first, Dropped)
    assert (first.reason, said in first.evidence["error"]) == (reason, True), first.evidence
    assert first.evidence["row"] == 1
    assert first.evidence["remedy"]
    if source == "taco":
        assert isinstance(found[1], Problem)


def test_huge_integers_and_many_tests(tmp_path: Path) -> None:
    big = "9" * 9131
    tests = {"fn_name": "rev", "inputs": [[["BIG"]]], "outputs": [[["BIG"]]]}
    text = json.dumps(tests).replace('"BIG"', big)
    row = {**ROWS["apps-function"], "input_output": text}
    many = {
        **ROWS["taco-stdin"],
        "question": "many ‏עברית‏",
        "input_output": json.dumps({"inputs": ["1 2\n"] * 100_000, "outputs": ["3\n"] * 100_000}),
    }
    path = tmp_path / "x.jsonl"
    path.write_text("\n".join(json.dumps(r) for r in (row, many)))
    first, second = read_source("taco", path)
    assert isinstance(first, Problem)
    assert isinstance(second, Problem)
    assert first.tests[0].input == f"[{big}]"
    assert len(second.tests) == 100_000


def test_a_broken_parquet_keeps_its_good_rows(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.Table.from_pylist([ROWS["taco-stdin"]] * 5), path)
    path.write_bytes(path.read_bytes()[:-20])
    (found,) = read_source("taco", path)
    assert isinstance(found, Dropped)
    assert found.reason == "broken_file"


def test_the_hub_offline_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(SourceError, match=r"hf://BAAI/TACO.*HF_HUB_OFFLINE"):
        list(read_source("taco", "hf://BAAI/TACO"))
    with pytest.raises(SourceError, match="not a Hub address"):
        list(read_source("taco", "hf://taco"))
    with pytest.raises(SourceError, match="does not read the Hub"):
        list(read_source("mbpp", "hf://google-research-datasets/mbpp"))
    path = HubPath.parse("hf://a/b@v1.0:main/train")
    assert (path.repo, path.revision, path.config, path.split) == ("a/b", "v1.0", "main", "train")


def test_long_integers_reach_the_function(judge: Judge, tmp_path: Path) -> None:
    """As JSON and as the print of a Python value: the function gets a number, not its digits."""
    big = "9" * 5000
    cases = [{"type": "function_call", "fn_name": "inc", "input": ["BIG"], "output": ["SUM"]}]
    code = "def inc(x):\n    return x + 1\n"
    for text in (json.dumps({"test_cases": cases}), repr({"test_cases": cases})):
        for quote in "\"'":
            text = text.replace(f"{quote}BIG{quote}", big)
            text = text.replace(f"{quote}SUM{quote}", "1" + "0" * 5000)
        path = tmp_path / "x.jsonl"
        row = {"prompt": "Inc.", "verification_info": text, "gold_standard_solution": code}
        path.write_text(json.dumps(row))
        (p,) = read_source("primeintellect", path)
        assert isinstance(p, Problem)
        assert judge.judge(p, code).passed
        assert judge.judge(p, "def inc(x):\n    return x\n").verdict == "wrong_answer"


def test_checkers_that_do_not_run(judge: Judge, tmp_path: Path) -> None:
    row = {**ROWS["open_r1_codeforces"], "generated_checker": "print 1"}
    path = tmp_path / "x.jsonl"
    path.write_text(
        json.dumps(row) + "\n" + json.dumps({**row, "generated_checker": "print('ok')"})
    )
    first, second = read_source("open_r1_codeforces", path)
    assert isinstance(first, Problem)
    assert "checker_unusable" in first.flags
    assert isinstance(second, Problem)
    assert judge.judge(second, "print(input())").verdict == "judge_error"


def test_python_2_is_told(tmp_path: Path) -> None:
    row = {**ROWS["taco-stdin"], "solutions": json.dumps(["print raw_input()", SUM])}
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(row))
    (p,) = read_source("taco", path)
    assert isinstance(p, Problem)
    assert [s.language for s in p.solutions] == ["python2", "python"]


def test_grids_that_end_in_dots_are_whole(tmp_path: Path) -> None:
    grid = "\n".join(["#" * 30 + "..."] * 12)
    row = {**ROWS["open_r1_codeforces"], "official_tests": [{"input": grid, "output": grid}]}
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(row))
    (p,) = read_source("open_r1_codeforces", path)
    assert isinstance(p, Problem)
    assert len(p.tests) == 2
