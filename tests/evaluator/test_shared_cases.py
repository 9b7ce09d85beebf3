"""The case file that the design was made with, where it lies beside the checkout."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluator.judge import Judge, JudgeResult
from pipelines.problem import Checker, Problem, TestCase

FILE = Path(__file__).resolve().parents[3] / "shared/evaluator-cases.jsonl"
if not FILE.exists():
    pytest.skip(f"{FILE} is not here", allow_module_level=True)
CASES = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]
ORDINARY = Problem(id="test/ordinary", tests=(TestCase("1 2\n", "3\n"),))
#: For the one case with "custom: one digit that is not a+b".
VALIDATOR = """
import sys
a, b = map(int, open(sys.argv[1]).read().split())
got = sys.stdin.read().split()
sys.exit(42 if len(got) == 1 and got[0].isdigit() and int(got[0]) != a + b else 43)
"""


def problem_of(case: dict[str, Any]) -> Problem:
    checker = Checker()
    if case.get("checker", "").startswith("unordered"):
        checker = Checker("unordered")
    elif case.get("checker"):
        checker = Checker("program", source=VALIDATOR)
    return Problem(
        id=f"cases/{case['id']}",
        fn_name=case.get("fn_name"),
        tests=tuple(TestCase(t["input"], t["output"]) for t in case["tests"]),
        checker=checker,
        time_limit_s=case.get("time_limit_s"),
        memory_limit_mb=case.get("memory_limit_mb"),
    )


@pytest.fixture(scope="module")
def results(needs_tier_a: None) -> dict[str, JudgeResult]:
    """All cases, and after each hostile one an ordinary program."""
    pairs: list[tuple[Problem, str]] = []
    for case in CASES:
        pairs.append((problem_of(case), case["code"]))
        if case["id"].startswith("h-"):
            pairs.append((ORDINARY, "print(sum(map(int, input().split())))"))
    found: dict[str, JudgeResult] = {}
    with Judge() as judge:
        for _, result in judge.map(pairs):
            if result.problem_id == ORDINARY.id:
                assert result.passed, result
            found[result.problem_id.removeprefix("cases/")] = result
    return found


@pytest.mark.parametrize("case", CASES, ids=[c["id"] for c in CASES])
def test_case(case: dict[str, Any], results: dict[str, JudgeResult]) -> None:
    result = results[case["id"]]
    assert result.verdict in case["expected_verdict"].split("|"), (case["why"], result)


def test_nothing_is_left(results: dict[str, JudgeResult], my_processes: Any) -> None:
    assert my_processes() == []
    assert not Path("/tmp/mc_hostile_marker").exists()
