"""The report's column for held-out problems that their benchmark's errata name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from training.report import read_gains, write_report

LINE = {"pass_at_1": 0.5, "low": 0.2, "high": 0.8}
METRIC = {"step": 1, "reward_mean": 0.5, "length_mean": 3.0}


def run_folder(tmp_path: Path, *evaluations: dict[str, Any]) -> Path:
    train = tmp_path / "train"
    train.mkdir()
    lines = [json.dumps({"step": i, **LINE, **e}) for i, e in enumerate(evaluations)]
    (train / "evaluations.jsonl").write_text("\n".join(lines) + "\n")
    (train / "metrics.jsonl").write_text(json.dumps(METRIC) + "\n")
    return tmp_path


def test_with_errata(tmp_path: Path) -> None:
    without = {"pass_at_1_without_errata": 0.625, "errata": 2}
    run = run_folder(tmp_path, without, {})
    assert [(g.without_errata, g.errata) for g in read_gains(run)] == [(0.625, 2), (None, 0)]
    html = write_report(run).read_text()
    assert "<th>without errata</th>" in html
    assert "<td>0.625</td>" in html
    assert "(2 at most)" in html


def test_without_errata_nothing_is_said(tmp_path: Path) -> None:
    html = write_report(run_folder(tmp_path, {}, {})).read_text()
    assert "without errata" not in html.lower()
