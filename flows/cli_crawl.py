"""`microcoder crawl`: a site into a folder, politely, again and again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console


def crawl(
    source: Annotated[str, typer.Option(help="atcoder, codeforces or leetcode.")],
    out: Annotated[Path, typer.Option(help="Crawl folder; run again to go on or to update.")],
    contact: Annotated[
        str, typer.Option(help="Your mail address or page, for the User-Agent.")
    ] = "",
    limit: Annotated[int | None, typer.Option(min=1, help="First so many problems.")] = None,
    offline: Annotated[bool, typer.Option(help="Parse what is there; ask nobody.")] = False,
    refresh: Annotated[
        bool, typer.Option(help="Ask for every known page whether it changed.")
    ] = False,
    from_archive: Annotated[
        Path | None, typer.Option(help="Saved pages: a folder, or a WARC file.")
    ] = None,
    pages: Annotated[
        bool | None, typer.Option("--pages/--no-pages", help="Fetch statement pages.")
    ] = None,
    interval: Annotated[
        float | None, typer.Option(min=0, help="Seconds between requests, above the default.")
    ] = None,
    base: Annotated[
        list[str] | None,
        typer.Option(help="Another address: listings=URL or pages=URL (a mirror)."),
    ] = None,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="A host that may have a private address.")
    ] = None,
    i_have_permission: Annotated[
        bool, typer.Option(help="LeetCode only: its terms forbid scraping.")
    ] = False,
) -> None:
    """Crawl a judge's problems: robots.txt, rate limits and bot checks are respected.

    Example: `microcoder crawl --source atcoder --contact you@lab.example --out atcoder/`

    Then, in a config: `[[source]]`, `name = "shards"`, `path = "atcoder/"`.
    """
    from flows.cli import print_funnel
    from flows.progress import shown_progress
    from pipelines.config import ConfigError, parse_config
    from pipelines.crawl_web import WebCrawlConfig, crawl_site, load_site
    from pipelines.fetch import INTERVALS, FetchConfig, Fetcher
    from pipelines.web.address import host_of

    site = load_site(source)
    bases: dict[str, str] = {}
    for item in base or ():
        name, equals, url = item.partition("=")
        if not equals:
            raise ConfigError(f"--base {item!r}: write listings=URL or pages=URL")
        bases[name] = url
    hosts = {host_of(url) for url in [*site.BASES.values(), *bases.values()]} | set(INTERVALS)
    given = {
        "contact": contact,
        "allow_hosts": tuple(allow_host or ()),
        "interval_s": dict.fromkeys(sorted(hosts), interval) if interval is not None else {},
    }
    fetching = parse_config(given, FetchConfig, "microcoder crawl")
    options = {
        "site": source,
        "limit": limit,
        "pages": pages,
        "bases": bases,
        "permission": i_have_permission,
    }
    config = parse_config(options, WebCrawlConfig, "microcoder crawl")
    console = Console()
    with Fetcher(out, fetching) as fetcher, shown_progress(console) as progress:
        report = crawl_site(fetcher, config, offline, refresh, from_archive, progress)
    print_funnel([report.result])
    console.print(
        f"requests {report.requests}, new pages {report.new_pages}, changed "
        f"{report.changed_pages}, saved pages taken {report.saved_pages}",
        highlight=False,
    )
    for origin in report.unmatched[:5]:
        console.print(f"saved page not used: {origin}", markup=False, soft_wrap=True)
    for said in (report.stale_listings, report.paused and f"paused: {report.paused}"):
        if said:
            console.print(said, style="yellow", markup=False, soft_wrap=True)
    if report.stale_listings or report.paused:
        raise typer.Exit(1)
