"""The funnel source by source: what came in, what is left, and why the rest went.

Made from the finished stage folders alone (shards, dropped shards, manifests), column by column:
of the tests only their kinds are read, so that gigabytes of inputs stay on the disk.
"""

from __future__ import annotations

import datetime as dt
import json
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from pipelines.shards import MANIFEST, read_manifest

EXAMPLES = 3
_EVIDENCE_CHARS = 160
_RATING_STEP = 400


@dataclass(slots=True)
class Shape:
    """What the problems of a source look like at one place of the funnel."""

    problems: int = 0
    tests: list[int] = field(default_factory=list)
    levels: Counter[str] = field(default_factory=Counter)
    first: dt.date | None = None
    last: dt.date | None = None
    undated: int = 0

    def add(self, row: dict[str, Any]) -> None:
        """Count one row (columns level, rating, released_at, tests)."""
        self.problems += 1
        self.tests.append(len(row["tests"]))
        self.levels[_level(row)] += 1
        date = row["released_at"]
        if date is None:
            self.undated += 1
        else:
            self.first = min(self.first or date, date)
            self.last = max(self.last or date, date)

    @property
    def tests_text(self) -> str:
        """Tests a problem: median (fewest to most).

        >>> Shape(tests=[1, 3, 50]).tests_text
        '3 (1 to 50)'
        """
        if not self.tests:
            return ""
        return f"{statistics.median_low(self.tests)} ({min(self.tests)} to {max(self.tests)})"

    @property
    def levels_text(self) -> str:
        """Levels with their counts, the unknown last.

        >>> Shape(levels=Counter({"": 1, "Hard": 2, "Easy": 3})).levels_text
        'Easy 3, Hard 2, unknown 1'
        """
        known = sorted((k, n) for k, n in self.levels.items() if k)
        unknown = [("unknown", self.levels[""])] if self.levels[""] and known else []
        return ", ".join(f"{k} {n}" for k, n in [*known, *unknown])

    @property
    def dates_text(self) -> str:
        """First and last release, and how many have none."""
        if self.first is None:
            return ""
        undated = f", {self.undated} undated" if self.undated else ""
        return f"{self.first} to {self.last}{undated}"


@dataclass(frozen=True, slots=True)
class Loss:
    """`count` rows of a source that a stage dropped for `reason`; `examples` are the first three
    as (id, evidence)."""

    stage: str
    reason: str
    count: int
    examples: tuple[tuple[str, str], ...]


@dataclass(slots=True)
class SourceFunnel:
    """One source. rows = kept + the counts of `losses`. `before` is after the first stage (what
    could be read at all), `after` after the last finished one."""

    source: str
    before: Shape = field(default_factory=Shape)
    after: Shape = field(default_factory=Shape)
    losses: list[Loss] = field(default_factory=list)

    @property
    def rows(self) -> int:
        """Rows read, those refused by the reader included."""
        return self.kept + sum(loss.count for loss in self.losses)

    @property
    def kept(self) -> int:
        """Rows left after the last finished stage."""
        return self.after.problems

    def lost(self, stage: str) -> int:
        """Rows that the named stage dropped."""
        return sum(loss.count for loss in self.losses if loss.stage == stage)


def funnel_by_source(folders: Sequence[Path]) -> list[SourceFunnel]:
    """The funnel of the stage folders, given in their order, a source a row (by name).

    >>> funnel_by_source([])
    []
    """
    sources: dict[str, SourceFunnel] = {}

    def of(name: str) -> SourceFunnel:
        return sources.setdefault(name, SourceFunnel(name))

    if not folders:
        return []
    columns = ["source", "level", "rating", "released_at", "tests.list.element.kind"]
    for place, folder in (("before", folders[0]), ("after", folders[-1])):
        for row in kept_rows(folder, columns):
            getattr(of(row["source"]), place).add(row)
    for folder in folders:
        counts: Counter[tuple[str, str]] = Counter()
        examples: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
        stage = folder.name
        for row in dropped_rows(folder, ["id", "stage", "reason", "evidence"]):
            key, stage = (row["id"].partition("/")[0], row["reason"]), row["stage"]
            counts[key] += 1
            if len(examples[key]) < EXAMPLES:
                examples[key].append((row["id"], evidence_text(row["evidence"])))
        for (source, reason), count in sorted(counts.items()):
            shown = tuple(examples[source, reason])
            of(source).losses.append(Loss(stage, reason, count, shown))
    return [sources[name] for name in sorted(sources)]


def run_folders(run: Path) -> list[Path]:
    """The finished stage folders of a run in their order, without the published dataset (which
    holds the rows of the stage before it)."""
    path = run / "funnel.json"
    if not path.exists():
        return []
    named = [run / row["out"] for row in json.loads(path.read_text("utf-8"))]
    return [p for p in named if (p / MANIFEST).exists() and p.name != "dataset"]


def kept_rows(folder: Path, columns: list[str]) -> Iterator[dict[str, Any]]:
    """Rows of a stage's kept shards; columns may be leaves like `tests.list.element.kind`."""
    return _rows(folder, read_manifest(folder).get("shards", []), columns)


def dropped_rows(folder: Path, columns: list[str]) -> Iterator[dict[str, Any]]:
    """Rows of a stage's dropped shards."""
    return _rows(folder, read_manifest(folder).get("dropped_shards", []), columns)


def _rows(
    folder: Path, infos: Sequence[dict[str, Any]], columns: list[str]
) -> Iterator[dict[str, Any]]:
    for info in infos:
        with pq.ParquetFile(folder / info["name"]) as file:
            for batch in file.iter_batches(batch_size=1024, columns=columns):
                yield from batch.to_pylist()


def evidence_text(evidence: str, chars: int = _EVIDENCE_CHARS) -> str:
    """Evidence (a JSON object) on one line.

    >>> evidence_text('{"of": "a/b", "kind": "near"}')
    'of a/b, kind near'
    """
    data = json.loads(evidence) if evidence else {}
    parts = (f"{k} {v if isinstance(v, str) else json.dumps(v)}" for k, v in data.items())
    text = " ".join(", ".join(parts).split())
    return text if len(text) <= chars else text[: chars - 1] + "…"


def _level(row: dict[str, Any]) -> str:
    if row["level"]:
        return str(row["level"])
    if row["rating"] is None:
        return ""
    low = int(row["rating"] // _RATING_STEP * _RATING_STEP)
    return f"{low:04d}-{low + _RATING_STEP - 1:04d}" if low >= 0 else f"{low}"
