"""A room: one sandboxed zygote (evaluator.zygote) and the controller's end of its socket.

    >>> with Room("A") as room:                                      # doctest: +SKIP
    ...     room.run(Job(code=b"print(6 * 7)"), Limits()).stdout
    b'42\\n'

Every job has memory files of its own for its streams, its note and its text; the room keeps none
of them. A room whose zygote died, or whose directory could not be cleaned, is not used again.
"""

from __future__ import annotations

import array
import functools
import marshal
import os
import resource
import select
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from evaluator.layout import Tier, interpreter, landlock_paths, layout, readable_by_all
from evaluator.seccomp import deny_filter, lone_filter, process_filter

_MB = 1 << 20
#: Over the program's own memory: interpreter, ctypes, our modules.
_BASE_MB = 32
#: Address space is not memory (thread arenas, libraries): a wide bound behind RLIMIT_DATA.
_ADDRESS_SPACE_MB = 1024
#: Seconds the controller waits for the zygote, which keeps the limits, over ten times the wall
#: limit: on a busy machine a program's wall clock stands still while it waits for a core.
_GRACE_S = 30.0
_START_S = 60.0
_CLOSE_S = 10.0
#: How often a waiting controller looks whether it was cancelled.
_LOOK_S = 0.05
_STDERR_TAIL = 4000
#: Bytes of a job that fit into one message of the socket, with room to spare.
_MESSAGE = 50_000
#: Bytes of a program, or of a prelude, that the zygote compiles. It keeps the prelude for the next
#: program of its problem.
_SHORT = 20_000
_PID_MARK = b"PID!"  # as in evaluator.zygote
# Our modules reach the interpreter as code objects, not by import: it need not see our files (as
# another user it may not), and no room compiles them again where byte code is not cached.
_BOOT = """
import marshal, os, sys
spec, control, code = map(int, sys.argv[1:])
for name, body in marshal.loads(os.pread(code, 1 << 24, 0)):
    module = sys.modules[name] = type(sys)(name)
    exec(body, module.__dict__)
module.main(spec, control)
"""
# each after what it imports
_INSIDE = (
    "isolate",
    "landlock",
    "program",
    "nodes",
    "values",
    "module",
    "functions",
    "child",
    "zygote",
)
# The main stack's room is laid out at exec, so the limit is raised by the shell before it.
_SHELL = 'ulimit -s unlimited 2>/dev/null || ulimit -s "$(ulimit -H -s)"; exec "$@"'
_ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/tmp",
    "LANG": "C.UTF-8",
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
    "PYTHONINTMAXSTRDIGITS": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "OPENBLAS_NUM_THREADS": "1",  # each of its threads would reserve memory
    "OMP_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
}
#: What a room imports before it forks, by the kind of programs it is for.
PRELOADS = {"plain": (), "numpy": ("numpy",)}


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one test. `wall_s` None: twice the CPU time, at least two seconds more. Time spent ready
    but without a core does not count."""

    cpu_s: float = 6.0
    wall_s: float | None = None
    memory_mb: int = 1024
    output_mb: float = 64

    @property
    def wall(self) -> float:
        """The wall limit in seconds."""
        return self.wall_s or max(2 * self.cpu_s, self.cpu_s + 2)

    @property
    def patience(self) -> float:
        """How long the controller waits before it calls the machine overloaded."""
        return 10 * self.wall + _GRACE_S


@dataclass(frozen=True, slots=True)
class Job:
    """One child to run: a program, on one test or several.

    `stdin` programs: `stdin` is the first test's input, `more` those of the others. `function`
    and `asserts`: `tests` are the readings of the arguments or the sources of the asserts, one
    element a test, `prelude` is executed before the program; `extra` is what
    :mod:`evaluator.functions` wants to know. `nonce`: 16 bytes before each record of the note.
    `files` appear in the private working directory (a name that ends in a slash is a folder).
    After `slice_s` CPU seconds no further test is taken. `each`: a child for each test (see
    :meth:`Room.run_each`). `careful`: compile it in its own process only, within its limits."""

    code: bytes
    stdin: bytes = b""
    more: tuple[bytes, ...] = ()
    kind: Literal["stdin", "function", "asserts"] = "stdin"
    tests: tuple[Any, ...] = ()
    argv: tuple[str, ...] = ("solution.py",)
    files: dict[str, bytes] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)
    prelude: bytes = b""
    nonce: bytes = b"\0" * 16
    slice_s: float = 1e9
    each: bool = False
    careful: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """How a job ended. `reason`: 'end' (by itself; see `exit_code`), 'cpu', 'wall', 'memory' (a
    limit), 'setup' (isolation failed: `detail`), 'late' (no report in time: the machine is
    overloaded), 'lost' (the zygote died)."""

    reason: str
    exit_code: int = 0  # negative: the signal
    cpu_s: float = 0.0
    wall_s: float = 0.0
    memory_mb: float = 0.0
    stdout: bytes = b""
    stderr: bytes = b""  # its tail
    note: bytes = b""
    overflow: bool = False  # stdout or stderr reached the cap
    detail: str = ""


class RoomError(RuntimeError):
    """The room could not be entered; the message names the step that failed."""


class Room:
    """Start a zygote (about 0.1 s). `kind`: a key of :data:`PRELOADS`. `outer`: the user that
    root runs programs as (0: the caller itself). One job at a time; :meth:`kill` may come from
    any thread. Raises RoomError when isolation failed, OSError when the host is out of processes
    or descriptors."""

    def __init__(self, tier: Tier, kind: str = "plain", outer: int = 0) -> None:
        self.tier, self.kind, self.jobs, self.usable = tier, kind, 0, False
        if tier != "A" and not readable_by_all():
            outer = 0  # that user would find no standard library; root without capabilities then
        self._cwd = None if tier == "A" else tempfile.mkdtemp(prefix="microcoder-")
        if self._cwd and outer:
            os.chown(self._cwd, outer, outer)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket = ours
        spec_fd = _memory_file("spec")
        try:
            _fill(spec_fd, marshal.dumps(_spec(tier, kind, outer, self._cwd)))
            inside = _inside()
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", _SHELL, "sh", interpreter(), "-S", "-s", "-P", "-B", "-c", _BOOT,
                 str(spec_fd), str(theirs.fileno()), str(inside)],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                env=_ENVIRONMENT, cwd="/", pass_fds=(spec_fd, theirs.fileno(), inside),
                start_new_session=True,  # Ctrl-C is for the controller
            )  # fmt: skip
        except BaseException:
            self._remove_directory()
            ours.close()
            raise
        finally:
            os.close(spec_fd)
            theirs.close()
        said = (self._receive(_START_S) or b"").decode("utf-8", "replace")
        word, *rest = said.split() if said else ["nothing"]
        if word != "ready":
            self._process.kill()
            assert self._process.stderr is not None
            said = said or self._process.stderr.read()[-300:].decode("utf-8", "replace")
            self.close()
            raise RoomError(said or "setup start: the interpreter ended without a word")
        self.has_proc, self.landlock, self.usable = rest[0] == "1", int(rest[1]), True

    def __enter__(self) -> Room:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """Of the launcher: the parent of everything in the room."""
        return self._process.pid

    def kill(self) -> None:
        """End everything in the room at once; a run in progress is 'lost'."""
        self.usable = False
        try:
            self._socket.shutdown(socket.SHUT_RDWR)  # the zygote ends, and with it all the others
        except OSError:
            pass

    def close(self) -> None:
        """Kill it, wait until nothing of it runs, and give everything back."""
        self.kill()
        try:
            self._process.wait(_CLOSE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stderr is not None:
            self._process.stderr.close()
        self._socket.close()
        self._remove_directory()

    def _remove_directory(self) -> None:
        if self._cwd is not None:
            shutil.rmtree(self._cwd, ignore_errors=True)

    def run(self, job: Job, limits: Limits) -> Run:
        """Run one job. Never raises for what the program does; OSError when the host is out of
        memory or descriptors."""
        return self.run_each(job, limits)[0]

    def run_each(
        self,
        job: Job,
        limits: Limits,
        idle: Callable[[], None] = lambda: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> list[Run]:
        """The same for a job with `each` set: the runs of its first tests, up to one that did not
        end with status 0 or that used up the slice. `idle` is called when the program uses no
        CPU; once `cancelled` says so the room is killed, and the run is 'lost'."""
        self.jobs += 1
        fds: list[int] = []
        try:
            for name in ("stdin", "stdout", "stderr", "note"):
                fds.append(_memory_file(name))
            stdin, stdout, stderr, note = fds
            _fill(stdin, job.stdin)
            prelude, code = (
                s if len(s) <= _SHORT and not job.careful else b"" for s in (job.prelude, job.code)
            )
            text = _text(job, prelude, code)
            if len(text) > _MESSAGE:  # does not fit into a message
                fds.append(_memory_file("job"))
                _fill(fds[4], text)
                text = b""
            try:
                self._socket.sendmsg(
                    [marshal.dumps((_header(limits, job.each), text, prelude, code))],
                    [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))],
                )
                patience = limits.patience * max(1, 1 + len(job.more), len(job.tests))
                report = self._receive(patience, cancelled)
                while report == b"idle":
                    idle()
                    report = self._receive(patience, cancelled)
            except OSError:  # it died before, or while, we asked
                report = b""
            if not report:
                self.kill()
            return self._outcome(report, limits, stdout, stderr, note)
        finally:
            for fd in fds:
                os.close(fd)

    def _receive(
        self, seconds: float, cancelled: Callable[[], bool] = lambda: False
    ) -> bytes | None:
        """A message; b"" when the zygote is gone or nobody wants to know any more, None when it
        says nothing in time."""
        poller = select.poll()
        poller.register(self._socket, select.POLLIN)
        end = time.monotonic() + seconds
        while not poller.poll(1000 * _LOOK_S):
            if cancelled():
                return b""
            if time.monotonic() > end:
                return None
        try:
            return self._socket.recv(1 << 16)
        except OSError:
            return b""

    def _outcome(
        self, report: bytes | None, limits: Limits, stdout: int, stderr: int, note: int
    ) -> list[Run]:
        err_size = os.fstat(stderr).st_size
        tail = os.pread(stderr, _STDERR_TAIL, max(0, err_size - _STDERR_TAIL))
        if report is None:
            return [Run("late", detail=f"no report within {limits.patience:.0f} s", stderr=tail)]
        if not report:
            return [Run("lost", detail="the sandbox ended without a report", stderr=tail)]
        cap = int(limits.output_mb * _MB)
        runs: list[Run] = []
        begin = noted = 0
        for line in report.decode("utf-8", "replace").split("\n"):
            reason, status, cpu, wall, memory, clean, *sizes = line.split()
            out_end, note_end = map(int, sizes)
            if clean != "1":
                self.kill()
            out_size = max(0, out_end - begin)
            run = Run(
                reason=reason,
                exit_code=os.waitstatus_to_exitcode(int(status)),
                cpu_s=float(cpu),
                wall_s=float(wall),
                memory_mb=int(memory) / 1024,
                stdout=_read(stdout, begin, min(out_size, cap)),
                note=_read(note, noted, min(max(0, note_end - noted), cap)),
                overflow=out_end >= cap,
                detail="the system has no process left" if reason == "setup" else "",
            )
            runs.append(run)
            begin, noted = max(begin, out_end), max(noted, note_end)
        overflow = runs[-1].overflow or err_size >= cap
        runs[-1] = replace(runs[-1], stderr=tail, overflow=overflow)
        return runs


@functools.cache
def _inside() -> int:
    """A memory file with the modules that run inside, compiled; open as long as we live."""
    bundle = [("evaluator", compile("", "evaluator", "exec"))]
    for name in _INSIDE:
        path = Path(__file__).with_name(f"{name}.py")
        code = compile(path.read_text("utf-8"), f"evaluator/{name}.py", "exec")
        bundle.append((f"evaluator.{name}", code))
    fd = os.memfd_create("evaluator")
    _fill(fd, marshal.dumps(bundle))
    return fd


def _memory_file(name: str) -> int:
    return os.memfd_create(name)


def _fill(fd: int, data: bytes) -> None:
    at, view = 0, memoryview(data)
    while at < len(view):
        at += os.pwrite(fd, view[at:], at)


def _read(fd: int, at: int, size: int) -> bytes:
    parts = []
    end = at + size
    while at < end and (part := os.pread(fd, end - at, at)):
        parts.append(part)
        at += len(part)
    return b"".join(parts)


def _text(job: Job, prelude: bytes, code: bytes) -> bytes:
    """The job without what goes beside it."""
    return marshal.dumps(
        {
            "kind": job.kind,
            "code": b"" if code else job.code,
            "more": list(job.more),
            "tests": list(job.tests),
            "argv": list(job.argv),
            "files": job.files,
            "nonce": job.nonce,
            "slice_s": job.slice_s,
            "prelude": b"" if prelude else job.prelude,
            **job.extra,
        }
    )


@functools.lru_cache(1000)
def _header(limits: Limits, each: bool) -> dict[str, Any]:
    memory = limits.memory_mb * _MB
    return {
        "each": each,
        "cpu_s": limits.cpu_s,
        "wall_s": limits.wall,
        "patience_s": limits.patience,
        "memory_bytes": memory,
        "limits": [
            (resource.RLIMIT_CPU, int(limits.cpu_s) + 2),  # the zygote is more exact
            (resource.RLIMIT_DATA, memory + _BASE_MB * _MB),
            (resource.RLIMIT_AS, memory + _ADDRESS_SPACE_MB * _MB),
            (resource.RLIMIT_STACK, memory),
            (resource.RLIMIT_FSIZE, int(limits.output_mb * _MB)),
            (resource.RLIMIT_NOFILE, 256),
        ],
    }


def _spec(tier: Tier, kind: str, outer: int, cwd: str | None) -> dict[str, Any]:
    limits = [(resource.RLIMIT_CORE, 0)]
    if tier == "A":  # elsewhere it would count the user's other processes
        limits.append((resource.RLIMIT_NPROC, 64))
    return {
        "parent": os.getpid(),
        "tier": tier,
        "outer": outer,
        "cwd": cwd,
        "limits": limits,
        "tmp_mb": 64,
        "preload": PRELOADS[kind],
        "seccomp": deny_filter() if tier != "C" else b"",
        "child_filter": {"A": process_filter(), "B": lone_filter(_PID_MARK), "C": b""}[tier],
        "landlock": landlock_paths(tier, cwd) if tier != "C" else [],
        **layout(tier),
    }
