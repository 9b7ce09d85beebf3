"""Which tests are kept for the reward: at most 15, the longest inputs first (paper 2, rllm)."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from pipelines.problem import Problem

Rule = Literal["longest", "samples_first"]


def truncate_tests(problem: Problem, max_tests: int = 15, rule: Rule = "longest") -> Problem:
    """The problem with at most `max_tests` tests, in their old order. `longest`: those with the
    longest inputs; `samples_first`: all samples, then the longest. Ties go to the earlier test.
    The full list stays in the shard this problem was read from.

    >>> from pipelines.problem import TestCase
    >>> tests = tuple(TestCase("x" * n, "") for n in (3, 1, 2))
    >>> [t.input for t in truncate_tests(Problem(id="a/b", tests=tests), 2).tests]
    ['xxx', 'xx']
    """
    if rule not in ("longest", "samples_first"):
        raise ValueError(f"rule {rule!r}: must be 'longest' or 'samples_first'")
    if max_tests < 1:
        raise ValueError(f"max_tests {max_tests}: must be at least 1")
    if len(problem.tests) <= max_tests:
        return problem

    def priority(i: int) -> tuple[bool, int, int]:
        test = problem.tests[i]
        later = rule == "samples_first" and test.kind != "sample"
        return later, -len(test.input), i

    kept = sorted(sorted(range(len(problem.tests)), key=priority)[:max_tests])
    return replace(problem, tests=tuple(problem.tests[i] for i in kept))
