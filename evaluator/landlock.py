"""Landlock: which files, sockets and processes the sandbox may reach, by the kernel's own rules.

A second wall behind the mount namespace, and the only one around the host's files where there are
no namespaces. Runs inside the sandbox, before any user code. Kernel 5.13 or later; the numbers are
those of include/uapi/linux/landlock.h, the same on every architecture.
"""

from __future__ import annotations

import ctypes
import os

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost 6 ms a room
    from typing import Any

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION, _PATH_BENEATH = 1, 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
#: Rights over files by ABI version; TRUNCATE came with 3, IOCTL_DEV with 5.
_ALL_FS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1}
_ALL_FS_NOW = (1 << 16) - 1
_FILE_ONLY = _EXECUTE | _WRITE_FILE | _READ_FILE | 1 << 14 | 1 << 15
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_NET = 3  # bind and connect, from ABI 4
_SCOPED = 3  # abstract unix sockets and signals, from ABI 6

_libc = ctypes.CDLL(None, use_errno=True)


def abi() -> int:
    """Landlock's version on this kernel, 0 where it lacks it."""
    found: int = _libc.syscall(
        ctypes.c_long(_CREATE_RULESET), None, ctypes.c_size_t(0), ctypes.c_uint(_VERSION)
    )
    return max(found, 0)


class Rules:
    """What may be reached: (path, "r" or "rw") pairs; everything else is refused. A path that
    does not exist is passed over."""

    def __init__(self, paths: list[tuple[str, str]]) -> None:
        self.abi = abi()
        self._fd = -1
        if not self.abi:
            return
        everything = _ALL_FS.get(self.abi, _ALL_FS_NOW)
        attr = (ctypes.c_uint64 * 3)(
            everything, _NET if self.abi >= 4 else 0, _SCOPED if self.abi >= 6 else 0
        )
        size = 24 if self.abi >= 6 else 16 if self.abi >= 4 else 8
        self._fd = self._call(_CREATE_RULESET, attr, ctypes.c_size_t(size), ctypes.c_uint(0))
        for path, how in paths:
            self._allow(path, everything & (_READ if how == "r" else everything))

    def _allow(self, path: str, rights: int) -> None:
        try:
            fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            return
        if not os.path.isdir(path):
            rights &= _FILE_ONLY
        beneath = rights.to_bytes(8, "little") + fd.to_bytes(4, "little")
        try:
            self._call(
                _ADD_RULE, ctypes.c_int(self._fd), ctypes.c_int(_PATH_BENEATH), beneath,
                ctypes.c_uint(0),
            )  # fmt: skip
        finally:
            os.close(fd)

    def enforce(self) -> None:
        """From now on, for this process and all it starts. Needs no_new_privs."""
        if self._fd >= 0:
            self._call(_RESTRICT_SELF, ctypes.c_int(self._fd), ctypes.c_uint(0))

    @staticmethod
    def _call(number: int, *args: Any) -> int:
        result: int = _libc.syscall(ctypes.c_long(number), *args)
        if result == -1:
            err = ctypes.get_errno()
            raise OSError(err, f"landlock ({number}): {os.strerror(err)}")
        return result
