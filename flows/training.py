"""The training stage of a run: dataset in, checkpoints, metrics and the report out."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from difficulty.models import check_model
from flows.config import RunConfig
from flows.stages import dataset_hash, locked
from pipelines.config import ConfigError
from pipelines.shards import write_json_atomic, write_text_atomic
from pipelines.stage import Progress, StageError, no_progress

#: Which dataset train/ belongs to, and whether that training is finished.
STATE = "training.json"


def train_run(
    config: RunConfig,
    run: Path,
    resume: bool = True,
    progress: Progress = no_progress,
) -> bool:
    """Train on `run`/dataset and write the report. Returns False when this dataset was trained
    on already and nothing had to be done. Raises StageError when there is no dataset.

    >>> # train_run(load_config(Path("my.toml")), Path("runs/my"))
    """
    from training.report import write_report
    from training.trainer import train

    if config.build.train is None:
        raise ConfigError(
            f"{config.path}: table [train] is missing; give at least preset = 'microcoder-grpo'"
        )
    dataset = run / "dataset"
    if not (dataset / "manifest.json").exists():
        raise StageError(
            f"{dataset}: no dataset yet; run `microcoder build --config {config.path}`"
        )
    check_model(config.train().model)
    write_text_atomic(run / "config.toml", config.text)
    with locked(run):
        if not resume:
            shutil.rmtree(run / "train", ignore_errors=True)
        current = dataset_hash(run)
        state = training_state(run)
        finished_before = bool(state.get("finished")) and state.get("dataset") == current
        write_json_atomic(run / STATE, {"dataset": current, "finished": finished_before})
        train(config.train(), dataset, run / "train", progress=progress, resume=resume)
        write_json_atomic(run / STATE, {"dataset": current, "finished": True})
        write_report(run)
    return not finished_before


def training_state(run: Path) -> dict[str, object]:
    """What training.json says, or an empty dict."""
    try:
        return dict(json.loads((run / STATE).read_text("utf-8")))
    except (FileNotFoundError, ValueError):
        return {}


def needs_training(run: Path) -> bool:
    """Whether the published dataset differs from the one that training finished on."""
    state = training_state(run)
    return not state.get("finished") or state.get("dataset") != dataset_hash(run)


def archive_training(run: Path) -> Path | None:
    """Put the training of an older dataset aside (train-history/<dataset hash>), so that the
    next one starts clean and none is lost. None when there is nothing to put aside."""
    state = training_state(run)
    old = state.get("dataset")
    if old == dataset_hash(run) or not (run / "train").exists():
        return None
    target = run / "train-history" / str(old or "unknown")[:12]
    shutil.rmtree(target, ignore_errors=True)
    target.parent.mkdir(exist_ok=True)
    os.rename(run / "train", target)
    return target
