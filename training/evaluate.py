"""Held-out tests of the policy, and the temperature sweep before training."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from difficulty.intervals import wilson
from difficulty.samplers import Completion, Sampler
from evaluator.errata import affected
from evaluator.judge import Judge
from pipelines.problem import Problem
from pipelines.stage import Progress, no_progress
from training.config import DiversityT, TrainConfig
from training.data import Example, TrainError, derived_seed
from training.diversity import RESPONSES, diversity
from training.rollout import score
from training.temperature import SweepRow, choose

Z95 = 1.959963984540054


def evaluate(
    sampler: Sampler,
    judge: Judge,
    examples: Sequence[Example],
    config: TrainConfig,
    step: int,
    progress: Progress = no_progress,
) -> dict[str, Any]:
    """The line of evaluations.jsonl for `step`: pass@1 over the held-out problems as the mean of
    their pass rates over `eval_attempts` answers, with its 95 % interval. Every step has the same
    draws, so that two lines differ by the weights alone. Answers that could not be judged are left
    out and counted in `judge_errors`; a problem with none left is not in the line. When some
    held-out problem is among the errata of its benchmark, `pass_at_1_without_errata` is over the
    others and `errata` counts those left out; `pass_at_1` stays over all."""
    attempts = config.eval_attempts
    # prompts of like length together: the sampler pads less
    order = sorted(range(len(examples)), key=lambda i: (len(examples[i].prompt_ids), i))
    size = max(1, config.batch_size // attempts)
    rates: dict[str, float] = {}
    errors = 0
    progress("evaluate", 0, len(examples), f"step {step}")
    for start in range(0, len(order), size):
        part = [examples[i] for i in order[start : start + size]]
        groups = _answers(
            sampler,
            part,
            attempts,
            temperature=config.eval_temperature,
            max_new_tokens=config.eval_max_new_tokens or config.max_new_tokens,
            seed=derived_seed(config.seed, "evaluate"),
            top_p=config.eval_top_p,
        )
        scores = score(
            judge, [(e.problem, c.text) for e, g in zip(part, groups, strict=True) for c in g]
        )
        errors += sum(s.reward is None for s in scores)
        for j, example in enumerate(part):
            mine = scores[j * attempts : (j + 1) * attempts]
            judged = [s.reward for s in mine if s.reward is not None]
            if judged:
                rates[example.id] = judged.count(1.0) / len(judged)
        done = min(start + size, len(order))
        progress("evaluate", done, len(examples), f"step {step}: pass@1 {_mean(rates):.3f}")
    return {
        "step": step,
        **pass_at_1(rates),
        "problems": dict(sorted(rates.items())),
        "attempts": attempts,
        "judge_errors": errors,
        **without_errata(rates, (e.problem for e in examples)),
    }


def pass_at_1(rates: Mapping[str, float]) -> dict[str, float]:
    """Keys pass_at_1, low and high: the mean of the problems' pass rates with its interval.

    >>> pass_at_1({"a/1": 1.0, "a/2": 0.0})["pass_at_1"]
    0.5
    """
    low, high = interval(list(rates.values()))
    return {"pass_at_1": _mean(rates), "low": low, "high": high}


def without_errata(rates: Mapping[str, float], problems: Iterable[Problem]) -> dict[str, Any]:
    """Keys pass_at_1_without_errata, its interval, and `errata`, the number of problems left out
    of it (evaluator.errata); no keys when none of the rated problems is on the list, `errata`
    alone when all are.

    >>> some = [Problem("livecodebench/abc343_a"), Problem("livecodebench/abc301_a")]
    >>> line = without_errata({some[0].id: 0.0, some[1].id: 1.0}, some)
    >>> line["pass_at_1_without_errata"], line["errata"]
    (1.0, 1)
    """
    left_out = affected(problems).keys() & rates.keys()
    if not left_out:
        return {}
    kept = {k: rate for k, rate in rates.items() if k not in left_out}
    values = pass_at_1(kept) if kept else {}
    named = {f"{k}_without_errata": value for k, value in values.items()}
    return {**named, "errata": len(left_out)}


def _mean(rates: Mapping[str, float]) -> float:
    return math.fsum(rates.values()) / len(rates) if rates else 0.0


def interval(rates: Sequence[float]) -> tuple[float, float]:
    """95 % interval of the mean pass rate of problems like these. The problems are the sample, so
    its width comes from the differences between their rates (normal approximation, cut to [0, 1]).
    When all rates are equal those say nothing: then Wilson's interval with each problem as one
    trial, the rate rounded to a whole number of problems.

    >>> tuple(round(x, 3) for x in interval([0.0, 0.5, 1.0]))
    (0.0, 1.0)
    >>> tuple(round(x, 3) for x in interval([0.0] * 10))
    (0.0, 0.278)
    """
    n = len(rates)
    if n == 0:
        return 0.0, 1.0
    mean = math.fsum(rates) / n
    if max(rates) == min(rates):
        return wilson(round(mean * n), n)
    sd = math.sqrt(math.fsum((r - mean) ** 2 for r in rates) / (n - 1))
    half = Z95 * sd / math.sqrt(n)
    return max(0.0, mean - half), min(1.0, mean + half)


def sweep(
    sampler: Sampler,
    judge: Judge,
    examples: Sequence[Example],
    config: TrainConfig,
    progress: Progress = no_progress,
) -> tuple[float, str, list[SweepRow]]:
    """T(D): sample eight answers (whatever the group size: D falls with their number) to each of
    the first problems at every candidate temperature, measure D and accuracy, and choose. Returns
    (T, the reason as a sentence, the table). Raises TrainError."""
    settings = config.temperature
    assert isinstance(settings, DiversityT)
    some = examples[: settings.prompts]
    rows: list[SweepRow] = []
    total = len(settings.candidates)
    for temperature in settings.candidates:
        progress("sweep", len(rows), total, f"T {temperature:g}")
        groups = _answers(
            sampler,
            some,
            RESPONSES,
            temperature=temperature,
            max_new_tokens=config.max_new_tokens,
            seed=derived_seed(config.seed, "sweep"),
            top_p=1.0,
        )
        answers = [(e.problem, c) for e, g in zip(some, groups, strict=True) for c in g]
        scores = score(judge, [(problem, c.text) for problem, c in answers])
        judged = [s.reward for s in scores if s.reward is not None]
        found = diversity([[c.token_ids for c in g] for g in groups], special=sampler.stop_ids)
        rows.append(
            SweepRow(
                temperature=temperature,
                diversity=found.value,
                accuracy=math.fsum(judged) / len(judged) if judged else 0.0,
                mean_length=sum(len(c.token_ids) for _, c in answers) / len(answers),
                prompts=found.prompts,
                responses=found.responses,
            )
        )
    try:
        chosen, why = choose(rows, settings)
    except ValueError as e:
        raise TrainError(str(e)) from None
    progress("sweep", total, total, f"T {chosen:g}")
    return chosen, why, rows


def _answers(
    sampler: Sampler, examples: Sequence[Example], n: int, **options: Any
) -> list[list[Completion]]:
    return sampler.generate(
        [e.prompt_ids for e in examples], n, keys=[e.id for e in examples], **options
    )
