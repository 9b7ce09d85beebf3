"""Start one isolated interpreter per test, and say what this machine can isolate.

    >>> run_isolated(Job(code=b"print(6 * 7)"), Limits()).stdout     # doctest: +SKIP
    b'42\\n'

Tiers: A own user, mount, pid, net, ipc and uts namespaces, a read-only root that shows nothing
but the interpreter, no capabilities, seccomp, rlimits. B seccomp and rlimits without namespaces.
C rlimits only. Below A a program can read the host's files: refused unless `trusted=True`.
"""

from __future__ import annotations

import functools
import marshal
import os
import platform
import resource
import select
import shutil
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from evaluator.layout import Tier, interpreter, layout
from evaluator.seccomp import deny_filter

_MB = 1 << 20
#: Root runs programs as this user (the one that owns nothing).
_NOBODY = 65534
#: Over the program's own memory: interpreter, ctypes, our modules.
_BASE_MB = 32
#: Address space is not memory (thread arenas, libraries): a wide bound behind RLIMIT_DATA.
_ADDRESS_SPACE_MB = 1024
#: Seconds the controller waits for the supervisor, which keeps the limits, over ten times the
#: wall limit: on a busy machine a program's wall clock stands still while it waits for a core.
_GRACE_S = 30.0
_STDERR_TAIL = 4000
# Our modules reach the interpreter as code objects, not by import: it need not see our files (as
# another user it may not), and no test compiles them again where byte code is not cached.
_BOOT = """
import marshal, os, sys
spec, report, code = map(int, sys.argv[1:])
for name, body in marshal.loads(os.pread(code, 1 << 24, 0)):
    module = sys.modules[name] = type(sys)(name)
    exec(body, module.__dict__)
module.main(spec, report)
"""
_INSIDE = ("isolate", "program", "values", "functions", "worker")  # each after what it imports
# The main stack's room is laid out at exec, so the limit is raised by the shell before it.
_SHELL = 'ulimit -s unlimited 2>/dev/null || ulimit -s "$(ulimit -H -s)"; exec "$@"'


class SandboxError(RuntimeError):
    """The machine cannot isolate programs as asked; the message says what to change."""


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
    """One process to run. `extra` goes to the worker's function runner; `note` is what the note
    file (descriptor 3 inside) holds at first; `files` appear in the private working directory (a
    name that ends in a slash is a folder)."""

    code: bytes
    stdin: bytes = b""
    kind: Literal["stdin", "function", "asserts"] = "stdin"
    argv: tuple[str, ...] = ("solution.py",)
    files: dict[str, bytes] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)
    note: bytes = b""


@dataclass(frozen=True, slots=True)
class Run:
    """How a job ended. `reason`: 'end' (by itself; see `exit_code`), 'cpu', 'wall', 'memory' (a
    limit), 'setup' (isolation failed: `detail`), 'late' (no report in time: the machine is
    overloaded), 'lost' (the supervisor died)."""

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


@dataclass(frozen=True, slots=True)
class Status:
    """For `microcoder doctor`: what is missing for tier A and how to mend it ('' when nothing)."""

    tier: Tier
    missing: str = ""
    remedy: str = ""
    notes: tuple[str, ...] = ()
    outer: int = 0  # the user that root runs programs as; 0: the caller itself


class Processes:
    """The launchers alive now; :meth:`kill` ends them, and with them everything they started."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._alive: set[subprocess.Popen[bytes]] = set()
        self.closed = False

    def add(self, process: subprocess.Popen[bytes]) -> None:
        """Remember a launcher; one that comes after :meth:`kill` dies at once."""
        with self._lock:
            self._alive.add(process)
            if self.closed:
                process.kill()

    def remove(self, process: subprocess.Popen[bytes]) -> None:
        """Forget a launcher that was waited for."""
        with self._lock:
            self._alive.discard(process)

    def kill(self) -> None:
        """End all of them, now and from now on."""
        with self._lock:
            self.closed = True
            for process in self._alive:
                process.kill()


def run_isolated(
    job: Job,
    limits: Limits,
    tier: Tier = "A",
    processes: Processes | None = None,
    outer: int | None = None,
) -> Run:
    """Run one job in a fresh interpreter. Never raises for what the program does; OSError when
    the host is out of processes, memory or descriptors. `outer`: see Status."""
    if outer is None:
        outer = sandbox_status().outer
    fds: list[int] = []
    cwd = None if tier == "A" else tempfile.mkdtemp(prefix="microcoder-")
    try:
        stdin, stdout, stderr, note, spec_fd = (_memory_file(n, fds) for n in _FILES)
        _fill(stdin, job.stdin)
        _fill(note, job.note)
        spec = {**_spec(job, limits, tier, cwd), "note_fd": note, "outer": outer}
        _fill(spec_fd, marshal.dumps(spec))
        inside = _inside(job.kind != "stdin")
        report_read, report_write = os.pipe2(os.O_CLOEXEC)
        fds += (report_read, report_write)
        process = subprocess.Popen(
            ["/bin/sh", "-c", _SHELL, "sh", interpreter(), "-S", "-s", "-P", "-B", "-c", _BOOT,
             str(spec_fd), str(report_write), str(inside)],
            stdin=stdin, stdout=stdout, stderr=stderr, env=_ENVIRONMENT, cwd="/",
            pass_fds=(spec_fd, report_write, note, inside),
            start_new_session=True,  # Ctrl-C is for the controller
        )  # fmt: skip
        if processes is not None:
            processes.add(process)
        try:
            in_time = _ended(process.pid, limits.patience)
        finally:
            process.kill()  # it has ended, or it must
            process.wait()
            if processes is not None:
                processes.remove(process)
        os.set_blocking(report_read, False)
        report = _report(report_read) if in_time else b"late"
        return _outcome(report, limits, stdout, stderr, note)
    finally:
        for fd in fds:
            os.close(fd)
        if cwd is not None:
            shutil.rmtree(cwd, ignore_errors=True)


_FILES = ("stdin", "stdout", "stderr", "note", "spec")
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


@functools.cache
def _inside(with_functions: bool) -> int:
    """A memory file with the modules that run inside, compiled; open as long as we live."""
    bundle = [("evaluator", compile("", "evaluator", "exec"))]
    for name in _INSIDE:
        if with_functions or name not in ("values", "functions"):
            path = Path(__file__).with_name(f"{name}.py")
            code = compile(path.read_text("utf-8"), f"evaluator/{name}.py", "exec")
            bundle.append((f"evaluator.{name}", code))
    fd = os.memfd_create("evaluator")
    _fill(fd, marshal.dumps(bundle))
    return fd


def _memory_file(name: str, fds: list[int]) -> int:
    fd = os.memfd_create(name)
    fds.append(fd)
    return fd


def _fill(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
    os.lseek(fd, 0, os.SEEK_SET)


def _ended(pid: int, seconds: float) -> bool:
    """Wait for the launcher's end: every process that could still write to the program's files
    is dead then. (Not for end of file on the pipe: a fork of the controller may hold it open.)"""
    pidfd = os.pidfd_open(pid)
    try:
        poller = select.poll()
        poller.register(pidfd, select.POLLIN)
        return bool(poller.poll(seconds * 1000))
    finally:
        os.close(pidfd)


def _report(fd: int) -> bytes:
    """The supervisor's line; b'' when it died before it could write one."""
    try:
        return os.read(fd, 4096)
    except BlockingIOError:
        return b""


def _outcome(report: bytes, limits: Limits, stdout: int, stderr: int, note: int) -> Run:
    err_size = os.fstat(stderr).st_size
    tail = os.pread(stderr, _STDERR_TAIL, max(0, err_size - _STDERR_TAIL))
    text = report.decode("utf-8", "replace")
    if text == "late":
        return Run("late", detail=f"no report within {limits.patience:.0f} s", stderr=tail)
    if not text or text.startswith("setup"):
        detail = (
            text or f"the sandbox ended without a report; {tail[-300:].decode(errors='replace')}"
        )
        return Run("setup" if text else "lost", detail=detail, stderr=tail)
    reason, status, cpu, wall, memory, _ = text.split()
    cap = int(limits.output_mb * _MB)
    out_size = os.fstat(stdout).st_size
    return Run(
        reason=reason,
        exit_code=os.waitstatus_to_exitcode(int(status)),
        cpu_s=float(cpu),
        wall_s=float(wall),
        memory_mb=int(memory) / 1024,
        stdout=_read(stdout, min(out_size, cap)),
        stderr=tail,
        note=_read(note, min(os.fstat(note).st_size, cap)),
        overflow=out_size >= cap or err_size >= cap,
    )


def _read(fd: int, size: int) -> bytes:
    parts = []
    at = 0
    while at < size and (part := os.pread(fd, size - at, at)):
        parts.append(part)
        at += len(part)
    return b"".join(parts)


def _spec(job: Job, limits: Limits, tier: Tier, cwd: str | None) -> dict[str, Any]:
    memory = limits.memory_mb * _MB
    cpu = int(limits.cpu_s) + 2  # the supervisor is more exact; this is behind it
    bounds = [
        (resource.RLIMIT_CPU, cpu),
        (resource.RLIMIT_DATA, memory + _BASE_MB * _MB),
        (resource.RLIMIT_AS, memory + _ADDRESS_SPACE_MB * _MB),
        (resource.RLIMIT_STACK, memory),
        (resource.RLIMIT_FSIZE, int(limits.output_mb * _MB)),
        (resource.RLIMIT_NOFILE, 256),
        (resource.RLIMIT_CORE, 0),
    ]
    if tier == "A":  # elsewhere it would count the user's other processes
        bounds.append((resource.RLIMIT_NPROC, 64))
    return {
        "kind": job.kind,
        "code": job.code,
        "argv": list(job.argv),
        "files": job.files,
        **job.extra,
        "parent": os.getpid(),
        "tier": tier,
        "cwd": cwd,
        "cpu_s": limits.cpu_s,
        "wall_s": limits.wall,
        "memory_bytes": memory,
        "limits": bounds,
        "tmp_mb": 64,
        "seccomp": deny_filter(sockets=tier == "A") if tier != "C" else b"",
        **layout(tier),
    }


# -- what this machine can do ---------------------------------------------------------------------

_NO_PROC = (
    "/proc cannot be mounted inside: programs that open /dev/stdin fail, and shared memory is not "
    "watched; in a container, add --security-opt systempaths=unconfined"
)
_REMEDIES = {
    "namespaces": "allow user namespaces: sysctl -w kernel.unprivileged_userns_clone=1 "
    "user.max_user_namespaces=10000 (and kernel.apparmor_restrict_unprivileged_userns=0 on "
    "Ubuntu); in a container, run it with --security-opt seccomp=unconfined or --privileged",
    "root": "allow mounts inside the namespace: in a container, add --security-opt "
    "seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined",
    "user": "allow user namespaces for root too: sysctl -w user.max_user_namespaces=10000",
}


@functools.cache
def sandbox_status() -> Status:
    """Try the tiers once, best first.

    >>> sandbox_status().tier in "ABC"
    True
    """
    if sys.platform != "linux":
        return Status("C", "not Linux", "run the evaluator on Linux (a container will do)")
    notes = () if deny_filter() else (f"no system call filter for {platform.machine()}",)
    failures = []
    # root without CAP_SYS_ADMIN, or alone in its user namespace, isolates as a plain user would
    for outer in (_NOBODY, 0) if os.geteuid() == 0 else (0,):
        failed = _try("A", outer)
        if failed in (None, _NO_PROC):
            return Status("A", notes=(*notes, failed) if failed else notes, outer=outer)
        failures.append(failed)
    step = failures[-1].split()[1] if failures[-1].startswith("setup") else ""
    remedy = _REMEDIES.get(step, "report it with the text above")
    tier: Tier = "B" if deny_filter() and _try("B", 0) is None else "C"
    return Status(tier, f"isolation stopped at: {'; '.join(failures)}", remedy, notes)


def tier() -> str:
    """The tier of this machine, 'A' (full isolation), 'B' or 'C'."""
    return sandbox_status().tier


def require(trusted: bool) -> Tier:
    """The tier to run in; SandboxError when programs could reach the host and nobody said that
    they may."""
    status = sandbox_status()
    if status.tier != "A" and not trusted:
        raise SandboxError(
            f"This machine cannot isolate untrusted programs (tier {status.tier}; "
            f"{status.missing}). To mend it: {status.remedy}. To run programs you trust anyway, "
            "pass trusted=True."
        )
    return status.tier


def _try(tier: Tier, outer: int) -> str | None:
    """None when a trivial program runs in that tier, else what failed."""
    try:
        job = Job(b"import os; print(os.path.exists('/proc/self/fd'))")
        run = run_isolated(job, Limits(20, 30), tier, outer=outer)
    except OSError as e:
        return str(e)
    if run.reason == "end" and run.stdout in (b"True\n", b"False\n"):
        return None if run.stdout == b"True\n" else _NO_PROC
    said = run.stderr[-300:].decode("utf-8", "replace")
    return run.detail or f"{run.reason} {run.exit_code} {said}"
