"""Rollouts: answers sampled from the policy, judged, with their advantages; one file a step.

A step's file holds all that its update needs. Once it is on disk the step can be done again
without sampling or judging.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from difficulty.prompts import extract_code, is_incomplete
from difficulty.samplers import Completion, Sampler
from evaluator.judge import Judge
from pipelines.problem import Problem
from pipelines.shards import atomic_path
from training.advantages import MaskReason, draw, group_advantages, is_masked, mask_reason
from training.config import TrainConfig
from training.data import Example, TrainError, derived_seed

NO_CODE = "no_code"


@dataclass(frozen=True, slots=True)
class Rollout:
    """One answer. `slot` is the prompt's place in the step and `sample` the answer's in its
    group; `max_new_tokens` is the limit that was in force (the context may end earlier than the
    configured one); `reward` is None when the judge failed; `advantage` is 0 where masked;
    `weights_step` says after which step the sampling weights were."""

    step: int
    prompt_id: str
    slot: int
    sample: int
    prompt_ids: tuple[int, ...]
    completion_ids: tuple[int, ...]
    text: str
    finish_reason: str
    temperature: float
    max_new_tokens: int
    reward: float | None
    verdict: str
    advantage: float
    mask_reason: str
    weights_step: int

    @property
    def length(self) -> int:
        """Tokens of prompt and answer."""
        return len(self.prompt_ids) + len(self.completion_ids)


SCHEMA = pa.schema(
    [
        pa.field("step", pa.int64(), nullable=False),
        pa.field("prompt_id", pa.large_string(), nullable=False),
        pa.field("slot", pa.int64(), nullable=False),
        pa.field("sample", pa.int64(), nullable=False),
        pa.field("prompt_ids", pa.large_list(pa.int64()), nullable=False),
        pa.field("completion_ids", pa.large_list(pa.int64()), nullable=False),
        pa.field("text", pa.large_string(), nullable=False),
        pa.field("finish_reason", pa.large_string(), nullable=False),
        pa.field("temperature", pa.float64(), nullable=False),
        pa.field("max_new_tokens", pa.int64(), nullable=False),
        pa.field("reward", pa.float64()),
        pa.field("verdict", pa.large_string(), nullable=False),
        pa.field("advantage", pa.float64(), nullable=False),
        pa.field("mask_reason", pa.large_string(), nullable=False),
        pa.field("weights_step", pa.int64(), nullable=False),
    ]
)
assert SCHEMA.names == [f.name for f in fields(Rollout)]


@dataclass(frozen=True, slots=True)
class Score:
    """The reward of an answer: 1 for a program that passes every test, else 0; None when the
    judge could not say (`verdict` is then judge_error)."""

    reward: float | None
    verdict: str


def score(judge: Judge, answers: Sequence[tuple[Problem, str]]) -> list[Score]:
    """Judge answers (problem, text), in their order. Equal programs for one problem are judged
    once; an answer without a program is wrong without a trial."""
    codes = [extract_code(text) for _, text in answers]
    wanted: dict[tuple[str, str], Problem] = {}
    for (problem, _), code in zip(answers, codes, strict=True):
        if code is not None:
            wanted[problem.id, code] = problem
    keys = list(wanted)
    verdicts = {
        keys[i]: result.verdict for i, result in judge.map([(wanted[key], key[1]) for key in keys])
    }
    scores = []
    for (problem, _), code in zip(answers, codes, strict=True):
        verdict = NO_CODE if code is None else verdicts[problem.id, code]
        reward = None if verdict == "judge_error" else float(verdict == "accepted")
        scores.append(Score(reward, verdict))
    return scores


def roll_out(
    sampler: Sampler,
    judge: Judge,
    examples: Sequence[Example],
    config: TrainConfig,
    *,
    step: int,
    temperature: float,
    judging: Any = None,
) -> tuple[list[Rollout], dict[str, float]]:
    """The answers of a step with advantages, and the seconds of its phases. `judging`, if given,
    is called once the answers are there."""
    started = time.perf_counter()
    # a small data set may give a problem twice in a step: the slot keeps its answers apart
    keys = [f"{e.id}#{slot}" for slot, e in enumerate(examples)]
    groups = sampler.generate(
        [e.prompt_ids for e in examples],
        config.group_size,
        temperature=temperature,
        max_new_tokens=config.max_new_tokens,
        seed=derived_seed(config.seed, f"rollout {step}"),
        keys=keys,
        top_p=1.0,
    )
    sampled = time.perf_counter()
    if judging is not None:
        judging()
    scores = score(
        judge, [(e.problem, c.text) for e, g in zip(examples, groups, strict=True) for c in g]
    )
    rollouts = []
    for slot, (example, group) in enumerate(zip(examples, groups, strict=True)):
        limit = min(config.max_new_tokens, sampler.context_length - len(example.prompt_ids))
        given = scores[slot * config.group_size : (slot + 1) * config.group_size]
        raw = [
            Rollout(
                step=step,
                prompt_id=example.id,
                slot=slot,
                sample=sample,
                prompt_ids=example.prompt_ids,
                completion_ids=completion.token_ids,
                text=_utf8(completion),
                finish_reason=completion.finish_reason,
                temperature=temperature,
                max_new_tokens=limit,
                reward=scored.reward,
                verdict=scored.verdict,
                advantage=0.0,
                mask_reason=MaskReason.NONE.value,
                weights_step=step - 1,
            )
            for sample, (completion, scored) in enumerate(zip(group, given, strict=True))
        ]
        rollouts += with_advantages(raw, config)
    return rollouts, {"rollout": sampled - started, "judge": time.perf_counter() - sampled}


def with_advantages(group: Sequence[Rollout], config: TrainConfig) -> list[Rollout]:
    """The answers to one prompt with their group advantages and the truncation mask."""
    done = []
    advantages = group_advantages([r.reward for r in group])
    for r, advantage in zip(group, advantages, strict=True):
        stopped = r.finish_reason == "stop"
        reason = mask_reason(
            ids=r.completion_ids,
            limit=r.max_new_tokens,
            stopped=stopped,
            correct=r.reward == 1.0,
            incomplete=is_incomplete(r.text, not stopped),
            config=config.mask,
            u=draw(config.seed, r.step, f"{r.prompt_id}#{r.slot}", r.sample),
        )
        advantage = 0.0 if is_masked(reason) else advantage
        done.append(replace(r, advantage=advantage, mask_reason=reason.value))
    return done


def rollout_path(run_dir: Path, step: int) -> Path:
    """Where a step's rollouts lie.

    >>> rollout_path(Path("train"), 1).as_posix()
    'train/rollouts/step-000001.parquet'
    """
    return run_dir / "rollouts" / f"step-{step:06d}.parquet"


def write_rollouts(path: Path, rollouts: Sequence[Rollout]) -> None:
    """One Parquet file, whole or not at all."""
    table = pa.Table.from_pylist([asdict(r) for r in rollouts], schema=SCHEMA)
    with atomic_path(path) as tmp:
        pq.write_table(table, tmp, compression="zstd")


def read_rollouts(path: Path) -> list[Rollout] | None:
    """The rollouts of a file; None when there is none or it can't be read."""
    try:
        table = pq.read_table(path)
    except (OSError, ValueError):  # Arrow's errors are ValueErrors
        return None
    if table.schema.names != SCHEMA.names:
        return None
    rows = table.to_pylist()
    for row in rows:
        row["prompt_ids"] = tuple(row["prompt_ids"])
        row["completion_ids"] = tuple(row["completion_ids"])
    return [Rollout(**row) for row in rows]


def replayable(
    path: Path, examples: Sequence[Example], config: TrainConfig, step: int
) -> list[Rollout] | None:
    """The rollouts of a step that an earlier run left, or None when they must be sampled. Raises
    TrainError for a file of other prompts."""
    rollouts = read_rollouts(path)
    if rollouts is None or len(rollouts) != len(examples) * config.group_size:
        return None
    for i, r in enumerate(rollouts):
        slot, sample = divmod(i, config.group_size)
        example = examples[slot]
        if (r.step, r.slot, r.sample, r.prompt_id, r.prompt_ids) != (
            step,
            slot,
            sample,
            example.id,
            example.prompt_ids,
        ):
            raise TrainError(
                f"{path}: row {i} is not what step {step} of this run samples; "
                "delete the file, or start anew with --no-resume"
            )
    return rollouts


def rollout_metrics(rollouts: Sequence[Rollout]) -> dict[str, Any]:
    """What a step's metrics say about its rollouts alone."""
    judged = [r.reward for r in rollouts if r.reward is not None]
    n = len(rollouts)
    tokens = sum(len(r.completion_ids) for r in rollouts)
    reasons = Counter(r.mask_reason for r in rollouts)
    return {
        "reward_mean": sum(judged) / len(judged) if judged else 0.0,
        "pass_share": sum(r == 1.0 for r in judged) / n,
        "length_mean": tokens / n,
        "truncated_share": sum(r.finish_reason == "length" for r in rollouts) / n,
        "masked_share": sum(is_masked(MaskReason(r.mask_reason)) for r in rollouts) / n,
        "mask_reasons": dict(sorted(reasons.items())),
        "temperature": rollouts[0].temperature,
        "judge_errors": n - len(judged),
        "tokens": tokens,
    }


def by_slot(rollouts: Sequence[Rollout]) -> list[list[Rollout]]:
    """The groups of a step, in the order of their slots."""
    groups: dict[int, list[Rollout]] = {}
    for r in rollouts:
        groups.setdefault(r.slot, []).append(r)
    return [groups[slot] for slot in sorted(groups)]


def _utf8(completion: Completion) -> str:
    """Text that Arrow can hold; a tokenizer's decoder should never give anything else."""
    return completion.text.encode("utf-8", "replace").decode("utf-8")
