"""DeepCoder-Preview-Dataset (agentica-org): four data sets in one schema, `tests` as JSON text.

`tests` is a list of typed cases (primeintellect, lcbv5) or {inputs, outputs[, fn_name]} (taco). Its
lcbv5 part is LiveCodeBench: decontaminate before training.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pipelines.problem import Problem, ProblemError, Provenance, require_text
from pipelines.sources.io_tests import content_id, decoded, fenced, io_tests, solutions, typed_cases
from pipelines.sources.location import Location
from pipelines.sources.rows import Row, read_rows, with_tests
from pipelines.stage import Decision

PARSER = "deepcoder/1"
LICENCE = "MIT (DeepCoder-Preview-Dataset); statement rights with the platform"


def read(path: Location | None) -> Iterator[Decision]:
    """Problems of DeepCoder rows."""
    assert path is not None  # the registry asks for one

    def parse(data: dict[str, Any], row: Row) -> Decision:
        return with_tests(_problem(data, row), path, row)

    return read_rows(path, "deepcoder", parse, _id)


def _id(data: dict[str, Any]) -> str:
    return content_id(require_text(data["problem"], "problem"))


def _problem(data: dict[str, Any], row: Row) -> Problem:
    about = decoded(data.get("metadata"), "metadata")
    about = about if isinstance(about, dict) else {}
    tests: Any = decoded(data["tests"], "tests")
    fn_name: str | None
    if isinstance(tests, dict):
        fn_name = tests.get("fn_name") or about.get("func_name") or None
        cases = io_tests(tests.get("inputs"), tests.get("outputs"), fn_name)
    elif isinstance(tests, list):
        fn_name, cases = typed_cases(tests, about.get("func_name"))
    else:
        raise ProblemError("field 'tests': expected a list of cases or {inputs, outputs}")
    codes = decoded_list(data.get("solutions"))
    return Problem(
        id=f"deepcoder/{_id(data)}",
        title=str(about.get("name") or ""),
        statement=data["problem"],
        url=str(about.get("url") or ""),
        starter_code=str(data.get("starter_code") or ""),
        fn_name=fn_name,
        tests=cases,
        licence=LICENCE,
        provenance=Provenance(row.origin, None, row.sha256, PARSER),
        solutions=solutions([fenced(c)[1] for c in codes if isinstance(c, str)]),
    )


def decoded_list(value: Any) -> list[Any]:
    """Solutions: a list, one text, or nothing."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]
