"""Rows of benchmarks that cannot be judged by their stored tests, as data (livecodebench.json).

>>> from pipelines.problem import Problem
>>> erratum_of(Problem("livecodebench/abc337_e")).kind
'interactive'
>>> find(title="Find the Peaks").remedy
'unordered'
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal, get_args

from pipelines.problem import Problem

#: Several answers are right and one is stored; the program talks with a judge; tests are wrong.
Kind = Literal["several_answers", "interactive", "wrong_tests"]
#: What would judge it: the comparison as it is, an unordered one, a checker program of its own;
#: or nothing can, and the row has to be left out.
Remedy = Literal["default", "unordered", "program", "leave_out"]
#: Who says so: the statement itself, LiveCodeBench's list of errata, or a report nobody confirmed.
Evidence = Literal["statement", "livecodebench", "reported"]
#: Sources whose ids and titles are LiveCodeBench's; `jsonl` is a person's own file of its rows.
_SOURCES = ("livecodebench", "jsonl")


@dataclass(frozen=True, slots=True)
class Erratum:
    """One row: LiveCodeBench's question_id, the slug of its title, and what is wrong with it."""

    id: str
    slug: str
    platform: Literal["atcoder", "leetcode"]
    kind: Kind
    remedy: Remedy
    evidence: Evidence
    reason: str


@functools.cache
def load() -> tuple[Erratum, ...]:
    """All rows, in the file's order. Raises ValueError for a value that is not allowed.

    >>> len(load())
    17
    """
    text = files("evaluator.errata").joinpath("livecodebench.json").read_text("utf-8")
    rows = tuple(Erratum(**row) for row in json.loads(text))
    for row in rows:
        for value, allowed in ((row.kind, Kind), (row.remedy, Remedy), (row.evidence, Evidence)):
            if value not in get_args(allowed):
                raise ValueError(f"livecodebench.json: {row.id}: {value!r} is not allowed")
    return rows


def slug_of(title: str) -> str:
    """A title in lower case, runs of other characters as one dash.

    >>> slug_of("Sum = 0")
    'sum-0'
    """
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def find(question_id: str | None = None, title: str | None = None) -> Erratum | None:
    """The row of LiveCodeBench's `question_id`, or, failing that, of a title or its slug. Only
    LeetCode's titles count: AtCoder has problems called Sort in several contests.

    >>> find("abc343_a").reason
    'Any digit but A + B is right: nine answers, of which one is stored.'
    """
    for row in load():
        if question_id == row.id:
            return row
    slug = slug_of(title or "")
    return next((r for r in load() if r.platform == "leetcode" and slug == r.slug), None)


def erratum_of(problem: Problem) -> Erratum | None:
    """The row that says why the verdicts on this problem mean little, or None. Problems of the
    source livecodebench, and of one's own JSONL file, whose ids are a question_id or a slug. The
    checker that a problem brings for its several answers takes it off the list.

    >>> erratum_of(Problem("leetcode/find-the-peaks")) is None  # LeetCodeDataset's own tests
    True
    """
    if problem.source not in _SOURCES:
        return None
    native = problem.id.partition("/")[2]
    # a bare number in one's own file may number anything
    known = problem.source == "livecodebench" or not native.isdecimal()
    row = find(native if known else None, problem.title) or find(title=native)
    if row is not None and row.kind == "several_answers" and problem.checker.kind != "default":
        return None
    return row


def affected(problems: Iterable[Problem]) -> dict[str, Erratum]:
    """The rows of these problems that are on the list, by problem id.

    >>> list(affected([Problem("livecodebench/abc343_a"), Problem("livecodebench/abc301_a")]))
    ['livecodebench/abc343_a']
    """
    found = ((p.id, erratum_of(p)) for p in problems)
    return {problem_id: row for problem_id, row in found if row is not None}
