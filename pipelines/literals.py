"""A small reader of JSON and Python literals that is safe on hostile text.

`ast.literal_eval` would compile what a program printed, in the controller: minutes and gigabytes
for a few MB of brackets. This reads the same values in linear time with a depth limit.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

MAX_DEPTH = 200
_LONG = 4000  # digits; Python itself stops at 4300
#: Keys of one set or dict that may have the same hash.
_SAME_HASH = 64
_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_WORD = re.compile(r"-?[A-Za-z]+")
_CHUNK = re.compile(r"[^'\"\\\n]+")
_WORDS: dict[str, Any] = {
    "true": True,
    "false": False,
    "null": None,
    "True": True,
    "False": False,
    "None": None,
    "NaN": float("nan"),
    "nan": float("nan"),
    "inf": float("inf"),
    "-inf": float("-inf"),
    "Infinity": float("inf"),
    "-Infinity": float("-inf"),
}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0", "\n": ""}


class LiteralError(ValueError):
    """The text is not a literal; the message says where it stops being one."""


class LongInt(str):
    """An integer too long to convert: int() takes quadratic time, 3 s for 200,000 digits. It is
    compared as text, which for canonical digits is the same."""

    __slots__ = ()


def integer(digits: str) -> int | LongInt:
    """The integer, or its canonical digits where they are many.

    >>> integer("-012"), integer("0" * 9000 + "1"), len(integer("9" * 9000))
    (-12, 1, 9000)
    """
    if len(digits) > _LONG:
        sign, digits = ("-" if digits[0] == "-" else ""), digits.lstrip("+-0")
        if len(digits) > _LONG:
            return LongInt(sign + digits)
        digits = sign + (digits or "0")
    return int(digits)


def with_ints(value: Any) -> Any:
    """The value with integers in place of :class:`LongInt`, for a function to compute with.

    >>> with_ints([LongInt("1" + "0" * 5000)]) == [10**5000]
    True
    """
    if isinstance(value, LongInt):
        return -_whole(value[1:]) if value.startswith("-") else _whole(value)
    if isinstance(value, list | tuple | set):
        return type(value)(with_ints(v) for v in value)
    if isinstance(value, dict):
        return {with_ints(k): with_ints(v) for k, v in value.items()}
    return value


def _whole(digits: str) -> int:
    """int() without Python's limit of 4,300 digits and without its quadratic time."""
    if len(digits) <= _LONG:
        return int(digits)
    half = len(digits) // 2
    return int(_whole(digits[:-half]) * 10**half + _whole(digits[-half:]))


def parse_literal(text: str) -> Any:
    """The value of a JSON value or Python literal; LiteralError otherwise.

    >>> parse_literal("[1, 'a', (2.5, null), {3: True}]")
    [1, 'a', (2.5, None), {3: True}]
    """
    value, end = read_literal(text, 0)
    end = _skip(text, end)
    if end != len(text):
        raise LiteralError(f"unexpected {text[end : end + 10]!r} at character {end}")
    return value


def read_literal(text: str, at: int, depth: int = 0) -> tuple[Any, int]:
    """One value that starts at `at`, and where it ends."""
    at = _skip(text, at)
    if depth > MAX_DEPTH:
        raise LiteralError(f"nested more than {MAX_DEPTH} deep")
    c = text[at : at + 1]
    if c == "[":
        return _items(text, at + 1, "]", depth)
    if c == "(":
        return _tuple(text, at, depth)
    if c == "{":
        return _braces(text, at + 1, depth)
    if c in ("'", '"') and c:
        return _string(text, at)
    if m := _NUMBER.match(text, at):
        token = m.group()
        plain = token.lstrip("+-").isdigit()
        return (integer(token) if plain else float(token)), m.end()
    if (m := _WORD.match(text, at)) and m.group() in _WORDS:
        return _WORDS[m.group()], m.end()
    if text.startswith("set()", at):
        return set(), at + 5
    raise LiteralError(f"no value at character {at}: {text[at : at + 10]!r}")


def _skip(text: str, at: int) -> int:
    m = _SPACE.match(text, at)
    return m.end() if m else at


def _items(text: str, at: int, close: str, depth: int) -> tuple[list[Any], int]:
    out: list[Any] = []
    at = _skip(text, at)
    while not text.startswith(close, at):
        value, at = read_literal(text, at, depth + 1)
        out.append(value)
        at = _skip(text, at)
        if text.startswith(",", at):
            at = _skip(text, at + 1)
        elif not text.startswith(close, at):
            raise LiteralError(f"expected ',' or {close!r} at character {at}")
    return out, at + 1


def _tuple(text: str, at: int, depth: int) -> tuple[Any, int]:
    out, end = _items(text, at + 1, ")", depth)
    if len(out) == 1 and "," not in text[_last_comma(text, end) : end]:
        return out[0], end  # (1) is 1, (1,) is a tuple
    return tuple(out), end


def _last_comma(text: str, end: int) -> int:
    at = end - 2
    while at > 0 and text[at] in " \t\r\n":
        at -= 1
    return at


def _braces(text: str, at: int, depth: int) -> tuple[Any, int]:
    at = _skip(text, at)
    if text.startswith("}", at):
        return {}, at + 1
    pairs: list[tuple[Any, Any]] = []
    singles: list[Any] = []
    while True:
        key, at = read_literal(text, at, depth + 1)
        at = _skip(text, at)
        if text.startswith(":", at):
            value, at = read_literal(text, at + 1, depth + 1)
            pairs.append((key, value))
            at = _skip(text, at)
        else:
            singles.append(key)
        closed = text.startswith("}", at)
        if not closed and not text.startswith(",", at):
            raise LiteralError(f"expected ',' or '}}' at character {at}")
        at = at if closed else _skip(text, at + 1)
        if text.startswith("}", at):
            break
    if pairs and singles:
        raise LiteralError("a dict and a set at once")
    try:
        _check_hashes(singles or [key for key, _ in pairs])
        if not pairs:
            return set(singles), at + 1
        if len(found := dict(pairs)) < len(pairs):
            raise LiteralError("a dict with a key twice")
        return found, at + 1
    except TypeError as e:
        raise LiteralError(f"unhashable element: {e}") from e


def _check_hashes(keys: list[Any]) -> None:
    """A dict takes quadratic time over keys of one hash, which integers and tuples of them can be
    made to have: multiples of 2**61 - 1, or tuples of -1 and -2."""
    if len(keys) > _SAME_HASH and max(Counter(map(hash, keys)).values()) > _SAME_HASH:
        raise LiteralError(f"more than {_SAME_HASH} keys of one hash")


def _string(text: str, at: int) -> tuple[str, int]:
    quote, at = text[at], at + 1
    out: list[str] = []
    while True:
        if m := _CHUNK.match(text, at):
            out.append(m.group())
            at = m.end()
        c = text[at : at + 1]
        if c == quote:
            return "".join(out), at + 1
        if c == "\\":
            value, at = _escape(text, at + 1)
            out.append(value)
        elif c in ("'", '"') and c:
            out.append(c)
            at += 1
        else:
            raise LiteralError("a string without its closing quote")


def _escape(text: str, at: int) -> tuple[str, int]:
    c = text[at : at + 1]
    size = {"x": 2, "u": 4, "U": 8}.get(c)
    if size is None:
        known = c in _ESCAPES or c in "'\"\\/"
        return (_ESCAPES.get(c, c) if known else "\\" + c), at + 1
    digits = text[at + 1 : at + 1 + size]
    try:
        code = int(digits, 16)
        if 0xD800 <= code < 0xDC00 and text.startswith("\\u", at + 5):
            low = int(text[at + 7 : at + 11], 16)
            return chr(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)), at + 11
        return chr(code), at + 1 + size
    except (ValueError, OverflowError) as e:
        raise LiteralError(f"bad escape at character {at}") from e
