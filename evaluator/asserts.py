"""Tests that are Python asserts (HumanEval, MBPP): what the controller knows by reading one.

Such a test runs beside the program and accepts it by ending. One that asserts nothing would accept
every program, so it is not run: its reading is an InputError, which is a judge_error.
"""

from __future__ import annotations

import ast
import builtins
import functools
import re

from evaluator.inputs import InputError
from evaluator.module import NAME, PROVIDED
from evaluator.reach import (
    Definition,
    Reach,
    can_refuse,
    foreign_names,
    in_order,
    is_dynamic,
    loaded,
    reach,
)
from pipelines.asserts import parse_source
from pipelines.problem import ProblemError

#: What a test finds without defining it.
_READY = {*dir(builtins), *PROVIDED, "ListNode", "TreeNode", "Node", "candidate", "Solution"}
_READY |= {"__name__", "__file__", "__doc__", "__builtins__", "__spec__", "__annotations__"}


@functools.lru_cache(5_000)
def read(text: str, fn_name: str) -> bytes:
    """The source to run. HumanEval's tests define `check(candidate)` and leave the call to the
    harness, which adds it. InputError when the test is no Python, or can refuse nothing.

    >>> read("def check(candidate):\\n    assert candidate(1) == 2", "f").splitlines()[-1]
    b'check(candidate)'
    """
    try:
        tree = parse_source(text, "its source")
    except ProblemError as e:
        raise InputError(str(e)) from None
    found = reach(tree)
    if (call := _missing_call(tree, found)) is not None:
        text += f"\n\n{call}\n"
        found = reach(parse_source(text, "its source"))
    others = _unbound(list(ast.walk(tree)), fn_name)
    foreign = frozenset(others | foreign_names(found.nodes))
    if not any(can_refuse(n, foreign) for n in found.open):
        raise InputError("it asserts nothing, so it would accept every program")
    if not (others or is_dynamic(found.nodes) or _uses(found, fn_name)):
        raise InputError(f"it never uses `candidate` or {fn_name!r}, so it shows nothing")
    return text.encode("utf-8", "surrogatepass")


@functools.lru_cache(5_000)
def unknown(text: str, fn_name: str) -> frozenset[str]:
    """Names that the test uses and nobody but a program or a prelude could define.

    >>> sorted(unknown("x = 1\\nassert g(x) == candidate(len([x]))", "f"))
    ['g']
    """
    found = list(ast.walk(ast.parse(text)))
    return frozenset() if _star(found) else _unbound(found, fn_name)


def _unbound(found: list[ast.AST], fn_name: str) -> frozenset[str]:
    """Names that these nodes use and do not define, whatever a star import brings."""
    bound = {n.id for n in found if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    bound |= {n.name for n in found if isinstance(n, (*Definition, ast.ExceptHandler)) and n.name}
    bound |= {n.arg for n in found if isinstance(n, ast.arg)}
    bound |= {(n.asname or n.name).partition(".")[0] for n in found if isinstance(n, ast.alias)}
    for n in found:
        if isinstance(n, ast.MatchAs | ast.MatchStar) and n.name:
            bound.add(n.name)
        if isinstance(n, ast.MatchMapping) and n.rest:
            bound.add(n.rest)
    return frozenset(loaded(found) - bound - _READY - _own(fn_name))


def _own(fn_name: str) -> set[str]:
    """The names in `Solution().f`."""
    return set(re.findall(r"\w+", fn_name))


def _star(nodes_: list[ast.AST]) -> bool:
    return any(isinstance(n, ast.alias) and n.name == "*" for n in nodes_)


def _uses(found: Reach, fn_name: str) -> bool:
    """Whether the program is under test."""
    for n in found.nodes:
        if isinstance(n, ast.ImportFrom) and n.module in (NAME, "__main__"):
            return True
        if isinstance(n, ast.Import) and {a.name for a in n.names} & {NAME, "__main__"}:
            return True
    return bool(loaded(found.nodes) & {"candidate", "Solution", *_own(fn_name)})


def _missing_call(tree: ast.Module, found: Reach) -> str | None:
    """The call of HumanEval's `check`, where the test leaves it to the harness."""
    if "check" in loaded(found.nodes):
        return None
    for node in in_order(tree.body):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == "check":
            given = node.args.posonlyargs + node.args.args
            return "check(candidate)" if given or node.args.vararg else "check()"
    return None
