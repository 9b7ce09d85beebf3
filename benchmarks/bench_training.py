"""Seconds of one training step by phase, and peak memory.

    python benchmarks/bench_training.py [--prompts 2] [--group 8] [--tokens 64]

The prompts are those of the easiest example problems. Answers end when they end, so the tokens
per second are the figure to compare. To time the update whatever the model can solve, the rewards
of a group alternate; the judge runs all the same.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from difficulty.models import resolve_model
from difficulty.samplers import TransformersSampler, load_model
from evaluator.judge import Judge
from pipelines.crawl import import_source
from pipelines.problem import Problem
from pipelines.shards import Shards
from pipelines.stage import peak_mb, reset_peak
from training import checkpoint
from training.config import ConstantT, MaskConfig, TrainConfig
from training.data import encode_all, prompts_of_step
from training.rollout import by_slot, roll_out, with_advantages
from training.update import Updater, make_optimizer

EXAMPLES = Path(__file__).resolve().parent.parent / "examples" / "problems"
EASY = ("sumtwo", "square", "doubled", "shout", "backwards", "oddeven", "addnumbers", "sumlist")


def problems(n: int) -> list[Problem]:
    """The first `n` easy example problems."""
    found: list[Problem] = []
    with tempfile.TemporaryDirectory() as tmp:
        for name in EASY[:n]:
            import_source("problem_package", str(EXAMPLES / name), Path(tmp) / name)
            found += Shards([Path(tmp) / name])
    return found


def main(argv: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--model", default="smollm2", help="'smollm2', a folder or a Hub name")
    parser.add_argument("--prompts", type=int, default=2, help="prompts a step (at most 8)")
    parser.add_argument("--group", type=int, default=8, help="answers a prompt")
    parser.add_argument("--tokens", type=int, default=64, help="longest answer")
    parser.add_argument("--micro-batch-tokens", type=int, default=2048)
    parser.add_argument("--threads", type=int, default=None, help="torch's threads")
    parser.add_argument("--checkpoint", action="store_true", help="time a checkpoint too (2 GB)")
    args = parser.parse_args(argv)
    config = TrainConfig(
        model=args.model,
        prompts_per_step=args.prompts,
        mini_batch=args.prompts,
        group_size=args.group,
        heldout=0,
        max_new_tokens=args.tokens,
        micro_batch_tokens=args.micro_batch_tokens,
        temperature=ConstantT(value=1.0),
        mask=MaskConfig(mode="none"),
        batch_size=args.prompts * args.group,
    )
    found = problems(args.prompts)
    model, tokenizer = load_model(resolve_model(args.model), dtype="float32")
    sampler = TransformersSampler((model, tokenizer), config.batch_size, args.threads)
    data = encode_all(sampler, found, config)
    updater = Updater(model, make_optimizer(model, config), config, None)
    examples = prompts_of_step(data.train, 0, 1, args.prompts)
    reset_peak()
    with Judge() as judge:
        rollouts, seconds = roll_out(sampler, judge, examples, config, step=1, temperature=1.0)
    sampling_mb = peak_mb()
    right = sum(r.reward == 1.0 for r in rollouts)
    alternating = [replace(r, reward=float(r.sample % 2)) for r in rollouts]
    groups = [with_advantages(g, config) for g in by_slot(alternating)]
    reset_peak()
    started = time.perf_counter()
    stats = updater.update(groups)
    seconds["update"] = time.perf_counter() - started
    update_mb = peak_mb()
    if args.checkpoint:
        with tempfile.TemporaryDirectory() as tmp:
            started = time.perf_counter()
            checkpoint.save(Path(tmp), 1, model, tokenizer, updater.optimizer, {})
            seconds["checkpoint"] = time.perf_counter() - started
    answer = sum(len(r.completion_ids) for r in rollouts)
    prompts = sum(len(e.prompt_ids) for e in examples)
    print(f"{len(rollouts)} answers, {answer} tokens (prompts: {prompts}), {right} right")
    for phase, taken in seconds.items():
        print(f"{phase:<12}{taken:8.2f} s")
    print(f"{'total':<12}{sum(seconds.values()):8.2f} s")
    print(f"sampling    {answer / seconds['rollout']:8.0f} tokens/s")
    print(f"update      {(answer + prompts) / seconds['update']:8.0f} tokens/s (each prompt once)")
    print(f"peak memory {sampling_mb:8.0f} MiB sampling, {update_mb:.0f} MiB update")
    assert stats.rows == len(rollouts)


if __name__ == "__main__":
    main()
