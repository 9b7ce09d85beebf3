"""Crawl a site into a folder: fetch what is new, then make problems of all that is there.

    FOLDER/crawl.sqlite, raw/     what was fetched (pipelines.web.store): parse it again offline
    FOLDER/problems/              Problem shards with dropped/ and a manifest, as every stage writes

Fetching and parsing are apart: a killed crawl goes on where it was, and a better parser needs no
request. Each target of the listings is either a problem or a dropped row with its reason:
`not_fetched` (no page yet; with the metadata), `missing`, `robots`, `failed`, `paid`, or what the
parser says (`no_statement`, `no_samples`, ...: with the raw page). Where a page says something else
than before, the newest revision is parsed; the earlier ones stay in raw/ and are listed in the
manifest. What can't be read never takes the place of what could: not a page, not a listing. A
problem that the listings no longer name stays, flagged `delisted`.
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from pydantic import Field

from pipelines.config import ConfigError, StageConfig
from pipelines.fetch import Fetcher, FetchError, Read, Request
from pipelines.pages import PageError, StatementPage
from pipelines.problem import Dropped, ProblemError, drop
from pipelines.sources import SourceError
from pipelines.stage import (
    Decision,
    Progress,
    StageContext,
    StageResult,
    no_progress,
    run_rows,
)
from pipelines.web.archive import Saved, saved_pages
from pipelines.web.challenge import challenge
from pipelines.web.parsed import read_page
from pipelines.web.site import (
    Get,
    ListingError,
    NotHereError,
    Site,
    Target,
    problem,
)
from pipelines.web.store import PageState

SITES = ("atcoder", "codeforces", "leetcode")
PROBLEMS = "problems"


class WebCrawlConfig(StageConfig):
    """`site`: which one. `limit`: only the first so many problems of its listings. `pages`: fetch
    statement pages (None: as the site's module says). `bases`: other addresses for the site's
    listings and pages (a mirror, a test server). `permission`: LeetCode only, the statement that
    its terms are met."""

    site: str
    limit: int | None = Field(default=None, ge=1)
    pages: bool | None = None
    bases: dict[str, str] = Field(default_factory=dict)
    permission: bool = False


@dataclass(slots=True)
class CrawlReport:
    """What a run of the crawl did, beside the stage's own result."""

    result: StageResult
    requests: int
    new_pages: int
    changed_pages: int
    saved_pages: int = 0
    unmatched: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    paused: str = ""
    stale_listings: str = ""


def load_site(name: str) -> Site:
    """The module of a site; ConfigError for an unknown one.

    >>> load_site("atcoder").NAME
    'atcoder'
    """
    if name not in SITES:
        raise ConfigError(f"unknown site {name!r}; known sites: {', '.join(SITES)}")
    return cast(Site, importlib.import_module(f"pipelines.sources.{name}"))


def crawl_site(
    fetcher: Fetcher,
    config: WebCrawlConfig,
    offline: bool = False,
    refresh: bool = False,
    archive: Path | None = None,
    progress: Progress = no_progress,
) -> CrawlReport:
    """Fetch and parse. `offline`: parse only. `refresh`: ask for every page whether it changed.
    `archive`: take saved pages first. Raises FetchError when a listing can't be had and none is in
    the folder, ListingError for one that does not read; where the folder has earlier ones, those
    are used and `stale_listings` says so. A host that turns the crawl away pauses it (`paused`),
    and the problems are made of what is there.

        with Fetcher(Path("atcoder"), FetchConfig(contact="you@lab.example")) as fetcher:
            crawl_site(fetcher, WebCrawlConfig(site="atcoder", limit=100)).result.kept
    """
    site = load_site(config.site)
    bases = {name: base.rstrip("/") for name, base in {**site.BASES, **config.bases}.items()}
    if unknown := set(bases) - set(site.BASES):
        raise ConfigError(f"bases: {sorted(unknown)} unknown; known: {', '.join(site.BASES)}")
    if site.NAME == "leetcode" and not (config.permission or offline or archive):
        raise ConfigError(
            "LeetCode's terms forbid scraping: crawl it only with permission, and say so "
            "(--i-have-permission), or give saved answers (--from-archive)"
        )
    crawl = _Crawl(fetcher, site, bases, progress)
    if archive is not None:
        crawl.take(saved_pages(archive, int(fetcher.config.max_mb * 2**20)))
        offline = True
    targets = crawl.targets(offline, config.limit)
    wanted = site.PAGES if config.pages is None else config.pages
    if wanted and not offline and not crawl.paused:
        crawl.fetch(targets, refresh)
    result = crawl.parse(targets, config)
    return CrawlReport(
        result,
        fetcher.requests,
        crawl.new,
        crawl.changed,
        crawl.saved,
        crawl.unmatched,
        sorted(crawl.failed),
        crawl.paused,
        crawl.stale,
    )


def _stem(address: str) -> str:
    """The last part of an address or file name, without query and `.json`.

    >>> _stem("https://codeforces.com/api/contest.list?gym=false"), _stem("problems.json")
    ('contest.list', 'problems')
    """
    return address.partition("?")[0].rpartition("/")[2].removesuffix(".json")


class _Crawl:
    """One run over one site."""

    def __init__(
        self, fetcher: Fetcher, site: Site, bases: dict[str, str], progress: Progress
    ) -> None:
        self.fetcher, self.site, self.bases, self.progress = fetcher, site, bases, progress
        self.new = self.changed = self.saved = 0
        self.unmatched: list[str] = []
        self.failed: list[str] = []
        self.paused = self.stale = ""
        self.stage = f"crawl {site.NAME}"

    def take(self, pages: Iterable[Saved]) -> None:
        """Put saved pages under the requests of their problems (a task may lie in a contest of
        another name, which the listings in the folder know), saved listings under theirs."""
        rows = self.fetcher.store.targets(self.site.NAME)
        known = {native: Target.from_json(native, facts) for native, _, facts in rows}
        for page in pages:
            if not page.error:
                text = page.body.decode("utf-8", "replace")
                page = replace(page, error=challenge(200, {}, text) or "")
            where = self.site.LISTINGS.get(_stem(page.address))
            native = None if where else self.site.native_id(page.address)
            if page.error or (where is None and native is None):
                reason = page.error or f"names no problem of {self.site.NAME}"
                self.unmatched.append(f"{page.origin}: {reason}")
            elif where is not None:
                request = Request(self.bases["listings"] + where)
                self._put(request, page, self._reads_as(request))
            elif native is not None:
                target = known.get(native) or self.site.target(native, self.bases)
                self.fetcher.store.put_saved(self.site.NAME, native, target.to_json())
                self._put(target.request, page, self._read(target))
        if not self.saved:
            raise SourceError(
                "no saved page names a problem of "
                f"{self.site.NAME} (by its address or file name); seen: {self.unmatched[:3]}"
            )

    def _reads_as(self, request: Request) -> Read:
        """Whether a saved listing reads, together with those that the folder has."""

        def read(body: bytes) -> object:
            try:
                return self._by_id(lambda r: body if r.key == request.key else self._known(r))
            except NotHereError:
                return body
            except ListingError as e:
                raise ValueError(str(e)) from None

        return read

    def _put(self, request: Request, page: Saved, read: Read) -> None:
        found = self.fetcher.put(request.key, page.body, page.origin, page.saved_at, read)
        self.saved += 1
        self.new += found is not None and found.new
        if found is None:
            state = self.fetcher.store.page(request.key)
            why = "older than what the folder has" if state.sha256 else state.failure
            self.unmatched.append(f"{page.origin}: not taken: {why}")

    def _listed(self, offline: bool) -> dict[str, Target]:
        """The targets of the listings. New listings are kept only when all of them read."""
        if offline or self.paused:
            return self._by_id(self._known)
        for again in (False, True):
            pending: list[PageState] = []

            def get(request: Request, pending: list[PageState] = pending) -> bytes:
                return self.fetcher.get(request, refresh=True, pending=pending).body

            try:
                listed = self._by_id(get)
            except ListingError as e:
                if again:
                    return self._earlier(e)
            except FetchError as e:
                return self._earlier(e)
            else:
                for state in pending:
                    self.fetcher.store.put_page(state)
                break
        return listed

    def _earlier(self, e: FetchError | ListingError) -> dict[str, Target]:
        """The listings of the last run, where there are any; else the error is raised."""
        try:
            listed = self._by_id(self._known)
        except ListingError:
            raise e from None
        if isinstance(e, FetchError) and e.pauses:
            self.paused = str(e)
        else:
            self.stale = f"the listings of the last run were used: {e}"
        return listed

    def _by_id(self, get: Get) -> dict[str, Target]:
        found: dict[str, Target] = {}
        for target in self.site.targets(get, self.bases):
            found.setdefault(target.native, target)
        return found

    def _known(self, request: Request) -> bytes:
        page = self.fetcher.known(request)
        if page is None:
            raise NotHereError(f"{request.key}: not in the folder; crawl online first")
        return page.body

    def targets(self, offline: bool, limit: int | None) -> list[Target]:
        """The listings' targets, then those that only saved pages or earlier listings named."""
        store, name = self.fetcher.store, self.site.NAME
        try:
            listed = self._listed(offline)
        except NotHereError:
            listed = {}
        if listed:
            store.put_listed(name, ((t.native, t.to_json()) for t in listed.values()))
        found = list(listed.values())[:limit]
        for native, origin, facts in store.targets(name):
            if native not in listed:
                target = Target.from_json(native, facts)
                flags = (*target.flags, "delisted") if origin == "delisted" else target.flags
                found.append(replace(target, flags=flags))
        return found

    def fetch(self, targets: list[Target], refresh: bool) -> None:
        """Ask for the pages that are not there yet (all, with `refresh`)."""
        asked = [t for t in targets if not t.refused]
        self.progress(self.stage, 0, len(asked))
        for done, target in enumerate(asked, 1):
            try:
                self._one(target, refresh)
            except FetchError as e:
                if e.pauses:
                    self.paused = str(e)
                    return
                self.failed.append(target.native)
            self.progress(self.stage, done, len(asked), target.native)

    def _one(self, target: Target, refresh: bool) -> None:
        before = self.fetcher.store.page(target.request.key)
        if before.sha256 and not refresh and not before.failure:
            return
        page = self.fetcher.get(target.request, refresh, self._read(target))
        self.new += not before.sha256
        self.changed += bool(before.sha256) and page.new

    def _read(self, target: Target) -> Read:
        def read(body: bytes) -> object:
            try:
                return self._page(hashlib.sha256(body).hexdigest(), target, body)
            except PageError as e:
                if e.reason in ("paid", "no_python"):
                    return e.reason  # it reads; there is nothing in it for us
                raise

        return read

    def _page(self, sha256: str, target: Target, body: bytes | None = None) -> StatementPage:
        """The page of a body, parsed once for each parser."""
        store = self.fetcher.store

        def parse() -> StatementPage:
            return self.site.page(store.raw(sha256) if body is None else body, target)

        return read_page(store, sha256, target.url, parse)

    def parse(self, targets: list[Target], config: WebCrawlConfig) -> StageResult:
        """Problems of all that is in the folder."""
        store = self.fetcher.store
        states = [store.page(t.request.key) for t in targets]
        inputs = [
            [repr(t), s.sha256 or s.bad_sha256, s.fetched_at, "" if s.sha256 else s.failure]
            for t, s in zip(targets, states, strict=True)
        ]

        def decisions(ctx: StageContext) -> Iterator[Decision]:
            revised: dict[str, Any] = {}
            for target, state in zip(targets, states, strict=True):
                revisions = store.revisions(state.key)
                if len(revisions) > 1:
                    revised[target.native] = [sha256 for _, sha256, _ in revisions]
                yield self._decide(target, state)
            ctx.extra["revisions"] = revised

        return run_rows(
            "crawl",
            store.folder / PROBLEMS,
            config,
            decisions,
            inputs=inputs,
            n_in=len(targets),
            rooms=(),
            progress=self.progress,
        )

    def _decide(self, target: Target, state: PageState) -> Decision:
        site, failure = self.site, state.failure
        # what could not be read is tried again here: the parser may have learned to
        sha256, at = state.sha256 or state.bad_sha256, state.fetched_at or state.checked_at
        if not sha256 or target.refused:
            alone = problem(site, target, None, "", None)
            reason, _, text = failure.partition(": ")
            if target.refused:
                return drop(alone, "crawl", target.refused, url=target.url)
            why = text or site.WHY_NOT or "not reached yet; the same command goes on"
            return drop(alone, "crawl", reason or "not_fetched", url=target.url, why=why)
        try:
            return problem(site, target, self._page(sha256, target), sha256, at)
        except (PageError, ProblemError) as e:
            reason = e.reason if isinstance(e, PageError) else "bad_text"
            return Dropped(
                f"{site.NAME}/{target.native}",
                "crawl",
                reason,
                {"url": target.url, "error": str(e), "sha256": sha256},
                target.url,
                raw=self.fetcher.store.raw(sha256),
            )
