"""Helpers: problems written for these tests, folders of bytes, a stage killed half-way."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from pipelines.problem import Problem, TestCase
from pipelines.shards import Shards
from pipelines.stage import iter_dropped

_VOCABULARY = """
    array tree path weight vertex colour minimum query swap prefix digit integer string edge
    move coin stone grid row column robot player score total answer count print given choose
    remove split merge rotate reverse index subset sequence length value sum distinct exactly
"""
WORDS = _VOCABULARY.split()


def prose(seed: int, words: int = 120) -> str:
    """A made-up statement; different seeds share no five words in a row."""
    rng = random.Random(seed)
    return " ".join(rng.choice(WORDS) + (" 7" if rng.random() < 0.05 else "") for _ in range(words))


def problem(row_id: str, statement: str = "", **fields: Any) -> Problem:
    """A problem with one test."""
    fields.setdefault("tests", (TestCase("1\n", "2\n"),))
    return Problem(id=row_id, statement=statement or prose(len(row_id)), **fields)


def kept(out: Path) -> list[Problem]:
    return list(Shards([out]))


def dropped(out: Path) -> dict[str, tuple[str, dict[str, Any]]]:
    """id -> (reason, evidence)."""
    return {r["id"]: (r["reason"], json.loads(r["evidence"])) for r in iter_dropped(out)}


def folder_bytes(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {
        p.relative_to(folder).as_posix(): p.read_bytes()
        for p in sorted(folder.rglob("*"))
        if p.is_file()
    }


SLOW_STAGE = """
import sys, time
import {module}
from pathlib import Path
from {module} import {stage}
def watch(stage, done, total, note=""):
    print(done, note, flush=True)
    time.sleep(0.02)
{stage}([Path(sys.argv[1])], Path(sys.argv[2]), {config}, progress=watch)
"""


def kill_half_way(
    stage: str, source: Path, out: Path, lines: int, prelude: str = "", config: str = "None"
) -> None:
    """Run a stage in another process and kill -9 it after `lines` progress calls. `config`: the
    source of its config, for names that `prelude` imports."""
    script = prelude + SLOW_STAGE.format(module=f"curation.{stage}", stage=stage, config=config)
    with subprocess.Popen(
        [sys.executable, "-c", script, str(source), str(out)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        for _ in range(lines):
            assert process.stdout.readline(), "the stage ended before it could be killed"
        process.kill()
    assert process.returncode == -signal.SIGKILL
    assert not out.exists()
