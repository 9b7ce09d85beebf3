"""LeetCode's linked structures, in the sandboxed interpreter: built from a test's lists, read back.

`Node` is a different class in each problem. Which one shows in its attributes (_FORMS), each form
with LeetCode's own spelling as a list:
  list       [1,2,3]                        tree   [1,null,2], level by level
  nary       [1,null,2,3,null,4], the children of each node closed by a null
  graph      [[2],[1]], the neighbours of node 1, 2, ...
  random     [[7,null],[13,0]], value and index of the random pointer
  levels     [1,2,null,null,3], a doubly linked list whose nodes may have a child list
  connected  [1,"#",2,3,"#"], a tree read along its next pointers
  quad       [[0,1],[1,0],...], is a leaf and value, level by level
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost 6 ms a room
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

#: The first form whose attributes are all there is the form.
_FORMS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("quad", ("topLeft", "topRight", "bottomLeft", "bottomRight", "isLeaf")),
    ("graph", ("neighbors",)),
    ("nary", ("children",)),
    ("levels", ("child", "next")),
    ("random", ("random", "next")),
    ("connected", ("left", "right", "next")),
    ("tree", ("left", "right")),
    ("list", ("next",)),
)
#: LeetCode's constructors of `Node`.
_LAYOUTS = {
    "quad": "val isLeaf topLeft topRight bottomLeft bottomRight",
    "graph": "val neighbors",
    "nary": "val children",
    "levels": "val prev next child",
    "random": "val next random",
    "connected": "val left right next",
    "tree": "val left right",
    "list": "val next",
}
#: What LeetCode wants as a copy: the input's own nodes are no answer.
_COPIED = ("graph", "random")
_CORNERS = ("topLeft", "topRight", "bottomLeft", "bottomRight")
_SPACES = str.maketrans("[],'\".|", "       ")
_LISTS = ("List[", "list[", "Sequence[", "Iterable[", "Tuple[", "tuple[")


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


def _node_class(form: str) -> type:
    names = _LAYOUTS[form].split()

    def init(self: Any, *args: Any, **named: Any) -> None:
        values: dict[str, Any] = {"val": 0, **dict(zip(names, args, strict=False)), **named}
        if len(args) > len(names) or not values.keys() <= set(names):
            raise TypeError(f"Node() takes {', '.join(names)}")
        for name in names:
            many = name in ("neighbors", "children") and values.get(name) is None
            setattr(self, name, [] if many else values.get(name))

    return type("Node", (), {**dict.fromkeys(names), "__init__": init})


_CLASSES = {form: _node_class(form) for form in _LAYOUTS}


def provided(names: set[str]) -> dict[str, type]:
    """The classes that LeetCode defines, for a program that uses those names; `Node` as the
    other names tell.

    >>> sorted(provided({"ListNode", "neighbors"}))
    ['ListNode', 'Node']
    """
    found: dict[str, type] = {}
    if "ListNode" in names:
        found["ListNode"] = ListNode
    if "TreeNode" in names:
        found["TreeNode"] = TreeNode
    form = _form(names.__contains__)
    if form and ("Node" in names or form not in ("tree", "list")):
        found["Node"] = _CLASSES[form]
    return found


_OURS = [(cls, dict(vars(cls))) for cls in (ListNode, TreeNode, *_CLASSES.values())]


def restore() -> bool:
    """Undo what a program has done to these classes; whether it has done nothing.

    >>> ListNode.count = 1
    >>> restore(), restore(), hasattr(ListNode, "count")
    (False, True, False)
    """
    whole = True
    for cls, names in _OURS:
        now = vars(cls)
        if len(now) == len(names) and all(now.get(k, now) is v for k, v in names.items()):
            continue
        whole = False
        for name in [n for n in now if n not in names]:
            delattr(cls, name)
        for name, value in names.items():
            if now.get(name, now) is not value:
                setattr(cls, name, value)
    return whole


def provide_hinted(namespace: dict[str, Any], names: str) -> None:
    """`Node` as the platform's comment defines it, unless the program or the prelude has its own.

    >>> space = {}
    >>> provide_hinted(space, "val neighbors")
    >>> space["Node"](3).neighbors
    []
    """
    form = _form(names.split().__contains__)
    if form and namespace.get("Node") in (None, *_CLASSES.values()):
        namespace["Node"] = _CLASSES[form]


def _form(has: Callable[[str], bool]) -> str:
    # a program need not use all four corners
    for form, attributes in _FORMS:
        if all(map(has, attributes[:1] if form == "quad" else attributes)):
            return form
    return ""


def form_of(v: Any) -> str:
    """The form of a result's object, "" when it is no node.

    >>> form_of(ListNode(1)), form_of("text")
    ('list', '')
    """
    form = {"ListNode": "list", "TreeNode": "tree"}.get(type(v).__name__)

    def has(name: str) -> bool:
        return hasattr(v, name)

    if not has("val"):
        return ""
    if form is not None and all(map(has, dict(_FORMS)[form])):
        return form  # whatever else the program has put on it
    return _form(has)


def kind(annotation: str) -> tuple[str, int]:
    """The class of nodes in an annotation and the depth of lists around it.

    >>> kind("typing.List[typing.Optional[ListNode]]"), kind("List['Node']"), kind("int")
    (('ListNode', 1), ('Node', 1), ('', 0))
    """
    if "Node" not in annotation:
        return "", 0
    words = annotation.translate(_SPACES).split()
    for name in ("ListNode", "TreeNode", "Node"):
        if name in words:
            before = annotation.partition(name)[0]
            return name, sum(map(before.count, _LISTS))
    return "", 0


class Builder:
    """Makes arguments as their annotations want them, with the classes of `namespace`. `made`:
    the input's nodes of forms that must be copied.

    >>> Builder({}).build([1, 2], "Optional[ListNode]").next.val
    2
    """

    def __init__(self, namespace: dict[str, Any]) -> None:
        self.namespace = namespace
        self.made: list[Any] = []

    def build(self, value: Any, annotation: str) -> Any:
        """`value` with nodes out of its lists."""
        name, depth = kind(annotation)
        if not name or not isinstance(value, list | tuple):
            return value
        cls: Any = self.namespace.get(name)
        if name == "Node":
            form = _form_of_class(cls)
            if not form:
                return value
        else:
            form = "list" if name == "ListNode" else "tree"
            if not isinstance(cls, type):
                cls = ListNode if form == "list" else TreeNode
        return self._nested(value, depth, form, cls)

    def _nested(self, value: Any, depth: int, form: str, cls: type) -> Any:
        if depth and isinstance(value, list | tuple):
            return [self._nested(v, depth - 1, form, cls) for v in value]
        if not isinstance(value, list | tuple):
            return value
        made: list[Any] = []
        root = make(form, value, cls, made)
        if form in _COPIED:
            self.made += made
        return root


def _form_of_class(cls: Any) -> str:
    names: set[str] = set()
    for c in getattr(cls, "__mro__", ())[:-1]:
        names.update(c.__dict__, getattr(c, "__annotations__", None) or ())
        code = getattr(c.__dict__.get("__init__"), "__code__", None)
        if code is not None:
            names.update(code.co_varnames, code.co_names)
    return _form(names.__contains__)


def make(form: str, values: Any, cls: type | None = None, made: list[Any] | None = None) -> Any:
    """The structure that LeetCode writes as `values`; None for an empty one.

    >>> make("graph", [[2], [1]]).neighbors[0].val
    2
    """
    values = list(values)
    if not values or (values[0] is None and form != "list"):
        return None
    new = _constructor(cls or _CLASSES[form], form, made if made is not None else [])
    if form == "list":
        return _chain([new(v) for v in values])
    if form in ("tree", "connected"):
        return _branch(values, new, ("left", "right"))
    if form == "quad":
        return _branch(values, lambda v: new(v[1], v[0]), _CORNERS)
    if form == "nary":
        return _nary(values, new)
    if form == "levels":
        return _levels(values, new)
    if form == "graph":
        all_nodes = [new(i + 1) for i in range(len(values))]
        for node, near in zip(all_nodes, values, strict=True):
            node.neighbors = [all_nodes[i - 1] for i in near]
        return all_nodes[0]
    all_nodes = [new(v) for v, _ in values]
    for node, (_, at) in zip(all_nodes, values, strict=True):
        node.random = None if at is None else all_nodes[at]
    return _chain(all_nodes)


def _constructor(cls: type, form: str, made: list[Any]) -> Callable[..., Any]:
    """Calls the class, however many arguments it wants, and sets every attribute of the form."""
    init: Any = getattr(cls, "__init__", None)
    code = getattr(init, "__code__", None)
    most = code.co_argcount - 1 if code else 0
    least = most - len(init.__defaults__ or ()) if code else 0
    given = 1 if most or (code and code.co_flags & 0x04) else 0
    rest = [None] * (least - 1)
    unset = [n for n in _LAYOUTS[form].split() if n not in ("val", "isLeaf")]

    def new(val: Any, leaf: Any = None) -> Any:
        node: Any = cls(*[val][:given], *rest)
        node.val = val
        if form == "quad":
            node.val, node.isLeaf = bool(val), bool(leaf)
        for name in unset:
            setattr(node, name, [] if name in ("neighbors", "children") else None)
        made.append(node)
        return node

    return new


def _chain(all_nodes: list[Any]) -> Any:
    for i in range(1, len(all_nodes)):
        all_nodes[i - 1].next = all_nodes[i]
    return all_nodes[0]


def _branch(values: list[Any], new: Callable[..., Any], sides: tuple[str, ...]) -> Any:
    root = new(values[0])
    queue, at = [root], 1
    for node in queue:
        for side in sides:
            if at < len(values) and values[at] is not None:
                child = new(values[at])
                setattr(node, side, child)
                queue.append(child)
            at += 1
        if at >= len(values):
            break
    return root


def _nary(values: list[Any], new: Callable[..., Any]) -> Any:
    root = new(values[0])
    queue, at = [root], 2
    for node in queue:
        while at < len(values) and values[at] is not None:
            child = new(values[at])
            node.children.append(child)
            queue.append(child)
            at += 1
        at += 1
        if at >= len(values):
            break
    return root


def _levels(values: list[Any], new: Callable[..., Any]) -> Any:
    above: list[Any] = []
    head, at = None, 0
    while at < len(values):
        skipped = at
        while at < len(values) and values[at] is None:
            at += 1
        parent, level = at - skipped, []
        while at < len(values) and values[at] is not None:
            level.append(new(values[at]))
            at += 1
        at += 1  # the null that ends a level
        if not level:
            break
        _chain(level)
        for i in range(1, len(level)):
            level[i].prev = level[i - 1]
        if head is None:
            head = level[0]
        else:
            above[parent].child = level[0]
        above = level
    return head


def read(form: str, root: Any, taken: Iterable[Any] = ()) -> Iterator[Any]:
    """The structure as LeetCode writes it. EncodeError for a cycle where the form has none;
    ValueError for nodes that are not of the form, such as those of `taken` in a copy.

    >>> list(read("tree", make("tree", [1, None, 2])))
    [1, None, 2]
    """
    if form == "list":
        return (node.val for node in _walk(root))
    if form in ("tree", "nary", "quad"):
        return iter(_by_level(form, root))
    if form == "connected":
        return _connected(root)
    if form == "levels":
        return iter(_read_levels(root))
    return iter((_read_graph if form == "graph" else _read_random)(root, set(map(id, taken))))


def _walk(node: Any) -> Iterator[Any]:
    seen: set[int] = set()
    while node is not None:
        if id(node) in seen:
            raise EncodeError("the linked list has a cycle")
        seen.add(id(node))
        yield node
        node = node.next


def _by_level(form: str, root: Any) -> list[Any]:
    out: list[Any] = []
    queue: list[Any] = [root]
    if form == "nary":
        queue.append(None)
    seen: set[int] = set()
    for node in queue:
        if node is None:
            out.append(None)
            continue
        if id(node) in seen:
            raise EncodeError("the tree has a cycle")
        seen.add(id(node))
        if form == "tree":
            out.append(node.val)
            queue += (node.left, node.right)
        elif form == "nary":
            out.append(node.val)
            queue += [c for c in node.children or () if c is not None]
            queue.append(None)
        else:  # of a node that is no leaf LeetCode does not look at the value
            out.append([1, int(node.val)] if node.isLeaf else [0, 1])
            queue += [getattr(node, corner) for corner in _CORNERS]
    while out and out[-1] is None:
        out.pop()
    return out


def _connected(root: Any) -> Iterator[Any]:
    seen: set[int] = set()
    first = root
    while first is not None:
        below: Any = None
        for node in _walk(first):
            if id(node) in seen:
                raise EncodeError("the tree has a cycle")
            seen.add(id(node))
            yield node.val
            for child in (node.left, node.right):
                below = child if below is None else below
        yield "#"
        first = below


def _read_levels(root: Any) -> list[Any]:
    out: list[Any] = []
    seen: set[int] = set()
    head: Any = root
    while head is not None:
        level = list(_walk(head))
        if seen.intersection(map(id, level)):
            raise EncodeError("the linked list has a cycle")
        seen.update(map(id, level))
        back = [None, *level]
        if any(n.prev is not before for n, before in zip(level, back, strict=False)):
            raise ValueError("a linked list with wrong prev pointers")
        out += [n.val for n in level]
        parents = [i for i, n in enumerate(level) if n.child is not None]
        head = level[parents[0]].child if parents else None
        out += [None] * (1 + parents[0]) if parents else []
    return out


def _read_graph(root: Any, taken: set[int]) -> list[Any]:
    seen = {id(root)}
    queue = [root]
    for node in queue:
        _not_taken(node, taken)
        for near in node.neighbors or ():
            if id(near) not in seen:
                seen.add(id(near))
                queue.append(near)
    by_value = {int(node.val): node for node in queue}
    if by_value.keys() != set(range(1, len(queue) + 1)):
        raise ValueError("a graph whose nodes are not numbered from 1 on")
    return [[n.val for n in by_value[i].neighbors or ()] for i in sorted(by_value)]


def _read_random(root: Any, taken: set[int]) -> list[Any]:
    chain = list(_walk(root))
    for node in chain:
        _not_taken(node, taken)
    index: dict[int | None, Any] = {id(node): i for i, node in enumerate(chain)}
    index[id(None)] = None
    if any(id(node.random) not in index for node in chain):
        raise ValueError("a list whose random pointers leave it")
    return [[node.val, index[id(node.random)]] for node in chain]


def _not_taken(node: Any, taken: set[int]) -> None:
    if id(node) in taken:
        raise ValueError("a node of the input in place of a copy")
