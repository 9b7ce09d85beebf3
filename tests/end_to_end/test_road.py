"""The whole road with the embedded language model: build, train, report, and once more."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from flows.stages import STAGES
from pipelines.shards import Shards

REPO = Path(__file__).resolve().parents[2]
MICROCODER = Path(sys.executable).with_name("microcoder")

pytestmark = pytest.mark.lm

NAMES = ("addnumbers", "absolutevalue", "largestelement", "stringlength")
CONFIG = (
    'name = "road"\nseed = 2\n'
    + "".join(
        f'[[source]]\nname = "problem_package"\npath = "{REPO}/examples/problems/{n}"\n'
        for n in NAMES
    )
    + """
[probe]
k = 3
max_new_tokens = 24
chunk = 2

[select]
max_rate = 1.0
keep_unsolved = true

[train]
preset = "microcoder-grpo"
steps = 1
prompts_per_step = 1
mini_batch = 1
group_size = 8
max_new_tokens = 24
heldout = 1
eval_attempts = 1
temperature = { kind = "diversity", candidates = [0.6, 1.0], target = 0.4, prompts = 1 }
"""
)


def microcoder(*args: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [MICROCODER, *map(str, args)],
        capture_output=True,
        text=True,
        timeout=1500,
        check=False,
        env=os.environ | {"COLUMNS": "200", "HF_HUB_OFFLINE": "1"},
    )


def bytes_of(run: Path) -> dict[str, bytes]:
    """Every file of every stage and of training that may not depend on time or machine load."""
    folders = [run / s.folder for s in STAGES]
    files = [p for f in folders for p in f.rglob("*") if p.is_file()]
    train = run / "train"
    files += [train / n for n in ("metrics.jsonl", "evaluations.jsonl", "temperature.json")]
    files += sorted(train.glob("checkpoints/*/model.safetensors"))
    return {str(p.relative_to(run)): p.read_bytes() for p in files}


def test_the_whole_road_twice(tmp_path: Path) -> None:
    config = tmp_path / "road.toml"
    config.write_text(CONFIG)
    run = tmp_path / "run"
    built = microcoder("build", "--config", config, "--run", run)
    assert built.returncode == 0, built.stderr
    trained = microcoder("train", "--config", config, "--run", run)
    assert trained.returncode == 0, trained.stderr
    assert "Gain per step" in trained.stdout
    assert str(run / "train" / "report.html") in trained.stdout.replace("\n", "")

    funnel = json.loads((run / "funnel.json").read_text())
    assert [r["stage"] for r in funnel] == [s.name for s in STAGES]
    for row in funnel:
        assert row["kept"] + row["dropped"] == row["n_in"]
    probed = list(Shards([run / "06-probe"]))
    assert len(probed) == len(NAMES)
    for p in probed:
        (probe,) = p.probes
        assert 0 <= probe.low <= probe.pass_rate <= probe.high <= 1
        assert probe.k == 3
    # 135 M parameters add two numbers; a probe that never sees a pass would be broken
    assert max(p.probes[0].pass_rate for p in probed) > 0

    page = (run / "train" / "report.html").read_text()
    assert "Gain per step" in page
    assert "Problems by pass rate" in page
    outside = set(re.findall(r"(?:https?:)?//[^\s\"'<>)]+", page))
    assert all(url.startswith("http://www.w3.org/") for url in outside), outside
    assert "<script" not in page

    first = bytes_of(run)
    assert microcoder("build", "--config", config, "--run", run).stdout.count("(reused)") == 8
    assert microcoder("train", "--config", config, "--run", run).returncode == 0
    assert bytes_of(run) == first

    # elsewhere, killed in the probe and in training: the same bytes
    other = tmp_path / "other"
    _kill_when(
        ["build", "--config", config, "--run", other], other / ".06-probe.work/journal.jsonl"
    )
    assert microcoder("build", "--config", config, "--run", other).returncode == 0
    _kill_when(
        ["train", "--config", config, "--run", other], other / "train/rollouts/step-000001.parquet"
    )
    assert microcoder("train", "--config", config, "--run", other).returncode == 0
    assert bytes_of(other) == first


def _kill_when(args: list[object], file: Path) -> None:
    """Start the command and SIGKILL it once `file` has bytes in it."""
    child = subprocess.Popen(
        [MICROCODER, *map(str, args)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env=os.environ | {"HF_HUB_OFFLINE": "1"},
    )
    for _ in range(6000):
        if file.exists() and file.stat().st_size:
            break
        assert child.poll() is None, f"the command ended before {file} appeared"
        time.sleep(0.1)
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def test_model_folder_that_does_not_exist(tmp_path: Path) -> None:
    config = tmp_path / "road.toml"
    config.write_text(CONFIG.replace("[probe]", '[probe]\nmodel = "/nowhere/model"'))
    out = microcoder("build", "--config", config, "--run", tmp_path / "run")
    assert out.returncode == 1
    assert "model folder /nowhere/model does not exist" in out.stderr
    assert not (tmp_path / "run").exists()
