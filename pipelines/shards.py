"""Parquet shards: written atomically, read lazily, described by a manifest.

A shard folder holds `part-00000.parquet ...`, `dropped/part-00000.parquet ...` and
`manifest.json` (rows, bytes and sha256 of every file). A file appears under its final name only
after it is whole and on disk; a shard that no longer matches its manifest is reported by name.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.problem import SCHEMA, Problem

MANIFEST = "manifest.json"
#: Rows are gathered to about this many bytes of text before a row group is written.
ROW_GROUP_BYTES = 32 * 2**20
#: A shard is closed once its file has reached this size (the Hub likes files under 500 MB).
SHARD_BYTES = 400 * 10**6


class ShardError(RuntimeError):
    """A shard that can't be written or read; the message names the file and the remedy."""


class MissingInputError(ShardError):
    """An input that is not there."""


@dataclass(frozen=True, slots=True)
class ShardInfo:
    """One file of a manifest; `name` is relative to the folder."""

    name: str
    rows: int
    bytes: int
    sha256: str


def sha256_file(path: Path) -> str:
    """Hex sha256 of a file, read in pieces."""
    with path.open("rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()


@contextlib.contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """A temporary name in the same folder; on success it is fsynced and renamed to `path`,
    on failure removed. A link is followed. Raises ShardError when the file can't be written: a
    full or read-only disk, a folder or a device under that name."""
    named, path = path, Path(os.path.realpath(path))
    check_file_target(named)
    tmp = _temporary(path)
    try:
        with naming_full_disk(named), _naming(named, tmp):
            yield tmp
            with tmp.open("rb+") as f:
                os.fsync(f.fileno())
            os.replace(tmp, path)
            fsync_dir(path.parent)
    finally:
        with contextlib.suppress(OSError):
            tmp.unlink(missing_ok=True)


def check_file_target(path: Path) -> None:
    """Makes the folder of `path`. Raises ShardError when a file can't be put there: replacing a
    device or a folder by a rename would destroy it."""
    target = Path(os.path.realpath(path))
    tmp = _temporary(target)
    try:
        if (path.exists() and not path.is_file()) or target.is_dir():
            raise ShardError(f"{path}: is not a regular file; choose another name for the output")
        parent = next(p for p in target.parents if p.exists())
        if not parent.is_dir():
            raise ShardError(
                f"{path}: {parent} is not a folder; choose another name for the output"
            )
        with naming_full_disk(path):
            target.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(tmp, os.O_CREAT | os.O_WRONLY, 0o666))
            tmp.unlink()
    except OSError as e:
        raise _unwritable(path, e) from e


def _temporary(path: Path) -> Path:
    """No longer than the name that the file will have, but for short ones."""
    name = path.name.encode()[: 255 - 20].decode("utf-8", "ignore")
    return path.with_name(f".{name}.tmp-{os.getpid()}")


def _unwritable(path: Path, e: OSError) -> ShardError:
    return ShardError(f"{path}: can't be written ({e.strerror or e}); choose another name")


@contextlib.contextmanager
def _naming(path: Path, tmp: Path) -> Iterator[None]:
    """Errors about the temporary name become errors about `path`."""
    try:
        yield
    except OSError as e:
        if e.filename is not None and os.fspath(e.filename) == os.fspath(tmp):
            raise _unwritable(path, e) from e
        raise


@contextlib.contextmanager
def naming_full_disk(path: Path) -> Iterator[None]:
    """Turns "no space left" while `path` is written into a ShardError that names it."""
    try:
        yield
    except OSError as e:
        if e.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise ShardError(
                f"{path}: no space left while writing; nothing under that name was changed. "
                "Free some space and run the same command again."
            ) from e
        raise


def fsync_dir(path: Path) -> None:
    """Make a rename in `path` durable."""
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def write_text_atomic(path: Path, text: str) -> None:
    """Write a whole text file or nothing."""
    with atomic_path(path) as tmp:
        tmp.write_text(text, "utf-8")


def write_json_atomic(path: Path, data: Any) -> None:
    """Write JSON with sorted keys (same data, same bytes), or nothing."""
    write_text_atomic(path, json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False) + "\n")


class ShardWriter:
    """Writes rows of one schema as `prefix-00000.parquet ...` into `folder`.

    Use as a context manager; `infos` is complete after it closed. Row order, row groups and
    shard borders depend on the rows alone, so the same rows give the same bytes.
    """

    def __init__(
        self,
        folder: Path,
        schema: pa.Schema = SCHEMA,
        prefix: str = "part",
        shard_bytes: int = SHARD_BYTES,
        row_group_bytes: int = ROW_GROUP_BYTES,
    ) -> None:
        self.folder = folder
        self.schema = schema
        self.prefix = prefix
        self.shard_bytes = shard_bytes
        self.row_group_bytes = row_group_bytes
        self.infos: list[ShardInfo] = []
        self._rows: list[dict[str, Any]] = []
        self._size = 0
        self._writer: pq.ParquetWriter | None = None
        self._stack = contextlib.ExitStack()
        self._tmp = Path()
        self._shard_rows = 0
        with naming_full_disk(folder):
            folder.mkdir(parents=True, exist_ok=True)

    def __enter__(self) -> ShardWriter:
        return self

    def __exit__(self, kind: Any, value: Any, tb: Any) -> None:
        if kind is None:
            try:
                self._flush()
                if self._writer is None and not self.infos:
                    self._open()  # zero rows is a result too: one empty shard
                self._close()
            except BaseException:
                self._abandon(*sys.exc_info())
                raise
        else:
            self._abandon(kind, value, tb)

    def _abandon(self, kind: Any, value: Any, tb: Any) -> None:
        """Remove the unfinished file; a full disk becomes a ShardError here."""
        if self._writer is not None:
            with contextlib.suppress(Exception):  # the first error is the one to report
                self._writer.close()
        self._stack.__exit__(kind, value, tb)

    def write(self, row: dict[str, Any]) -> None:
        """Add one row."""
        self._rows.append(row)
        self._size += _text_size(row)
        if self._size >= self.row_group_bytes:
            self._flush()

    def _open(self) -> None:
        name = f"{self.prefix}-{len(self.infos):05d}.parquet"
        self._tmp = self._stack.enter_context(atomic_path(self.folder / name))
        self._writer = pq.ParquetWriter(self._tmp, self.schema, compression="zstd")
        self._shard_rows = 0

    def _flush(self) -> None:
        if not self._rows:
            return
        if self._writer is None:
            self._open()
        assert self._writer is not None
        table = pa.Table.from_pylist(self._rows, schema=self.schema)
        try:
            self._writer.write_table(table, row_group_size=max(1, len(self._rows)))
        except OSError as e:
            if e.errno is None and "No space left" in str(e):  # Arrow drops the errno
                raise OSError(errno.ENOSPC, str(e)) from e
            raise
        self._shard_rows += len(self._rows)
        self._rows, self._size = [], 0
        if self._tmp.stat().st_size >= self.shard_bytes:
            self._close()

    def _close(self) -> None:
        if self._writer is None:
            return
        self._writer.close()
        self._writer = None
        info = ShardInfo(
            f"{self.prefix}-{len(self.infos):05d}.parquet",
            self._shard_rows,
            self._tmp.stat().st_size,
            sha256_file(self._tmp),
        )
        self._stack.close()  # fsync and rename
        self.infos.append(info)


def _text_size(value: Any) -> int:
    if isinstance(value, str | bytes):
        return len(value)
    if isinstance(value, dict):
        return sum(_text_size(v) for v in value.values())
    if isinstance(value, list):
        return sum(_text_size(v) for v in value)
    return 8


def write_problems(problems: Iterable[Problem], out: Path) -> list[ShardInfo]:
    """Write problems as shards with a manifest, without the bookkeeping of a stage.

    >>> import tempfile
    >>> d = Path(tempfile.mkdtemp())
    >>> write_problems([Problem(id="demo/1")], d)[0].rows
    1
    >>> [p.id for p in Shards([d])]
    ['demo/1']
    """
    with ShardWriter(out) as w:
        for p in problems:
            w.write(p.to_row())
    write_manifest(out, w.infos, [], {})
    return w.infos


def write_manifest(
    folder: Path, kept: Sequence[ShardInfo], dropped: Sequence[ShardInfo], extra: dict[str, Any]
) -> None:
    """Write manifest.json last: its presence says that everything it names is there."""
    write_json_atomic(
        folder / MANIFEST,
        {
            "format": 1,
            "rows": sum(s.rows for s in kept),
            "shards": [asdict(s) for s in kept],
            "dropped_rows": sum(s.rows for s in dropped),
            "dropped_shards": [asdict(s) for s in dropped],
            **extra,
        },
    )


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a shard folder, or ShardError."""
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_text("utf-8"))
        if not isinstance(manifest["shards"], list) or not isinstance(manifest["rows"], int):
            raise TypeError("wrong types")
    except FileNotFoundError:
        raise ShardError(
            f"{folder}: no {MANIFEST}, so this is not a finished shard folder; run its stage again"
        ) from None
    except (ValueError, KeyError, TypeError) as e:
        raise ShardError(
            f"{path}: damaged manifest ({e}); delete the folder and run its stage again"
        ) from e
    return dict(manifest)


def check_shards(folder: Path) -> dict[str, Any]:
    """The manifest, after every file was compared with it; ShardError names the first bad one."""
    manifest = read_manifest(folder)
    for info in [*manifest["shards"], *manifest.get("dropped_shards", [])]:
        path = folder / info["name"]
        remedy = "delete the folder and run its stage again"
        if not path.is_file():
            raise ShardError(f"{path}: shard is missing; {remedy}")
        size = path.stat().st_size
        if size != info["bytes"]:
            raise ShardError(
                f"{path}: truncated or altered: {size} bytes, not {info['bytes']}; {remedy}"
            )
        if sha256_file(path) != info["sha256"]:
            raise ShardError(f"{path}: altered: its sha256 is not the manifest's; {remedy}")
    return manifest


class Shards:
    """Problems of shard folders and single Parquet files, iterable any number of times.

    Files are checked against their manifest once, when the object is made. Reading holds one
    batch of rows in memory. `len()` is the number of rows.
    """

    def __init__(self, inputs: Sequence[Path], check: bool = True) -> None:
        self.files: list[Path] = []
        self.fingerprint: list[str] = []  # sha256 of every file, in order
        self._rows = 0
        for path in inputs:
            if path.is_dir():
                manifest = check_shards(path) if check else read_manifest(path)
                self.files += [path / s["name"] for s in manifest["shards"]]
                self.fingerprint += [s["sha256"] for s in manifest["shards"]]
                self._rows += manifest["rows"]
            elif path.is_file():
                self.files.append(path)
                self.fingerprint.append(sha256_file(path))
                self._rows += self._open(path).metadata.num_rows
            else:
                raise MissingInputError(f"{path}: no such file or folder")

    def __len__(self) -> int:
        return self._rows

    def __iter__(self) -> Iterator[Problem]:
        for row in self.rows():
            yield Problem.from_row(row)

    def rows(self, columns: list[str] | None = None) -> Iterator[dict[str, Any]]:
        """Rows as dicts, optionally only some columns."""
        for path in self.files:
            file = self._open(path)
            try:
                for batch in file.iter_batches(batch_size=64, columns=columns):
                    yield from batch.to_pylist()
            except (ValueError, OSError) as e:  # Arrow's errors are these, UnicodeDecodeError too
                raise ShardError(f"{path}: damaged; fetch or make it again ({e})") from e

    @staticmethod
    def _open(path: Path) -> pq.ParquetFile:
        try:
            file = pq.ParquetFile(path)
        except (pa.ArrowInvalid, OSError) as e:
            raise ShardError(f"{path}: not a readable Parquet file ({e})") from e
        missing = [n for n in SCHEMA.names if n not in file.schema_arrow.names]
        if missing:
            raise ShardError(
                f"{path}: not a Problem shard, columns missing: {', '.join(missing)}; "
                "make one with `microcoder import`"
            )
        return file
