"""The run folder's files: logs that a crash cut, checkpoints kept and refused, the lock."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from training import checkpoint
from training.checkpoint import (
    alone,
    append_line,
    checkpoint_path,
    checkpoint_steps,
    clear,
    identity_of,
    load_state,
    open_run,
    prune,
    read_lines,
    truncate_log,
)
from training.config import MaskConfig, StagedT, TrainConfig
from training.data import TrainError


def identity(**values: Any) -> checkpoint.Identity:
    return identity_of(TrainConfig(**values), ["abc"], "def")


def fake(run: Path, step: int, **state: Any) -> Path:
    path = checkpoint_path(run, step)
    path.mkdir(parents=True)
    (path / "state.json").write_text(json.dumps({"step": step, **state}))
    return path


def test_logs_keep_whole_lines_up_to_a_step(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    for step in range(4):
        append_line(path, {"step": step, "text": "ü\n"})
    whole = path.read_bytes()
    with path.open("ab") as f:
        f.write(b'{"step": 4, "x')
    assert [line["step"] for line in read_lines(path)] == [0, 1, 2, 3]
    truncate_log(path, 9)
    assert path.read_bytes() == whole
    truncate_log(path, 1)
    assert [line["step"] for line in read_lines(path)] == [0, 1]
    append_line(path, {"step": 2})
    assert [line["step"] for line in read_lines(path)] == [0, 1, 2]
    truncate_log(tmp_path / "absent.jsonl", 3)
    assert not (tmp_path / "absent.jsonl").exists()


@pytest.mark.parametrize("cut", range(1, 13))
def test_a_line_cut_anywhere_is_dropped(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "a.jsonl"
    append_line(path, {"step": 1})
    append_line(path, {"step": 2})
    path.write_bytes(path.read_bytes()[:-cut])
    truncate_log(path, 5)
    assert path.read_bytes() == b'{"step": 1}\n'


def test_numbers_that_are_not_json_are_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON"):
        append_line(tmp_path / "a.jsonl", {"step": 1, "loss": float("nan")})
    assert read_lines(tmp_path / "a.jsonl") == []


def test_the_same_run_opens_again(tmp_path: Path) -> None:
    open_run(tmp_path, identity(lr=1e-3))
    open_run(tmp_path, identity(lr=1e-3, judge_workers=3))


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ({"seed": 1}, "seed"),
        ({"batch_size": 5}, "batch_size"),
        ({"threads": 2}, "threads"),
        ({"mask": MaskConfig(mode="none")}, "mask.mode"),
        ({"temperature": StagedT(stages=((0, 1.0),))}, "temperature.kind"),
        ({"few_shot": ()}, "few_shot"),
    ],
)
def test_other_settings_are_named(tmp_path: Path, values: dict[str, Any], key: str) -> None:
    open_run(tmp_path, identity())
    before = (tmp_path / "config.json").read_bytes()
    with pytest.raises(TrainError) as e:
        open_run(tmp_path, identity(**values))
    assert f" {key} (" in str(e.value)
    assert "--no-resume" in str(e.value)
    assert (tmp_path / "config.json").read_bytes() == before


def test_other_inputs_are_named(tmp_path: Path) -> None:
    open_run(tmp_path, identity())
    with pytest.raises(TrainError, match="the data set"):
        open_run(tmp_path, identity_of(TrainConfig(), ["xyz"], "def"))
    with pytest.raises(TrainError, match="the files of the start model"):
        open_run(tmp_path, identity_of(TrainConfig(), ["abc"], "xyz"))


def test_a_damaged_record_of_settings(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(TrainError, match=r"config\.json: damaged.*--no-resume"):
        open_run(tmp_path, identity())


def test_checkpoints_of_another_run_are_refused(tmp_path: Path) -> None:
    me = identity()
    fake(tmp_path, 3, config=me.config_hash, dataset=["abc"], bad_updates=1)
    assert load_state(tmp_path, 3, me)["bad_updates"] == 1
    assert load_state(tmp_path, 3, identity(judge_workers=2))
    with pytest.raises(TrainError, match="other settings or data"):
        load_state(tmp_path, 3, identity(seed=9))
    (checkpoint_path(tmp_path, 3) / "state.json").write_text("[]")
    with pytest.raises(TrainError, match=r"damaged state\.json; delete the folder"):
        load_state(tmp_path, 3, me)


def test_the_last_two_and_the_best_are_kept(tmp_path: Path) -> None:
    passed = {0: 0.9, 1: 0.3, 2: 0.5, 3: 0.5, 4: 0.4, 6: 0.1}
    for step in range(1, 7):
        fake(tmp_path, step)
    assert prune(tmp_path) is None  # nothing was tested
    assert checkpoint_steps(tmp_path) == [5, 6]
    assert not (tmp_path / "best.json").exists()
    for step in range(1, 5):
        fake(tmp_path, step)
    for step, value in passed.items():
        append_line(tmp_path / "evaluations.jsonl", {"step": step, "pass_at_1": value})
    assert prune(tmp_path) == 2
    assert checkpoint_steps(tmp_path) == [2, 5, 6]
    assert json.loads((tmp_path / "best.json").read_text()) == {
        "step": 2,
        "pass_at_1": 0.5,
        "checkpoint": "checkpoints/step-000002",
    }


def test_half_a_checkpoint_is_none(tmp_path: Path) -> None:
    (tmp_path / "checkpoints" / ".step-000004.tmp").mkdir(parents=True)
    (tmp_path / "checkpoints" / "step-000005").mkdir()
    assert checkpoint_steps(tmp_path) == []


def test_clear_deletes_what_training_wrote(tmp_path: Path) -> None:
    fake(tmp_path, 1)
    for name in ("metrics.jsonl", "config.json", "report.html", "mine.txt"):
        (tmp_path / name).write_text("{}")
    clear(tmp_path)
    assert sorted(f.name for f in tmp_path.iterdir()) == ["mine.txt", "report.html"]


def test_one_process_a_folder(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from training.checkpoint import alone\n"
        "with alone(Path(sys.argv[1])): pass"
    )
    root = Path(__file__).resolve().parents[2]
    args = [sys.executable, "-c", code, str(tmp_path)]
    with alone(tmp_path):
        refused = subprocess.run(args, cwd=root, capture_output=True, text=True, timeout=60)
    assert "another process is training in this folder" in refused.stderr
    assert subprocess.run(args, cwd=root, timeout=60).returncode == 0


class Tokenizer:
    def save_pretrained(self, path: Path) -> None:
        (path / "tokenizer.json").write_text("{}")


@pytest.mark.lm
def test_a_checkpoint_gives_the_optimiser_back(tmp_path: Path, tiny: Path) -> None:
    torch = pytest.importorskip("torch")
    from difficulty.samplers import load_model
    from training.update import make_optimizer

    model, tokenizer = load_model(tiny, dtype="float32")
    config = TrainConfig()
    optimizer = make_optimizer(model, config)
    for p in model.parameters():
        p.grad = torch.ones_like(p)
    optimizer.step()
    path = checkpoint.save(tmp_path, 7, model, tokenizer, optimizer, {"config": "x"})
    assert json.loads((path / "state.json").read_text()) == {"step": 7, "config": "x"}
    again, _ = load_model(path, dtype="float32")
    for a, b in zip(model.parameters(), again.parameters(), strict=True):
        assert torch.equal(a, b)
    other = make_optimizer(again, config)
    checkpoint.load_optimizer(path, other)
    for a, b in zip(model.parameters(), again.parameters(), strict=True):
        assert torch.equal(optimizer.state[a]["exp_avg_sq"], other.state[b]["exp_avg_sq"])
    (path / "optimizer.pt").write_bytes(b"not a tensor")
    with pytest.raises(TrainError, match=r"optimizer\.pt is damaged.*delete this folder"):
        checkpoint.load_optimizer(path, other)


@pytest.mark.lm
@pytest.mark.lm
def test_a_tokenizer_with_several_chat_templates(tmp_path: Path, tiny: Path) -> None:
    """They are saved as files of a folder of their own."""
    from difficulty.samplers import load_model

    model, tokenizer = load_model(tiny)
    template = tokenizer.chat_template
    tokenizer.chat_template = {"default": template, "tool_use": template}
    optimizer = torch_sgd(model)
    path = checkpoint.save(tmp_path, 1, model, tokenizer, optimizer, {})
    assert (path / "additional_chat_templates" / "tool_use.jinja").exists()
    assert load_model(path)[1].chat_template["default"] == template


def torch_sgd(model: Any) -> Any:
    import torch

    return torch.optim.SGD(model.parameters(), lr=0.1)


def test_a_full_disk_leaves_no_half_checkpoint(tmp_path: Path) -> None:
    pytest.importorskip("torch")

    class Full:
        def save_pretrained(self, path: Path) -> None:
            (path / "model.safetensors").write_text("half")
            raise RuntimeError("PytorchStreamWriter failed writing file")

    with pytest.raises(TrainError, match="is the disk full"):
        checkpoint.save(tmp_path, 1, Full(), Tokenizer(), None, {})
    assert list((tmp_path / "checkpoints").iterdir()) == []
