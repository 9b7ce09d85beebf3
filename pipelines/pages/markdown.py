"""HTML to Markdown with the mathematics intact.

markdownify does the blocks. Before it runs, everything that carries mathematics is turned into a
`<tex>` element, which it copies as it stands: `<var>`, TeX between a site's delimiters, old
Codeforces' `<span class="tex-span">`, and the sources that MathJax and KaTeX leave in saved pages.
`<sup>` and `<sub>` become `^` and `_`, for 10<sup>5</sup> must never read 105.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Literal

from bs4 import BeautifulSoup, NavigableString, Tag
from markdownify import ATX, MarkdownConverter

from pipelines.pages import PageError
from pipelines.pages.dom import parse_html, pre_text

Site = Literal["codeforces", "atcoder", "plain"]

_DOLLARS = r"\$\$(?P<d2>[^$]+?)\$\$|\$(?P<d1>[^$\n]+?)\$"
# A formula holds no second opening: an unclosed one ends the search there, so it stays linear.
_PARENS = r"\\\[(?P<b>(?:(?!\\\[).)+?)\\\]|\\\((?P<p>(?:(?!\\\().)+?)\\\)"
#: TeX in running text; a group that starts with b or d2 is a display formula.
_MATH: dict[Site, re.Pattern[str]] = {
    "codeforces": re.compile(r"\${6}(?P<b>.+?)\${6}|\${3}(?P<p>.+?)\${3}", re.S),
    "atcoder": re.compile(f"{_PARENS}|{_DOLLARS}", re.S),
    "plain": re.compile(
        rf"\${{6}}(?P<b6>.+?)\${{6}}|\${{3}}(?P<p3>.+?)\${{3}}|{_PARENS}|{_DOLLARS}", re.S
    ),
}
_ORDINAL = re.compile(r"(?:st|nd|rd|th)", re.I)
_HIDDEN = "script, style, noscript, template, button, svg, .MathJax_Preview, .input-output-copier"
_RENDERED = ".MathJax, .MathJax_Display, .MathJax_SVG, .MathJax_SVG_Display, .MathJax_CHTML"
_FENCES = re.compile(r"`{3,}")


def html_to_markdown(html: str, site: Site = "plain") -> str:
    """Markdown of an HTML fragment; PageError when it is out of bounds (see
    :func:`pipelines.pages.dom.parse_html`).

    >>> html_to_markdown("<p>At most 10<sup>5</sup> <b>items</b>, <var>a_i</var> each</p>")
    'At most 10^5 **items**, $a_i$ each'
    """
    return to_markdown(parse_html(html), site)


def to_markdown(element: Tag, site: Site = "plain") -> str:
    """Markdown of an element, which is changed in place: give a copy to keep it."""
    prepare(element, site)
    text = _Converter().convert_soup(element)
    return re.sub(r"\A\n+|\s+\Z", "", text)


def prepare(element: Tag, site: Site) -> None:
    """Turn whatever carries mathematics into `<tex>` elements, in place; drop scripts and
    comments."""
    _saved_math(element)
    for hidden in element.select(_HIDDEN):
        hidden.decompose()
    for node in element.find_all(string=True):
        if type(node) is not NavigableString:
            node.extract()
    for span in element.select("var, span.tex-span"):
        if span.decomposed or span.find_parent("tex"):
            continue
        text = _tex_text(span)
        if span.find_parent(["pre", "code"]):
            span.replace_with(text)
        elif text.strip():
            _replace(span, [_tex(text.strip())])
        else:
            span.unwrap()
    for mark in element.select("sup, sub"):
        if not mark.decomposed and not mark.find_parent(["sup", "sub"]):
            mark.replace_with(_script(mark, braces=False))
    element.smooth()
    for node in element.find_all(string=True):
        if not node.find_parent(["pre", "code", "tex"]):
            _split_math(node, str(node).replace("\u00a0", " "), site)


def _saved_math(element: Tag) -> None:
    """Pages saved from a browser hold each formula as drawn and, beside it, its source."""
    for script in element.select('script[type^="math/tex"]'):
        display = "mode=display" in str(script.get("type"))
        _replace(script, [_tex(script.get_text().strip(), display)])
    for katex in element.select(".katex"):
        source = katex.select_one('annotation[encoding="application/x-tex"]')
        if source is None:
            continue
        display = katex.find_parent(class_="katex-display") is not None
        # AtCoder draws inside <var>: the formula takes the place of both.
        place = katex.find_parent("var") or katex
        if not place.decomposed:
            _replace(place, [_tex(source.get_text().strip(), display)])
    lost = element.select_one("mjx-container, .katex")
    if lost is not None:
        raise PageError(
            "rendered_math",
            "the page was saved with drawn formulas and without their TeX source; "
            "save the page's own HTML instead",
        )
    for drawn in element.select(_RENDERED):
        if not drawn.decomposed:
            drawn.decompose()


def _tex(text: str, display: bool = False) -> Tag:
    tag = BeautifulSoup("", "lxml").new_tag("tex")
    tag.string = f"$${text}$$" if display else f"${text}$"
    return tag


def _replace(node: Tag | NavigableString, new: list[Tag | NavigableString]) -> None:
    node.replace_with(*new)


def _tex_text(element: Tag) -> str:
    """The TeX an element stands for: `<sup>` and `<sub>` as `^` and `_`, the rest as text."""
    out = []
    for child in element.children:
        if isinstance(child, Tag):
            if child.name in ("sup", "sub"):
                out.append(_script(child, braces=True))
            else:
                out.append(_tex_text(child))
        elif type(child) is NavigableString:
            out.append(str(child))
    return "".join(out)


def _script(mark: Tag, braces: bool) -> str:
    """`^5`, `^{n-1}`, `_i`: braces around all but one character, or, in running text, around
    what is no word or number. 1<sup>st</sup> stays 1st, a footnote mark stays a mark."""
    text = _tex_text(mark).strip()
    sign = "^" if mark.name == "sup" else "_"
    if not braces and (
        (sign == "^" and _ORDINAL.fullmatch(text)) or not any(c.isalnum() for c in text)
    ):
        return text
    plain = len(text) == 1 if braces else re.fullmatch(r"-?\w+", text)
    return f"{sign}{text}" if plain else f"{sign}{{{text}}}"


def _split_math(node: NavigableString, text: str, site: Site) -> None:
    escape: Callable[[str], str] = (
        # With $$$ as its delimiter, a lone $ is a dollar.
        (lambda s: s.replace("$", r"\$")) if site == "codeforces" else str
    )
    parts: list[Tag | NavigableString] = []
    end = 0
    for match in _MATH[site].finditer(text):
        name = str(match.lastgroup)
        parts += [
            NavigableString(escape(text[end : match.start()])),
            _tex(match[name].strip() if site == "codeforces" else match[name], name in _DISPLAY),
        ]
        end = match.end()
    parts.append(NavigableString(escape(text[end:])))
    _replace(node, [p for p in parts if isinstance(p, Tag) or p])


_DISPLAY = ("b", "b6", "d2")


class _Converter(MarkdownConverter):
    """markdownify without escapes (a reader of Markdown source wants `a_i`, not `a\\_i`), with
    `<tex>` copied, `<pre>` fenced by :func:`pre_text`, and `<br>` as a line end."""

    def __init__(self) -> None:
        super().__init__(
            heading_style=ATX,
            bullets="-",
            escape_asterisks=False,
            escape_underscores=False,
            escape_misc=False,
        )

    def convert_tex(self, el: Tag, text: str, parent_tags: Any) -> str:
        return el.get_text()

    def convert_br(self, el: Tag, text: str, parent_tags: Any) -> str:
        return " " if "_inline" in parent_tags else "\n"

    def convert_pre(self, el: Tag, text: str, parent_tags: Any) -> str:
        body = pre_text(el)
        if "_inline" in parent_tags:  # in a table cell or a heading
            return f" `{' '.join(body.split())}` "
        return fenced(body) if body else ""


def fenced(text: str) -> str:
    """A fenced block that holds `text` whatever fences are in it, with blank lines around."""
    ticks = "`" * max([3, *(len(m) + 1 for m in _FENCES.findall(text))])
    return f"\n\n{ticks}\n{text.removesuffix(chr(10))}\n{ticks}\n\n"
