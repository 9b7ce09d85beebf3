"""LeetCodeDataset rows, nested and flat."""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pipelines.problem import Checker, Dropped, Problem, Solution, TestCase
from pipelines.sources.leetcode_dataset import LOST_SUPERSCRIPTS, read

COMMON = {
    "task_id": "sum-of-two-ii",
    "prompt": "import math\n\nclass ListNode:\n    pass\n",
    "completion": "class Solution:\n    def addTwo(self, a: int, bs: List[int]) -> int:\n"
    "        return a + sum(bs)\n",
    "entry_point": "Solution().addTwo",
    "test": "def check(candidate):\n    assert candidate(a = 1,bs = [2]) == 3\n"
    "    assert candidate(bs = [], a = 10**3) == 1000\n    assert candidate(5, [1]) == 6\n",
    "query": "Solve it.",
    "input_output": [{"input": "a = x", "output": "Error: name 'x' is not defined"}],
}
STARTER = "class Solution:\n    def addTwo(self, a: int, bs: List[int]) -> int:\n        "
NESTED = {
    **COMMON,
    "meta": {
        "question_id": 7,
        "difficulty": "Easy",
        "question_title": "Add them, a <= 100.",
        "lang_code": STARTER,
    },
}
FLAT = {
    **COMMON,
    "question_id": 7,
    "difficulty": "Hard",
    "tags": ["Math", "Array"],
    "problem_description": "Add them modulo 109 + 7.",
    "starter_code": STARTER,
    "estimated_date": "2024-08-04",
}


def one(tmp_path: Path, row: dict[str, Any], **changes: Any) -> Any:
    path = tmp_path / "l.jsonl"
    path.write_text(json.dumps({**row, **changes}))
    (read_row,) = read(path)
    return read_row


def test_all_fields_of_both_schemas(tmp_path: Path) -> None:
    nested, flat = one(tmp_path, NESTED), one(tmp_path, FLAT)
    for p in (nested, flat):
        assert (p.id, p.title) == ("leetcode/sum-of-two-ii", "Sum Of Two Ii")
        assert p.url == "https://leetcode.com/problems/sum-of-two-ii/"
        assert (p.fn_name, p.starter_code, p.prelude) == ("addTwo", STARTER, COMMON["prompt"])
        assert p.tests == (
            TestCase("1\n[2]", "3"),
            TestCase("1000\n[]", "1000"),
            TestCase("5\n[1]", "6"),
        )
        assert p.checker == Checker()
        assert p.solutions == (Solution(str(COMMON["completion"]), origin="completion"),)
    assert (nested.statement, nested.level) == ("Add them, a <= 100.", "Easy")
    assert (nested.tags, nested.released_at, nested.flags) == ((), None, ())
    assert (flat.statement, flat.level) == ("Add them modulo 109 + 7.", "Hard")
    assert flat.tags == ("Math", "Array")
    assert flat.released_at == dt.date(2024, 8, 4)
    assert flat.flags == ("lost_superscripts",)


@pytest.mark.parametrize(
    ("code", "test"),
    [
        ("root: Optional[TreeNode]", "candidate(root = [1]) == 1"),  # by its annotation
        ("root: Optional[TreeNode]", "candidate(root = list_node([1])) == 1"),
        ("root: Optional[TreeNode]", "candidate(root = tree_node([None])) == 1"),
        ("root: Optional[TreeNode]", "candidate(root = tree_node(list(range(9)))) == 1"),
        ("a: int", "candidate(a = tree_node([1])) == 1"),
        ("a: int", "is_same_list(candidate(a = 1), list_node([1]))"),
        ("a: int", "candidate(a = 1) == inf"),
    ],
)
def test_nodes_at_odd_places_and_infinities_stay_asserts(
    tmp_path: Path, code: str, test: str
) -> None:
    completion = f"class Solution:\n    def addTwo(self, {code}):\n        return 1\n"
    test = f"def check(candidate):\n    assert {test}\n    assert candidate(2)\n"
    p = one(tmp_path, FLAT, completion=completion, test=test)
    assert p.checker.kind == "asserts"
    first, second = test.splitlines()[1:]
    assert [t.input for t in p.tests] == [f"{first.strip()}\n", f"{second.strip()}\n"]


def test_nodes_become_lists(tmp_path: Path) -> None:
    head = "def addTwo(self, a: Optional[ListNode], b: List[Optional[TreeNode]], k: int)"
    completion = f"class Solution:\n    {head} -> Optional[ListNode]:\n        return a\n"
    calls = (
        "candidate(list_node([1, 2]), b = [tree_node([1, None, 2]), None], k = 3), list_node([])",
        "candidate(None, [tree_node([])], 1), None",
    )
    asserts = "".join(f"    assert is_same_list({c})\n" for c in calls)
    test = f"def check(candidate):\n{asserts}"
    p = one(tmp_path, FLAT, completion=completion, test=test)
    assert p.checker == Checker()
    assert p.tests == (
        TestCase("[1, 2]\n[[1, null, 2], null]\n3", "[]"),
        TestCase("null\n[[]]\n1", "null"),
    )


@pytest.mark.parametrize(
    ("changes", "reason", "error"),
    [
        ({"entry_point": "LRUCache"}, "unsupported", "(a design problem?)"),
        ({"entry_point": "Solution().other"}, "bad_row", "class Solution has no method 'other'"),
        ({"test": "def check(candidate):\n    pass"}, "no_tests", "the test list is empty"),
        ({"test": ""}, "bad_row", "no `def check(candidate)`"),
        ({"completion": "class"}, "bad_row", "field 'completion': not Python 3 source"),
        ({"estimated_date": "soon"}, "bad_row", "Invalid isoformat string"),
        ({"tags": [1]}, "bad_row", "field 'tags': expected text"),
        ({"problem_description": None}, "bad_row", "problem_description': expected text"),
    ],
)
def test_bad_rows_are_dropped(
    tmp_path: Path, changes: dict[str, Any], reason: str, error: str
) -> None:
    row = one(tmp_path, FLAT, **changes)
    assert isinstance(row, Dropped)
    assert (row.id, row.reason) == ("leetcode/sum-of-two-ii", reason)
    assert error in row.evidence["error"]


@pytest.mark.parametrize(
    ("statement", "lost"),
    [
        ("1 <= n <= 105", True),
        ("-106 <= x", True),
        ("n <= 2 * 104", True),
        ("modulo 109 + 7", True),
        ("-231 <= x <= 231 - 1", True),
        ("1 <= n <= 100", False),
        ("1 <= n <= 10^5", False),
        ("1 <= n <= 1050", False),
        ("101 is '5' in binary, for 109 days", False),
    ],
)
def test_lost_superscripts(statement: str, lost: bool) -> None:
    assert bool(LOST_SUPERSCRIPTS.search(statement)) is lost


@pytest.mark.parametrize(
    ("file", "kinds", "tests", "lost"),
    [
        ("v0.2.0-train.jsonl.gz", {"default": 1260}, 3174, 729),
        ("v0.3.1-test.jsonl.gz", {"default": 223, "asserts": 5}, 23234, 147),
    ],
)
def test_the_real_files(
    shared_data: Path, file: str, kinds: dict[str, int], tests: int, lost: int
) -> None:
    rows: list[Any] = list(read(shared_data / "leetcode_dataset" / file))
    assert all(isinstance(p, Problem) for p in rows)
    assert Counter(p.checker.kind for p in rows) == kinds
    assert sum(len(p.tests) for p in rows) == tests
    assert sum(bool(p.flags) for p in rows) == lost
    assert not any(t.output.startswith('"Error') for p in rows for t in p.tests)
    assert len({p.id for p in rows}) == len(rows)
