"""Group advantages and each condition of the mask alone."""

from __future__ import annotations

import math
from typing import Any

import pytest

from training.advantages import (
    MaskReason,
    draw,
    group_advantages,
    is_masked,
    mask_reason,
    repeats,
)
from training.config import MaskConfig


def test_one_success_of_eight() -> None:
    # mean 1/8, sample variance (49/64 + 7/64) / 7 = 1/8
    got = group_advantages([1.0] + [0.0] * 7)
    assert got[0] == pytest.approx(2.474867, abs=1e-5)
    assert got[1:] == pytest.approx([-0.353552] * 7, abs=1e-5)


def test_two_of_four() -> None:
    assert group_advantages([1, 0, 1, 0]) == pytest.approx(
        [math.sqrt(3) / 2, -math.sqrt(3) / 2] * 2, abs=1e-5
    )


@pytest.mark.parametrize("value", [0.0, 1.0, 1 / 3, 1 / 9])  # 1/9 is not its mean of 7, by rounding
def test_equal_rewards_give_exactly_zero(value: float) -> None:
    assert group_advantages([value] * 7) == [0.0] * 7


def test_judge_errors_are_left_out() -> None:
    without = group_advantages([1.0, 0.0, 0.0])
    assert group_advantages([1.0, None, 0.0, 0.0]) == [without[0], 0.0, *without[1:]]


@pytest.mark.parametrize("rewards", [[], [1.0], [None, 1.0], [None, None], [None, 1.0, 1.0]])
def test_too_few_or_equal_judged_rewards_give_zero(rewards: list[float | None]) -> None:
    assert group_advantages(rewards) == [0.0] * len(rewards)


def test_a_reward_that_is_not_finite_is_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        group_advantages([0.0, math.nan])


def test_repeats() -> None:
    assert repeats([7, 1, 2, 3, 1, 2, 3], 3)
    assert repeats([1, 2, 3, 1, 2, 3], 3)
    assert not repeats([7, 1, 2, 3, 1, 2, 4], 3)
    assert not repeats([2, 3, 1, 2, 3], 3)  # shorter than two windows
    assert not repeats([1, 2, 1, 2, 9], 2)  # the tail decides
    with pytest.raises(ValueError, match="window"):
        repeats([1], 0)


def reason(mode: str = "correct_or_incomplete", **change: Any) -> MaskReason:
    """The reason of an answer that meets every condition, but for `change`."""
    facts: dict[str, Any] = {
        "ids": list(range(20)),
        "limit": 20,
        "stopped": False,
        "correct": False,
        "incomplete": True,
        "config": MaskConfig.model_validate({"mode": mode, "rho": 0.2, "window": 4}),
        "u": 0.1,
    }
    return mask_reason(**{**facts, **change})


REPEATED = [1, 2, 3, 4] * 5


def test_all_conditions_met_is_masked() -> None:
    assert reason() == MaskReason.TRUNCATED_INCOMPLETE
    assert reason(correct=True, incomplete=False) == MaskReason.TRUNCATED_CORRECT


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"ids": list(range(19))}, MaskReason.NONE),
        ({"stopped": True}, MaskReason.NONE),  # the end token came exactly at the limit
        ({"ids": REPEATED}, MaskReason.REPETITIVE),
        ({"incomplete": False}, MaskReason.INELIGIBLE),
        ({"u": 0.2}, MaskReason.KEPT_BY_DRAW),
        ({"u": 0.19999}, MaskReason.TRUNCATED_INCOMPLETE),
    ],
)
def test_each_condition_alone_keeps_the_answer(
    change: dict[str, Any], expected: MaskReason
) -> None:
    assert reason(**change) == expected


CORRECT = {"correct": True, "incomplete": False}
INCOMPLETE = {"correct": False, "incomplete": True}
WRONG = {"correct": False, "incomplete": False}


@pytest.mark.parametrize(
    ("mode", "correct", "incomplete", "wrong"),
    [
        ("correct_or_incomplete", True, True, False),
        ("truncated_any", True, True, True),
        ("correct", True, False, False),
        ("incorrect", False, True, True),
        ("mask_all", False, True, True),
    ],
)
def test_which_verdicts_a_mode_masks(
    mode: str, correct: bool, incomplete: bool, wrong: bool
) -> None:
    for facts, masked, name in (
        (CORRECT, correct, MaskReason.TRUNCATED_CORRECT),
        (INCOMPLETE, incomplete, MaskReason.TRUNCATED_INCOMPLETE),
        (WRONG, wrong, MaskReason.TRUNCATED_WRONG),
    ):
        assert reason(mode, **facts) == (name if masked else MaskReason.INELIGIBLE)
        assert reason(mode, **facts, stopped=True) == MaskReason.NONE


def test_mask_all_ignores_rho_and_the_repeated_tail() -> None:
    assert reason("mask_all", u=0.99, ids=REPEATED) == MaskReason.TRUNCATED_INCOMPLETE
    assert reason("mask_all", u=0.99, stopped=True) == MaskReason.NONE


def test_mode_none_masks_nothing() -> None:
    assert reason("none", u=0.0) == MaskReason.NONE


@pytest.mark.parametrize("u", [0.0, 0.5, 0.999999])
def test_rho_zero_and_one(u: float) -> None:
    off = MaskConfig(mode="truncated_any", rho=0.0, window=4)
    on = MaskConfig(mode="truncated_any", rho=1.0, window=4)
    assert reason(config=off, u=u) == MaskReason.KEPT_BY_DRAW
    assert reason(config=on, u=u) == MaskReason.TRUNCATED_INCOMPLETE


def test_only_the_truncated_reasons_mask() -> None:
    masked = {r for r in MaskReason if is_masked(r)}
    assert masked == {r for r in MaskReason if r.value.startswith("truncated_")}
    assert len(masked) == 3


def test_draw_is_uniform_and_depends_on_every_argument() -> None:
    us = [
        draw(3, step, f"p{prompt}", s)
        for step in range(20)
        for prompt in range(25)
        for s in range(8)
    ]
    assert len(set(us)) == 4000
    assert all(0 <= u < 1 for u in us)
    assert sum(us) / 4000 == pytest.approx(0.5, abs=0.02)
    assert sum(u < 0.2 for u in us) / 4000 == pytest.approx(0.2, abs=0.025)
    base = draw(0, 1, "a/b", 2)
    assert base == draw(0, 1, "a/b", 2)
    others = {
        draw(1, 1, "a/b", 2),
        draw(0, 2, "a/b", 2),
        draw(0, 1, "a/c", 2),
        draw(0, 1, "a/b", 3),
    }
    assert len(others | {base}) == 5
    assert draw(0, 1, "2:a", 3) != draw(0, 1, "a", 32)
