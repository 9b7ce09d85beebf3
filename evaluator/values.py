"""Arguments into live objects, results into canonical JSON: the sandboxed side of function tests.

The encoder reads objects by the built-in types' own methods (`int.__repr__(x)`, never `repr(x)`),
so an overridden `__eq__` or `__repr__` decides nothing. What JSON lacks is tagged, so that a set
never passes for a list: {"$set": [...]}, {"$map": [[key, value], ...]}, {"$decimal": "0.1"},
{"$node": value} (a linked list or tree; None may stand for an empty one), {"$other": "type"}.
"""

from __future__ import annotations

import sys

from evaluator.nodes import EncodeError, form_of, kind, read

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost 6 ms a test
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

#: Of brackets in the text; elements; characters. The controller takes no more (values_match).
MAX_DEPTH = 200
MAX_NODES = 2_000_000
MAX_SIZE = 16 << 20

try:
    from _json import encode_basestring_ascii as _quote
except ImportError:  # pragma: no cover - CPython has it
    from json.encoder import py_encode_basestring_ascii as _quote


def encode(
    value: Any, returns: str = "", originals: Iterable[Any] = (), *, no_nodes: bool = False
) -> str:
    """Canonical JSON of any result; EncodeError for what cannot be a value. `returns`: the
    function's annotation, which says where None is an empty list or tree. `originals`: nodes of
    the input, of which a copy was wanted. `no_nodes`: a linked list or tree is no answer.

    >>> encode([(1, 2.5), {3: "x"}, None])
    '[[1,2.5],{"$map":[[3,"x"]]},null]'
    >>> encode(None, "Optional[ListNode]")
    '{"$node":[]}'
    """
    if type(value) is int:  # by far the most frequent
        return int.__repr__(value)
    name, depth = kind(returns)
    if name:
        value = _with_empty(value, depth)
    encoder = _Encoder(originals, no_nodes)
    encoder.put(value, 0)
    return "".join(encoder.out)


class _Empty:
    """Stands for None where a list or tree is expected."""


_EMPTY = _Empty()


def _with_empty(value: Any, depth: int) -> Any:
    if value is None:
        return _EMPTY if depth == 0 else None
    if depth and type(value) in (list, tuple):
        return [_with_empty(v, depth - 1) for v in value]
    return value


class _Encoder:
    def __init__(self, originals: Iterable[Any], no_nodes: bool) -> None:
        self.out: list[str] = []
        self.write: Callable[[str], None] = self.out.append
        self.originals, self.no_nodes = originals, no_nodes
        self.nodes = self.size = 0
        self.path: set[int] = set()

    def text(self, text: str) -> None:
        self.size += len(text)
        if self.size > MAX_SIZE:
            raise EncodeError(f"the result has more than {MAX_SIZE} characters")
        self.write(text)

    def put(self, v: Any, depth: int) -> None:
        self.nodes += 1
        if depth > MAX_DEPTH:
            raise EncodeError(f"the result is nested more than {MAX_DEPTH} deep")
        if self.nodes > MAX_NODES:
            raise EncodeError(f"the result has more than {MAX_NODES} elements")
        t = type(v)
        if v is None or t is bool:
            self.write("null" if v is None else "true" if v else "false")
        elif issubclass(t, int):
            self.text(int.__repr__(v))
        elif issubclass(t, str):
            self.text(_quote(v))
        elif issubclass(t, float):
            text = float.__repr__(v)
            self.write({"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(text, text))
        else:
            self.container(v, t, depth)

    def container(self, v: Any, t: type, depth: int) -> None:
        if id(v) in self.path:
            raise EncodeError("the result contains itself")
        self.path.add(id(v))
        if issubclass(t, dict):
            self.mapping(v, depth)
        elif (items := _sequence(v, t)) is not None:
            self.sequence("[", items, "]", depth)
        elif issubclass(t, (set, frozenset)):
            base = set if issubclass(t, set) else frozenset
            self.sequence('{"$set":[', base.__iter__(v), "]}", depth + 1)
        else:
            self.other(v, t, depth)
        self.path.discard(id(v))

    def sequence(self, opening: str, items: Iterator[Any], closing: str, depth: int) -> None:
        self.write(opening)
        first = True
        for item in items:
            if not first:
                self.write(",")
            first = False
            self.put(item, depth + 1)
        self.write(closing)

    def mapping(self, v: dict[Any, Any], depth: int) -> None:
        items = list(dict.items(v))
        if all(type(k) is str and k[:1] != "$" for k, _ in items):
            self.write("{")
            for i, (k, x) in enumerate(items):
                self.text(("," if i else "") + _quote(k) + ":")
                self.put(x, depth + 1)
            self.write("}")
            return
        self.write('{"$map":[')
        for i, (k, x) in enumerate(items):
            self.write(",[" if i else "[")
            self.put(k, depth + 3)
            self.write(",")
            self.put(x, depth + 3)
            self.write("]")
        self.write("]}")

    def other(self, v: Any, t: type, depth: int) -> None:
        module, name = t.__module__, t.__name__
        if v is _EMPTY:
            self.write('{"$node":[]}')
        elif module == "numpy" or module.startswith("numpy."):
            self.put(v.tolist() if hasattr(v, "tolist") else str(v), depth + 1)
        elif (module, name) in (("decimal", "Decimal"), ("fractions", "Fraction")):
            self.text('{"$decimal":' + _quote(str(v)) + "}")
        elif not self.no_nodes and (form := form_of(v)):
            try:
                items = read(form, v, self.originals)
            except ValueError as e:
                self.text('{"$other":' + _quote(str(e)) + "}")
                return
            self.sequence('{"$node":[', items, "]}", depth + 1)
        else:
            self.text('{"$other":' + _quote(f"{module}.{name}") + "}")


_VIEWS: tuple[Any, ...] = (type({}.keys()), type({}.values()), type({}.items()))


def _sequence(v: Any, t: type) -> Iterator[Any] | None:
    for base in (list, tuple, range, bytes, bytearray, *_VIEWS):
        if issubclass(t, base):
            return iter(base.__iter__(v))
    for module, name in (("collections", "deque"), ("array", "array")):
        cls = getattr(sys.modules.get(module), name, None)
        if isinstance(cls, type) and issubclass(t, cls):
            return iter(v)
    return None
