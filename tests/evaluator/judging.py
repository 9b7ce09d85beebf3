"""Helpers of the evaluator's tests: short ways to write problems, and whom we left running."""

from __future__ import annotations

import re
from pathlib import Path

from pipelines.problem import Problem, TestCase

_MARK = "marshal.loads(os.pread(code"  # in the command line of all that a room holds


def make_problem(*tests: tuple[str, str], **fields: object) -> Problem:
    """A problem with those (input, output) tests."""
    cases = tuple(TestCase(i, o) for i, o in tests)
    return Problem(id="test/p", tests=cases, **fields)  # type: ignore[arg-type]


def sandboxed_processes(of: int | None = None) -> list[int]:
    """Every process on the machine that belongs to a room (of that controller only: other
    people may be judging too)."""
    parents: dict[int, int] = {}
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int(
                    re.search(r"PPid:\s+(\d+)", (entry / "status").read_text()).group(1)  # type: ignore[union-attr]
                )
                if _MARK in (entry / "cmdline").read_text():
                    found.append(int(entry.name))
            except (OSError, AttributeError):
                pass
    if of is None:
        return found
    return [p for p in found if _descends(p, of, parents)]


def _descends(pid: int, ancestor: int, parents: dict[int, int]) -> bool:
    while pid > 1 and pid != ancestor:
        pid = parents.get(pid, 0)
    return pid == ancestor
