"""What a crawl remembers: a SQLite file and the raw answers, compressed, named by their sha256.

    crawl.sqlite   pages (what each address gave last), revisions (what it ever gave), hosts (when
                   each was last asked, its robots.txt, until when it is left alone), targets (the
                   problems that were ever named), parsed (see pipelines.web.parsed)
    raw/ab/abcd….gz

Everything is written before it is relied on: a request is noted before it goes out, so that the
spacing between two requests holds across a kill; a page is noted after its bytes are on disk.
"""

from __future__ import annotations

import fcntl
import gzip
import hashlib
import os
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

_TABLES = """
create table if not exists pages (
    key text primary key, etag text not null, modified text not null, sha256 text not null,
    fetched_at real not null, checked_at real not null, origin text not null,
    failure text not null, retry_at real not null, bad_sha256 text not null default '');
create table if not exists revisions (
    key text not null, number integer not null, sha256 text not null, fetched_at real not null,
    primary key (key, number));
create table if not exists hosts (
    host text primary key, asked_at real not null, robots text, robots_at real not null,
    paused_until real not null, paused_for text not null,
    sender text not null default '', not_before real not null default 0);
create table if not exists parsed (key text primary key, parser text not null, page text not null);
create table if not exists targets (
    site text not null, native text not null, origin text not null, facts text not null,
    primary key (site, native));
"""
_VERSION = 2


class StoreError(RuntimeError):
    """A crawl folder that can't be used; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class PageState:
    """What is known of an address. `sha256` is its last good page, empty when it never gave one;
    `failure` says why the last try gave none, which is believed until `retry_at`, and `bad_sha256`
    is what came instead, if that could not be read. Times are Unix seconds."""

    key: str
    etag: str = ""
    modified: str = ""
    sha256: str = ""
    fetched_at: float = 0.0
    checked_at: float = 0.0
    origin: str = ""
    failure: str = ""
    retry_at: float = 0.0
    bad_sha256: str = ""


@dataclass(frozen=True, slots=True)
class HostState:
    """What is known of a host: when it was last asked, its robots.txt (None: not asked yet), the
    process whose request is under way (empty: none), and before when it is not asked again."""

    host: str
    asked_at: float = 0.0
    robots: str | None = None
    robots_at: float = 0.0
    paused_until: float = 0.0
    paused_for: str = ""
    sender: str = ""
    not_before: float = 0.0


class Store:
    """The state of one crawl folder; a context manager. One process at a time: StoreError for the
    second.

    >>> import tempfile
    >>> with Store(Path(tempfile.mkdtemp())) as store:
    ...     store.raw(store.put_raw(b"page"))
    b'page'
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = (folder / ".lock").open("w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._lock.close()
            raise StoreError(
                f"{folder}: another crawl works in this folder; wait for it or choose another"
            ) from None
        try:
            self._db = sqlite3.connect(folder / "crawl.sqlite", isolation_level=None)
            self._db.execute("pragma journal_mode = wal")
            self._db.execute("pragma synchronous = normal")  # survives a killed process
            found = self._db.execute("pragma user_version").fetchone()[0]
            tables = self._db.execute("select count(*) from sqlite_master").fetchone()[0]
            if found != _VERSION and tables:
                self.close()
                raise StoreError(
                    f"{folder / 'crawl.sqlite'}: written by another version of MicroCoder (format "
                    f"{found}, this one reads {_VERSION}); crawl into a new folder"
                )
            self._db.executescript(_TABLES)
            self._db.execute(f"pragma user_version = {_VERSION}")
        except sqlite3.DatabaseError as e:
            raise StoreError(
                f"{folder / 'crawl.sqlite'}: {e}; move it away (raw/ stays) and crawl again"
            ) from e

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file and let others in."""
        self._db.close()
        self._lock.close()

    def page(self, key: str) -> PageState:
        """What is known of an address; a fresh state when nothing is."""
        row = self._row("select * from pages where key = ?", key)
        return PageState(*row) if row else PageState(key)

    def put_page(self, page: PageState) -> None:
        """Remember a page; a sha256 that is new for it becomes its next revision."""
        values = [getattr(page, f) for f in PageState.__slots__]
        marks = ", ".join("?" * len(values))
        self._db.execute("begin immediate")
        try:
            self._db.execute(f"insert or replace into pages values ({marks})", values)
            last = self._row(
                "select number, sha256 from revisions where key = ? order by number desc limit 1",
                page.key,
            )
            if page.sha256 and (last is None or last[1] != page.sha256):
                number = last[0] + 1 if last else 1
                self._db.execute(
                    "insert into revisions values (?, ?, ?, ?)",
                    (page.key, number, page.sha256, page.fetched_at),
                )
            self._db.execute("commit")
        except BaseException:
            self._db.execute("rollback")
            raise

    def revisions(self, key: str) -> list[tuple[int, str, float]]:
        """(number, sha256, time of fetching) of all that an address ever gave, oldest first."""
        return self._db.execute(
            "select number, sha256, fetched_at from revisions where key = ? order by number", (key,)
        ).fetchall()

    def host(self, host: str) -> HostState:
        """What is known of a host."""
        row = self._row("select * from hosts where host = ?", host)
        return HostState(*row) if row else HostState(host)

    def put_host(self, host: HostState) -> None:
        """Remember a host."""
        values = [getattr(host, f) for f in HostState.__slots__]
        marks = ", ".join("?" * len(values))
        self._db.execute(f"insert or replace into hosts values ({marks})", values)

    def mark_asked(self, host: str, asked_at: float, sender: str) -> None:
        """Note when a host was asked, and by which process as long as no answer is there."""
        self._set(host, asked_at=asked_at, sender=sender)

    def hold(self, host: str, not_before: float) -> None:
        """Note until when a host is not asked again."""
        self._set(host, not_before=not_before)

    def _set(self, host: str, **values: Any) -> None:
        # not the whole row: it holds robots.txt, and this is written twice a request
        sets = ", ".join(f"{name} = ?" for name in values)
        done = self._db.execute(
            f"update hosts set {sets} where host = ?", (*values.values(), host)
        ).rowcount
        if not done:
            self.put_host(replace(HostState(host), **values))

    def targets(self, site: str) -> list[tuple[str, str, str]]:
        """(native id, origin, facts as JSON) of every problem that a site's listings or saved
        pages ever named, ordered by native id. Origin: `listed` (now), `delisted` or `saved`."""
        return self._db.execute(
            "select native, origin, facts from targets where site = ? order by native", (site,)
        ).fetchall()

    def put_listed(self, site: str, facts: Iterable[tuple[str, str]]) -> None:
        """Note what a site lists now; what it listed before and not now is `delisted`."""
        self._db.execute("begin immediate")
        try:
            self._db.execute(
                "update targets set origin = 'delisted' where site = ? and origin = 'listed'",
                (site,),
            )
            self._db.executemany(
                "insert or replace into targets values (?, ?, 'listed', ?)",
                ((site, native, text) for native, text in facts),
            )
            self._db.execute("commit")
        except BaseException:
            self._db.execute("rollback")
            raise

    def put_saved(self, site: str, native: str, facts: str) -> None:
        """Note a problem that only a saved page names."""
        self._db.execute(
            "insert or ignore into targets values (?, ?, 'saved', ?)", (site, native, facts)
        )

    def parsed(self, key: str, parser: str) -> str | None:
        """What a parser made of a page, if it was this parser."""
        row = self._row("select page, parser from parsed where key = ?", key)
        return str(row[0]) if row and row[1] == parser else None

    def put_parsed(self, key: str, parser: str, page: str) -> None:
        """Keep what a parser made of a page."""
        self._db.execute("insert or replace into parsed values (?, ?, ?)", (key, parser, page))

    def put_raw(self, body: bytes) -> str:
        """Keep an answer; its sha256. The same bytes are kept once."""
        sha256 = hashlib.sha256(body).hexdigest()
        path = self._raw_path(sha256)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            tmp = path.with_suffix(".tmp")
            with tmp.open("wb") as f:
                f.write(gzip.compress(body, 6, mtime=0))
                f.flush()
                os.fsync(f.fileno())
            os.rename(tmp, path)
        return sha256

    def raw(self, sha256: str) -> bytes:
        """The answer of that sha256; StoreError when it is missing or damaged."""
        path = self._raw_path(sha256)
        try:
            body = gzip.decompress(path.read_bytes())
        except (OSError, EOFError, ValueError) as e:
            raise StoreError(f"{path}: {e}; delete the file and crawl with --refresh") from e
        if hashlib.sha256(body).hexdigest() != sha256:
            raise StoreError(f"{path}: damaged; delete the file and crawl with --refresh")
        return body

    def _raw_path(self, sha256: str) -> Path:
        return self.folder / "raw" / sha256[:2] / f"{sha256}.gz"

    def _row(self, sql: str, key: str) -> Any:
        return self._db.execute(sql, (key,)).fetchone()
