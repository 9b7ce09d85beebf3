"""Pages that people saved themselves: a folder of files or a WARC. What a robot is refused, a
person may save in a browser; what a crawl fetched elsewhere can be read here.

The address of a saved file is read from the page (`saved from url=`, canonical link, og:url); where
it names none, the file's name must be the problem's own id, as in `1873_A.html`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

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
_HEAD = 65_536


@dataclass(frozen=True, slots=True)
class Saved:
    """One saved page: its address (or, where none is known, the file's name without suffix), its
    bytes, where it lay, and when it was saved (Unix seconds)."""

    address: str
    body: bytes
    origin: str
    saved_at: float


def saved_pages(path: Path, max_bytes: int) -> Iterator[Saved]:
    """The pages of a folder (with its subfolders) or a WARC file, in order of their names.
    Raises SourceError for a path that is neither, and for a file over `max_bytes`."""
    if path.is_dir():
        for file in sorted(path.rglob("*")):
            if file.name.lower().endswith((".warc", ".warc.gz")):
                yield from _warc(file, max_bytes)
            elif file.suffix.lower() in _SUFFIXES and file.is_file() and not file.is_symlink():
                yield _file(file, max_bytes)
    elif path.name.lower().endswith((".warc", ".warc.gz")) and path.is_file():
        yield from _warc(path, max_bytes)
    elif path.is_file():
        yield _file(path, max_bytes)
    else:
        raise SourceError(f"{path}: no such folder of saved pages or WARC file")


def _file(path: Path, max_bytes: int) -> Saved:
    stat = path.stat()
    if stat.st_size > max_bytes:
        raise SourceError(f"{path}: over {max_bytes // 2**20} MiB; this is no problem's page")
    body = path.read_bytes()
    found = (p.search(body[:_HEAD]) for p in _ADDRESSES)
    address = next((m[1].decode("utf-8", "replace") for m in found if m), path.stem)
    return Saved(address, body, str(path), stat.st_mtime)


def _warc(path: Path, max_bytes: int) -> Iterator[Saved]:
    from warcio.archiveiterator import ArchiveIterator
    from warcio.exceptions import ArchiveLoadFailed
    from warcio.timeutils import iso_date_to_datetime

    with path.open("rb") as f:
        try:
            for record in ArchiveIterator(f):
                status = record.http_headers.get_statuscode() if record.http_headers else ""
                if record.rec_type != "response" or status != "200":
                    continue
                headers = record.rec_headers
                address = headers.get_header("WARC-Target-URI") or ""
                body = record.content_stream().read(max_bytes + 1)
                if len(body) > max_bytes:
                    raise SourceError(f"{path}: {address}: over {max_bytes // 2**20} MiB")
                date = iso_date_to_datetime(headers.get_header("WARC-Date"))
                yield Saved(address, body, f"{path}#{address}", date.timestamp())
        except (ArchiveLoadFailed, EOFError, OSError) as e:
            raise SourceError(f"{path}: not a readable WARC: {e}") from None
