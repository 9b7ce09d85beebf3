"""TACO (BAAI/TACO) and its descendants: every column is text, some of it JSON, some Python.

`input_output` is {inputs, outputs[, fn_name]}: with `fn_name` the row is a function problem, which
a public loader loses (each such row is then graded as a program and can never be solved).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any

from pipelines.problem import Problem, ProblemError, Provenance, require_text
from pipelines.sources.io_tests import (
    content_id,
    decoded,
    io_tests,
    mebibytes,
    seconds,
    solutions,
)
from pipelines.sources.location import Location
from pipelines.sources.rows import Row, read_rows, with_tests
from pipelines.stage import Decision

PARSER = "taco/1"
LICENCE = "Apache-2.0 (TACO); statement rights with the platform"


def read(path: Location | None) -> Iterator[Decision]:
    """Problems of TACO rows."""
    assert path is not None  # the registry asks for one

    def parse(data: dict[str, Any], row: Row) -> Decision:
        return with_tests(problem(data, row, "taco", PARSER, LICENCE, _id(data)), path, row)

    return read_rows(path, "taco", parse, _id)


def _id(data: dict[str, Any]) -> str:
    return content_id(require_text(data["question"], "question"))


def problem(
    data: dict[str, Any], row: Row, source: str, parser: str, licence: str, native: str
) -> Problem:
    """The problem of a row of TACO's or APPS' columns."""
    fn_name, tests = _tests(data.get("input_output"))
    level = str(data.get("difficulty") or "")
    codes = decoded(data.get("solutions"), "solutions")
    tags = decoded(data.get("tags") or data.get("raw_tags"), "tags")
    return Problem(
        id=f"{source}/{native}",
        title=str(data.get("name") or ""),
        statement=require_text(data["question"], "question"),
        url=str(data.get("url") or ""),
        starter_code=str(data.get("starter_code") or ""),
        fn_name=fn_name,
        tests=tests,
        time_limit_s=seconds(data.get("time_limit")),
        memory_limit_mb=mebibytes(data.get("memory_limit")),
        level=None if level in ("", "UNKNOWN_DIFFICULTY") else level,
        tags=tuple(str(t) for t in tags) if isinstance(tags, list) else (),
        released_at=_date(data.get("date")),
        licence=licence,
        provenance=Provenance(row.origin, None, row.sha256, parser),
        solutions=solutions(codes, origin=source),
    )


def _tests(value: Any) -> tuple[str | None, Any]:
    tests = decoded(value, "input_output")
    if tests is None:
        return None, ()
    if not isinstance(tests, dict):
        raise ProblemError("field 'input_output': expected an object with inputs and outputs")
    fn_name = tests.get("fn_name") or None
    if fn_name is not None:
        require_text(fn_name, "input_output.fn_name")
    return fn_name, io_tests(tests.get("inputs"), tests.get("outputs"), fn_name)


def _date(value: Any) -> dt.date | None:
    try:
        return dt.date.fromisoformat(str(value)[:10])
    except ValueError:
        return None
