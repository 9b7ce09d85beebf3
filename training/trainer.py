"""MicroCoder-GRPO's training loop: one process, one step after another.

A step samples answers, judges them and stores them, updates the policy, and writes its metrics.
What a step does is a function of the settings, the data and the weights before it, so a run that
was killed goes on from its last checkpoint to the same bytes.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from difficulty.models import model_hash, resolve_model
from difficulty.samplers import TransformersSampler, load_model
from evaluator.judge import Judge
from pipelines.shards import write_json_atomic
from pipelines.stage import Progress, no_progress
from training import checkpoint
from training.config import DiversityT, TrainConfig
from training.data import Data, TrainError, encode_all, prompts_of_step, read_problems, split
from training.diversity import RESPONSES, diversity
from training.evaluate import evaluate, sweep
from training.rollout import (
    Rollout,
    by_slot,
    replayable,
    roll_out,
    rollout_metrics,
    rollout_path,
    write_rollouts,
)
from training.temperature import temperature_at

__all__ = ["TrainError", "TrainResult", "train"]


@dataclass(frozen=True, slots=True)
class TrainResult:
    """A finished run: its folder, the last and the best checkpoint (None without held-out
    problems), and held-out pass@1 before and after. `reused`: it had been finished before."""

    run_dir: Path
    steps: int
    checkpoint: Path
    best: Path | None
    pass_at_1_start: float | None
    pass_at_1_end: float | None
    reused: bool = False


def train(
    config: TrainConfig,
    dataset: Path,
    run_dir: Path,
    progress: Progress = no_progress,
    resume: bool = True,
) -> TrainResult:
    """Train `config.model` on the problems of the folder `dataset`; everything is written into
    `run_dir`. A run that was interrupted goes on; a finished one is returned at once. `resume`
    False deletes an earlier run first. Raises TrainError, ShardError, ModelError, SandboxError.

    >>> # train(load_train_config({}, "cli"), Path("runs/a/dataset"), Path("runs/a/train"))
    """
    problems, fingerprint = read_problems(dataset)
    split(problems, config.heldout)  # a wrong size shows before the model is loaded
    with checkpoint.alone(run_dir):
        if not resume:
            checkpoint.clear(run_dir)
        start_model = resolve_model(config.model)
        identity = checkpoint.identity_of(config, fingerprint, model_hash(start_model))
        checkpoint.open_run(run_dir, identity)
        last = max(checkpoint.checkpoint_steps(run_dir), default=0)
        state = checkpoint.load_state(run_dir, last, identity) if last else {}
        for name in checkpoint.LOGS:
            checkpoint.truncate_log(run_dir / name, last)
        if last == config.steps:
            progress("train", last, last, "reused")
            return _result(run_dir, last, reused=True)
        with (
            _reproducible(config.threads),
            Judge(workers=config.judge_workers, weakest_tier=config.judge_weakest_tier) as judge,
        ):
            run = _Run(config, run_dir, judge, progress, identity)
            run.load(start_model, last, state)
            run.data = encode_all(run.sampler, problems, config)
            run.begin()
            for step in range(last + 1, config.steps + 1):
                run.step(step)
    return _result(run_dir, config.steps)


def _result(run_dir: Path, steps: int, reused: bool = False) -> TrainResult:
    best = checkpoint.prune(run_dir)
    passed = [e["pass_at_1"] for e in checkpoint.read_lines(run_dir / "evaluations.jsonl")]
    return TrainResult(
        run_dir=run_dir,
        steps=steps,
        checkpoint=checkpoint.checkpoint_path(run_dir, steps),
        best=None if best is None else checkpoint.checkpoint_path(run_dir, best),
        pass_at_1_start=passed[0] if passed else None,
        pass_at_1_end=passed[-1] if passed else None,
        reused=reused,
    )


@contextlib.contextmanager
def _reproducible(threads: int | None) -> Iterator[None]:
    """Torch's settings for the run, put back afterwards. On a GPU some kernels have no
    deterministic form; torch then warns and the same bytes are not promised."""
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # read when CUDA starts
    import torch
    from transformers.utils import logging

    bars = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()  # it would write across ours
    before = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    warn_only = torch.is_deterministic_algorithms_warn_only_enabled()
    memory: Any = torch.utils.deterministic
    fill = memory.fill_uninitialized_memory
    if threads is not None:
        torch.set_num_threads(threads)
    torch.use_deterministic_algorithms(True, warn_only=True)
    memory.fill_uninitialized_memory = False  # a debugging aid, not free
    torch.manual_seed(0)  # nothing here draws from it
    try:
        yield
    finally:
        if bars:
            logging.enable_progress_bar()
        torch.set_num_threads(before[0])
        torch.use_deterministic_algorithms(before[1], warn_only=warn_only)
        memory.fill_uninitialized_memory = fill


@dataclass
class _Run:
    """What a step needs."""

    config: TrainConfig
    run_dir: Path
    judge: Judge
    progress: Progress
    identity: checkpoint.Identity
    sampler: TransformersSampler = field(init=False)
    updater: Any = field(init=False)
    data: Data = field(init=False)
    swept: float | None = None

    def load(self, start_model: Path, last: int, state: dict[str, Any]) -> None:
        """The model and its optimiser, at the start or as the checkpoint of step `last` has them.
        Weights are float32 whatever the folder holds: bfloat16 does not move at lr 1e-6."""
        from training.update import Updater, make_optimizer

        self.progress("train", last, self.config.steps, "loading the model")
        folder = checkpoint.checkpoint_path(self.run_dir, last) if last else start_model
        model, tokenizer = load_model(folder, dtype="float32")
        for p in model.parameters():
            # off the mapped file: results must not depend on how a file lies in memory
            p.data = p.data.clone()
        optimizer = make_optimizer(model, self.config)
        if last:
            checkpoint.load_optimizer(folder, optimizer)
        reference = None
        if self.config.kl_coef > 0:
            reference, _ = load_model(start_model, dtype="float32")
            reference.requires_grad_(False)
        self.sampler = TransformersSampler((model, tokenizer), self.config.batch_size)
        self.updater = Updater(model, optimizer, self.config, reference)
        self.updater.bad = int(state.get("bad_updates", 0))

    def begin(self) -> None:
        """Before the first step: the temperature and the first evaluation, if not done yet."""
        from training.update import check_head

        check_head(self.sampler.model, self.data.train[0].prompt_ids)
        seconds = {"sweep": self._timed(self._decide_temperature)}
        tested = checkpoint.read_lines(self.run_dir / "evaluations.jsonl")
        seconds["evaluate"] = 0.0 if tested else self._timed(lambda: self._evaluate(0))
        if not checkpoint.read_lines(self.run_dir / "timings.jsonl"):
            self._log("timings", {"step": 0, "seconds": seconds})

    def step(self, step: int) -> None:
        """One step, from its prompts to its checkpoint."""
        config, steps = self.config, self.config.steps
        rollouts, seconds = self._rollouts(step)
        trained = sum(r.advantage != 0 for r in rollouts)
        self.progress("train", step - 1, steps, f"updating from {trained} answers")
        groups = by_slot(rollouts)
        started = time.perf_counter()
        update = self.updater.update(groups)
        seconds["update"] = time.perf_counter() - started
        found = diversity(
            [[r.completion_ids for r in group] for group in groups],
            special=self.sampler.stop_ids,
        )
        metrics = {
            "step": step,
            **rollout_metrics(rollouts),
            "diversity": found.value,
            "diversity_responses": found.responses,
            "diversity_left_out": found.left_out,
            **update.metrics(),
            "skipped_prompts": len(self.data.skipped),
        }
        self._log("metrics", metrics)
        seconds["evaluate"] = 0.0
        if step % config.eval_every == 0 or step == steps:
            seconds["evaluate"] = self._timed(lambda: self._evaluate(step))
        if step % config.checkpoint_every == 0 or step == steps:
            seconds["checkpoint"] = self._timed(lambda: self._checkpoint(step))
        self._log("timings", {"step": step, "seconds": seconds})
        d = "-" if found.value is None else f"{found.value:.2f}"
        note = f"reward {metrics['reward_mean']:.2f} len {metrics['length_mean']:.0f} D {d}"
        self.progress("train", step, steps, note)

    def _rollouts(self, step: int) -> tuple[list[Rollout], dict[str, float]]:
        """The step's answers: those that an interrupted run left, else new ones, which are on
        disk when this returns."""
        config, steps = self.config, self.config.steps
        examples = prompts_of_step(self.data.train, config.seed, step, config.prompts_per_step)
        path = rollout_path(self.run_dir, step)
        left = replayable(path, examples, config, step)
        if left is not None:
            return left, {"rollout": 0.0, "judge": 0.0}
        n = len(examples) * config.group_size
        drawn = 0

        def on_tokens(tokens: int) -> None:
            nonlocal drawn
            drawn += tokens
            self.progress("train", step - 1, steps, f"sampling {n} answers, {drawn} tokens")

        self.progress("train", step - 1, steps, f"sampling {n} answers")
        self.sampler.on_tokens = on_tokens
        try:
            rollouts, seconds = roll_out(
                self.sampler,
                self.judge,
                examples,
                config,
                step=step,
                temperature=self._temperature(step),
                judging=lambda: self.progress("train", step - 1, steps, f"judging {n} answers"),
            )
        finally:
            self.sampler.on_tokens = None
        write_rollouts(path, rollouts)
        return rollouts, seconds

    def _temperature(self, step: int) -> float:
        """T of a step; a stage from step n on holds once n steps are done."""
        if isinstance(self.config.temperature, DiversityT):
            assert self.swept is not None
            return self.swept
        return temperature_at(self.config.temperature, step - 1)

    def _decide_temperature(self) -> None:
        path, settings = self.run_dir / "temperature.json", self.config.temperature
        if path.exists():
            self.swept = float(checkpoint.read_json(path)["temperature"])
            return
        table: list[dict[str, Any]] = []
        if isinstance(settings, DiversityT):
            self.swept, sentence, rows = sweep(
                self.sampler, self.judge, self.data.train, self.config, self.progress
            )
            table = [asdict(r) for r in rows]
        elif settings.kind == "constant":
            sentence = f"T is {settings.value:g} for the whole run, as configured."
        else:
            parts = ", ".join(f"{t:g} from step {first}" for first, t in settings.stages)
            sentence = f"T is {parts}, as configured."
        if self.config.group_size < RESPONSES:
            sentence += (
                f" The D of the steps is over {self.config.group_size} answers a prompt, which"
                f" makes it higher than one over {RESPONSES}: do not compare the two."
            )
        first = self._temperature(1)
        write_json_atomic(
            path,
            {"kind": settings.kind, "decision": sentence, "temperature": first, "table": table},
        )

    def _evaluate(self, step: int) -> None:
        if self.data.heldout:
            line = evaluate(
                self.sampler, self.judge, self.data.heldout, self.config, step, self.progress
            )
            self._log("evaluations", line)

    def _checkpoint(self, step: int) -> None:
        self.progress("train", step - 1, self.config.steps, "writing a checkpoint")
        checkpoint.save(
            self.run_dir,
            step,
            self.sampler.model,
            self.sampler.tokenizer,
            self.updater.optimizer,
            {
                "config": self.identity.config_hash,
                "dataset": self.identity.dataset,
                "bad_updates": self.updater.bad,
            },
        )
        checkpoint.prune(self.run_dir)

    def _log(self, name: str, line: dict[str, Any]) -> None:
        checkpoint.append_line(self.run_dir / f"{name}.jsonl", line)

    @staticmethod
    def _timed(work: Any) -> float:
        started = time.perf_counter()
        work()
        return time.perf_counter() - started
