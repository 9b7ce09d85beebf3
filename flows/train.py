"""Flow `train`: MicroCoder-GRPO on the dataset of a run, then the report."""

from __future__ import annotations

from pathlib import Path

from prefect import flow

from flows.config import load_config
from flows.prefect_tasks import gains_artifact, train_task


@flow(name="train", log_prints=True)
def train(config: str = "examples/configs/quickstart.toml", run: str | None = None) -> str:
    """Train as the config's [train] table says. Returns the path of the report."""
    checked = load_config(Path(config))
    run_dir = checked.run_dir(Path(run) if run else None)
    train_task(checked, run_dir)
    gains_artifact(checked, run_dir)
    return str(run_dir / "train" / "report.html")


if __name__ == "__main__":
    train()
