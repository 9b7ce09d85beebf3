"""LeetCodeDataset (newfacade/LeetCodeDataset): the nested rows of v0.1 to v0.3.0 and the flat
ones of v0.3.1. Tests come from `test`; `input_output` is left alone, for hundreds of its outputs
are the text of an error."""

from __future__ import annotations

import ast
import datetime as dt
import re
from collections.abc import Iterator
from typing import Any

from pipelines.asserts import (
    ASSERTS,
    FunctionNode,
    NotConvertible,
    assert_tests,
    check_asserts,
    convert,
    find_function,
    parameters,
    parse_source,
)
from pipelines.problem import Problem, ProblemError, Provenance, Solution, require_text
from pipelines.sources.location import Location
from pipelines.sources.rows import Row, read_rows, refuse, with_tests
from pipelines.stage import Decision

PARSER = "leetcode_dataset/2"
ENTRY_POINT = re.compile(r"Solution\(\)\.(\w+)")
#: 10^5 that became 105 and the like, where no other reading is likely: beside a comparison or a
#: product, 10^9 + 7, -2^31, 2^31 - 1.
LOST_SUPERSCRIPTS = re.compile(
    r"(?:[<>≤≥]=?|\*)\s*-?10[3-9]\b|-10[3-9]\s*[<≤]|\b109 ?\+ ?7\b|-231\b|\b231 ?- ?1\b"
)
#: Arguments and results that the prompt's helpers (list_node, is_same_tree) build and compare.
LINKED = re.compile(r"\b(?:ListNode|TreeNode|Node)\b")
_MAKERS = {"list_node": "ListNode", "tree_node": "TreeNode"}
_COMPARERS = {"is_same_list": "ListNode", "is_same_tree": "TreeNode"}


def read(path: Location | None) -> Iterator[Decision]:
    """Problems of a LeetCodeDataset file, e.g. `read(Path("LeetCodeDataset-train.jsonl"))`."""
    assert path is not None  # the registry asks for one

    def parse(data: dict[str, Any], row: Row) -> Decision:
        entry = require_text(data["entry_point"], "entry_point")
        match = ENTRY_POINT.fullmatch(entry)
        if match is None:
            error = f"field 'entry_point': {entry!r} is not 'Solution().method' (a design problem?)"
            return refuse("leetcode", data["task_id"], "unsupported", error, path, row)
        return with_tests(_problem(data, match[1], row, row.origin), path, row)

    return read_rows(path, "leetcode", parse, lambda d: d["task_id"])


def _problem(data: dict[str, Any], name: str, row: Row, origin: str) -> Problem:
    slug, prompt, code, test = (
        require_text(data[f], f) for f in ("task_id", "prompt", "completion", "test")
    )
    if "meta" in data:
        meta = data["meta"]
        statement, starter = meta["question_title"], meta.get("lang_code", "")
    else:
        meta = data
        statement, starter = data["problem_description"], data["starter_code"]
    statement = require_text(statement, "question_title or problem_description")
    level = meta.get("difficulty")
    tests, checker = _tests(code, test, name)
    return Problem(
        id=f"leetcode/{slug}",
        title=slug.replace("-", " ").title(),
        statement=statement,
        url=f"https://leetcode.com/problems/{slug}/",
        starter_code=require_text(starter, "starter_code"),
        fn_name=name,
        prelude=prompt,
        tests=tests,
        checker=checker,
        level=None if level is None else require_text(level, "difficulty"),
        tags=tuple(require_text(t, "tags") for t in meta.get("tags") or ()),
        flags=("lost_superscripts",) if LOST_SUPERSCRIPTS.search(statement) else (),
        released_at=_date(data.get("estimated_date")),
        licence="MIT",
        provenance=Provenance(origin, None, row.sha256, PARSER),
        solutions=(Solution(code, "accepted", "python", "completion"),),
    )


def _tests(code: str, test: str, name: str) -> Any:
    method = find_function(parse_source(code, "field 'completion'"), name, "Solution")
    if method is None:
        raise ProblemError(f"field 'completion': class Solution has no method {name!r}")
    checks = parse_source(test, "field 'test'")
    if find_function(checks, "check") is None:
        raise ProblemError("field 'test': no `def check(candidate)`")
    asserts = check_asserts(checks)
    pairs = None
    if asserts and _is_linked(method):
        try:
            asserts = [_without_helpers(statement, method) for statement in asserts]
        except NotConvertible:
            asserts = None
    if asserts:
        pairs = convert(asserts, "candidate", parameters(method, method=True))
    return pairs or (assert_tests(checks, test), ASSERTS)


def _is_linked(method: FunctionNode) -> bool:
    result = ast.unparse(method.returns) if method.returns else ""
    return LINKED.search(f"{ast.unparse(method.args)} {result}") is not None


def _without_helpers(statement: ast.stmt, method: FunctionNode) -> ast.stmt:
    """The assert with lists in place of nodes, for the evaluator makes nodes of them by the
    annotations: `is_same_list(candidate(list_node([1])), list_node([]))` is `candidate([1]) == []`.
    NotConvertible where a node stands elsewhere than the annotations say."""
    plain = _Plain()
    plain.visit(copy := ast.parse(ast.unparse(statement)).body[0])
    notes = {a.arg: _node_name(a.annotation) for a in method.args.args[1:]}
    notes[""] = _node_name(method.returns)
    for call in ast.walk(copy):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
            if call.func.id != "candidate":
                raise NotConvertible
            given = dict(zip(notes, call.args, strict=False))
            given |= {k.arg or "": k.value for k in call.keywords}
            for name, value in given.items():
                plain.expect(value, notes.get(name, ""))
    if not isinstance(copy, ast.Assert) or plain.results != ({notes[""]} - {""}) or plain.made:
        raise NotConvertible
    return copy


def _node_name(annotation: ast.expr | None) -> str:
    found = LINKED.search(ast.unparse(annotation)) if annotation else None
    return found.group() if found else ""


class _Plain(ast.NodeTransformer):
    """Takes the helpers away and remembers where they stood: `made` is what makes nodes,
    `results` what compares them."""

    def __init__(self) -> None:
        self.made: dict[int, str] = {}
        self.results: set[str] = set()

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Call(ast.Name(helper), [ast.List(items) as values], []) if helper in _MAKERS:
                if items and isinstance(items[0], ast.Constant) and items[0].value is None:
                    raise NotConvertible  # a node without a value
                self.made[id(values)] = _MAKERS[helper]
                return values
            case ast.Call(ast.Name(helper), [left, right], []) if helper in _COMPARERS:
                self.expect(right, _COMPARERS[helper])
                self.results.add(_COMPARERS[helper])
                return ast.Compare(left, [ast.Eq()], [right])
        return node

    def expect(self, value: ast.expr, name: str) -> None:
        """`value` must be nodes of that class, lists of them or None, or no nodes at all."""
        if self.made.pop(id(value), "") == name:
            return
        if not name:
            raise NotConvertible
        if isinstance(value, ast.List) and value.elts:
            for item in value.elts:
                self.expect(item, name)
        elif not (isinstance(value, ast.Constant) and value.value is None):
            raise NotConvertible


def _date(value: Any) -> dt.date | None:
    return dt.date.fromisoformat(require_text(value, "estimated_date")) if value else None
