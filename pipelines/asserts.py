"""Python assert tests as input/output pairs, by reading their syntax; nothing is ever executed.

A pair has one JSON value a line for the arguments and one JSON value for the result. JSON has no
tuples, sets, bytes or dicts with number keys: an *argument* of those kinds would change what the
program sees, so such a problem keeps its asserts (checker kind "asserts"). A *result* may hold
tuples, written as lists: the evaluator takes a tuple and a list as equal.
"""

from __future__ import annotations

import ast
import json
import math
import re
import warnings
from collections.abc import Sequence
from typing import Any

from pipelines.problem import Checker, ProblemError, TestCase

#: Folded constants stay below this many elements, characters or bits.
MAX_SIZE = 100_000
ASSERTS = Checker("asserts")
#: (absolute, relative) tolerance of one assert, None for an exact comparison.
Tolerance = tuple[float, float] | None
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


class NotConvertible(ValueError):
    """The assert is not of the form `f(constants) == constant`."""


def parse_source(source: str, what: str) -> ast.Module:
    """The syntax tree, or ProblemError naming `what`.

    >>> len(parse_source("a = 1", "field 'code'").body)
    1
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a stray escape in somebody's code
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as e:
        raise ProblemError(f"{what}: not Python 3 source ({type(e).__name__}: {e})") from None


def find_function(tree: ast.Module, name: str, cls: str | None = None) -> FunctionNode | None:
    """The last definition of function `name`, at the top level or in class `cls`.

    >>> find_function(ast.parse("def f(a): ..."), "f").name
    'f'
    """
    bodies = [tree.body]
    if cls is not None:
        bodies = [n.body for n in tree.body if isinstance(n, ast.ClassDef) and n.name == cls]
    found = [n for body in bodies for n in body if isinstance(n, FunctionNode) and n.name == name]
    return found[-1] if found else None


def parameters(function: FunctionNode, method: bool = False) -> tuple[str, ...]:
    """Names of the positional parameters, in order, without a method's `self`.

    >>> parameters(ast.parse("def f(a, b=1, *, c): ...").body[0])
    ('a', 'b')
    """
    names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    static = any(
        isinstance(d, ast.Name) and d.id == "staticmethod" for d in function.decorator_list
    )
    return tuple(names[1:] if method and not static else names)


def convert(
    statements: Sequence[ast.stmt], callee: str, params: Sequence[str] | None = None
) -> tuple[tuple[TestCase, ...], Checker] | None:
    """Pairs for the asserts on `callee` and the checker they need, or None when one of them can't
    be a pair. `params` gives keyword arguments their places.

    >>> convert(ast.parse("assert f([1], k=2) == (3, 4)").body, "f", ["nums", "k"])[0][0]
    TestCase(input='[1]\\n2', output='[3, 4]', kind='hidden', name='')
    """
    tests: list[TestCase] = []
    tolerances: set[Tolerance] = set()
    try:
        for statement in statements:
            if _says_nothing(statement):
                continue
            if not isinstance(statement, ast.Assert):
                return None
            call, expected, tolerance = _split(statement.test, callee)
            lines = [_json(v) for v in _arguments(call, params)]
            tests.append(TestCase("\n".join(lines), _json(expected, result=True)))
            tolerances.add(tolerance)
    except (NotConvertible, ArithmeticError, TypeError, ValueError, RecursionError):
        return None
    if len(tolerances) != 1:  # no assert at all, or one checker can't serve them all
        return None
    (tolerance,) = tolerances
    if tolerance is None:
        return tuple(tests), Checker()
    args = (("abs_tol", tolerance[0]), ("rel_tol", tolerance[1]))
    return tuple(tests), Checker("float", args)


def check_asserts(tree: ast.Module) -> list[ast.stmt] | None:
    """The body of `def check(candidate)` when nothing else in the source matters to it.

    >>> len(check_asserts(ast.parse("def check(candidate):\\n    assert candidate(1) == 2")))
    1
    """
    check = find_function(tree, "check")
    others = [n for n in tree.body if n is not check and not _is_metadata(n)]
    return None if check is None or others else check.body


def assert_tests(tree: ast.Module, source: str) -> tuple[TestCase, ...]:
    """Tests of kind "asserts" from a source with `def check(candidate)`: one for each assert when
    it holds only those, else one that calls `check`. METADATA is left out; tests that draw random
    numbers get a fixed seed, so that the same program always gets the same verdict.

    >>> s = "def check(candidate):\\n    assert candidate((1,)) == 2"
    >>> assert_tests(ast.parse(s), s)[0].input
    'assert candidate((1,)) == 2\\n'
    """
    body = check_asserts(tree)
    if body is not None and all(isinstance(n, ast.Assert) or _says_nothing(n) for n in body):
        asserts = [_segment(source, n) for n in body if not _says_nothing(n)]
        return tuple(TestCase(text + "\n", "") for text in asserts)
    parts = [_segment(source, n) for n in tree.body if not _is_metadata(n)]
    text = "\n\n".join([*parts, "check(candidate)\n"])
    if re.search(r"^\s*(import|from) random\b", text, re.MULTILINE):
        text = "import random\n\nrandom.seed(0)\n\n" + text
    return (TestCase(text, ""),)


def _segment(source: str, node: ast.stmt) -> str:
    return ast.get_source_segment(source, node) or ast.unparse(node)


def _is_metadata(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "METADATA"


def _says_nothing(node: ast.stmt) -> bool:
    """`pass`, a docstring, a stray name, `assert True`."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant | ast.Name)
    if isinstance(node, ast.Assert):
        return isinstance(node.test, ast.Constant) and bool(node.test.value)
    return isinstance(node, ast.Pass)


def _is_call(node: ast.expr, callee: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == callee


def _split(test: ast.expr, callee: str) -> tuple[ast.Call, Any, Tolerance]:
    """The call, the value it must return, and how exactly."""
    match test:
        case ast.Call() if _is_call(test, callee):
            return test, True, None
        case ast.UnaryOp(ast.Not(), ast.Call() as call) if _is_call(call, callee):
            return call, False, None
        case ast.Compare(left, [ast.Eq()], [right]):
            call, value = _sides(left, right, callee)
            return call, constant(value), None
        case ast.Compare(left, [ast.Is()], [ast.Constant(None | True | False) as right]):
            call, value = _sides(left, right, callee)
            return call, constant(value), None
        case ast.Compare(
            ast.Call(ast.Name("abs"), [ast.BinOp(left, ast.Sub(), right)], []),
            [ast.Lt() | ast.LtE()],
            [bound],
        ):
            call, value = _sides(left, right, callee)
            return call, constant(value), (_number(bound), 0.0)
        case ast.Call(
            ast.Name("isclose") | ast.Attribute(ast.Name("math"), "isclose"), [left, right], options
        ):
            call, value = _sides(left, right, callee)
            given = {k.arg: _number(k.value) for k in options}
            if given.keys() <= {"rel_tol", "abs_tol"}:
                return (
                    call,
                    constant(value),
                    (given.get("abs_tol", 0.0), given.get("rel_tol", 1e-9)),
                )
    raise NotConvertible


def _sides(left: ast.expr, right: ast.expr, callee: str) -> tuple[ast.Call, ast.expr]:
    for call, value in ((left, right), (right, left)):
        if isinstance(call, ast.Call) and _is_call(call, callee):
            return call, value
    raise NotConvertible


def _number(node: ast.expr) -> float:
    value = constant(node)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise NotConvertible
    return float(value)


def _arguments(call: ast.Call, params: Sequence[str] | None) -> list[Any]:
    """Argument values in positional order; a call without arguments has no line to stand on."""
    values = [constant(a) for a in call.args]
    named = {k.arg: constant(k.value) for k in call.keywords}
    if named:
        names = list(params or ())[len(values) : len(values) + len(named)]
        if set(names) != set(named):
            raise NotConvertible
        values += [named[n] for n in names]
    if not values:
        raise NotConvertible
    return values


def _json(value: Any, result: bool = False) -> str:
    """JSON in ASCII: no character of a string can be taken for a line end."""
    return json.dumps(_plain(value, result), allow_nan=False)


def _plain(value: Any, result: bool) -> Any:
    if isinstance(value, list) or (result and isinstance(value, tuple)):
        return [_plain(v, result) for v in value]
    if isinstance(value, dict) and all(isinstance(k, str) for k in value):
        return {k: _plain(v, result) for k, v in value.items()}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise NotConvertible


def constant(node: ast.expr) -> Any:
    """The value of a literal or of small constant arithmetic (`10**9`, `'a' * 3`, `-1`), or
    NotConvertible.

    >>> constant(ast.parse("[10**9, -1, 'a' * 3]", mode="eval").body)
    [1000000000, -1, 'aaa']
    """
    match node:
        case ast.Constant(value):
            return value
        case ast.List(elements):
            return [constant(e) for e in elements]
        case ast.Tuple(elements):
            return tuple(constant(e) for e in elements)
        case ast.Set(elements):
            return {constant(e) for e in elements}
        case ast.Dict(keys, values):
            if None in keys:  # {**other}
                raise NotConvertible
            return {constant(k): constant(v) for k, v in zip(keys, values, strict=True) if k}
        case ast.UnaryOp(ast.USub(), operand):
            return -constant(operand)
        case ast.UnaryOp(ast.UAdd(), operand):
            return +constant(operand)
        case ast.BinOp(left, op, right):
            return _fold(constant(left), op, constant(right))
    raise NotConvertible


def _size(value: Any) -> int:
    """Bits, characters, or elements at every depth: [[0] * 9] * 9 is small, ten deep it is not."""
    if isinstance(value, int):
        return value.bit_length()
    if isinstance(value, str):
        return len(value)
    items = value.values() if isinstance(value, dict) else value
    return 1 + sum(map(_size, items)) if isinstance(value, list | tuple | dict) else 1


def _fold(a: Any, op: ast.operator, b: Any) -> Any:
    """`a op b` for operands whose result is sure to be small."""
    numbers = isinstance(a, int | float) and isinstance(b, int | float)
    match op:
        case ast.Add() if _size(a) + _size(b) <= MAX_SIZE:
            return a + b
        case ast.Sub() if numbers:
            return a - b
        case ast.Mult() if numbers and _size(a) + _size(b) <= MAX_SIZE:
            return a * b
        case ast.Mult() if isinstance(b, int) and _size(a) * b <= MAX_SIZE:
            return a * b
        case ast.Mult() if isinstance(a, int) and _size(b) * a <= MAX_SIZE:
            return a * b
        case ast.Div() if numbers:
            return a / b
        case ast.FloorDiv() if numbers:
            return a // b
        case ast.Mod() if numbers:
            return a % b
        case ast.Pow() if numbers and (isinstance(b, float) or _size(a) * abs(b) <= MAX_SIZE):
            return a**b
    raise NotConvertible
