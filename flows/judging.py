"""`microcoder judge`: JSONL files in, JSONL verdicts out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from evaluator.judge import Judge, JudgeResult
from pipelines.config import ConfigError
from pipelines.formats import problem_from_json
from pipelines.problem import Problem, ProblemError, decode_utf8
from pipelines.shards import MissingInputError, atomic_path, check_file_target
from pipelines.sources.rows import iter_lines
from pipelines.stage import Progress


def judge_files(
    problems: Path,
    solutions: Path,
    out: Path,
    workers: int | None,
    policy: Literal["robust", "strict"],
    progress: Progress,
) -> Counter[str]:
    """Judge every solution; `out` gets one verdict a line in the order of the solutions, and
    appears only when it is whole. Returns the number of each verdict.

    Raises ProblemError naming file and line for a malformed row: a verdict file with silent gaps
    would be worse than none.
    """
    for given in (problems, solutions):
        if not given.is_file():
            raise MissingInputError(f"{given}: no such file")
        if out.resolve() == given.resolve():
            raise ConfigError(f"--out {out} is an input; choose another name")
    check_file_target(out.resolve())
    by_id = {p.id: p for p in _problems(problems)}
    by_id |= {p.id.partition("/")[2]: p for p in by_id.values() if p.source == "jsonl"}
    rows = list(_solutions(solutions, by_id))
    counts: Counter[str] = Counter()
    with atomic_path(out) as tmp, tmp.open("w", encoding="utf-8") as f:
        progress("judge", 0, len(rows))
        for done, (row, result) in enumerate(_in_order(rows, by_id, workers, policy), 1):
            verdict = result.to_json() | {
                "problem_id": row["problem_id"],
                "solution_id": row["solution_id"],
            }
            f.write(json.dumps(verdict, ensure_ascii=False) + "\n")
            counts[result.verdict] += 1
            progress("judge", done, len(rows), result.verdict)
    return counts


def _in_order(
    rows: list[dict[str, Any]],
    by_id: dict[str, Problem],
    workers: int | None,
    policy: Literal["robust", "strict"],
) -> Iterator[tuple[dict[str, Any], JudgeResult]]:
    """Results in the order of the rows, though they finish in any order."""
    waiting: dict[int, JudgeResult] = {}
    following = 0
    with Judge(workers=workers, policy=policy, all_tests=True) as judge:
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
