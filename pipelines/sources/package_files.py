"""Finding problem packages, and listing and reading their files, in folders and in zips.

Zips are read in memory, never unpacked to disk. Nothing outside a package is read.
"""

from __future__ import annotations

import os
import stat
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pipelines.problem import decode_utf8

#: Bytes of all files of one package together.
MAX_BYTES = 2**31
MAX_DEPTH = 3
_PIECE = 2**16
_NOT_CONTENT = {"__pycache__", "__MACOSX", ".git", ".DS_Store"}
#: What decides a verdict. Leaving a part of it out would judge programs wrongly.
_DECISIVE = {
    "data", "output_validator", "output_validators", "problem.yaml", "microcoder.yaml",
    ".timelimit", "domjudge-problem.ini",
}  # fmt: skip


class PackageError(ValueError):
    """A package that is refused, with the reason's word."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Files:
    """A package's files: relative POSIX names, sorted, and how to get one's bytes."""

    names: tuple[str, ...]
    get: Callable[[str], bytes]

    def text(self, name: str) -> str:
        """The file as text; ProblemError when it is not UTF-8."""
        return decode_utf8(self.get(name), name)

    def under(self, folder: str) -> Iterator[str]:
        """The names below a folder."""
        return (n for n in self.names if n.startswith(f"{folder}/"))


def find_packages(path: Path) -> Iterator[Path]:
    """The packages (folders and zips) at and below `path`, sorted; `path` itself when there are
    none, to be refused. E.g. `find_packages(Path("examples/problems"))`."""
    if path.is_file() or (path / "problem.yaml").is_file():
        yield path
        return
    packages = _search(path, path.resolve(), MAX_DEPTH)
    first = next(packages, path)
    yield first
    yield from packages


def _search(folder: Path, root: Path, depth: int) -> Iterator[Path]:
    try:
        for entry in sorted(folder.iterdir()):
            if entry.name.startswith(".") or entry.name in _NOT_CONTENT or not _inside(entry, root):
                continue
            if entry.is_file():
                if entry.suffix.lower() == ".zip":
                    yield entry
            elif entry.is_dir():
                is_package = (entry / "problem.yaml").is_file()
                if is_package or any((entry / "data" / d).is_dir() for d in ("sample", "secret")):
                    yield entry
                elif depth > 1:
                    yield from _search(entry, root, depth - 1)
    except OSError:
        yield folder  # opening it fails too, and says why


def _inside(path: Path, root: Path) -> bool:
    """False for a link that leaves `root` (which is resolved), or goes round in a circle."""
    try:
        return path.resolve().is_relative_to(root)
    except (OSError, RuntimeError):
        return False


def package_name(package: Path, root: Path) -> str:
    """The path below `root`, joined by '-'; of `root` itself, the folder's name.

    >>> package_name(Path("all/round1/sum"), Path("all"))
    'round1-sum'
    """
    relative = Path(package.resolve().name) if package == root else package.relative_to(root)
    if package.suffix.lower() == ".zip" and package.is_file():
        relative = relative.with_suffix("")
    return "-".join(relative.parts) or "package"


@contextmanager
def open_package(package: Path) -> Iterator[Files]:
    """The files of a folder or a zip. Raises PackageError for one that is too big, or has a link
    or a device where tests, validators or settings belong; OSError and zipfile's errors."""
    if package.is_file():
        with zipfile.ZipFile(package) as archive:
            yield _zip_files(archive)
    else:
        yield _folder_files(package)


def _folder_files(package: Path) -> Files:
    root = package.resolve()
    names, total = [], 0

    def fail(e: OSError) -> None:
        raise e  # os.walk would leave an unreadable folder out

    for folder, folders, files in os.walk(package, onerror=fail):
        folders[:] = [f for f in folders if f not in _NOT_CONTENT]
        for sub in (Path(folder, f) for f in folders):
            if sub.is_symlink():  # os.walk does not follow it
                _skip(sub.relative_to(package).as_posix())
        for file in files:
            path = Path(folder, file)
            name = path.relative_to(package).as_posix()
            if file in _NOT_CONTENT:
                continue
            if _inside(path, root) and path.is_file():
                names.append(name)
                total += path.stat().st_size
            else:
                _skip(name)
    _check_size(total)
    return Files(tuple(sorted(names)), lambda name: (package / name).read_bytes())


def _zip_files(archive: zipfile.ZipFile) -> Files:
    members: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        parts = PurePosixPath(info.filename).parts
        if not info.is_dir() and not _NOT_CONTENT & set(parts):
            members["/".join(parts)] = info
    _check_size(sum(info.file_size for info in members.values()))
    # the package is the archive, or the one folder in it
    roots = {n.removesuffix("problem.yaml") for n in members if n.endswith("problem.yaml")}
    roots = {r for r in roots if r == "" or (r.count("/") == 1 and r.endswith("/"))}
    if len(roots) > 1 and "" not in roots:
        raise PackageError("bad_package", f"the zip holds {len(roots)} packages; zip each alone")
    root = "" if "" in roots or not roots else roots.pop()
    names = []
    for name in sorted(n.removeprefix(root) for n in members if n.startswith(root)):
        if stat.S_ISLNK(members[root + name].external_attr >> 16):
            _skip(name)
        else:
            names.append(name)
    return Files(tuple(names), lambda name: _unzip(archive, members[root + name]))


def _unzip(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """A member's bytes, piece by piece: it may hold far more than it says, and `ZipFile.read`
    unpacks all of that before it looks. So does zipfile with the rarer methods, always."""
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise PackageError(
            "bad_package", f"{member.filename} is not packed with deflate; make a usual zip of it"
        )
    with archive.open(member) as f:
        return b"".join(iter(lambda: f.read(_PIECE), b""))


def _skip(name: str) -> None:
    """Leave out a link or device, unless verdicts depend on it."""
    if PurePosixPath(name).parts[0] in _DECISIVE:
        raise PackageError(
            "bad_package", f"{name} is a link that can't be followed, or no file; put a copy there"
        )


def _check_size(total: int) -> None:
    if total > MAX_BYTES:
        raise PackageError("bad_package", f"the files have {total} bytes, over {MAX_BYTES}")
