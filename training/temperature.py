"""The sampling temperature: constant, staged, or chosen by a sweep, T(D) of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from training.config import ConstantT, DiversityT, StagedT


def temperature_at(config: ConstantT | StagedT, step: int) -> float:
    """T of a step. Steps count from 0; a stage holds from its first step on.

    >>> temperature_at(StagedT(stages=((0, 0.6), (140, 1.8))), 140)
    1.8
    """
    if isinstance(config, ConstantT):
        return config.value
    if step < 0:
        raise ValueError(f"step must not be negative: {step}")
    return [t for first, t in config.stages if first <= step][-1]


@dataclass(frozen=True, slots=True)
class SweepRow:
    """What the sweep measured at one temperature."""

    temperature: float
    diversity: float | None
    accuracy: float
    mean_length: float
    prompts: int
    responses: int


def choose(rows: Sequence[SweepRow], config: DiversityT) -> tuple[float, str]:
    """The lowest T whose D reaches the target and whose accuracy is at least guard * best; if
    none does, the T of highest D among those that pass the guard. Also a sentence that says why.
    Raises ValueError if no row has a D.
    """
    measured = [(row.diversity, row) for row in rows if row.diversity is not None]
    if not measured:
        raise ValueError(
            "the sweep gave no diversity (no answer of four tokens); set temperature.kind to "
            "'constant'"
        )
    best = max(row.accuracy for row in rows)
    floor = (config.guard or 0.0) * best
    # Without the tolerance, rounding alone could fail a T at exactly the floor.
    safe = [(d, row) for d, row in measured if row.accuracy >= floor - 1e-12]
    reached = [(d, row) for d, row in safe if d >= config.target]
    if not config.guard:
        guard = "the accuracy guard is off"
    elif best == 0:
        guard = "no candidate solved a problem, so the accuracy guard excluded nothing"
    else:
        guard = f"accuracy at least {floor:.3f}, {config.guard:g} of the best {best:.3f}"
    if reached:
        d, row = min(reached, key=lambda pair: pair[1].temperature)
        return row.temperature, (
            f"T {row.temperature:g} is the lowest candidate with D at least {config.target:g} "
            f"(D {d:.3f}, accuracy {row.accuracy:.3f}; {guard})."
        )
    excluded = [row.temperature for d, row in measured if d >= config.target]
    why = (
        f"No candidate reaches D {config.target:g}"
        if not excluded
        else f"D {config.target:g} is reached only where accuracy falls below the guard "
        f"(T {', '.join(f'{t:g}' for t in sorted(excluded))})"
    )
    if safe:
        rest = "the highest D among the candidates that pass the guard"
    else:
        safe, rest = measured, "the highest D (no candidate with a D passes the guard)"
    d, row = max(safe, key=lambda pair: (pair[0], -pair[1].temperature))
    return row.temperature, (
        f"{why}: T {row.temperature:g} has {rest} "
        f"(D {d:.3f}, accuracy {row.accuracy:.3f}; {guard})."
    )
