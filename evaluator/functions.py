"""Function tests, in the sandboxed interpreter: find the function, call it, report the result.

One fresh namespace a test: the program is executed anew, so that nothing it keeps in its globals
reaches the next test; the problem's prelude is executed once, and its functions are bound to each
namespace. The kinds of records are in :mod:`evaluator.child`. Everything needed after the call is
bound here before the program runs.
"""

from __future__ import annotations

from evaluator.values import ListNode, TreeNode, build, encode

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost 6 ms a test
    from typing import Any

#: What LeetCode's editor has imported, by module; a name is only provided when it is used.
_STANDARD = {
    "typing": "List Dict Set Tuple Optional Any Union Callable Iterable Iterator Generator Deque "
    "DefaultDict FrozenSet Sequence Mapping NamedTuple TypeVar Counter",
    "collections": "Counter deque defaultdict OrderedDict namedtuple ChainMap",
    "functools": "lru_cache cache reduce cmp_to_key partial cached_property",
    "itertools": "accumulate chain combinations combinations_with_replacement permutations product "
    "groupby count cycle islice repeat starmap takewhile dropwhile zip_longest pairwise",
    "heapq": "heappush heappop heapify heapreplace heappushpop nlargest nsmallest merge",
    "bisect": "bisect_left bisect_right insort insort_left insort_right",
    "math": "gcd lcm sqrt isqrt ceil floor inf log log2 log10 pi comb perm factorial hypot prod",
    "operator": "itemgetter attrgetter xor or_ and_ mul add sub",
    "string": "ascii_lowercase ascii_uppercase ascii_letters digits",
    "random": "randint randrange choice shuffle",
    "fractions": "Fraction",
    "decimal": "Decimal",
    "copy": "deepcopy",
    "dataclasses": "dataclass field",
}
_MODULES = (
    "typing collections functools itertools heapq bisect math operator string random re sys os "
    "time datetime copy json statistics fractions decimal cmath array"
)


def one(
    job: dict[str, Any], code: Any, asserts: Any, test: Any, namespace: dict[str, Any]
) -> tuple[bytes, bytes, BaseException | None]:
    """Run the program in `namespace`, then the call with the readings in `test`, or the compiled
    `asserts`: kind and payload of the record, and the exception the program ended with."""
    kind = b"X"
    try:
        exec(code, namespace)
        if asserts is None:
            return b"V", _call(job, test, namespace), None
        return _check(asserts, job, namespace), b"", None
    except AssertionError as e:
        return (b"X" if asserts is None else b"A"), describe(e), e
    except BaseException as e:
        return kind, describe(e), e


class Prelude:
    """The problem's own imports and helpers, executed once for all tests of a child."""

    def __init__(self, source: bytes, namespace: dict[str, Any]) -> None:
        self.error: BaseException | None = None
        self.names: dict[str, Any] = {}
        self.functions: list[Any] = []
        if not source:
            return
        try:
            exec(compile(source, "prelude.py", "exec", dont_inherit=True), namespace)
        except BaseException as e:
            self.error = e
        self.names = {k: v for k, v in namespace.items() if not k.startswith("__")}
        function = type(describe)
        self.functions = [
            (k, v)
            for k, v in self.names.items()
            if type(v) is function and v.__globals__ is namespace and not v.__closure__
        ]

    def provide(self, namespace: dict[str, Any]) -> None:
        """Into a fresh namespace. Its functions see that namespace, so that they find what the
        program defines in place of the prelude's own."""
        namespace.update(self.names)
        for name, f in self.functions:
            copy = type(f)(f.__code__, namespace, f.__name__, f.__defaults__)
            copy.__kwdefaults__, copy.__annotations__ = f.__kwdefaults__, f.__annotations__
            namespace[name] = copy


def describe(e: BaseException) -> bytes:
    try:
        return f"{type(e).__name__}: {e}"[:500].encode("utf-8", "replace")
    except BaseException:
        return b"exception"


def provided(code: Any) -> dict[str, Any]:
    """LeetCode's imports, for the names the code mentions. Its own definitions come later and
    win."""
    namespace: dict[str, Any] = {}
    wanted: set[str] = set()
    todo = [code]
    while todo:
        c = todo.pop()
        wanted.update(c.co_names)
        todo += [k for k in c.co_consts if hasattr(k, "co_names")]
    for name in wanted.intersection(_MODULES.split()):
        namespace[name] = __import__(name)
    for module, names in _STANDARD.items():
        for name in wanted.intersection(names.split()):
            namespace[name] = getattr(__import__(module), name)
    namespace.update({k: v for k, v in _NODES.items() if k in wanted})
    return namespace


_NODES: dict[str, Any] = {"ListNode": ListNode, "TreeNode": TreeNode}


def _find(namespace: dict[str, Any], name: str) -> Any:
    name = name.rpartition(".")[2]
    solution = namespace.get("Solution")
    if isinstance(solution, type) and hasattr(solution, name):
        return getattr(solution(), name)
    if callable(namespace.get(name)):
        return namespace[name]
    raise NameError(f"no function or Solution method {name!r} in the program")


def _check(test: Any, spec: dict[str, Any], namespace: dict[str, Any]) -> bytes:
    candidate = _find(namespace, spec["fn_name"])
    namespace["candidate"] = candidate
    namespace.setdefault(spec["fn_name"], candidate)
    exec(test, namespace)
    return b"D"


def _call(spec: dict[str, Any], readings: list[Any], namespace: dict[str, Any]) -> bytes:
    fn = _find(namespace, spec["fn_name"])
    code = getattr(fn, "__code__", None)
    bound = int(hasattr(fn, "__self__"))
    names: tuple[str, ...] = code.co_varnames[bound : code.co_argcount] if code else ()
    notes = {k: _text(v) for k, v in (getattr(fn, "__annotations__", None) or {}).items()}
    notes = {**spec["hints"], **notes}
    args, kwargs = _choose(readings, fn, len(names))
    list_node = namespace.get("ListNode", ListNode)
    tree_node = namespace.get("TreeNode", TreeNode)
    values = [
        build(v, notes.get(names[i] if i < len(names) else "", ""), list_node, tree_node)
        for i, v in enumerate(args)
    ]
    named = {k: build(v, notes.get(k, ""), list_node, tree_node) for k, v in kwargs.items()}
    result = fn(*values, **named)
    returns = notes.get("return", "")
    if result is None and returns in ("None", "NoneType") and (values or named):
        result = values[0] if values else next(iter(named.values()))
    return encode(result, is_node="Node" in returns).encode()


def _text(annotation: Any) -> str:
    if isinstance(annotation, str):
        return annotation
    if annotation is None:
        return "None"
    if isinstance(annotation, type) and not hasattr(annotation, "__origin__"):
        return annotation.__name__
    return str(annotation)


def _choose(readings: list[Any], fn: Any, arity: int) -> tuple[list[Any], dict[str, Any]]:
    """The reading of the input that fits the function: see evaluator.inputs. Readings come in
    order of preference; when none fits, the first one is called and its TypeError reported."""
    code = getattr(fn, "__code__", None)
    spare = bool(code and code.co_flags & 0x04)
    least = arity - len(getattr(fn, "__defaults__", None) or ())
    for args, kwargs in readings:
        if kwargs:
            names = code.co_varnames if code else ()
            if all(k in names for k in kwargs):
                return args, kwargs
            args = list(kwargs.values())  # the program named its parameters differently
        if code is None or spare or least <= len(args) <= arity:
            return args, {}
    args, kwargs = readings[0]
    return (list(kwargs.values()), {}) if kwargs else (args, {})
