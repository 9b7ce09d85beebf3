"""Which parts of a test's source run when it is executed, as far as reading it can tell.

In doubt a part runs: a test wrongly thought able to refuse is merely run, while one wrongly thought
unable to would be left out.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

Definition = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
#: Names by which code runs what is written nowhere, or as text, and those by which it only reaches
#: what it does not name.
_EXECUTES = frozenset({"eval", "exec", "__import__", "import_module", "main"})
_DYNAMIC = _EXECUTES | {
    "globals", "locals", "vars", "getattr", "compile", "__dict__", "modules",
    "loadTestsFromModule",
}  # fmt: skip
#: Calls that can refuse a program: assertEqual, np.testing.assert_allclose, self.fail, raises.
_REFUSES = re.compile(r"assert|fail|(raises|_?s?exit|quit|abort|kill)$", re.IGNORECASE)
#: What an assert raises, and what that is a kind of.
_ASSERTION = frozenset({"AssertionError", "Exception", "BaseException"})
#: Of the module that a test is executed in.
_MODULE = "solution"


class Reach(NamedTuple):
    """Nodes of the code that runs, and of the part of it whose failing assert is caught."""

    open: list[ast.AST]
    caught: list[ast.AST]

    @property
    def nodes(self) -> list[ast.AST]:
        """All nodes that run."""
        return self.open + self.caught


def reach(tree: ast.Module) -> Reach:
    """What runs when the module is executed: a function or method only where something that runs
    has its name, or the name of its class.

    >>> found = reach(ast.parse("def f(): assert x\\ndef g(): assert y\\nf()"))
    >>> sorted(loaded(found.nodes))
    ['f', 'x']
    """
    walk = _Walk()
    out: list[list[ast.AST]] = []
    todo: list[ast.AST] = _until_end(tree.body)
    for _ in range(2):  # then what only code inside a catching `try` calls
        out.append(list(walk.through(todo)))
        todo, walk.caught = walk.caught, []
        walk.catching = True
    return Reach(*out)


def loaded(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that are read there."""
    return {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def is_dynamic(nodes: Iterable[ast.AST]) -> bool:
    """Whether the code can reach what it does not name, the program for one."""
    return any(_name(n) in _DYNAMIC for n in nodes)


def can_refuse(node: ast.AST, foreign: frozenset[str]) -> bool:
    """Whether a program can fail here. `foreign`: names whose calls may do anything."""
    match node:
        case ast.Assert(ast.Constant(value)):
            return not value
        case ast.Assert(ast.Tuple(elts)):  # assert (x, "message")
            return not elts
        case ast.Call(ast.Name(name)) | ast.Call(ast.Attribute(attr=name)) if _REFUSES.match(name):
            return True
        case ast.Call(ast.Call(ast.Name("getattr"))):
            return True
        case ast.Call(function):
            if _name(function) in _EXECUTES:
                return True
            while isinstance(function, ast.Attribute):
                function = function.value
            return isinstance(function, ast.Name) and function.id in foreign
    return isinstance(node, ast.Assert | ast.Raise)


def foreign_names(nodes: Iterable[ast.AST]) -> set[str]:
    """Names imported from modules that are not Python's own."""
    out: set[str] = set()
    for n in nodes:
        if isinstance(n, ast.ImportFrom) and not _standard(n.module or ""):
            out |= {a.asname or a.name for a in n.names}
        if isinstance(n, ast.Import):
            out |= {
                (a.asname or a.name).partition(".")[0] for a in n.names if not _standard(a.name)
            }
    return out


def _standard(module: str) -> bool:
    return module.partition(".")[0] in sys.stdlib_module_names


def in_order(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, with those inside its `if`, `try`, `with` and loops."""
    for statement in body:
        yield statement
        if not isinstance(statement, Definition):
            for part in ast.iter_child_nodes(statement):
                if isinstance(part, ast.stmt):
                    yield from in_order([part])
                elif isinstance(part, ast.ExceptHandler):
                    yield from in_order(part.body)


def _name(node: ast.AST) -> str:
    match node:
        case ast.Name(name) | ast.Attribute(attr=name):
            return name
    return ""


_Function = ast.FunctionDef | ast.AsyncFunctionDef
_CATCHERS = (ast.Try, ast.TryStar, ast.With, ast.AsyncWith)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class _Walk:
    """Functions wait under their names until one of these is seen."""

    def __init__(self) -> None:
        self.waiting: dict[str, list[_Function]] = {}
        self.seen: set[str] = set()
        self.dynamic = self.catching = False
        self.caught: list[ast.AST] = []

    def through(self, todo: list[ast.AST]) -> Iterator[ast.AST]:
        """The nodes there and of all that they set off."""
        while todo:
            node = todo.pop()
            yield node
            todo += self._inside(node)
            name = _name(node)
            if name in _DYNAMIC and not self.dynamic:
                self.dynamic = True
                for waiting in self.waiting.values():
                    todo += [s for f in waiting for s in _until_end(f.body)]
                self.waiting.clear()
            if name and name not in self.seen:
                self.seen.add(name)
                todo += [s for f in self.waiting.pop(name, ()) for s in _until_end(f.body)]

    def _inside(self, node: ast.AST) -> list[ast.AST]:
        if isinstance(node, _FUNCTIONS):
            return [*node.decorator_list, node.args, *self._body(node, node.name)]
        if isinstance(node, ast.ClassDef):
            out: list[ast.AST] = [*node.bases, *node.keywords, *node.decorator_list]
            for statement in node.body:
                out.append(statement)
                if isinstance(statement, _FUNCTIONS):
                    out += self._body(statement, node.name, node.decorator_list)
            return out
        if isinstance(node, ast.If | ast.While | ast.IfExp):
            return _branches(node)
        out = _parts(node)
        if isinstance(node, _CATCHERS) and _catches(node) and not self.catching:
            body = _until_end(node.body)
            self.caught += body
            out = [part for part in out if part not in body]
        return out

    def _body(
        self, node: _Function, name: str, decorators: Sequence[ast.expr] = ()
    ) -> list[ast.AST]:
        """What is in it, at once where it is called already, or where a decorator may call it."""
        if self.dynamic or name in self.seen or decorators or node.decorator_list:
            return _until_end(node.body)
        self.waiting.setdefault(name, []).append(node)
        return []


def _until_end(body: list[ast.stmt]) -> list[ast.AST]:
    """The statements up to the first that ends the block."""
    ends = (ast.Return, ast.Raise, ast.Break, ast.Continue)
    at = next((i for i, s in enumerate(body) if isinstance(s, ends)), len(body))
    return list(body[: at + 1])


def _parts(node: ast.AST) -> list[ast.AST]:
    """Its children, less the statements that are never reached."""
    out: list[ast.AST] = []
    for _, value in ast.iter_fields(node):
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            out += _until_end(value)
        elif isinstance(value, list):
            out += [v for v in value if isinstance(v, ast.AST)]
        elif isinstance(value, ast.AST):
            out.append(value)
    return out


def _branches(node: ast.If | ast.While | ast.IfExp) -> list[ast.AST]:
    body = _until_end(node.body) if isinstance(node.body, list) else [node.body]
    other = _until_end(node.orelse) if isinstance(node.orelse, list) else [node.orelse]
    truth = _truth(node.test)
    if truth is None or (truth and isinstance(node, ast.While)):
        return [node.test, *body, *other]
    return [node.test, *(body if truth else other)]


def _truth(test: ast.expr) -> bool | None:
    match test:
        case ast.Constant(value):
            return bool(value)
        case ast.Compare(ast.Name("__name__"), [op], [ast.Constant(value)]) | ast.Compare(
            ast.Constant(value), [op], [ast.Name("__name__")]
        ):
            if isinstance(op, ast.Eq | ast.NotEq):
                return (value == _MODULE) == isinstance(op, ast.Eq)
    return None


def _catches(node: ast.AST) -> bool:
    """Whether the failing assert in its body is not heard outside."""
    if isinstance(node, ast.Try | ast.TryStar):
        return any(_catching(h.type) for h in node.handlers)
    if isinstance(node, ast.With | ast.AsyncWith):
        calls = [i.context_expr for i in node.items if isinstance(i.context_expr, ast.Call)]
        return any(_name(c.func) == "suppress" and any(map(_catching, c.args)) for c in calls)
    return False


def _catching(kind: ast.expr | None) -> bool:
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return any(k is None or _name(k) in _ASSERTION for k in kinds)
