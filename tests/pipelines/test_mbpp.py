"""MBPP rows."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pipelines.problem import Checker, Dropped, Problem, Solution, TestCase
from pipelines.sources.mbpp import read

ROW = {
    "text": "Write a function to add two numbers. ",
    "code": "import sys\r\ndef helper(a):\r\n    return a\r\ndef add(a, b=0):\r\n    return a + b",
    "task_id": 9001,
    "test_setup_code": "",
    "test_list": ["assert add(1, 2) == 3", "assert add(b=1,a=1) == 2 "],
    "challenge_test_list": ["assert add(-1, 1) == 0"],
}


def one(tmp_path: Path, **changes: Any) -> Any:
    path = tmp_path / "m.jsonl"
    path.write_text(json.dumps({**ROW, **changes}))
    (row,) = read(path)
    return row


def test_all_fields(tmp_path: Path) -> None:
    p = one(tmp_path)
    assert (p.id, p.fn_name, p.title, p.licence) == ("mbpp/9001", "add", "add", "CC-BY-4.0")
    assert p.starter_code == "def add(a, b=0):\n"
    assert p.prelude == ""
    assert p.statement == (
        "Write a function to add two numbers.\n\nWrite this function:\n\n```python\n"
        "def add(a, b=0):\n```\n\nFor example:\n\n```python\nassert add(1, 2) == 3\n```\n"
    )
    assert p.tests == (
        TestCase("1\n2", "3", "sample"),
        TestCase("1\n1", "2"),
        TestCase("-1\n1", "0"),
    )
    assert p.checker == Checker()
    assert p.solutions == (Solution(ROW["code"].replace("\r\n", "\n"), origin="code"),)  # type: ignore[attr-defined]


def test_what_is_no_pair_stays_an_assert_and_gets_what_it_needs(tmp_path: Path) -> None:
    p = one(tmp_path, test_list=["assert add(1) == sys.maxsize", "assert int(add(1)) == helper(1)"])
    assert p.fn_name == "add"
    assert p.checker.kind == "asserts"
    assert p.prelude == "import sys\ndef helper(a):\n    return a\n"
    assert p.starter_code == p.prelude + "def add(a, b=0):\n"
    assert p.tests[0] == TestCase("assert add(1) == sys.maxsize\n", "", "sample")
    assert p.tests[1] == TestCase("assert int(add(1)) == helper(1)\n", "")


def test_setup_code_stands_before_every_assert(tmp_path: Path) -> None:
    p = one(tmp_path, test_setup_code="x = 1\r\ny = 2\r\n", challenge_test_list=[])
    assert [t.input for t in p.tests] == [
        "x = 1\ny = 2\nassert add(1, 2) == 3\n",
        "x = 1\ny = 2\nassert add(b=1,a=1) == 2\n",
    ]
    for t in p.tests:
        exec(t.input, {"add": lambda a, b: a + b})


@pytest.mark.parametrize(
    ("changes", "reason", "error"),
    [
        ({"test_list": [], "challenge_test_list": []}, "bad_row", "no assert calls a function"),
        (
            {"test_list": ["assert other(1) == 1"], "challenge_test_list": []},
            "bad_row",
            "no assert",
        ),
        ({"test_list": "assert add(1) == 1"}, "bad_row", "field 'test_list': expected a list"),
        ({"test_list": ["assert add(1"]}, "bad_row", "field 'test_list': not Python 3 source"),
        ({"test_list": [1]}, "bad_row", "field 'test_list': expected text"),
        ({"code": "print 1"}, "bad_row", "field 'code': not Python 3 source"),
        ({"text": "\ud800"}, "invalid_utf8", "lone surrogate"),
    ],
)
def test_bad_rows_are_dropped(
    tmp_path: Path, changes: dict[str, Any], reason: str, error: str
) -> None:
    row = one(tmp_path, **changes)
    assert isinstance(row, Dropped)
    assert (row.id, row.reason) == ("mbpp/9001", reason)
    assert error in row.evidence["error"]


def test_the_real_file(shared_data: Path) -> None:
    rows: list[Any] = list(read(shared_data / "mbpp" / "mbpp.jsonl.gz"))
    assert all(isinstance(p, Problem) for p in rows)
    assert Counter(p.checker.kind for p in rows) == {"default": 547, "asserts": 100}
    assert sum(len(p.tests) for p in rows) == 647 * 3 + 8
    assert sum(bool(p.prelude) for p in rows) == 4
    assert not any("\r" in s.code for p in rows for s in p.solutions)
