"""Test strength: the share of a reference's mutants that a problem's tests notice.

A mutant is killed by a test that it fails in any way (wrong answer, crash, time, memory). One that
no test kills is either a hole in the tests or computes the same (an equivalent mutant): the rate is
a lower bound of what the tests see, and rates of different problems compare, the single one proves
little. Source: DeMillo, Lipton and Sayward, "Hints on test data selection", 1978.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from curation.mutants import Mutant, mutants
from evaluator.judge import Judge, JudgeResult
from evaluator.layout import Tier
from pipelines.problem import Problem

#: CPU seconds a mutant may take for a test, and as a multiple of what the program itself took: a
#: fault often loops for ever, and each that does costs the limit twice.
MUTANT_LIMIT_S, MUTANT_FACTOR = 0.2, 4.0
#: Tests that a mutant meets at most, the first ones: one that survives so many is not found out by
#: the next thousand either, and some rows have 100,000.
MUTANT_TESTS = 1000
SURVIVORS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Strength:
    """`made` mutants were judged, `killed` of them by some test, `crashed` among those by ending
    otherwise than with a wrong answer. `survivors`: what was changed in the first few that no test
    noticed. `kills`: for each killed mutant the tests that kill it (only the first one, unless all
    tests were run)."""

    made: int
    killed: int
    crashed: int
    survivors: tuple[str, ...] = ()
    kills: tuple[tuple[int, ...], ...] = ()
    stopped: tuple[int, ...] = ()

    @property
    def rate(self) -> float | None:
        """Killed / made; None without mutants."""
        return self.killed / self.made if self.made else None

    def to_json(self) -> dict[str, Any]:
        """For a journal."""
        return {
            "made": self.made,
            "killed": self.killed,
            "crashed": self.crashed,
            "survivors": list(self.survivors),
            "kills": [list(k) for k in self.kills],
            "stopped": list(self.stopped),
        }

    @staticmethod
    def from_json(data: dict[str, Any]) -> Strength:
        """The inverse.

        >>> Strength.from_json(Strength(2, 1, 0, ("x",), ((0,),)).to_json()).rate
        0.5
        """
        return Strength(
            data["made"],
            data["killed"],
            data["crashed"],
            tuple(data["survivors"]),
            tuple(tuple(k) for k in data["kills"]),
            tuple(data["stopped"]),
        )


def judge_of_mutants(workers: int | None = None, weakest_tier: Tier = "A") -> Judge:
    """A judge that tells which tests kill a mutant: it runs all, up to one at the time limit."""
    return Judge(
        workers=workers, weakest_tier=weakest_tier, all_tests=True, stop_at_time_limit=True
    )


def to_judge(
    problem: Problem, code: str, most: int, slowest_s: float = 0.0
) -> list[tuple[Problem, Mutant]]:
    """The mutants of a program with the problem they are judged on: a lower time limit, and the
    first :data:`MUTANT_TESTS` tests. `slowest_s`: what the program itself took for its slowest."""
    limit = max(MUTANT_LIMIT_S, MUTANT_FACTOR * slowest_s)
    limit = min(problem.time_limit_s or limit, limit)
    quick = replace(problem, time_limit_s=limit, tests=problem.tests[:MUTANT_TESTS])
    return [(quick, m) for m in mutants(code, most)]


def summarise(found: Sequence[tuple[Mutant, JudgeResult]], tests: int) -> Strength:
    """The strength by the mutants' verdicts, in the mutants' order; `tests`: how many they were to
    meet. A judge_error counts for nothing: neither made nor killed."""
    judged = [(m, r) for m, r in found if r.verdict != "judge_error"]
    killed = [r for _, r in judged if not r.passed]
    kills = tuple(
        tuple(i for i, t in enumerate(r.tests) if t.verdict not in ("accepted", "judge_error"))
        for r in killed
    )
    return Strength(
        made=len(judged),
        killed=len(killed),
        crashed=sum(r.verdict != "wrong_answer" for r in killed),
        survivors=tuple(m.description for m, r in judged if r.passed)[:SURVIVORS_SHOWN],
        kills=kills,
        stopped=tuple(at for at, r in enumerate(killed) if r.tests_run < tests),
    )


def measure(
    judge: Judge,
    items: Sequence[tuple[Problem, str]],
    most: int = 20,
    slowest_s: Sequence[float] = (),
) -> Iterator[tuple[int, Strength]]:
    """(index, strength) of (problem, accepted program) pairs, in their order. `slowest_s`: what
    each program took for its slowest test, in seconds (default 0). With :func:`judge_of_mutants`
    the kills name every test, else the first.

    >>> with judge_of_mutants() as judge:                                   # doctest: +SKIP
    ...     dict(measure(judge, [(problem, reference)]))
    """
    made: list[list[tuple[Problem, Mutant]]] = []
    results: list[dict[int, JudgeResult]] = []
    owners: list[tuple[int, int]] = []

    def pairs() -> Iterator[tuple[Problem, str]]:
        for at, (problem, code) in enumerate(items):
            made.append(to_judge(problem, code, most, slowest_s[at] if slowest_s else 0.0))
            results.append({})
            for number, (quick, mutant) in enumerate(made[at]):
                owners.append((at, number))
                yield quick, mutant.code

    ready = 0
    for position, result in judge.map(pairs()):
        at, number = owners[position]
        results[at][number] = result
        while ready < len(made) - 1 and len(results[ready]) == len(made[ready]):
            yield ready, _strength(made[ready], results[ready])
            results[ready] = {}
            ready += 1
    for at in range(ready, len(made)):
        yield at, _strength(made[at], results[at])


def _strength(made: list[tuple[Problem, Mutant]], results: dict[int, JudgeResult]) -> Strength:
    tests = len(made[0][0].tests) if made else 0
    return summarise([(made[i][1], results[i]) for i in sorted(results)], tests)
