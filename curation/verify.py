"""verify: a problem's own programs must behave as its source says.

Every accepted solution must pass all tests and every wrong one must fail at least one; what
fails that has broken tests, a missing checker or a mislabelled solution. Only Python programs are
run. A kept problem gets the flag `verified` when an accepted solution was run, else `unverified`.

Before that, a problem whose statement allows its results in any order is compared that way (flag
`any_order`). Where accepted programs get a wrong answer, looser comparisons are tried
(:mod:`curation.checker_inference`); one that accepts all accepted programs and refuses all wrong
ones becomes the problem's checker (flag `checker_inferred`). Then the first accepted program is run
`repeats` times in all (flag `flaky` where a verdict differs), its slowest test is compared with the
limit (flag `near_limit`), its mutants say how strong the tests are (flag `weak_tests` below half),
and the tests are cut to the limits that are set.

Verdicts are slow, so each goes to the stage's journal: a killed stage goes on where it was. A
`judge_error` is the machine's fault: it is tried once more and never journaled.

Reasons: `accepted_fails` (evidence: solution, origin, verdict, test, test_name), `wrong_passes`
(solution, origin, expected), `several_answers` (as accepted_fails, while other accepted programs
pass), `weak_tests` (killed, mutants, floor, survivors), `flaky`, `judge_error` (solution, origin,
detail), `no_accepted_solution`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import Field

from curation.checker_inference import by_wording
from curation.tests_kept import Rule
from evaluator.judge import DEFAULT_TIME_LIMIT_S, Judge, JudgeResult
from evaluator.layout import Tier
from pipelines.config import StageConfig
from pipelines.problem import Problem, Solution, drop
from pipelines.shards import Shards
from pipelines.stage import (
    Decision,
    Progress,
    StageContext,
    StageResult,
    no_progress,
    run_stage,
)

#: Problems judged at a time. Results come in any order and rows leave in input order, so a window
#: waits for its slowest program; memory wants it small.
WINDOW_PROBLEMS = 256
WINDOW_BYTES = 64 * 2**20


class VerifyConfig(StageConfig):
    """`workers`: judge processes (None: one a core); it does not change the outcome.
    `time_limit_s`: overrides the problems' own limits. `time_factor`: accepted solutions get
    this many times the limit, for they may be slow in Python; wrong ones get the limit itself.
    `max_solutions`: run at most this many accepted and this many wrong programs a problem, in
    order. `require_solution`: drop problems without an accepted Python solution. `weakest_tier`:
    the least isolation to run programs in (see evaluator.sandbox). `mutants`: most mutants of the
    first accepted program to run (0: none). `min_kill_rate`: drop problems whose tests kill a
    smaller share. `repeats`: runs of the first accepted program; `drop_flaky`: drop a problem
    where they differ. `infer_checkers`: as said above. `max_tests`, `max_test_bytes`,
    `test_rule`: which tests are kept (None: all)."""

    # Left out of dumps: a stage's identity and manifest must not depend on the machine.
    workers: int | None = Field(default=None, ge=1, exclude=True)
    weakest_tier: Tier = Field(default="A", exclude=True)
    time_limit_s: float | None = Field(default=None, gt=0)
    time_factor: float = Field(default=1.0, ge=1)
    max_solutions: int | None = Field(default=None, ge=1)
    require_solution: bool = False
    mutants: int = Field(default=10, ge=0, le=1000)
    min_kill_rate: float | None = Field(default=None, ge=0, le=1)
    repeats: int = Field(default=3, ge=1, le=20)
    drop_flaky: bool = False
    infer_checkers: bool = True
    max_tests: int | None = Field(default=None, ge=1)
    max_test_bytes: int | None = Field(default=None, ge=1)
    test_rule: Rule = "by_kill_power"

    @property
    def cuts(self) -> bool:
        """True when tests are left out."""
        return self.max_tests is not None or self.max_test_bytes is not None


def is_python(solution: Solution) -> bool:
    """True for a program the judge can run.

    >>> is_python(Solution("", language="cpp"))
    False
    """
    return solution.language.lower() in ("python", "python3", "py", "py3", "pypy", "pypy3")


def chosen(problem: Problem, most: int | None) -> list[int]:
    """Positions of the solutions to run: Python ones, at most `most` accepted and `most` wrong."""
    taken: Counter[bool] = Counter()
    positions = []
    for i, s in enumerate(problem.solutions):
        accepted = s.expected == "accepted"
        if is_python(s) and (most is None or taken[accepted] < most):
            taken[accepted] += 1
            positions.append(i)
    return positions


def with_limit(problem: Problem, solution: Solution, config: VerifyConfig) -> Problem:
    limit = config.time_limit_s or problem.time_limit_s or DEFAULT_TIME_LIMIT_S
    if solution.expected == "accepted":
        limit *= config.time_factor
    return replace(problem, time_limit_s=limit)


def summary(problem: Problem, result: JudgeResult) -> dict[str, Any]:
    """What a decision needs of a verdict: no times, so that a resumed stage decides the same."""
    summary: dict[str, Any] = {"passed": result.passed, "verdict": result.verdict}
    for i, test in enumerate(result.tests):
        if test.verdict != "accepted":
            name = problem.tests[i].name if i < len(problem.tests) else ""
            summary |= {"test": i, "test_name": name}
            break
    return summary


def _windows(problems: Iterable[Problem]) -> Iterator[list[tuple[int, Problem]]]:
    window: list[tuple[int, Problem]] = []
    size = 0
    for row, p in enumerate(problems):
        window.append((row, p))
        size += sum(len(t.input) + len(t.output) for t in p.tests)
        if len(window) >= WINDOW_PROBLEMS or size >= WINDOW_BYTES:
            yield window
            window, size = [], 0
    if window:
        yield window


Key = tuple[int, int]  # row of the problem, position of the solution


def _judge_window(
    judge: Judge,
    window: list[tuple[int, Problem]],
    total: int,
    config: VerifyConfig,
    ctx: StageContext,
) -> dict[Key, dict[str, Any]]:
    """A summary for every chosen solution of the window, from the journal or the judge."""
    problems = dict(window)
    found: dict[Key, dict[str, Any]] = {}
    todo: list[Key] = []
    for row, p in window:
        for i in chosen(p, config.max_solutions):
            known = ctx.journal.get(f"{row}:{p.id}:{i}")
            if known is None:
                todo.append((row, i))
            else:
                found[row, i] = known
    for _ in range(2):  # a judge_error is tried once more
        pairs = (
            (with_limit(p, p.solutions[i], config), p.solutions[i].code)
            for p, i in [(problems[row], i) for row, i in todo]
        )
        failed: list[Key] = []
        left = Counter(row for row, _ in todo)
        for at, result in judge.map(pairs):
            row, i = todo[at]
            p = problems[row]
            found[row, i] = summary(p, result)
            left -= Counter([row])  # drops a problem with nothing left
            done = window[0][0] + len(window) - len(left)
            ctx.progress(ctx.stage, done, total, f"{p.id}: {result.verdict}")
            if result.verdict == "judge_error":
                found[row, i]["detail"] = result.detail[:200]
                failed.append((row, i))
            else:
                ctx.journal.put(f"{row}:{p.id}:{i}", found[row, i])
        todo = sorted(failed)
        if not todo:
            break
    return found


def decide_problem(
    problem: Problem, verdicts: dict[int, dict[str, Any]], config: VerifyConfig, stage: str
) -> Decision:
    """Keep or drop a problem by the verdicts of its solutions (by position). A program that
    certainly misbehaved counts before one that could not be judged.

    >>> decide_problem(Problem(id="a/b"), {}, VerifyConfig(), "verify").flags
    ('unverified',)
    """
    judged = [(i, problem.solutions[i], v) for i, v in sorted(verdicts.items())]
    for i, s, v in judged:
        if v["verdict"] == "judge_error":
            continue
        about = {"solution": i, "origin": s.origin}
        if s.expected == "accepted" and not v["passed"]:
            failing = {k: v[k] for k in ("test", "test_name") if k in v}
            others = [w["passed"] for j, t, w in judged if j != i and t.expected == "accepted"]
            several = v["verdict"] == "wrong_answer" and any(others)
            reason = "several_answers" if several else "accepted_fails"
            return drop(problem, stage, reason, **about, verdict=v["verdict"], **failing)
        if s.expected != "accepted" and v["passed"]:
            return drop(problem, stage, "wrong_passes", **about, expected=s.expected)
    for i, s, v in judged:
        if v["verdict"] == "judge_error":
            detail = v.get("detail", "")
            return drop(problem, stage, "judge_error", solution=i, origin=s.origin, detail=detail)
    verified = any(s.expected == "accepted" for _, s, _ in judged)
    if not verified and config.require_solution:
        return drop(problem, stage, "no_accepted_solution")
    flags = [f for f in problem.flags if f not in ("verified", "unverified")]
    return replace(problem, flags=(*flags, "verified" if verified else "unverified"))


def verify(
    inputs: Sequence[Path],
    out: Path,
    config: VerifyConfig | None = None,
    progress: Progress = no_progress,
) -> StageResult:
    """Run the stage. Extra: programs run, verdicts by what was expected, problems verified.

    >>> verify([Path("04-decontaminate")], Path("05-verify"))  # doctest: +SKIP
    """
    from curation.trust import Trust  # it needs this module's config

    config = config or VerifyConfig()

    def decide(problems: Shards, ctx: StageContext) -> Iterator[Decision]:
        counts: dict[str, Counter[str]] = {"accepted": Counter(), "wrong": Counter()}
        verified = 0
        with Judge(workers=config.workers, weakest_tier=config.weakest_tier) as judge:
            trust = Trust(config, judge, ctx)
            for window in _windows(
                map(by_wording, problems) if config.infer_checkers else problems
            ):
                found = _judge_window(judge, window, len(problems), config, ctx)
                decided: list[Decision] = []
                for row, p in window:
                    verdicts = {i: v for (r, i), v in found.items() if r == row}
                    if config.infer_checkers:
                        p, verdicts = trust.inferred(row, p, verdicts)
                    for i, v in verdicts.items():
                        expected = p.solutions[i].expected
                        kind = "accepted" if expected == "accepted" else "wrong"
                        counts[kind][v["verdict"]] += 1
                    decided.append(decide_problem(p, verdicts, config, ctx.stage))
                for decision in trust.examined([row for row, _ in window], decided):
                    verified += isinstance(decision, Problem) and "verified" in decision.flags
                    yield decision
            ctx.extra |= trust.report()
        ctx.extra["programs_run"] = sum(c.total() for c in counts.values())
        ctx.extra["verdicts"] = {kind: dict(sorted(c.items())) for kind, c in counts.items()}
        ctx.extra["verified"] = verified

    return run_stage(
        "verify",
        inputs,
        out,
        config,
        decide,
        rooms=("curation", "evaluator"),
        progress=progress,
    )
