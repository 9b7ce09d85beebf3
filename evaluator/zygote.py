"""The sandboxed side's root process: one room, entered once, in which many programs run in turn.

Processes of a room, out of one interpreter:
  launcher  enters new namespaces and waits for their end
  zygote    pid 1 of the namespaces: builds the root, drops every privilege, imports what programs
            usually import, then forks one child a job, keeps its limits and reports how it ended
  child     a program (evaluator.child) on descriptors 0, 1, 2; everything it started dies with it

All isolation is paid once a room; a job costs a fork. The control socket is the zygote's alone: a
child has closed its copy before the program's first instruction. Nothing here knows an expected
output, and nothing here parses what a program wrote.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # signal.py would import enum
import _socket
import ctypes
import gc
import marshal
import os
import resource
import select
import sys
import time

import evaluator.child as child
import evaluator.isolate as isolate
import evaluator.landlock as landlock

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost 6 ms a room
    from typing import Any

_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICK = 1.0 / os.sysconf("SC_CLK_TCK")
_SLACK = 64 << 20  # libraries in memory
#: Of all processes of a program together, beyond its memory: shared memory that is not resident.
_ADDRESS_SPACE = 4 << 30
#: Descriptors of a job, in the order in which they come with its header; the last only where the
#: job did not fit into the header's message.
FDS = ("stdin", "stdout", "stderr", "note", "job")
#: Seconds without CPU after which the controller may use the core for another program.
_IDLE_S = 0.05
_TICK_S = 0.1
_PRELUDES = 50
#: The longest message: a job's text, prelude and program (evaluator.room).
_MESSAGE = 1 << 17
#: What the compiler may use here, CPU seconds and bytes. Nested `finally` doubles the code with
#: each level, the parser may go back exponentially often, and no signal interrupts either.
_COMPILE_S, _COMPILE_BYTES = 1.0, 512 << 20
#: The zygote opens none above: a child has that many to close.
_MAX_FD = 1024
#: Stands in a filter for the process it will be installed in.
PID_MARK = b"PID!"
#: What contest programs import; a child finds it loaded, a page of it costs nothing until written.
PRELOAD = (
    "typing collections functools itertools heapq bisect math cmath operator string re random copy "
    "datetime time threading decimal fractions statistics json io array dataclasses enum "
    "numbers contextlib types abc queue struct traceback linecache collections.abc __future__"
)

# libc's fork, without Python's at-fork hooks: they write to a hundred pages that the child would
# otherwise share (0.3 ms a job). Sound because the zygote has one thread.
_fork = ctypes.PyDLL(None).fork
_set_handler = ctypes.PyDLL(None).signal
_set_handler.argtypes = [ctypes.c_int, ctypes.c_void_p]
_set_handler.restype = ctypes.c_void_p
_c_exit = ctypes.cast(ctypes.PyDLL(None)._exit, ctypes.c_void_p)


def main(spec_fd: int, control_fd: int) -> None:
    """Enter the room of the spec in `spec_fd` (marshalled by :mod:`evaluator.room`, which is
    trusted), say so on the control socket, serve jobs until the controller is gone."""
    spec = marshal.loads(os.pread(spec_fd, os.fstat(spec_fd).st_size, 0))
    os.close(spec_fd)
    control = _socket.socket(fileno=control_fd)
    step = "start"
    try:
        # a pidfd, not PDEATHSIG: that would fire when the starting *thread* ends
        controller = os.pidfd_open(spec["parent"])
        if os.getppid() != spec["parent"]:
            os._exit(1)
        tier, outer = spec["tier"], spec["outer"]
        if tier == "A":
            step = "namespaces"
            launcher = os.pidfd_open(os.getpid())
            isolate.leave_host(as_root=bool(outer))
            if pid := os.fork():
                control.close()
                os.waitpid(pid, 0)
                os._exit(0)
            isolate.die_with_parent()
            if _is_over(launcher):
                os._exit(1)
            os.close(launcher)
            os.setsid()  # a program that kills its process group does not reach the launcher
            step = "root"
            has_proc = isolate.build_root(spec["binds"], spec["links"], spec["tmp_mb"])
            if outer:
                step = "user"
                isolate.become_nobody(outer)
                isolate.die_with_parent()
        else:
            has_proc = os.path.exists("/proc/self/statm")
            if outer:
                step = "user"
                isolate.become_user(outer)
            isolate.adopt_orphans()
            os.chdir(spec["cwd"])
        step = "limits"
        for kind, values in isolate.within(spec["limits"]):
            resource.setrlimit(kind, values)
        step = "imports"
        _prepare(spec)
        step = "privileges"
        locks = landlock.Rules(spec["landlock"])
        isolate.drop_privileges(spec["seccomp"] if tier == "A" else b"")
        if tier == "A":
            locks.enforce()
        isolate.set_dumpable(False)
        _bound_memory()
    except BaseException as e:
        control.send(f"setup {step} {getattr(e, 'errno', 0)} {e}".encode())
        os._exit(1)
    os.dup2(1, 2)  # /dev/null: nobody reads the other end any more
    control.send(f"ready {int(has_proc)} {locks.abi}".encode())
    _Room(control, controller, spec, has_proc, locks).serve()


def _is_over(pidfd: int) -> bool:
    poller = select.poll()
    poller.register(pidfd, select.POLLIN)
    return bool(poller.poll(0))


def _prepare(spec: dict[str, Any]) -> None:
    """Everything that is the same for all programs, so that no child pays for it."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, _MAX_FD), hard))
    sys.path[:] = spec["path"]
    for name in (*PRELOAD.split(), *spec["preload"]):
        try:
            __import__(name)
        except ImportError:
            pass  # a library that is not installed is the program's ImportError
    if os.path.exists("/proc/self/task") and len(os.listdir("/proc/self/task")) != 1:
        raise OSError(0, "an imported library has started a thread: forking would be unsafe")
    compile("x = [i for i in ()]\n", "warm", "exec")  # builds the types of the syntax tree once
    child.prepare()
    for name in [m for m in sys.modules if m == "evaluator" or m.startswith("evaluator.")]:
        del sys.modules[name]
    gc.collect()
    gc.freeze()  # collections look at the program's objects only: no page of ours is copied


def _bound_memory() -> None:
    """Of this process; a child gets the limits of its job."""
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    most = _COMPILE_BYTES if hard == resource.RLIM_INFINITY else min(_COMPILE_BYTES, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def _compiled(source: bytes, name: str) -> Any:
    """The code object, compiled here, where no page has to be copied for it; None when it does not
    compile: its child says why. A source that names an encoding would import it. When the time is
    up this process ends: the handler is C's `_exit`, since Python's own would wait for the
    compiler. It stays no longer than that, for without one pid 1 is deaf to a program's signals."""
    if not source or b"coding" in source:
        return None
    _set_handler(_signal.SIGPROF, _c_exit)
    _signal.setitimer(_signal.ITIMER_PROF, _COMPILE_S)
    try:
        return compile(source, name, "exec", dont_inherit=True)
    except BaseException:
        return None
    finally:
        _signal.setitimer(_signal.ITIMER_PROF, 0)
        _set_handler(_signal.SIGPROF, None)


class _Room:
    def __init__(
        self,
        control: _socket.socket,
        controller: int,
        spec: dict[str, Any],
        has_proc: bool,
        locks: landlock.Rules,
    ) -> None:
        self.control, self.controller = control, controller
        self.tier, self.has_proc, self.locks = spec["tier"], has_proc, locks
        self.seccomp, self.child_filter = spec["seccomp"], spec["child_filter"]
        self.no_processes = isolate.Filter(self.child_filter if self.tier == "A" else b"")
        self.pid = os.getpid()
        self.preludes: dict[bytes, Any] = {}
        self.prelude: Any = None
        self.source, self.code = b"", None
        self.hard = {}
        for kind in range(resource.RLIMIT_AS + 1):
            hard = resource.getrlimit(kind)[1]
            self.hard[kind] = sys.maxsize if hard == resource.RLIM_INFINITY else hard
        self.poller = select.poll()
        self.poller.register(control.fileno(), select.POLLIN)
        self.poller.register(controller, select.POLLIN)

    def serve(self) -> None:
        """Until the controller closes its end or dies."""
        space = 4 * len(FDS)
        while True:
            events = dict(self.poller.poll())
            if self.controller in events:
                os._exit(0)
            data, ancillary, _, _ = self.control.recvmsg(_MESSAGE, _socket.CMSG_SPACE(space))
            if not data:
                os._exit(0)
            raw = ancillary[0][2]
            fds = [int.from_bytes(raw[i : i + 4], sys.byteorder) for i in range(0, len(raw), 4)]
            header, text, prelude, self.source = marshal.loads(data)  # the controller's own
            self.prelude = self.compiled(prelude) if prelude else None
            self.code = _compiled(self.source, "solution.py")
            if header["each"]:
                report = self.run_each(header, text, fds)
            else:
                report = _line(self.run(header, None, text, fds))
            for fd in fds:
                os.close(fd)
            try:
                self.control.send(report)
            except OSError:
                os._exit(0)

    def compiled(self, prelude: bytes) -> Any:
        """The problem's prelude as a code object: a group of programs has it in common."""
        if prelude not in self.preludes:
            if len(self.preludes) >= _PRELUDES:
                self.preludes.clear()
            self.preludes[prelude] = _compiled(prelude, "prelude.py") or prelude
        return self.preludes[prelude]

    def run_each(self, header: dict[str, Any], text: bytes, fds: list[int]) -> bytes:
        """A fork a test, until one does not end well or the slice of CPU time is used up."""
        spec = self.job(text, fds)
        more, tests, slice_s = spec["more"], spec["tests"], spec["slice_s"]
        spec["more"] = []
        reports: list[Any] = []
        used = 0.0
        for at in range(max(1 + len(more), len(tests))):
            if tests:
                spec["tests"] = tests[at : at + 1]
            elif at:
                child.refill(fds[0], more[at - 1])
            report = self.run(header, spec, b"", fds)
            reports.append(report)
            used += report[2]
            if report[0] != "end" or report[1] or used > slice_s or not report[5]:
                break
            os.lseek(fds[1], 0, 2)
            os.ftruncate(fds[2], 0)
            os.lseek(fds[2], 0, 0)
        return b"\n".join(map(_line, reports))

    def job(self, text: bytes, fds: list[int]) -> dict[str, Any]:
        """The job, which came with its header or in a memory file of its own. The program as such
        never meets the zygote: only the compiler here reads it."""
        spec: dict[str, Any] = marshal.loads(text or os.pread(fds[4], os.fstat(fds[4]).st_size, 0))
        if self.prelude is not None:
            spec["prelude"] = self.prelude
        if self.source:
            spec["code"], spec["compiled"] = self.source, self.code
        return spec

    def run(
        self, header: dict[str, Any], spec: dict[str, Any] | None, text: bytes, fds: list[int]
    ) -> tuple[str, int, float, float, int, bool, int, int]:
        """One child, from fork to the death of everything it left: why it ended, its status, CPU
        and wall seconds, peak KiB, whether the room is clean, the sizes of output and note. The
        job is in `spec`, or in `text` for the child to read."""
        limits = [(k, (v, v)) for k, n in header["limits"] for v in (min(n, self.hard[k]),)]
        started = time.monotonic()
        pid = _fork()
        if pid == 0:
            self.become_child(limits, spec, text, fds)
        if pid < 0:
            return "setup", 0, 0.0, 0.0, 0, True, 0, 0
        pidfd = os.pidfd_open(pid)
        reason = self.watch(pid, pidfd, started, header)
        if reason != "end":
            os.kill(pid, _signal.SIGKILL)
        _, status, usage = os.wait4(pid, 0)
        wall = time.monotonic() - started
        cpu = usage.ru_utime + usage.ru_stime + self.end_the_rest(pid)
        os.close(pidfd)
        sizes = os.fstat(fds[1]).st_size, os.fstat(fds[3]).st_size
        return reason, status, cpu, wall, usage.ru_maxrss, _clean_directory(), *sizes

    def watch(self, pid: int, pidfd: int, started: float, header: dict[str, Any]) -> str:
        """Wait for the program: 'end', or the limit it ran over ('cpu', 'wall', 'memory')."""
        poller = self.poller
        poller.register(pidfd, select.POLLIN)
        cpu_s, wall_s, patience = header["cpu_s"], header["wall_s"], header["patience_s"]
        used, busy, told, looked = 0.0, 0.0, False, started
        pause = min(_IDLE_S, cpu_s)
        try:
            while True:
                events = dict(poller.poll(1000 * pause + 1))
                if pidfd in events:
                    return "end"
                if events:  # the controller is gone, or has no patience left
                    os.kill(pid, _signal.SIGKILL)
                    os.wait4(pid, 0)
                    self.end_the_rest(pid)
                    os._exit(0)
                now = time.monotonic()
                used, resident, size, count = self.usage(pid)
                queued = _queued(pid)
                if used >= cpu_s:
                    return "cpu"
                left = started + wall_s + min(queued, patience) - now
                if left <= 0:
                    return "wall"
                memory = header["memory_bytes"] * (1 if count == 1 else 2) + _SLACK
                if resident > memory or (count > 1 and size > 2 * memory + _ADDRESS_SPACE):
                    return "memory"
                if not told and used + queued - busy < 0.1 * (now - looked):
                    told = True
                    self.control.send(b"idle")
                busy, looked = used + queued, now
                pause = min(left, max(cpu_s - used, 0.01), _TICK_S)
        finally:
            poller.unregister(pidfd)

    def usage(self, pid: int) -> tuple[float, int, int, int]:
        """Of the whole family: CPU seconds, resident bytes, address space, processes. What the
        rlimits of one process miss. Copies that are still shared count once for each."""
        try:
            cpu = time.clock_gettime((~pid << 3) | 2)  # CPUCLOCK_SCHED: clock_getcpuclockid(3)
        except OSError:
            cpu = 0.0
        if not self.has_proc or self.tier != "A":
            return cpu, *_memory(pid), 1
        resident, size, count = 0, 0, 0
        for name in os.listdir("/proc"):
            if name.isdigit() and name != "1":
                p = int(name)
                r, s = _memory(p)
                resident, size, count = resident + r, size + s, count + 1
                cpu += _cpu_seconds(p, p != pid)
        return cpu, resident, size, count

    def end_the_rest(self, pid: int) -> float:
        """Kill what the program left; the CPU seconds of those it had not waited for."""
        if self.tier != "A":
            _kill_descendants(pid)
            return 0.0
        try:
            os.kill(-1, _signal.SIGKILL)  # pid 1: everybody else in the namespace
        except OSError:
            return 0.0  # nobody is left
        cpu = 0.0
        while True:
            try:
                _, _, usage = os.wait4(-1, 0)
            except OSError:
                return cpu
            cpu += usage.ru_utime + usage.ru_stime

    def become_child(
        self, limits: list[Any], spec: dict[str, Any] | None, text: bytes, fds: list[int]
    ) -> None:
        """Leave everything of the zygote behind, then run the job. Does not return."""
        try:
            if self.tier != "A":
                isolate.die_with_parent()
                if os.getppid() != self.pid:
                    os._exit(1)
                os.setsid()
            if self.tier == "B":
                self.locks.enforce()
                isolate.Filter(self.seccomp).enforce()
                me = os.getpid().to_bytes(4, sys.byteorder)  # 4 bytes: an instruction's operand
                isolate.Filter(self.child_filter.replace(PID_MARK, me)).enforce()
            stdin, stdout, stderr, note = fds[:4]
            spec = spec or self.job(text, fds)
            os.dup2(stdin, 0)
            os.dup2(stdout, 1)
            os.dup2(stderr, 2)
            os.dup2(note, child.NOTE_FD, inheritable=False)
            if spec["more"] or spec["tests"]:
                for fd in (0, 1, 2):  # a program may close its own
                    os.dup2(fd, child.NOTE_FD + 1 + fd, inheritable=False)
            os.closerange(3, child.NOTE_FD)
            os.closerange(child.NOTE_FD + 4, _MAX_FD)
            if self.tier == "A":
                isolate.be_dumpable()  # /dev/stdin is /proc/self/fd/0, and must be its own
                self.no_processes.enforce()
            for name, data in spec["files"].items():
                if name.endswith("/"):
                    os.mkdir(name)
                else:
                    with open(name, "xb") as f:
                        f.write(data)
            for kind, values in limits:
                resource.setrlimit(kind, values)
            del fds, self.control
        except BaseException as e:
            os.write(2, f"sandbox: {e}".encode())
            os._exit(1)
        try:
            child.run(spec)
        finally:
            os._exit(1)


def _line(report: tuple[Any, ...]) -> bytes:
    """A run in words: what the controller reads is plain text, whoever wrote it."""
    reason, status, cpu, wall, kib, clean, output, note = report
    return f"{reason} {status} {cpu:.6f} {wall:.6f} {kib} {int(clean)} {output} {note}".encode()


def _memory(pid: int) -> tuple[int, int]:
    """Resident and mapped bytes."""
    try:
        with open(f"/proc/{pid}/statm") as f:
            size, resident = f.read().split()[:2]
        return int(resident) * _PAGE, int(size) * _PAGE
    except (OSError, ValueError):
        return 0, 0


def _cpu_seconds(pid: int, own: bool) -> float:
    """Of the children it waited for, and with `own` its own too (in clock ticks)."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as f:
            fields = f.read().rpartition(b")")[2].split()
        return sum(map(int, fields[11 if own else 13 : 15])) * _TICK
    except (OSError, ValueError):
        return 0.0


def _queued(pid: int) -> float:
    """Seconds its main thread was ready but got no core: a busy machine is not its fault."""
    try:
        with open(f"/proc/{pid}/schedstat") as f:
            return int(f.read().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0


def _kill_descendants(group: int) -> None:
    """Without a pid namespace: the process group, then every orphan that was handed to us."""
    try:
        os.killpg(group, _signal.SIGKILL)
    except OSError:
        pass
    me = os.getpid()
    for _ in range(1000):
        try:
            with open(f"/proc/{me}/task/{me}/children") as f:
                children = [int(p) for p in f.read().split()]
        except OSError:
            return
        if not children:
            return
        for p in children:
            os.kill(p, _signal.SIGKILL)
            os.waitpid(p, 0)


def _clean_directory() -> bool:
    """The working directory as the next program must find it; False: give the room up."""
    try:
        if os.stat(".").st_uid == os.getuid():
            os.chmod(".", 0o1777)
        if not os.listdir("."):
            return True
        _remove_all(".", 0)
        return not os.listdir(".")
    except (OSError, RecursionError):
        return False


def _remove_all(path: str, depth: int) -> None:
    if depth > 100:
        raise OSError("nested too deeply")
    with os.scandir(path) as entries:
        found = list(entries)
    for entry in found:
        if entry.is_dir(follow_symlinks=False):
            os.chmod(entry.path, 0o700)
            _remove_all(entry.path, depth + 1)
            os.rmdir(entry.path)
        else:
            os.unlink(entry.path)
