"""What the Hub's data sets have in common: tests as columns of inputs and outputs, in text that may
be JSON, JSON in JSON, or the print of a Python value; function tests with wrapped results."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import re
from collections.abc import Sequence
from typing import Any

from pipelines.literals import LiteralError, parse_literal, with_ints
from pipelines.problem import ProblemError, Solution, TestCase, TestKind, require_text
from pipelines.sources.rows import Refused

#: Accepted and wrong solutions kept a row: TACO has rows with over 6,000.
MAX_SOLUTIONS = 100
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_FENCE = re.compile(r"```(?P<language>[\w+#]*)[^\n]*\n(?P<code>.*?)```", re.S)


def decoded(value: Any, name: str) -> Any:
    """The value in a text column: JSON (up to twice encoded), or the print of a Python value.
    None for an empty one. ProblemError for anything else.

    >>> decoded('"[1]"', "x"), decoded("{'a': None}", "x"), decoded("", "x")
    ([1], {'a': None}, None)
    """
    for _ in range(3):
        if not isinstance(value, str):
            return value
        if not value.strip():
            return None
        try:
            value = json.loads(value)
        except ValueError:
            try:
                return parse_literal(value)
            except (LiteralError, RecursionError):
                raise ProblemError(
                    f"field {name!r}: neither JSON nor a Python literal ({value!r:.60})"
                ) from None
    return value


def content_id(text: str) -> str:
    """An id for rows that have none: of what the row says, not of where it stands.

    >>> content_id("Sum the numbers")
    'c0ae2c3dcc26f0e6'
    """
    return hashlib.sha256(" ".join(text.split()).encode("utf-8", "replace")).hexdigest()[:16]


def io_tests(
    inputs: Any, outputs: Any, fn_name: str | None, kind: TestKind = "hidden"
) -> tuple[TestCase, ...]:
    """Tests of two parallel lists. Function tests: an input is the list of arguments; where every
    output of the row is a list of one, the results are wrapped and are unwrapped.

    >>> io_tests([[[1, 2], 3]], [[6]], "f")[0].input, io_tests([[[1, 2], 3]], [[6]], "f")[0].output
    ('[1, 2]\\n3', '6')
    """
    if inputs is None and outputs is None:
        return ()
    if not isinstance(inputs, list) or not isinstance(outputs, list):
        raise ProblemError("fields 'inputs', 'outputs': expected two lists")
    if len(inputs) != len(outputs):
        raise Refused("uneven_tests", f"{len(inputs)} inputs but {len(outputs)} outputs")
    if fn_name is None:
        pairs = [(_lines(i), _lines(o)) for i, o in zip(inputs, outputs, strict=True)]
    else:
        wrapped = bool(outputs) and all(isinstance(o, list) and len(o) == 1 for o in outputs)
        results = [o[0] for o in outputs] if wrapped else outputs
        pairs = [(_arguments(i), _value(o)) for i, o in zip(inputs, results, strict=True)]
    return tuple(TestCase(i, o, kind) for i, o in pairs)


def typed_cases(
    cases: Any, default_fn: str | None = None
) -> tuple[str | None, tuple[TestCase, ...]]:
    """(fn_name, tests) of a list of cases that each name their type: `type` or `testtype`
    (stdin_stdout, stdin; function_call, functional), `fn_name` or `metadata.func_name`. A type that
    is missing is told by the name. Raises Refused for a row of both kinds."""
    if not isinstance(cases, list):
        raise ProblemError("field 'tests': expected a list of test cases")
    names: set[str] = set()
    kinds: set[str] = set()
    inputs, outputs, functional = [], [], False
    for i, case in enumerate(cases):
        if not isinstance(case, dict) or "input" not in case or "output" not in case:
            raise ProblemError(f"field 'tests[{i}]': expected an object with input and output")
        about = case.get("metadata") if isinstance(case.get("metadata"), dict) else {}
        name = case.get("fn_name") or (about or {}).get("func_name") or default_fn
        kind = str(case.get("type") or case.get("testtype") or ("functional" if name else "stdin"))
        kinds.add("function" if kind in ("function_call", "functional") else "stdin")
        functional |= kind == "functional"
        if kind in ("function_call", "functional"):
            if not name:
                raise ProblemError(f"field 'tests[{i}]': a function test without fn_name")
            names.add(require_text(name, f"tests[{i}].fn_name"))
        inputs.append(case["input"])
        outputs.append(case["output"])
    if len(kinds) > 1 or len(names) > 1:
        raise Refused("mixed_tests", f"tests of kinds {sorted(kinds)}, functions {sorted(names)}")
    fn_name = next(iter(names), None)
    if functional:  # LiveCodeBench's form: already one JSON value a line
        tests = tuple(
            TestCase(_lines(i), _lines(o), "hidden") for i, o in zip(inputs, outputs, strict=True)
        )
        return fn_name, tests
    return fn_name, io_tests(inputs, outputs, fn_name)


def _lines(value: Any) -> str:
    """Text of a program's test: as it is, or the lines of a list."""
    if isinstance(value, list):
        return "\n".join(v if isinstance(v, str) else _value(v) for v in value)
    return value if isinstance(value, str) else _value(value)


_KIBI = re.compile(r"kilo|\bkb\b|\bkib\b", re.I)


def _arguments(value: Any) -> str:
    if isinstance(value, str):
        try:
            whole = json.loads(value)
        except ValueError:
            return value  # the evaluator reads the other spellings
        value = whole if isinstance(whole, list) else [whole]
    return "\n".join(_value(v) for v in value) if isinstance(value, list) else _value(value)


def _value(value: Any) -> str:
    return json.dumps(with_ints(value), ensure_ascii=False)


_PYTHON_2 = re.compile(
    r"^\s*(?:print\s+[^\s(=]|print\s*$|exec\s+[\"'])|\braw_input\s*\(|\bxrange\s*\(", re.M
)


def python_version(code: str) -> str:
    """'python', or 'python2' for a program that only Python 2 runs: nobody would see it pass.

    >>> python_version("print 1"), python_version("print(1)")
    ('python2', 'python')
    """
    return "python2" if _PYTHON_2.search(code) else "python"


def solutions(
    codes: Any, expected: str = "accepted", language: str = "python", origin: str = ""
) -> tuple[Solution, ...]:
    """Solutions of a list of codes, repeats left out, at most MAX_SOLUTIONS."""
    if not codes:
        return ()
    if not isinstance(codes, Sequence) or isinstance(codes, str):
        codes = [codes]
    distinct = dict.fromkeys(require_text(c, "solutions") for c in codes)
    kept = [c for c in distinct if c.strip()][:MAX_SOLUTIONS]
    told = language == "python"
    return tuple(
        Solution(c, expected, python_version(c) if told else language, origin)  # type: ignore[arg-type]
        for c in kept
    )


def fenced(text: str) -> tuple[str, str]:
    """(language, code) of the last fenced block of a text; the text itself where it has none.

    >>> fenced("```cpp\\nint x;\\n```")
    ('cpp', 'int x;\\n')
    """
    blocks = list(_FENCE.finditer(text))
    if not blocks:
        return "python", text
    return blocks[-1]["language"].lower() or "python", blocks[-1]["code"]


def seconds(value: Any) -> float | None:
    """A time limit: a number of seconds, '2.0 seconds', '1500 ms', {seconds, nanos}.

    >>> seconds("2.0 seconds"), seconds({"seconds": 1, "nanos": 500000000}), seconds("500 ms")
    (2.0, 1.5, 0.5)
    """
    if isinstance(value, dict):
        value = (value.get("seconds") or 0) + (value.get("nanos") or 0) / 1e9
    if isinstance(value, str):
        found = _NUMBER.search(value)
        value = float(found[0]) if found else None
        if value and re.search(r"\bms\b|milli", str(found.string if found else "")):
            value /= 1000
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e6:
        return None
    return float(value)


def mebibytes(value: Any) -> int | None:
    """A memory limit: '256.0 megabytes', bytes over 10^6, or a number of MB.

    >>> mebibytes("256.0 megabytes"), mebibytes(268435456), mebibytes(None)
    (256, 256, None)
    """
    if isinstance(value, str):
        found = _NUMBER.search(value)
        if not found:
            return None
        scale = 1024.0 if re.search(r"giga|\bgi?b\b", value, re.I) else 1.0
        scale = 1 / 1024 if _KIBI.search(value) else scale
        value = float(found[0]) * scale
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 2**50:
        return None
    return max(1, int(value / 2**20 if value > 1e6 else value))


def day(seconds: Any) -> dt.date | None:
    """The UTC date of Unix seconds; None for what is none."""
    try:
        return dt.datetime.fromtimestamp(seconds, dt.UTC).date()
    except (TypeError, ValueError, OverflowError, OSError):
        return None
