"""The forked child: one program, on as many tests as it is given, one after another.

A test finds a process as new as it can be made: a fresh `__main__`, streams at their start, the
interpreter's settings back where they were. What a test leaves that only the end of a process ends
(threads, closed descriptors) ends the batch: the next test gets a process of its own.

Everything written here is data for the controller, never a verdict: the outputs on descriptor 1
and the note on NOTE_FD. The note begins with two numbers, how many tests have ended well so far and
whether the child then stopped of itself; then comes one record a test: the nonce of the job, a
kind, the CPU microseconds, the size of the output so far and a payload. Kinds:
  M  a stdin test ended with status 0          C  the program does not compile
  V  the result as canonical JSON              X  an exception, or the function is missing
  A  an assertion failed   D  asserts done     P  the prelude failed   T  the test does not compile
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
import resource
import sys
from _struct import Struct
from mmap import mmap
from time import perf_counter as _clock
from time import process_time, thread_time

import evaluator.functions as functions
import evaluator.module as module
from evaluator.program import finish, new_main, settle

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost 6 ms a room
    from collections.abc import Callable
    from typing import Any

#: Above every descriptor that a program may open or would think to close. The three after it are
#: copies of the standard ones.
NOTE_FD = 1000
NONCE_BYTES = 16
#: Tests that have ended, and whether the child stopped there.
COUNTS = Struct("=II")
#: kind, CPU microseconds, bytes of output so far, bytes of payload
HEAD = Struct("=cQQI")
_MAPPED = 1 << 16
_WORTH_MAPPING = 4
#: So short a time is not worth the system calls that tell CPU from waiting.
_MOMENT_S = 0.0005
# bound before any program runs
_pwrite, _fstat, _pack, _counts = os.pwrite, os.fstat, HEAD.pack, COUNTS.pack
_STACK = 16 << 20  # of a thread; else it takes RLIMIT_STACK, or 2 MB when unlimited
_RECURSION = 50_000
_ARGV = ["solution.py"]


def prepare() -> None:
    """Once a room: what every program finds in its interpreter."""
    import _sitebuiltins  # exit() and quit() come from site, which was skipped

    builtins.exit = _sitebuiltins.Quitter("exit", "Ctrl-D (i.e. EOF)")
    builtins.quit = _sitebuiltins.Quitter("quit", "Ctrl-D (i.e. EOF)")
    _signal.signal(_signal.SIGXFSZ, _signal.SIG_DFL)  # the output cap ends the program
    # pid 1 is deaf to signals from inside, but for those that it has a handler for
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    sys.argv[:] = _ARGV
    resource.setrlimit = _setrlimit
    _fresh()
    _warm_up()


def _setrlimit(kind: int, limits: tuple[int, int], set_now: Any = resource.setrlimit, /) -> None:
    """Many contest programs begin by asking for more stack or memory, up to infinity. Where it is
    more than the sandbox allows they get what it allows; elsewhere nobody would have stopped
    them."""
    try:
        set_now(kind, limits)
    except ValueError:
        most = resource.getrlimit(kind)[1]
        soft, hard = (most if not 0 <= value < most else value for value in limits)
        set_now(kind, (soft, hard))


class _WarmError(BaseException):
    """Instead of the end of the process."""


def _warm_up() -> None:
    """Run some tests here in the zygote: the interpreter adapts its code to what it sees, and
    fills caches, which each child would do again (10 us a test)."""
    files = [os.memfd_create("warm") for _ in range(4)]
    fds = (0, 1, 2, NOTE_FD, NOTE_FD + 1, NOTE_FD + 2, NOTE_FD + 3)
    kept = [os.dup(fd) for fd in fds[:3]]
    for fd, file in zip(fds, (*files, *files[:3]), strict=True):
        os.dup2(file, fd)
    os.ftruncate(NOTE_FD, _MAPPED)

    def end(status: int) -> None:
        raise _WarmError

    job: dict[str, Any] = {"slice_s": 1e9, "fn_name": "f", "hints": {}, "prelude": b""}
    program = {"code": b"a = input()\nprint(int(a) + 1)\n", "more": [b"1\n"] * 20}
    os.pwrite(0, b"1\n", 0)
    function = {"code": b"class Solution:\n def f(self, x: int) -> int:\n  return x + 1\n"}
    function |= {"kind": "function", "tests": [[([1], {})]] * 20}  # type: ignore[dict-item]
    for run, more in ((_run_stdin, program), (_run_functions, function)):
        note = _Note(bytes(NONCE_BYTES), 0)
        note.map = bytearray(_MAPPED)
        try:
            run({**job, **more}, note, end)
        except _WarmError:
            pass
    for fd, file in zip(fds, kept, strict=False):
        os.dup2(file, fd)
        os.close(file)
    for fd in (*fds[3:], *files):
        os.close(fd)
    sys.modules.pop("solution", None)
    functions.forget()
    state = _Between()
    state.streams = (None, None, None)
    state.renew()


def run(job: dict[str, Any]) -> None:
    """Run the job (see :class:`evaluator.room.Job`). Does not return. Every page that is written
    here is copied first: what can be done once a room is done in :func:`prepare`."""
    settle()
    if job["argv"] != _ARGV:
        sys.argv[:] = job["argv"]
    if job["kind"] != "stdin":
        _run_functions(job, _Note(job["nonce"], len(job["tests"])), os._exit)
    if job["more"]:
        _run_stdin(job, _Note(job["nonce"], len(job["more"])), os._exit)
    _run_once(job)


def _fresh() -> None:
    """The interpreter's settings as every program finds them."""
    _thread.stack_size(_STACK)
    sys.setrecursionlimit(_RECURSION)
    gc.enable()


def _cpu(update: Any = thread_time, cpu: Any = process_time) -> float:
    """CPU seconds of this process."""
    update()  # else the other clock may answer as of the last tick
    used: float = cpu()
    return used


class _Note:
    """Writes the records; everything it needs is bound before the program runs. Where there are
    many tests the note is mapped into memory: a system call costs as much as a small test."""

    __slots__ = ("at", "base", "began", "ended", "map", "nonce", "total", "used")

    def __init__(self, nonce: bytes, tests: int) -> None:
        self.base = _fstat(NOTE_FD).st_size  # an earlier child of the job may have written
        self.nonce, self.at, self.ended = nonce, self.base + COUNTS.size, 0
        self.total = 0.0
        self.map: Any = None
        if tests >= _WORTH_MAPPING:
            os.ftruncate(NOTE_FD, _MAPPED)
            self.map = mmap(NOTE_FD, _MAPPED)
            os.closerange(3, NOTE_FD)  # mmap keeps a copy of the descriptor
        self.began, self.used = _clock(), _cpu()

    def lap(self) -> float:
        """CPU seconds since the last call (or, for a moment's work, plain seconds)."""
        end = _clock()
        seconds = end - self.began
        if seconds > _MOMENT_S:
            used = _cpu()
            seconds, self.used = used - self.used, used
        self.began = end
        self.total += seconds
        return seconds

    def write(self, at: int, data: bytes) -> None:
        end = at + len(data)
        if self.map is not None and end <= _MAPPED:
            self.map[at:end] = data
            return
        while data:
            done = _pwrite(NOTE_FD, data, at)
            at, data = at + done, data[done:]

    def put(self, kind: bytes, payload: bytes = b"", size: int = 0) -> None:
        """One record."""
        micros = int(1e6 * self.lap())
        data = self.nonce + _pack(kind, micros, size, len(payload)) + payload
        self.write(self.at, data)
        self.at += len(data)

    def end(self, stop: bool) -> None:
        """The test of the last record has ended well; `stop`: it is the child's last."""
        self.ended += 1
        self.write(self.base, _counts(self.ended, stop))


def refill(fd: int, data: bytes) -> None:
    """A file's content anew."""
    os.ftruncate(fd, len(data))
    at = os.pwrite(fd, data, 0)
    while at < len(data):
        at += os.pwrite(fd, data[at:], at)
    os.lseek(fd, 0, 0)


def _code(job: dict[str, Any], note: _Note | bytes) -> Any:
    """The program's code object, which the zygote may have compiled."""
    code = job.pop("compiled", None)
    return code or _compile(job.pop("code"), "solution.py", note)


def _compile(source: bytes, name: str, note: _Note | bytes, kind: bytes = b"C") -> Any:
    """A code object; a program that does not compile leaves a record and exit status 1. The
    record cannot be forged: no user code has run yet."""
    try:
        return compile(source, name, "exec", dont_inherit=True)
    except BaseException as e:
        if isinstance(note, bytes):
            note = _Note(note, 0)
        note.put(kind, f"{type(e).__name__}: {e}"[:500].encode("utf-8", "replace"))
        os._exit(1)


# -- programs that read and print -----------------------------------------------------------------


def _run_once(job: dict[str, Any]) -> None:
    """One test, in a process that is no longer ours when it begins."""
    code = _code(job, job["nonce"])
    os.close(NOTE_FD)
    del job
    namespace = new_main("__main__")
    failure = None
    try:
        exec(code, namespace)
    except BaseException as e:
        failure = e
    os._exit(finish(failure, namespace))


def _run_stdin(job: dict[str, Any], note: _Note, exit_now: Callable[[int], Any]) -> None:
    """The first test's input is in descriptor 0 already; the others are in the job."""
    inputs: list[bytes] = job["more"]
    slice_s = job["slice_s"]
    code = _code(job, note)
    state = _Between()
    inputs.reverse()
    del job
    fstat = os.fstat
    while True:
        namespace = new_main("__main__")
        failure = None
        try:
            exec(code, namespace)
        except BaseException as e:
            failure = e
        status = finish(failure, namespace, last=not inputs)
        del failure
        if status > 0 or not inputs:
            exit_now(status)
        note.put(b"M", b"", fstat(NOTE_FD + 2).st_size)  # the program may have closed 1
        stop = status < 0 or note.total > slice_s or not state.intact()
        note.end(stop)
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
        refill(0, stdin)
        os.lseek(1, 0, 2)
        self.renew()

    def renew(self) -> None:
        """The stream objects at their start: the old ones, or new ones."""
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
                mine.buffer.seek(0, 2)  # from its end, else it would go on with its old buffer
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
        if now is mine and mine is not None and not mine.closed:
            return mine
        writer = io.BufferedWriter(io.FileIO(fd, "wb", closefd=False))
        stream: Any = io.TextIOWrapper(writer, "utf-8", errors, "\n", fd == 2)
        stream.mode = "w"
        return stream


# -- functions ------------------------------------------------------------------------------------


def _run_functions(job: dict[str, Any], note: _Note, exit_now: Callable[[int], Any]) -> None:
    """One call, or one list of asserts, a test."""
    code = _code(job, note)
    asserts, tests = job["kind"] == "asserts", job["tests"]
    slice_s = job["slice_s"]
    provided = module.provided(code)
    prelude = None
    if job["prelude"]:
        prelude = module.Prelude(job["prelude"], new_main(module.NAME) | provided)
        if prelude.error is not None:
            note.put(b"P", functions.describe(prelude.error))
            exit_now(1)
    program = module.Program(code, provided, prelude, keep=len(tests) > 1 and not asserts)
    state = _Between()
    left = len(tests)
    for test in tests:
        left -= 1
        checks = _compile(test, "test.py", note, b"T") if asserts else None
        kind, payload, error = functions.one(job, program, checks, test)
        note.put(kind, payload)
        status = finish(error, program.leave(), last=not left, collect=False)
        if status > 0 or not left:
            exit_now(status)
        stop = status < 0 or note.total > slice_s or not state.intact()
        note.end(stop)
        if stop:
            exit_now(0)
        _fresh()
    exit_now(0)  # no tests: only the prelude was asked for
