"""The system calls that lock the sandboxed interpreter in. Runs inside it, before any user code.

Linux only, by ctypes: `os.unshare` came with Python 3.12, mount and prctl never came. Every
function here raises OSError naming the call, so that the controller can say what the machine
refused. Only modules that start fast are imported.
"""

from __future__ import annotations

import ctypes
import os
import resource

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost 6 ms a test
    from typing import Any

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
_SPACES = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWPID | CLONE_NEWNET

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_REMOUNT, MS_BIND, MS_REC = 1, 2, 4, 32, 4096, 16384
MS_PRIVATE = 1 << 18
MNT_DETACH = 2
_AT_RECURSIVE = 0x8000
_SYS_MOUNT_SETATTR = 442  # the same number on every architecture
_SYS_PIVOT_ROOT = {"x86_64": 155, "ppc64le": 203, "s390x": 217}  # elsewhere 41

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
PR_SET_CHILD_SUBREAPER, _PR_CAPBSET_DROP = 36, 24

#: The user inside the sandbox.
INNER_ID = 1000
DEVICES = ("null", "zero", "full", "random", "urandom")

_libc = ctypes.CDLL(None, use_errno=True)
_plain_prctl = ctypes.PyDLL(None).prctl
_plain_prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4


def _check(result: int, what: str) -> int:
    if result == -1:
        err = ctypes.get_errno()
        raise OSError(err, f"{what}: {os.strerror(err)}")
    return result


def _prctl(option: int, value: Any, what: str, third: Any = 0) -> None:
    arg = value if isinstance(value, ctypes.c_void_p) else ctypes.c_ulong(value)
    _check(_libc.prctl(option, arg, third, ctypes.c_ulong(0), ctypes.c_ulong(0)), what)


def die_with_parent() -> None:
    """SIGKILL when the parent thread dies. A change of credentials clears it: call it after."""
    _prctl(PR_SET_PDEATHSIG, 9, "prctl(PDEATHSIG)")


def set_dumpable(on: bool) -> None:
    """Off: /proc/PID belongs to root and ptrace is refused."""
    _prctl(PR_SET_DUMPABLE, int(on), "prctl(DUMPABLE)")


def be_dumpable() -> None:
    """:func:`set_dumpable`, for a fresh fork: every page that it writes is a copy (0.3 ms)."""
    _plain_prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent died (without a pid namespace)."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1, "prctl(CHILD_SUBREAPER)")


def _unshare(flags: int, what: str) -> None:
    _check(_libc.unshare(ctypes.c_int(flags)), f"unshare({what})")


def _write(path: str, text: str) -> None:
    fd = os.open(path, os.O_WRONLY)
    try:
        os.write(fd, text.encode())
    except OSError as e:
        raise OSError(e.errno, f"{path}: {e.strerror}") from e
    finally:
        os.close(fd)


def _new_user_namespace(flags: int, uid: int, gid: int) -> None:
    _unshare(CLONE_NEWUSER | flags, "user namespace")
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{INNER_ID} {uid} 1")
    _write("/proc/self/gid_map", f"{INNER_ID} {gid} 1")


def leave_host(as_root: bool) -> None:
    """New namespaces for the next child. A plain user needs the user namespace first; root makes
    the others as root (it may have to read files that only root can) and leaves root later, in
    :func:`become_nobody`."""
    if as_root:
        _unshare(_SPACES, "mount, pid, net, ipc, uts")
    else:
        _new_user_namespace(_SPACES, os.getuid(), os.getgid())


def become_nobody(outer: int) -> None:
    """Root only: another user, then a user namespace of its own. The namespace owns none of the
    others, so capabilities in it are worth nothing; it gives RLIMIT_NPROC a counter of its own."""
    os.setgroups([])
    os.setresgid(outer, outer, outer)
    os.setresuid(outer, outer, outer)
    set_dumpable(True)  # /proc/self/uid_map would stay root's
    _new_user_namespace(0, outer, outer)


def _mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    call = _libc.mount(
        source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), data.encode()
    )
    _check(call, f"mount({target})")


def _bind(source: str, target: str) -> None:
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o644))
    _mount(source, target, "", MS_BIND | MS_REC)


def _pivot_root(new: str, old: str) -> None:
    number = _SYS_PIVOT_ROOT.get(os.uname().machine, 41)
    _check(_libc.syscall(ctypes.c_long(number), new.encode(), old.encode()), "pivot_root")


def _read_only(path: str, binds: list[str]) -> None:
    """The mounts below `path` read-only, with one call where the kernel has it (5.12)."""
    attr = (ctypes.c_uint64 * 4)(MS_RDONLY | MS_NOSUID, 0, 0, 0)
    call = _libc.syscall(
        ctypes.c_long(_SYS_MOUNT_SETATTR),
        ctypes.c_int(-1),
        path.encode(),
        ctypes.c_uint(_AT_RECURSIVE),
        attr,
        ctypes.c_size_t(32),
    )
    if call == 0:
        return
    for target in [*binds, path]:
        keep = os.statvfs(target).f_flag & (MS_NODEV | 8 | 1024)  # noexec, noatime are locked
        _mount("", target, "", MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | keep)


def build_root(binds: list[tuple[str, str]], links: list[tuple[str, str]], tmp_mb: int) -> bool:
    """A root with nothing but `binds` (source, target), read-only, a fresh /proc, five devices
    and a private /tmp that becomes the working directory. False: /proc could not be mounted (a
    container that masks it); /dev/stdin is missing then."""
    _mount("", "/", "", MS_REC | MS_PRIVATE)
    _mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,mode=755")
    os.mkdir("/tmp/new")
    os.mkdir("/tmp/old")
    _mount("/tmp/new", "/tmp/new", "", MS_BIND)
    _pivot_root("/tmp", "/tmp/old")  # the old /tmp is whole again, at /old/tmp
    os.chdir("/")
    targets = []
    for source, target in binds:
        _bind("/old" + source, "/new" + target)
        targets.append("/new" + target)
    os.mkdir("/new/dev")
    for name in DEVICES:
        _bind(f"/old/dev/{name}", f"/new/dev/{name}")
    for text, name in links:
        os.makedirs(os.path.dirname("/new" + name), exist_ok=True)
        os.symlink(text, "/new" + name)
    os.makedirs("/new/proc", exist_ok=True)
    os.makedirs("/new/tmp", exist_ok=True)
    _read_only("/new", targets)
    has_proc = True
    try:  # writable: the user namespace's map has yet to be written there
        _mount("proc", "/new/proc", "proc", MS_NOSUID | MS_NODEV | 8)
    except OSError:
        has_proc = False
    _mount(
        "tmpfs",
        "/new/tmp",
        "tmpfs",
        MS_NOSUID | MS_NODEV,
        f"size={tmp_mb}m,nr_inodes=10k,mode=1777",
    )
    os.chdir("/new")
    _pivot_root(".", ".")
    _check(_libc.umount2(b".", ctypes.c_int(MNT_DETACH)), "umount2")
    os.chdir("/tmp")
    _libc.sethostname(b"sandbox", ctypes.c_size_t(7))
    return has_proc


def become_user(uid: int) -> None:
    """Root only, without a namespace: that user and its group, for good."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def drop_privileges(seccomp: bytes) -> None:
    """No capabilities, none to be had by exec, and the system calls `seccomp` (a BPF program
    from :mod:`evaluator.seccomp`, may be empty) refuses."""
    for capability in range(64):
        if _libc.prctl(_PR_CAPBSET_DROP, ctypes.c_ulong(capability)) == -1:
            break  # past the last one this kernel knows, or not ours to drop
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    _check(_libc.capset(header, (ctypes.c_uint32 * 6)()), "capset")
    _prctl(PR_SET_NO_NEW_PRIVS, 1, "prctl(NO_NEW_PRIVS)")
    Filter(seccomp).enforce()


class Filter:
    """A BPF program that refuses system calls; made before a fork, enforced after it."""

    def __init__(self, program: bytes) -> None:
        self._code = ctypes.create_string_buffer(program, len(program))
        self._fprog = ctypes.create_string_buffer(16)
        ctypes.c_ushort.from_buffer(self._fprog, 0).value = len(program) // 8
        ctypes.c_void_p.from_buffer(self._fprog, 8).value = ctypes.addressof(self._code)
        self._at = ctypes.addressof(self._fprog) if program else 0

    def enforce(self) -> None:
        """From now on, in this process and all it starts. Nothing for an empty program."""
        if self._at and _plain_prctl(PR_SET_SECCOMP, 2, self._at, 0, 0):
            raise OSError(0, "prctl(SECCOMP) was refused")


def within(limits: list[tuple[int, int]]) -> list[tuple[int, tuple[int, int]]]:
    """Soft and hard limits for `resource.setrlimit`; one above the present hard limit is cut
    down to it."""
    found = []
    for kind, value in limits:
        hard = resource.getrlimit(kind)[1]
        if hard != resource.RLIM_INFINITY:
            value = min(value, hard)
        found.append((kind, (value, value)))
    return found
