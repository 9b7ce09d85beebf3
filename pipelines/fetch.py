"""Pages for the crawl, fetched politely and kept: what was fetched is not asked again without need.

    with Fetcher(Path("atcoder"), FetchConfig(contact="you@lab.example")) as fetcher:
        fetcher.get(Request("https://kenkoooo.com/atcoder/resources/contests.json")).body

Every answer is kept (pipelines.web.store); an address that gave a page is asked again only on
demand, and then with If-None-Match / If-Modified-Since. What cannot be had raises FetchError. How
requests are spaced, checked and repeated: pipelines.web.polite.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from pipelines.web.polite import (
    INTERVALS,
    Answer,
    Asker,
    FetchConfig,
    FetchError,
    Request,
    retry_after,
)
from pipelines.web.store import PageState, Store

DAY = 86_400.0
#: How many days an answer is believed that was no page: what is missing may be there next week.
_BELIEVED = {"missing": 7.0, "unreadable": 7.0, "robots": 1.0}
_FAILED_DAYS = 0.25

#: What a page says, for comparison with what it said before; ValueError for one that says nothing.
Read = Callable[[bytes], object]


@dataclass(frozen=True, slots=True)
class Page:
    """An answer: its bytes, and whether they are new since the address was asked before."""

    key: str
    sha256: str
    body: bytes
    fetched_at: float
    new: bool


class Fetcher:
    """Fetches into a crawl folder; a context manager. `clock` and `sleep` are there for tests."""

    def __init__(
        self,
        folder: Path,
        config: FetchConfig | None = None,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.config = config or FetchConfig()
        self.store = Store(folder)
        self._clock = clock
        self._asker = Asker(self.store, self.config, clock, sleep)

    def __enter__(self) -> Fetcher:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection and the folder."""
        self._asker.close()
        self.store.close()

    @property
    def requests(self) -> int:
        """Requests sent so far, robots.txt and repeated ones included."""
        return self._asker.requests

    def known(self, request: Request) -> Page | None:
        """The last page that this request gave, from the folder alone."""
        state = self.store.page(request.key)
        if not state.sha256:
            return None
        return Page(
            state.key, state.sha256, self.store.raw(state.sha256), state.fetched_at, new=False
        )

    def get(
        self,
        request: Request,
        refresh: bool = False,
        read: Read | None = None,
        pending: list[PageState] | None = None,
    ) -> Page:
        """The page: from the folder where it has one, unless `refresh` asks whether it changed.

        `read` decides whether the bytes are a page: what it refuses (ValueError) is fetched once
        more, then kept aside, and never takes the place of a page that was good; what it reads
        as the page that is there already (another token in a form) is no new revision. With
        `pending` the new state goes there for the caller to commit. Raises FetchError; one that
        is remembered is raised without asking again.
        """
        state = self.store.page(request.key)
        if state.sha256 and not refresh and not state.failure:
            page = self.known(request)
            assert page is not None
            return page
        if state.failure and self._clock() < state.retry_at and pending is None:
            kind, _, text = state.failure.partition(": ")
            raise FetchError(kind, f"{text} (remembered; asked again later)")  # type: ignore[arg-type]
        try:
            have = state if state.sha256 else PageState(request.key)
            answer = self._asker.ask(request, have.etag, have.modified)
            if read is not None and answer.status != 304:
                if error := _refusal(read, answer.body):
                    # cut short or half made: that passes. Broken for good: that does not.
                    answer = self._asker.ask(request)
                    error = _refusal(read, answer.body)
                if error:
                    raise FetchError("unreadable", error)
        except FetchError as e:
            if not e.pauses:
                bad = answer.body if e.kind == "unreadable" else b""
                self._remember_failure(state, e, bad)
            raise
        return self._keep(state, answer, read, pending)

    def _keep(
        self, state: PageState, answer: Answer, read: Read | None, pending: list[PageState] | None
    ) -> Page:
        """Remember an answer that is a page; the present one where it says the same."""
        now = self._clock()
        if answer.status == 304:
            etag, modified = state.etag, state.modified
        else:
            etag = answer.headers.get("etag", "")
            modified = answer.headers.get("last-modified", "")
        body = self.store.raw(state.sha256) if state.sha256 else b""
        same = answer.status == 304 or (bool(state.sha256) and _same(read, body, answer.body))
        if same:
            sha256, fetched_at, origin = state.sha256, state.fetched_at, state.origin
        else:
            body = answer.body
            sha256, fetched_at, origin = self.store.put_raw(body), now, answer.url
        page = PageState(state.key, etag, modified, sha256, fetched_at, now, origin)
        if pending is None:
            self.store.put_page(page)
        else:
            pending.append(page)
        return Page(state.key, sha256, body, fetched_at, new=not same)

    def put(
        self, key: str, body: bytes, origin: str, saved_at: float, read: Read | None = None
    ) -> Page | None:
        """Keep a page that was saved by other means, as if it had been fetched. None where it is
        not taken: the folder has a later one, or a good one and this one can't be read."""
        state = self.store.page(key)
        if read is not None and (error := _refusal(read, body)):
            if not state.sha256:
                self._remember_failure(state, FetchError("unreadable", f"{origin}: {error}"), body)
            return None
        if state.sha256 and _same(read, self.store.raw(state.sha256), body):
            return Page(key, state.sha256, body, state.fetched_at, new=False)
        if state.sha256 and saved_at < state.fetched_at:
            return None
        sha256 = self.store.put_raw(body)
        self.store.put_page(PageState(key, "", "", sha256, saved_at, saved_at, origin))
        return Page(key, sha256, body, saved_at, new=True)

    def _remember_failure(self, state: PageState, e: FetchError, body: bytes = b"") -> None:
        now = self._clock()
        self.store.put_page(
            replace(
                state,
                failure=f"{e.kind}: {e}"[:500],
                checked_at=now,
                retry_at=now + _BELIEVED.get(e.kind, _FAILED_DAYS) * DAY,
                bad_sha256=self.store.put_raw(body) if e.kind == "unreadable" else "",
            )
        )


def _refusal(read: Read, body: bytes) -> str:
    """Why `read` refuses a body; empty when it does not."""
    try:
        read(body)
    except ValueError as e:
        return str(e) or type(e).__name__
    return ""


def _same(read: Read | None, before: bytes, now: bytes) -> bool:
    """Whether two bodies say the same; the bytes decide where the first does not read any more."""
    if before == now or read is None:
        return before == now
    try:
        return read(before) == read(now)
    except ValueError:
        return False


__all__ = [
    "INTERVALS",
    "FetchConfig",
    "FetchError",
    "Fetcher",
    "Page",
    "Request",
    "retry_after",
]
