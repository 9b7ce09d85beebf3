"""The data model: one problem, its tests, checker and solutions, and their one Arrow schema.

Everything that flows between stages is a :class:`Problem`. All text is `str` that encodes to
UTF-8 (no lone surrogates): that is what Arrow strings, the Hub's viewer and DuckDB read. Readers
refuse bytes that are not UTF-8 rather than guess.

    >>> p = Problem(id="demo/1", title="Sum", statement="Add a and b.",
    ...             tests=(TestCase("1 2\\n", "3\\n", "sample"),))
    >>> Problem.from_row(p.to_row()) == p
    True
"""

from __future__ import annotations

import datetime as dt
import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import pyarrow as pa

TestKind = Literal["sample", "hidden", "generated"]
Verdict = Literal[
    "accepted",
    "wrong_answer",
    "runtime_error",
    "time_limit",
    "memory_limit",
    "output_limit",
    "compile_error",
    "sandbox_violation",
    "judge_error",
]
#: What a solution's author says will happen. `rejected` means: any verdict but accepted.
Expected = Literal[
    "accepted", "wrong_answer", "time_limit", "runtime_error", "memory_limit", "rejected"
]
CheckerKind = Literal[
    "default",  # the evaluator's own comparison
    "tokens",  # same whitespace-separated tokens, case-sensitive
    "float",  # tokens; numbers may differ by args abs_tol / rel_tol
    "unordered",  # function results: equal as multisets at the top level
    "program",  # source: a Kattis output validator, run in the sandbox
    "asserts",  # test.input is Python that asserts on `candidate`; runs beside the program
]


class ProblemError(ValueError):
    """A row that can't become a Problem: the message names the field, the fault and the remedy."""


@dataclass(frozen=True, slots=True)
class TestCase:
    """One test. For function problems `input` holds one JSON value a line (one per argument)
    and `output` one JSON value; see `docs/formats.md` for the other accepted spellings."""

    __test__ = False  # not a pytest class

    input: str
    output: str
    kind: TestKind = "hidden"
    name: str = ""


@dataclass(frozen=True, slots=True)
class Checker:
    """How an output is compared. `args` are numbers by name, e.g. {"abs_tol": 1e-6};
    `source` is the program of kind "program" (Kattis protocol: argv INPUT ANSWER FEEDBACK_DIR,
    the output on stdin, exit status 42 accepts and 43 refuses)."""

    kind: CheckerKind = "default"
    args: tuple[tuple[str, float], ...] = ()
    source: str = ""

    def arg(self, name: str, default: float) -> float:
        """The named argument, or the default."""
        return dict(self.args).get(name, default)


@dataclass(frozen=True, slots=True)
class Solution:
    """A known program with the verdict its origin claims for it."""

    code: str
    expected: Expected = "accepted"
    language: str = "python"
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a row came from: `origin` (path or URL), when it was fetched (UTC, None when the
    source is a local file whose age says nothing), sha256 of the raw bytes it was parsed from,
    and the parser with its version. `also`: ids of the copies of this problem that `dedup` dropped
    for it, sorted."""

    origin: str = ""
    fetched_at: dt.datetime | None = None
    sha256: str = ""
    parser: str = ""
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Probe:
    """A model's measured pass rate on a problem: `passed` of `k` judged samples, the rate with
    its 95 % interval (Wilson), and how the samples were drawn. `truncated` counts samples that
    reached `max_new_tokens`."""

    model: str
    k: int
    passed: int
    pass_rate: float
    low: float
    high: float
    mean_tokens: float
    temperature: float
    max_new_tokens: int
    truncated: int


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem. `fn_name` None: a program that reads stdin; else a function (or a method of
    class Solution) of that name. `prelude` is code the source wants run before a solution
    (imports, ListNode). Limits: seconds and MiB, None = the judge's default. `level` is the
    platform's own word (easy, Hard, ...), `rating` its number (Codeforces, AtCoder)."""

    id: str
    title: str = ""
    statement: str = ""
    url: str = ""
    starter_code: str = ""
    fn_name: str | None = None
    prelude: str = ""
    tests: tuple[TestCase, ...] = ()
    checker: Checker = field(default_factory=Checker)
    time_limit_s: float | None = None
    memory_limit_mb: int | None = None
    rating: float | None = None
    level: str | None = None
    tags: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    released_at: dt.date | None = None
    licence: str = ""
    provenance: Provenance = field(default_factory=Provenance)
    solutions: tuple[Solution, ...] = ()
    probes: tuple[Probe, ...] = ()

    def __post_init__(self) -> None:
        source, _, native = self.id.partition("/")
        if not source or not native:
            raise ProblemError(
                f"field 'id': {self.id!r} must read 'source/native_id', e.g. 'kattis/hello'"
            )
        _check_types(self)

    @property
    def source(self) -> str:
        """The part of the id before the first slash."""
        return self.id.partition("/")[0]

    def to_row(self) -> dict[str, Any]:
        """A row for :data:`SCHEMA`."""
        return {
            "id": self.id,
            "source": self.source,
            "title": self.title,
            "statement": self.statement,
            "url": self.url,
            "starter_code": self.starter_code,
            "fn_name": self.fn_name,
            "prelude": self.prelude,
            "tests": [
                {"input": t.input, "output": t.output, "kind": t.kind, "name": t.name}
                for t in self.tests
            ],
            "checker": {
                "kind": self.checker.kind,
                "args": [{"name": n, "value": v} for n, v in self.checker.args],
                "source": self.checker.source,
            },
            "time_limit_s": self.time_limit_s,
            "memory_limit_mb": self.memory_limit_mb,
            "rating": self.rating,
            "level": self.level,
            "tags": list(self.tags),
            "flags": list(self.flags),
            "released_at": self.released_at,
            "licence": self.licence,
            "provenance": {
                "origin": self.provenance.origin,
                "fetched_at": self.provenance.fetched_at,
                "sha256": self.provenance.sha256,
                "parser": self.provenance.parser,
                "also": list(self.provenance.also),
            },
            "solutions": [
                {
                    "code": s.code,
                    "expected": s.expected,
                    "language": s.language,
                    "origin": s.origin,
                }
                for s in self.solutions
            ],
            "probes": [{f: getattr(p, f) for f in _PROBE_TYPES} for p in self.probes],
        }

    @staticmethod
    def from_row(row: dict[str, Any]) -> Problem:
        """The inverse of :meth:`to_row`; raises ProblemError naming the missing field."""
        try:
            checker, prov = row["checker"], row["provenance"]
            return Problem(
                id=row["id"],
                title=row["title"],
                statement=row["statement"],
                url=row["url"],
                starter_code=row["starter_code"],
                fn_name=row["fn_name"],
                prelude=row["prelude"],
                tests=tuple(
                    TestCase(t["input"], t["output"], t["kind"], t["name"]) for t in row["tests"]
                ),
                checker=Checker(
                    checker["kind"],
                    tuple((a["name"], a["value"]) for a in checker["args"]),
                    checker["source"],
                ),
                time_limit_s=row["time_limit_s"],
                memory_limit_mb=row["memory_limit_mb"],
                rating=row["rating"],
                level=row["level"],
                tags=tuple(row["tags"]),
                flags=tuple(row["flags"]),
                released_at=row["released_at"],
                licence=row["licence"],
                provenance=Provenance(
                    prov["origin"],
                    prov["fetched_at"],
                    prov["sha256"],
                    prov["parser"],
                    tuple(prov.get("also") or ()),  # shards of version 0.1 have no such field
                ),
                solutions=tuple(
                    Solution(s["code"], s["expected"], s["language"], s["origin"])
                    for s in row["solutions"]
                ),
                probes=tuple(Probe(**p) for p in row["probes"]),
            )
        except (KeyError, TypeError) as e:
            raise ProblemError(
                f"row {row.get('id', '?')!r}: field {e} is missing or has the wrong type; "
                "import the source again with this version"
            ) from e


_PROBE_TYPES = {
    "model": pa.large_string(),
    "k": pa.int64(),
    "passed": pa.int64(),
    "pass_rate": pa.float64(),
    "low": pa.float64(),
    "high": pa.float64(),
    "mean_tokens": pa.float64(),
    "temperature": pa.float64(),
    "max_new_tokens": pa.int64(),
    "truncated": pa.int64(),
}
_TEXT = pa.large_string()  # 32-bit offsets overflow at 2 GiB of tests in one row group
#: The schema of every Problem shard.
SCHEMA = pa.schema(
    [
        pa.field("id", _TEXT, nullable=False),
        pa.field("source", _TEXT, nullable=False),
        pa.field("title", _TEXT, nullable=False),
        pa.field("statement", _TEXT, nullable=False),
        pa.field("url", _TEXT, nullable=False),
        pa.field("starter_code", _TEXT, nullable=False),
        pa.field("fn_name", _TEXT),
        pa.field("prelude", _TEXT, nullable=False),
        pa.field(
            "tests",
            pa.large_list(
                pa.struct([("input", _TEXT), ("output", _TEXT), ("kind", _TEXT), ("name", _TEXT)])
            ),
            nullable=False,
        ),
        pa.field(
            "checker",
            pa.struct(
                [
                    ("kind", _TEXT),
                    ("args", pa.list_(pa.struct([("name", _TEXT), ("value", pa.float64())]))),
                    ("source", _TEXT),
                ]
            ),
            nullable=False,
        ),
        pa.field("time_limit_s", pa.float64()),
        pa.field("memory_limit_mb", pa.int64()),
        pa.field("rating", pa.float64()),
        pa.field("level", _TEXT),
        pa.field("tags", pa.list_(_TEXT), nullable=False),
        pa.field("flags", pa.list_(_TEXT), nullable=False),
        pa.field("released_at", pa.date32()),
        pa.field("licence", _TEXT, nullable=False),
        pa.field(
            "provenance",
            pa.struct(
                [
                    ("origin", _TEXT),
                    ("fetched_at", pa.timestamp("us", tz="UTC")),
                    ("sha256", _TEXT),
                    ("parser", _TEXT),
                    ("also", pa.list_(_TEXT)),
                ]
            ),
            nullable=False,
        ),
        pa.field(
            "solutions",
            pa.large_list(
                pa.struct(
                    [("code", _TEXT), ("expected", _TEXT), ("language", _TEXT), ("origin", _TEXT)]
                )
            ),
            nullable=False,
        ),
        pa.field("probes", pa.list_(pa.struct(list(_PROBE_TYPES.items()))), nullable=False),
    ]
)

#: The schema of every `dropped/` shard: the whole problem (or, when none could be made, the raw
#: bytes) with stage, reason and evidence (a JSON object).
DROPPED_SCHEMA = pa.schema(
    [
        pa.field("id", _TEXT, nullable=False),
        pa.field("stage", _TEXT, nullable=False),
        pa.field("reason", _TEXT, nullable=False),
        pa.field("evidence", _TEXT, nullable=False),
        pa.field("origin", _TEXT, nullable=False),
        pa.field("problem", pa.struct(list(SCHEMA))),
        pa.field("raw", pa.large_binary()),
    ]
)


@dataclass(frozen=True, slots=True)
class Dropped:
    """A row a stage did not keep. `reason` is a short fixed word (it is counted in the funnel),
    `evidence` says why in this case. `problem` is None and `raw` holds the bytes when the row
    could not be parsed."""

    id: str
    stage: str
    reason: str
    evidence: dict[str, Any] = field(default_factory=dict)
    origin: str = ""
    problem: Problem | None = None
    raw: bytes | None = None

    def to_row(self) -> dict[str, Any]:
        """A row for :data:`DROPPED_SCHEMA`."""
        evidence = json.dumps(self.evidence, ensure_ascii=False, sort_keys=True, default=str)
        return {
            "id": _as_utf8(self.id),
            "stage": self.stage,
            "reason": self.reason,
            "evidence": _as_utf8(evidence),
            "origin": _as_utf8(self.origin),
            "problem": self.problem.to_row() if self.problem else None,
            "raw": self.raw,
        }


def drop(problem: Problem, stage: str, reason: str, **evidence: Any) -> Dropped:
    """Drop a parsed problem.

    >>> drop(Problem(id="a/b"), "dedup", "duplicate", of="c/d").evidence
    {'of': 'c/d'}
    """
    return Dropped(
        problem.id, stage, reason, evidence, origin=problem.provenance.origin, problem=problem
    )


def _as_utf8(text: str) -> str:
    """`text` with lone surrogates as escapes: the record of a bad row must itself be writable."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _check_types(p: Problem) -> None:
    """Refuse what Arrow would refuse later, when the whole row group fails with it."""
    for name in ("id", "title", "statement", "url", "starter_code", "prelude", "licence"):
        require_text(getattr(p, name), name)
    for name in ("fn_name", "level"):
        if getattr(p, name) is not None:
            require_text(getattr(p, name), name)
    for name in ("time_limit_s", "memory_limit_mb", "rating"):
        value, kinds = getattr(p, name), int if name == "memory_limit_mb" else (int, float)
        if value is None:
            continue
        too_big = isinstance(value, int) and abs(value) >= 2**63
        if isinstance(value, bool) or not isinstance(value, kinds) or too_big:
            raise ProblemError(f"field {name!r}: {value!r:.60} is not a number in range")
        if name != "rating" and not 0 < value < math.inf:
            raise ProblemError(f"field {name!r}: {value!r:.60} is not over 0")
    for t in p.tests:
        require_text(t.input, "tests.input")
        require_text(t.output, "tests.output")
        require_text(t.name, "tests.name")
    for s in p.solutions:
        require_text(s.code, "solutions.code")
        require_text(s.language, "solutions.language")
        require_text(s.origin, "solutions.origin")
    for text in (
        *(*p.tags, *p.flags, p.checker.source),
        *(p.provenance.origin, *p.provenance.also),
    ):
        require_text(text, "tags, flags, checker.source or provenance")


def require_text(value: Any, field_name: str) -> str:
    """`value` if it is text that UTF-8 can hold, else ProblemError naming the field."""
    if not isinstance(value, str):
        raise ProblemError(
            f"field {field_name!r}: expected text, found {type(value).__name__} ({value!r:.60})"
        )
    if value.isascii():  # known without looking at the text
        return value
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as e:
        raise ProblemError(
            f"field {field_name!r}: lone surrogate at character {e.start}, not valid UTF-8; "
            "re-encode the source file"
        ) from e
    return value


def decode_utf8(raw: bytes, what: str) -> str:
    """The text of `raw`, or ProblemError naming `what` and the first bad byte."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as e:
        raise ProblemError(
            f"{what}: byte {e.start} (0x{raw[e.start]:02x}) is not UTF-8; convert the file to UTF-8"
        ) from e


def one_of(value: Any, allowed: Iterable[str], field_name: str) -> str:
    """`value` if allowed, else ProblemError listing the allowed values."""
    allowed = tuple(allowed)
    if value not in allowed:
        raise ProblemError(f"field {field_name!r}: {value!r} is not one of {', '.join(allowed)}")
    return str(value)


VERDICTS: tuple[str, ...] = get_args(Verdict)
EXPECTED: tuple[str, ...] = get_args(Expected)
CHECKER_KINDS: tuple[str, ...] = get_args(CheckerKind)
TEST_KINDS: tuple[str, ...] = get_args(TestKind)
