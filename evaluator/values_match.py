"""Is this function result the expected value? (compare.py is the same for printed text.)

Got values come out of the sandbox as JSON with tags (see evaluator.values): a tagged set is
never a list, an object of the program's own class is never anything.

A result is hostile: what it may cost here is bounded before it is read (`decode`) and while it is
compared. Whatever is hashed is text, for whose hashes nobody knows collisions.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from itertools import accumulate
from typing import Any

from pipelines.literals import LongInt, integer
from pipelines.problem import Checker

_EXACT = 2**53  # from here on a float no longer stands for one integer


@dataclass(frozen=True, slots=True)
class Match:
    """`matched_by` names the rule that accepted; `detail` the first difference."""

    ok: bool
    matched_by: str = ""
    detail: str = ""


def yes(by: str) -> Match:
    """Accepted by that rule."""
    return Match(True, matched_by=by)


def no(detail: str) -> Match:
    """Refused, with the first difference."""
    return Match(False, detail=detail)


@dataclass(frozen=True, slots=True)
class Tolerance:
    """|difference| <= absolute, or <= relative times the expected value."""

    absolute: float
    relative: float

    def allows(self, want: str | float | int, got: str | float | int) -> bool:
        """NaN equals nothing here; a billionth of slack covers the rounding of the border."""
        try:
            w, g = float(want), float(got)
        except OverflowError:
            return want == got
        if not (math.isfinite(w) and math.isfinite(g)):
            try:
                return Decimal(want) == Decimal(got)
            except InvalidOperation:
                return False
        bound = max(self.absolute, self.relative * abs(w))
        return w == g or abs(w - g) <= bound * (1 + 1e-9)


#: LeetCode's own tolerance for a returned float.
VALUE_TOLERANCE = Tolerance(1e-5, 1e-5)


@dataclass(frozen=True, slots=True)
class _Rules:
    tolerance: Tolerance = VALUE_TOLERANCE
    printed: bool = False  # True is not 1, nor the key 1 the key "1": see compare_values
    everywhere: bool = False  # the tolerance covers expected integers too
    exact: bool = False


class Tagged(dict[str, Any]):
    """A decoded {"$...": ...} of the worker."""


_TAGS = ("$set", "$map", "$decimal", "$node", "$other")


def decode(text: bytes) -> Any:
    """The worker's JSON; ValueError when the program tampered with it, or when it is too large or
    too deep to be read at a bearable cost.

    >>> decode(b'[1, {"$set": [2]}]')
    [1, {'$set': [2]}]
    """
    if len(text) > MAX_BYTES:
        raise ValueError(f"more than {MAX_BYTES} bytes")
    if _cost(text) > _MAX_COST and _cost(_bare(text)) > _MAX_COST:
        raise ValueError("too many elements")
    if text.count(b"[") + text.count(b"{") > MAX_DEPTH:
        brackets = _bare(text).translate(_STEPS, _NO_BRACKETS)
        if max(accumulate(memoryview(brackets).cast("b")), default=0) > MAX_DEPTH:
            raise ValueError(f"nested more than {MAX_DEPTH} deep")
    return _JSON.decode(text.decode())


#: Of a result's text; brackets inside one another.
MAX_BYTES, MAX_DEPTH = 16 << 20, 200
#: Memory of an element, list, dict and key, in units of about 40 bytes: 200 MB in all.
_COSTS = ((b",", 1), (b"[", 2), (b"{", 6), (b":", 3))
_MAX_COST = 5_000_000
#: A JSON string, or all the rest after a quote that is not closed: linear whatever comes.
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_STEPS = bytes.maketrans(b"[]{}", b"\x01\xff\x01\xff")


def _cost(text: bytes) -> int:
    return sum(text.count(mark) * weight for mark, weight in _COSTS)


def _bare(text: bytes) -> bytes:
    return _STRING.sub(b"", text) if b'"' in text else text


def _tag(d: dict[str, Any]) -> dict[str, Any]:
    return Tagged(d) if len(d) == 1 and next(iter(d)) in _TAGS else d


#: Made once: json.loads makes one for each call that has options.
_JSON = json.JSONDecoder(parse_int=integer, object_hook=_tag)


def compare_values(
    expected: Any,
    got: Any,
    checker: Checker | None = None,
    policy: str = "robust",
    *,
    tolerance: Tolerance = VALUE_TOLERANCE,
    printed: bool = False,
) -> Match:
    """Compare a function's result with the expected value. `printed`: both were read off printed
    text, where True is not 1 and the key 1 not "1", as JSON could not have made them the same.

    >>> compare_values([1, 2.0], (1, 2)).ok, compare_values([1, 2], [2, 1]).ok
    (True, False)
    >>> compare_values([1, 2], [2, 1], Checker("unordered")).matched_by
    'unordered'
    """
    rules = _Rules(tolerance, printed, exact=policy == "strict")
    try:
        return _compared(expected, got, checker, rules)
    except RecursionError:
        return no("nested too deeply")


def _compared(expected: Any, got: Any, checker: Checker | None, rules: _Rules) -> Match:
    if checker and checker.kind == "float":
        declared = Tolerance(
            checker.arg("abs_tol", 0.0 if checker.args else 1e-6),
            checker.arg("rel_tol", 0.0 if checker.args else 1e-6),
        )
        rules = replace(rules, tolerance=declared, everywhere=True)
    if checker and checker.kind == "unordered" and isinstance(expected, list | tuple | set):
        items = _items(got)
        if items is None:
            return no("expected a list in any order")
        return _multisets(list(expected), items, rules)
    detail = _difference(expected, got, rules, "result")
    return no(detail) if detail else yes("value")


def _items(got: Any) -> list[Any] | None:
    if isinstance(got, Tagged):
        got = got.get("$set", got.get("$node"))
    return list(got) if isinstance(got, list | tuple | set) else None


#: Pairing by tolerance is quadratic: characters of what is left, times items of it.
_MAX_PAIRING = 50_000_000


def _multisets(want: list[Any], got: list[Any], rules: _Rules) -> Match:
    if len(want) != len(got):
        return no(f"expected {len(want)} items, found {len(got)}")
    theirs: dict[str, list[Any]] = {}
    for g in got:
        theirs.setdefault(_canonical(g), []).append(g)
    missing = []
    for w in want:
        same = theirs.get(_canonical(w))
        if same:
            same.pop()
        else:
            missing.append(w)
    if not missing:
        return yes("unordered")
    left = [(text, g) for text, items in theirs.items() for g in items]
    if len(missing) * sum(len(text) + 20 for text, _ in left) > _MAX_PAIRING:
        return no("not the same items")
    extra = [g for _, g in left]
    for w in missing:
        at = next((i for i, g in enumerate(extra) if not _difference(w, g, rules, "")), None)
        if at is None:
            return no(f"no item equals {_show(w)}")
        del extra[at]
    return yes("unordered")


def _canonical(v: Any) -> str:
    """Equal texts are equal values. Texts are put together, never quoted again: that would double
    their backslashes at each level."""
    if isinstance(v, float):
        return str(int(v)) if v.is_integer() and abs(v) < _EXACT else repr(v)
    if isinstance(v, list | tuple):
        return f"[{','.join(map(_canonical, v))}]"
    if isinstance(v, dict):
        pairs = sorted([f"{_key(k)!r}:{_canonical(x)}" for k, x in v.items()])
        return f"{'tag' if isinstance(v, Tagged) else ''}{{{','.join(pairs)}}}"
    if isinstance(v, set | frozenset):
        return f"set({','.join(sorted(map(_canonical, v)))})"
    return str(v) if isinstance(v, LongInt) else repr(v)


def _key(k: Any) -> str:
    if isinstance(k, bool) or k is None:
        return {True: "true", False: "false", None: "null"}[k]
    if isinstance(k, float):
        return repr(k)  # as json.dumps writes it
    if isinstance(k, str):
        return k
    # JSON writes numbers as text; what it has no key for, a tuple say, equals no text
    return _canonical(k) if isinstance(k, int) else f"\0{_canonical(k)}"


def _difference(want: Any, got: Any, rules: _Rules, where: str) -> str:
    """'' when equal, else where and how they differ."""
    if isinstance(got, Tagged):
        return _tagged(want, got, rules, where)
    if isinstance(want, bool) or isinstance(got, bool):
        same = isinstance(want, int) and isinstance(got, int) and want == got
        if rules.printed:
            same = same and type(want) is type(got)
        return "" if same else _say(where, want, got)
    if isinstance(want, int | float):
        return "" if _same_number(want, got, rules) else _say(where, want, got)
    if isinstance(want, list | tuple):
        return _sequences(want, got, rules, where)
    if isinstance(want, dict):
        if not isinstance(got, dict):
            return _say(where, want, got)
        return _mappings(want, got, rules, where)
    if isinstance(want, set | frozenset):
        same = isinstance(got, set | frozenset) and _canonical(want) == _canonical(got)
        return "" if same else _say(where, want, got)
    return "" if type(want) is type(got) and want == got else _say(where, want, got)


def _same_number(want: int | float, got: Any, rules: _Rules) -> bool:
    if not isinstance(got, int | float):
        return False
    if rules.exact:
        return want == got
    if isinstance(want, float) and math.isnan(want):
        return isinstance(got, float) and math.isnan(got)
    if isinstance(want, float) or rules.everywhere:
        return rules.tolerance.allows(want, got)
    if isinstance(got, float):
        return got.is_integer() and abs(got) < _EXACT and int(got) == want
    return want == got


def _sequences(want: Any, got: Any, rules: _Rules, where: str) -> str:
    if not isinstance(got, list | tuple):
        return _say(where, want, got)
    if len(want) != len(got):
        return f"{where}: expected {len(want)} items, found {len(got)}"
    for i, (w, g) in enumerate(zip(want, got, strict=True)):
        if w is g or (type(w) is type(g) and type(w) in (int, str) and w == g):
            continue
        if detail := _difference(w, g, rules, f"{where}[{i}]"):
            return detail
    return ""


def _mappings(want: dict[Any, Any], got: dict[Any, Any], rules: _Rules, where: str) -> str:
    ours = {_key(k): v for k, v in want.items()}
    theirs = {_key(k): v for k, v in got.items()}
    if rules.printed and {(_key(k), isinstance(k, str)) for k in want} != {
        (_key(k), isinstance(k, str)) for k in got
    }:
        return f"{where}: the keys are of different types"
    if ours.keys() != theirs.keys():
        odd = sorted(ours.keys() ^ theirs.keys())
        return f"{where}: key {odd[0]!r:.60} is only on one side"
    if len(want) != len(got):  # {1: ..., "1": ...} is not {"1": ...}
        return f"{where}: expected {len(want)} keys, found {len(got)}"
    for k, w in ours.items():
        if detail := _difference(w, theirs[k], rules, f"{where}[{k!r:.40}]"):
            return detail
    return ""


def _tagged(want: Any, got: Tagged, rules: _Rules, where: str) -> str:
    ((tag, value),) = got.items()
    if tag == "$node":
        if want is None:
            return "" if value == [] else _say(where, want, value)
        if isinstance(want, list) and isinstance(value, list):
            want, value = _trimmed(want), _trimmed(value)
        return _difference(want, value, rules, where)
    if tag == "$set" and isinstance(value, list) and isinstance(want, set | frozenset):
        match = _multisets(list(want), value, rules)
        return "" if match.ok else f"{where}: {match.detail}"
    if tag == "$map" and isinstance(want, dict) and isinstance(value, list):
        try:
            pairs = {_key(k): v for k, v in value}
        except (TypeError, ValueError):
            return f"{where}: not a mapping"
        if len(pairs) != len(value):
            return f"{where}: two keys read the same"
        return _mappings(want, pairs, rules, where)
    if tag == "$decimal" and isinstance(want, int | float) and not isinstance(want, bool):
        return "" if _same_decimal(want, value, rules) else _say(where, want, value)
    if tag == "$other":
        return f"{where}: expected {_show(want)}, found an object of type {value!r:.80}"
    return _say(where, want, {"$set": "a set", "$map": "a dict"}.get(tag, value))


def _trimmed(values: list[Any]) -> list[Any]:
    """Without the nulls at the end of a tree, which mean nothing."""
    end = len(values)
    while end and values[end - 1] is None:
        end -= 1
    return values[:end]


def _same_decimal(want: int | float, text: Any, rules: _Rules) -> bool:
    if not isinstance(text, str) or len(text) > 10_000:
        return False
    try:
        top, _, bottom = text.partition("/")
        number = Decimal(top) / Decimal(bottom or 1)
        if isinstance(want, int) and not rules.everywhere:
            return number == want
        return rules.tolerance.allows(want, float(number))
    except (ArithmeticError, ValueError):
        return False


def _say(where: str, want: Any, got: Any) -> str:
    return f"{where}: expected {_show(want)}, found {_show(got)}"


def _show(v: Any) -> str:
    if isinstance(v, list | tuple | dict | set) and len(v) > 20:
        return f"a {type(v).__name__} of {len(v)} items"
    try:
        text = repr(v)
    except (ValueError, RecursionError):
        return f"a {type(v).__name__}"
    return text if len(text) <= 80 else text[:77] + "..."
