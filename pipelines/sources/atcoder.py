"""AtCoder: listings from AtCoder Problems (kenkoooo), task pages from atcoder.jp.

`problems.json` names the tasks (`merged-problems.json` misses whole contests: it is only asked for
solver counts), `contests.json` their dates, `problem-models.json` their difficulty (any field may
be absent; negative for the easiest).
"""

from __future__ import annotations

import re
from typing import Any

from pipelines.fetch import Request
from pipelines.pages import StatementPage, atcoder
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
)

NAME = "atcoder"
PARSER = atcoder.PARSER
LICENCE = "unknown (AtCoder)"
PAGES = True
WHY_NOT = ""
_NAMES = ("problems", "merged-problems", "contests", "problem-models")
LISTINGS = {name: f"/{name}.json" for name in _NAMES}
BASES = {"listings": "https://kenkoooo.com/atcoder/resources", "pages": "https://atcoder.jp"}
_ID = re.compile(r"[a-z0-9][\w-]*", re.I | re.A)
_TASK = re.compile(r"/contests/([\w-]+)/tasks/([\w-]+)")


def targets(get: Get, bases: dict[str, str]) -> list[Target]:
    """All tasks of problems.json and merged-problems.json, newest contest first."""

    def ask(name: str, default: Any) -> tuple[Any, Request]:
        request = Request(bases["listings"] + LISTINGS[name])
        return optional(get, request, default), request

    request = Request(bases["listings"] + LISTINGS["problems"])
    problems = rows(listing(get, request), request)
    tasks = by_id(rows(*ask("merged-problems", [])))
    tasks |= {key: {**tasks.get(key, {}), **row} for key, row in by_id(problems).items()}
    contests = by_id(rows(*ask("contests", [])))
    models, request = ask("problem-models", {})
    if not isinstance(models, dict):
        raise ListingError(f"{request.key}: expected an object by task id")
    found = []
    for key, row in tasks.items():
        native, contest = str(key), text(row.get("contest_id"))
        if not all(_ID.fullmatch(v) for v in (native, contest)):
            continue
        model = models.get(native)
        difficulty = model.get("difficulty") if isinstance(model, dict) else None
        started = contests.get(contest, {}).get("start_epoch_second")
        url = f"{bases['pages']}/contests/{contest}/tasks/{native}"
        title = text(row.get("name")) or re.sub(r"^\w+\.\s+", "", text(row.get("title")))
        found.append(
            Target(
                native,
                Request(f"{url}?lang=en"),
                url,
                title=title,
                rating=number(difficulty),
                released_at=day(started),
            )
        )
    return sorted(found, key=lambda t: (-(t.released_at or day(0)).toordinal(), t.native))  # type: ignore[union-attr]


def native_id(address: str) -> str | None:
    """The task of an address or a file's name.

    >>> native_id("https://atcoder.jp/contests/abc300/tasks/abc300_a?lang=en")
    'abc300_a'
    """
    if found := _TASK.search(address):
        return found[2]
    return address if re.fullmatch(r"[a-z0-9-]+_[a-z0-9]+", address) else None


def target(native: str, bases: dict[str, str]) -> Target:
    """A task by its id alone: its contest is the part before the last underscore."""
    contest = native.rpartition("_")[0].replace("_", "-")
    url = f"{bases['pages']}/contests/{contest}/tasks/{native}"
    return Target(native, Request(f"{url}?lang=en"), url)


def page(body: bytes, target: Target) -> StatementPage:
    """The statement of a task page."""
    return atcoder.parse_statement(decoded(body), target.url)
