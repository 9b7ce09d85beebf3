"""Problems in MicroCoder's own JSONL form, plain or gzip: the fields of docs/formats.md."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from pipelines.formats import problem_from_json
from pipelines.problem import Provenance
from pipelines.sources.rows import Row, read_rows, with_tests
from pipelines.stage import Decision

PARSER = "jsonl/1"


def read(path: Path | None) -> Iterator[Decision]:
    """Problems of a JSONL file, e.g. `read(Path("problems.jsonl"))`."""
    assert path is not None  # the registry asks for one

    def parse(data: dict[str, Any], row: Row) -> Decision:
        origin = Provenance(f"{path}:{row.number}", None, row.sha256, PARSER)
        return with_tests(replace(problem_from_json(data, "jsonl"), provenance=origin), path, row)

    return read_rows(path, "jsonl", parse, lambda d: d.get("id"))
