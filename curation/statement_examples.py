"""The worked examples that stand in a statement's text, read off its headings.

Sources that publish no tests (LiveCodeBench's problem list, statements copied into prompts) still
carry one to four input/output pairs in their text. Shapes read: LeetCode's `Input: ... Output:`,
AtCoder's `Sample Input 1`, Codeforces' `Examples / Input / Output` with and without dashes, and
Markdown headings with fenced blocks. Where an explanation follows an output without a heading, only
a blank line tells them apart, so an output ends at the first one unless it is fenced.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

#: Markup that may stand around a heading.
_MARKS = r"[\s#*_>=\-:`.]*"
_BEGIN = re.compile(
    rf"^{_MARKS}(?:\d+\.\s*)?(?:sample|example)s?(?:\s+(?:test|case|testcase)s?)?"
    rf"\s*(?:\(?s?\)?)\s*#?\s*\d*{_MARKS}$",
    re.I,
)
_LABEL = r"(?:(?P<sample>sample|example)\s+)?(?P<which>input|output)s?\s*#?\s*(?P<number>\d+)?"
_HEAD = re.compile(rf"^{_MARKS}{_LABEL}\s*(?:{_MARKS}|{_MARKS}:{_MARKS}(?P<rest>\S.*))$", re.I)
_END = re.compile(
    rf"^{_MARKS}(?:explanation|note|constraint|follow[ -]?up|hint|scoring|subtask|limit|"
    r"copyright|source|please complete)s?\b",
    re.I,
)
#: LiveCodeBench's Codeforces texts run on into the heading: `one of his digits.Sample Input 1:`.
_GLUED = re.compile(r"(?<=[^\s#*_\-])((?:Sample|Example) (?:Input|Output) ?\d*:?[ \t]*)$", re.M)
_FENCE = re.compile(r"^\s*(```+|~~~+)")


def statement_examples(statement: str) -> list[tuple[str, str]]:
    """(input, output) of each worked example, in the order of the text, without surrounding
    blank lines.

    >>> statement_examples("Sum.\\n\\nExample 1:\\n\\nInput: a = 1, b = 2\\nOutput: 3\\n")
    [('a = 1, b = 2', '3')]
    >>> statement_examples("Sample Input 1\\n\\n3\\n1 2 3\\n\\nSample Output 1\\n\\n6\\n\\nAll.")
    [('3\\n1 2 3', '6')]
    """
    lower = statement.lower()
    if "nput" not in lower or "utput" not in lower:  # (re.I takes a dotless ı for an i)
        return []
    pairs: list[tuple[str, str]] = []
    pending = ""
    for which, text in _blocks(statement):
        if which == "input":
            pending = text
        elif pending and text:
            pairs.append((pending, text))
            pending = ""
    return pairs


def _blocks(statement: str) -> Iterator[tuple[str, str]]:
    """("input" or "output", text) of each block below a heading of the examples."""
    which, lines, examples, fence = "", list[str](), False, ""
    text = statement.replace("\r\n", "\n").replace("\xa0", " ")
    if "ample Input" in text or "ample Output" in text:
        text = _GLUED.sub(r"\n\1", text)
    for line in text.split("\n"):
        if fence:
            if line.strip().startswith(fence):
                yield which, "\n".join(lines)
                which, lines, fence = "", [], ""
            else:
                lines.append(line)
            continue
        lower = line.lower()
        head = _HEAD.match(line) if "put" in lower else None
        if head is not None and (head["sample"] or head["rest"] or examples):
            if which:
                yield which, _stripped(lines)
            which, examples = head["which"].lower(), True
            lines = [head["rest"].strip(" `*")] if head["rest"] else []
        elif "ample" in lower and _BEGIN.match(line):
            if which:
                yield which, _stripped(lines)
            which, lines, examples = "", [], True
        elif which and _END.match(line):
            yield which, _stripped(lines)
            which, lines = "", []
        elif which and (opened := _FENCE.match(line)) and not "".join(lines).strip():
            fence, lines = opened[1], []
        elif which == "output" and not line.strip() and "".join(lines).strip():
            yield which, _stripped(lines)
            which, lines = "", []
        elif which:
            lines.append(line)
    if which:
        yield which, _stripped(lines)


def _stripped(lines: list[str]) -> str:
    return "\n".join(line.rstrip() for line in lines).strip("\n")
