"""Pages as the parser read them, beside the raw ones: parsing is what a crawl computes most, and a
run that fetched three new pages has no need to parse ten thousand."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from functools import cache

from pipelines.pages import PageError, StatementPage
from pipelines.stage import code_hash
from pipelines.web.store import Store


@cache
def parser_hash() -> str:
    """The identity of all page parsers: with another one nothing is taken from the cache."""
    return code_hash("pipelines/pages", "pipelines/sources")


def read_page(
    store: Store, sha256: str, url: str, parse: Callable[[], StatementPage]
) -> StatementPage:
    """What `parse` makes of the body of that sha256 at that URL, remembered in the store, a refusal
    (PageError) too."""
    key = f"{sha256} {url}"
    found = store.parsed(key, parser_hash())
    if found is not None:
        data = json.loads(found)
        if "refused" in data:
            raise PageError(*data["refused"])
        return _page(data)
    try:
        page = parse()
    except PageError as e:
        store.put_parsed(key, parser_hash(), json.dumps({"refused": [e.reason, str(e)]}))
        raise
    store.put_parsed(key, parser_hash(), json.dumps(asdict(page)))
    return page


def _page(data: dict[str, object]) -> StatementPage:
    """The inverse of `asdict` through JSON, which has no tuples."""

    def frozen(value: object) -> object:
        return tuple(map(frozen, value)) if isinstance(value, list) else value

    return StatementPage(**{name: frozen(value) for name, value in data.items()})  # type: ignore[arg-type]
