"""A run's folder: checkpoints, line logs, and what a resumed run may go on from."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipelines.shards import fsync_dir, naming_full_disk, write_json_atomic
from training.config import TrainConfig
from training.data import TrainError

LOGS = ("metrics.jsonl", "evaluations.jsonl", "timings.jsonl")
_FILES = (*LOGS, "config.json", "inputs.json", "temperature.json", "best.json")
#: Settings that change no result: a resumed run may have others.
FREE = frozenset({"judge_workers", "judge_weakest_tier"})
KEEP_LAST = 2


@dataclass(frozen=True, slots=True)
class Identity:
    """What a run depends on: its settings and the sha256 of its inputs."""

    config: dict[str, Any]
    dataset: list[str]
    model: str

    @property
    def config_hash(self) -> str:
        """sha256 of the settings that change results."""
        settings = {k: v for k, v in self.config.items() if k not in FREE}
        return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()


def identity_of(config: TrainConfig, dataset: list[str], model: str) -> Identity:
    """The identity of a run that is about to start."""
    return Identity(config.model_dump(mode="json"), dataset, model)


@contextlib.contextmanager
def alone(run_dir: Path) -> Iterator[None]:
    """Only one process trains in a folder. The lock goes with the process, however it ends."""
    run_dir.mkdir(parents=True, exist_ok=True)
    with (run_dir / ".lock").open("w") as f:
        try:
            fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise TrainError(
                f"{run_dir}: another process is training in this folder; wait for it, or take "
                "another run folder"
            ) from None
        yield


def clear(run_dir: Path) -> None:
    """Forget a run: delete what training wrote, and nothing else."""
    for name in ("rollouts", "checkpoints"):
        shutil.rmtree(run_dir / name, ignore_errors=True)
    for name in _FILES:
        (run_dir / name).unlink(missing_ok=True)


def open_run(run_dir: Path, identity: Identity) -> None:
    """Record what the run depends on, or compare it with the record of an earlier start. Raises
    TrainError that names what changed."""
    before = read_json(run_dir / "config.json"), read_json(run_dir / "inputs.json")
    if before[0] is not None:
        old, new = _flat(before[0]), _flat(identity.config)
        changed = [
            f"{key} ({json.dumps(old.get(key))} then, {json.dumps(new.get(key))} now)"
            for key in sorted(old.keys() | new.keys())
            if old.get(key) != new.get(key) and key.split(".")[0] not in FREE
        ]
        inputs = before[1] or {}
        if inputs.get("dataset", identity.dataset) != identity.dataset:
            changed.append("the data set")
        if inputs.get("model", identity.model) != identity.model:
            changed.append("the files of the start model")
        if changed:
            raise TrainError(
                f"{run_dir} holds a run with other settings: {', '.join(changed)}; take another "
                "run folder, or start this one anew with --no-resume"
            )
    inputs_now = {"dataset": identity.dataset, "model": identity.model}
    write_json_atomic(run_dir / "inputs.json", inputs_now)
    write_json_atomic(run_dir / "config.json", identity.config)


def _flat(value: Any, prefix: str = "") -> dict[str, Any]:
    """Nested tables as one, with dotted keys."""
    if not isinstance(value, dict):
        return {prefix: value}
    flat: dict[str, Any] = {}
    for key, inner in value.items():
        flat |= _flat(inner, f"{prefix}.{key}" if prefix else key)
    return flat


def read_json(path: Path) -> Any:
    """The content of a JSON file, None without one. Raises TrainError for a damaged one."""
    try:
        return json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except ValueError as e:
        raise TrainError(f"{path}: damaged ({e}); start anew with --no-resume") from e


# Line logs


def append_line(path: Path, line: dict[str, Any]) -> None:
    """One JSON object at the end of a log, on disk when this returns."""
    text = json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n"
    with naming_full_disk(path), path.open("ab") as f:
        f.write(text.encode())
        f.flush()
        os.fsync(f.fileno())


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The whole lines of a log."""
    return [line for line, _ in _lines(path)]


def truncate_log(path: Path, step: int) -> None:
    """Cut a log after its lines for steps up to `step`, and what a crash left of a line."""
    if not path.exists():
        return
    end = 0
    for line, at in _lines(path):
        if line["step"] > step:
            break
        end = at
    with path.open("r+b") as f:
        f.truncate(end)
        os.fsync(f.fileno())


def _lines(path: Path) -> list[tuple[dict[str, Any], int]]:
    """(line, where it ends), up to the first that is not whole."""
    found: list[tuple[dict[str, Any], int]] = []
    end = 0
    for raw in path.read_bytes().splitlines(keepends=True) if path.exists() else []:
        try:
            line = json.loads(raw)
        except ValueError:
            break
        if not raw.endswith(b"\n") or not isinstance(line, dict) or "step" not in line:
            break
        end += len(raw)
        found.append((line, end))
    return found


# Checkpoints


def checkpoint_path(run_dir: Path, step: int) -> Path:
    """The folder of a checkpoint.

    >>> checkpoint_path(Path("train"), 3).as_posix()
    'train/checkpoints/step-000003'
    """
    return run_dir / "checkpoints" / f"step-{step:06d}"


def checkpoint_steps(run_dir: Path) -> list[int]:
    """Steps that have a checkpoint, in order."""
    folders = (run_dir / "checkpoints").glob("step-*")
    return sorted(int(f.name.removeprefix("step-")) for f in folders if (f / "state.json").exists())


def save(
    run_dir: Path, step: int, model: Any, tokenizer: Any, optimizer: Any, state: dict[str, Any]
) -> Path:
    """Write the checkpoint of a step: a model folder that from_pretrained loads, optimizer.pt and
    state.json. It gets its name when all of it is on disk. Raises TrainError."""
    import torch
    from safetensors import SafetensorError

    path = checkpoint_path(run_dir, step)
    tmp = path.with_name(f".{path.name}.tmp")
    shutil.rmtree(tmp, ignore_errors=True)
    try:
        with naming_full_disk(path):
            tmp.mkdir(parents=True)
            model.save_pretrained(tmp)
            tokenizer.save_pretrained(tmp)
            torch.save(optimizer.state_dict(), tmp / "optimizer.pt")
            write_json_atomic(tmp / "state.json", {"step": step, **state})
            for entry in tmp.rglob("*"):  # tokenizers with several templates make a folder
                if entry.is_dir():
                    fsync_dir(entry)
                    continue
                with entry.open("rb+") as f:
                    os.fsync(f.fileno())
            fsync_dir(tmp)
            shutil.rmtree(path, ignore_errors=True)
            os.rename(tmp, path)
            fsync_dir(path.parent)
    except (SafetensorError, RuntimeError) as e:  # what these make of a full disk
        raise TrainError(
            f"{path}: the checkpoint can't be written ({str(e).splitlines()[0]}); is the disk "
            "full? The run goes on from the checkpoint before when started again"
        ) from e
    finally:
        shutil.rmtree(tmp, ignore_errors=True)
    return path


def load_state(run_dir: Path, step: int, identity: Identity) -> dict[str, Any]:
    """state.json of a checkpoint, after a check that it belongs to this run."""
    path = checkpoint_path(run_dir, step)
    state = read_json(path / "state.json")
    if not isinstance(state, dict) or state.get("step") != step:
        raise TrainError(f"{path}: damaged state.json; delete the folder and start again")
    if state["config"] != identity.config_hash or state["dataset"] != identity.dataset:
        raise TrainError(
            f"{path} belongs to a run with other settings or data; take another run folder, or "
            "start this one anew with --no-resume"
        )
    return state


def load_optimizer(path: Path, optimizer: Any) -> None:
    """Fill an optimiser from a checkpoint folder. Raises TrainError."""
    import pickle

    import torch

    try:
        state = torch.load(path / "optimizer.pt", weights_only=True, map_location="cpu")
        optimizer.load_state_dict(state)
    except (OSError, RuntimeError, ValueError, KeyError, EOFError, pickle.UnpicklingError) as e:
        # torch's own message advises to load without its safety check: not repeated
        raise TrainError(
            f"{path}: optimizer.pt is damaged ({type(e).__name__}); delete this folder, the run "
            "then goes on from the checkpoint before"
        ) from None


def prune(run_dir: Path) -> int | None:
    """Keep the last checkpoints and the best, delete the others; best.json names the best, which
    is the one with the highest held-out pass@1 (the earliest of equals). Returns its step."""
    steps = checkpoint_steps(run_dir)
    passed = {e["step"]: float(e["pass_at_1"]) for e in read_lines(run_dir / "evaluations.jsonl")}
    tested: Sequence[int] = [s for s in steps if s in passed]
    best = max(tested, key=lambda s: (passed[s], -s), default=None)
    if best is not None:
        name = checkpoint_path(run_dir, best).relative_to(run_dir).as_posix()
        line = {"step": best, "pass_at_1": passed[best], "checkpoint": name}
        if read_json(run_dir / "best.json") != line:
            write_json_atomic(run_dir / "best.json", line)
    for step in steps[:-KEEP_LAST]:
        if step != best:
            shutil.rmtree(checkpoint_path(run_dir, step), ignore_errors=True)
    return best
