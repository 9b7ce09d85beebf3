"""Flow `retrain`: build the dataset, and train only when it changed. Made for a schedule."""

from __future__ import annotations

from pathlib import Path

from prefect import flow, get_run_logger

from flows.build_dataset import build_dataset
from flows.config import load_config
from flows.train import train
from flows.training import archive_training, needs_training


@flow(name="retrain", log_prints=True)
def retrain(config: str = "examples/configs/quickstart.toml", run: str | None = None) -> bool:
    """Build, then train if the dataset changed since the last finished training (whose folder
    moves to train-history/). Returns whether it trained."""
    logger = get_run_logger()
    run_dir = load_config(Path(config)).run_dir(Path(run) if run else None)
    build_dataset(config, run)
    if not needs_training(run_dir):
        logger.info("the dataset has not changed since the last training: nothing to train")
        return False
    archived = archive_training(run_dir)
    if archived is not None:
        logger.info("the dataset changed; the training of the older one is kept in %s", archived)
    train(config, run)
    return True


if __name__ == "__main__":
    retrain()
