"""Intervals and estimators for pass rates."""

from __future__ import annotations

import math


def wilson(passed: int, k: int, z: float = 1.959963984540054) -> tuple[float, float]:
    """Wilson score interval of a pass rate (95 % by default). k = 0 says nothing: (0, 1).

    Wilson, J. Am. Stat. Assoc. 22 (1927); unlike the normal interval it stays in [0, 1] and has
    width at 0 and k passes.

    >>> tuple(round(x, 4) for x in wilson(5, 10))
    (0.2366, 0.7634)
    """
    if not 0 <= passed <= k:
        raise ValueError(f"passed must lie in 0..k, found {passed} of {k}")
    if k == 0:
        return 0.0, 1.0
    rate = passed / k
    centre = (rate + z * z / (2 * k)) / (1 + z * z / k)
    half = z * math.sqrt(rate * (1 - rate) / k + z * z / (4 * k * k)) / (1 + z * z / k)
    low = 0.0 if passed == 0 else max(0.0, centre - half)
    high = 1.0 if passed == k else min(1.0, centre + half)
    return low, high


def pass_at_k(n: int, passed: int, k: int) -> float:
    """Unbiased pass@k from n samples of which `passed` passed (Chen et al. 2021, section 2.1).

    >>> round(pass_at_k(10, 3, 1), 3)
    0.3
    """
    if not 1 <= k <= n:
        raise ValueError(f"k must lie in 1..n, found k={k}, n={n}")
    if n - passed < k:
        return 1.0
    return 1.0 - math.prod((n - passed - i) / (n - i) for i in range(k))
