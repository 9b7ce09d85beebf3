"""Whole training runs of a tiny model: what they write, and that a killed one ends the same."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pipelines.problem import Problem
from pipelines.shards import write_problems
from training.checkpoint import checkpoint_path, read_lines
from training.data import split
from training.rollout import read_rollouts, rollout_path
from training.trainer import TrainError, train

pytestmark = pytest.mark.lm
ROOT = Path(__file__).resolve().parents[2]
SAME = ("metrics.jsonl", "evaluations.jsonl", "temperature.json", "config.json", "best.json")

#: Trains, and kills itself: in the n-th call of torch.save, or when progress says some words.
KILLED = """
import os, signal, sys
from pathlib import Path
import torch
from training.config import TrainConfig
from training.trainer import train

config, dataset, run, stage, done, words = sys.argv[1:]
torch.set_num_threads(1)

def die(*args, **kwargs):
    os.kill(os.getpid(), signal.SIGKILL)

def progress(at, n, total, note=""):
    if at == stage and n == int(done) and words in note:
        if words == "writing":
            torch.save = die  # the model is written then, the optimiser is not
        else:
            die()

train(TrainConfig.model_validate_json(config), Path(dataset), Path(run), progress)
"""


def killed(config: Any, dataset: Path, run: Path, stage: str, done: int, words: str) -> None:
    """Run until the given moment; the process must have died of the signal."""
    args = [config.model_dump_json(), str(dataset), str(run), stage, str(done), words]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    done_process = subprocess.run(
        [sys.executable, "-c", KILLED, *args], env=env, capture_output=True, text=True, timeout=300
    )
    assert done_process.returncode == -signal.SIGKILL, done_process.stderr


def assert_same(ours: Path, theirs: Path) -> None:
    """The same bytes, but for the seconds."""
    for name in SAME:
        assert (ours / name).read_bytes() == (theirs / name).read_bytes(), name
    for file in sorted((theirs / "rollouts").iterdir()):
        assert (ours / "rollouts" / file.name).read_bytes() == file.read_bytes()
    for file in sorted((theirs / "checkpoints").rglob("*.safetensors")):
        assert (ours / file.relative_to(theirs)).read_bytes() == file.read_bytes()
    found = [sorted(f.name for f in (run / "checkpoints").iterdir()) for run in (ours, theirs)]
    assert found[0] == found[1]


def test_what_a_run_writes(finished: Any) -> None:
    run, result = finished.folder, finished.result
    metrics = read_lines(run / "metrics.jsonl")
    assert [m["step"] for m in metrics] == [1, 2, 3, 4]
    assert any(m["rows_trained"] for m in metrics)
    assert all(0 <= m["reward_mean"] <= 1 and m["tokens"] for m in metrics)
    evaluations = read_lines(run / "evaluations.jsonl")
    assert [e["step"] for e in evaluations] == [0, 2, 4]
    assert all(e["low"] <= e["pass_at_1"] <= e["high"] for e in evaluations)
    assert all(len(e["problems"]) == 1 and e["attempts"] == 2 for e in evaluations)
    timings = read_lines(run / "timings.jsonl")
    assert [t["step"] for t in timings] == [0, 1, 2, 3, 4]
    assert set(timings[0]["seconds"]) == {"sweep", "evaluate"}
    assert {"rollout", "judge", "update", "evaluate"} <= set(timings[2]["seconds"])
    temperature = json.loads((run / "temperature.json").read_text())
    assert temperature["kind"] == "diversity"
    assert [r["temperature"] for r in temperature["table"]] == [0.8, 1.2]
    assert {m["temperature"] for m in metrics} == {temperature["temperature"]}
    # groups of four: D is labelled, and the sweep has eight answers all the same
    assert {m["diversity_responses"] for m in metrics} == {4}
    assert {m["diversity_left_out"] for m in metrics} == {0}
    assert {r["responses"] for r in temperature["table"]} == {8}
    assert temperature["decision"].endswith("do not compare the two.")
    assert json.loads((run / "config.json").read_text())["steps"] == 4
    assert result.checkpoint == checkpoint_path(run, 4)
    assert result.best is not None
    assert result.best.is_dir()
    assert not list(run.rglob("*.tmp*"))


def test_progress_names_every_stage(finished: Any) -> None:
    stages = {stage for stage, *_ in finished.progress}
    assert stages == {"sweep", "evaluate", "train"}
    stage, done, total, note = finished.progress[-1]
    assert (stage, done, total) == ("train", 4, 4)
    assert note.startswith("reward ")
    notes = [note for stage, _, _, note in finished.progress if stage == "train"]
    assert any(n.startswith("sampling 12 answers") for n in notes)


def test_the_best_and_last_checkpoints_load(finished: Any) -> None:
    from difficulty.samplers import load_model

    model, tokenizer = load_model(finished.result.checkpoint)
    assert tokenizer.chat_template
    assert model.config.num_hidden_layers == 2


def test_held_out_problems_are_never_trained_on(finished: Any, problems: list[Problem]) -> None:
    held = set(read_lines(finished.folder / "evaluations.jsonl")[0]["problems"])
    assert len(held) == 1
    seen = set()
    for step in range(1, 5):
        rollouts = read_rollouts(rollout_path(finished.folder, step))
        assert rollouts is not None
        seen |= {r.prompt_id for r in rollouts}
    assert not held & seen
    assert held | seen == {p.id for p in problems}


def test_killed_three_times_ends_in_the_same_bytes(
    finished: Any, dataset: Path, tmp_path: Path
) -> None:
    run = tmp_path / "train"
    killed(finished.config, dataset, run, "evaluate", 0, "step 0")
    assert not (run / "rollouts").exists()
    killed(finished.config, dataset, run, "train", 1, "writing")
    assert not checkpoint_path(run, 2).exists()
    assert rollout_path(run, 2).exists()
    killed(finished.config, dataset, run, "train", 2, "updating")
    assert checkpoint_path(run, 2).exists()
    assert rollout_path(run, 3).exists()
    with (run / "metrics.jsonl").open("a") as f:
        f.write('{"step": 3, "rew')  # a line that was being written
    told: list[str] = []
    result = train(
        finished.config, dataset, run, lambda stage, done, total, note="": told.append(note)
    )
    assert not result.reused
    assert sum(n == "sampling 12 answers" for n in told) == 1  # step 3 from its file, step 4 new
    assert_same(run, finished.folder)
    assert [t["step"] for t in read_lines(run / "timings.jsonl")] == [0, 1, 2, 3, 4]


def test_all_steps_replayed_from_their_files(finished: Any, dataset: Path, tmp_path: Path) -> None:
    run = tmp_path / "train"
    shutil.copytree(finished.folder, run)
    shutil.rmtree(run / "checkpoints")
    told: list[str] = []
    train(finished.config, dataset, run, lambda stage, done, total, note="": told.append(note))
    assert not any("sampling" in n for n in told)
    assert_same(run, finished.folder)


def test_a_damaged_rollout_file_is_sampled_again(
    finished: Any, dataset: Path, tmp_path: Path
) -> None:
    run = tmp_path / "train"
    shutil.copytree(finished.folder, run)
    shutil.rmtree(checkpoint_path(run, 4))
    path = rollout_path(run, 3)
    path.write_bytes(path.read_bytes()[:-100])
    train(finished.config, dataset, run)
    assert_same(run, finished.folder)


def test_a_finished_run_returns_at_once_without_torch(finished: Any, dataset: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from training.config import TrainConfig; "
        "from training.trainer import train; "
        "r = train(TrainConfig.model_validate_json(sys.argv[1]), *map(Path, sys.argv[2:])); "
        "assert r.reused and 'torch' not in sys.modules, r; print(r.pass_at_1_end)"
    )
    args = [finished.config.model_dump_json(), str(dataset), str(finished.folder)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    out = subprocess.run(
        [sys.executable, "-c", code, *args], env=env, capture_output=True, text=True, timeout=120
    )
    assert out.returncode == 0, out.stderr
    assert float(out.stdout) == finished.result.pass_at_1_end


def test_other_settings_are_refused_by_name(finished: Any, dataset: Path) -> None:
    other = finished.config.model_copy(update={"lr": 0.5, "judge_workers": 1})
    with pytest.raises(TrainError, match=r"lr \(0\.001 then, 0\.5 now\);.*--no-resume"):
        train(other, dataset, finished.folder)
    mask = finished.config.mask.model_copy(update={"rho": 0.5})
    with pytest.raises(TrainError, match=r"mask\.rho"):
        train(finished.config.model_copy(update={"mask": mask}), dataset, finished.folder)


def test_other_judge_workers_are_no_other_run(finished: Any, dataset: Path) -> None:
    other = finished.config.model_copy(update={"judge_workers": 1})
    assert train(other, dataset, finished.folder).reused
    assert train(finished.config, dataset, finished.folder).reused


def test_other_data_are_refused(finished: Any, problems: list[Problem], tmp_path: Path) -> None:
    write_problems(problems[:3], tmp_path / "other")
    with pytest.raises(TrainError, match="the data set"):
        train(finished.config, tmp_path / "other", finished.folder)


def test_no_resume_starts_anew(finished: Any, dataset: Path, tmp_path: Path) -> None:
    run = tmp_path / "train"
    shutil.copytree(finished.folder, run)
    (run / "report.html").write_text("mine")
    config = finished.config.model_copy(update={"steps": 1, "heldout": 0})
    result = train(config, dataset, run, resume=False)
    assert (result.pass_at_1_end, result.best) == (None, None)
    assert len(read_lines(run / "metrics.jsonl")) == 1
    assert [f.name for f in (run / "rollouts").iterdir()] == ["step-000001.parquet"]
    assert (run / "report.html").read_text() == "mine"


def test_diversity_of_a_large_group_is_over_eight_answers(
    make_config: Any, dataset: Path, tmp_path: Path
) -> None:
    from training.diversity import diversity
    from training.rollout import by_slot

    config = make_config(steps=1, prompts_per_step=2, group_size=12, heldout=0)
    train(config, dataset, tmp_path / "train")
    (metrics,) = read_lines(tmp_path / "train" / "metrics.jsonl")
    rollouts = read_rollouts(rollout_path(tmp_path / "train", 1))
    assert rollouts is not None
    answers = [[r.completion_ids for r in group] for group in by_slot(rollouts)]
    end = frozenset(r.completion_ids[-1] for r in rollouts if r.finish_reason == "stop")
    assert metrics["diversity_responses"] == 8
    assert metrics["diversity"] == diversity([a[:8] for a in answers], special=end).value
    assert metrics["diversity"] != diversity(answers, responses=12, special=end).value
    decision = json.loads((tmp_path / "train" / "temperature.json").read_text())["decision"]
    assert decision == "T is 1.2 for the whole run, as configured."


def test_nothing_left_to_train_on(problems: list[Problem]) -> None:
    with pytest.raises(TrainError, match=r"5 problems and 5 are held out.*lower 'heldout'"):
        split(problems, 5)


def test_no_prompt_fits(finished: Any, dataset: Path, tmp_path: Path, tiny: Path) -> None:
    small = tmp_path / "model"
    shutil.copytree(tiny, small)
    config = json.loads((small / "config.json").read_text())
    (small / "config.json").write_text(json.dumps({**config, "max_position_embeddings": 20}))
    settings = finished.config.model_copy(update={"model": str(small)})
    with pytest.raises(TrainError, match="no training prompt fits the model's context of 20"):
        train(settings, dataset, tmp_path / "train")


def test_a_run_learns(make_config: Any, dataset: Path, tmp_path: Path) -> None:
    config = make_config(
        steps=8, prompts_per_step=5, mini_batch=5, group_size=8, heldout=0, checkpoint_every=8
    )  # all problems in every step, so that steps can be compared
    train(config, dataset, tmp_path / "train")
    rewards = [m["reward_mean"] for m in read_lines(tmp_path / "train" / "metrics.jsonl")]
    assert sum(rewards[-3:]) / 3 > rewards[0] + 0.1, rewards
