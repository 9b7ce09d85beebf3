from __future__ import annotations

import time
from pathlib import Path

import pytest

from training.trainer import train

pytestmark = pytest.mark.lm


def test_learns(make_config, dataset: Path, tmp_path: Path) -> None:
    t = time.time()

    def progress(stage, done, total, note=""):
        print(f"{time.time() - t:.1f}", stage, done, total, note)

    result = train(make_config(steps=12), dataset, tmp_path / "train", progress)
    print(result)
    print((tmp_path / "train" / "metrics.jsonl").read_text())
    print((tmp_path / "train" / "evaluations.jsonl").read_text())
    print((tmp_path / "train" / "timings.jsonl").read_text())
    import subprocess

    print(subprocess.run(["find", str(tmp_path)], capture_output=True, text=True).stdout)
