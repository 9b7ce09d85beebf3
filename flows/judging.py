"""`microcoder judge`: JSONL files in, JSONL verdicts out. `microcoder evaluate`: pass@1 of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast, get_args

from evaluator.compare import Policy
from evaluator.errata import Erratum, affected
from evaluator.judge import Judge, JudgeResult
from evaluator.layout import Tier
from evaluator.verdicts import Isolate
from flows.judge_inputs import Answer, read_inputs
from pipelines.config import ConfigError
from pipelines.problem import ProblemError
from pipelines.shards import atomic_path, write_text_atomic
from pipelines.stage import Progress
from training.evaluate import pass_at_1, without_errata


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Pass@1 over the problems with a judged solution: the mean of their pass rates, with its
    95 % interval. `without_errata` is the same over the problems that are not in `errata`; None
    when none is. `judge_errors` solutions are in no rate, `reasons` says why, by problem;
    `unanswered` problems have no solution."""

    pass_at_1: float
    low: float
    high: float
    without_errata: dict[str, float] | None
    errata: dict[str, Erratum]
    rates: dict[str, float]
    verdicts: Counter[str]
    judge_errors: int
    reasons: dict[str, str]
    unanswered: int
    policy: str

    def to_json(self) -> dict[str, Any]:
        """The object that `microcoder evaluate --out` writes (docs/formats.md)."""
        data = asdict(self) | {"verdicts": dict(self.verdicts.most_common())}
        data["judge_error_reasons"] = data.pop("reasons")
        without = data.pop("without_errata") or {}
        return {**data, **{f"{name}_without_errata": value for name, value in without.items()}}


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """How to judge: see :class:`evaluator.judge.Judge`."""

    workers: int | None = None
    policy: Policy = "robust"
    isolate: Isolate = "solution"
    weakest_tier: Tier = "A"


def judge_options(
    workers: int | None, policy: str, isolate: str, weakest_tier: str
) -> JudgeOptions:
    """The options of a command line, or ConfigError.

    >>> judge_options(2, "strict", "test", "A").policy
    'strict'
    """
    for name, value, allowed in (
        ("policy", policy, get_args(Policy)),
        ("isolate", isolate, get_args(Isolate)),
        ("weakest-tier", weakest_tier, get_args(Tier)),
    ):
        if value not in allowed:
            raise ConfigError(f"--{name} {value!r}: allowed are {', '.join(allowed)}")
    return JudgeOptions(
        workers, cast(Policy, policy), cast(Isolate, isolate), cast(Tier, weakest_tier)
    )


def evaluate_files(
    problems: Path,
    solutions: Path,
    out: Path | None,
    options: JudgeOptions,
    progress: Progress,
) -> Evaluation:
    """Judge every solution (any number a problem) until its first refused test, and sum up; `out`
    gets the summary as JSON. Raises ProblemError like :func:`judge_files`, and when no solution
    at all could be judged.

    >>> evaluate_files(
    ...     Path("p.jsonl"), Path("s.jsonl"), None, JudgeOptions(), no_progress
    ... ).pass_at_1  # doctest: +SKIP
    0.25
    """
    by_id, answers = read_inputs(problems, solutions, out)
    verdicts: Counter[str] = Counter()
    judged: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    reasons: dict[str, str] = {}
    for _, result in _in_order(answers, options, False, _counted("evaluate", answers, progress)):
        verdicts[result.verdict] += 1
        if result.verdict == "judge_error":
            reasons.setdefault(result.problem_id, result.detail)
            continue
        judged[result.problem_id] += 1
        passed[result.problem_id] += result.passed
    if not judged:
        name, reason = next(iter(reasons.items()))
        raise ProblemError(f"{problems}: no solution could be judged. {name}: {reason}")
    rates = {name: passed[name] / judged[name] for name in sorted(judged)}
    all_problems = {p.id: p for p in by_id.values()}
    rated = [all_problems[name] for name in rates]
    without = without_errata(rates, rated)
    evaluation = Evaluation(
        **pass_at_1(rates),
        without_errata={
            name: without[f"{name}_without_errata"] for name in ("pass_at_1", "low", "high")
        }
        if "pass_at_1_without_errata" in without
        else None,
        errata=affected(rated),
        rates=rates,
        verdicts=verdicts,
        judge_errors=verdicts["judge_error"],
        reasons=reasons,
        unanswered=len(all_problems.keys() - {a.problem.id for a in answers}),
        policy=options.policy,
    )
    if out is not None:
        write_text_atomic(
            out, json.dumps(evaluation.to_json(), ensure_ascii=False, indent=2) + "\n"
        )
    return evaluation


def judge_files(
    problems: Path,
    solutions: Path,
    out: Path,
    options: JudgeOptions,
    progress: Progress,
) -> Counter[str]:
    """Judge every solution; `out` gets one verdict a line in the order of the solutions, and
    appears only when it is whole. Returns the number of each verdict.

    Raises ProblemError naming file and line for a malformed row: a verdict file with silent gaps
    would be worse than none. ConfigError or ShardError, before anything is judged, for an `out`
    that cannot be written.
    """
    _, answers = read_inputs(problems, solutions, out)
    counts: Counter[str] = Counter()
    with atomic_path(out) as tmp, tmp.open("w", encoding="utf-8") as f:
        counted = _counted("judge", answers, progress)
        for answer, result in _in_order(answers, options, True, counted):
            verdict = result.to_json() | {
                "problem_id": answer.problem_id,
                "solution_id": answer.solution_id,
            }
            f.write(json.dumps(verdict, ensure_ascii=False) + "\n")
            counts[result.verdict] += 1
    return counts


def _counted(
    stage: str, answers: list[Answer], progress: Progress
) -> Callable[[JudgeResult], None]:
    """Tells the progress of each result, with the verdicts so far."""
    counts: Counter[str] = Counter()
    progress(stage, 0, len(answers))

    def count(result: JudgeResult) -> None:
        counts[result.verdict] += 1
        said = ", ".join(f"{n} {verdict}" for verdict, n in counts.most_common())
        progress(stage, counts.total(), len(answers), said)

    return count


def _in_order(
    answers: list[Answer],
    options: JudgeOptions,
    all_tests: bool,
    seen: Callable[[JudgeResult], None],
) -> Iterator[tuple[Answer, JudgeResult]]:
    """Results in the order of the answers, though they finish in any order; `seen` gets each as
    it finishes."""
    waiting: dict[int, JudgeResult] = {}
    following = 0
    with Judge(**asdict(options), all_tests=all_tests) as judge:
        for i, result in judge.map((a.problem, a.code) for a in answers):
            seen(result)
            waiting[i] = result
            while following in waiting:
                yield answers[following], waiting.pop(following)
                following += 1
