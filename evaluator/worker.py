"""What runs in the sandboxed interpreter: one test of one program, then the end.

Three processes, one after another out of the same fresh interpreter:
  launcher    enters new namespaces and waits; when the controller dies or kills it, all die
  supervisor  pid 1 of the namespace: builds the root, drops every privilege, keeps the limits,
              reports exit status and usage over a pipe the program does not have
  program     the user's code as `__main__`, on descriptors 0, 1, 2; ends as any Python does

Nothing here knows the expected output. The program's own report (fd 3, functions only) is data
that the controller compares, never a verdict. Imports are few on purpose: they are paid per test.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # signal.py would import enum
import _thread
import builtins
import gc
import marshal
import os
import select
import sys
import time

import evaluator.isolate as isolate
from evaluator.program import NOTE_FD, compile_program, end_program, new_main

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost 6 ms a test
    from typing import Any

_PAGE = os.sysconf("SC_PAGE_SIZE")
_SLACK = 64 << 20  # libraries in memory


def main(spec_fd: int, report_fd: int) -> None:
    """Run the spec in `spec_fd` (marshalled by :mod:`evaluator.sandbox`, which is trusted)."""
    spec = marshal.loads(os.pread(spec_fd, os.fstat(spec_fd).st_size, 0))
    spec["run"] = _run_stdin
    if spec["kind"] != "stdin":
        from evaluator.functions import run

        spec["run"] = run
    step = "start"
    try:
        isolate.die_with_parent()
        if os.getppid() != spec["parent"]:
            os._exit(1)
        if spec["tier"] == "A":
            step = "namespaces"
            launcher = os.pidfd_open(os.getpid())
            isolate.leave_host(as_root=bool(spec["outer"]))
            isolate.die_with_parent()  # a change of credentials cleared it
            if pid := os.fork():
                os.waitpid(pid, 0)
                os._exit(0)
            isolate.die_with_parent()
            if _is_over(launcher):
                os._exit(1)
            step = "root"
            has_proc = isolate.build_root(spec["binds"], spec["links"], spec["tmp_mb"])
            if spec["outer"]:
                step = "user"
                isolate.become_nobody(spec["outer"])
                isolate.die_with_parent()
        else:
            has_proc = False
            isolate.adopt_orphans()
            os.chdir(spec["cwd"])
        step = "privileges"
        for name, data in spec["files"].items():
            if name.endswith("/"):
                os.mkdir(name)
            else:
                with open(name, "xb") as f:
                    f.write(data)
        isolate.drop_privileges(spec["seccomp"])
        isolate.set_dumpable(False)
        step = "fork"
        if pid := os.fork():
            _supervise(pid, report_fd, spec, has_proc)
    except BaseException as e:
        os.write(report_fd, f"setup {step} {getattr(e, 'errno', 0)} {e}".encode())
        os._exit(1)
    _become_program(spec)


def _is_over(pidfd: int) -> bool:
    poller = select.poll()
    poller.register(pidfd, select.POLLIN)
    return bool(poller.poll(0))


# -- supervisor ---------------------------------------------------------------------------------


def _supervise(pid: int, report_fd: int, spec: dict[str, Any], has_proc: bool) -> None:
    started = time.monotonic()
    reason = _watch(pid, started, spec, has_proc)
    if reason != "end":
        os.kill(pid, _signal.SIGKILL)
    _, status, usage = os.wait4(pid, 0)
    wall = time.monotonic() - started
    if spec["tier"] != "A":
        _kill_descendants(pid)
    cpu = usage.ru_utime + usage.ru_stime
    report = f"{reason} {status} {cpu:.6f} {wall:.6f} {usage.ru_maxrss} {int(has_proc)}"
    os.write(report_fd, report.encode())
    os._exit(0)  # as pid 1: whatever is left in the namespace dies now


def _watch(pid: int, started: float, spec: dict[str, Any], has_proc: bool) -> str:
    """Wait for the program: 'end', or the limit it ran over ('cpu', 'wall', 'memory')."""
    poller = select.poll()
    poller.register(os.pidfd_open(pid), select.POLLIN)
    clock = (~pid << 3) | 2  # CPUCLOCK_SCHED of that process: clock_getcpuclockid(3)
    while True:
        try:
            cpu = time.clock_gettime(clock)
        except OSError:
            cpu = 0.0
        left = started + spec["wall_s"] + _queued(pid) - time.monotonic()
        if cpu >= spec["cpu_s"]:
            return "cpu"
        if left <= 0:
            return "wall"
        if poller.poll(1000 * min(left, max(spec["cpu_s"] - cpu, 0.01), 0.1)):
            return "end"
        if has_proc and _over_memory(spec["memory_bytes"]):
            return "memory"


def _queued(pid: int) -> float:
    """Seconds its main thread was ready but got no core: a busy machine is not its fault."""
    try:
        with open(f"/proc/{pid}/schedstat") as f:
            return int(f.read().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0


def _over_memory(limit: int) -> bool:
    """What the rlimits of one process miss: shared memory, and many processes. Copies that are
    still shared are counted in each process: hence twice the limit for a family."""
    total = count = 0
    for p in os.listdir("/proc"):
        if p.isdigit() and p != "1":
            try:
                with open(f"/proc/{p}/statm") as f:
                    total += int(f.read().split()[1]) * _PAGE
                count += 1
            except (OSError, IndexError):
                pass
    return total > (limit + _SLACK if count == 1 else 2 * limit + _SLACK)


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


# -- program ------------------------------------------------------------------------------------


def _become_program(spec: dict[str, Any]) -> None:
    """Leave everything of the sandbox behind, then run the code. Does not return."""
    os.dup2(spec["note_fd"], NOTE_FD)
    os.closerange(NOTE_FD + 1, 4096)
    if spec["tier"] == "A":
        isolate.set_dumpable(True)  # /dev/stdin is /proc/self/fd/0, and must be its own
    else:
        isolate.die_with_parent()
        os.setsid()
    isolate.limit(spec["limits"])
    _signal.signal(_signal.SIGXFSZ, _signal.SIG_DFL)  # the output cap ends the program
    _thread.stack_size(16 << 20)  # else a thread takes RLIMIT_STACK, or 2 MB when unlimited
    for name in [m for m in sys.modules if m == "evaluator" or m.startswith("evaluator.")]:
        del sys.modules[name]
    sys.path[:] = spec["path"]
    sys.argv[:] = spec["argv"]
    sys.setrecursionlimit(50_000)
    import _sitebuiltins  # exit() and quit() come from site, which was skipped

    builtins.exit = _sitebuiltins.Quitter("exit", "Ctrl-D (i.e. EOF)")
    builtins.quit = _sitebuiltins.Quitter("quit", "Ctrl-D (i.e. EOF)")
    gc.freeze()  # collections look at the program's objects only: no page of ours is copied
    run = spec.pop("run")
    run(spec)


def _run_stdin(spec: dict[str, Any]) -> None:
    namespace = new_main("__main__")
    code = compile_program(spec["code"], "solution.py")
    os.close(NOTE_FD)
    del spec
    failure = None
    try:
        exec(code, namespace)
    except BaseException as e:
        failure = e
    end_program(failure, namespace)
