"""Polite HTTP for the crawl: one request at a time, spaced a host, as robots.txt allows.

    >>> # with Fetcher(Path("atcoder"), FetchConfig(contact="you@lab.example")) as fetcher:
    ... #     fetcher.get(Request("https://kenkoooo.com/atcoder/resources/contests.json")).body

Every answer is kept (pipelines.web.store); an address that gave a page is not asked again without
need, and then with If-None-Match / If-Modified-Since. What cannot be had raises FetchError.
"""

from __future__ import annotations

import contextlib
import email.utils
import json
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urljoin, urlsplit

import httpx
from protego import Protego
from pydantic import Field, field_validator

from pipelines.config import ConfigError, StageConfig
from pipelines.web.address import AddressError, guarded_client, host_of
from pipelines.web.challenge import challenge
from pipelines.web.store import HostState, PageState, Store

#: Seconds between two requests to a host, by each site's published rule: Codeforces' API allows
#: one call every 2 s, AtCoder Problems asks for more than 1 s. AtCoder and LeetCode publish none.
INTERVALS = {"codeforces.com": 2.0, "kenkoooo.com": 1.5, "atcoder.jp": 3.0, "leetcode.com": 5.0}
DEFAULT_INTERVAL_S = 2.0
AGENT = "MicroCoder"
DAY = 86_400.0
#: How long an answer is believed that was no page: what is missing today may be there next week.
_MISSING_DAYS, _ROBOTS_DAYS, _PAUSE_DAYS, _FAILED_DAYS = 7.0, 1.0, 1.0, 0.25
_MAX_REDIRECTS = 5
_ROBOTS_BYTES = 512 * 1024  # RFC 9309 asks for at least 500 KiB

Kind = Literal["missing", "robots", "challenge", "address", "too_large", "failed", "paused"]


class FetchError(RuntimeError):
    """An address that gave no page. `kind` says why: `missing` (404, 410), `robots` (refused by
    robots.txt), `challenge` (a bot check or a login page), `paused` (the host is left alone for
    now), `address` (not public, not http), `too_large`, `failed` (everything else, after
    retries)."""

    def __init__(self, kind: Kind, message: str) -> None:
        super().__init__(message)
        self.kind = kind

    @property
    def pauses(self) -> bool:
        """True when the host wants to be left alone: nothing more is asked of it."""
        return self.kind in ("challenge", "paused")


class FetchConfig(StageConfig):
    """`contact`: a mail address or page of whoever runs the crawl; it goes into the User-Agent
    and is required for hosts that are not your own. `interval_s`: seconds between two requests to
    a host, by host, above the defaults only. `allow_hosts`: hosts that may have a private
    address. `max_mb`, `max_seconds`: caps on one answer. `retries`: further tries after a failure
    that may pass. `max_wait_s`: a longer Retry-After pauses the host instead."""

    contact: str = ""
    interval_s: dict[str, float] = Field(default_factory=dict)
    allow_hosts: tuple[str, ...] = ()
    max_mb: float = Field(default=16, gt=0, le=1024)
    max_seconds: float = Field(default=120, gt=0)
    timeout_s: float = Field(default=30, gt=0)
    retries: int = Field(default=4, ge=0, le=10)
    backoff_s: float = Field(default=2.0, gt=0)
    max_wait_s: float = Field(default=300, gt=0)

    @field_validator("contact")
    @classmethod
    def _one_line(cls, value: str) -> str:
        if not value.isascii() or not value.isprintable() or any(c in value for c in "()"):
            raise ValueError("must be one line of ASCII without brackets")
        return value.strip()


@dataclass(frozen=True, slots=True)
class Request:
    """What to ask: a GET, or a POST of `json`."""

    url: str
    json: Any = None

    @property
    def key(self) -> str:
        """What the answer is remembered under.

        >>> Request("http://a.example/q", {"b": 1}).key
        'http://a.example/q {"b": 1}'
        """
        if self.json is None:
            return self.url
        return f"{self.url} {json.dumps(self.json, sort_keys=True)}"


@dataclass(frozen=True, slots=True)
class Page:
    """An answer: its bytes, and whether they are new since the address was asked before."""

    key: str
    sha256: str
    body: bytes
    fetched_at: float
    new: bool


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    headers: httpx.Headers
    body: bytes
    url: str


class _Passing(Exception):
    """A failure that may pass; `wait` is what the server asks for, in seconds."""

    def __init__(self, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait


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
        self.requests = 0
        self._clock, self._sleep = clock, sleep
        self._robots: dict[str, Protego] = {}
        self._allowed = frozenset(h.lower() for h in self.config.allow_hosts)
        about = f"; {self.config.contact}" if self.config.contact else ""
        headers = {
            "User-Agent": f"{AGENT}/{version('microcoder')} (dataset crawler{about})",
            "Accept-Encoding": "gzip, deflate",
            "Accept-Language": "en",
        }
        self._client = guarded_client(self._allowed, headers, self.config.timeout_s)

    def __enter__(self) -> Fetcher:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection and the folder."""
        self._client.close()
        self.store.close()

    def known(self, request: Request) -> Page | None:
        """The last page that this request gave, from the folder alone."""
        state = self.store.page(request.key)
        if not state.sha256:
            return None
        return Page(
            state.key, state.sha256, self.store.raw(state.sha256), state.fetched_at, new=False
        )

    def get(self, request: Request, refresh: bool = False) -> Page:
        """The page: from the folder where it has one, unless `refresh` asks whether it changed.
        Raises FetchError; one that is remembered is raised without asking again."""
        state = self.store.page(request.key)
        if state.sha256 and not refresh and not state.failure:
            page = self.known(request)
            assert page is not None
            return page
        if state.failure and self._clock() < state.retry_at:
            kind, _, text = state.failure.partition(": ")
            raise FetchError(kind, f"{text} (remembered; asked again later)")  # type: ignore[arg-type]
        try:
            answer = self._ask(request, state)
        except FetchError as e:
            if not e.pauses:
                self._remember_failure(state, e)
            raise
        now = self._clock()
        if answer.status == 304:
            self.store.put_page(replace(state, checked_at=now, failure="", retry_at=0.0))
            page = self.known(request)
            assert page is not None
            return page
        sha256 = self.store.put_raw(answer.body)
        self.store.put_page(
            PageState(
                request.key,
                answer.headers.get("etag", ""),
                answer.headers.get("last-modified", ""),
                sha256,
                now if sha256 != state.sha256 else state.fetched_at,
                now,
                origin=answer.url,
            )
        )
        return Page(request.key, sha256, answer.body, now, new=sha256 != state.sha256)

    def put(self, key: str, body: bytes, origin: str, fetched_at: float) -> Page:
        """Keep a page that was saved by other means, as if it had been fetched."""
        state = self.store.page(key)
        sha256 = self.store.put_raw(body)
        if sha256 != state.sha256:
            page = PageState(key, "", "", sha256, fetched_at, fetched_at, origin)
            self.store.put_page(page)
        return Page(key, sha256, body, fetched_at, new=sha256 != state.sha256)

    def fail(self, request: Request, message: str) -> None:
        """Remember that the page of a request can't be used; its bytes stay."""
        state = self.store.page(request.key)
        self._remember_failure(state, FetchError("failed", message))

    def _remember_failure(self, state: PageState, e: FetchError) -> None:
        days = {"missing": _MISSING_DAYS, "robots": _ROBOTS_DAYS}.get(e.kind, _FAILED_DAYS)
        now = self._clock()
        failure = f"{e.kind}: {e}"[:500]
        self.store.put_page(
            replace(state, failure=failure, checked_at=now, retry_at=now + days * DAY)
        )

    def _ask(self, request: Request, state: PageState) -> _Answer:
        """One page, with redirects, retries and all checks."""
        headers = {}
        if state.sha256 and state.etag:
            headers["If-None-Match"] = state.etag
        if state.sha256 and state.modified:
            headers["If-Modified-Since"] = state.modified
        url, seen = request.url, {request.url}
        while True:
            answer = self._with_retries(replace(request, url=url), headers)
            target = answer.headers.get("location")
            if answer.status not in (301, 302, 303, 307, 308) or not target:
                return self._checked(answer)
            url = urljoin(url, target)
            if url in seen or len(seen) > _MAX_REDIRECTS:
                raise FetchError("failed", f"{request.url}: redirects in a circle or too often")
            seen.add(url)

    def _checked(self, answer: _Answer) -> _Answer:
        url = answer.url
        if answer.status == 304:
            return answer
        text = answer.body.decode("utf-8", "replace")
        if what := challenge(answer.status, answer.headers, text, url):
            raise self._pause(
                url,
                "challenge",
                f"{url}: {what} instead of the page (status {answer.status}). It is not worked "
                "around; save the pages in a browser and give them with --from-archive",
                _PAUSE_DAYS * DAY,
            )
        if answer.status in (404, 410):
            raise FetchError("missing", f"{url}: status {answer.status}")
        if answer.status != 200:
            raise FetchError("failed", f"{url}: status {answer.status}")
        return answer

    def _with_retries(self, request: Request, headers: dict[str, str]) -> _Answer:
        host = self._admit(request.url)
        for attempt in range(self.config.retries + 1):
            try:
                self._wait(host)
                return self._once(request, headers)
            except _Passing as e:
                wait = self.config.backoff_s * 2**attempt * random.uniform(0.75, 1.25)
                if e.wait is not None:
                    wait = max(wait, e.wait)
                    if e.wait > self.config.max_wait_s:
                        raise self._pause(request.url, "paused", str(e), e.wait) from None
                if attempt == self.config.retries:
                    raise FetchError("failed", f"{e}; given up after {attempt + 1} tries") from None
                self._sleep(wait)
        raise AssertionError("unreachable")

    def _admit(self, url: str) -> str:
        """The host of a URL that may be asked for now; FetchError otherwise."""
        try:
            host = host_of(url)
        except AddressError as e:
            raise FetchError("address", str(e)) from None
        name = host.partition(":")[0]
        own = host in self._allowed or name in self._allowed
        if not self.config.contact and not own:
            raise ConfigError(
                f"{url}: set `contact` (a mail address or page) before asking other people's "
                "servers; it goes into the User-Agent"
            )
        state = self.store.host(host)
        if self._clock() < state.paused_until:
            until = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(state.paused_until))
            raise FetchError("paused", f"{host} is left alone until {until}: {state.paused_for}")
        if not self._rules(url, host).can_fetch(url, AGENT):
            raise FetchError("robots", f"{url}: robots.txt of {host} asks crawlers not to fetch it")
        return host

    def _pause(self, url: str, kind: Kind, message: str, seconds: float) -> FetchError:
        host = host_of(url)
        state = self.store.host(host)
        until = self._clock() + seconds
        self.store.put_host(replace(state, paused_until=until, paused_for=message[:500]))
        return FetchError(kind, message)

    def _rules(self, url: str, host: str) -> Protego:
        """The host's robots.txt, asked for once a day. Missing: everything is allowed (RFC 9309);
        one that can't be had for an error of the server: nothing is, until it can."""
        if host in self._robots:
            return self._robots[host]
        state = self.store.host(host)
        if state.robots is None or self._clock() - state.robots_at > _ROBOTS_DAYS * DAY:
            robots = self._fetch_robots(url, host)
            # asked_at has moved since: the request for robots.txt counts too
            state = replace(self.store.host(host), robots=robots, robots_at=self._clock())
            self.store.put_host(state)
        self._robots[host] = Protego.parse(state.robots or "")
        return self._robots[host]

    def _fetch_robots(self, url: str, host: str) -> str:
        parts = urlsplit(url)
        robots_url = f"{parts.scheme}://{parts.netloc}/robots.txt"
        for _ in range(_MAX_REDIRECTS):
            for attempt in range(self.config.retries + 1):
                try:
                    self._wait(host)
                    answer = self._once(Request(robots_url), {}, _ROBOTS_BYTES)
                    break
                except _Passing as e:
                    if attempt == self.config.retries:
                        raise FetchError(
                            "failed", f"{robots_url}: {e}; without it nothing is fetched"
                        ) from None
                    self._sleep(max(self.config.backoff_s * 2**attempt, e.wait or 0.0))
            target = answer.headers.get("location")
            if answer.status not in (301, 302, 303, 307, 308) or not target:
                break
            robots_url = urljoin(robots_url, target)
        return answer.body.decode("utf-8", "replace") if answer.status == 200 else ""

    def interval(self, host: str) -> float:
        """Seconds between two requests to a host: the largest of the default, the config's, and
        robots.txt's crawl-delay."""
        name = host.partition(":")[0]
        own = host in self._allowed or name in self._allowed
        # one's own test server or mirror needs no default
        least = 0.0 if own else INTERVALS.get(name, DEFAULT_INTERVAL_S)
        asked = self.config.interval_s.get(host, self.config.interval_s.get(name, 0.0))
        rules = self._robots.get(host)
        delay = rules.crawl_delay(AGENT) if rules else None
        return max(least, asked, float(delay or 0.0))

    def _wait(self, host: str) -> None:
        """Sleep until the host may be asked, and note that it is asked now."""
        state = self.store.host(host)
        interval = self.interval(host)
        now = self._clock()
        # a clock that was set back must not stop the crawl for years
        ready = min(state.asked_at, now) + interval
        while now < ready:
            self._sleep(ready - now)
            now = self._clock()
        self._asked(host)

    def _asked(self, host: str) -> None:
        """The host is busy with us now. Said before a request goes out, so that the spacing holds
        across a kill, and after its answer, so that a slow server gets its rest."""
        self.store.put_host(replace(self.store.host(host), asked_at=self._clock()))

    def _once(
        self, request: Request, headers: dict[str, str], max_bytes: int | None = None
    ) -> _Answer:
        self.requests += 1
        try:
            with self._stream(request, headers) as response:
                if response.status_code in (408, 425, 429, 500, 502, 503, 504):
                    self._raise_passing(response)
                body = self._body(response, max_bytes)
                return _Answer(response.status_code, response.headers, body, str(response.url))
        except httpx.TransportError as e:
            raise _Passing(f"{request.url}: {type(e).__name__}: {e}") from None
        except AddressError as e:
            raise FetchError("address", f"{request.url}: {e}") from None
        except (httpx.InvalidURL, httpx.DecodingError) as e:
            raise FetchError("failed", f"{request.url}: {e}") from None
        finally:
            self._asked(host_of(request.url))

    @contextlib.contextmanager
    def _stream(self, request: Request, headers: dict[str, str]) -> Iterator[httpx.Response]:
        method = "GET" if request.json is None else "POST"
        with self._client.stream(method, request.url, headers=headers, json=request.json) as r:
            self._client.cookies.clear()  # no session is kept with anybody
            yield r

    def _raise_passing(self, response: httpx.Response) -> None:
        """A server that says 'later': a challenge dressed as 503 or 429 is not waited for."""
        body = self._body(response, None)
        text = body.decode("utf-8", "replace")
        if challenge(response.status_code, response.headers, text, str(response.url)):
            self._checked(_Answer(response.status_code, response.headers, body, str(response.url)))
        wait = retry_after(response.headers.get("retry-after", ""), self._clock())
        raise _Passing(f"{response.url}: status {response.status_code}", wait)

    def _body(self, response: httpx.Response, max_bytes: int | None) -> bytes:
        most = max_bytes or int(self.config.max_mb * 2**20)
        encoding = response.headers.get("content-encoding", "").lower()
        if encoding not in ("", "identity", "gzip", "deflate"):
            raise FetchError("failed", f"{response.url}: unknown content encoding {encoding!r:.40}")
        started = time.monotonic()
        parts, size = [], 0
        for part in response.iter_bytes(1 << 16):
            size += len(part)
            if size > most:
                raise FetchError("too_large", f"{response.url}: over {most / 2**20:.0f} MiB")
            if time.monotonic() - started > self.config.max_seconds:
                raise _Passing(f"{response.url}: took over {self.config.max_seconds:.0f} s")
            parts.append(part)
        return b"".join(parts)


def retry_after(value: str, now: float) -> float | None:
    """Seconds to wait by a Retry-After header (seconds or a date); None when it says nothing.

    >>> retry_after("120", 0.0), retry_after("Thu, 01 Jan 1970 00:01:00 GMT", 0.0)
    (120.0, 60.0)
    """
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - now)
    except (ValueError, TypeError, OverflowError):
        return None


__all__ = ["FetchConfig", "FetchError", "Fetcher", "HostState", "Page", "Request", "retry_after"]
