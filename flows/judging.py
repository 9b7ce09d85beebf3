"""`microcoder judge`: JSONL files in, JSONL verdicts out. `microcoder evaluate`: pass@1 of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast, get_args

from evaluator.compare import Policy
from evaluator.errata import Erratum, affected
from evaluator.judge import Judge, JudgeResult
from evaluator.layout import Tier
from evaluator.verdicts import Isolate
from pipelines.config import ConfigError
from pipelines.formats import problem_from_json
from pipelines.problem import Problem, ProblemError, decode_utf8
from pipelines.shards import (
    MissingInputError,
    atomic_path,
    check_file_target,
    write_text_atomic,
)
from pipelines.sources.rows import iter_lines
from pipelines.stage import Progress
from training.evaluate import pass_at_1, without_errata


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Pass@1 over the problems with a judged solution: the mean of their pass rates, with its
    95 % interval. `without_errata` is the same over the problems that are not in `errata`; None
    when none is. `judge_errors` solutions are in no rate; `unanswered` problems have none."""

    pass_at_1: float
    low: float
    high: float
    without_errata: dict[str, float] | None
    errata: dict[str, Erratum]
    rates: dict[str, float]
    verdicts: Counter[str]
    judge_errors: int
    unanswered: int
    policy: str

    def to_json(self) -> dict[str, Any]:
        """The object that `microcoder evaluate --out` writes (docs/formats.md)."""
        data = asdict(self) | {"verdicts": dict(self.verdicts.most_common())}
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
    gets the summary as JSON. Raises ProblemError like :func:`judge_files`.

    >>> evaluate_files(
    ...     Path("p.jsonl"), Path("s.jsonl"), None, JudgeOptions(), no_progress
    ... ).pass_at_1  # doctest: +SKIP
    0.25
    """
    by_id, rows = _read(problems, solutions, out)
    verdicts: Counter[str] = Counter()
    judged: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    progress("evaluate", 0, len(rows))
    for done, (_, result) in enumerate(_in_order(rows, by_id, options, False), 1):
        verdicts[result.verdict] += 1
        if result.verdict != "judge_error":
            judged[result.problem_id] += 1
            passed[result.problem_id] += result.passed
        progress("evaluate", done, len(rows), result.verdict)
    rates = {name: passed[name] / judged[name] for name in sorted(judged)}
    all_problems = {p.id: p for p in by_id.values()}
    rated = [all_problems[name] for name in rates]
    without = without_errata(rates, rated)
    evaluation = Evaluation(
        **pass_at_1(rates),
        without_errata={
            name: without[f"{name}_without_errata"] for name in ("pass_at_1", "low", "high")
        }
        if without
        else None,
        errata=affected(rated),
        rates=rates,
        verdicts=verdicts,
        judge_errors=verdicts["judge_error"],
        unanswered=len(all_problems.keys() - {by_id[r["problem_id"]].id for r in rows}),
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
    would be worse than none.
    """
    by_id, rows = _read(problems, solutions, out)
    counts: Counter[str] = Counter()
    with atomic_path(out) as tmp, tmp.open("w", encoding="utf-8") as f:
        progress("judge", 0, len(rows))
        for done, (row, result) in enumerate(_in_order(rows, by_id, options, True), 1):
            verdict = result.to_json() | {
                "problem_id": row["problem_id"],
                "solution_id": row["solution_id"],
            }
            f.write(json.dumps(verdict, ensure_ascii=False) + "\n")
            counts[result.verdict] += 1
            progress("judge", done, len(rows), result.verdict)
    return counts


def _read(
    problems: Path, solutions: Path, out: Path | None
) -> tuple[dict[str, Problem], list[dict[str, Any]]]:
    """The problems by every id that names them, and the rows of the solutions; `out` is checked
    before anything is judged."""
    for given in (problems, solutions):
        if not given.is_file():
            raise MissingInputError(f"{given}: no such file")
        if out is not None and out.resolve() == given.resolve():
            raise ConfigError(f"--out {out} is an input; choose another name")
    if out is not None:
        check_file_target(out.resolve())
    by_id = {p.id: p for p in _problems(problems)}
    by_id |= {p.id.partition("/")[2]: p for p in by_id.values() if p.source == "jsonl"}
    return by_id, list(_solutions(solutions, by_id))


def _in_order(
    rows: list[dict[str, Any]],
    by_id: dict[str, Problem],
    options: JudgeOptions,
    all_tests: bool,
) -> Iterator[tuple[dict[str, Any], JudgeResult]]:
    """Results in the order of the rows, though they finish in any order."""
    waiting: dict[int, JudgeResult] = {}
    following = 0
    with Judge(**asdict(options), all_tests=all_tests) as judge:
        for i, result in judge.map((by_id[r["problem_id"]], r["code"]) for r in rows):
            waiting[i] = result
            while following in waiting:
                yield rows[following], waiting.pop(following)
                following += 1


def _objects(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for row in iter_lines(path):
        where = f"{path}: line {row.number}"
        if row.error:
            raise ProblemError(f"{where}: {row.error}")
        try:
            data = json.loads(decode_utf8(row.raw, where))
        except json.JSONDecodeError as e:
            raise ProblemError(f"{where}: not JSON: {e.msg} at column {e.colno}") from None
        except RecursionError:
            raise ProblemError(f"{where}: JSON nested too deeply") from None
        if not isinstance(data, dict):
            raise ProblemError(f"{where}: expected a JSON object, found {type(data).__name__}")
        yield where, data


def _problems(path: Path) -> Iterator[Problem]:
    seen: set[str] = set()
    for where, data in _objects(path):
        try:
            problem = problem_from_json(data, "jsonl")
        except ProblemError as e:
            raise ProblemError(f"{where}: {e}") from None
        if problem.id in seen:
            raise ProblemError(f"{where}: field 'id': {problem.id!r} stands twice in this file")
        seen.add(problem.id)
        yield problem


def _solutions(path: Path, by_id: dict[str, Problem]) -> Iterator[dict[str, Any]]:
    for i, (where, data) in enumerate(_objects(path)):
        for name in ("problem_id", "code"):
            if not isinstance(data.get(name), str):
                raise ProblemError(f"{where}: field {name!r} must be text")
        if data["problem_id"] not in by_id:
            raise ProblemError(
                f"{where}: field 'problem_id': {data['problem_id']!r} is not in the problems file"
            )
        solution_id = data.get("solution_id")
        solution_id = str(i) if solution_id is None else solution_id
        yield {"problem_id": data["problem_id"], "code": data["code"], "solution_id": solution_id}
