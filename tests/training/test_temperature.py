"""Schedules, and the choice of T from a sweep."""

from __future__ import annotations

import pytest

from training.config import ConstantT, DiversityT, StagedT
from training.temperature import SweepRow, choose, temperature_at


def row(t: float, d: float | None, accuracy: float) -> SweepRow:
    return SweepRow(t, d, accuracy, mean_length=100.0, prompts=4, responses=8)


def test_constant_and_staged() -> None:
    assert temperature_at(ConstantT(value=0.9), 10_000) == 0.9
    staged = StagedT(kind="staged", stages=((0, 0.6), (140, 1.8)))
    assert [temperature_at(staged, s) for s in (0, 139, 140, 141, 999)] == [
        0.6,
        0.6,
        1.8,
        1.8,
        1.8,
    ]
    with pytest.raises(ValueError, match="negative"):
        temperature_at(staged, -1)


def test_the_lowest_t_that_reaches_the_target() -> None:
    rows = [row(1.2, 0.9, 0.5), row(0.6, 0.5, 0.5), row(1.0, 0.70, 0.5)]
    t, why = choose(rows, DiversityT())
    assert t == 1.0
    assert "lowest" in why
    assert "0.700" in why


def test_the_guard_at_its_border() -> None:
    rows = [row(0.6, 0.5, 0.40), row(1.0, 0.8, 0.34), row(1.2, 0.9, 0.34)]
    assert choose(rows, DiversityT())[0] == 1.0  # 0.34 is 0.85 * 0.40
    t, why = choose([row(0.6, 0.5, 0.40), row(1.0, 0.8, 0.33)], DiversityT())
    assert t == 0.6
    assert "only where accuracy falls below the guard (T 1)" in why


@pytest.mark.parametrize("guard", [None, 0.0])
def test_the_guard_off(guard: float | None) -> None:
    rows = [row(0.6, 0.5, 0.40), row(1.0, 0.8, 0.0)]
    t, why = choose(rows, DiversityT(guard=guard))
    assert t == 1.0
    assert "guard is off" in why


def test_none_reaches_the_target() -> None:
    rows = [row(0.6, 0.3, 0.5), row(0.8, 0.5, 0.5), row(1.0, 0.6, 0.5), row(1.2, 0.65, 0.1)]
    t, why = choose(rows, DiversityT())
    assert t == 1.0  # 1.2 fails the guard
    assert why.startswith("No candidate reaches D 0.7")
    assert "highest D" in why


def test_equal_diversity_takes_the_lower_t() -> None:
    assert choose([row(1.0, 0.5, 0.5), row(0.8, 0.5, 0.5)], DiversityT())[0] == 0.8


def test_nothing_solved() -> None:
    t, why = choose([row(0.6, 0.5, 0.0), row(1.0, 0.8, 0.0)], DiversityT())
    assert t == 1.0
    assert "excluded nothing" in why


def test_rows_without_a_diversity() -> None:
    assert choose([row(0.6, None, 0.5), row(1.0, 0.8, 0.5)], DiversityT())[0] == 1.0
    # the only row with a D fails the guard: better that than no temperature
    t, why = choose([row(0.6, None, 0.5), row(1.0, 0.8, 0.1)], DiversityT())
    assert t == 1.0
    assert "passes the guard" in why
    for rows in ([], [row(0.6, None, 0.5)]):
        with pytest.raises(ValueError, match="constant"):
            choose(rows, DiversityT())
