"""CodeContests (deepmind/code_contests): tests as structs of lists, enums as numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pipelines.problem import (
    Problem,
    ProblemError,
    Provenance,
    Solution,
    TestCase,
    TestKind,
    require_text,
)
from pipelines.sources.io_tests import MAX_SOLUTIONS, io_tests, mebibytes, seconds
from pipelines.sources.location import Location
from pipelines.sources.rows import Row, read_rows, with_tests
from pipelines.stage import Decision

PARSER = "code_contests/1"
LICENCE = "CC-BY-4.0 (CodeContests)"
_SOURCES = ("unknown", "codechef", "codeforces", "hackerearth", "codejam", "atcoder", "aizu")
_LANGUAGES = ("unknown", "python2", "cpp", "python", "java")
_TESTS: tuple[tuple[str, TestKind], ...] = (
    ("public_tests", "sample"),
    ("private_tests", "hidden"),
    ("generated_tests", "generated"),
)


def read(path: Location | None) -> Iterator[Decision]:
    """Problems of CodeContests rows."""
    assert path is not None  # the registry asks for one

    def parse(data: dict[str, Any], row: Row) -> Decision:
        return with_tests(_problem(data, row), path, row)

    return read_rows(path, "code_contests", parse, _id)


def _id(data: dict[str, Any]) -> str:
    return re.sub(r"[^\w.-]+", "_", require_text(data["name"], "name")).strip("_")


def _problem(data: dict[str, Any], row: Row) -> Problem:
    tests: list[TestCase] = []
    for column, kind in _TESTS:
        pairs = data.get(column) or {}
        if not isinstance(pairs, dict):
            raise ProblemError(f"field {column!r}: expected an object of two lists")
        tests += io_tests(pairs.get("input"), pairs.get("output"), None, kind)
    judge = _enum(data.get("source"), _SOURCES, "source")
    contest, index = data.get("cf_contest_id"), data.get("cf_index")
    url = ""
    if judge == "codeforces" and contest and index:
        url = f"https://codeforces.com/problemset/problem/{contest}/{index}"
    statement = require_text(data["description"], "description")
    flags = []
    if "<image>" in statement:
        flags.append("needs_image")
    if data.get("input_file") or data.get("output_file"):
        flags.append("file_io")
    if data.get("is_description_translated"):
        flags.append("translated")
    rating = data.get("cf_rating")
    return Problem(
        id=f"code_contests/{_id(data)}",
        title=re.sub(r"^\d+_[A-Z]\d?\.\s+", "", data["name"]),
        statement=statement,
        url=url,
        tests=tuple(tests),
        time_limit_s=seconds(data.get("time_limit")),
        memory_limit_mb=mebibytes(data.get("memory_limit_bytes")),
        rating=float(rating) if isinstance(rating, int | float) and rating > 0 else None,
        tags=tuple(str(t) for t in data.get("cf_tags") or () if t),
        flags=tuple(flags),
        licence=LICENCE,
        provenance=Provenance(row.origin, None, row.sha256, PARSER),
        solutions=(
            *_solutions(data.get("solutions"), "accepted"),
            *_solutions(data.get("incorrect_solutions"), "rejected"),
        ),
    )


def _solutions(value: Any, expected: Any) -> tuple[Solution, ...]:
    """Python 3 programs first: they are the ones that can be run."""
    if not value:
        return ()
    codes, languages = value.get("solution") or [], value.get("language") or []
    if len(codes) != len(languages):
        raise ProblemError(f"field 'solutions': {len(codes)} codes, {len(languages)} languages")
    found = [
        Solution(require_text(c, "solutions"), expected, _enum(g, _LANGUAGES, "language"), "")
        for c, g in zip(codes, languages, strict=True)
    ]
    return tuple(sorted(found, key=lambda s: s.language != "python")[:MAX_SOLUTIONS])


def _enum(value: Any, names: tuple[str, ...], field: str) -> str:
    """The name of a ClassLabel number; a name stays."""
    if isinstance(value, str):
        return {"PYTHON3": "python", "PYTHON": "python2"}.get(value, value.lower())
    if value is None:
        return names[0]
    if isinstance(value, int) and 0 <= value < len(names):
        return names[value]
    raise ProblemError(f"field {field!r}: {value!r} is not 0 to {len(names) - 1}")
