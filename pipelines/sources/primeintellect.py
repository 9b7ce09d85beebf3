"""PrimeIntellect/verifiable-coding-problems: prompts with a wrapping, tests that each name a type.

`type: function_call` with `fn_name` inside each case is a function problem; loaders that look for
`functional` take it for a program. `in_source_id` is a url or a number of another data set, no id.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pipelines.problem import Problem, ProblemError, Provenance, Solution, require_text
from pipelines.sources.io_tests import content_id, decoded, fenced, typed_cases
from pipelines.sources.location import Location
from pipelines.sources.rows import Row, read_rows, with_tests
from pipelines.stage import Decision

PARSER = "primeintellect/1"
LICENCE = "unknown (PrimeIntellect/verifiable-coding-problems)"
_BEFORE = re.compile(
    r"^\s*solve the following coding problem using the programming language ([\w+#]+):\s*", re.I
)
_AFTER = re.compile(r"\s*now solve the problem and return the code\.?\s*$", re.I)


def read(path: Location | None) -> Iterator[Decision]:
    """Problems of verifiable-coding-problems rows."""
    assert path is not None  # the registry asks for one

    def parse(data: dict[str, Any], row: Row) -> Decision:
        return with_tests(_problem(data, row), path, row)

    return read_rows(path, "primeintellect", parse, _id)


def _id(data: dict[str, Any]) -> str:
    return content_id(_AFTER.sub("", _BEFORE.sub("", require_text(data["prompt"], "prompt"))))


def _problem(data: dict[str, Any], row: Row) -> Problem:
    info = decoded(data["verification_info"], "verification_info")
    if not isinstance(info, dict):
        raise ProblemError("field 'verification_info': expected an object with test_cases")
    cases = decoded(info.get("test_cases"), "test_cases")
    fn_name, tests = typed_cases(cases or [], info.get("fn_name"))
    gold = data.get("gold_standard_solution")
    solutions: tuple[Solution, ...] = ()
    if gold:
        language, code = fenced(require_text(gold, "gold_standard_solution"))
        solutions = (Solution(code, "accepted", language, "gold_standard_solution"),)
    native = str(data.get("in_source_id") or "")
    return Problem(
        id=f"primeintellect/{_id(data)}",
        statement=_AFTER.sub("", _BEFORE.sub("", data["prompt"])),
        url=native if native.startswith(("http://", "https://")) else "",
        fn_name=fn_name,
        tests=tests,
        licence=LICENCE,
        provenance=Provenance(row.origin, None, row.sha256, PARSER),
        solutions=solutions,
    )
