"""A program must not be able to call a judge_error: it would leave the statistics unseen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from evaluator.judge import Judge
from pipelines.problem import Checker, Problem, TestCase


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Judge(workers=1) as j:
        yield j


FUNCTION = Problem(id="t/f", fn_name="f", tests=(TestCase("1", "1"),), time_limit_s=2)
ASSERTS = Problem(
    id="t/a",
    fn_name="f",
    tests=(TestCase("assert candidate(1) == 1", ""),),
    checker=Checker("asserts"),
)
WRITE_T = "import os\nos.ftruncate(3, 0)\nos.pwrite(3, b'Tx', 0)\nos._exit(0)\n"
WRITE_P = "import os\nn = os.pread(3, 16, 0)\nos.pwrite(3, n + b'Px', 0)\nos._exit(0)\n"
HANG_P = WRITE_P.replace("os._exit(0)", "while True: pass")


@pytest.mark.parametrize("code", [WRITE_T, WRITE_P, HANG_P], ids=["T", "P", "P and hang"])
@pytest.mark.parametrize("problem", [FUNCTION, ASSERTS], ids=["function", "asserts"])
def test_forged_report_is_the_programs_fault(judge: Judge, problem: Problem, code: str) -> None:
    result = judge.judge(problem, code)
    assert result.verdict in ("runtime_error", "time_limit"), result.detail


def test_forged_prelude_failure_with_a_good_prelude(judge: Judge) -> None:
    problem = Problem(id="t/p", fn_name="f", prelude="import math", tests=FUNCTION.tests)
    assert judge.judge(problem, WRITE_P).verdict == "runtime_error"
    assert judge.judge(problem, "def f(n): return math.gcd(n, n)").verdict == "accepted"


def test_broken_prelude_and_broken_test_stay_the_judges_business(judge: Judge) -> None:
    prelude = Problem(id="t/p", fn_name="f", prelude="1 / 0", tests=FUNCTION.tests)
    assert judge.judge(prelude, "def f(n): return n").verdict == "judge_error"
    asserts = Problem(
        id="t/q", fn_name="f", tests=(TestCase("assert (", ""),), checker=Checker("asserts")
    )
    assert judge.judge(asserts, "def f(n): return n").verdict == "judge_error"


CHECKER = Checker(
    "program", source="import sys\nx = int(sys.stdin.read())\nsys.exit(42 if x > 0 else 43)\n"
)


def test_checker_that_crashes_on_this_output_only(judge: Judge) -> None:
    problem = Problem(id="t/c", tests=(TestCase("", "5\n"),), checker=CHECKER)
    assert judge.judge(problem, "print(7)").verdict == "accepted"
    assert judge.judge(problem, "print(-7)").verdict == "wrong_answer"
    assert judge.judge(problem, "print('garbage')").verdict == "wrong_answer"


def test_checker_that_always_crashes(judge: Judge) -> None:
    broken = Checker("program", source="raise SystemExit(1)")
    problem = Problem(id="t/c", tests=(TestCase("", "5\n"),), checker=broken)
    assert judge.judge(problem, "print(7)").verdict == "judge_error"


def test_absurd_time_limit(judge: Judge) -> None:
    problem = Problem(id="t/t", tests=(TestCase("", "1"),), time_limit_s=1e15)
    assert judge.judge(problem, "print(1)").verdict == "accepted"
