"""What a statement says about itself that a trainer should know: each flag with the words that
raised it."""

from __future__ import annotations

import re

from curation.language import not_english
from pipelines.problem import Problem

_CODE = re.compile(r"```.*?```|<pre\b.*?</pre>", re.S | re.I)
_MANY = r"(?:multiple|several|many|more than one)"
_GIVE = r"(?:print|output|return|find|report|give)"
_MAY = r"(?:you (?:may|can|should)\s+)?"
_PICTURE = r"(?:figure|picture|image|diagram|illustration)s?"
_FILE = r"[\"'`]?\w+\.(?:in|out|txt)\b"
#: Flag -> what raises it, tried in this order.
_SAYS: dict[str, tuple[str, ...]] = {
    "needs_image": (
        r"!\[[^\]\n]*\]\([^)\n]*\)|<img\b[^>]*>|<image>|\[image\]|\\includegraphics\b",
        rf"\b(?:shown|depicted|illustrated|drawn|seen)\s+(?:in|by|on)\s+the\s+(?:\w+\s+)?{_PICTURE}\b",
        rf"\b{_PICTURE}\s+(?:above|below|shows|illustrates)\b",
        rf"\b(?:above|below|following|left|right)\s+{_PICTURE}\b",
    ),
    "interactive": (
        r"(?<!not )\b(?:this|it) is an? (?:[\w-]+ )?interactive (?:problem|task)\b",
        r"\bin this interactive (?:problem|task)\b",
        r"\binteract with (?:the|a) (?:judge|interactor|jury|grader)\b",
        r"\bflush\b[^.\n]{0,80}\b(?:after|output|standard)\b[^.\n]{0,60}\bquer",
    ),
    "multi_pass": (
        r"\byour (?:program|submission|solution|code) (?:will be|is|gets) "
        r"(?:run|executed|invoked|called|started) (?:twice|two times|(?:multiple|several) times)\b"
        r"(?! (?:with|on|for))",
        r"\bmulti-?pass problem\b",
    ),
    "file_io": (
        rf"\b(?:input|output)\s+(?:file\s*)?(?:is\s+)?(?:named\s+|called\s+|:\s*)?{_FILE}",
        rf"\b(?:read|write|print)s?\b[^.\n]{{0,60}}\b(?:from|to|into)\s+(?:the\s+)?(?:file\s+)?{_FILE}",
    ),
    "answer_not_determined": (
        rf"\bif there (?:are|exist|is)\b[^.\n]{{0,60}}\b{_MANY}\b[^.\n]{{0,80}}[,.:]?\s*{_MAY}"
        rf"(?:then\s+)?{_GIVE}\s+(?:\w+\s+)?any\b",
        rf"\bif {_MANY}\b[^.\n]{{0,60}},\s*{_MAY}{_GIVE}\s+any\b",
        rf"\b{_GIVE}\s+any\s+(?:one\s+)?(?:of\s+(?:them|these|those)|valid|possible|such|correct|"
        r"suitable|answer|solution)\b",
        r"\b(?:print|output|return)\s+any\s+(?:integer|number|string|sequence|permutation|array|pair)\b",
        r"\bany (?:of (?:them|these|those)|(?:valid|correct|such)\s+(?:answer|solution|output)s?)"
        r"\s+(?:will|would|is|are|can|may)\b[^.\n]{0,20}\b(?:accepted|correct)\b",
        # What is concatenated or processed in any order has one result all the same.
        r"\b(?:return|print|output|report|list)\b(?:(?!concatenat)[^.\n]){0,120}\bin any order\b",
        r"\b(?:answers?|array|list|indices)\b[^.\n]{0,40}\bin any order\b",
    ),
}  # fmt: skip
_PATTERNS = {flag: re.compile("|".join(forms), re.I) for flag, forms in _SAYS.items()}
#: Checkers under which several answers may be right.
_LENIENT = frozenset({"program", "unordered", "asserts"})


def statement_flags(problem: Problem) -> dict[str, str]:
    """Flag -> evidence, from the statement alone: `needs_image`, `not_english`, `interactive`,
    `multi_pass`, `file_io` (stdin problems), `answer_not_determined` (where the checker compares
    exactly).

    >>> p = Problem(id="a/b", statement="If there are several answers, print any of them.")
    >>> statement_flags(p)
    {'answer_not_determined': 'If there are several answers, print any'}
    """
    text = _CODE.sub(" ", problem.statement)
    found: dict[str, str] = {}
    for flag, pattern in _PATTERNS.items():
        if flag == "file_io" and problem.fn_name is not None:
            continue
        if flag == "answer_not_determined" and problem.checker.kind in _LENIENT:
            continue
        match = pattern.search(text)
        if match:
            found[flag] = " ".join(match[0].split())[:120]
    other = not_english(problem.statement)
    if other:
        found["not_english"] = f"{other[0]} ({other[1]:.2f})"
    return found
