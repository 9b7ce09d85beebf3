"""Sources that are hard to compile: they cost their own program its verdict, and nobody else."""

from __future__ import annotations

import time

import pytest
from judging import make_problem

from evaluator.judge import Judge
from evaluator.verdicts import Isolate

pytestmark = pytest.mark.usefixtures("needs_tier_a")
PROBLEM = make_problem(("1\n", "1\n"), ("2\n", "2\n"))
GOOD = "print(input())\n"


def nested_finally(depth: int) -> str:
    """The compiler writes the body of each `finally` twice."""
    lines = [f"{' ' * i}try: pass\n{' ' * i}finally:\n" for i in range(depth)]
    return "".join(lines) + " " * depth + "x = 1\n" + GOOD


RIGHT = {
    "a thousand warnings": "def f():\n" + " 1 is 1\n" * 2400 + GOOD,
    "invalid escapes": "x = '" + "\\d" * 3000 + "'\n" + GOOD,
    "names its encoding": "# -*- coding: latin-1 -*-\nx = 1\n" + GOOD,
    "utf-7": "# coding: utf-7\n" + GOOD,
    "byte order mark": "\ufeff" + GOOD,
    "finally, twelve deep": nested_finally(12),
    "long": "x = 1\n" * 20_000 + GOOD,
    "attributes of attributes": "if 0: a" + ".b" * 9000 + "\n" + GOOD,
    "lambdas": "x = " + "(lambda: " * 150 + "1" + ")" * 150 + "\n" + GOOD,
    "many constants": "x = [" + ",".join(map(str, range(3000))) + "]\n" + GOOD,
}
WRONG = {
    "finally, nineteen deep": nested_finally(19),
    "unary operators": "x = " + "-" * 15_000 + "1\n" + GOOD,
    "brackets": "[" * 15_000,
    "open calls": "f(" * 99 + "a=1, b c",
    "null byte": GOOD + "\0",
    "surrogate": "x = '\udc80'\n" + GOOD,
    "unknown encoding": "# coding: nonsense\n" + GOOD,
}


@pytest.mark.parametrize("isolate", ["solution", "test"])
def test_sources(isolate: Isolate) -> None:
    with Judge(workers=1, isolate=isolate, time_limit_s=10, memory_limit_mb=512) as judge:
        for name, code in RIGHT.items():
            result = judge.judge(PROBLEM, code)
            assert result.verdict == "accepted", (name, result)
        for name, code in WRONG.items():
            result = judge.judge(PROBLEM, code)
            # running out of memory or time while compiling is one of these too
            assert result.verdict in ("compile_error", "time_limit"), (name, result)
            assert judge.judge(PROBLEM, GOOD).passed, name


def test_a_slow_compiler_brings_no_judge_to_a_halt() -> None:
    body = "\n".join(
        "  " + line for line in nested_finally(16).replace("pass", "return").split("\n")
    )
    started = time.monotonic()
    with Judge(workers=1, time_limit_s=2) as judge:
        result = judge.judge(PROBLEM, f"def f():\n for _ in ():\n{body}\n{GOOD}")
        assert result.verdict != "judge_error", result
        assert judge.judge(PROBLEM, GOOD).passed
    assert time.monotonic() - started < 60  # not the minutes that a silent room is given


def test_a_message_may_hold_a_text_a_prelude_and_a_program() -> None:
    fill = "# " + "x" * 70 + "\n"
    problem = make_problem(
        *[(f"'{'a' * 480}'\n", "480\n")] * 95, fn_name="f", prelude=fill * 270 + "base = 0\n"
    )
    with Judge(workers=1) as judge:
        result = judge.judge(problem, fill * 270 + "def f(s): return base + len(s)\n")
    assert result.passed, result.detail
