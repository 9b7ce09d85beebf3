"""The training table: typed settings, and the presets they start from. Imports no torch."""

from __future__ import annotations

import difflib
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationInfo, field_validator

from difficulty.prompts import FewShot
from pipelines.config import ConfigError, StageConfig, load_toml, parse_config

PRESETS = Path(__file__).parent / "presets"
DEFAULT_PRESET = "microcoder-grpo"

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class ConstantT(StageConfig):
    """One sampling temperature for the whole run."""

    kind: Literal["constant"] = "constant"
    value: Positive = 1.2


class StagedT(StageConfig):
    """Temperatures that switch at given steps, as (first step, temperature). There is no ramp:
    the paper found a continuous change of T to harm training."""

    kind: Literal["staged"] = "staged"
    stages: tuple[tuple[int, Positive], ...] = Field(min_length=1)

    @field_validator("stages")
    @classmethod
    def _ordered(cls, stages: tuple[tuple[int, float], ...]) -> tuple[tuple[int, float], ...]:
        steps = [step for step, _ in stages]
        if steps[0] != 0:
            raise ValueError(f"the first stage must start at step 0, not {steps[0]}")
        if any(b <= a for a, b in pairwise(steps)):
            raise ValueError(f"the steps of the stages must increase: {steps}")
        return stages


class DiversityT(StageConfig):
    """T(D): before training, sweep `candidates` on `prompts` problems and keep the lowest T
    whose diversity D reaches `target` and whose accuracy is at least `guard` times the best of
    the sweep. `guard` None (in TOML: 0) turns that condition off."""

    kind: Literal["diversity"] = "diversity"
    candidates: tuple[Positive, ...] = Field(default=(0.6, 0.8, 1.0, 1.2), min_length=1)
    target: float = Field(default=0.70, gt=0, le=1)
    prompts: int = Field(default=4, ge=1)
    guard: float | None = Field(default=0.85, ge=0, le=1)

    @field_validator("candidates")
    @classmethod
    def _increasing(cls, candidates: tuple[float, ...]) -> tuple[float, ...]:
        if any(b <= a for a, b in pairwise(candidates)):
            raise ValueError("the candidate temperatures must increase")
        return candidates


class MaskConfig(StageConfig):
    """Which answers cut at the token limit get no gradient. `rho` is the share of the eligible
    ones that is masked; `window` is the m of the repeated-tail test. The modes:

    - `none`: no mask.
    - `correct_or_incomplete`: the paper's "non-incorrect".
    - `truncated_any`: every cut answer, the widest reading of "incomplete".
    - `correct`, `incorrect`: only the cut answers that are right, only those that are not
      (incomplete ones included).
    - `mask_all`: every cut answer that is not correct, whatever `rho` and the tail (the rule of
      rllm's DeepCoder).
    """

    mode: Literal[
        "none", "correct_or_incomplete", "truncated_any", "correct", "incorrect", "mask_all"
    ] = "none"
    rho: float = Field(default=0.2, ge=0, le=1)
    window: int = Field(default=128, ge=1)


Temperature = Annotated[ConstantT | StagedT | DiversityT, Field(discriminator="kind")]
_KINDS: dict[str, type[ConstantT | StagedT | DiversityT]] = {
    "constant": ConstantT,
    "staged": StagedT,
    "diversity": DiversityT,
}


class TrainConfig(StageConfig):
    """Settings of a training run. The defaults are those of the preset `microcoder-grpo`.
    Rollouts sample from the full distribution (top_p 1.0, no key), as the ratio needs."""

    preset: str = DEFAULT_PRESET
    model: str = Field(default="smollm2", min_length=1)
    seed: int = Field(default=0, ge=0)
    steps: int = Field(default=500, ge=1)
    prompts_per_step: int = Field(default=64, ge=1)
    #: Prompts of one optimiser step; the last mini-batch of a step may be smaller.
    mini_batch: int = Field(default=32, ge=1, validate_default=True)
    group_size: int = Field(default=8, ge=2)
    max_new_tokens: int = Field(default=8192, ge=1)
    lr: Positive = 1e-6
    weight_decay: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    grad_clip: Positive = 1.0
    eps_low: float = Field(default=0.2, gt=0, lt=1)
    eps_high: Positive = 0.28
    kl_coef: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    aggregation: Literal["token_mean", "seq_mean_token_mean", "seq_mean_token_sum", "sequence"] = (
        "token_mean"
    )
    mask: MaskConfig = MaskConfig(mode="correct_or_incomplete")
    temperature: Temperature = DiversityT()

    #: Held-out problems, and how they are tested.
    heldout: int = Field(default=175, ge=0)
    eval_every: int = Field(default=20, ge=1)
    eval_attempts: int = Field(default=4, ge=1)
    eval_temperature: float = Field(default=0.6, ge=0, allow_inf_nan=False)
    eval_top_p: float = Field(default=0.95, gt=0, le=1)
    #: None: `max_new_tokens`.
    eval_max_new_tokens: int | None = Field(default=None, ge=1)

    checkpoint_every: int = Field(default=20, ge=1)
    micro_batch_tokens: int = Field(default=8192, ge=1)
    #: Rows sampled at once.
    batch_size: int = Field(default=32, ge=1)
    threads: int | None = Field(default=None, ge=1)
    judge_workers: int | None = Field(default=None, ge=1)
    #: The least isolation to run answers in (see evaluator.sandbox).
    judge_weakest_tier: Literal["A", "B", "C"] = "A"
    #: Tests used for the reward, longest first.
    max_tests: int = Field(default=15, ge=1)
    #: None: `difficulty.prompts.DEFAULT_FEW_SHOT`.
    few_shot: tuple[FewShot, ...] | None = None

    @field_validator("mini_batch")
    @classmethod
    def _fits(cls, mini_batch: int, info: ValidationInfo) -> int:
        prompts = info.data.get("prompts_per_step")
        if prompts is not None and mini_batch > prompts:
            raise ValueError(f"must be at most prompts_per_step, which is {prompts}")
        return mini_batch


def preset_names() -> list[str]:
    """The names of the shipped presets, sorted.

    >>> preset_names()
    ['dapo-lite', 'grpo', 'microcoder-grpo']
    """
    return sorted(path.stem for path in PRESETS.glob("*.toml"))


def load_train_config(table: dict[str, Any], where: str) -> TrainConfig:
    """The preset that `table` names with the keys of `table` over it, checked. The tables
    `mask` and `temperature` are merged key by key, except that a temperature of another kind
    replaces the preset's. Raises ConfigError, its message starting with `where`.

    >>> load_train_config({"preset": "grpo", "steps": 3}, "my.toml [train]").kl_coef
    0.001
    """
    name = table.get("preset", DEFAULT_PRESET)
    names = preset_names()
    if name not in names:
        near = difflib.get_close_matches(str(name), names, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise ConfigError(f"{where}: unknown preset {name!r}; {hint}presets: {', '.join(names)}")
    if "top_p" in table:
        raise ConfigError(
            f"{where}: unknown key 'top_p'; rollouts always sample the full distribution "
            "(top_p 1.0), else the ratio would be wrong. 'eval_top_p' is the one of the tests"
        )
    merged = load_toml(PRESETS / f"{name}.toml")
    for key, value in table.items():
        if key in ("mask", "temperature"):
            if not isinstance(value, dict):
                raise ConfigError(f"{where}: key {key!r} must be a table (found {value!r:.80})")
            base = merged.get(key, {})
            if value.get("kind", base.get("kind")) == base.get("kind"):
                value = {**base, **value}
        merged[key] = value
    merged["preset"] = name
    # The union and its tag would blur the messages of parse_config: check this table alone.
    temperature = merged["temperature"]
    kind = temperature.get("kind")
    if kind not in _KINDS:
        raise ConfigError(
            f"{where}: key 'temperature.kind': unknown kind {kind!r}; kinds: {', '.join(_KINDS)}"
        )
    merged["temperature"] = parse_config(temperature, _KINDS[kind], f"{where} temperature")
    return parse_config(merged, TrainConfig, where)
