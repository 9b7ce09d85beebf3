"""JSONL and Parquet files of anybody, read and written row by row without the toolkit's schema."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from curation.decon_items import ColumnError
from pipelines.problem import ProblemError, decode_utf8
from pipelines.sources.rows import iter_lines

T = TypeVar("T")
BATCH_ROWS = 512


@dataclass(frozen=True, slots=True)
class TableRow:
    """Row `number` (from 1) of a file. `data` is None and `error` set for a row that can't be
    read; `raw` is the line of a JSONL file."""

    number: int
    data: dict[str, Any] | None
    raw: bytes = b""
    error: str = ""


def is_parquet(path: Path) -> bool:
    """Whether the file's first bytes say Parquet."""
    with path.open("rb") as f:
        return f.read(4) == b"PAR1"


def table_columns(path: Path) -> list[str]:
    """The columns: of a Parquet file its schema's, of a JSONL file those of its first good row.
    Raises ColumnError for a file without any."""
    if is_parquet(path):
        import pyarrow.parquet as pq

        return list(pq.ParquetFile(path).schema_arrow.names)
    error = "the file is empty"
    for row in iter_jsonl(path):
        if row.data is not None:
            return list(row.data)
        error = error if row.number > 1 else f"line 1: {row.error}"
    raise ColumnError(f"{path}: no rows ({error}); give JSONL (one object a line) or Parquet")


def iter_jsonl(path: Path) -> Iterator[TableRow]:
    """Rows of a JSONL[.gz] file; one that is no JSON object comes with its error."""
    for line in iter_lines(path):
        try:
            if line.error:
                raise ProblemError(line.error)
            data = json.loads(decode_utf8(line.raw, f"line {line.number}"))
            if not isinstance(data, dict):
                raise ProblemError(f"expected a JSON object, found {type(data).__name__}")
        except (ProblemError, ValueError, RecursionError) as e:
            yield TableRow(line.number, None, line.raw, str(e) or type(e).__name__)
        else:
            yield TableRow(line.number, data, line.raw)


def iter_parquet(path: Path, columns: list[str] | None = None) -> Iterator[TableRow]:
    """Rows of a Parquet file, of the named top-level columns only."""
    import pyarrow.parquet as pq

    number = 0
    for batch in pq.ParquetFile(path).iter_batches(batch_size=BATCH_ROWS, columns=columns):
        for data in batch.to_pylist():
            number += 1
            yield TableRow(number, data)


def iter_table(path: Path) -> Iterator[TableRow]:
    """Rows of a JSONL[.gz] or Parquet file."""
    return iter_parquet(path) if is_parquet(path) else iter_jsonl(path)


def batched(values: Iterable[T], size: int) -> Iterator[list[T]]:
    """Lists of up to `size` values (itertools.batched is of Python 3.12).

    >>> list(batched("abc", 2))
    [['a', 'b'], ['c']]
    """
    source = iter(values)
    while batch := list(islice(source, size)):
        yield batch
