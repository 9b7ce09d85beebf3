"""Fixtures of the curation tests; plain helpers are in curation_helpers.py."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from pipelines.problem import Problem
from pipelines.shards import write_problems

# The kept scripts in benchmarks/ are no installed package.
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]


@pytest.fixture
def shards(tmp_path: Path) -> Callable[[Sequence[Problem]], Path]:
    """Writes problems to a folder of shards."""

    def write(problems: Sequence[Problem]) -> Path:
        folder = tmp_path / "in"
        write_problems(problems, folder)
        return folder

    return write
