"""AtCoder task pages: `#task-statement`, in four generations of markup.

English (`span.lang-en`) where there is one, else Japanese with the flag `not_english`. A sample is
the first `<pre>` after a heading such as 'Sample Input 1' or '入力例 1'; other `<pre>` are formats
and drawings.
"""

from __future__ import annotations

import re
import unicodedata

from bs4 import BeautifulSoup, Tag

from pipelines.pages import PageError, StatementPage
from pipelines.pages.dom import (
    images,
    mebibytes,
    not_latin,
    parse_html,
    pre_text,
    require_whole,
    seconds,
    squeeze,
    strings,
)
from pipelines.pages.markdown import to_markdown

PARSER = "atcoder_page/1"

_SAMPLE = re.compile(
    r"(?:sample|example) (?P<a>input|output)(?: example)?|(?P<b>input|output) (?:sample|example)|"
    r"(?P<c>入力|出力)(?:の)?(?:例|サンプル)|サンプル(?P<d>入力|出力)",
    re.I,
)
_NUMBER = re.compile(r"\s*[#(]?\s*(\d*)\s*[).:]?\s*")
_LIMITS = re.compile(
    r"(?:time limit|実行時間制限)\s*[:：]\s*(?P<time>[^/／]+)"
    r"(?:[/／]\s*(?:memory limit|メモリ制限)\s*[:：]\s*(?P<memory>[\d.,]+\s*\w+))?",
    re.I,
)
_INTERACTIVE = re.compile(
    r"\binteractive (?:task|problem)\b|インタラクティブ(?:な|形式の)?(?:問題|タスク)", re.I
)
_NOT_INTERACTIVE = re.compile(r"\bnot an? interactive (?:task|problem)\b", re.I)
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
#: `<` that can't start a tag inside a formula, where HTML would need `&lt;`.
_VAR = re.compile(r"(<var>)((?:(?!<var>).){0,2000}?)(</var>)", re.S | re.I)
_NOT_A_TAG = re.compile(r"<(?!/?[a-z][a-z0-9]*(?:\s[^<>]*)?/?>)", re.I)


def parse_statement(html: str, url: str = "") -> StatementPage:
    """The statement of an AtCoder task page. Raises PageError.

    >>> parse_statement("<h1>Sign in</h1>")
    Traceback (most recent call last):
    pipelines.pages.PageError: no #task-statement in the page (a login page or a running contest?)
    """
    soup = parse_html(html, _mend)
    whole = soup.select_one("#task-statement")
    if whole is None:
        raise PageError(
            "no_statement", "no #task-statement in the page (a login page or a running contest?)"
        )
    task, english = _language(whole)
    if not squeeze(task.get_text()):
        raise PageError("no_statement", "#task-statement is empty")
    title = _title(soup)
    time_limit, memory = _limits(soup)
    flags: dict[str, None] = {}
    pictures = images(task, url)
    if pictures:
        flags["needs_image"] = None
    samples = _samples(task)
    for level in _HEADINGS:
        for heading in task.find_all(level):
            heading.name = "h2"
            heading.string = squeeze(heading.get_text(" "))
    body = to_markdown(task, "atcoder")
    if _INTERACTIVE.search(_NOT_INTERACTIVE.sub("", body)):
        flags["interactive"] = None
    elif not samples:
        raise PageError(
            "no_samples", "no <pre> under a heading like 'Sample Input 1' or '入力例 1'"
        )
    if not english or not_latin(body):
        flags["not_english"] = None
    require_whole(html)
    return StatementPage(
        title=title,
        statement=body,
        samples=samples,
        time_limit_s=time_limit,
        memory_limit_mb=memory,
        flags=tuple(flags),
        images=pictures,
    )


def _mend(html: str) -> str:
    return _VAR.sub(lambda m: m[1] + _NOT_A_TAG.sub("&lt;", m[2]) + m[3], html)


def _language(whole: Tag) -> tuple[Tag, bool]:
    """The part of the statement in one language (both would double the samples), and whether it
    may be English."""
    for css, english in (
        (".lang-en", True),
        (".lang > [lang=en]", True),
        (".lang-ja", False),
    ):
        found = whole.select_one(css)
        if found is not None and squeeze(found.get_text()):
            return found, english
    return whole, True


def _title(soup: BeautifulSoup) -> str:
    """'A - Name' of the page without its letter and the links beside it."""
    for element in (*soup.select("span.h2, h2"), *soup.select("title")):
        if element.find_parent(id="task-statement"):
            continue
        name = re.sub(r"^[A-Z]\w{0,2} - ", "", squeeze(" ".join(strings(element))))
        if name:
            return name
    raise PageError("no_title", "no span.h2 or <title> with the task's name")


def _limits(soup: BeautifulSoup) -> tuple[float | None, int | None]:
    for element in soup.find_all(["p", "div", "li"]):
        text = squeeze("".join(strings(element)))
        match = _LIMITS.search(text)
        if match:
            memory = match["memory"]
            return seconds(match["time"]), mebibytes(memory) if memory else None
    return None, None


def _label(element: Tag) -> tuple[str, str] | None:
    """('input' or 'output', number or '') of a sample's heading."""
    text = unicodedata.normalize("NFKC", squeeze(element.get_text(" ")))
    match = _SAMPLE.match(text)
    number = _NUMBER.fullmatch(text, match.end()) if match else None
    if match is None or number is None:
        return None
    word = next(w for w in match.groups() if w).lower()
    return ("input" if word in ("input", "入力") else "output"), number[1]


def _samples(task: Tag) -> tuple[tuple[str, str], ...]:
    found: dict[str, list[tuple[str, str]]] = {"input": [], "output": []}
    label: tuple[str, str] | None = None
    for element in task.find_all([*_HEADINGS, "p", "pre", "dt"]):
        if element.name == "pre":
            if label is not None:
                found[label[0]].append((label[1], pre_text(element)))
                label = None
        elif element.name in ("p", "dt"):
            # utpc2011: <p>入力例 1:</p><pre class="literal-block">. A paragraph of a sample's
            # text doesn't end it.
            label = _label(element) or label
        else:
            label = _label(element)
    inputs, outputs = found["input"], found["output"]
    if [n for n, _ in inputs] != [n for n, _ in outputs]:
        raise PageError(
            "sample_mismatch",
            f"sample inputs {_numbers(inputs)} but outputs {_numbers(outputs)}: "
            "the page is cut or broken",
        )
    numbers = [n for n, _ in inputs if n]
    if len(set(numbers)) < len(numbers):
        raise PageError("sample_mismatch", f"two samples share a number: {_numbers(inputs)}")
    return tuple((given, out) for (_, given), (_, out) in zip(inputs, outputs, strict=True))


def _numbers(samples: list[tuple[str, str]]) -> str:
    return f"[{', '.join(n or '?' for n, _ in samples)}]"
