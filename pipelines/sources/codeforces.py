"""Codeforces: ratings, tags and dates from its API; statements from saved pages.

The API (problemset.problems, contest.list) may be asked once in two seconds. Statement pages answer
robots with a check, so they are only fetched on demand (`--pages`), and a check ends that at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from pipelines.fetch import Request
from pipelines.pages import StatementPage, codeforces
from pipelines.sources.io_tests import day
from pipelines.web.site import (
    Get,
    ListingError,
    Target,
    by_id,
    decoded,
    listing,
    number,
    optional,
    rows,
    text,
    words,
)

NAME = "codeforces"
PARSER = codeforces.PARSER
LICENCE = "unknown (Codeforces)"
PAGES = False
WHY_NOT = (
    "Codeforces answers robots with a check; save the page in a browser and give it with "
    "--from-archive, or take the statement from a published data set"
)
LISTINGS = {
    "problemset.problems": "/problemset.problems",
    "contest.list": "/contest.list?gym=false",
}
BASES = {"listings": "https://codeforces.com/api", "pages": "https://codeforces.com"}
_ADDRESS = re.compile(
    r"(?:contest|gym)/(\d+)/problem/([A-Z]\d{0,2})\b|problemset/problem/(\d+)/([A-Z]\d{0,2})\b",
    re.I,
)
_NAME = re.compile(r"(\d+)[/_-]?([A-Z]\d{0,2})", re.I)


def targets(get: Get, bases: dict[str, str]) -> list[Target]:
    """All problems of problemset.problems, in its order (newest first)."""

    def ask(name: str, read: Callable[..., Any] = listing) -> tuple[Any, Request]:
        request = Request(bases["listings"] + LISTINGS[name])
        data = read(get, request)
        if not isinstance(data, dict) or data.get("status") != "OK":
            comment = data.get("comment") if isinstance(data, dict) else data
            raise ListingError(f"{request.key}: the API says {comment!r:.200}")
        return data, request

    dates = partial(optional, default={"status": "OK", "result": []})
    contests = by_id(rows(*ask("contest.list", dates), "result"))
    found = []
    for row in rows(*ask("problemset.problems"), "result", "problems"):
        contest, index = row.get("contestId"), row.get("index")
        if not isinstance(contest, int) or not re.fullmatch(r"\w{1,9}", text(index), re.A):
            continue  # a problem of a named problem set has no contest and no page here
        kind = row.get("type")
        started = contests.get(contest, {}).get("startTimeSeconds")
        found.append(
            _target(
                f"{contest}/{index}",
                bases,
                title=text(row.get("name")),
                rating=number(row.get("rating")),
                tags=words(row.get("tags")),
                released_at=day(started),
                refused="" if kind in (None, "PROGRAMMING") else "not_programming",
            )
        )
    return found


def _target(native: str, bases: dict[str, str], **facts: Any) -> Target:
    url = f"{bases['pages']}/problemset/problem/{native}"
    return Target(native, Request(url), url, **facts)


def native_id(address: str) -> str | None:
    """The problem of an address or a file's name.

    >>> native_id("https://codeforces.com/contest/1873/problem/A"), native_id("1873_A")
    ('1873/A', '1873/A')
    """
    if found := _ADDRESS.search(address):
        return f"{found[1] or found[3]}/{(found[2] or found[4]).upper()}"
    if found := _NAME.fullmatch(address):
        return f"{found[1]}/{found[2].upper()}"
    return None


def target(native: str, bases: dict[str, str]) -> Target:
    """A problem by its id alone."""
    return _target(native, bases)


def page(body: bytes, target: Target) -> StatementPage:
    """The statement of a problem page."""
    return codeforces.parse_statement(decoded(body), target.url)
