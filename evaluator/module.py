"""The program as a module, in the sandboxed interpreter: its names, and what stands ready for it.

Each function test gets the module anew: the program is executed again, so that nothing it keeps in
its globals reaches the next test. Executing it costs more than a small test's call, so it is
executed once where nothing in it can change: only functions without state of their own, classes of
such functions, constants, and what others have defined (see :func:`_is_constant`); no call runs
while the module does. After each test it is looked at again, and executed anew once it has
changed. (A refusal is confirmed in a process of its own, whatever is missed here.)
"""

from __future__ import annotations

import sys
from opcode import opmap

from evaluator.nodes import provided as node_classes
from evaluator.nodes import restore
from evaluator.program import new_main

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost 6 ms a test
    from collections.abc import Callable
    from typing import Any

NAME = "solution"
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
PROVIDED = {n: m for m, names in _STANDARD.items() for n in names.split()}
PROVIDED |= {n: n for n in _MODULES.split()}


class Program:
    """A program and what it finds. `keep`: execute it once, if that changes nothing."""

    def __init__(self, code: Any, provided: dict[str, Any], prelude: Prelude | None, keep: bool):
        self.code, self.provided, self.prelude = code, provided, prelude
        self.namespace: dict[str, Any] = {}
        self._keep = keep and not _acts(code)
        self._kept: _Kept | None = None

    def enter(self) -> dict[str, Any]:
        """The namespace in which the next test finds the program executed. Raises what the
        program raises."""
        if self._kept is not None:
            return self.namespace
        self.namespace = namespace = new_main(NAME)
        namespace.update(self.provided)
        if self.prelude is not None:
            self.prelude.provide(namespace)
        if not self._keep or (self.prelude is not None and self.prelude.kept is None):
            exec(self.code, namespace)
            return namespace
        before = dict(namespace)
        exec(self.code, namespace)
        self._kept = _kept(namespace, lambda name, value: before.get(name, self) is value)
        self._keep = self._kept is not None
        return namespace

    def leave(self) -> dict[str, Any]:
        """The test is over: what its end destroys."""
        same = restore()
        if self.prelude is not None and not self.prelude.holds():
            same = False
        if same and self._kept is not None and self._kept.holds(self.namespace):
            return {}
        self._keep, self._kept = False, None
        return self.namespace


class _Kept:
    """What the module was when it had been executed. Objects are compared by what they are, never
    by their `==`, which is the program's own to define."""

    __slots__ = ("classes", "functions", "ids", "names")

    def __init__(self, namespace: dict[str, Any]) -> None:
        self.names, self.ids = list(namespace), list(map(id, namespace.values()))
        self.functions: list[tuple[Any, Any, Any, dict[str, Any]]] = []
        self.classes: list[tuple[Any, dict[str, Any]]] = []

    def holds(self, namespace: dict[str, Any]) -> bool:
        """Whether it still is."""
        return (
            list(map(id, namespace.values())) == self.ids
            and list(namespace) == self.names
            and self.whole()
        )

    def whole(self) -> bool:
        """Whether its classes and functions still are."""
        for f, code, defaults, named in self.functions:
            if f.__dict__ or f.__code__ is not code or f.__defaults__ is not defaults:
                return False
            if not _same(f.__kwdefaults__ or {}, named):
                return False
        return all(_same(cls.__dict__, names) for cls, names in self.classes)


def _same(now: Any, then: dict[str, Any]) -> bool:
    """Whether two mappings hold the same objects under the same names."""
    return len(now) == len(then) and all(now.get(k, then) is v for k, v in then.items())


_Function: Any = type(node_classes)
_Code: Any = type((lambda: 0).__code__)
_ATOMS = (int, str, float, bool, type(None), bytes, complex, type(...))
#: A library's function or module, and what a class's own `__dict__` and `__slots__` are made of.
_FIXED = (type(len), type(sys), type(_Function.__code__), type(vars(_Kept)["names"]))
_OPTIMIZED = 0x01  # CO_OPTIMIZED: of functions, not of a module or the body of a class
_CALLS = [code for name, code in opmap.items() if name in ("CALL", "CALL_KW", "CALL_FUNCTION_EX")]
_CLASS = opmap["LOAD_BUILD_CLASS"]


def _acts(code: Any) -> bool:
    """Whether it calls anything while the module is executed: that must happen for each test."""
    operations = code.co_code[::2]
    if sum(map(operations.count, _CALLS)) > operations.count(_CLASS):
        return True
    inner = (c for c in code.co_consts if isinstance(c, _Code))
    return any(_acts(c) for c in inner if not c.co_flags & _OPTIMIZED)


def _kept(namespace: dict[str, Any], given: Callable[[str, Any], bool]) -> _Kept | None:
    """The module as it is now, if nothing in it can change but by being replaced; `given`: names
    and values that were there before, or come from elsewhere."""
    kept = _Kept(namespace)
    try:
        for name, value in namespace.items():
            if name == "__annotations__" or given(name, value):
                continue
            if not _is_constant(value, namespace, kept):
                return None
    except BaseException:
        return None
    return kept


def _is_constant(v: Any, namespace: dict[str, Any], kept: _Kept) -> bool:
    t = type(v)
    if t in _ATOMS or t in _FIXED:
        return True
    if t is tuple or t is frozenset:
        return all(_is_constant(x, namespace, kept) for x in v)
    if t is _Function:
        if v.__globals__ is not namespace:
            return True  # of a library, which is not executed anew either
        named = dict(v.__kwdefaults__ or {})
        kept.functions.append((v, v.__code__, v.__defaults__, named))
        defaults = (*(v.__defaults__ or ()), *named.values())
        return not v.__closure__ and all(_is_constant(d, namespace, kept) for d in defaults)
    if isinstance(v, type) and v.__module__ != NAME:
        return True
    if t is type:
        if any(v is seen for seen, _ in kept.classes):
            return True
        names = dict(v.__dict__)
        kept.classes.append((v, names))
        return all(
            k == "__annotations__" or _is_constant(x, namespace, kept) for k, x in names.items()
        ) and all(_is_constant(base, namespace, kept) for base in v.__bases__)
    return bool(t.__module__ == "typing")


class Prelude:
    """The problem's own imports and helpers: executed once for all tests of a child where nothing
    in them can change, else for each."""

    def __init__(self, source: Any, namespace: dict[str, Any]) -> None:
        self.error: BaseException | None = None
        self.kept: _Kept | None = None
        self.code: Any = None
        self.names: dict[str, Any] = {}
        self.functions: list[Any] = []
        before = dict(namespace)
        try:
            if isinstance(source, bytes):
                source = compile(source, "prelude.py", "exec", dont_inherit=True)
            self.code = source
            exec(source, namespace)
        except BaseException as e:
            self.error = e
            return
        modules = [vars(sys.modules[m]) for m in source.co_names if m in sys.modules]

        def given(name: str, value: Any) -> bool:
            return before.get(name, self) is value or any(
                module.get(name, self) is value for module in modules
            )

        self.kept = _kept(namespace, given)
        self.names = {k: v for k, v in namespace.items() if not k.startswith("__")}
        self.functions = [
            (k, v)
            for k, v in self.names.items()
            if type(v) is _Function and v.__globals__ is namespace and not v.__closure__
        ]

    def holds(self) -> bool:
        """Whether what was executed once is as it was; if not, it is executed anew from now on."""
        if self.kept is not None and not self.kept.whole():
            self.kept = None
        return self.kept is not None

    def provide(self, namespace: dict[str, Any]) -> None:
        """Into a fresh namespace. Its functions see that namespace, so that they find what the
        program defines in place of the prelude's own."""
        if self.kept is None:
            exec(self.code, namespace)
            return
        namespace.update(self.names)
        for name, f in self.functions:
            copy = type(f)(f.__code__, namespace, f.__name__, f.__defaults__)
            copy.__kwdefaults__, copy.__annotations__ = f.__kwdefaults__, f.__annotations__
            namespace[name] = copy


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
        if (origin := PROVIDED.get(name)) is not None:
            module = __import__(origin)
            namespace[name] = module if origin == name else getattr(module, name)
    namespace.update(node_classes(wanted))
    return namespace
