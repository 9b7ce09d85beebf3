"""Compiling and ending the user's program, in the sandboxed interpreter (see evaluator.worker)."""

from __future__ import annotations

import atexit
import builtins
import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost 6 ms a test
    from typing import Any

#: The program's own report to the controller; closed before a stdin program starts.
NOTE_FD = 3

_run_atexit = atexit._run_exitfuncs


def compile_program(source: bytes, name: str, mark: bytes = b"C") -> Any:
    """The code object; a program that does not compile leaves a note and exit status 1. The
    note cannot be forged: no user code has run yet."""
    try:
        return compile(source, name, "exec", dont_inherit=True)
    except BaseException as e:
        text = f"{type(e).__name__}: {e}".encode("utf-8", "replace")
        os.pwrite(NOTE_FD, mark + text[:2000], 0)
        os._exit(1)


def new_main(name: str) -> dict[str, Any]:
    """The namespace of a fresh module that the program finds as `__main__` and `name`."""
    module = type(sys)(name)
    sys.modules["__main__"] = sys.modules[name] = module
    namespace = module.__dict__
    namespace.update({"__builtins__": builtins, "__file__": "solution.py"})
    return namespace


def end_program(error: BaseException | None, namespace: dict[str, Any]) -> None:
    """What CPython does at the end (Py_FinalizeEx), in its order, as far as a program can tell:
    the exit status, threads joined, atexit run, global objects destroyed (an open file is
    flushed then), standard streams flushed. The rest of the interpreter is not taken apart: in
    a forked process that would copy every page of it, 4 ms a test."""
    status = 0
    try:
        status = _status_of(error)
        del error
        threading = sys.modules.get("threading")
        if threading is not None:
            threading._shutdown()
        _run_atexit()
        namespace.clear()
        gc.collect()
    except BaseException:
        status = status or 1
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not getattr(stream, "closed", False):
                stream.flush()
        except BaseException:
            status = 120 if stream is sys.stdout else status
    os._exit(status & 0xFF)


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
