"""What a crawled site is to the crawl: listings that name its problems, a page a problem, and how
to read both. Sites are modules in pipelines/sources; nothing in them does I/O."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from pipelines.fetch import Request
from pipelines.pages import PageError, StatementPage
from pipelines.problem import Problem, Provenance, TestCase

#: Gives the bytes of a listing: from the network, or offline from the crawl folder.
Get = Callable[[Request], bytes]


class ListingError(RuntimeError):
    """A listing of a site that does not read as expected; the message names listing and field."""


class NotHereError(ListingError):
    """An offline run wants a listing that the folder does not hold."""


@dataclass(frozen=True, slots=True)
class Target:
    """A problem that a listing names: the site's own id, where its page is, and what the listings
    say of it. `refused` is a reason for which its page is never asked for (`paid`)."""

    native: str
    request: Request
    url: str
    title: str = ""
    rating: float | None = None
    level: str | None = None
    tags: tuple[str, ...] = ()
    released_at: dt.date | None = None
    flags: tuple[str, ...] = ()
    refused: str = ""

    def to_json(self) -> str:
        """All but the native id, for the store.

        >>> t = Target("a", Request("u", {"q": 1}), "u", released_at=dt.date(2024, 2, 3))
        >>> Target.from_json("a", t.to_json()) == t
        True
        """
        facts = {f: getattr(self, f) for f in self.__slots__ if f not in ("native", "request")}
        facts["request"] = [self.request.url, self.request.json]
        return json.dumps(facts, ensure_ascii=False, sort_keys=True, default=str)

    @staticmethod
    def from_json(native: str, text: str) -> Target:
        """The inverse of :meth:`to_json`."""
        facts = json.loads(text)
        day_text = facts["released_at"]
        facts["released_at"] = dt.date.fromisoformat(day_text) if day_text else None
        facts |= {"tags": tuple(facts["tags"]), "flags": tuple(facts["flags"])}
        facts["request"] = Request(*facts["request"])
        return Target(native, **facts)


class Site(Protocol):
    """A crawled site. `PAGES`: False where statement pages are not fetched unless asked for, with
    the reason in `WHY_NOT`. `LISTINGS`: the file name by which a saved listing is known, and where
    the listing is below `BASES["listings"]`."""

    NAME: str
    PARSER: str
    BASES: dict[str, str]
    LICENCE: str
    PAGES: bool
    WHY_NOT: str
    LISTINGS: dict[str, str]

    def targets(self, get: Get, bases: dict[str, str]) -> list[Target]:
        """All problems of the listings, in a fixed order."""

    def native_id(self, address: str) -> str | None:
        """The id of the problem whose page an address (or a saved file's name) is; None: none."""

    def target(self, native: str, bases: dict[str, str]) -> Target:
        """The target of an id that no listing named (a saved page)."""

    def page(self, body: bytes, target: Target) -> StatementPage:
        """The statement of a page; PageError where it has none."""


def listing(get: Get, request: Request) -> Any:
    """The JSON of a listing; ListingError when it is none."""
    body = get(request)
    try:
        return json.loads(body)
    except ValueError as e:
        head = body[:60].decode("utf-8", "replace")
        raise ListingError(f"{request.key}: not JSON ({e}); it begins {head!r}") from None


def optional(get: Get, request: Request, default: Any) -> Any:
    """The same for a listing that an offline run can do without (dates, ratings)."""
    try:
        return listing(get, request)
    except NotHereError:
        return default


def rows(data: Any, request: Request, *path: str) -> list[dict[str, Any]]:
    """The list of objects at `path` in a listing; ListingError naming what is there instead."""
    for name in path:
        if not isinstance(data, dict) or name not in data:
            raise ListingError(f"{request.key}: field {'.'.join(path)!r} is missing")
        data = data[name]
    if not isinstance(data, list) or not all(isinstance(row, dict) for row in data):
        raise ListingError(
            f"{request.key}: field {'.'.join(path) or '(top)'} is no list of objects"
        )
    return data


def by_id(found: list[dict[str, Any]]) -> dict[Any, dict[str, Any]]:
    """Rows by their `id`; one whose id is neither text nor a number can't be meant by anything."""
    return {row["id"]: row for row in found if isinstance(row.get("id"), str | int)}


def number(value: Any) -> float | None:
    """A finite number, None for anything else.

    >>> number(800), number("800"), number(float("nan")), number(True)
    (800.0, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e15 else None


def text(value: Any) -> str:
    """Text that UTF-8 can hold, empty for anything else.

    >>> text("Sum"), text(None), text("\\ud800")
    ('Sum', '', '')
    """
    if not isinstance(value, str) or any("\ud800" <= c <= "\udfff" for c in value):
        return ""
    return value


def words(value: Any) -> tuple[str, ...]:
    """The texts in a list, none for anything else."""
    return tuple(filter(None, map(text, value))) if isinstance(value, list) else ()


def decoded(body: bytes) -> str:
    """The text of a page; PageError for bytes that are not UTF-8."""
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        raise PageError("bad_text", f"byte {e.start} is not UTF-8") from None


def problem(
    site: Site, target: Target, page: StatementPage | None, sha256: str, fetched_at: float | None
) -> Problem:
    """The problem of a target and its page (None: what the listings say alone)."""
    facts: dict[str, Any] = {}
    flags = target.flags
    if page is not None:
        flags = (*flags, *(f for f in page.flags if f not in flags))
        facts = {
            "statement": page.statement,
            "tests": tuple(
                TestCase(given, output, "sample", f"sample-{i}")
                for i, (given, output) in enumerate(page.samples, 1)
            ),
            "time_limit_s": page.time_limit_s,
            "memory_limit_mb": page.memory_limit_mb,
            "starter_code": page.starter_code,
            "fn_name": page.fn_name,
        }
    at = dt.datetime.fromtimestamp(int(fetched_at), dt.UTC) if fetched_at else None
    return Problem(
        id=f"{site.NAME}/{target.native}",
        title=(page.title if page else "") or target.title,
        url=target.url,
        rating=target.rating,
        level=target.level or (page.level if page else None),
        tags=target.tags or (page.tags if page else ()),
        flags=flags,
        released_at=target.released_at,
        licence=site.LICENCE,
        provenance=Provenance(target.url, at, sha256, site.PARSER),
        **facts,
    )
