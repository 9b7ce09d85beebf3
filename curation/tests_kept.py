"""Which tests are kept for the reward: at most `max_tests`, at most `max_bytes`.

- `by_kill_power`: the smallest set (greedy) that kills every mutant that all tests together kill,
  then the longest inputs;
- `longest`: the longest inputs (the paper and DeepCoder keep 15);
- `samples_first`: all samples, then the longest; `first`: in the source's order.

The full list stays in the shards that a problem was read from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, get_args

from pipelines.problem import Problem

Rule = Literal["by_kill_power", "longest", "samples_first", "first"]


def truncate_tests(
    problem: Problem,
    max_tests: int = 15,
    rule: Rule = "longest",
    max_bytes: int | None = None,
    kills: Sequence[Sequence[int]] = (),
) -> Problem:
    """The problem with at most `max_tests` tests of at most `max_bytes` in all (one test always
    stays), in their old order. `kills`: for each killed mutant the tests that kill it, for
    `by_kill_power`; without any that rule is `longest`. Ties go to the earlier test.

    >>> from pipelines.problem import TestCase
    >>> tests = tuple(TestCase("x" * n, "") for n in (3, 1, 2))
    >>> [t.input for t in truncate_tests(Problem(id="a/b", tests=tests), 2).tests]
    ['xxx', 'xx']
    >>> p = Problem(id="a/b", tests=tests)
    >>> kept = truncate_tests(p, 1, "by_kill_power", kills=[[1], [1, 2]])
    >>> [t.input for t in kept.tests]
    ['x']
    """
    if rule not in get_args(Rule):
        raise ValueError(f"rule {rule!r}: must be one of {', '.join(get_args(Rule))}")
    if max_tests < 1:
        raise ValueError(f"max_tests {max_tests}: must be at least 1")
    sizes = [len(t.input.encode()) + len(t.output.encode()) for t in problem.tests]
    if len(sizes) <= max_tests and (max_bytes is None or sum(sizes) <= max_bytes):
        return problem
    kept: list[int] = []
    room = max_bytes if max_bytes is not None else sum(sizes)
    for i in _order(problem, rule, kills):
        if len(kept) < max_tests and (sizes[i] <= room or not kept):
            kept.append(i)
            room -= sizes[i]
    return replace(problem, tests=tuple(problem.tests[i] for i in sorted(kept)))


def _order(problem: Problem, rule: Rule, kills: Sequence[Sequence[int]]) -> list[int]:
    """All tests, the first to keep first."""
    numbers = range(len(problem.tests))
    longest = sorted(numbers, key=lambda i: (-len(problem.tests[i].input), i))
    if rule == "first":
        return list(numbers)
    if rule == "samples_first":
        return sorted(longest, key=lambda i: problem.tests[i].kind != "sample")
    if rule == "by_kill_power":
        cover = smallest_cover(kills)
        return [*cover, *(i for i in longest if i not in set(cover))]
    return longest


def smallest_cover(kills: Sequence[Sequence[int]]) -> list[int]:
    """Tests that together kill all that can be killed, the one that kills most of what is left
    first (the greedy cover: at most ln(n) + 1 times the smallest; Chvatal, 1979).

    >>> smallest_cover([[0, 2], [1, 2], [3]])
    [2, 3]
    """
    left = [set(k) for k in kills if k]
    cover: list[int] = []
    while left:
        tests = sorted({t for k in left for t in k})
        best = max(tests, key=lambda t: (sum(t in k for k in left), -t))
        cover.append(best)
        left = [k for k in left if best not in k]
    return cover


def kept_kill_rate(kills: Sequence[Sequence[int]], kept: Sequence[int]) -> float | None:
    """The share of killed mutants that the kept tests kill too; None when none is killed.

    >>> kept_kill_rate([[0, 2], [1]], [2])
    0.5
    """
    able = [k for k in kills if k]
    if not able:
        return None
    return sum(bool(set(k) & set(kept)) for k in able) / len(able)
