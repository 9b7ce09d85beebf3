"""Function tests, in the sandboxed interpreter: find the function, call it, report the result.

The report goes to NOTE_FD: the nonce the controller left there, a kind, a payload.
  V  the result as canonical JSON (evaluator.values)     X  an exception, the function is missing
  A  an assertion of the test failed                     D  the asserts are done
  P  the prelude failed (not the program's fault)        T  the test's source is at fault
Everything needed after the call is bound here before the program runs. For results that is
enough: a program that forges one still has to know the right answer. Asserts live in the
program's own process, where a determined program can reach anything: the verdict says so.
"""

from __future__ import annotations

import os

from evaluator.program import NOTE_FD, compile_program, end_program, new_main
from evaluator.values import ListNode, TreeNode, build, encode

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost 6 ms a test
    from typing import Any

NONCE_BYTES = 16

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


def run(spec: dict[str, Any]) -> None:
    """Run the program, then the call or the asserts of `spec`; always leaves a report."""
    nonce = os.pread(NOTE_FD, NONCE_BYTES, 0)
    namespace = new_main("solution")
    code = compile_program(spec["code"], "solution.py")
    test = compile_program(spec["test"], "test.py", b"T") if spec["kind"] == "asserts" else None
    _provide(code, namespace)
    kind, payload = b"P", b""
    error: BaseException | None = None
    try:
        if spec["prelude"]:
            exec(compile(spec["prelude"], "prelude.py", "exec", dont_inherit=True), namespace)
        kind = b"X"
        exec(code, namespace)
        if test is None:
            kind, payload = b"V", _call(spec, namespace)
        else:
            kind = _check(test, spec, namespace)
    except AssertionError as e:
        kind, error = (b"A" if kind == b"X" and test is not None else kind), e
    except BaseException as e:
        kind, error = (b"P" if kind == b"P" else b"X"), e
    if error is not None:
        payload = _describe(error)
    os.ftruncate(NOTE_FD, 0)
    os.pwrite(NOTE_FD, nonce + kind + payload, 0)
    os.close(NOTE_FD)
    end_program(error, namespace)


def _describe(e: BaseException) -> bytes:
    try:
        return f"{type(e).__name__}: {e}"[:500].encode("utf-8", "replace")
    except BaseException:
        return b"exception"


def _provide(code: Any, namespace: dict[str, Any]) -> None:
    """LeetCode's imports, for the names the code mentions. Its own definitions come later and
    win. Scanning names costs microseconds; importing all of it would cost 20 ms a test."""
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


def _call(spec: dict[str, Any], namespace: dict[str, Any]) -> bytes:
    fn = _find(namespace, spec["fn_name"])
    code = getattr(fn, "__code__", None)
    bound = int(hasattr(fn, "__self__"))
    names: tuple[str, ...] = code.co_varnames[bound : code.co_argcount] if code else ()
    notes = {k: _text(v) for k, v in (getattr(fn, "__annotations__", None) or {}).items()}
    notes = {**spec["hints"], **notes}
    args, kwargs = _choose(spec["readings"], fn, len(names))
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
