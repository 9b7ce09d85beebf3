"""Arguments into live objects, results into canonical JSON: the sandboxed side of function tests.

The encoder reads objects by the built-in types' own methods (`int.__repr__(x)`, never `repr(x)`),
so an overridden `__eq__` or `__repr__` decides nothing. What JSON lacks is tagged, so that a set
never passes for a list: {"$set": [...]}, {"$map": [[key, value], ...]}, {"$decimal": "0.1"},
{"$node": value} (a linked list or tree; None may stand for an empty one), {"$other": "type"}.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost 6 ms a test
    from collections.abc import Callable, Iterator
    from typing import Any

MAX_DEPTH = 300
MAX_NODES = 5_000_000

try:
    from _json import encode_basestring_ascii as _quote
except ImportError:  # pragma: no cover - CPython has it
    from json.encoder import py_encode_basestring_ascii as _quote


class EncodeError(Exception):
    """The result has a cycle, is nested too deeply or is too large."""


class ListNode:
    """LeetCode's singly linked list."""

    def __init__(self, val: Any = 0, next: Any = None) -> None:
        self.val, self.next = val, next


class TreeNode:
    """LeetCode's binary tree."""

    def __init__(self, val: Any = 0, left: Any = None, right: Any = None) -> None:
        self.val, self.left, self.right = val, left, right


def build(value: Any, annotation: str, list_node: type, tree_node: type) -> Any:
    """`value` as the parameter's annotation wants it: nodes out of lists.

    >>> build([1, 2], "Optional[ListNode]", ListNode, TreeNode).next.val
    2
    """
    for name, make in (("ListNode", linked_list), ("TreeNode", tree)):
        if name in annotation and isinstance(value, list):
            cls = list_node if name == "ListNode" else tree_node
            if annotation.replace("typing.", "").lstrip("'\" ").startswith(("List[", "list[")):
                return [make(v or [], cls) for v in value]
            return make(value, cls)
    return value


def linked_list(values: list[Any], cls: type = ListNode) -> Any:
    """The head of a linked list, None for an empty one."""
    head = None
    for v in reversed(values):
        node = cls(v)
        node.next = head
        head = node
    return head


def tree(values: list[Any], cls: type = TreeNode) -> Any:
    """The root of a tree given in LeetCode's level order (None: no child)."""
    if not values or values[0] is None:
        return None
    root = cls(values[0])
    queue, at = [root], 1
    for node in queue:
        for side in ("left", "right"):
            child = None
            if at < len(values) and values[at] is not None:
                child = cls(values[at])
                queue.append(child)
            setattr(node, side, child)
            at += 1
        if at >= len(values):
            break
    return root


def encode(value: Any, is_node: bool = False) -> str:
    """Canonical JSON of any result; EncodeError for what cannot be a value.

    >>> encode([(1, 2.5), {3: "x"}, None])
    '[[1,2.5],{"$map":[[3,"x"]]},null]'
    """
    if is_node and value is None:
        return '{"$node":[]}'
    out: list[str] = []
    _Encoder(out.append).put(value, 0)
    return "".join(out)


class _Encoder:
    def __init__(self, write: Callable[[str], None]) -> None:
        self.write, self.nodes = write, 0
        self.path: set[int] = set()

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
            self.write(int.__repr__(v))
        elif issubclass(t, str):
            self.write(_quote(v))
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
            self.sequence('{"$set":[', base.__iter__(v), "]}", depth)
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
        if all(type(k) is str for k, _ in items):
            self.write("{")
            for i, (k, x) in enumerate(items):
                self.write(("," if i else "") + _quote(k) + ":")
                self.put(x, depth + 1)
            self.write("}")
            return
        self.write('{"$map":[')
        for i, (k, x) in enumerate(items):
            self.write(",[" if i else "[")
            self.put(k, depth + 1)
            self.write(",")
            self.put(x, depth + 1)
            self.write("]")
        self.write("]}")

    def other(self, v: Any, t: type, depth: int) -> None:
        module, name = t.__module__, t.__name__
        if module == "numpy" or module.startswith("numpy."):
            self.put(v.tolist() if hasattr(v, "tolist") else str(v), depth + 1)
        elif (module, name) in (("decimal", "Decimal"), ("fractions", "Fraction")):
            self.write('{"$decimal":' + _quote(str(v)) + "}")
        elif hasattr(v, "val") and hasattr(v, "next"):
            self.sequence('{"$node":[', _walk(v), "]}", depth)
        elif hasattr(v, "val") and hasattr(v, "left") and hasattr(v, "right"):
            self.sequence('{"$node":[', iter(_level_order(v)), "]}", depth)
        else:
            self.write('{"$other":' + _quote(f"{module}.{name}") + "}")


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


def _walk(node: Any) -> Iterator[Any]:
    seen: set[int] = set()
    while node is not None:
        if id(node) in seen:
            raise EncodeError("the linked list has a cycle")
        seen.add(id(node))
        yield node.val
        node = node.next


def _level_order(root: Any) -> list[Any]:
    out: list[Any] = []
    queue: list[Any] = [root]
    seen: set[int] = set()
    for node in queue:
        if node is None:
            out.append(None)
            continue
        if id(node) in seen:
            raise EncodeError("the tree has a cycle")
        seen.add(id(node))
        out.append(node.val)
        queue += (node.left, node.right)
    while out and out[-1] is None:
        out.pop()
    return out
