"""Stages: balanced books, finished work found by content, and the same bytes after a kill."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pipelines.config import StageConfig
from pipelines.problem import Problem, drop
from pipelines.shards import ShardError, Shards, check_shards, write_problems
from pipelines.stage import (
    Decision,
    Journal,
    StageContext,
    StageError,
    StageResult,
    code_hash,
    iter_dropped,
    read_result,
    run_stage,
    work_dir,
)


class Config(StageConfig):
    keep_below: int = 5


def decide(problems: Iterable[Problem], ctx: StageContext) -> Iterator[Decision]:
    ctx.extra["seen"] = 0
    for i, p in enumerate(problems):
        ctx.extra["seen"] += 1
        yield p if i < 5 else drop(p, "demo", "too_many", place=i)


def stage(folder: Path, config: Config | None = None, **more: Any) -> StageResult:
    config = config or Config()
    return run_stage("demo", [folder / "in"], folder / "out", config, decide, rooms=(), **more)


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_problems([Problem(id=f"demo/{i}") for i in range(8)], tmp_path / "in")
    return tmp_path


def test_kept_and_dropped_are_written_and_counted(folder: Path) -> None:
    result = stage(folder)
    assert (result.n_in, result.kept, result.dropped) == (8, 5, 3)
    assert result.reasons == {"too_many": 3}
    assert result.extra == {"seen": 8}
    assert not result.reused
    assert [p.id for p in Shards([folder / "out"])] == [f"demo/{i}" for i in range(5)]
    dropped = list(iter_dropped(folder / "out"))
    assert [d["id"] for d in dropped] == ["demo/5", "demo/6", "demo/7"]
    assert dropped[0]["problem"]["id"] == "demo/5"
    assert json.loads(dropped[0]["evidence"]) == {"place": 5}
    assert not work_dir(folder / "out").exists()


def test_finished_work_is_found_by_inputs_config_and_extra(folder: Path) -> None:
    first = stage(folder)
    before = files(folder / "out")
    again = stage(folder)
    assert again.reused
    assert again.seconds == pytest.approx(first.seconds, abs=1e-3)
    assert files(folder / "out") == before

    assert not stage(folder, config=Config(keep_below=4)).reused
    assert not stage(folder, key_extra="another model").reused
    assert stage(folder, key_extra="another model").reused
    write_problems([Problem(id=f"demo/{i}") for i in range(6)], folder / "in")
    changed = stage(folder, key_extra="another model")
    assert (changed.reused, changed.n_in) == (False, 6)


def test_damaged_output_is_made_again(folder: Path) -> None:
    stage(folder)
    good = files(folder / "out")
    (folder / "out" / "part-00000.parquet").write_bytes(b"PAR1")
    assert not stage(folder).reused
    assert files(folder / "out") == good


def test_code_hash_depends_on_the_rooms() -> None:
    assert code_hash("pipelines") != code_hash("pipelines", "curation")
    assert code_hash("curation", "pipelines") == code_hash("pipelines", "curation")


def test_a_lost_row_is_an_error(folder: Path) -> None:
    def lose(problems: Iterable[Problem], ctx: StageContext) -> Iterator[Decision]:
        yield from list(problems)[1:]

    with pytest.raises(StageError, match="8 rows came in but 7 were kept or dropped"):
        run_stage("demo", [folder / "in"], folder / "out", Config(), lose, rooms=())
    assert not (folder / "out").exists()


def test_a_failing_stage_leaves_the_old_result(folder: Path) -> None:
    stage(folder)
    before = files(folder / "out")

    def fail(problems: Iterable[Problem], ctx: StageContext) -> Iterator[Decision]:
        yield next(iter(problems))
        raise RuntimeError("power")

    with pytest.raises(RuntimeError, match="power"):
        run_stage("demo", [folder / "in"], folder / "out", Config(), fail, rooms=(), key_extra=1)
    assert files(folder / "out") == before
    assert not list(work_dir(folder / "out").rglob("*.parquet*"))


def test_progress_counts_every_row(folder: Path) -> None:
    seen: list[tuple[int, int | None, str]] = []
    stage(folder, progress=lambda s, done, total, note="": seen.append((done, total, note)))
    assert seen == [(i, 8, "") for i in range(9)]
    seen.clear()
    stage(folder, progress=lambda s, done, total, note="": seen.append((done, total, note)))
    assert seen == [(8, 8, "reused")]


def test_a_journal_forgets_only_its_torn_line(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    journal = Journal(path)
    for key, value in {"a": [1, None], "b": "x\r\n\u2028\ud800", "c": 3}.items():
        journal.put(key, value)
    journal.close()
    path.write_bytes(path.read_bytes()[:-4])

    journal = Journal(path)
    assert journal.entries == {"a": [1, None], "b": "x\r\n\u2028\ud800"}
    assert journal.get("c") is None
    journal.put("c", 4)
    journal.close()
    assert Journal(path).get("c") == 4


def test_an_unfinished_folder_is_not_a_result(tmp_path: Path) -> None:
    with pytest.raises(ShardError, match="not a finished shard folder"):
        read_result(tmp_path)


SLOW_STAGE = """
import sys, time
from pathlib import Path
from typing import Any
from pipelines.config import StageConfig
from pipelines.problem import drop
from pipelines.stage import run_stage

root, out, pause = Path(sys.argv[1]), sys.argv[2], float(sys.argv[3])
worked = 0

def decide(problems, ctx):
    global worked
    for p in problems:
        answer = ctx.journal.get(p.id)
        if answer is None:
            time.sleep(pause)
            worked += 1
            answer = {"length": len(p.statement)}
            ctx.journal.put(p.id, answer)
        ctx.extra["longest"] = max(ctx.extra.get("longest", 0), answer["length"])
        yield p if answer["length"] % 2 else drop(p, "slow", "even", **answer)

run_stage("slow", [root / "in"], root / out, StageConfig(), decide, rooms=())
print(worked)
"""


def test_a_killed_stage_goes_on_and_gives_the_same_bytes(tmp_path: Path) -> None:
    rows = [Problem(id=f"demo/{i}", statement="x" * (i * 7 % 50)) for i in range(60)]
    write_problems(rows, tmp_path / "in")
    root = Path(__file__).resolve().parents[2]

    def command(out: str, pause: str) -> list[str]:
        return [sys.executable, "-c", SLOW_STAGE, str(tmp_path), out, pause]

    killed = subprocess.Popen(command("out", "0.05"), cwd=root)
    journal = work_dir(tmp_path / "out") / "journal.jsonl"
    deadline = time.monotonic() + 60
    while not (journal.exists() and journal.read_bytes().count(b"\n") >= 5):
        assert killed.poll() is None, "the stage ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.01)
    killed.send_signal(signal.SIGKILL)
    assert killed.wait() == -signal.SIGKILL
    assert not (tmp_path / "out").exists()

    again = subprocess.run(command("out", "0"), cwd=root, capture_output=True, text=True)
    undisturbed = subprocess.run(command("ref", "0"), cwd=root, capture_output=True, text=True)
    assert (again.returncode, undisturbed.returncode) == (0, 0), again.stderr + undisturbed.stderr
    assert int(undisturbed.stdout) == 60
    assert int(again.stdout) <= 55  # what the journal held was not done twice
    assert files(tmp_path / "out") == files(tmp_path / "ref")
    check_shards(tmp_path / "out")
    assert not work_dir(tmp_path / "out").exists()
