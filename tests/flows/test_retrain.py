"""When a scheduled retraining trains, and what it does with the training before."""

from __future__ import annotations

from pathlib import Path

from flows.stages import dataset_hash
from flows.training import STATE, archive_training, needs_training
from pipelines.problem import Problem, TestCase
from pipelines.publish import PublishConfig, publish
from pipelines.shards import write_json_atomic, write_problems


def publish_problems(run: Path, *names: str) -> None:
    shards = run / "07-select"
    write_problems([Problem(id=f"a/{n}", tests=(TestCase("1", "1"),)) for n in names], shards)
    publish([shards], run / "dataset", PublishConfig())


def finish_training(run: Path) -> None:
    (run / "train").mkdir()
    (run / "train" / "metrics.jsonl").write_text("{}\n")
    write_json_atomic(run / STATE, {"dataset": dataset_hash(run), "finished": True})


def test_trains_once_per_dataset(tmp_path: Path) -> None:
    publish_problems(tmp_path, "one")
    assert needs_training(tmp_path)
    finish_training(tmp_path)
    assert not needs_training(tmp_path)
    publish_problems(tmp_path, "one")  # built again, same rows
    assert not needs_training(tmp_path)
    assert archive_training(tmp_path) is None

    before = dataset_hash(tmp_path)
    publish_problems(tmp_path, "one", "two")
    assert needs_training(tmp_path)
    kept = archive_training(tmp_path)
    assert kept == tmp_path / "train-history" / before[:12]
    assert (kept / "metrics.jsonl").exists()
    assert not (tmp_path / "train").exists()


def test_unfinished_training_goes_on(tmp_path: Path) -> None:
    publish_problems(tmp_path, "one")
    finish_training(tmp_path)
    write_json_atomic(tmp_path / STATE, {"dataset": dataset_hash(tmp_path), "finished": False})
    assert needs_training(tmp_path)
    assert archive_training(tmp_path) is None
    assert (tmp_path / "train").exists()


def test_damaged_state_means_train(tmp_path: Path) -> None:
    publish_problems(tmp_path, "one")
    (tmp_path / STATE).write_text("{not json")
    assert needs_training(tmp_path)
