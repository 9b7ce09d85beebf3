"""Compiling and ending the user's program, in the sandboxed interpreter (see evaluator.child)."""

from __future__ import annotations

import _thread
import atexit
import builtins
import gc
import sys
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost 6 ms a room
    from typing import Any

#: Containers made since the last collection, the module and its own among them: so few are no
#: stream in a cycle, which is four, nor an object of the program's own class.
_FEW = 4
_count = gc.get_count
_atexits: list[Any] = getattr(threading, "_threading_atexits", [])
_run_atexit = atexit._run_exitfuncs


def new_main(name: str) -> dict[str, Any]:
    """The namespace of a fresh module that the program finds as `__main__` and `name`."""
    module = type(sys)(name)
    sys.modules["__main__"] = sys.modules[name] = module
    namespace = module.__dict__
    namespace.update({"__builtins__": builtins, "__file__": "solution.py"})
    return namespace


def finish(
    error: BaseException | None, namespace: dict[str, Any], last: bool = True, collect: bool = True
) -> int:
    """What CPython does at the end (Py_FinalizeEx), in its order, as far as a program can tell:
    the exit status, threads joined, atexit run, standard streams flushed, global objects
    destroyed (an open file is flushed then), the first standard streams flushed. The rest of the
    interpreter is not taken apart: in a forked process that would copy every page of it, 4 ms a
    test. Returns the exit status. `last`: the process ends after this; otherwise it is -1 when
    something of the program is left that only the end of the process ends. `collect`: destroy what
    is held by cycles too, which only what is printed then can show."""
    status, left = 0, False
    try:
        status = _status_of(error)
        del error
        if _thread._count() or _atexits:
            threading._shutdown()  # type: ignore[attr-defined]  # works once in a process
            left = True
        _run_atexit()
    except BaseException:
        status = status or 1
    status = _flush(sys.stdout, 120, status)
    status = _flush(sys.stderr, 0, status)
    try:
        namespace.clear()
        if collect:
            _collect()
    except BaseException:
        pass
    # a __del__ may have printed; a program that wrapped or detached it has its own by now
    status = _flush(sys.__stdout__, 120 if sys.__stdout__ is sys.stdout else 0, status)
    return -1 if left and not last and not status else status & 0xFF


def _collect() -> None:
    """Destroy what the program has left in cycles, where there can be a stream among it."""
    young, *older = _count()
    if older != [0, 0]:
        gc.collect()
    elif young > _FEW:
        gc.collect(0)  # a full one would empty free lists: more pages to copy
    else:
        return
    settle()


def settle() -> None:
    """The next collection looks at what is made from now on only: objects that live on are taken
    out of the generations, and these count from nothing."""
    gc.freeze()


def _flush(stream: Any, failed: int, status: int) -> int:
    try:
        if stream is not None and not getattr(stream, "closed", False):
            stream.flush()
    except BaseException:
        return failed or status
    return status


def _status_of(error: BaseException | None) -> int:
    if error is None:
        return 0
    if isinstance(error, SystemExit):
        if error.code is None or isinstance(error.code, int):
            return int(error.code or 0)
        print(error.code, file=sys.stderr)
        return 1
    # the traceback without our own frame
    error.__traceback__ = error.__traceback__.tb_next if error.__traceback__ else None
    sys.excepthook(type(error), error, error.__traceback__)
    return 1
