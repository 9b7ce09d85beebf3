"""Crawl a site into a folder: fetch what is new, then make problems of all that is there.

    FOLDER/crawl.sqlite, raw/     what was fetched (pipelines.web.store): parse it again offline
    FOLDER/problems/              Problem shards with dropped/ and a manifest, as every stage writes

Fetching and parsing are apart: a killed crawl goes on where it was, and a better parser needs no
request. Each target of the listings is either a problem or a dropped row with its reason:
`not_fetched` (no page yet; with the metadata), `missing`, `robots`, `failed`, `paid`, or what the
parser says (`no_statement`, `no_samples`, ...: with the raw page). Where a page changed, the newest
revision is parsed; the earlier ones stay in raw/ and are listed in the manifest.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from pydantic import Field

from pipelines.config import ConfigError, StageConfig
from pipelines.fetch import Fetcher, FetchError, Page, Request
from pipelines.pages import PageError
from pipelines.problem import Dropped, ProblemError, drop
from pipelines.shards import write_json_atomic
from pipelines.sources import SourceError
from pipelines.stage import (
    Decision,
    Progress,
    StageContext,
    StageResult,
    no_progress,
    run_rows,
)
from pipelines.web.archive import saved_pages
from pipelines.web.site import Site, Target, problem

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
    paused: str = ""


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
    the folder, ListingError for one that does not read; a host that turns the crawl away pauses
    it (`paused`), and the problems are made of what is there.

    >>> # with Fetcher(Path("atcoder"), FetchConfig(contact="you@lab.example")) as fetcher:
    ... #     crawl_site(fetcher, WebCrawlConfig(site="atcoder", limit=100)).result.kept
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
        crawl.paused,
    )


class _Crawl:
    """One run over one site."""

    def __init__(
        self, fetcher: Fetcher, site: Site, bases: dict[str, str], progress: Progress
    ) -> None:
        self.fetcher, self.site, self.bases, self.progress = fetcher, site, bases, progress
        self.new = self.changed = self.saved = 0
        self.unmatched: list[str] = []
        self.paused = ""
        self.stage = f"crawl {site.NAME}"
        self.archived: set[str] = set()

    def take(self, pages: Iterable[Any]) -> None:
        """Put saved pages under the requests of their problems (a task may lie in a contest of
        another name, which the listings in the folder know)."""
        listed = {t.native: t for t in self._read_listings(offline=True)}
        for page in pages:
            native = self.site.native_id(page.address)
            if native is None:
                self.unmatched.append(page.origin)
                continue
            target = listed.get(native) or self.site.target(native, self.bases)
            key = target.request.key
            found = self.fetcher.put(key, page.body, page.origin, page.saved_at)
            self.saved += 1
            self.new += found.new
            self.archived.add(native)
        if not self.saved:
            raise SourceError(
                "no saved page names a problem of "
                f"{self.site.NAME} (by its address or file name); seen: {self.unmatched[:3]}"
            )

    def _read_listings(self, offline: bool) -> list[Target]:
        def get(request: Request) -> bytes:
            known = self.fetcher.known(request)
            if not offline and not self.paused:
                try:
                    return self.fetcher.get(request, refresh=True).body
                except FetchError as e:
                    if known is None or not e.pauses:
                        raise
                    self.paused = str(e)  # the listing of the last run will do
            if known is None:
                raise FetchError("missing", f"{request.key}: not in the folder; crawl online first")
            return known.body

        try:
            return self.site.targets(get, self.bases)
        except FetchError:
            if offline:
                return []
            raise

    def targets(self, offline: bool, limit: int | None) -> list[Target]:
        """The listings' targets, each id once, then those of saved pages that no listing names.
        Ids are remembered in the folder, so that an offline run finds them again."""
        listed = {t.native: t for t in reversed(self._read_listings(offline))}
        found = list(reversed(listed.values()))[:limit]
        path = self.fetcher.store.folder / f"saved-{self.site.NAME}.json"
        before = json.loads(path.read_text("utf-8")) if path.exists() else []
        saved = sorted({*before, *self.archived})
        if saved != before:
            write_json_atomic(path, saved)
        known = {t.native for t in found}
        return found + [
            listed.get(native) or self.site.target(native, self.bases)
            for native in saved
            if native not in known
        ]

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
            self.progress(self.stage, done, len(asked), target.native)

    def _one(self, target: Target, refresh: bool) -> None:
        before = self.fetcher.store.page(target.request.key)
        if before.sha256 and not refresh and not before.failure:
            return
        page = self.fetcher.get(target.request, refresh)
        if page.new and self._reads(page, target) is not None:
            # a page cut short or half made reads the second time; one that is broken does not
            page = self._again(target)
            error = self._reads(page, target)
            if error is not None:
                self.fetcher.fail(target.request, f"{error}")
                return
        self.new += not before.sha256
        self.changed += bool(before.sha256) and page.sha256 != before.sha256

    def _again(self, target: Target) -> Page:
        state = self.fetcher.store.page(target.request.key)
        self.fetcher.store.put_page(replace(state, etag="", modified=""))
        return self.fetcher.get(target.request, refresh=True)

    def _reads(self, page: Page, target: Target) -> Exception | None:
        try:
            self.site.page(page.body, target)
        except PageError as e:
            return e if e.reason not in ("paid", "no_python") else None
        return None

    def parse(self, targets: list[Target], config: WebCrawlConfig) -> StageResult:
        """Problems of all that is in the folder."""
        store = self.fetcher.store
        states = [store.page(t.request.key) for t in targets]
        inputs = [
            [repr(t), s.sha256, s.fetched_at, s.failure]
            for t, s in zip(targets, states, strict=True)
        ]

        def decisions(ctx: StageContext) -> Iterator[Decision]:
            revised: dict[str, Any] = {}
            for target, state in zip(targets, states, strict=True):
                revisions = store.revisions(state.key)
                if len(revisions) > 1:
                    revised[target.native] = [sha256 for _, sha256, _ in revisions]
                yield self._decide(target, state.sha256, state.fetched_at, state.failure)
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

    def _decide(self, target: Target, sha256: str, fetched_at: float, failure: str) -> Decision:
        site = self.site
        if not sha256 or target.refused:
            alone = problem(site, target, None, "", None)
            reason, _, text = failure.partition(": ")
            if target.refused:
                return drop(alone, "crawl", target.refused, url=target.url)
            why = text or site.WHY_NOT or "not reached yet; the same command goes on"
            return drop(alone, "crawl", reason or "not_fetched", url=target.url, why=why)
        body = self.fetcher.store.raw(sha256)
        try:
            return problem(site, target, site.page(body, target), sha256, fetched_at)
        except (PageError, ProblemError) as e:
            reason = e.reason if isinstance(e, PageError) else "bad_text"
            return Dropped(
                f"{site.NAME}/{target.native}",
                "crawl",
                reason,
                {"url": target.url, "error": str(e), "sha256": sha256},
                target.url,
                raw=body,
            )
