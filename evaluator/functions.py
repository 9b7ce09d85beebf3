"""Function tests, in the sandboxed interpreter: find the function, call it, report the result.

Where the program is executed, and how often: :mod:`evaluator.module`. The kinds of records are in
:mod:`evaluator.child`. Everything needed after the call is bound here before the program runs.
"""

from __future__ import annotations

from evaluator.module import provided
from evaluator.nodes import Builder, provide_hinted
from evaluator.values import encode

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost 6 ms a test
    from typing import Any

    from evaluator.module import Program


def one(
    job: dict[str, Any], program: Program, asserts: Any, test: Any
) -> tuple[bytes, bytes, BaseException | None]:
    """Run the program, then the call with the readings in `test`, or the compiled `asserts`: kind
    and payload of the record, and the exception the program ended with."""
    kind = b"X"
    try:
        namespace = program.enter()
        if asserts is None:
            return b"V", _call(job, test, namespace), None
        return _check(asserts, job, namespace), b"", None
    except AssertionError as e:
        return (b"X" if asserts is None else b"A"), describe(e), e
    except BaseException as e:
        return kind, describe(e), e


def describe(e: BaseException) -> bytes:
    try:
        return f"{type(e).__name__}: {e}"[:500].encode("utf-8", "replace")
    except BaseException:
        return b"exception"


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
    for name, value in provided(test).items():  # `math.isclose` without its import
        namespace.setdefault(name, value)
    exec(test, namespace)
    return b"D"


def _call(spec: dict[str, Any], readings: list[Any], namespace: dict[str, Any]) -> bytes:
    fn = _find(namespace, spec["fn_name"])
    hints: dict[str, str] = spec["hints"]
    if "class Node" in hints:
        provide_hinted(namespace, hints["class Node"])
    builder = Builder(namespace)
    if isinstance(fn, type):
        own = spec["fn_name"].rpartition(".")[2]  # `Stack = Base` has another __name__
        if (operations := _operations(readings, own)) is not None:
            return _design(fn, operations, hints, builder).encode()
    shape = _shape(fn, hints)
    names, notes = shape.names, shape.notes
    args, kwargs = _choose(readings, shape)
    if shape.plain:
        result = fn(*args, **kwargs) if kwargs else fn(*args)
    else:
        args = _built(args, names, notes, builder)
        kwargs = {k: builder.build(v, notes.get(k, "")) for k, v in kwargs.items()}
        result = fn(*args, **kwargs)
    returns, wanted = notes.get("return", ""), hints.get("return", "")
    in_place = wanted in _NOTHING or (result is None and returns in _NOTHING and "def" not in hints)
    if in_place and (args or kwargs):
        result = args[0] if args else next(iter(kwargs.values()))
        returns, wanted = notes.get(names[0] if args and names else next(iter(kwargs), ""), ""), ""
    return encode(result, returns, builder.made, no_nodes=_no_nodes(wanted)).encode()


#: Annotations of a function that changes its first argument. Where there is starter code, it says
#: so; the program's own annotation counts where there is none.
_NOTHING = ("None", "NoneType")


def _no_nodes(wanted: str) -> bool:
    """Whether the problem asks for something else than a linked list or tree."""
    return bool(wanted) and "Node" not in wanted and wanted not in ("Any", "object")


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
        wanted = hints.get(f"{prefix}return", "")
        texts.append(encode(result, returns, builder.made, no_nodes=_no_nodes(wanted)))
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


class _Shape:
    """What a call wants to know of its function. `least`: arguments without a default; `spare`: it
    takes any number; `keywords`: None when it has no code to read them from; `plain`: no argument
    is made of nodes."""

    __slots__ = ("keywords", "least", "names", "notes", "plain", "spare")

    def __init__(self, fn: Any, hints: dict[str, str]) -> None:
        self.names = _positional(fn)
        self.notes = {**hints, **_notes(fn)}
        if "return" in hints:  # the problem says what is compared, not the program
            self.notes["return"] = hints["return"]
        self.plain = not any("Node" in n for k, n in self.notes.items() if k != "return")
        inner = _unwrapped(fn)
        code = getattr(inner, "__code__", None)
        self.spare = code is None or bool(code.co_flags & 0x04)
        self.least = len(self.names) - len(getattr(inner, "__defaults__", None) or ())
        self.keywords = None
        if code is not None:
            end = code.co_argcount + code.co_kwonlyargcount
            self.keywords = code.co_varnames[code.co_posonlyargcount : end]


def _shape(fn: Any, hints: dict[str, str]) -> _Shape:
    """Remembered: the function of each test has the same code."""
    key = getattr(fn, "__code__", None)
    if key is None:
        return _Shape(fn, hints)
    found = _shapes.get(key)
    if found is None:
        found = _shapes[key] = _Shape(fn, hints)
    return found


_shapes: dict[Any, _Shape] = {}


def forget() -> None:
    """Forget the signatures seen so far."""
    _shapes.clear()


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


def _choose(readings: list[Any], shape: _Shape) -> tuple[list[Any], dict[str, Any]]:
    """The reading of the input that fits the function: see evaluator.inputs. Readings come in
    order of preference; when none fits, the first one is called and its TypeError reported."""
    for args, kwargs in readings:
        if kwargs:
            if all(k in (shape.keywords or ()) for k in kwargs):
                return args, kwargs
            args = list(kwargs.values())  # the program named its parameters differently
        if shape.spare or shape.least <= len(args) <= len(shape.names):
            return args, {}
    args, kwargs = readings[0]
    return (list(kwargs.values()), {}) if kwargs else (args, {})
