"""What this machine can isolate, and a pool of rooms to run programs in.

Tiers: A own user, mount, pid, net, ipc and uts namespaces, a read-only root that shows nothing
but the interpreter, landlock where the kernel has it, no capabilities, seccomp, rlimits. B landlock
(files, network, signals), seccomp (no processes, no signals to others) and rlimits, without
namespaces. C rlimits only. Below A, a run is refused unless the caller names the weaker tier.
"""

from __future__ import annotations

import functools
import os
import platform
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from evaluator import landlock
from evaluator.layout import Tier, readable_by_all
from evaluator.room import Job, Limits, Room, RoomError, Run
from evaluator.seccomp import deny_filter

#: Root runs programs as this user (the one that owns nothing).
_NOBODY = 65534
#: Rooms at once, in multiples of the workers: programs that sleep hold no core, but a room.
OVERCOMMIT = 4


class SandboxError(RuntimeError):
    """The machine cannot isolate programs as asked; the message says what to change."""


@dataclass(frozen=True, slots=True)
class Status:
    """For `microcoder doctor`: the layers that hold, what is missing for tier A and how to mend
    it ('' when nothing)."""

    tier: Tier
    missing: str = ""
    remedy: str = ""
    notes: tuple[str, ...] = ()
    outer: int = 0  # the user that root runs programs as; 0: the caller itself
    layers: tuple[str, ...] = ()


def run_isolated(job: Job, limits: Limits, tier: Tier = "A", outer: int | None = None) -> Run:
    """Run one job in a room of its own: for a single program; many share the rooms of a
    :class:`Rooms`.

    >>> run_isolated(Job(code=b"print(6 * 7)"), Limits()).stdout     # doctest: +SKIP
    b'42\\n'
    """
    try:
        with Room(tier, outer=sandbox_status().outer if outer is None else outer) as room:
            return room.run(job, limits)
    except RoomError as e:
        return Run("setup", detail=str(e))


class Rooms:
    """Rooms for `workers` programs that use a core at the same time; a program that only waits
    gives its core to another. Thread-safe. :meth:`kill` ends whatever runs."""

    def __init__(self, tier: Tier, workers: int) -> None:
        self.tier, self.workers = tier, workers
        self.closed, self.running = False, 0
        self._pid = os.getpid()
        self._cores = threading.Semaphore(workers)
        self._places = threading.Semaphore(OVERCOMMIT * workers)
        self._lock = threading.Lock()
        self._free: list[Room] = []
        self._all: set[Room] = set()

    def run(
        self,
        job: Job,
        limits: Limits,
        kind: str = "plain",
        cancelled: Callable[[], bool] = lambda: False,
    ) -> list[Run]:
        """Run one job in a room of that kind (see :data:`evaluator.room.PRELOADS`): one run, or
        one a test with `job.each`. 'lost' when the pool was closed meanwhile, or `cancelled`."""
        if os.getpid() != self._pid:
            raise RuntimeError("a Judge cannot be used in a fork of its process; make a new one")
        with self._places, self._core() as idle:
            try:
                room = self._take(kind)
            except RoomError as e:
                return [Run("setup", detail=str(e))]
            if room is None:
                return [Run("lost", detail="the pool of rooms is closed")]
            try:
                return room.run_each(job, limits, idle, cancelled)
            finally:
                self._give(room)

    @contextmanager
    def _core(self) -> Iterator[Callable[[], None]]:
        """One of the cores, until the end or until the yielded function is called."""
        self._cores.acquire()
        held = True

        def release() -> None:
            nonlocal held
            if held:
                held = False
                self._cores.release()

        try:
            yield release
        finally:
            release()

    def _take(self, kind: str) -> Room | None:
        with self._lock:
            if self.closed:
                return None
            for room in reversed(self._free):
                if room.kind == kind:
                    self._free.remove(room)
                    self.running += 1
                    return room
        room = Room(self.tier, kind, sandbox_status().outer)
        with self._lock:
            if not self.closed:
                self._all.add(room)
                self.running += 1
                return room
        room.close()
        return None

    def _give(self, room: Room) -> None:
        with self._lock:
            self.running -= 1
            spare = Counter(r.kind for r in self._free)[room.kind] >= self.workers
            if room.usable and not self.closed and not spare:
                self._free.append(room)
                return
            self._all.discard(room)
        room.close()

    def kill(self) -> None:
        """End all of them, now and from now on."""
        with self._lock:
            self.closed = True
            rooms, free = list(self._all), list(self._free)
            self._free.clear()
            self._all.difference_update(free)
        for room in rooms:
            room.kill()
        for room in free:
            room.close()


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
    notes: tuple[str, ...] = ()
    if not deny_filter():
        notes += (f"no system call filter for {platform.machine()}",)
    if not landlock.abi():
        notes += ("the kernel has no landlock (5.13 or later, and lsm=landlock)",)
    failures = []
    # root without CAP_SYS_ADMIN, or alone in its user namespace, isolates as a plain user would
    for outer in (_NOBODY, 0) if os.geteuid() == 0 else (0,):
        failed = _try("A", outer)
        if failed in (None, _NO_PROC):
            notes = (*notes, failed) if failed else notes
            return Status("A", notes=notes, outer=outer, layers=_layers("A", outer))
        failures.append(failed)
    step = failures[-1].split()[1] if failures[-1].startswith("setup") else ""
    remedy = _REMEDIES.get(step, "report it with the text above")
    walls = bool(deny_filter()) and landlock.abi() > 0
    tier: Tier = "B" if walls and _try("B", 0) in (None, _NO_PROC) else "C"
    why = f"isolation stopped at: {'; '.join(failures)}"
    outer = _NOBODY if os.geteuid() == 0 and readable_by_all() else 0
    return Status(tier, why, remedy, notes, outer, _layers(tier, outer))


def _layers(tier: Tier, outer: int) -> tuple[str, ...]:
    names = ["rlimits"]
    if tier != "C":
        names = ["no capabilities", "no_new_privs", *names]
    if tier != "C" and deny_filter():
        names.insert(0, "seccomp")
    if tier != "C" and (version := landlock.abi()):
        names.insert(0, f"landlock (ABI {version})")
    if outer:
        names.insert(0, f"user {outer}")
    if tier == "A":
        spaces = "user, mount, pid, net, ipc and uts namespaces, read-only root"
        names.insert(0, spaces)
    return tuple(names)


def tier() -> str:
    """The tier of this machine, 'A' (full isolation), 'B' or 'C'."""
    return sandbox_status().tier


def require(weakest: Tier) -> Tier:
    """The tier to run in; SandboxError when it would be weaker than that."""
    status = sandbox_status()
    if status.tier > weakest:
        raise SandboxError(
            f"This machine cannot isolate untrusted programs (tier {status.tier}; "
            f"{status.missing}). To mend it: {status.remedy}. To run programs with less isolation "
            f"anyway, set weakest_tier to {status.tier!r}: {_LESS[status.tier]}."
        )
    return status.tier


_LESS = {
    "A": "full isolation",
    "B": "files, network and other processes are closed by landlock and seccomp alone",
    "C": "programs can read and write whatever you can",
}


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
