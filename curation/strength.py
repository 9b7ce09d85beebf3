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
from pipelines.problem import Problem

#: CPU seconds a mutant may take for a test, and as a multiple of what the program itself took: a
#: fault often loops for ever, and each that does costs the limit twice.
MUTANT_LIMIT_S, MUTANT_FACTOR = 0.2, 4.0
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
        )


def to_judge(
    problem: Problem, code: str, most: int, slowest_s: float = 0.0
) -> list[tuple[Problem, Mutant]]:
    """The mutants of a program with the problem they are judged on, whose time limit is lowered.
    `slowest_s`: what the program itself took for its slowest test."""
    limit = max(MUTANT_LIMIT_S, MUTANT_FACTOR * slowest_s)
    limit = min(problem.time_limit_s or limit, limit)
    quick = replace(problem, time_limit_s=limit)
    return [(quick, m) for m in mutants(code, most)]


def summarise(found: Sequence[tuple[Mutant, JudgeResult]]) -> Strength:
    """The strength by the mutants' verdicts, in the mutants' order. A judge_error counts for
    nothing: neither made nor killed."""
    judged = [(m, r) for m, r in found if r.verdict != "judge_error"]
    killed = [(m, r) for m, r in judged if not r.passed]
    kills = tuple(
        tuple(i for i, t in enumerate(r.tests) if t.verdict not in ("accepted", "judge_error"))
        for _, r in killed
    )
    return Strength(
        made=len(judged),
        killed=len(killed),
        crashed=sum(r.verdict != "wrong_answer" for _, r in killed),
        survivors=tuple(m.description for m, r in judged if r.passed)[:SURVIVORS_SHOWN],
        kills=kills,
    )


def measure(
    judge: Judge, items: Sequence[tuple[Problem, str]], most: int = 20
) -> Iterator[tuple[int, Strength]]:
    """(index, strength) of (problem, accepted program) pairs, in their order. With a judge of
    `all_tests` the kills name every test.

    >>> with Judge(all_tests=True) as judge:                                # doctest: +SKIP
    ...     dict(measure(judge, [(problem, reference)]))
    """
    made: list[list[Mutant]] = []
    results: list[dict[int, JudgeResult]] = []
    owners: list[tuple[int, int]] = []

    def pairs() -> Iterator[tuple[Problem, str]]:
        for at, (problem, code) in enumerate(items):
            mutated = to_judge(problem, code, most)
            made.append([m for _, m in mutated])
            results.append({})
            for number, (quick, mutant) in enumerate(mutated):
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


def _strength(made: list[Mutant], results: dict[int, JudgeResult]) -> Strength:
    return summarise([(made[i], results[i]) for i in sorted(results)])
