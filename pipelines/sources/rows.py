"""Reading rows of JSONL files so that a bad one costs that row and nothing else."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import json
import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipelines.problem import Dropped, Problem, ProblemError, decode_utf8
from pipelines.sources import SourceError
from pipelines.stage import Decision

#: One JSONL line may not be longer: LiveCodeBench's largest decoded row is far below.
MAX_LINE = 512 * 2**20

# Contest data holds integers of more than 4,300 digits, which json.loads refuses by default.
sys.set_int_max_str_digits(0)


@dataclass(frozen=True, slots=True)
class Row:
    """Line `number` (from 1) of a file, as bytes. `error` is set instead of `raw` being complete
    when the file itself broke at this place (truncated or corrupt gzip)."""

    number: int
    raw: bytes
    error: str | None = None

    @property
    def sha256(self) -> str:
        """Hex sha256 of the raw line without its line end."""
        return hashlib.sha256(self.raw).hexdigest()


def iter_lines(path: Path) -> Iterator[Row]:
    """Non-empty lines of a plain or gzip file, without a byte-order mark. A broken gzip yields
    its good lines, then one Row with `error`. Raises SourceError for a folder."""
    if path.is_dir():
        raise SourceError(f"{path}: is a folder; give one file")
    with path.open("rb") as probe:
        zipped = probe.read(2) == b"\x1f\x8b"
    opener: Any = gzip.open if zipped else open
    number = 0
    line = b""
    with opener(path, "rb") as f:
        while True:
            try:
                line = f.readline(MAX_LINE)
            except (EOFError, OSError, zlib.error) as e:
                yield Row(number + 1, b"", f"gzip stream is truncated or corrupt ({e})")
                return
            if not line:
                return
            number += 1
            if number == 1:
                line = line.removeprefix(codecs.BOM_UTF8)
            body = line.rstrip(b"\r\n")
            if body.strip():
                yield Row(number, body)


def read_rows(
    path: Path,
    source: str,
    parse: Callable[[dict[str, Any], Row], Decision],
    row_id: Callable[[dict[str, Any]], Any],
) -> Iterator[Decision]:
    """Problems of a JSONL file through `parse`, which may raise ProblemError (or the KeyError,
    TypeError, ValueError of a row of the wrong shape). `row_id` gives the native id for the
    record of a dropped row."""
    for row in iter_lines(path):
        native: Any = f"row-{row.number}"
        try:
            if row.error:
                yield refuse(source, native, "broken_file", row.error, path, row)
                continue
            data = json.loads(decode_utf8(row.raw, f"line {row.number}"))
            if not isinstance(data, dict):
                raise ProblemError(f"expected a JSON object, found {type(data).__name__}")
            native = row_id(data) or native
            yield parse(data, row)
        except json.JSONDecodeError as e:
            yield refuse(source, native, "not_json", f"{e.msg} at column {e.colno}", path, row)
        except ProblemError as e:
            reason = "invalid_utf8" if "UTF-8" in str(e) else "bad_row"
            yield refuse(source, native, reason, str(e), path, row)
        except KeyError as e:
            yield refuse(source, native, "bad_row", f"field {e} is missing", path, row)
        except (TypeError, ValueError, AttributeError, RecursionError) as e:
            yield refuse(source, native, "bad_row", f"{type(e).__name__}: {e}", path, row)


def refuse(
    source: str, native: Any, reason: str, error: str, path: Path, row: Row | None = None
) -> Dropped:
    """A Dropped row of the import stage: which file, which row, what is wrong, what to do."""
    evidence: dict[str, Any] = {"file": str(path), "error": error}
    if row is not None:
        evidence["row"] = row.number
    evidence["remedy"] = REMEDIES.get(reason, "correct or remove the row and import again")
    return Dropped(
        id=f"{source}/{native}",
        stage="import",
        reason=reason,
        evidence=evidence,
        origin=f"{path}:{row.number}" if row is not None else str(path),
        raw=row.raw if row is not None else None,
    )


REMEDIES = {
    "broken_file": "fetch the file again; the rows before this one were imported",
    "not_json": "the line must be one JSON object; correct or remove it",
    "invalid_utf8": "convert the file to UTF-8",
    "no_tests": "add at least one test with an expected output",
    "interactive": "interactive problems can't be judged yet; leave the package out",
    "pickle_refused": "only a plain string is read out of a pickle; get the row as JSON",
}


def with_tests(problem: Problem, path: Path, row: Row | None = None) -> Decision:
    """The problem, or a refusal when it has no tests (an empty list accepts every program)."""
    if problem.tests:
        return problem
    native = problem.id.partition("/")[2]
    dropped = refuse(problem.source, native, "no_tests", "the test list is empty", path, row)
    return Dropped(
        dropped.id, "import", "no_tests", dropped.evidence, dropped.origin, problem, dropped.raw
    )
