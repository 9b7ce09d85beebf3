"""What `microcoder judge` and `evaluate` read: problems, and solutions of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pipelines.config import ConfigError
from pipelines.formats import problem_from_json
from pipelines.problem import Problem, ProblemError, decode_utf8, require_text
from pipelines.shards import MissingInputError, Shards, check_file_target
from pipelines.sources.rows import iter_lines


class Answer(NamedTuple):
    """A solution to judge; `problem_id` as its file spells it."""

    problem: Problem
    problem_id: str
    code: str
    solution_id: str | int


def read_inputs(
    problems: Path, solutions: Path, out: Path | None
) -> tuple[dict[str, Problem], list[Answer]]:
    """The problems by every id that names them, and the solutions; `out` is checked before
    anything is judged. ProblemError names the file, the line and the field that is wrong."""
    if problems.exists() and not problems.is_dir():
        _check_file(problems)
    elif not problems.exists():
        raise MissingInputError(f"{problems}: no such file or folder")
    _check_file(solutions)
    if out is not None:
        if str(out) == "-":
            raise ConfigError("--out -: the result goes into a file of its own; name one")
        if out.resolve() in (problems.resolve(), solutions.resolve()):
            raise ConfigError(f"--out {out} is an input; choose another name")
        check_file_target(out)
    by_id = {p.id: p for p in _problems(problems)}
    if not by_id:
        raise ProblemError(f"{problems}: no problems in it")
    by_id |= {p.id.partition("/")[2]: p for p in by_id.values() if p.source == "jsonl"}
    answers = list(_answers(solutions, by_id))
    if not answers:
        raise ProblemError(f"{solutions}: no solutions in it")
    return by_id, answers


def _check_file(path: Path) -> None:
    if path.is_dir():
        raise MissingInputError(f"{path}: is a folder; give one JSONL file")
    if not path.exists():
        raise MissingInputError(f"{path}: no such file")
    if not path.is_file():
        raise MissingInputError(f"{path}: is not a regular file; save it to one first")


def _objects(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for row in iter_lines(path):
        where = f"{path}: line {row.number}"
        if row.error:
            raise ProblemError(f"{where}: {row.error}")
        try:
            data = json.loads(decode_utf8(row.raw, where))
        except json.JSONDecodeError as e:
            spread = row.number == 1 and row.raw.strip() in (b"{", b"[", b"[{")
            remedy = "; put each object on one line (JSONL)" if spread else ""
            raise ProblemError(f"{where}: not JSON: {e.msg} at column {e.colno}{remedy}") from None
        except RecursionError:
            raise ProblemError(f"{where}: JSON nested too deeply") from None
        if not isinstance(data, dict):
            raise ProblemError(
                f"{where}: expected a JSON object, found {type(data).__name__}; "
                "put one object on each line (JSONL)"
            )
        yield where, data


def _problems(path: Path) -> Iterator[Problem]:
    if path.is_dir() or _is_parquet(path):
        yield from Shards([path])
        return
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


def _is_parquet(path: Path) -> bool:
    with path.open("rb") as f:
        return f.read(4) == b"PAR1"


def _answers(path: Path, by_id: dict[str, Problem]) -> Iterator[Answer]:
    if _is_parquet(path):
        raise ProblemError(f"{path}: is Parquet; solutions are read from JSONL")
    seen: set[tuple[str, str | int]] = set()
    for i, (where, data) in enumerate(_objects(path)):
        try:
            answer = _answer(data, i, by_id)
        except ProblemError as e:
            raise ProblemError(f"{where}: {e}") from None
        key = (answer.problem.id, answer.solution_id)
        if key in seen:
            raise ProblemError(
                f"{where}: field 'solution_id': {answer.solution_id!r} stands twice for problem "
                f"{answer.problem_id!r}"
            )
        seen.add(key)
        yield answer


def _answer(data: dict[str, Any], row: int, by_id: dict[str, Problem]) -> Answer:
    for name in ("problem_id", "code"):
        if name not in data:
            raise ProblemError(f"field {name!r} is missing")
    problem_id = require_text(data["problem_id"], "problem_id")
    if problem_id not in by_id:
        raise ProblemError(f"field 'problem_id': {problem_id!r} is not in the problems file")
    code = data["code"]
    if not isinstance(code, str):  # a surrogate in it is the program's own syntax error
        require_text(code, "code")
    solution_id = data.get("solution_id")
    if solution_id is None:
        solution_id = str(row)
    elif isinstance(solution_id, bool) or not isinstance(solution_id, int):
        solution_id = require_text(solution_id, "solution_id")
    return Answer(by_id[problem_id], problem_id, code, solution_id)
