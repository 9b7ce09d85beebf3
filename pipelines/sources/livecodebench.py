"""LiveCodeBench: rows of code_generation_lite (JSONL[.gz]) and of its published submissions.

The private tests of code_generation_lite are base64 of zlib of a pickled string. The pickle is
never run: its opcodes are walked, and only those that spell one string are allowed.
"""

from __future__ import annotations

import base64
import binascii
import datetime as dt
import io
import json
import pickletools
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pipelines.problem import (
    Dropped,
    Problem,
    ProblemError,
    Provenance,
    Solution,
    TestCase,
    TestKind,
    one_of,
    require_text,
)
from pipelines.sources.location import Location
from pipelines.sources.rows import Row, read_rows, refuse, with_tests
from pipelines.stage import Decision

PARSER = "livecodebench/1"
LICENCE = "MIT (LiveCodeBench); statement rights with the platform"
#: Private tests may not unpack to more bytes than this.
MAX_TESTS = 512 * 2**20
_PLATFORMS = ("atcoder", "codeforces", "leetcode")
_PLAIN_TITLE = re.compile(r"[A-Za-z0-9 -]*[A-Za-z0-9][A-Za-z0-9 -]*")
_STRINGS = {"SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8", "UNICODE"}
#: Opcodes that put no object on the stack and look nothing up.
_HARMLESS = {"PROTO", "FRAME", "MEMOIZE", "BINPUT", "LONG_BINPUT", "PUT", "STOP"}


class PickleRefused(ValueError):
    """Bytes that are not base64(zlib(pickle of one string))."""


@dataclass(frozen=True, slots=True)
class BenchmarkRow:
    """What decontamination reads of a row: no private tests, no programs. `id` is LiveCodeBench's
    question_id; `samples` are the (input, output) of the public tests, where the row has them."""

    id: str
    title: str
    statement: str
    platform: str
    contest_id: str
    released_at: dt.date | None
    url: str
    samples: tuple[tuple[str, str], ...] = ()


def read(path: Location | None) -> Iterator[Decision]:
    """Problems of a LiveCodeBench file, e.g. `read(Path("test5.jsonl"))`. A row of published
    submissions has no tests and is dropped for that, with its problem."""
    assert path is not None  # the registry asks for one

    def parse(data: dict[str, Any], row: Row) -> Decision:
        try:
            problem = _problem(data, row, row.origin)
        except PickleRefused as e:
            error = f"field 'private_test_cases': {e}"
            return refuse("livecodebench", _id(data), "pickle_refused", error, path, row)
        return with_tests(problem, path, row)

    return read_rows(path, "livecodebench", parse, _id)


def iter_benchmark(path: Path) -> Iterator[BenchmarkRow | Dropped]:
    """The rows to protect from contamination, tests or not; rows that can't be read, or have no
    text to protect, come as Dropped. E.g. `iter_benchmark(Path("test5.jsonl"))`."""

    def parse(data: dict[str, Any], row: Row) -> BenchmarkRow:
        data["platform"]  # KeyError when it is missing
        for name in ("question_title", "question_content"):
            if not require_text(data[name], name).strip():
                raise ProblemError(f"field {name!r} is empty: the row would protect nothing")
        return BenchmarkRow(
            id=_id(data),
            title=_text(data, "question_title"),
            statement=_text(data, "question_content"),
            platform=_platform(data),
            contest_id=_contest(data),
            released_at=_date(data),
            url=_url(data),
            samples=tuple((t.input, t.output) for t in _public(data)[0]),
        )

    rows: Any = read_rows(path, "livecodebench", cast(Any, parse), _id)
    return cast("Iterator[BenchmarkRow | Dropped]", rows)


def unpickle_text(packed: str) -> str:
    """The string in base64(zlib(pickle(str))), decoded without running the pickle. Raises
    PickleRefused for everything else.

    >>> import pickle
    >>> unpickle_text(base64.b64encode(zlib.compress(pickle.dumps("[]"))).decode())
    '[]'
    """
    try:
        compressed = base64.b64decode(packed, validate=True)
        inflate = zlib.decompressobj()
        raw = inflate.decompress(compressed, MAX_TESTS)
    except (ValueError, binascii.Error, zlib.error) as e:
        raise PickleRefused(f"not base64 of zlib data ({e})") from None
    if inflate.unused_data:
        raise PickleRefused("bytes follow the zlib data")
    if not inflate.eof:
        raise PickleRefused(f"the zlib data is cut off or unpacks to over {MAX_TESTS} bytes")
    found: list[str] = []
    stream = io.BytesIO(raw)
    try:
        for opcode, argument, position in pickletools.genops(stream):
            if opcode.name in _STRINGS:
                found.append(str(argument))
            elif opcode.name not in _HARMLESS:
                raise PickleRefused(
                    f"pickle opcode {opcode.name} at byte {position} could run code or build "
                    "objects"
                )
    except PickleRefused:
        raise
    except Exception as e:  # whatever the bytes make pickletools say
        raise PickleRefused(f"damaged pickle ({type(e).__name__}: {e})") from None
    if len(found) != 1 or stream.read(1):
        raise PickleRefused(f"the pickle holds {len(found)} strings or trailing bytes, not one")
    return found[0]


def _problem(data: dict[str, Any], row: Row, origin: str) -> Problem:
    public, functional = _public(data)
    private, also_functional = _cases(_private(data), "private_test_cases", "hidden")
    kinds = functional | also_functional
    if len(kinds) > 1:
        raise ProblemError("fields 'public_test_cases', 'private_test_cases': testtype is mixed")
    return Problem(
        id=f"livecodebench/{_id(data)}",
        title=_text(data, "question_title"),
        statement=_text(data, "question_content"),
        url=_url(data),
        starter_code=_text(data, "starter_code"),
        fn_name=_fn_name(data) if kinds == {True} else None,
        tests=public + private,
        level=_text(data, "difficulty") or None,
        released_at=_date(data),
        licence=LICENCE,
        provenance=Provenance(origin, None, row.sha256, PARSER),
        solutions=_solutions(data),
    )


def _id(data: dict[str, Any]) -> str:
    value = data["question_id"]
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not require_text(value, "question_id"):
        raise ProblemError("field 'question_id' is empty")
    return str(value)


def _text(data: dict[str, Any], name: str) -> str:
    value = data.get(name)
    return "" if value is None else require_text(value, name)


def _date(data: dict[str, Any]) -> dt.date | None:
    text = _text(data, "contest_date")
    if not text:
        return None
    try:
        return dt.datetime.fromisoformat(text).date()
    except ValueError:
        raise ProblemError(
            f"field 'contest_date': {text!r:.40} is not a date like 2024-01-31T00:00:00"
        ) from None


def _platform(data: dict[str, Any]) -> str:
    if data.get("platform") is None:  # rows of AtCoder samples don't say it
        return "atcoder" if "samples" in data else ""
    return one_of(_text(data, "platform"), _PLATFORMS, "platform")


def _contest(data: dict[str, Any]) -> str:
    contest = _text(data, "contest_id")
    return contest or _id(data).rpartition("_")[0]


def _url(data: dict[str, Any]) -> str:
    """The problem's page, or empty where the row does not say it for certain."""
    platform, contest, question = _platform(data), _contest(data), _id(data)
    if platform == "leetcode":
        title = _text(data, "question_title")
        if not _PLAIN_TITLE.fullmatch(title):  # LeetCode's slug of other marks is irregular
            return ""
        slug = re.sub("[ -]+", "-", title.lower()).strip("-")
        return f"https://leetcode.com/problems/{slug}/"
    if platform == "atcoder" and contest:
        return f"https://atcoder.jp/contests/{contest}/tasks/{question}"
    if platform == "codeforces" and contest:
        index = question.rpartition("_")[2]
        return f"https://codeforces.com/problemset/problem/{contest}/{index}"
    return ""


def _fn_name(data: dict[str, Any]) -> str:
    metadata = data.get("metadata")
    if isinstance(metadata, str):
        metadata = _json(metadata, "metadata")
    name = metadata.get("func_name") if isinstance(metadata, dict) else None
    if not isinstance(name, str) or not name.isidentifier():
        raise ProblemError("field 'metadata': functional tests need 'func_name', a Python name")
    return name


def _public(data: dict[str, Any]) -> tuple[tuple[TestCase, ...], set[bool]]:
    name = "samples" if "samples" in data else "public_test_cases"
    value = data.get(name)
    return _cases(_json(value, name) if isinstance(value, str) else value, name, "sample")


def _private(data: dict[str, Any]) -> Any:
    value = data.get("private_test_cases")
    if not isinstance(value, str) or not value.strip():
        return value or None
    if not value.lstrip().startswith("["):  # never a base64 character
        value = unpickle_text(value.strip())
    return _json(value, "private_test_cases")


def _json(text: str, name: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as e:
        raise ProblemError(f"field {name!r}: not JSON: {e.msg} at column {e.colno}") from None


def _cases(value: Any, name: str, kind: TestKind) -> tuple[tuple[TestCase, ...], set[bool]]:
    """The tests, and which kinds there are among them: functional or not."""
    if value is None:
        return (), set()
    if not isinstance(value, list) or not all(isinstance(t, dict) for t in value):
        raise ProblemError(f"field {name!r}: expected a list of objects")
    tests, functional = [], set()
    for i, t in enumerate(value):
        for part in ("input", "output"):
            if part not in t:
                raise ProblemError(f"field '{name}[{i}].{part}' is missing")
        given = require_text(t["input"], f"{name}[{i}].input")
        output = require_text(t["output"], f"{name}[{i}].output")
        testtype = t.get("testtype", "stdin")
        testtype = one_of(testtype, ("stdin", "functional"), f"{name}[{i}].testtype")
        functional.add(testtype == "functional")
        tests.append(TestCase(given, output, kind, f"{kind}-{i + 1}"))
    return tuple(tests), functional


def _solutions(data: dict[str, Any]) -> tuple[Solution, ...]:
    """Programs of a submissions row with LiveCodeBench's grade (True: passed all hidden tests)."""
    if "code" in data:
        codes, grades, origin = [data["code"]], [data.get("lcb_graded")], "code"
    else:
        codes, grades = data.get("code_list") or [], data.get("graded_list") or []
        origin = "code_list"
    if not isinstance(codes, list) or not isinstance(grades, list) or len(codes) != len(grades):
        raise ProblemError("fields 'code_list', 'graded_list': not two lists of one length")
    if not all(isinstance(g, bool) for g in grades):
        raise ProblemError("field 'lcb_graded' or 'graded_list': a grade is true or false")
    return tuple(
        Solution(require_text(code, origin), "accepted" if grade else "rejected", "python", origin)
        for code, grade in zip(codes, grades, strict=True)
    )
