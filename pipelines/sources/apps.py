"""APPS (codeparrot/apps): `problem_id` begins at 0 in both splits: the split is part of the id."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pipelines.sources import taco
from pipelines.sources.io_tests import content_id
from pipelines.sources.location import Location
from pipelines.sources.rows import Row, read_rows, with_tests
from pipelines.stage import Decision

PARSER = "apps/1"
LICENCE = "MIT (APPS); statement rights with the platform"


def read(path: Location | None) -> Iterator[Decision]:
    """Problems of APPS rows. Where neither file nor data set names a split, a row's id comes from
    its text."""
    assert path is not None  # the registry asks for one

    def parse(data: dict[str, Any], row: Row) -> Decision:
        number = data.get("problem_id", data.get("id"))
        native = f"{row.split}-{number}"
        if number is None or not row.split:
            native = content_id(str(data["question"]))
        found = taco.problem(data, row, "apps", PARSER, LICENCE, native)
        return with_tests(found, path, row)

    return read_rows(path, "apps", parse, lambda d: d.get("problem_id"))
