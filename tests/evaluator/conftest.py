"""Shared by the evaluator's tests: one Judge, and short ways to write problems."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from evaluator.judge import Judge, sandbox_status
from pipelines.problem import Problem, TestCase

_MARK = "marshal.loads(os.pread(code"  # in the command line of every launcher


def make_problem(*tests: tuple[str, str], **fields: object) -> Problem:
    """A problem with those (input, output) tests."""
    cases = tuple(TestCase(i, o) for i, o in tests)
    return Problem(id="test/p", tests=cases, **fields)  # type: ignore[arg-type]


def sandboxed_processes(of: int | None = None) -> list[int]:
    """Every process on the machine that belongs to a sandbox (of that controller only: other
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


@pytest.fixture(scope="session")
def needs_tier_a() -> None:
    status = sandbox_status()
    if status.tier != "A":
        pytest.skip(f"tier {status.tier} on this machine: {status.missing}")


@pytest.fixture(scope="module")
def judge(needs_tier_a: None) -> Iterator[Judge]:
    with Judge(time_limit_s=5, memory_limit_mb=512) as j:
        yield j


@pytest.fixture
def problem() -> Callable[..., Problem]:
    return make_problem


@pytest.fixture
def my_processes() -> Callable[[], list[int]]:
    return lambda: sandboxed_processes(of=os.getpid())
