"""Reading rows of JSONL and Parquet files, of folders of them, and of data sets on the Hub, so that
a bad row costs that row and nothing else, and memory holds a few rows at a time."""

from __future__ import annotations

import codecs
import functools
import gzip
import hashlib
import json
import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pipelines.problem import Dropped, Problem, ProblemError, decode_utf8
from pipelines.sources.location import HubPath, Location, SourceError, split_of
from pipelines.stage import Decision

#: One JSONL line may not be longer: LiveCodeBench's largest decoded row is far below.
MAX_LINE = 512 * 2**20

# Contest data holds integers of more than 4,300 digits, which json.loads refuses by default.
sys.set_int_max_str_digits(0)


#: Rows of a Parquet file that are decoded at a time: one of DeepCoder's takes several MB.
PARQUET_ROWS = 8
#: Files that a folder is read for, in the order of their names.
_SUFFIXES = (".jsonl", ".jsonl.gz", ".parquet")


@dataclass(frozen=True, slots=True)
class Row:
    """Row `number` (from 1) of `file`, as bytes: the line of a JSONL file; of a Parquet file or a
    Hub data set the row as JSON, beside its values in `data`. `error` is set instead of `raw`
    being complete when the file itself broke at this place (truncated or corrupt). `split` is
    what the file or data set calls it ("train"), where it says."""

    number: int
    raw: bytes
    error: str | None = None
    file: str = ""
    data: dict[str, Any] | None = None
    split: str = ""

    @property
    def sha256(self) -> str:
        """Hex sha256 of the raw line without its line end."""
        return hashlib.sha256(self.raw).hexdigest()

    @property
    def origin(self) -> str:
        """Where the row stands: `file:number`."""
        return f"{self.file}:{self.number}"

    def values(self) -> dict[str, Any]:
        """The row's fields. Raises JSONDecodeError or ProblemError for a line that has none."""
        data = self.data
        if data is None:
            data = json.loads(decode_utf8(self.raw, f"line {self.number}"))
        if not isinstance(data, dict):
            raise ProblemError(f"expected a JSON object, found {type(data).__name__}")
        return data


def iter_rows(path: Location) -> Iterator[Row]:
    """Rows of a JSONL[.gz] or Parquet file (told by its first bytes), of every such file below a
    folder, or of a data set on the Hub. A file that breaks yields its good rows, then one Row with
    `error`. SourceError for a folder without such files and for a Hub that can't be reached."""
    if isinstance(path, HubPath):
        yield from _hub_rows(path)
        return
    files = table_files(path) if path.is_dir() else [path]
    if not files:
        raise SourceError(f"{path}: the folder holds no {', '.join(_SUFFIXES)} file")
    for file in files:
        split = split_of(str(file))
        with file.open("rb") as probe:
            parquet = probe.read(4) == b"PAR1"
        if parquet:
            with file.open("rb") as f:
                yield from _parquet_rows(f, str(file), split)
        else:
            for row in iter_lines(file):
                yield replace(row, split=split)


def table_files(folder: Path) -> list[Path]:
    """The JSONL and Parquet files below a folder, by name; hidden ones and open-r1's
    `generated_tests` (read beside the rows they belong to) are left out."""
    found = (p for p in folder.rglob("*") if p.is_file() and p.name.endswith(_SUFFIXES))
    return sorted(
        p
        for p in found
        if not any(
            part.startswith(".") or part == "generated_tests"
            for part in p.relative_to(folder).parts
        )
    )


def iter_lines(path: Path) -> Iterator[Row]:
    """Non-empty lines of a plain or gzip file, without a byte-order mark. A broken gzip yields
    its good lines, then one Row with `error`. Raises SourceError for a folder."""
    if path.is_dir():
        raise SourceError(f"{path}: is a folder; give one file")
    with path.open("rb") as f:
        yield from _stream_lines(f, str(path))


def _stream_lines(stream: Any, name: str) -> Iterator[Row]:
    zipped = stream.read(2) == b"\x1f\x8b"
    stream.seek(0)
    lines = gzip.GzipFile(fileobj=stream) if zipped else stream
    number = 0
    while True:
        try:
            line = lines.readline(MAX_LINE)
        except (EOFError, OSError, zlib.error) as e:
            what = "gzip stream is truncated or corrupt" if zipped else "the file can't be read"
            yield Row(number + 1, b"", f"{what} ({e})", name)
            return
        if not line:
            return
        number += 1
        if number == 1:
            line = line.removeprefix(codecs.BOM_UTF8)
        body = line.rstrip(b"\r\n")
        if body.strip():
            yield Row(number, body, file=name)


def _parquet_rows(stream: Any, name: str, split: str) -> Iterator[Row]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 0
    try:
        # pages are read as they are needed, not a column chunk at a time
        file = pq.ParquetFile(stream, buffer_size=1 << 20, pre_buffer=False)
        for batch in file.iter_batches(PARQUET_ROWS, use_threads=False):
            for i in range(batch.num_rows):
                number += 1
                values = functools.partial(_nth, batch, i)
                yield _table_row(number, values, name, split)
    except (pa.ArrowException, OSError) as e:
        said = " ".join(str(e).split())[:300]
        yield Row(number + 1, b"", f"the Parquet file is truncated or corrupt ({said})", name)


def _nth(batch: Any, i: int) -> dict[str, Any]:
    return dict(batch.slice(i, 1).to_pylist()[0])


def _table_row(number: int, values: Callable[[], dict[str, Any]], name: str, split: str) -> Row:
    try:
        data = values()
    except UnicodeDecodeError as e:  # Arrow does not check the text it reads
        return Row(number, bytes(e.object), f"text that is not UTF-8 ({e.reason})", name)
    text = json.dumps(data, ensure_ascii=False, sort_keys=True, default=str)
    return Row(number, text.encode("utf-8", "surrogatepass"), None, name, data, split)


def _hub_rows(path: HubPath) -> Iterator[Row]:
    if path.file:
        with path.open_file() as stream:
            split = split_of(path.file)
            if path.file.endswith(".parquet"):
                yield from _parquet_rows(stream, str(path), split)
            else:
                for row in _stream_lines(stream, str(path)):
                    yield replace(row, split=split)
        return
    for number, (split, data) in enumerate(path.rows(), 1):
        values = functools.partial(dict[str, Any], data)
        yield _table_row(number, values, str(path), split_of(split) or split)


class Refused(ProblemError):
    """A row that is left out for a reason of its own; `problem`, where one could be made."""

    def __init__(self, reason: str, error: str, problem: Problem | None = None) -> None:
        super().__init__(error)
        self.reason = reason
        self.problem = problem


def read_rows(
    path: Location,
    source: str,
    parse: Callable[[dict[str, Any], Row], Decision],
    row_id: Callable[[dict[str, Any]], Any],
) -> Iterator[Decision]:
    """Problems of a file, folder or Hub data set through `parse`, which may raise ProblemError (or
    the KeyError, TypeError, ValueError of a row of the wrong shape). `row_id` gives the native id
    for the record of a dropped row."""
    for row in iter_rows(path):
        native: Any = f"row-{row.number}"
        try:
            if row.error:
                reason = "invalid_utf8" if "UTF-8" in row.error else "broken_file"
                yield refuse(source, native, reason, row.error, path, row)
                continue
            data = row.values()
            native = row_id(data) or native
            yield parse(data, row)
        except json.JSONDecodeError as e:
            yield refuse(source, native, "not_json", f"{e.msg} at column {e.colno}", path, row)
        except Refused as e:
            dropped = refuse(source, native, e.reason, str(e), path, row)
            yield replace(dropped, problem=e.problem) if e.problem else dropped
        except ProblemError as e:
            reason = "invalid_utf8" if "UTF-8" in str(e) else "bad_row"
            yield refuse(source, native, reason, str(e), path, row)
        except KeyError as e:
            yield refuse(source, native, "bad_row", f"field {e} is missing", path, row)
        except (TypeError, ValueError, AttributeError, RecursionError) as e:
            yield refuse(source, native, "bad_row", f"{type(e).__name__}: {e}", path, row)


def refuse(
    source: str, native: Any, reason: str, error: str, path: Location, row: Row | None = None
) -> Dropped:
    """A Dropped row of the import stage: which file, which row, what is wrong, what to do."""
    file = (row.file if row is not None else "") or str(path)
    evidence: dict[str, Any] = {"file": file, "error": error}
    if row is not None:
        evidence["row"] = row.number
    evidence["remedy"] = REMEDIES.get(reason, "correct or remove the row and import again")
    return Dropped(
        id=f"{source}/{native}",
        stage="import",
        reason=reason,
        evidence=evidence,
        origin=f"{file}:{row.number}" if row is not None else file,
        raw=row.raw if row is not None else None,
    )


REMEDIES = {
    "broken_file": "fetch the file again; the rows before this one were imported",
    "not_json": "the line must be one JSON object; correct or remove it",
    "invalid_utf8": "convert the file to UTF-8",
    "no_tests": "add at least one test with an expected output",
    "interactive": "interactive problems can't be judged yet; leave it out",
    "uneven_tests": "get the row again: which output belongs to which input is not known",
    "mixed_tests": "split the row: its tests are partly of a function and partly of a program",
    "unsupported": "nothing to mend: the evaluator can't judge this kind yet",
    "pickle_refused": "only a plain string is read out of a pickle; get the row as JSON",
}


def with_tests(problem: Problem, path: Location, row: Row | None = None) -> Decision:
    """The problem, or a refusal when it has no tests (an empty list accepts every program)."""
    if problem.tests:
        return problem
    native = problem.id.partition("/")[2]
    dropped = refuse(problem.source, native, "no_tests", "the test list is empty", path, row)
    return Dropped(
        dropped.id, "import", "no_tests", dropped.evidence, dropped.origin, problem, dropped.raw
    )
