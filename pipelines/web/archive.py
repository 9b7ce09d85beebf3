"""Pages that people saved themselves: a folder of files or a WARC. What a robot is refused, a
person may save in a browser; what a crawl fetched elsewhere can be read here.

The address of a saved file is read from the page (`saved from url=`, canonical link, og:url); where
it names none, the file's name must be the problem's own id, as in `1873_A.html`. Any file may be
gzipped. A file or record that can't be taken is refused on its own; the others are read.
"""

from __future__ import annotations

import datetime as dt
import gzip
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipelines.sources import SourceError

_ADDRESSES = (
    re.compile(rb"<!--\s*saved from url=(?:\(\d+\))?(https?://[^\s>]+)", re.I),
    re.compile(rb"<link[^>]+rel=[\"']?canonical[\"']?[^>]+href=[\"']?(https?://[^\"'\s>]+)", re.I),
    re.compile(rb"<link[^>]+href=[\"']?(https?://[^\"'\s>]+)[\"']?[^>]+rel=[\"']?canonical", re.I),
    re.compile(
        rb"<meta[^>]+property=[\"']og:url[\"'][^>]+content=[\"'](https?://[^\"'\s>]+)", re.I
    ),
)
_SUFFIXES = {".html", ".htm", ".xhtml", ".json", ".txt", ""}
_LISTING = re.compile(r"problemset\.problems|contest\.list")  # API answers saved under their method
_HEAD = 65_536


@dataclass(frozen=True, slots=True)
class Saved:
    """One saved page: its address (or, where none is known, the file's name without suffix), its
    bytes, where it lay, and when it was saved (Unix seconds). `error` says why it is not taken."""

    address: str
    body: bytes
    origin: str
    saved_at: float
    error: str = ""


def saved_pages(path: Path, max_bytes: int) -> Iterator[Saved]:
    """The pages of a folder (with its subfolders) or a WARC file, in order of their names. Raises
    SourceError for a path that is neither, and for a WARC file that is none."""
    if path.is_dir():
        for file in sorted(path.rglob("*")):
            if file.is_file() and not file.is_symlink():
                yield from _one(file, max_bytes, named=False)
    elif path.is_file():
        yield from _one(path, max_bytes, named=True)
    else:
        raise SourceError(f"{path}: no such folder of saved pages or WARC file")


def _one(path: Path, max_bytes: int, named: bool) -> Iterator[Saved]:
    name = path.name.lower().removesuffix(".gz")
    if name.endswith(".warc"):
        try:
            yield from _warc(path, max_bytes)
        except SourceError as e:
            if named:
                raise
            yield Saved("", b"", str(path), 0.0, str(e))
    elif named or Path(name).suffix in _SUFFIXES or _LISTING.fullmatch(name):
        yield _file(path, max_bytes)


def _file(path: Path, max_bytes: int) -> Saved:
    zipped = path.name.lower().endswith(".gz")
    stem = path.name[:-3] if zipped else path.name
    suffix = Path(stem).suffix
    stem = stem.removesuffix(suffix) if suffix.lower() in _SUFFIXES else stem
    try:
        at = path.stat().st_mtime
        with gzip.open(path, "rb") if zipped else path.open("rb") as f:
            body = f.read(max_bytes + 1)
    except (OSError, EOFError, zlib.error) as e:
        return Saved(stem, b"", str(path), 0.0, f"can't be read ({e})")
    if len(body) > max_bytes:
        return Saved(stem, b"", str(path), at, f"over {max_bytes // 2**20} MiB")
    found = (p.search(body[:_HEAD]) for p in _ADDRESSES)
    address = next((m[1].decode("utf-8", "replace") for m in found if m), stem)
    return Saved(address, body, str(path), at)


def _warc(path: Path, max_bytes: int) -> Iterator[Saved]:
    from warcio.archiveiterator import ArchiveIterator
    from warcio.exceptions import ArchiveLoadFailed

    with path.open("rb") as f:
        try:
            for record in ArchiveIterator(f):
                status = record.http_headers.get_statuscode() if record.http_headers else ""
                if record.rec_type != "response" or status != "200":
                    continue
                yield _record(record, path, max_bytes)
        except (ArchiveLoadFailed, EOFError, OSError, zlib.error, ValueError) as e:
            raise SourceError(f"{path}: not a readable WARC: {e}") from None


def _record(record: Any, path: Path, max_bytes: int) -> Saved:
    from warcio.timeutils import iso_date_to_datetime

    address = record.rec_headers.get_header("WARC-Target-URI") or ""
    origin = f"{path}#{address}"
    try:
        date = iso_date_to_datetime(record.rec_headers.get_header("WARC-Date"))
        at = date.replace(tzinfo=date.tzinfo or dt.UTC).timestamp()
    except (TypeError, ValueError, IndexError):
        at = 0.0  # older than anything that says when it was saved
    body = record.content_stream().read(max_bytes + 1)
    if len(body) > max_bytes:
        return Saved(address, b"", origin, at, f"over {max_bytes // 2**20} MiB")
    return Saved(address.strip("<>"), body, origin, at)
