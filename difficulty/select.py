"""Keep the problems whose measured pass rate lies in a band."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import Field, model_validator

from pipelines.config import StageConfig
from pipelines.problem import drop
from pipelines.shards import Shards
from pipelines.stage import Decision, Progress, StageContext, StageResult, no_progress, run_stage


class SelectConfig(StageConfig):
    """Keeps `min_rate` < pass rate <= `max_rate`. `keep_unsolved` also keeps problems that no
    sample solved and that verification ran an accepted solution for (flag "verified"): hard, but
    known to be solvable."""

    min_rate: float = Field(default=0.0, ge=0, lt=1)
    max_rate: float = Field(default=0.8, gt=0, le=1)
    keep_unsolved: bool = False

    @model_validator(mode="after")
    def _ordered(self) -> SelectConfig:
        if self.min_rate >= self.max_rate:
            raise ValueError(f"min_rate {self.min_rate} must be below max_rate {self.max_rate}")
        return self


def select(
    inputs: Sequence[Path],
    out: Path,
    config: SelectConfig | None = None,
    progress: Progress = no_progress,
) -> StageResult:
    """Keep the band by each problem's newest probe. Drops: not_probed, unsolved, too_hard,
    too_easy, with the pass rate and its interval.

    >>> # select([Path("runs/x/06-probe")], Path("out"), SelectConfig(max_rate=0.6))
    """
    band = config or SelectConfig()

    def decide(problems: Shards, ctx: StageContext) -> Iterator[Decision]:
        for p in problems:
            if not p.probes:
                yield drop(p, "select", "not_probed", remedy="run `microcoder probe` on it")
                continue
            probe = p.probes[-1]
            reason = _reason(probe.pass_rate, "verified" in p.flags, band)
            if reason is None:
                yield p
            else:
                facts = {"pass_rate": probe.pass_rate, "low": probe.low, "high": probe.high}
                yield drop(p, "select", reason, k=probe.k, model=probe.model, **facts)

    return run_stage("select", inputs, out, band, decide, rooms=("difficulty",), progress=progress)


def _reason(rate: float, verified: bool, band: SelectConfig) -> str | None:
    if rate == 0 and band.keep_unsolved and verified:
        return None
    if rate == 0:
        return "unsolved"
    if rate <= band.min_rate:
        return "too_hard"
    return "too_easy" if rate > band.max_rate else None
