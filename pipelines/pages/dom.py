"""Parsing a page within bounds, and reading text out of its elements."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from urllib.parse import urljoin

from bs4 import BeautifulSoup, NavigableString, Tag

from pipelines.pages import PageError

#: Characters of a page. Real statement pages have some hundred thousand.
MAX_CHARS = 4 * 2**20
#: Tags of a page, counted as `<`: a tag costs about a kilobyte once parsed.
MAX_TAGS = 100_000
#: Nesting. Converting recurses, and libxml2 drops what lies deeper than 255.
MAX_DEPTH = 150

_INVISIBLE = re.compile("[\u200b\u2060\ufeff\u00ad]")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_BLOCKS = frozenset({"div", "p", "li", "tr"})


def parse_html(html: str, mend: Callable[[str], str] = str) -> BeautifulSoup:
    """The page's tree; PageError for one that is too large, too deep or not text. `mend` sees the
    text first, once its size is known to be small.

    >>> parse_html("<p>a<p>b").find_all("p")[1].text
    'b'
    """
    if len(html) > MAX_CHARS:
        raise PageError(
            "too_large",
            f"the page has {len(html):,} characters, over {MAX_CHARS:,}: not a statement page",
        )
    if (tags := html.count("<")) > MAX_TAGS:
        raise PageError("too_large", f"the page has {tags:,} tags, over {MAX_TAGS:,}")
    try:
        html.encode("utf-8")
    except UnicodeEncodeError as e:
        raise PageError(
            "bad_text",
            f"lone surrogate at character {e.start}: decode the response with its own charset",
        ) from e
    # libxml2 ends the document at a NUL.
    soup = BeautifulSoup(mend(html).replace("\0", "\ufffd"), "lxml")
    level: list[Tag] = [soup]
    for _ in range(MAX_DEPTH):
        level = [c for element in level for c in element.children if isinstance(c, Tag)]
        if not level:
            return soup
    raise PageError(
        "too_deep", f"tags are nested over {MAX_DEPTH} deep: broken markup, or no statement page"
    )


def require_whole(html: str) -> None:
    """PageError when the page's end is missing: half a sample or half a note looks like a whole
    one. To be asked last, so that a page that is no statement at all is called that."""
    lower = html.lower()
    opened = "<html" in lower and "</html" not in lower and "</body" not in lower
    if opened or lower.count("<pre") > lower.count("</pre"):
        raise PageError(
            "cut_page", "the page breaks off (no </html>, or a <pre> without end): fetch it again"
        )


def squeeze(text: str) -> str:
    """One line without invisible characters, blanks collapsed."""
    return " ".join(_INVISIBLE.sub("", text).split())


def pre_text(pre: Tag) -> str:
    """The text of a <pre> as its lines: `<br>` and block elements (Codeforces has one
    `<div class="test-example-line ...">` a line) end a line, the newline right after the opening
    tag is markup, CRLF is LF, no-break spaces are spaces. Ends in one newline unless empty.

    >>> pre_text(parse_html("<pre>\\n1<br>2</pre>").pre)
    '1\\n2\\n'
    """
    lines = pre.select("div.test-example-line")
    if lines and _squashed(pre) == "".join(map(_squashed, lines)):
        # Blanks between the line elements come from whoever saved the page.
        text = "".join(_one_line(line) for line in lines)
    else:
        text = _text(pre)
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u00a0", " ")
    text = _INVISIBLE.sub("", text).removeprefix("\n").rstrip("\n")
    return f"{text}\n" if text.strip() else ""


def _squashed(element: Tag) -> str:
    return "".join(element.get_text().split())


def _one_line(line: Tag) -> str:
    return _text(line).strip("\n") + "\n"


def _text(element: Tag) -> str:
    out: list[str] = []
    ended = True  # at the start of a line
    for child in element.children:
        if isinstance(child, Tag):
            if child.name == "br":
                text = "\n"
            elif child.name in _BLOCKS:
                text = _text(child)
                if not ended:
                    out.append("\n")
                if not (text.endswith("\n") and _last_is_block(child)):
                    text += "\n"
            else:
                text = _text(child)
        elif type(child) is NavigableString:
            text = str(child)
        else:
            continue  # comments and the like
        if text:
            out.append(text)
            ended = text.endswith("\n")
    return "".join(out)


def _last_is_block(element: Tag) -> bool:
    last = next((c for c in reversed(element.contents) if str(c).strip()), None)
    return isinstance(last, Tag) and last.name in _BLOCKS


def images(element: Tag, url: str) -> tuple[str, ...]:
    """Addresses of the pictures in an element, in order, each once; absolute when `url` is."""
    found: dict[str, None] = {}
    for image in element.find_all("img"):
        source = str(image.get("src") or "").strip()
        if source.startswith("data:"):
            source = source[:40]
        try:
            found.setdefault(urljoin(url, source))
        except ValueError:  # an address that is none
            found.setdefault(source)
    return tuple(found)


def seconds(text: str) -> float:
    """A time limit: '2 seconds', '0.5 sec', '1,5 секунды', '2000 ms' -> seconds."""
    number = _number(text, "time limit")
    if re.search(r"\d\s*(?:ms|msec|millisec|миллисек|мс)", text, re.I):
        number /= 1000
    return number


def mebibytes(text: str) -> int:
    """A memory limit: '256 megabytes', '1024 MiB', '64 MB', '1 GB', '65536 KB' -> MiB (judges
    write MB and mean MiB)."""
    number = _number(text, "memory limit")
    if re.search(r"\d\s*(?:g|г)", text, re.I):
        number *= 1024
    elif re.search(r"\d\s*(?:k|к)", text, re.I):
        number /= 1024
    elif not re.search(r"\d\s*(?:m|м)", text, re.I):
        raise PageError("bad_limit", f"memory limit {text!r:.60} has no unit this parser knows")
    return max(1, round(number))


def _number(text: str, what: str) -> float:
    match = _NUMBER.search(text)
    value = float(match[0].replace(",", ".")) if match else 0.0
    if not 0 < value < 1e9:
        raise PageError("bad_limit", f"{what} {text!r:.60} has no usable number")
    return value


def not_latin(text: str) -> bool:
    """True when most letters are not Latin: a page in another script. (A page in French is for
    the normalize stage's language identification.)"""
    prose = re.sub(r"```.*?```|\$[^$]*\$|## Sample \w+", " ", text, flags=re.S)
    letters = [c for c in prose if c.isalpha()]
    latin = sum("LATIN" in unicodedata.name(c, "") for c in letters)
    return latin < len(letters) / 2


def strings(element: Tag) -> Iterator[str]:
    """The text directly in an element, without that of the elements in it."""
    return (str(c) for c in element.children if type(c) is NavigableString)
