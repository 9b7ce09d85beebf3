"""Function tests, in the sandboxed interpreter: find the function, call it, report the result.

One fresh namespace a test: the program is executed anew, so that nothing it keeps in its globals
reaches the next test; the problem's prelude is executed once, and its functions are bound to each
namespace. The kinds of records are in :mod:`evaluator.child`. Everything needed after the call is
bound here before the program runs.
"""

from __future__ import annotations

from evaluator.nodes import Builder, provide_hinted
from evaluator.nodes import provided as node_classes
from evaluator.values import encode

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
#: Name: the module it is, or comes from.
_PROVIDED = {n: m for m, names in _STANDARD.items() for n in names.split()}
_PROVIDED |= {n: n for n in _MODULES.split()}


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

    def __init__(self, source: Any, namespace: dict[str, Any]) -> None:
        self.error: BaseException | None = None
        self.names: dict[str, Any] = {}
        self.functions: list[Any] = []
        try:
            if isinstance(source, bytes):
                source = compile(source, "prelude.py", "exec", dont_inherit=True)
            exec(source, namespace)
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
    for name in wanted:
        if (origin := _PROVIDED.get(name)) is not None:
            module = __import__(origin)
            namespace[name] = module if origin == name else getattr(module, name)
    namespace.update(node_classes(wanted))
    return namespace


def _find(namespace: dict[str, Any], name: str) -> Any:
    """The method of Solution, the function or, for a class-design problem, the class."""
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
    hints: dict[str, str] = spec["hints"]
    if "class Node" in hints:
        provide_hinted(namespace, hints["class Node"])
    builder = Builder(namespace)
    if isinstance(fn, type) and (operations := _operations(readings, fn.__name__)) is not None:
        return _design(fn, operations, hints, builder).encode()
    names, notes = _signature(fn, hints)
    args, kwargs = _choose(readings, fn, len(names))
    values = _built(args, names, notes, builder)
    named = {k: builder.build(v, notes.get(k, "")) for k, v in kwargs.items()}
    result = fn(*values, **named)
    returns = notes.get("return", "")
    in_place = hints.get("return") in _NOTHING or (result is None and returns in _NOTHING)
    if in_place and (values or named):
        result = values[0] if values else next(iter(named.values()))
        returns = notes.get(names[0] if values and names else next(iter(named), ""), "")
    return encode(result, returns, builder.made).encode()


#: Annotations of a function that changes its first argument.
_NOTHING = ("None", "NoneType")


def _design(
    cls: Any, operations: tuple[list[str], list[Any]], hints: dict[str, str], builder: Builder
) -> str:
    """What each call returned, of the constructor and then of the methods, on one instance."""
    instance: Any = None
    texts: list[str] = []
    for i, (name, args) in enumerate(zip(*operations, strict=True)):
        fn = getattr(instance, name) if i else cls
        own = _notes(fn if i else cls.__init__)
        prefix = f"{name if i else '__init__'}."
        notes = {k[len(prefix) :]: v for k, v in hints.items() if k.startswith(prefix)} | own
        names = _positional(fn) if i else _positional(cls.__init__)[1:]
        args = args if isinstance(args, list | tuple) else [args]
        result = fn(*_built(args, names, notes, builder))
        if not i:
            instance, result = result, None
        returns = notes.get("return", "")
        if returns in _NOTHING:  # LeetCode does not look at it
            result = None
        # at once: later calls may change what an earlier one has returned
        texts.append(encode(result, returns, builder.made))
    return f"[{','.join(texts)}]"


def _operations(readings: list[Any], name: str) -> tuple[list[str], list[Any]] | None:
    """The names and the argument lists of a class-design test, if it is one: the constructor's
    name comes first."""
    for args, kwargs in readings:
        pair = list(args) or list(kwargs.values())
        if len(pair) == 2 and all(isinstance(p, list | tuple) for p in pair):
            names, calls = pair
            if len(names) == len(calls) and names and names[0] == name:
                return names, calls
    return None


def _built(args: Any, names: tuple[str, ...], notes: dict[str, str], builder: Builder) -> list[Any]:
    return [
        builder.build(v, notes.get(names[i] if i < len(names) else "", ""))
        for i, v in enumerate(args)
    ]


def _unwrapped(fn: Any) -> Any:
    """What a decorator such as lru_cache wraps."""
    for _ in range(20):
        wrapped = getattr(fn, "__wrapped__", None)
        if wrapped is None:
            break
        fn = wrapped
    return fn


def _positional(fn: Any) -> tuple[str, ...]:
    """Names of the parameters that the test's arguments stand for."""
    code = getattr(_unwrapped(fn), "__code__", None)
    return code.co_varnames[int(hasattr(fn, "__self__")) : code.co_argcount] if code else ()


def _signature(fn: Any, hints: dict[str, str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """Names and annotations, remembered: the function of each test has the same code."""
    key = getattr(fn, "__code__", None)
    if key is None:
        return _positional(fn), {**hints, **_notes(fn)}
    if key not in _signatures:
        _signatures[key] = _positional(fn), {**hints, **_notes(fn)}
    return _signatures[key]


_signatures: dict[Any, tuple[tuple[str, ...], dict[str, str]]] = {}


def forget() -> None:
    """Forget the signatures seen so far."""
    _signatures.clear()


def _notes(fn: Any) -> dict[str, str]:
    return {k: _text(v) for k, v in (getattr(fn, "__annotations__", None) or {}).items()}


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
    inner = _unwrapped(fn)
    code = getattr(inner, "__code__", None)
    spare = bool(code and code.co_flags & 0x04)
    least = arity - len(getattr(inner, "__defaults__", None) or ())
    for args, kwargs in readings:
        if kwargs:
            end = code.co_argcount + code.co_kwonlyargcount if code else 0
            names = code.co_varnames[code.co_posonlyargcount : end] if code else ()
            if all(k in names for k in kwargs):
                return args, kwargs
            args = list(kwargs.values())  # the program named its parameters differently
        if code is None or spare or least <= len(args) <= arity:
            return args, {}
    args, kwargs = readings[0]
    return (list(kwargs.values()), {}) if kwargs else (args, {})
