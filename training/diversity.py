"""The diversity D of sampled answers: the share of distinct 4-grams of token ids."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

Responses = Sequence[Sequence[int]]

#: Answers a prompt that D is measured over: the paper's count, and that of the target of T(D).
RESPONSES = 8


def distinct_n(
    responses: Responses, n: int = 4, special: frozenset[int] = frozenset()
) -> float | None:
    """Unique over total n-grams, pooled over the answers to one prompt. No n-gram crosses from
    one answer to the next; ids in `special` are removed first. None without any n-gram.

    >>> distinct_n([[1, 2, 3], [1, 2, 4]], n=2)
    0.75
    """
    if n < 1:
        raise ValueError(f"n must be at least 1: {n}")
    seen: set[tuple[int, ...]] = set()
    total = 0
    for response in responses:
        ids = [int(i) for i in response if i not in special]
        grams = [tuple(ids[k : k + n]) for k in range(len(ids) - n + 1)]
        seen.update(grams)
        total += len(grams)
    return len(seen) / total if total else None


@dataclass(frozen=True, slots=True)
class Diversity:
    """D over some prompts. `value` is None if no prompt had an n-gram; `prompts` counts those in
    the mean and `left_out` those without n-grams; `responses` is the number of answers used per
    prompt (the fewest, where prompts differ). Compare values of equal `responses` only: more
    answers, or longer ones, lower D."""

    value: float | None
    prompts: int
    left_out: int
    responses: int


def diversity(
    groups: Sequence[Responses],
    responses: int = RESPONSES,
    n: int = 4,
    special: frozenset[int] = frozenset(),
) -> Diversity:
    """Mean of `distinct_n` over the prompts, from the first `responses` answers of each.

    >>> diversity([[[1, 2, 3, 4, 5]] * 2, [[1, 2, 3]]])
    Diversity(value=0.5, prompts=1, left_out=1, responses=2)
    """
    if responses < 1:
        raise ValueError(f"responses must be at least 1: {responses}")
    values: list[float] = []
    used: list[int] = []
    for group in groups:
        first = group[:responses]
        value = distinct_n(first, n, special)
        if value is not None:
            values.append(value)
            used.append(len(first))
    return Diversity(
        value=math.fsum(values) / len(values) if values else None,
        prompts=len(values),
        left_out=len(groups) - len(values),
        responses=min(used, default=0),
    )
