"""Tests that are Python asserts (HumanEval, MBPP): what the controller knows by reading one.

Such a test runs beside the program and accepts it by ending. One that asserts nothing would accept
every program, so it is not run: its reading is an InputError, which is a judge_error.
"""

from __future__ import annotations

import ast
import builtins
import functools
import re
from collections.abc import Iterable, Iterator

from evaluator.inputs import InputError
from pipelines.asserts import parse_source
from pipelines.problem import ProblemError

#: A call of one of these can refuse a program: assertEqual, np.testing.assert_allclose, self.fail.
_REFUSES = re.compile(r"assert|fail|s?exit$", re.IGNORECASE)
_Definition = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


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
    called = any(_calls_check(n) for n in tree.body)
    if not called and any(isinstance(n, _Definition) and n.name == "check" for n in tree.body):
        text += "\n\ncheck(candidate)\n"
        tree = parse_source(text, "its source")
    live = list(_live(tree.body))
    if not any(map(_can_refuse, live)):
        raise InputError("it asserts nothing, so it would accept every program")
    if not _loaded(live) & {"candidate", fn_name} and not unknown(text, fn_name):
        raise InputError(f"it never uses `candidate` or {fn_name!r}, so it shows nothing")
    return text.encode("utf-8", "surrogatepass")


@functools.lru_cache(5_000)
def unknown(text: str, fn_name: str) -> frozenset[str]:
    """Names that the test uses and nobody but a program could define.

    >>> sorted(unknown("x = 1\\nassert g(x) == candidate(len([x]))", "f"))
    ['g']
    """
    nodes = list(ast.walk(ast.parse(text)))
    bound = {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    bound |= {n.name for n in nodes if isinstance(n, (*_Definition, ast.ExceptHandler)) and n.name}
    bound |= {n.arg for n in nodes if isinstance(n, ast.arg)}
    bound |= {(n.asname or n.name).partition(".")[0] for n in nodes if isinstance(n, ast.alias)}
    return frozenset(_loaded(nodes) - bound - {"candidate", fn_name} - set(dir(builtins)))


def _calls_check(statement: ast.stmt) -> bool:
    """`check(f)` as a statement of the module."""
    match statement:
        case ast.Expr(ast.Call(ast.Name("check"))):
            return True
    return False


def _live(body: Iterable[ast.stmt]) -> Iterator[ast.AST]:
    """The nodes of the statements that run when the module does: functions and classes only when
    their name is used by those, `if __name__ == ...` never."""
    defined: dict[str, list[ast.stmt]] = {}
    todo: list[ast.stmt] = []
    for statement in body:
        if isinstance(statement, _Definition):
            defined.setdefault(statement.name, []).append(statement)
        else:
            todo.append(statement)
    while todo:
        for node in _walk(todo.pop()):
            yield node
            if isinstance(node, ast.Name):
                todo += defined.pop(node.id, ())


def _walk(root: ast.AST) -> Iterator[ast.AST]:
    todo: list[ast.AST] = [root]
    while todo:
        node = todo.pop()
        yield node
        if isinstance(node, ast.If) and (
            "__name__" in _loaded(ast.walk(node.test)) or _is_constant(node.test, False)
        ):
            todo += node.orelse
        else:
            todo += ast.iter_child_nodes(node)


def _can_refuse(node: ast.AST) -> bool:
    match node:
        case ast.Assert(test):
            return not _is_constant(test, True)
        case ast.Call(ast.Name(name)) | ast.Call(ast.Attribute(attr=name)):
            return bool(_REFUSES.match(name))
    return isinstance(node, ast.Raise)


def _is_constant(node: ast.expr, value: bool) -> bool:
    return isinstance(node, ast.Constant) and bool(node.value) == value


def _loaded(nodes: Iterable[ast.AST]) -> set[str]:
    return {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
