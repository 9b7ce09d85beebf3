"""MBPP (google-research/mbpp): mbpp.jsonl[.gz] with text, code, test_list and so on."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pipelines.asserts import ASSERTS, convert, find_function, parameters, parse_source
from pipelines.problem import Problem, ProblemError, Provenance, Solution, TestCase, require_text
from pipelines.sources.rows import Row, read_rows, with_tests
from pipelines.stage import Decision

PARSER = "mbpp/1"


def read(path: Path | None) -> Iterator[Decision]:
    """Problems of an MBPP file, e.g. `read(Path("mbpp.jsonl"))`."""
    assert path is not None  # the registry asks for one

    def parse(data: dict[str, Any], row: Row) -> Decision:
        return with_tests(_problem(data, row, f"{path}:{row.number}"), path, row)

    return read_rows(path, "mbpp", parse, lambda d: d["task_id"])


def _problem(data: dict[str, Any], row: Row, origin: str) -> Problem:
    text, code = _text(data["text"], "text"), _text(data["code"], "code")
    setup = _text(data.get("test_setup_code", ""), "test_setup_code")
    shown = _texts(data["test_list"], "test_list")
    sources = shown + _texts(data.get("challenge_test_list", []), "challenge_test_list")
    tree = parse_source(code, "field 'code'")
    asserts = parse_source("\n".join(sources), "field 'test_list'")
    used = _names(asserts) | _names(parse_source(setup, "field 'test_setup_code'"))
    name = _callee(asserts, tree)
    function = find_function(tree, name)
    assert function is not None
    prelude = _needed(tree, code, used - {name})
    starter = f"{prelude}def {name}({ast.unparse(function.args)}):\n"
    pairs = None if setup.strip() else convert(asserts.body, name, parameters(function))
    if pairs is None:
        head = f"{setup.rstrip()}\n" if setup.strip() else ""
        pairs = tuple(TestCase(f"{head}{s}\n", "") for s in sources), ASSERTS
    tests, checker = pairs
    if tests:  # the statement shows it
        tests = (replace(tests[0], kind="sample"), *tests[1:])
    return Problem(
        id=f"mbpp/{data['task_id']}",
        title=name,
        statement=_statement(text, starter, setup, shown),
        url="https://github.com/google-research/google-research/tree/master/mbpp",
        starter_code=starter,
        fn_name=name,
        prelude=prelude,
        tests=tests,
        checker=checker,
        licence="CC-BY-4.0",
        provenance=Provenance(origin, None, row.sha256, PARSER),
        solutions=(Solution(code, "accepted", "python", "code"),),
    )


def _text(value: Any, field: str) -> str:
    """The text with one kind of line end; some rows hold all three."""
    return require_text(value, field).replace("\r\n", "\n").replace("\r", "\n")


def _texts(value: Any, field: str) -> list[str]:
    if not isinstance(value, list):
        raise ProblemError(f"field {field!r}: expected a list, found {type(value).__name__}")
    return [_text(v, field).strip() for v in value]


def _statement(text: str, starter: str, setup: str, shown: Sequence[str]) -> str:
    parts = [text.strip(), f"Write this function:\n\n```python\n{starter}```"]
    if shown:
        example = f"{setup.rstrip()}\n{shown[0]}".strip()
        parts.append(f"For example:\n\n```python\n{example}\n```")
    return "\n\n".join(parts) + "\n"


def _names(tree: ast.Module) -> set[str]:
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}


def _callee(asserts: ast.Module, code: ast.Module) -> str:
    """The function of `code` that the asserts call, the outermost one where they nest."""
    defined = {n.name for n in code.body if isinstance(n, ast.FunctionDef)}
    calls = (n.func for n in ast.walk(asserts) if isinstance(n, ast.Call))  # breadth first
    for called in calls:
        if isinstance(called, ast.Name) and called.id in defined:
            return called.id
    raise ProblemError("field 'test_list': no assert calls a function that field 'code' defines")


def _needed(tree: ast.Module, code: str, used: set[str]) -> str:
    """Imports, classes and helpers of the reference that the tests themselves use: a test that
    says `sys.getsizeof` or `Node(1)` fails without them, whatever the program."""
    parts = []
    for node in tree.body:
        bound: set[str] = set()
        if isinstance(node, ast.Import | ast.ImportFrom):
            bound = {(a.asname or a.name).partition(".")[0] for a in node.names}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            bound = {node.name}
        if bound & used:
            parts.append(f"{ast.get_source_segment(code, node)}\n")
    return "".join(parts)
