"""Statements that hold HTML become Markdown; statements that only talk about tags, or show code
with `<` and `>`, stay as they are.
"""

from __future__ import annotations

import re

#: Kept apart from prose: fenced and inline code, and quoted text ("<b>abc</b>" as a result).
_CODE = re.compile(r"(```.*?```|~~~.*?~~~|`[^`\n]+`|\"[^\"\n]*\"|'[^'\n]*')", re.S)
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*)((?:\s[^<>]*)?)/?>")
_BLOCKS = frozenset({"p", "div", "section", "center"})
_KNOWN = _BLOCKS | {
    "a", "b", "blockquote", "br", "code", "dd", "del", "dl", "dt", "em", "font", "h1", "h2", "h3",
    "h4", "h5", "h6", "hr", "i", "img", "ins", "kbd", "li", "ol", "pre", "s", "samp", "small",
    "span", "strike", "strong", "sub", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr",
    "tt", "u", "ul", "var",
}  # fmt: skip
_VOID = frozenset({"br", "hr", "img", "p", "li", "td", "tr", "th", "dd", "dt"})
_SCRIPT = re.compile(r"<(sup|sub)\b[^<>]*>([^<>]{1,80})</\1\s*>", re.I)
_VAR = re.compile(r"<var\b[^<>]*>([^<>]{1,200})</var\s*>", re.I)
_BREAK = re.compile(r"<br\s*/?>(?!\s*(?:tag|element)s?\b)[ \t]*\n?", re.I)
_DOLLARS = re.compile(r"\${6}([^$]+)\${6}|\${3}([^$]+)\${3}")
_ORDINAL = re.compile(r"(?:st|nd|rd|th)", re.I)


def is_html(text: str) -> bool:
    """True for a document of HTML: outside code and quotes every tag is one that statements use,
    opened ones are closed, and paragraphs or divisions are among them.

    >>> is_html("<p>Add <b>a</b> and b.</p>"), is_html("Wrap each word in <p>...</p> tags.")
    (True, False)
    """
    if "<" not in text:
        return False
    prose = _CODE.sub(" ", _without_attributes(text))
    tags = [(m[1], m[2].lower()) for m in _TAG.finditer(prose)]
    names = [name for _, name in tags]
    if not tags or not _KNOWN.issuperset(names):
        return False
    for name in set(names) - _VOID:
        if tags.count(("", name)) != tags.count(("/", name)):
            return False
    blocks = [(slash, name) for slash, name in tags if name in _BLOCKS]
    if ("", "p") not in blocks and len(blocks) < 2:
        return False
    # Talk of tags is prose that names some; in a document the prose lies inside of blocks.
    first = _TAG.search(text)
    return first is not None and not text[: first.start()].strip()


def _without_attributes(text: str) -> str:
    return _TAG.sub(lambda m: f"<{m[1]}{m[2]}>", text)


def to_plain(text: str) -> str:
    """Markdown of a statement: HTML documents converted, and in other texts `<sup>`, `<sub>`,
    `<var>`, `<br>` and Codeforces' `$$$` as `^`, `_`, `$...$`, a line end and `$`.

    >>> to_plain("At most 10<sup>5</sup> of $$$n$$$; see `<sup>`.")
    'At most 10^5 of $n$; see `<sup>`.'
    """
    if is_html(text):
        from pipelines.pages import PageError  # and with it lxml: only for HTML
        from pipelines.pages.markdown import html_to_markdown

        try:
            return html_to_markdown(text)
        except PageError:
            return text  # out of bounds: a statement of a megabyte stays what it is
    if "<" in text or "$$$" in text:
        parts = _CODE.split(text)
        parts[::2] = [_inline(part) for part in parts[::2]]
        text = "".join(parts)
    return text


def _inline(text: str) -> str:
    text = _DOLLARS.sub(lambda m: f"$${m[1]}$$" if m[1] else f"${m[2]}$", text)
    if "<" in text:
        text = _SCRIPT.sub(_script, text)
        text = _VAR.sub(lambda m: f"${m[1].strip()}$", text)
        text = _BREAK.sub("\n", text)
    return text


def _script(match: re.Match[str]) -> str:
    """As in pipelines.pages.markdown: 10^5, 2^{n-1}, 1st."""
    text = match[2].strip()
    sign = "^" if match[1].lower() == "sup" else "_"
    if not any(c.isalnum() for c in text) or (sign == "^" and _ORDINAL.fullmatch(text)):
        return text
    return f"{sign}{text}" if re.fullmatch(r"-?\w+", text) else f"{sign}{{{text}}}"
