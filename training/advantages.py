"""Group advantages and the conditional truncation mask. Plain Python, float64.

The advantage of the paper (arXiv 2603.07777, equation 2):

    A_i = (r_i - mean{r}) / std{r}
          * (1 - I[|o_i| = L_max and non-incorrect(o_i) and not repeat(o_i, m) and U(0,1) < rho])

The mask multiplies the finished advantage: a masked answer still counts in the mean and the
standard deviation of its group.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from enum import StrEnum

from training.config import MaskConfig

STD_EPSILON = 1e-6


def group_advantages(rewards: Sequence[float | None]) -> list[float]:
    """The first factor of A_i for one group: (r - mean) / (std + 1e-6), std over n - 1.

    A reward of None (the judge failed) is left out of mean and std and gets 0. So does every
    answer of a group with equal rewards or with fewer than two judged ones.

    >>> [round(a, 4) for a in group_advantages([1.0] + [0.0] * 7)][:2]
    [2.4749, -0.3536]
    """
    judged = [float(r) for r in rewards if r is not None]
    if not all(map(math.isfinite, judged)):
        raise ValueError(f"rewards must be finite: {judged}")
    if len(judged) < 2 or max(judged) == min(judged):
        return [0.0] * len(rewards)
    mean = math.fsum(judged) / len(judged)
    std = math.sqrt(math.fsum((r - mean) ** 2 for r in judged) / (len(judged) - 1))
    return [0.0 if r is None else (r - mean) / (std + STD_EPSILON) for r in rewards]


class MaskReason(StrEnum):
    """What the mask did with an answer, and why. TRUNCATED_* are the masked ones."""

    NONE = "none"
    """Not cut at the limit, or no mask in use."""
    TRUNCATED_CORRECT = "truncated_correct"
    TRUNCATED_INCOMPLETE = "truncated_incomplete"
    TRUNCATED_WRONG = "truncated_wrong"
    KEPT_BY_DRAW = "kept_by_draw"
    REPETITIVE = "repetitive"
    INELIGIBLE = "ineligible"
    """Cut at the limit, but its verdict is not one the mode masks."""


_MASKED = frozenset(
    {MaskReason.TRUNCATED_CORRECT, MaskReason.TRUNCATED_INCOMPLETE, MaskReason.TRUNCATED_WRONG}
)


def is_masked(reason: MaskReason) -> bool:
    """Whether the answer's advantage becomes 0.

    >>> is_masked(MaskReason.TRUNCATED_INCOMPLETE), is_masked(MaskReason.KEPT_BY_DRAW)
    (True, False)
    """
    return reason in _MASKED


def repeats(ids: Sequence[int], window: int) -> bool:
    """repeat(o_i, m): whether the last `window` ids equal the `window` ids before them. False
    for fewer than 2 * window ids.

    >>> repeats([9, 1, 2, 1, 2], 2), repeats([1, 2, 1], 2)
    (True, False)
    """
    if window < 1:
        raise ValueError(f"window must be at least 1: {window}")
    n = len(ids)
    return n >= 2 * window and list(ids[n - window :]) == list(ids[n - 2 * window : n - window])


def draw(seed: int, step: int, prompt: str, sample: int) -> float:
    """U(0,1) of one answer, in [0, 1). It depends on its arguments only, so that neither the
    order of the work nor a resume changes it.

    >>> draw(0, 1, "mbpp/2", 3) == draw(0, 1, "mbpp/2", 3)
    True
    """
    digest = hashlib.sha256(f"mask:{seed}:{step}:{sample}:{prompt}".encode()).digest()
    return (int.from_bytes(digest[:8], "big") >> 11) / 2**53


def mask_reason(
    *,
    ids: Sequence[int],
    limit: int,
    stopped: bool,
    correct: bool,
    incomplete: bool,
    config: MaskConfig,
    u: float,
) -> MaskReason:
    """The indicator of equation 2 for one answer, with the reason.

    `ids` are the generated token ids, `limit` is L_max, `stopped` says that the answer ended
    itself (an end token exactly at the limit is a finished answer), `u` is its `draw`.
    `incomplete` says that the cut left no program to judge.
    """
    if config.mode == "none" or stopped or len(ids) != limit:
        return MaskReason.NONE
    if correct:
        reason = MaskReason.TRUNCATED_CORRECT
    elif incomplete:
        reason = MaskReason.TRUNCATED_INCOMPLETE
    else:
        reason = MaskReason.TRUNCATED_WRONG
    eligible = {
        "correct_or_incomplete": correct or incomplete,
        "truncated_any": True,
        "correct": correct,
        "incorrect": not correct,
        "mask_all": not correct,
    }[config.mode]
    if not eligible:
        return MaskReason.INELIGIBLE
    if config.mode == "mask_all":
        return reason
    if repeats(ids, config.window):
        return MaskReason.REPETITIVE
    return reason if u < config.rho else MaskReason.KEPT_BY_DRAW
