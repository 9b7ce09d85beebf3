"""The JSON form of a problem: what the `jsonl` source and `microcoder judge` read.

>>> p = problem_from_json({"id": "twice", "fn_name": "twice",
...                        "tests": [{"input": [2], "output": 4}]}, "demo")
>>> p.id, p.tests[0].input, p.tests[0].output
('demo/twice', '2', '4')
"""

from __future__ import annotations

import datetime as dt
import json
import keyword
import math
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from pipelines.asserts import parse_source
from pipelines.problem import (
    CHECKER_KINDS,
    EXPECTED,
    TEST_KINDS,
    Checker,
    CheckerKind,
    Expected,
    Problem,
    ProblemError,
    Solution,
    TestCase,
    TestKind,
    one_of,
    require_text,
)

FIELDS = (
    "id", "tests", "fn_name", "title", "statement", "url", "time_limit_s", "memory_limit_mb",
    "checker", "starter_code", "prelude", "tags", "flags", "level", "rating", "released_at",
    "licence", "solutions",
)  # fmt: skip
_TEXTS = ("title", "statement", "url", "starter_code", "prelude", "licence")
T = TypeVar("T")
D = TypeVar("D")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def problem_from_json(data: dict[str, Any], default_source: str) -> Problem:
    """The problem of one JSON object (docs/formats.md). An id without a slash gets the prefix
    `default_source`; null means the field's default. The test list may be empty. Raises
    ProblemError naming the field and what is allowed."""
    _known(data, FIELDS, "")
    for name in ("id", "tests"):
        if data.get(name) is None:
            raise ProblemError(f"field {name!r} is missing")
    native = require_text(data["id"], "id")
    if not native:
        raise ProblemError("field 'id' is empty")
    fn_name = _optional(data, "fn_name", require_text, None)
    if fn_name is not None and (not fn_name.isidentifier() or keyword.iskeyword(fn_name)):
        raise ProblemError(f"field 'fn_name': {fn_name!r} is neither null nor a Python name")
    checker = _checker(data.get("checker"))
    if checker.kind == "asserts" and fn_name is None:
        raise ProblemError("field 'checker': kind 'asserts' needs field 'fn_name'")
    tests = tuple(
        _test(t, f"tests[{i}]", fn_name is not None, checker.kind)
        for i, t in enumerate(_list(data["tests"], "tests"))
    )
    texts: dict[str, Any] = {n: _optional(data, n, require_text, "") for n in _TEXTS}
    return Problem(
        id=native if "/" in native else f"{default_source}/{native}",
        **texts,
        fn_name=fn_name,
        tests=tests,
        checker=checker,
        time_limit_s=_optional(data, "time_limit_s", _positive, None),
        memory_limit_mb=_optional(data, "memory_limit_mb", _whole, None),
        rating=_optional(data, "rating", _number, None),
        level=_optional(data, "level", require_text, None),
        tags=_optional(data, "tags", _texts, ()),
        flags=_optional(data, "flags", _texts, ()),
        released_at=_optional(data, "released_at", _date, None),
        solutions=tuple(
            _solution(s, f"solutions[{i}]")
            for i, s in enumerate(_optional(data, "solutions", _list, []))
        ),
    )


def problem_to_json(problem: Problem) -> dict[str, Any]:
    """The inverse of :func:`problem_from_json`: id and tests, and every other field that is not
    its default. Provenance is not part of this form.

    >>> problem_to_json(Problem("a/b", tests=(TestCase("1", "2"),)))
    {'id': 'a/b', 'tests': [{'input': '1', 'output': '2'}]}
    """
    p = problem
    data: dict[str, Any] = {
        "id": p.id,
        "tests": [
            _slim(
                {"input": t.input, "output": t.output}, kind=(t.kind, "hidden"), name=(t.name, "")
            )
            for t in p.tests
        ],
    }
    for name in FIELDS:
        if name in ("id", "tests", "checker", "released_at", "solutions", "tags", "flags"):
            continue
        value = getattr(p, name)
        if value is not None and value != "":
            data[name] = value
    for name in ("tags", "flags"):
        if getattr(p, name):
            data[name] = list(getattr(p, name))
    if p.checker != Checker():
        c = p.checker
        data["checker"] = _slim({"kind": c.kind}, args=(dict(c.args), {}), source=(c.source, ""))
    if p.released_at is not None:
        data["released_at"] = p.released_at.isoformat()
    if p.solutions:
        data["solutions"] = [
            _slim(
                {"code": s.code},
                expected=(s.expected, "accepted"),
                language=(s.language, "python"),
                origin=(s.origin, ""),
            )
            for s in p.solutions
        ]
    return data


def _slim(data: dict[str, Any], **optional: tuple[Any, Any]) -> dict[str, Any]:
    return data | {name: value for name, (value, default) in optional.items() if value != default}


def _test(data: Any, where: str, function: bool, checker: CheckerKind) -> TestCase:
    data = _object(data, where)
    _known(data, ("input", "output", "kind", "name"), where)
    for name in ("input", "output"):
        if name not in data and not (name == "output" and checker == "asserts"):
            raise ProblemError(f"field '{where}.{name}' is missing")
    given, output = data["input"], data.get("output", "")
    if function and not isinstance(given, str):
        if not isinstance(given, list):
            raise ProblemError(
                f"field '{where}.input': expected text or a JSON list of arguments, "
                f"found {_kind(given)}"
            )
        given = "\n".join(_dumps(argument) for argument in given)
    if function and not isinstance(output, str):
        output = _dumps(output)
    kind = data.get("kind", "hidden")
    return TestCase(
        require_text(given, f"{where}.input"),
        require_text(output, f"{where}.output"),
        cast(TestKind, _one_of(kind, TEST_KINDS, f"{where}.kind")),
        _optional(data, "name", require_text, "", f"{where}."),
    )


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _checker(data: Any) -> Checker:
    if data is None:
        return Checker()
    if isinstance(data, str):
        data = {"kind": data}
    if not isinstance(data, dict):
        raise ProblemError(
            f"field 'checker': expected a kind ({', '.join(CHECKER_KINDS)}) or an object with "
            f"one, found {_kind(data)}"
        )
    _known(data, ("kind", "args", "source"), "checker")
    if data.get("kind") is None:
        raise ProblemError(
            f"field 'checker.kind' is missing; allowed are {', '.join(CHECKER_KINDS)}"
        )
    kind = _one_of(data.get("kind"), CHECKER_KINDS, "checker.kind")
    args = _optional(data, "args", _object, {}, "checker.")
    _known(args, ("abs_tol", "rel_tol") if kind == "float" else (), "checker.args")
    for name, value in args.items():
        if _number(value, f"checker.args.{name}") < 0:
            raise ProblemError(f"field 'checker.args.{name}': {value} is negative")
    source = _optional(data, "source", require_text, "", "checker.")
    if (kind == "program") != bool(source):
        raise ProblemError(
            "field 'checker.source': kind 'program' needs the checker's Python code here, "
            "and no other kind has it"
        )
    if source:
        parse_source(source, "field 'checker.source'")
    return Checker(
        cast(CheckerKind, kind), tuple((n, float(v)) for n, v in sorted(args.items())), source
    )


def _solution(data: Any, where: str) -> Solution:
    data = _object(data, where)
    _known(data, ("code", "expected", "language", "origin"), where)
    if "code" not in data:
        raise ProblemError(f"field '{where}.code' is missing")
    expected = data.get("expected", "accepted")
    return Solution(
        require_text(data["code"], f"{where}.code"),
        cast(Expected, _one_of(expected, EXPECTED, f"{where}.expected")),
        _optional(data, "language", require_text, "python", f"{where}."),
        _optional(data, "origin", require_text, "", f"{where}."),
    )


def _known(data: dict[str, Any], allowed: Sequence[str], where: str) -> None:
    for name in data:
        if name not in allowed:
            known = ", ".join(allowed) or "none"
            full = f"{where}.{name}" if where else name
            raise ProblemError(f"field {full!r} is unknown; allowed fields: {known}")


def _optional(
    data: dict[str, Any], name: str, parse: Callable[[Any, str], T], default: D, where: str = ""
) -> T | D:
    value = data.get(name)
    return default if value is None else parse(value, f"{where}{name}")


def _object(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ProblemError(f"field {name!r}: expected an object, found {_kind(value)}")
    return value


def _list(value: Any, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise ProblemError(f"field {name!r}: expected a list, found {_kind(value)}")
    return value


def _texts(value: Any, name: str) -> tuple[str, ...]:
    return tuple(require_text(v, f"{name}[{i}]") for i, v in enumerate(_list(value, name)))


def _one_of(value: Any, allowed: Sequence[str], name: str) -> str:
    return one_of(value if isinstance(value, str) else _kind(value), allowed, name)


def _number(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ProblemError(f"field {name!r}: expected a number, found {_kind(value)}")
    if isinstance(value, float) and not math.isfinite(value):
        raise ProblemError(f"field {name!r}: {value} is not a finite number")
    if abs(value) >= 2**63:
        raise ProblemError(f"field {name!r}: the number is out of range (below 2**63)")
    return value


def _positive(value: Any, name: str) -> float:
    if _number(value, name) <= 0:
        raise ProblemError(f"field {name!r}: {value} is not a positive number")
    return float(value)


def _whole(value: Any, name: str) -> int:
    if _positive(value, name) != int(value):
        raise ProblemError(f"field {name!r}: {value} is not a whole number")
    return int(value)


def _date(value: Any, name: str) -> dt.date:
    text = require_text(value, name)
    try:
        if _DATE.fullmatch(text):
            return dt.date.fromisoformat(text)
    except ValueError:
        pass
    raise ProblemError(f"field {name!r}: {text!r:.40} is not a date YYYY-MM-DD")


def _kind(value: Any) -> str:
    """What JSON calls it."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    names = {dict: "an object", list: "a list", str: "text", int: "a number", float: "a number"}
    return names.get(type(value), type(value).__name__)
