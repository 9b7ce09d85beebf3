"""The example problems hold what CONTRIBUTING.md promises (verify runs their solutions)."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from pipelines.problem import Problem
from pipelines.sources import read_source

PROBLEMS = Path(__file__).resolve().parents[2] / "examples" / "problems"
PACKAGES = sorted(p.parent for p in PROBLEMS.glob("*/problem.yaml"))


@pytest.fixture(scope="module")
def problems() -> list[Problem]:
    rows = list(read_source("problem_package", PROBLEMS))
    assert all(isinstance(r, Problem) for r in rows)
    return [r for r in rows if isinstance(r, Problem)]


def test_there_are_enough_of_each_kind(problems: list[Problem]) -> None:
    assert len(problems) == len(PACKAGES) >= 36
    assert sum(p.fn_name is not None for p in problems) * 3 >= len(problems)
    assert sum(p.checker.kind == "program" for p in problems) >= 5
    assert set(Counter(p.level for p in problems)) == {"trivial", "easy", "medium", "hard"}


def test_every_package_is_complete(problems: list[Problem]) -> None:
    for p in problems:
        kinds = Counter(t.kind for t in p.tests)
        assert kinds["sample"] >= 1, p.id
        assert kinds["hidden"] >= 10, p.id
        expected = Counter(s.expected for s in p.solutions)
        assert expected["accepted"] >= 2, p.id
        assert expected["wrong_answer"] >= 1, p.id
        assert p.licence == "cc0", p.id


@pytest.mark.parametrize("package", PACKAGES, ids=lambda p: p.name)
def test_generator_makes_the_same_bytes(package: Path, tmp_path: Path) -> None:
    copy = tmp_path / package.name
    shutil.copytree(package, copy)
    shutil.rmtree(copy / "data" / "secret")
    subprocess.run(
        [sys.executable, "generators/gen.py"],
        cwd=copy,
        check=True,
        timeout=120,
        capture_output=True,
    )
    for folder in (package, copy):
        assert (folder / "data" / "secret").is_dir()
    wanted, made = (
        {f.name: f.read_bytes() for f in (d / "data" / "secret").iterdir()} for d in (package, copy)
    )
    assert made == wanted
