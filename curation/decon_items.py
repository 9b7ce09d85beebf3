"""What decontamination reads of a row, whoever made it: our Problem or a row of any table.

Columns are found by their usual names or named by the user (`{"statement": "prompt"}`); a dot
goes into a nested column (`meta.question_title`).
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from curation.identity import native_identity
from curation.statement_examples import statement_examples
from curation.test_fingerprints import hash_pairs, pair_hashes
from curation.text import Hashes, slug
from pipelines.config import ConfigError
from pipelines.problem import Problem, ProblemError, require_text

#: field -> the names under which public data sets carry it, best first.
COLUMNS: dict[str, tuple[str, ...]] = {
    "statement": (
        "statement", "question_content", "problem_description", "description", "prompt",
        "problem", "question", "text",
    ),
    "id": ("id", "task_id", "question_id", "problem_id", "name"),
    "title": ("title", "question_title", "problem_title"),
    "url": ("url", "link", "problem_url"),
    "platform": ("platform",),
    "released_at": ("released_at", "contest_date", "estimated_date", "date"),
    "tests": ("tests", "public_test_cases", "test_cases", "input_output", "examples"),
}  # fmt: skip
#: How HumanEval (and EvalPlus, for both) writes the ids that our readers write otherwise.
_BENCHMARK_ID = re.compile(r"^(?:HumanEval/(\d+)|Mbpp/(\d+))$")
#: Tests beyond this many of a row are not read.
MAX_TESTS = 200


class ColumnError(ConfigError):
    """A table whose columns don't say what is needed."""


@dataclass(frozen=True, slots=True)
class Item:
    """A row as decontamination sees it. `judge` and `native`: which problem of which judge it is
    (:func:`curation.identity.native_identity`); `pairs`: hashes of its tests and of the examples
    in its statement."""

    id: str
    statement: str = ""
    title: str = ""
    judge: str = ""
    native: str = ""
    released_at: dt.date | None = None
    pairs: Hashes = field(default_factory=lambda: np.zeros(0, np.uint64))


def problem_item(problem: Problem) -> Item:
    """The item of a Problem.

    >>> problem_item(Problem(id="leetcode/two-sum")).native
    'two-sum'
    """
    judge, native = native_identity(problem.id, problem.url)
    title = problem.title if problem.source == "livecodebench" else ""
    judge, native = _by_slug(judge, native, title)
    return Item(
        problem.id,
        problem.statement,
        problem.title,
        judge,
        native,
        problem.released_at,
        pair_hashes(problem, MAX_TESTS),
    )


def choose_columns(
    present: Collection[str], given: Mapping[str, str], where: str
) -> dict[str, str]:
    """field -> column, for the columns of a table: those named in `given`, else the first usual
    name that is there. Raises ColumnError when there is no statement, a field is unknown, or a
    named column is not there.

    >>> choose_columns(["task_id", "prompt"], {}, "x.jsonl")
    {'statement': 'prompt', 'id': 'task_id'}
    """
    named = ", ".join(sorted(present)) or "none"
    for name, column in given.items():
        if name not in COLUMNS:
            raise ColumnError(f"{where}: unknown field {name!r}; fields: {', '.join(COLUMNS)}")
        if column.partition(".")[0] not in present and column not in present:
            raise ColumnError(f"{where}: no column {column!r} for {name!r}; columns: {named}")
    chosen = dict(given)
    for name, usual in COLUMNS.items():
        found = next((c for c in usual if c in present), None)
        if name not in chosen and found is not None:
            chosen[name] = found
    if "statement" not in chosen:
        raise ColumnError(
            f"{where}: no column with the problem's text (looked for "
            f"{', '.join(COLUMNS['statement'])}); columns: {named}. Name it, e.g. statement=prompt"
        )
    return {name: chosen[name] for name in COLUMNS if name in chosen}


def row_item(row: Mapping[str, Any], columns: Mapping[str, str], source: str, number: int) -> Item:
    """The item of a table's row. `source` stands for the judge or data set where the id does not
    say it; `number` names a row without an id. Raises ProblemError naming the field.

    >>> columns = {"statement": "text", "id": "task"}
    >>> row_item({"text": "Add.", "task": "1873_A"}, columns, "codeforces", 1).native
    '1873/a'
    """
    values = {name: column_value(row, column) for name, column in columns.items()}
    texts = {
        name: _as_text(values.get(name), columns.get(name, name))
        for name in ("statement", "id", "title", "url", "platform")
    }
    platform = texts["platform"].lower()
    native_id = texts["id"] or f"row-{number}"
    named = native_id if "/" in native_id and not platform else f"{platform or source}/{native_id}"
    judge, native = native_identity(_BENCHMARK_ID.sub(_our_id, named), texts["url"])
    judge, native = _by_slug(judge, native, texts["title"] if platform == "leetcode" else "")
    pairs = statement_examples(texts["statement"]) + _pairs(values.get("tests"))
    return Item(
        native_id,
        texts["statement"],
        texts["title"],
        judge,
        native,
        _date(values.get("released_at"), columns.get("released_at", "")),
        hash_pairs(pairs),
    )


def _by_slug(judge: str, native: str, title: str) -> tuple[str, str]:
    """LeetCode's problems by slug: its numbers are of two kinds (internal and shown), which would
    join different problems. `title` where it is the slug, as in LiveCodeBench."""
    if judge not in ("leetcode", "livecodebench") or not native.isdigit():
        return judge, native
    return ("leetcode", slug(title)) if title else ("", "")


def _our_id(found: re.Match[str]) -> str:
    return f"humaneval/HumanEval-{found[1]}" if found[1] else f"mbpp/{found[2]}"


def column_value(row: Mapping[str, Any], column: str) -> Any:
    """The value of a column; 'a.b' is b within a. None where there is none."""
    if column in row:
        return row[column]
    value: Any = row
    for part in column.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _as_text(value: Any, name: str) -> str:
    if value is None:
        return ""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return require_text(value, name)


def _date(value: Any, name: str) -> dt.date | None:
    if value is None or value == "":
        return None
    if isinstance(value, dt.datetime):
        return value.date()
    if isinstance(value, dt.date):
        return value
    try:
        return dt.datetime.fromisoformat(require_text(value, name)).date()
    except ValueError:
        raise ProblemError(f"field {name!r}: {value!r:.40} is no date like 2024-01-31") from None


def _pairs(value: Any) -> list[tuple[str, str]]:
    """Input/output texts of a tests column in one of the public shapes: JSON text or values, a
    list of {input, output}, {inputs: [...], outputs: [...]}. What is in no such shape says
    nothing (the statement may still)."""
    if isinstance(value, str):
        if value.lstrip()[:1] not in ("[", "{"):
            return []
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return []
    if isinstance(value, Mapping):
        given, wanted = (value.get(k, value.get(k + "s")) for k in ("input", "output"))
        if not isinstance(given, list) or not isinstance(wanted, list):
            return []
        both = list(zip(given, wanted, strict=False))
    elif isinstance(value, list):
        both = [(t.get("input"), t.get("output")) for t in value if isinstance(t, Mapping)]
    else:
        return []
    return [(_plain(a), _plain(b)) for a, b in both[:MAX_TESTS] if a is not None and b is not None]


def _plain(value: Any) -> str:
    """One side of a test as text; a list of lines or arguments as one line each."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(v if isinstance(v, str) else json.dumps(v) for v in value)
    return json.dumps(value, default=str)
