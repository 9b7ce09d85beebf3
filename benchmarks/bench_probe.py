"""Sampling speed by batch size and number type, and what a model solves of the example problems.

    python benchmarks/bench_probe.py [--model smollm2] [--batch 8 16 32] [--threads 2] [--k 8]

Speed: rows of 8 samples a prompt, none of which ends before `--tokens`, so every batch size does
the same work; the first two tokens (prompts included) are not timed. `transformers` is the peer:
the same rows through `model.generate`. Each time is the least of `--repeats` of the wall clock;
on a busy machine the figures mean nothing ("-": the two times came out the wrong way round).
Pass rates: the problems of `--level` in examples/problems, with the probe's own prompt.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from difficulty.intervals import wilson
from difficulty.models import resolve_model
from difficulty.probe import ProbeConfig, judge_samples
from difficulty.prompts import build_messages
from difficulty.samplers import TransformersSampler, load_model
from evaluator.judge import Judge
from pipelines.problem import Problem

EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "problems"


def examples(level: str) -> list[Problem]:
    """The example problems of one level."""
    from pipelines.sources.problem_package import read

    return [p for p in read(EXAMPLES) if isinstance(p, Problem) and p.level == level]


def rate(run: Callable[[int], None], rows: int, tokens: int, repeats: int) -> float:
    """Tokens/s between the second token and the last; NaN when the clock says nonsense."""

    def least(length: int) -> float:
        times = []
        for _ in range(repeats):
            begun = time.perf_counter()
            run(length)
            times.append(time.perf_counter() - begun)
        return min(times)

    seconds = least(tokens) - least(2)
    return rows * (tokens - 2) / seconds if seconds > 0 else math.nan


def ours(
    sampler: TransformersSampler, prompts: list[list[int]], tokens: int, repeats: int
) -> float:
    """Tokens/s of our loop."""

    def run(length: int) -> None:
        sampler.generate(
            prompts,
            8,
            temperature=0.8,
            max_new_tokens=length,
            seed=0,
            keys=[str(i) for i in range(len(prompts))],
        )

    return rate(run, 8 * len(prompts), tokens, repeats)


def theirs(model: Any, prompts: list[list[int]], tokens: int, repeats: int) -> float:
    """Tokens/s of transformers' generate, with the prompts repeated 8 times and left-padded."""
    import torch

    width = max(map(len, prompts))
    ids = torch.tensor([[2] * (width - len(p)) + p for p in prompts for _ in range(8)])
    mask = torch.tensor([[0] * (width - len(p)) + [1] * len(p) for p in prompts for _ in range(8)])

    def run(length: int) -> None:
        model.generate(
            ids.to(model.device),
            attention_mask=mask.to(model.device),
            do_sample=True,
            temperature=0.8,
            top_k=0,
            max_new_tokens=length,
            min_new_tokens=length,
        )

    return rate(run, len(ids), tokens, repeats)


def speed(args: argparse.Namespace, path: Path) -> None:
    """Print the table of tokens/s."""
    print(f"{'dtype':9} {'rows':>5} {'ours':>8} {'transformers':>13} {'ratio':>6}   tokens/s")
    for dtype in args.dtype:
        model, tokenizer = load_model(path, dtype)
        for rows in args.batch:
            sampler = TransformersSampler((model, tokenizer), rows, args.threads)
            sampler._stop = frozenset()  # every row runs to the end
            prompts = [list(range(5, 155 + 10 * i)) for i in range(max(1, rows // 8))]
            mine = ours(sampler, prompts, args.tokens, args.repeats)
            peer = theirs(model, prompts, args.tokens, args.repeats)
            line = f"{dtype:9} {rows:5} {mine:8.0f} {peer:13.0f} {mine / peer:6.2f}"
            print(line.replace("nan", "  -"), flush=True)


def pass_rates(args: argparse.Namespace, path: Path) -> None:
    """Print how many of k samples each example problem accepts."""
    problems = examples(args.level)
    config = ProbeConfig(k=args.k, max_new_tokens=96)
    sampler = TransformersSampler(path, batch_size=config.batch_size, threads=args.threads)
    groups = sampler.generate(
        [sampler.encode(build_messages(p, config.few_shot)) for p in problems],
        config.k,
        temperature=config.temperature,
        max_new_tokens=config.max_new_tokens,
        seed=config.seed,
        keys=[p.id for p in problems],
    )
    judge = Judge()
    verdicts = judge_samples(judge, problems, groups)
    judge.close()
    total = 0
    for p, words in zip(problems, verdicts, strict=True):
        passed, k = words.count("accepted"), len(words) - words.count("judge_error")
        low, high = wilson(passed, k)
        total += passed
        print(f"{p.id:32} {passed:3} of {k}   95 % {low:.2f}-{high:.2f}")
    print(f"{'all':32} {total:3} of {len(problems) * args.k}")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="smollm2", help="'smollm2', a folder or a Hub name")
    parser.add_argument("--batch", type=int, nargs="*", default=[8, 16, 32], help="rows at once")
    parser.add_argument("--dtype", nargs="*", default=["float32", "bfloat16"])
    parser.add_argument("--tokens", type=int, default=32, help="length of an answer")
    parser.add_argument("--repeats", type=int, default=3, help="timings; the least counts")
    parser.add_argument("--threads", type=int, default=None, help="torch threads")
    parser.add_argument("--k", type=int, default=8, help="samples a problem; 0: speed only")
    parser.add_argument("--level", default="trivial", help="of the example problems")
    args = parser.parse_args()
    path = resolve_model(args.model)
    if args.batch:
        speed(args, path)
    if args.k:
        pass_rates(args, path)


if __name__ == "__main__":
    main()
