"""The list of system calls a sandboxed program is refused, as a BPF program.

A deny list: what a contest program never needs and what has been a way out of containers, a way
around the limits (memfd_create and shmget are memory that no rlimit counts) or a way to leave
something for the next program of the room. The calls fail with EPERM, so a program that tries one
goes on, and gets the verdict its answer deserves.
"""

from __future__ import annotations

import errno
import functools
import platform
import struct
import sys
from collections.abc import Mapping

# name: (x86_64, aarch64); None: the architecture lacks it
_DENIED: dict[str, tuple[int | None, int | None]] = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "mount_setattr": (442, 442),
    "unshare": (272, 97),
    "setns": (308, 268),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "syslog": (103, 116),
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    "fanotify_init": (300, 262),
    "personality": (135, 92),
    "modify_ldt": (154, None),
    "iopl": (172, None),
    "ioperm": (173, None),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "socket": (41, 198),  # socketpair, which asyncio needs, stays
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
    "migrate_pages": (256, 238),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "mbind": (237, 235),
    "move_pages": (279, 239),
    "lookup_dcookie": (212, 18),
    "vhangup": (153, 58),
}
#: Allowed on the caller itself only, by the argument that says whom: the room's zygote has the
#: same user. (Number of the argument, which must be 0.)
_SELF_ONLY: dict[str, tuple[int, int, int]] = {
    "prlimit64": (302, 261, 0),
    "sched_setparam": (142, 118, 0),
    "sched_setscheduler": (144, 119, 0),
    "sched_setaffinity": (203, 122, 0),
    "sched_setattr": (314, 274, 0),
}
#: Of a program, in every tier; threads are a clone with a flag.
_FORKS = {"fork": (57, None), "vfork": (58, None)}
#: In a tier without a pid namespace: nothing else is executed, and signals go to nobody else.
_EXECS = {"execve": (59, 221), "execveat": (322, 281)}
_SIGNALS = {
    "kill": (62, 129),
    "tgkill": (234, 131),
    "tkill": (200, 130),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_send_signal": (424, 424),
    "pidfd_open": (434, 434),
}
_CLONE_THREAD = 0x00010000
_CLONE = (56, 220)
_CLONE3 = 435
_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_NEW_NAMESPACES = 0x7E020080  # every CLONE_NEW* bit

_LD, _JEQ, _JGE, _JSET, _RET = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_EPERM = _ERRNO | errno.EPERM
#: code, jump if true, jump if false, operand
_Line = tuple[int, int, int, int]


@functools.cache
def deny_filter(machine: str | None = None) -> bytes:
    """The filter for this machine (empty on an architecture without a table).

    >>> len(deny_filter("x86_64")) % 8
    0
    """
    machine = machine or platform.machine()
    if machine not in _AUDIT_ARCH:
        return b""
    column = list(_AUDIT_ARCH).index(machine)
    numbers = sorted(n for row in _DENIED.values() if (n := row[column]) is not None)
    body = []
    for number in numbers:
        body += [(_JEQ, 0, 1, number), (_RET, 0, 0, _EPERM)]
    for row in _SELF_ONLY.values():
        body += [(_JEQ, 0, 4, row[column]), (_LD, 0, 0, 16 + 8 * row[2]), (_JEQ, 1, 0, 0)]
        body += [(_RET, 0, 0, _EPERM), (_RET, 0, 0, _ALLOW)]
    # clone3 passes its flags in memory, out of a filter's sight: glibc falls back to clone
    body += [(_JEQ, 0, 1, _CLONE3), (_RET, 0, 0, _ERRNO | errno.ENOSYS)]
    body += [(_JEQ, 0, 3, _CLONE[column]), (_LD, 0, 0, 16)]
    body += [(_JSET, 0, 1, _NEW_NAMESPACES), (_RET, 0, 0, _EPERM)]
    return _program(machine, body)


@functools.cache
def process_filter(machine: str | None = None) -> bytes:
    """One more filter for a program, when its process exists: threads but no processes.

    >>> len(process_filter("aarch64")) % 8
    0
    """
    machine = machine or platform.machine()
    if machine not in _AUDIT_ARCH:
        return b""
    column = list(_AUDIT_ARCH).index(machine)
    return _program(machine, [*_refused(_FORKS, column), *_threads_only(column)])


def _refused(rows: Mapping[str, tuple[int, int | None]], column: int) -> list[_Line]:
    numbers = [n for row in rows.values() if (n := row[column]) is not None]
    return [line for n in numbers for line in ((_JEQ, 0, 1, n), (_RET, 0, 0, _EPERM))]


def _threads_only(column: int) -> list[_Line]:
    return [
        *((_JEQ, 0, 3, _CLONE[column]), (_LD, 0, 0, 16)),
        *((_JSET, 1, 0, _CLONE_THREAD), (_RET, 0, 0, _EPERM)),
    ]


@functools.cache
def lone_filter(mark: bytes, machine: str | None = None) -> bytes:
    """The same for a tier without a pid namespace: nothing else is executed, signals to itself
    only. `mark`: four bytes that stand for the process's number, put in when it is known.

    >>> lone_filter(b"PID!", "x86_64").count(b"PID!") > 1
    True
    """
    machine = machine or platform.machine()
    if machine not in _AUDIT_ARCH:
        return b""
    column = list(_AUDIT_ARCH).index(machine)
    me = int.from_bytes(mark, sys.byteorder)
    body = _refused(_FORKS, column) + _refused(_EXECS, column)
    for row in _SIGNALS.values():
        body += [(_JEQ, 0, 4, row[column]), (_LD, 0, 0, 16), (_JEQ, 1, 0, me)]
        body += [(_RET, 0, 0, _EPERM), (_RET, 0, 0, _ALLOW)]
    return _program(machine, body + _threads_only(column))


def _program(machine: str, body: list[_Line]) -> bytes:
    head = [(_LD, 0, 0, 4), (_JEQ, 1, 0, _AUDIT_ARCH[machine]), (_RET, 0, 0, _EPERM)]
    head += [(_LD, 0, 0, 0)]  # the system call's number
    if machine == "x86_64":
        head += [(_JGE, 0, 1, 0x40000000), (_RET, 0, 0, _EPERM)]  # the x32 table
    return b"".join(struct.pack("=HBBI", *x) for x in [*head, *body, (_RET, 0, 0, _ALLOW)])
