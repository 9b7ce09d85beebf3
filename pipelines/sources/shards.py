"""Problem shards as a source: what `microcoder crawl`, `import` or any stage wrote."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pipelines.problem import Problem
from pipelines.shards import MANIFEST, Shards
from pipelines.sources import SourceError
from pipelines.stage import Decision


def read(path: Path | None) -> Iterator[Decision]:
    """The kept problems of a shard folder, of a Parquet file, or of a crawl folder (its
    `problems/`)."""
    assert path is not None  # the registry asks for one
    if path.is_dir() and not (path / MANIFEST).is_file():
        inner = path / "problems"
        if not (inner / MANIFEST).is_file():
            raise SourceError(f"{path}: neither a shard folder ({MANIFEST}) nor a crawl folder")
        path = inner
    for row in Shards([path]).rows():
        yield Problem.from_row(row)
