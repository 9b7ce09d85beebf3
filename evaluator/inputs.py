"""The input and expected output of a function test as values: the controller's side.

Spellings of arguments: one JSON value a line, LeetCode's `nums = [1, 2], k = 3`, a JSON list of
arguments, and the same without its brackets. One text can be read in several ways; which one fits
depends on the function, so all readings go to the sandbox, in order of preference.
"""

from __future__ import annotations

import ast
import json
import re
from typing import Any

from pipelines.literals import LiteralError, integer, parse_literal, read_literal, with_ints

_NAME = re.compile(r"[ \t\r\n,]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*=(?!=)")

_LEVEL_END = re.compile(r"(?<=[\[,\s])#(?=\s*[,\]])")

#: Made once: json.loads makes one for each call that has options.
_JSON = json.JSONDecoder(parse_int=integer)

#: Positional arguments and named ones.
Reading = tuple[list[Any], dict[str, Any]]


class InputError(ValueError):
    """The test's input can be read in no known way."""


def parse_value(text: str) -> Any:
    """One JSON value, or else one Python literal; LiteralError when it is neither.

    >>> parse_value("[1, true]"), parse_value("(1, 'a')")
    ([1, True], (1, 'a'))
    """
    try:
        return _JSON.decode(text)
    except (ValueError, RecursionError):
        return parse_literal(text)


def parse_expected(text: str) -> Any:
    """The expected result: a JSON value, a Python literal, or the text itself as a string.
    LeetCode's bare # for the end of a level is the string "#".

    >>> parse_expected("[1, null]"), parse_expected("a b"), parse_expected("[1,#]")
    ([1, None], 'a b', [1, '#'])
    """
    try:
        return parse_value(text)
    except LiteralError:
        pass
    try:
        return parse_value(_LEVEL_END.sub('"#"', text)) if "#" in text else text.strip()
    except LiteralError:
        return text.strip()


def readings(text: str) -> list[Reading]:
    """Every way to read the arguments, the likeliest first; InputError when there is none.

    >>> readings("[1, 2]\\n3")
    [([[1, 2], 3], {})]
    >>> readings("nums = [1, 2], k = 3")
    [([], {'nums': [1, 2], 'k': 3})]
    """
    found = _readings(text)
    if len(text) > 4000:  # only there can an integer be long
        return [(with_ints(args), with_ints(named)) for args, named in found]
    return found


def _readings(text: str) -> list[Reading]:
    found: list[Reading] = []
    if named := _keyword_arguments(text):
        return [([], named)]
    lines = [line for line in text.split("\n") if line.strip()]
    try:
        found.append(([parse_value(line) for line in lines], {}))
    except LiteralError:
        pass
    try:
        whole = parse_value(text) if text.strip() else None
    except LiteralError:
        whole = None
    if whole is not None and len(lines) != 1:
        found.append(([whole], {}))
    if isinstance(whole, list | tuple):
        found.append((list(whole), {}))
    if not found:  # `[1, 2], 3`
        try:
            found.append((parse_literal(f"[{text}]"), {}))
        except LiteralError:
            pass
    if isinstance(whole, dict):
        found.append(([], whole))
    if not found:
        raise InputError(
            f"the test's input {text[:80]!r} is neither one JSON value a line, nor "
            "`name = value, ...`, nor a JSON list of arguments"
        )
    return found


def _keyword_arguments(text: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    at = 0
    while m := _NAME.match(text, at):
        try:
            found[m.group(1)], at = read_literal(text, m.end())
        except LiteralError:
            return {}
    return found if not text[at:].strip(" \t\r\n,") else {}


def signature_hints(starter_code: str, fn_name: str) -> dict[str, str]:
    """The annotations the platform's starter code gives the function, by parameter ('return' for
    the result): what to do where the program left them out. Of a class to design, those of its
    methods, as 'method.parameter'. Of `Node`, which LeetCode defines in a comment, the names of its
    attributes, as 'class Node'. 'def' says that the code does define the function.

    >>> signature_hints("class Solution:\\n  def f(self, x: List[int]) -> None:", "f")
    {'x': 'List[int]', 'return': 'None', 'def': ''}
    >>> signature_hints("class Bag:\\n  def add(self, x: int) -> None:", "Bag")
    {'add.x': 'int', 'add.return': 'None'}
    """
    name = re.escape(fn_name.rpartition(".")[2])
    node = _NODE.search(starter_code)
    hints = {"class Node": " ".join(re.findall(r"(\w+) *[:=,)]", node[1]))} if node else {}
    m = re.search(_DEF.format(name), starter_code, re.DOTALL)
    if m is not None:
        found = _annotations(m.group())
        if _IN_PLACE.match(starter_code, m.end()):
            found.setdefault("return", "None")
        return found | hints | {"def": ""}
    m = re.search(rf"^class\s+{name}\b.*?:[ \t]*$", starter_code, re.MULTILINE)
    if m is not None:
        own = re.split(r"^class\b", starter_code[m.end() :], maxsplit=1, flags=re.MULTILINE)[0]
        for method in re.finditer(_DEF.format(r"(\w+)"), own, re.DOTALL):
            hints |= {f"{method[1]}.{k}": v for k, v in _annotations(method.group()).items()}
    return hints


_NODE = re.compile(r"^[# ]*class Node\b[^\n]*\s+[# ]*def __init__\(self, *([^\n]*)", re.MULTILINE)
#: LeetCode's own words, as the docstring of a function without annotations.
_IN_PLACE = re.compile(r"\s*[\"']{3}[^\"']*\bdo not return anything", re.IGNORECASE)
_DEF = r"def\s+{}\s*\(.*?\)\s*(?:->[^:\n]+)?:"


def _annotations(head: str) -> dict[str, str]:
    """Of the head of a function."""
    try:
        node = ast.parse(head + " pass").body[0]
    except (SyntaxError, ValueError):
        return {}
    if not isinstance(node, ast.FunctionDef):
        return {}
    hints = {a.arg: ast.unparse(a.annotation) for a in node.args.args if a.annotation}
    if node.returns is not None:
        hints["return"] = ast.unparse(node.returns)
    return hints
