"""Superscripts that a source lost: `n <= 105` that means 10^5, `109 + 7`, `-231 <= x <= 231 - 1`.

LeetCode writes 10<sup>5</sup>; whoever strips the tags tells the model that n is at most 105, which
is another problem. A digit string alone proves nothing, so the whole text decides: some spellings
nobody writes otherwise (`2 * 105` as a bound, `231 - 1`, `109 + 7`, -104 <= x <= 104, a line
`1 <= n <= 105` under the heading Constraints), and a text that lost one superscript lost them
all. What stays unclear is reported, not changed. (The 880 statements of LiveCodeBench, which kept
theirs, hold no bound of 103 to 109 or 1010 to 1018 that is meant literally.)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

_CMP = r"(?:<=|>=|<|(?<![-=])>|≤|≥|&[lg][te];=?|\\[lg](?:eq?(?:slant)?|t)(?![A-Za-z]))"
_END = r"(?![\w%]|[.,:]\d|\s*\^)"
#: 10^3 to 10^18. (Nobody writes a bound as 10^1 or 10^2, and 1024 is 1024.)
_TEN = r"10(?:[3-9]|1[0-8])"
_POWER = r"(?P<base>10)(?P<exp>[3-9]|1[0-8])"
_NEGATIVE = r"(?P<base>10)(?P<exp>-[3-9]|-1\d)"
_TIMES = r"(?:\*|x|×|·|\\times|\\cdot)"
_START = r"(?<![\w.,^{])"
_TIMES_POWER = rf"\d{{1,2}}(?:\.\d)?\s?{_TIMES}\s?{_POWER}"
_FACTOR = rf"(?:\d{{1,2}}(?:\.\d)?\s?{_TIMES}\s?)?"
#: What makes a number a bound in prose: 'at most 105', 'in the range [1, 105]'.
_BOUND_WORDS = (
    r"(?:at\s+(?:most|least)|(?:less|greater|more|fewer|smaller|larger)\s+than(?:\s+or\s+equal)?"
    r"(?:\s+to)?|equal(?:\s+to)?|exceed(?:s|ing)?|up\s+to|bounded\s+by|"
    r"(?:range|interval)\s*[\[(]\s*-?[\w^*]+\s*,|between\s+-?\w+\s+and|(?:min|max)\s*\([^()]{1,40},)"
)
_BOUND = rf"(?:{_CMP}|{_BOUND_WORDS})"

Kind = Literal["proof", "bound", "doubt", "stray"]


@dataclass(frozen=True, slots=True)
class _Form:
    """A spelling. `proof`: nobody means it literally; `bound`: a lost superscript where the text
    has a proof or another bound; `doubt`: never certain. Group `base` and `exp` are rewritten."""

    kind: Kind
    pattern: re.Pattern[str]


def _form(kind: Kind, pattern: str) -> _Form:
    return _Form(kind, re.compile(pattern, re.I))


_FORMS = (
    _form("proof", rf"{_START}(?P<base>10)(?P<exp>9)(?=\s?\+\s?7{_END})"),
    # -2^31 and 2^31 - 1, as bounds and in '[-231, 231 - 1]'
    _form("proof", rf"{_START}(?P<base>2)(?P<exp>31|32|63|64)(?=\s*-\s*1{_END})"),
    _form("proof", rf"{_BOUND}\s*(?P<base>2)(?P<exp>[1-6]\d)(?=\s*-\s*1{_END})"),
    _form(
        "proof", rf"{_START}-(?P<base>2)(?P<exp>31|63)(?=\s*(?:,|{_CMP})[^\n]{{0,40}}2(?:31|63)\b)"
    ),
    _form("proof", rf"{_BOUND}\s*-?{_TIMES_POWER}{_END}"),
    # -10^4 <= x <= 10^4: the same number on both sides
    _form(
        "proof",
        rf"{_START}-{_POWER}"
        rf"(?=\s*{_CMP}[^\n<>≤≥]{{1,60}}(?:{_CMP}[^\n<>≤≥]{{1,60}})?{_CMP}\s*10(?P=exp){_END})",
    ),
    _form("proof", rf"\b(?:within|error of|tolerance of)\s+{_NEGATIVE}{_END}"),
    _form("proof", rf"\berror\b[^.\n]{{0,80}}\b(?:at most|exceed|within|than)\s+{_NEGATIVE}{_END}"),
    _form("bound", rf"{_BOUND}\s*-?{_POWER}{_END}"),
    _form("bound", rf"{_START}-?{_POWER}(?=\s*{_CMP})"),
    _form("bound", rf"\bbetween\s+-?{_POWER}(?=\s+and\b)"),
    _form("bound", rf"(?:min|max)\b[^\n]{{0,60}}?[\s,(]{_FACTOR}{_POWER}(?=\s*(?:\\r|[,)]))"),
    _form("bound", rf"(?:{_BOUND}|rounded\s+to)\s*-?(?P<base>2)(?P<exp>31|32|63|64){_END}"),
    _form("doubt", rf"{_BOUND}\s*-?(?P<base>2)(?P<exp>1[4-9]|20|30|60){_END}"),
    _form("stray", rf"{_START}-?(?P<base>10)(?P<exp>[4-9]){_END}"),
)  # fmt: skip
#: Longer texts are no statements, and are left alone (the search is quadratic in the places).
MAX_CHARS = 200_000
#: A superscript that is still there: the source has not lost them.
_KEPT = re.compile(
    r"(?<!\d)(?:10\s?(?:\^|\*\*)\s?[{(]?-?\d|2\s?(?:\^|\*\*)\s?[{(]?\d\d)|<sup\b|[⁰¹²³⁴⁵⁶⁷⁸⁹]|(?<!\w)1e[3-9]\b|\b10\^\w",
    re.I,
)
#: Never touched: code blocks, and the values of examples.
_SKIP = re.compile(
    r"```.*?```|<pre\b.*?</pre>|\[[^\[\]\n]*\d\s*,\s*\d+\s*,[^\[\]\n]*\]|\"[^\"\n]*\"|"
    r"^[\s*_>-]*(?:input|output)s?\b[^\n]*|^\s*>>>[^\n]*|^\s*assert\b[^\n]*",
    re.S | re.M | re.I,
)
_CONSTRAINTS = re.compile(r"^\W*constraints\W*$", re.I | re.M)
#: The number at the start of a chain of comparisons that ends here.
_LOWER = re.compile(
    rf"(?<![\w^*.])(?<![*^]\s)(\d+)\s*{_CMP}(?:(?!(?<![\w^*.])\d+\s*{_CMP})[^\n])*\Z"
)


def repair_superscripts(text: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """(text, repaired, doubtful): the text with its certain superscripts back as `10^5` (braces
    around an exponent of several characters inside `$...$`), and the places changed and left, each
    as the words around it. A text that still has a superscript is returned as it is.

    >>> repair_superscripts("1 <= n <= 105\\n-104 <= a[i] <= 104")[0]
    '1 <= n <= 10^5\\n-10^4 <= a[i] <= 10^4'
    >>> repair_superscripts("There are at most 105 seats.")
    ('There are at most 105 seats.', (), ('There are at most 105 seats.',))
    """
    if len(text) > MAX_CHARS or not re.search(r"10[3-9]|101[0-8]|2[1-6]\d|10-\d", text):
        return text, (), ()
    found = _candidates(text)
    if not found:
        return text, (), ()
    kinds = list(found.values())
    lines = {text.count("\n", 0, m.start("base")) for m, kind in found.items() if kind == "bound"}
    certain = _KEPT.search(text) is None and ("proof" in kinds or len(lines) > 1)
    out: list[str] = []
    repaired: list[str] = []
    doubtful: list[str] = []
    end = 0
    for match, kind in found.items():
        if kind == "stray" and not certain:
            continue
        if not certain or kind in ("doubt", "stray"):
            doubtful.append(_around(text, match))
            continue
        exponent = match["exp"]
        if len(exponent) > 1 and text.count("$", 0, match.start()) % 2:
            exponent = f"{{{exponent}}}"
        out += [text[end : match.start("exp")], "^", exponent]
        end = match.end("exp")
        repaired.append(_around(text, match))
    return "".join(out) + text[end:], tuple(repaired), tuple(doubtful)


def _candidates(text: str) -> dict[re.Match[str], Kind]:
    """Every place that may have lost a superscript, in order, with the strongest form it has."""
    heading = _CONSTRAINTS.search(text)
    constraints = heading.end() if heading else len(text)
    skipped = [m.span() for m in _SKIP.finditer(text)]
    strongest: dict[int, tuple[re.Match[str], Kind]] = {}
    for form in _FORMS:
        for match in form.pattern.finditer(text):
            at = match.start("base")
            # '109 + 7' is what it is wherever it stands; the rest could be an example's value.
            everywhere = form is _FORMS[0]
            if at in strongest or (
                not everywhere and any(start <= at < stop for start, stop in skipped)
            ):
                continue
            strongest[at] = match, _judged(text, match, form.kind, at > constraints)
    return {match: kind for _, (match, kind) in sorted(strongest.items())}


def _judged(text: str, match: re.Match[str], kind: Kind, constraint: bool) -> Kind:
    """`97 <= x <= 105` may well be literal: a lower bound just below makes it doubtful. Under
    the heading Constraints, a bound that starts at 0 to 5 or has no lower end is a proof."""
    if kind != "bound":
        return kind
    lower = _LOWER.search(text, text.rfind("\n", 0, match.start()) + 1, match.end("base") - 2)
    if lower is None or re.fullmatch(_TEN, lower[1]):
        return "proof" if constraint else kind
    least = int(lower[1][:9])
    if least <= 5:
        return "proof" if constraint else kind
    literal = int(match["base"] + match["exp"].lstrip("-"))
    return "doubt" if literal / 4 < least < literal else kind


def _around(text: str, match: re.Match[str]) -> str:
    """The words around a place, on its line."""
    start = max(text.rfind("\n", 0, match.start("base")) + 1, match.start("base") - 40)
    stop = text.find("\n", match.end("exp"))
    stop = min(len(text) if stop < 0 else stop, match.end("exp") + 20)
    return text[start:stop].strip()
