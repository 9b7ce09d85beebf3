"""Decontaminate anybody's JSONL and Parquet files: the same rows out, in the same format.

OUT/kept/NAME and OUT/dropped/NAME hold a file's rows as they came (lines byte for byte, Parquet
with its schema), OUT/verdicts.jsonl one line for every row that was dropped or flagged, with the
signals and the evidence, and OUT/report.json the figures.
"""

from __future__ import annotations

import contextlib
import gzip
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from curation.benchmark import Benchmark
from curation.decon_embedding import neighbours
from curation.decon_items import Item, choose_columns, column_value, row_item
from curation.decon_match import Nearest, Verdict, match
from curation.decon_tables import (
    BATCH_ROWS,
    TableRow,
    batched,
    is_parquet,
    iter_jsonl,
    iter_table,
    table_columns,
)
from curation.decontaminate import (
    DecontaminateConfig,
    Tally,
    load_benchmarks,
    reason_to_drop,
    weigh_by_corpus,
)
from pipelines.config import ConfigError
from pipelines.problem import ProblemError
from pipelines.shards import atomic_path, write_json_atomic
from pipelines.stage import Progress, no_progress

if TYPE_CHECKING:
    import pyarrow as pa

#: Parquet rows are gathered to about this many bytes before a row group is written.
_ROW_GROUP_BYTES = 32 * 2**20


def decontaminate_files(
    inputs: Sequence[Path],
    out: Path,
    config: DecontaminateConfig | None = None,
    columns: Mapping[str, str] | None = None,
    source: str = "row",
    progress: Progress = no_progress,
) -> dict[str, Any]:
    """Split the rows of files into kept and dropped; returns the report. `columns`: field ->
    column, where the names don't say it; `source`: the judge or data set the ids are of. Raises
    BenchmarkError, ColumnError or ConfigError before anything is written. A row that can't be
    read is dropped as `bad_row`.

    >>> decontaminate_files([Path("train.jsonl")], Path("clean"))  # doctest: +SKIP
    """
    config = config or DecontaminateConfig()
    _check(inputs, out)
    chosen = {p: choose_columns(table_columns(p), columns or {}, str(p)) for p in inputs}
    benchmarks = load_benchmarks(config)
    nearest = neighbours(benchmarks, config.embedding_model)
    if config.corpus_weights:
        weigh_by_corpus(benchmarks, _statements(chosen))
    for folder in (out / "kept", out / "dropped"):
        folder.mkdir(parents=True, exist_ok=True)
    with atomic_path(out / "verdicts.jsonl") as tmp, tmp.open("w", encoding="utf-8") as verdicts:
        screen = _Screen(benchmarks, config, source, verdicts, progress, nearest)
        for path in inputs:
            screen.file, screen.columns = path.name, chosen[path]
            targets = out / "kept" / path.name, out / "dropped" / path.name
            split = _split_parquet if is_parquet(path) else _split_jsonl
            split(path, *targets, screen)
    done, reasons, tally = screen.done, screen.reasons, screen.tally
    progress("decontaminate", done, done)
    report = {
        "inputs": [str(p) for p in inputs],
        "columns": {p.name: c for p, c in chosen.items()},
        "rows": done,
        "kept": done - reasons.total(),
        "dropped": dict(sorted(reasons.items())),
        **tally.extra(benchmarks),
        "config": config.model_dump(mode="json"),
    }
    write_json_atomic(out / "report.json", report)
    return report


def _statements(chosen: Mapping[Path, Mapping[str, str]]) -> Iterator[str]:
    for path, columns in chosen.items():
        for row in iter_table(path):
            text = column_value(row.data or {}, columns["statement"])
            if isinstance(text, str):
                yield text


def _check(inputs: Sequence[Path], out: Path) -> None:
    names = Counter(p.name for p in inputs)
    for path in inputs:
        if not path.is_file():
            raise ConfigError(f"input {path}: no such file; give JSONL, JSONL.gz or Parquet files")
        if names[path.name] > 1:
            raise ConfigError(f"two inputs are named {path.name}; their outputs would be one file")
        if path.resolve().is_relative_to(out.resolve()):
            raise ConfigError(f"input {path} lies in the output folder {out}; choose another")
    if out.is_file():
        raise ConfigError(f"output folder {out} is a file; choose another name")


@dataclass(slots=True)
class _Screen:
    """Judges batches of rows of the file in hand, and keeps the books."""

    benchmarks: Sequence[Benchmark]
    config: DecontaminateConfig
    source: str
    verdicts: IO[str]
    progress: Progress
    nearest: Nearest | None = None
    file: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)
    reasons: Counter[str] = field(default_factory=Counter)
    done: int = 0

    def __call__(self, rows: Sequence[TableRow]) -> list[str | None]:
        """Why each row is dropped; None for the kept ones."""
        items, errors = self._items(rows)
        found = match(self.benchmarks, items, self.config, nearest=self.nearest)
        reasons = [self._reason(*parts) for parts in zip(rows, items, errors, found, strict=True)]
        self.reasons.update(reason for reason in reasons if reason)
        self.done += len(rows)
        self.progress("decontaminate", self.done, None)
        return reasons

    def _items(self, rows: Sequence[TableRow]) -> tuple[list[Item], list[str]]:
        """The items of rows, and what is wrong with each ('' for good ones)."""
        items, errors = [], []
        for row in rows:
            item, error = Item(f"row-{row.number}"), row.error
            if row.data is not None:
                try:
                    item = row_item(row.data, self.columns, self.source, row.number)
                except ProblemError as e:
                    error = str(e)
            items.append(item)
            errors.append(error)
        return items, errors

    def _reason(self, row: TableRow, item: Item, error: str, verdict: Verdict | None) -> str | None:
        evidence = verdict.evidence() if verdict else {}
        reason = reason_to_drop(verdict, item.released_at, self.config)
        if error:
            reason, evidence = "bad_row", {"error": error}
        elif reason == "after_cutoff":
            evidence |= {"released_at": item.released_at, "cutoff": self.config.cutoff}
        self.tally.add(verdict, reason)
        self.tally.undated += reason is None and item.released_at is None
        if reason or verdict:
            line = {"file": self.file, "number": row.number, "id": item.id}
            line |= {"reason": reason or "kept_sibling", **evidence}
            print(json.dumps(line, default=str), file=self.verdicts)
        return reason


def _split_jsonl(path: Path, kept: Path, dropped: Path, screen: _Screen) -> None:
    with _line_writer(kept) as keep, _line_writer(dropped) as drop:
        for batch in batched(iter_jsonl(path), BATCH_ROWS):
            _write_lines(batch, screen(batch), keep, drop)


def _write_lines(
    rows: Sequence[TableRow], reasons: Sequence[str | None], keep: IO[bytes], drop: IO[bytes]
) -> None:
    for row, reason in zip(rows, reasons, strict=True):
        (drop if reason else keep).write(row.raw + b"\n")


@contextlib.contextmanager
def _line_writer(path: Path) -> Iterator[IO[bytes]]:
    with atomic_path(path) as tmp, tmp.open("wb") as f:
        if path.suffix != ".gz":
            yield f
            return
        # no name and no time in the header: the same rows give the same bytes
        with gzip.GzipFile("", "wb", 6, f, mtime=0) as zipped:
            yield zipped  # type: ignore[misc]


def _split_parquet(path: Path, kept: Path, dropped: Path, screen: _Screen) -> None:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    file = pq.ParquetFile(path)
    schema = file.schema_arrow
    read = {c for column in screen.columns.values() for c in (column, column.partition(".")[0])}
    wanted = [name for name in schema.names if name in read]
    number = 0
    with _table_writer(kept, schema) as keep, _table_writer(dropped, schema) as drop:
        for batch in file.iter_batches(batch_size=BATCH_ROWS):
            values = batch.select(wanted).to_pylist()
            reasons = screen([TableRow(number + k, data) for k, data in enumerate(values, 1)])
            number += len(values)
            keeps = pa.array([reason is None for reason in reasons], pa.bool_())
            keep(batch.filter(keeps))
            drop(batch.filter(pc.invert(keeps)))


@contextlib.contextmanager
def _table_writer(path: Path, schema: pa.Schema) -> Iterator[Callable[[pa.RecordBatch], None]]:
    """Writes record batches, gathered to row groups."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    waiting: list[pa.RecordBatch] = []
    with atomic_path(path) as tmp, pq.ParquetWriter(tmp, schema, compression="zstd") as writer:

        def flush() -> None:
            if waiting:
                writer.write_table(pa.Table.from_batches(waiting, schema))
                waiting.clear()

        def write(batch: pa.RecordBatch) -> None:
            if batch.num_rows:
                waiting.append(batch)
            if sum(b.nbytes for b in waiting) >= _ROW_GROUP_BYTES:
                flush()

        yield write
        flush()
