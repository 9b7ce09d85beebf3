"""Mutants of a Python program: small faults, one each, that a problem's tests ought to notice.

The operators are those of mutation testing (DeMillo, Lipton and Sayward, 1978; the names of mutmut
and Cosmic Ray), chosen for short algorithmic programs. What cannot change an outcome, or would be
noticed by any test at all, is not made: annotations, decorators, docstrings, imports, the sizes of
tables (`[0] * (n + 1)`), sentinels (`10**9`), `if x > best: best = x` with `>=`.
"""

from __future__ import annotations

import ast
import hashlib
import random
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

Operator = Literal[
    "arithmetic",
    "bitwise",
    "comparison",
    "boolean",
    "constant",
    "bound",
    "branch",
    "statement",
    "call",
    "jump",
]

#: Larger numbers are sentinels or moduli: one more or less is not noticed, or always.
_LARGEST_CONSTANT = 100_000
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
}
_BITWISE: dict[type[ast.operator], type[ast.operator]] = {
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
_COMPARISON: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any", "bisect_left": "bisect_right"}
_CALLS |= {"bisect_right": "bisect_left", "popleft": "pop", "heappush": "heappop"}
_TEXTUAL = (ast.JoinedStr, ast.List, ast.Tuple, ast.ListComp, ast.Dict, ast.Set)


@dataclass(frozen=True, slots=True)
class Mutant:
    """A program with one fault. `line` is that of the original program, from 1; `change` reads
    'old -> new'."""

    code: str
    operator: Operator
    line: int
    change: str

    @property
    def description(self) -> str:
        """For a person: where, and what.

        >>> Mutant("", "comparison", 3, "i < n -> i <= n").description
        'line 3: i < n -> i <= n'
        """
        return f"line {self.line}: {self.change}"


@dataclass(slots=True)
class _Edit:
    """Put `new` where `old` stands: a field of `parent`, or an item of it."""

    operator: Operator
    parent: ast.AST
    field: str
    index: int | None
    old: ast.AST
    new: ast.AST

    def swap(self, node: ast.AST) -> None:
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node


def mutants(code: str, most: int = 20, seed: int = 0) -> list[Mutant]:
    """At most `most` different mutants of a program, spread over operators and lines, in the order
    of their lines. The same code and seed give the same mutants. A program that is no Python, or
    nested too deeply to be written back, has none.

    >>> [m.change for m in mutants("def f(n):\\n    return n < 2")]
    ['return n < 2 -> return None', 'n < 2 -> n <= 2', '2 -> 3', '2 -> 1']
    """
    if most < 1:
        raise ValueError(f"most {most}: must be at least 1")
    try:
        tree = _parse(code)
        seen = {_normal_form(tree)}
        edits = _spread(list(_edits(tree)), f"{seed}\0{code}")
        made: list[tuple[int, int, Mutant]] = []
        for at, edit in edits:
            mutant = _made(tree, edit, seen)
            if mutant is not None:
                made.append((mutant.line, at, mutant))
                if len(made) == most:
                    break
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [m for _, _, m in sorted(made, key=lambda t: t[:2])]


def _parse(code: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # '\\d' in a plain string and the like
        return ast.parse(code)


def _made(tree: ast.Module, edit: _Edit, seen: set[str]) -> Mutant | None:
    """The mutant, or None for one that reads like the program or an earlier mutant."""
    edit.swap(edit.new)
    try:
        form = _normal_form(tree)
        if form in seen:
            return None
        seen.add(form)
        code = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
        if edit.operator in ("jump", "branch"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of the program's own oddities
                compile(code, "<mutant>", "exec", dont_inherit=True)
    except SyntaxError:  # `break` outside a loop and the like
        return None
    finally:
        edit.swap(edit.old)
    line = getattr(edit.old, "lineno", 1)
    change = f"{_short(edit.old)} -> {_short(edit.new)}"
    return Mutant(code, edit.operator, line, change)


def _short(node: ast.AST) -> str:
    """The first line of a node as code, at most 60 characters."""
    if isinstance(node, ast.Pass):
        return "(nothing)"
    if isinstance(node, ast.If) and isinstance(node.test, ast.Constant):
        return "its else branch"
    first, _, rest = ast.unparse(node).partition("\n")
    text = first + (" ..." if rest else "")
    return text if len(text) <= 60 else text[:57] + "..."


def _spread(edits: Sequence[_Edit], key: str) -> Iterator[tuple[int, _Edit]]:
    """All edits with their positions, such that any first few are spread over operators and
    lines: each next one is of the operator, then of the line, with fewest so far."""
    rng = random.Random(hashlib.sha256(key.encode("utf-8", "replace")).digest())
    piles: dict[str, list[int]] = {}
    for at in rng.sample(range(len(edits)), len(edits)):
        piles.setdefault(edits[at].operator, []).append(at)
    lines: Counter[int] = Counter()
    operators = sorted(piles)
    rng.shuffle(operators)
    while any(piles.values()):
        for operator in operators:
            pile = piles[operator]
            if pile:
                best = min(range(len(pile)), key=lambda i: lines[_line(edits[pile[i]])])
                at = pile.pop(best)
                lines[_line(edits[at])] += 1
                yield at, edits[at]


def _line(edit: _Edit) -> int:
    return getattr(edit.old, "lineno", 0)


# -- where something can be changed ---------------------------------------------------------------


def _edits(tree: ast.Module) -> Iterator[_Edit]:
    stack: list[tuple[ast.AST, str, int | None, ast.AST]] = list(_children(tree))[::-1]
    while stack:
        parent, field, index, node = stack.pop()
        if _untouchable(node):
            continue
        for operator, new in _alternatives(node, parent, field):
            yield _Edit(operator, parent, field, index, node, new)
        stack.extend(list(_children(node))[::-1])


#: Fields whose content is not for running.
_SKIPPED_FIELDS = {"annotation", "returns", "decorator_list", "type_params", "bases", "keywords"}


def _children(node: ast.AST) -> Iterator[tuple[ast.AST, str, int | None, ast.AST]]:
    """The parts of a node that count: not annotations, nor the size of a table."""
    for name, value in ast.iter_fields(node):
        if name in _SKIPPED_FIELDS and not (name == "keywords" and isinstance(node, ast.Call)):
            continue
        if isinstance(node, ast.BinOp) and name in ("left", "right") and _is_table(node):
            other = node.right if name == "left" else node.left
            if isinstance(other, ast.List | ast.Constant):
                continue
        if isinstance(value, ast.AST):
            yield node, name, None, value
        elif isinstance(value, list):
            for i, item in enumerate(value):
                if isinstance(item, ast.AST):
                    yield node, name, i, item


def _is_table(node: ast.BinOp) -> bool:
    """`[0] * n` and `' ' * n`: room, whose exact size says little."""
    if not isinstance(node.op, ast.Mult):
        return False
    return any(
        isinstance(side, ast.List)
        or (isinstance(side, ast.Constant) and isinstance(side.value, str | bytes))
        for side in (node.left, node.right)
    )


def _untouchable(node: ast.AST) -> bool:
    match node:
        case ast.Import() | ast.ImportFrom() | ast.Global() | ast.Nonlocal() | ast.Assert():
            return True
        case ast.Expr(ast.Constant()):  # a docstring
            return True
        case ast.Expr(ast.Call(ast.Attribute(attr="setrecursionlimit" | "set_int_max_str_digits"))):
            return True
        case ast.Expr(ast.Call(ast.Attribute(attr="cache_clear" | "stack_size" | "flush"))):
            return True
        case ast.If(ast.Compare(ast.Name("__name__"))):
            return True
        case ast.BinOp(ast.Constant(), ast.Pow() | ast.LShift(), ast.Constant()):
            return True  # 10**9, 1 << 60
        case ast.BinOp(ast.BinOp(ast.Constant(), ast.Pow(), ast.Constant()), _, ast.Constant()):
            return True  # 10**9 + 7
    return False


def _alternatives(node: ast.AST, parent: ast.AST, field: str) -> Iterator[tuple[Operator, ast.AST]]:
    if isinstance(node, ast.expr):
        if field != "iter" and _is_bound(node, parent):
            yield from (("bound", n) for n in _bounds(node))
        yield from _expression(node, parent)
    elif isinstance(node, ast.stmt):
        yield from _statement(node, parent)


def _expression(node: ast.expr, parent: ast.AST) -> Iterator[tuple[Operator, ast.expr]]:
    match node:
        case ast.BinOp(left, op, right) if not (_is_text(left) or _is_text(right)):
            for operator, table in (("arithmetic", _ARITHMETIC), ("bitwise", _BITWISE)):
                if type(op) in table:
                    yield operator, ast.BinOp(left, table[type(op)](), right)  # type: ignore[misc]
        case ast.Compare(left, ops, rights):
            for i, sign in enumerate(ops):
                if type(sign) in _COMPARISON and not _is_record(parent, node):
                    new = [*ops[:i], _COMPARISON[type(sign)](), *ops[i + 1 :]]
                    yield "comparison", ast.Compare(left, new, rights)
        case ast.BoolOp(op, values):
            yield "boolean", ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
            for i in range(len(values)):
                rest = [*values[:i], *values[i + 1 :]]
                yield "boolean", rest[0] if len(rest) == 1 else ast.BoolOp(op, rest)
        case ast.UnaryOp(ast.Not(), operand):
            yield "boolean", operand
        case ast.UnaryOp(ast.USub(), operand) if not isinstance(operand, ast.Constant):
            yield "arithmetic", operand
        case ast.Constant(bool(value)):
            yield "constant", ast.Constant(not value)
        case ast.Constant(int(value)) if abs(value) < _LARGEST_CONSTANT:
            yield "constant", ast.Constant(value + 1)
            yield "constant", ast.Constant(value - 1)
        case ast.IfExp(test, body, orelse):
            yield "branch", ast.IfExp(test, orelse, body)
        case ast.Call(ast.Name(name), args, keywords) if name in _CALLS and args:
            yield "call", ast.Call(ast.Name(_CALLS[name], ast.Load()), args, keywords)
        case ast.Call(ast.Attribute(of, name, ctx), args, keywords) if name in _CALLS:
            yield "call", ast.Call(ast.Attribute(of, _CALLS[name], ctx), args, keywords)
        case ast.Call(ast.Name("sorted" | "reversed" | "abs" | "set"), [only], []):
            yield "call", only


def _is_text(node: ast.expr) -> bool:
    """Text and lists have no minus: the mutant would only crash."""
    text = isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    return text or isinstance(node, _TEXTUAL)


def _is_record(parent: ast.AST, test: ast.Compare) -> bool:
    """`if x > best: best = x`: with `>=` the same values come out."""
    if not (isinstance(parent, ast.If) and len(parent.body) == 1 and not parent.orelse):
        return False
    match parent.body[0], test:
        case ast.Assign([target], value), ast.Compare(left, [_], [right]):
            sides = {ast.dump(left), ast.dump(right)}
            return {ast.dump(value), ast.dump(target).replace("Store()", "Load()")} == sides
    return False


def _is_bound(node: ast.expr, parent: ast.AST) -> bool:
    """An argument of range (but the step), an end of a slice."""
    match parent:
        case ast.Call(ast.Name("range"), args, []):
            return any(node is a for a in args[:2])
        case ast.Slice(lower, upper, _):
            return node is lower or node is upper
    return False


def _bounds(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Constant) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)
    ):
        return  # "constant" does these
    yield ast.BinOp(node, ast.Add(), ast.Constant(1))
    yield ast.BinOp(node, ast.Sub(), ast.Constant(1))


def _statement(node: ast.stmt, parent: ast.AST) -> Iterator[tuple[Operator, ast.stmt]]:
    match node:
        case ast.If(test, body, orelse):
            yield "branch", ast.If(ast.UnaryOp(ast.Not(), test), body, orelse)
            yield "branch", _block(orelse)  # the branch dropped
            if orelse:
                yield "branch", ast.If(test, body, [])
        case ast.While(test, body, orelse) if isinstance(test, ast.Compare | ast.BoolOp):
            yield "branch", ast.If(test, body, orelse)  # at most one round
        case ast.AugAssign(target, op, value):
            yield "statement", ast.Pass()
            for operator, table in (("arithmetic", _ARITHMETIC), ("bitwise", _BITWISE)):
                if type(op) in table and not _is_text(value):
                    yield operator, ast.AugAssign(target, table[type(op)](), value)  # type: ignore[misc]
        case ast.Expr(ast.Call(ast.Attribute(), _, _)):
            yield "statement", ast.Pass()
        case ast.Assign([ast.Subscript() | ast.Attribute()], _):
            yield "statement", ast.Pass()
        case ast.Break():
            yield "jump", ast.Continue()
            yield "jump", ast.Pass()
        case ast.Continue():
            yield "jump", ast.Break()
            yield "jump", ast.Pass()
        case ast.Return(value) if value is not None:
            if isinstance(parent, ast.FunctionDef | ast.AsyncFunctionDef):
                yield "jump", ast.Return(ast.Constant(None))
            else:
                yield "jump", ast.Pass()


def _block(statements: list[ast.stmt]) -> ast.stmt:
    """Several statements as one: `if True` keeps them together."""
    if not statements:
        return ast.Pass()
    return statements[0] if len(statements) == 1 else ast.If(ast.Constant(True), statements, [])


# -- what reads alike -----------------------------------------------------------------------------

_MIRRORED: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Gt: ast.Lt, ast.GtE: ast.LtE}
_INVERSE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}


class _Normal(ast.NodeTransformer):
    """Rewrites what certainly computes the same to one spelling."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) == 1 and type(node.ops[0]) in _MIRRORED:
            mirrored = _MIRRORED[type(node.ops[0])]()
            return ast.Compare(node.comparators[0], [mirrored], [node.left])
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        match node:  # floats that are no numbers apart, `not a < b` is `a >= b`
            case ast.UnaryOp(ast.Not(), ast.Compare(left, [op], right)) if type(op) in _INVERSE:
                return self.visit(ast.Compare(left, [_INVERSE[type(op)]()], right))
            case ast.UnaryOp(ast.Not(), ast.UnaryOp(ast.Not(), operand)):
                return self.visit(operand)
            case ast.UnaryOp(ast.USub(), ast.Constant(int(value))):
                return ast.Constant(-value)
        self.generic_visit(node)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Sub) and _whole(node.right) is not None:
            node = ast.BinOp(node.left, ast.Add(), ast.Constant(-(_whole(node.right) or 0)))
        if isinstance(node.op, ast.Add) and _whole(node.right) is not None:
            total = _whole(node.right) or 0
            match node.left:  # (n - 1) + 1 is n
                case ast.BinOp(inner, ast.Add(), ast.Constant(int(more))):
                    node = ast.BinOp(inner, ast.Add(), ast.Constant(more + total))
            return node.left if _whole(node.right) == 0 else node
        if isinstance(node.op, ast.Mult | ast.FloorDiv) and _whole(node.right) == 1:
            return node.left
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Call(ast.Name("range"), [ast.Constant(0), stop], []):
                return ast.Call(node.func, [stop], [])
        return node

    def visit_Slice(self, node: ast.Slice) -> ast.AST:
        self.generic_visit(node)
        if node.lower is not None and _whole(node.lower) == 0:
            return ast.Slice(None, node.upper, node.step)
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.test, ast.Constant) and node.test.value is True and len(node.body) == 1:
            return node.body[0]
        return node


def _whole(node: ast.expr) -> int | None:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    return None


def _normal_form(tree: ast.Module) -> str:
    """A text that is equal for trees that certainly compute the same, as far as that is seen."""
    return ast.dump(_Normal().visit(_parse(ast.unparse(ast.fix_missing_locations(tree)))))
