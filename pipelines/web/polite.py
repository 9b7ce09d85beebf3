"""Asking other people's servers politely: one request at a time, spaced a host, as robots.txt
allows. What was asked and when is noted in the store before a request goes out; pages and their
revisions are the business of pipelines.fetch."""

from __future__ import annotations

import contextlib
import email.utils
import json
import random
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any, Literal
from urllib.parse import urldefrag, urljoin, urlsplit

import httpx
from pydantic import Field, field_validator

from pipelines.config import ConfigError, StageConfig
from pipelines.web.address import AddressError, guarded_client, host_of, name_of
from pipelines.web.body import BodyError, read_body
from pipelines.web.challenge import challenge
from pipelines.web.robots import FORBIDDEN, PRODUCT, Robots
from pipelines.web.store import Store

#: Seconds between two requests to a host, by each site's published rule: Codeforces' API allows
#: one call every 2 s, AtCoder Problems asks for more than 1 s. AtCoder and LeetCode publish none.
INTERVALS = {"codeforces.com": 2.0, "kenkoooo.com": 1.5, "atcoder.jp": 3.0, "leetcode.com": 5.0}
DEFAULT_INTERVAL_S = 2.0
_DAY_S = 86_400.0
#: How long a host is left alone that is down or says 429, and one that checks for robots.
_DOWN_S, _WALL_S = 3600.0, _DAY_S
#: So many pages in a row that no try could get: the host is at fault, not the page.
_DOWN_AFTER = 5
_ROBOTS_S = _DAY_S  # RFC 9309 2.4
_ROBOTS_BYTES = 512 * 1024  # RFC 9309 asks for at least 500 KiB
_MAX_REDIRECTS = 5
_REDIRECT = (301, 302, 303, 307, 308)
_LATER = (408, 425, 429, 500, 502, 503, 504, *range(520, 525))

Kind = Literal[
    "missing", "robots", "challenge", "address", "too_large", "failed", "paused", "unreadable"
]


class FetchError(RuntimeError):
    """An address that gave no page. `kind` says why: `missing` (404, 410), `robots` (refused by
    robots.txt), `challenge` (a bot check or a login page), `paused` (the host is left alone for
    now), `address` (not public, not http), `too_large`, `unreadable` (fetched twice, and the
    parser could not read it), `failed` (everything else, after retries)."""

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
class Answer:
    """What a server said, after redirects: `url` is where they ended."""

    status: int
    headers: httpx.Headers
    body: bytes
    url: str


class _Passing(Exception):
    """A failure that may pass; `wait` is what the server asks for, in seconds."""

    def __init__(self, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait


class Asker:
    """Asks, for one crawl folder. `clock` and `sleep` are there for tests."""

    def __init__(
        self,
        store: Store,
        config: FetchConfig,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.store, self.config, self.clock = store, config, clock
        self.requests = 0
        self._sleep = sleep
        self._me = uuid.uuid4().hex
        self._robots: dict[str, Robots] = {}
        self._failures: dict[str, int] = {}
        self._allowed = frozenset(h.lower() for h in config.allow_hosts)
        about = f"; {config.contact}" if config.contact else ""
        headers = {
            "User-Agent": f"{PRODUCT}/{version('microcoder')} (dataset crawler{about})",
            "Accept-Encoding": "gzip",
            "Accept-Language": "en",
        }
        self._client = guarded_client(self._allowed, headers, config.timeout_s)

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def ask(self, request: Request, etag: str = "", modified: str = "") -> Answer:
        """The answer to one request, 200 or (to validators) 304, with redirects, retries and all
        checks. Raises FetchError."""
        given = {"If-None-Match": etag, "If-Modified-Since": modified}
        headers = {name: value for name, value in given.items() if value}
        return self._checked(self._redirected(request, headers))

    def _redirected(
        self, request: Request, headers: dict[str, str], max_bytes: int | None = None
    ) -> Answer:
        url, seen = request.url, {request.url}
        while True:
            answer = self._with_retries(replace(request, url=url), headers, max_bytes)
            target = answer.headers.get("location")
            if answer.status not in _REDIRECT or not target:
                return answer
            try:
                url = urldefrag(urljoin(url, target))[0]
            except ValueError as e:
                raise FetchError(
                    "address", f"{request.url} leads to {target!r:.200}: {e}"
                ) from None
            if url in seen or len(seen) > _MAX_REDIRECTS:
                raise FetchError("failed", f"{request.url}: redirects in a circle or too often")
            if request.json is not None:
                raise FetchError("failed", f"{request.url}: a query was sent on to {url}")
            seen.add(url)

    def _checked(self, answer: Answer) -> Answer:
        url, host = answer.url, host_of(answer.url)
        if answer.status in (200, 304):
            self._failures[host] = 0
            return answer
        if answer.status in (404, 410):
            self._failures[host] = 0
            raise FetchError("missing", f"{url}: status {answer.status}")
        self._count_failure(url, f"{url}: status {answer.status}")
        raise FetchError("failed", f"{url}: status {answer.status}")

    def _no_wall(self, answer: Answer) -> None:
        text = answer.body.decode("utf-8", "replace")
        if what := challenge(answer.status, answer.headers, text, answer.url):
            raise self._pause(
                answer.url,
                "challenge",
                f"{answer.url}: {what} instead of the page (status {answer.status}). It is not "
                "worked around; save the pages in a browser and give them with --from-archive",
                _WALL_S,
            )

    def _with_retries(
        self, request: Request, headers: dict[str, str], max_bytes: int | None = None
    ) -> Answer:
        """One request, again as long as the failure may pass. `max_bytes` is that of robots.txt,
        which needs no leave of itself."""
        host = self._admit(request.url, obey=max_bytes is None)
        for attempt in range(self.config.retries + 1):
            try:
                self._wait(host)
                return self._once(request, headers, max_bytes)
            except _Passing as e:
                wait = self.config.backoff_s * 2**attempt * random.uniform(0.75, 1.25)
                wait = min(wait, self.config.max_wait_s)
                if e.wait is not None:
                    wait = max(wait, e.wait)
                    if e.wait > self.config.max_wait_s:
                        raise self._pause(request.url, "paused", str(e), e.wait) from None
                # on disk: a restart must not be the way around a Retry-After
                self.store.hold(host, self.clock() + wait)
                failure = f"{e}; given up after {attempt + 1} tries"
        if "status 429" in failure:
            raise self._pause(request.url, "paused", failure, _DOWN_S)
        self._count_failure(request.url, failure)
        raise FetchError("failed", failure)

    def _count_failure(self, url: str, failure: str) -> None:
        """A host that fails page after page is left alone."""
        host = host_of(url)
        self._failures[host] = self._failures.get(host, 0) + 1
        if self._failures[host] >= _DOWN_AFTER:
            self._failures[host] = 0
            text = f"{_DOWN_AFTER} pages in a row gave nothing, the last: {failure}"
            raise self._pause(url, "paused", text, _DOWN_S)

    def _own(self, host: str) -> bool:
        return host in self._allowed or name_of(host) in self._allowed

    def _admit(self, url: str, obey: bool = True) -> str:
        """The host of a URL that may be asked for now; FetchError otherwise."""
        try:
            host = host_of(url)
        except AddressError as e:
            raise FetchError("address", str(e)) from None
        if not self.config.contact and not self._own(host):
            raise ConfigError(
                f"{url}: set `contact` (a mail address or page) before asking other people's "
                "servers; it goes into the User-Agent"
            )
        state = self.store.host(host)
        if self.clock() < state.paused_until:
            until = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(state.paused_until))
            raise FetchError("paused", f"{host} is left alone until {until}: {state.paused_for}")
        if obey and not self._rules(url, host).allows(url):
            raise FetchError("robots", f"{url}: robots.txt of {host} asks crawlers not to fetch it")
        return host

    def _pause(self, url: str, kind: Kind, message: str, seconds: float) -> FetchError:
        host = host_of(url)
        state = self.store.host(host)
        until = self.clock() + seconds
        self.store.put_host(replace(state, paused_until=until, paused_for=message[:500]))
        return FetchError(kind, message)

    def _rules(self, url: str, host: str) -> Robots:
        """The host's robots.txt, asked for once a day."""
        if host in self._robots:
            return self._robots[host]
        state = self.store.host(host)
        if state.robots is None or not 0 <= self.clock() - state.robots_at < _ROBOTS_S:
            robots = self._fetch_robots(url, state.robots)
            # asked_at has moved since: the request for robots.txt counts too
            state = replace(self.store.host(host), robots=robots, robots_at=self.clock())
            self.store.put_host(state)
        self._robots[host] = Robots(state.robots or "")
        return self._robots[host]

    def _fetch_robots(self, url: str, before: str | None) -> str:
        """robots.txt, or what its absence means (RFC 9309): missing, everything is allowed; not
        to be had for an error of the server, what it said before, or nothing at all."""
        parts = urlsplit(url)
        robots_url = f"{parts.scheme}://{parts.netloc}/robots.txt"
        try:
            answer = self._redirected(Request(robots_url), {}, _ROBOTS_BYTES)
        except FetchError as e:
            if e.pauses or e.kind == "address":
                raise
            if e.kind == "too_large":
                return FORBIDDEN
            if before is not None:
                return before
            text = f"{robots_url}: {e}; without it nothing is fetched"
            raise self._pause(url, "paused", text, _DOWN_S) from None
        if answer.status in (401, 403):  # as Python's own parser has it
            return FORBIDDEN
        return answer.body.decode("utf-8", "replace") if answer.status == 200 else ""

    def interval(self, host: str) -> float:
        """Seconds between two requests to a host: the largest of the default, the config's, and
        robots.txt's crawl-delay."""
        name = name_of(host)
        # one's own test server or mirror needs no default
        least = 0.0 if self._own(host) else INTERVALS.get(name, DEFAULT_INTERVAL_S)
        asked = self.config.interval_s.get(host, self.config.interval_s.get(name, 0.0))
        rules = self._robots.get(host)
        return max(least, asked, rules.delay if rules else 0.0)

    def _wait(self, host: str) -> None:
        """Sleep until the host may be asked, and note that it is asked now."""
        state = self.store.host(host)
        now = self.clock()
        asked = state.asked_at
        # A process that was killed may have sent its request as late as now; a clock that was set
        # back must not stop the crawl for years.
        if state.sender not in ("", self._me) or asked > now:
            asked = now
        ready = max(
            asked + self.interval(host), min(state.not_before, now + self.config.max_wait_s)
        )
        while now < ready:
            self._sleep(ready - now)
            now = self.clock()
        self.store.mark_asked(host, self.clock(), self._me)

    def _once(
        self, request: Request, headers: dict[str, str], max_bytes: int | None = None
    ) -> Answer:
        """One request on the wire. It is noted before it goes out, so that the spacing holds
        across a kill, and after its answer, so that a slow server gets its rest."""
        self.requests += 1
        most = max_bytes or int(self.config.max_mb * 2**20)
        try:
            with self._stream(request, headers) as response:
                body = read_body(response, most, self.config.max_seconds)
                answer = Answer(response.status_code, response.headers, body, str(response.url))
        except httpx.TransportError as e:
            raise _Passing(f"{request.url}: {type(e).__name__}: {e}") from None
        except AddressError as e:
            raise FetchError("address", f"{request.url}: {e}") from None
        except httpx.InvalidURL as e:
            raise FetchError("failed", f"{request.url}: {e}") from None
        except BodyError as e:
            if e.transient:
                raise _Passing(f"{request.url}: {e}") from None
            kind: Kind = "too_large" if e.reason == "too_large" else "failed"
            raise FetchError(kind, f"{request.url}: {e}") from None
        finally:
            self.store.mark_asked(host_of(request.url), self.clock(), "")
        self._no_wall(answer)  # before all else: a check dressed as 503 or 429 is not waited for
        if answer.status in _LATER:
            wait = retry_after(answer.headers.get("retry-after", ""), self.clock())
            raise _Passing(f"{request.url}: status {answer.status}", wait)
        return answer

    @contextlib.contextmanager
    def _stream(self, request: Request, headers: dict[str, str]) -> Iterator[httpx.Response]:
        method = "GET" if request.json is None else "POST"
        with self._client.stream(method, request.url, headers=headers, json=request.json) as r:
            self._client.cookies.clear()  # no session is kept with anybody
            yield r


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
