"""The list of system calls a sandboxed program is refused, as a BPF program.

A deny list: what a contest program never needs and what has been a way out of containers or a
way around the limits. memfd_create and shmget are memory that no rlimit counts. The calls fail
with EPERM, so a program that tries one goes on, and gets the verdict its answer deserves.
"""

from __future__ import annotations

import errno
import functools
import platform
import struct

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
    "mbind": (237, 235),
    "move_pages": (279, 239),
    "lookup_dcookie": (212, 18),
    "vhangup": (153, 58),
}
#: Where there is no net namespace: no sockets at all.
_SOCKET = {"socket": (41, 198)}
_CLONE = (56, 220)
_CLONE3 = 435
_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_NEW_NAMESPACES = 0x7E020080  # every CLONE_NEW* bit

_LD, _JEQ, _JGE, _JSET, _RET = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000


@functools.cache
def deny_filter(machine: str | None = None, *, sockets: bool = True) -> bytes:
    """The filter for this machine (empty on an architecture without a table).

    >>> len(deny_filter("x86_64")) % 8
    0
    """
    machine = machine or platform.machine()
    if machine not in _AUDIT_ARCH:
        return b""
    column = list(_AUDIT_ARCH).index(machine)
    table = _DENIED if sockets else {**_DENIED, **_SOCKET}
    numbers = sorted(n for row in table.values() if (n := row[column]) is not None)
    eperm, enosys = _ERRNO | errno.EPERM, _ERRNO | errno.ENOSYS

    body = [(_LD, 0, 0, 0)]  # the system call's number
    if machine == "x86_64":
        body += [(_JGE, 0, 1, 0x40000000), (_RET, 0, 0, eperm)]  # the x32 table
    for number in numbers:
        body += [(_JEQ, 0, 1, number), (_RET, 0, 0, eperm)]
    # clone3 passes its flags in memory, out of a filter's sight: glibc falls back to clone
    body += [(_JEQ, 0, 1, _CLONE3), (_RET, 0, 0, enosys)]
    body += [(_JEQ, 0, 3, _CLONE[column]), (_LD, 0, 0, 16)]
    body += [(_JSET, 0, 1, _NEW_NAMESPACES), (_RET, 0, 0, eperm)]
    body += [(_RET, 0, 0, _ALLOW)]
    head = [(_LD, 0, 0, 4), (_JEQ, 1, 0, _AUDIT_ARCH[machine]), (_RET, 0, 0, eperm)]
    return b"".join(struct.pack("=HBBI", *line) for line in head + body)
