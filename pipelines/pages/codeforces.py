"""Codeforces problem pages: `div.problem-statement`, in all the templates its years left behind.

Limits and file names lie in the header, each behind a `property-title`; samples in
`.sample-test`, as `<pre>` with newlines, with `<br>`, with an id, or with one div a line; formulas
between `$$$`, in `span.tex-span`, or (old) as pictures.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bs4 import Tag

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
)
from pipelines.pages.markdown import fenced, to_markdown

PARSER = "codeforces_page/1"

_STANDARD = re.compile(r"standard|стандартн|stdin|stdout|console|консол", re.I)
_INTERACTION = re.compile(r"interaction|протокол взаимодействия|взаимодействие", re.I)
_INTERACTIVE = re.compile(
    r"\bthis is an? (?:\w+ )?interactive problem\b|это интерактивная задача|"
    r"\binteractive problem\W+(?:you|the|in)\b",
    re.I,
)
_SECTIONS = {
    "входные данные": "Input", "выходные данные": "Output", "примечание": "Note",
}  # fmt: skip
#: `<` that can't start a tag inside a formula, where HTML would need `&lt;`.
_MATH = re.compile(r"\${3}[^$]{1,2000}\${3}")
_NOT_A_TAG = re.compile(r"<(?!/?[a-z][a-z0-9]*(?:\s[^<>$]*)?/?>)", re.I)


def parse_statement(html: str, url: str = "") -> StatementPage:
    """The statement of a Codeforces problem page. A page with samples is told by them; only an
    interactive one may come without. Raises PageError.

    >>> parse_statement("<p>Please wait</p>")
    Traceback (most recent call last):
    pipelines.pages.PageError: no div.problem-statement in the page (a bot check or a login page?)
    """
    soup = parse_html(html, _mend)
    found = [
        s for s in soup.select("div.problem-statement") if not s.find_parent(class_=_STATEMENT)
    ]
    if not found:
        raise PageError(
            "no_statement",
            "no div.problem-statement in the page (a bot check or a login page?)",
        )
    if len(found) > 1:
        raise PageError(
            "several_statements",
            f"{len(found)} statements in one page: save the pages of the single problems",
        )
    statement = found[0]
    title, properties = _header(statement)
    flags: dict[str, None] = {}
    pictures = images(statement, url)
    if pictures:
        flags["needs_image"] = None
    files = [properties.get(f"{kind}-file", "") for kind in ("input", "output")]
    files = ["" if _STANDARD.search(name) else name for name in files]
    if any(files):
        flags["file_io"] = None
    samples = _samples(statement)
    body, interactive = _body(statement, samples)
    if interactive:
        flags["interactive"] = None
    elif not samples:
        raise PageError("no_samples", "the statement has no .sample-test with input and output")
    if not_latin(body):
        flags["not_english"] = None
    time_limit, memory = properties.get("time-limit"), properties.get("memory-limit")
    require_whole(html)
    return StatementPage(
        title=title,
        statement=body,
        samples=samples,
        time_limit_s=seconds(time_limit) if time_limit else None,
        memory_limit_mb=mebibytes(memory) if memory else None,
        flags=tuple(flags),
        images=pictures,
        input_file=files[0],
        output_file=files[1],
    )


_STATEMENT = "problem-statement"


def _mend(html: str) -> str:
    return _MATH.sub(lambda m: _NOT_A_TAG.sub("&lt;", m[0]), html)


def _header(statement: Tag) -> tuple[str, dict[str, str]]:
    """Title, and the header's values by class. The header is taken out of the statement."""
    header = statement.select_one(".header")
    title = header.select_one(".title") if header else None
    name = re.sub(r"^[A-Z]\d{0,2}\.\s+", "", squeeze(title.get_text(" "))) if title else ""
    if header is None or not name:
        raise PageError("no_title", "the statement has no .header with a .title")
    properties = {}
    for kind in ("time-limit", "memory-limit", "input-file", "output-file"):
        element = header.select_one(f".{kind}")
        if element is not None:
            for label in element.select(".property-title"):
                label.extract()
            properties[kind] = squeeze(element.get_text(" "))
    header.extract()
    return name, properties


def _samples(statement: Tag) -> tuple[tuple[str, str], ...]:
    """The samples, taken out of the statement."""
    inputs: list[str] = []
    outputs: list[str] = []
    for block in statement.select(".sample-test, .sample-tests"):
        if block.decomposed or block.find_parent(class_="sample-tests"):
            continue
        for kind, texts in (("input", inputs), ("output", outputs)):
            for element in block.select(f".{kind}"):
                pre = element.select_one("pre")
                if pre is None:
                    raise PageError("sample_mismatch", f"a sample's .{kind} has no <pre>")
                texts.append(pre_text(pre))
        block.extract()
    if len(inputs) != len(outputs):
        raise PageError(
            "sample_mismatch",
            f"{len(inputs)} sample inputs but {len(outputs)} outputs: the page is cut or broken",
        )
    return tuple(zip(inputs, outputs, strict=True))


def _body(statement: Tag, samples: Sequence[tuple[str, str]]) -> tuple[str, bool]:
    """Markdown of the rest, the samples in front of the note; and whether it is interactive."""
    interactive = False
    for title in statement.select(".section-title"):
        text = squeeze(title.get_text(" ")).rstrip(":")
        interactive |= _INTERACTION.fullmatch(text) is not None
        title.name = "h2"
        title.string = _SECTIONS.get(text.lower(), text)
    notes = statement.select(".note")
    for note in notes:
        note.extract()
    parts = [to_markdown(statement, "codeforces")]
    if not parts[0].strip():
        raise PageError("no_statement", "the statement has a title and no text")
    parts += sample_sections(samples)
    parts += [to_markdown(note, "codeforces") for note in notes]
    body = "\n\n".join(p.strip("\n") for p in parts if p.strip())
    return body, interactive or _INTERACTIVE.search(body) is not None


def sample_sections(samples: Sequence[tuple[str, str]]) -> list[str]:
    """Samples as Markdown sections.

    >>> sample_sections([("1\\n", "2\\n")])[1]
    '## Sample Output 1\\n\\n```\\n2\\n```'
    """
    return [
        f"## Sample {kind} {number}\n\n{fenced(text).strip()}"
        for number, pair in enumerate(samples, 1)
        for kind, text in zip(("Input", "Output"), pair, strict=True)
    ]
