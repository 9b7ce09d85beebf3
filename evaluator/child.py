"""The forked child: one program, on as many tests as it is given, one after another.

A test finds a process as new as it can be made: a fresh `__main__`, streams at their start, the
interpreter's settings back where they were. What a test leaves that only the end of a process ends
(threads, closed descriptors) ends the batch: the next test gets a process of its own.

Everything written here is data for the controller, never a verdict: the outputs on descriptor 1
and, on NOTE_FD, records. A record is the nonce of the job, a kind, the CPU microseconds,
the size of the output so far and a payload. Kinds:
  M  the test has ended, with status 0         S  the same, and the child stops here of itself
  C  the program does not compile              T  the test's source is at fault
  V  the result as canonical JSON              X  an exception, or the function is missing
  A  an assertion failed   D  asserts done     P  the prelude failed
A program can write records too. It gains nothing: a result must equal what it has never seen, and
a refusal only hurts it. (Asserts live in the program's own process, where a determined program can
reach anything: the verdict says so.)
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import _thread
import builtins
import gc
import io
import os
import sys
from _struct import Struct
from time import process_time, thread_time

import evaluator.functions as functions
from evaluator.program import finish, new_main

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost 6 ms a room
    from typing import Any

#: Above every descriptor that a program may open or would think to close. The three after it are
#: copies of the standard ones.
NOTE_FD = 1000
NONCE_BYTES = 16
#: kind, CPU microseconds, bytes of output so far, bytes of payload
HEAD = Struct("=cQQI")
_STACK = 16 << 20  # of a thread; else it takes RLIMIT_STACK, or 2 MB when unlimited
_RECURSION = 50_000


def prepare() -> None:
    """Once a room: what every program finds in its interpreter."""
    import _sitebuiltins  # exit() and quit() come from site, which was skipped

    builtins.exit = _sitebuiltins.Quitter("exit", "Ctrl-D (i.e. EOF)")
    builtins.quit = _sitebuiltins.Quitter("quit", "Ctrl-D (i.e. EOF)")


def run(job: dict[str, Any]) -> None:
    """Run the job (see :class:`evaluator.room.Job`). Does not return."""
    _settings(job)
    note = _Note(job["nonce"])
    if job["kind"] == "stdin":
        _run_stdin(job, note)
    _run_functions(job, note)


def _settings(job: dict[str, Any]) -> None:
    _signal.signal(_signal.SIGXFSZ, _signal.SIG_DFL)  # the output cap ends the program
    _signal.signal(_signal.SIGINT, _signal.default_int_handler)
    sys.argv[:] = job["argv"]
    _fresh()


def _fresh() -> None:
    _thread.stack_size(_STACK)
    sys.setrecursionlimit(_RECURSION)
    gc.enable()


class _Note:
    """Writes the records; everything it needs is bound before the program runs."""

    def __init__(self, nonce: bytes) -> None:
        self.nonce, self.at, self.started = nonce, 0, 0.0
        self.pwrite, self.fstat, self.pack = os.pwrite, os.fstat, HEAD.pack
        self.clock, self.update = process_time, thread_time

    def start(self) -> None:
        """A test begins."""
        self.started = self.now()

    def now(self) -> float:
        """CPU seconds of this process."""
        self.update()  # else the other clock may answer as of the last tick
        return self.clock()

    def put(self, kind: bytes, payload: bytes = b"") -> None:
        """One record."""
        micros = int(1e6 * (self.now() - self.started))
        try:
            size = self.fstat(1).st_size
        except OSError:
            size = 0
        head = self.nonce + self.pack(kind, micros, size, len(payload))
        data = head + payload
        while data:
            done = self.pwrite(NOTE_FD, data, self.at)
            self.at += done
            data = data[done:]


def _compile(source: bytes, name: str, note: _Note, kind: bytes = b"C") -> Any:
    """The code object; a program that does not compile leaves a record and exit status 1. The
    record cannot be forged: no user code has run yet."""
    try:
        return compile(source, name, "exec", dont_inherit=True)
    except BaseException as e:
        note.put(kind, f"{type(e).__name__}: {e}"[:500].encode("utf-8", "replace"))
        os._exit(1)


# -- programs that read and print -----------------------------------------------------------------


def _run_stdin(job: dict[str, Any], note: _Note) -> None:
    """The first test's input is in descriptor 0 already; the others are in the job."""
    inputs: list[bytes] = job["more"]
    slice_s, exit_now = job["slice_s"], os._exit
    code = _compile(job.pop("code"), "solution.py", note)
    if not inputs:
        os.close(NOTE_FD)
    state = _Between() if inputs else None
    inputs.reverse()
    del job
    while True:
        namespace = new_main("__main__")
        failure = None
        note.start()
        try:
            exec(code, namespace)
        except BaseException as e:
            failure = e
        status = finish(failure, namespace, last=not inputs)
        del failure
        if status > 0 or state is None or not inputs:
            exit_now(status)
        stop = status < 0 or note.now() > slice_s or not state.intact()
        note.put(b"S" if stop else b"M")
        if stop:
            exit_now(0)
        state.rewind(inputs.pop())
        _fresh()


class _Between:
    """Makes a child as new again between two of its tests, or says that it can't."""

    def __init__(self) -> None:
        self.modules, self.used = sys.modules, (print, input, open)
        self.streams = (sys.stdin, sys.stdout, sys.stderr)

    def intact(self) -> bool:
        """No other thread runs, and nothing obvious was replaced. A look at all modules would
        copy the page of each; what is missed here is found when a refusal is confirmed."""
        whole = sys.modules is self.modules and self.used == (print, input, open)
        return whole and not _thread._count()

    def rewind(self, stdin: bytes) -> None:
        """The three descriptors and their streams at their start, with new input; the output
        goes on after what is there."""
        for fd in (0, 1, 2):  # `open(0)` closes it when it is collected
            os.dup2(NOTE_FD + 1 + fd, fd)
        os.ftruncate(0, 0)
        os.lseek(0, 0, 0)
        at, view = 0, memoryview(stdin)
        while at < len(view):
            at += os.pwrite(0, view[at:], at)
        os.lseek(1, 0, 2)
        self.streams = sys.stdin, sys.stdout, sys.stderr = (
            self._reader(),
            self._writer(1, self.streams[1], sys.stdout, "surrogateescape"),
            self._writer(2, self.streams[2], sys.stderr, "backslashreplace"),
        )
        for name, stream in zip(("stdin", "stdout", "stderr"), self.streams, strict=True):
            setattr(sys, f"__{name}__", stream)

    def _reader(self) -> Any:
        mine = self.streams[0]
        try:
            if sys.stdin is mine:
                mine.buffer.seek(0, 2)  # first to the end: else it would go on with its old buffer
                mine.seek(0)
                return mine
        except (OSError, ValueError, AttributeError):
            pass
        reader = io.BufferedReader(io.FileIO(0, "rb", closefd=False))
        stream: Any = io.TextIOWrapper(reader, "utf-8", "surrogateescape", "\n")
        stream.mode = "r"
        return stream

    @staticmethod
    def _writer(fd: int, mine: Any, now: Any, errors: str) -> Any:
        if now is mine and not mine.closed:
            return mine
        writer = io.BufferedWriter(io.FileIO(fd, "wb", closefd=False))
        stream: Any = io.TextIOWrapper(writer, "utf-8", errors, "\n", fd == 2)
        stream.mode = "w"
        return stream


# -- functions ------------------------------------------------------------------------------------


def _run_functions(job: dict[str, Any], note: _Note) -> None:
    """One call, or one list of asserts, a test. The program is executed anew for each."""
    code = _compile(job.pop("code"), "solution.py", note)
    asserts, tests = job["kind"] == "asserts", job["tests"]
    slice_s, exit_now = job["slice_s"], os._exit
    provided = functions.provided(code)
    prelude = functions.Prelude(job["prelude"], new_main("solution") | provided)
    if prelude.error is not None:
        note.put(b"P", functions.describe(prelude.error))
        exit_now(1)
    state = _Between() if len(tests) > 1 else None
    left = len(tests)
    for test in tests:
        left -= 1
        checks = _compile(test, "test.py", note, b"T") if asserts else None
        namespace = new_main("solution")
        namespace.update(provided)
        prelude.provide(namespace)
        note.start()
        kind, payload, error = functions.one(job, code, checks, test, namespace)
        note.put(kind, payload)
        status = finish(error, namespace, last=not left)
        if status > 0 or not left:
            exit_now(status)
        stop = status < 0 or note.now() > slice_s or (state is not None and not state.intact())
        note.put(b"S" if stop else b"M")
        if stop:
            exit_now(0)
        _fresh()
    exit_now(0)  # no tests: only the prelude was asked for
