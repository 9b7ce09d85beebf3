"""Fixtures of the evaluator's tests."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest
from judging import sandboxed_processes

from evaluator.judge import Judge, sandbox_status


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
def my_processes() -> Callable[[], list[int]]:
    """Sandboxed processes that this test started (a judge of the module may have others)."""
    before = set(sandboxed_processes(of=os.getpid()))
    return lambda: [p for p in sandboxed_processes(of=os.getpid()) if p not in before]
