"""MinHash signatures of batches, bit for bit those of datasketch.MinHash, and their LSH bands."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from curation.shingles import Tokens
from curation.text import Hashes

#: datasketch's permutations of a 32-bit hash h. `affine32` (its default since 2.0): a*h + b modulo
#: 2^32 of the mixed h; `legacy` (before): the low 32 bits of (a*h + b) modulo 2^61 - 1.
Scheme = Literal["affine32", "legacy"]
Signatures = npt.NDArray[np.uint32]

_LOW = np.uint64(2**32 - 1)
_P = np.uint64(2**61 - 1)


@lru_cache(maxsize=8)
def permutations(num_perm: int, seed: int, scheme: Scheme = "affine32") -> npt.NDArray[Any]:
    """The (a, b) of datasketch.MinHash(num_perm, seed, scheme=scheme), shape (2, num_perm). Made
    here, because datasketch takes half a second to import (a test compares)."""
    generator = np.random.RandomState(seed)
    if scheme == "legacy":
        pairs = [
            (
                generator.randint(1, int(_P), dtype=np.uint64),
                generator.randint(0, int(_P), dtype=np.uint64),
            )
            for _ in range(num_perm)
        ]
        return np.array(pairs, np.uint64).T
    odd = generator.randint(0, 2**31, num_perm, dtype=np.uint32) * np.uint32(2) + np.uint32(1)
    return np.array([odd, generator.randint(0, 2**32, num_perm, dtype=np.uint32)])


@lru_cache(maxsize=32)
def bands(threshold: float, num_perm: int, recall: float = 0.995) -> tuple[int, int]:
    """(bands, rows a band) such that a pair at the threshold is proposed with probability
    `recall` and one at a quarter of it with at most 0.005, in as few values as that takes; where
    nothing that fits into `num_perm` is so selective, with as many rows as fit. datasketch's own
    choice weighs false candidates as much as missed pairs: at 0.8 and 128 it takes 9 x 13 and
    misses 60 of 100. Ours are verified, so false ones only cost time.

    >>> bands(0.8, 128), bands(0.5, 128)
    ((14, 5), (40, 3))
    """

    def proposed(similarity: float, count: int, rows: int) -> float:
        return 1 - (1 - similarity**rows) ** count

    fitting = []
    for rows in range(1, num_perm + 1):
        for count in range(1, num_perm // rows + 1):
            if proposed(threshold, count, rows) >= recall:
                fitting.append((count, rows))
                break
    selective = [f for f in fitting if proposed(threshold / 4, *f) <= 0.005]
    if selective:
        return min(selective, key=lambda f: f[0] * f[1])
    return max(fitting, key=lambda f: f[1], default=(num_perm, 1))


def signatures(
    shingles: Tokens, num_perm: int, seed: int, used: int | None = None, scheme: Scheme = "affine32"
) -> Signatures:
    """Signatures, shape (texts, used): the first `used` (all by default) of the `num_perm` values
    of datasketch.MinHash(num_perm, seed, scheme=scheme) updated with the low 32 bits of a text's
    shingles. A text without shingles has 2^32 - 1 everywhere, as in datasketch."""
    table = permutations(num_perm, seed, scheme)[:, :used]
    out = np.full((table.shape[1], len(shingles.offsets) - 1), _LOW, np.uint64).astype(np.uint32)
    some = np.flatnonzero(np.diff(shingles.offsets))
    if not len(some):
        return out.T
    starts = shingles.offsets[some]
    hashes = _fmix32(shingles.hashes.astype(np.uint32)).astype(table.dtype)
    if scheme == "legacy":
        hashes = shingles.hashes & _LOW
    # One permutation after the other over the whole batch: its values stay in the L1 cache.
    values = np.empty_like(hashes)
    for k in range(table.shape[1]):
        np.multiply(hashes, table[0, k], out=values)
        np.add(values, table[1, k], out=values)
        if scheme == "legacy":
            values = _modulo_p(values) & _LOW
        out[k, some] = np.minimum.reduceat(values, starts)
    return out.T


def _fmix32(h: Signatures) -> Signatures:
    """MurmurHash3's finaliser, with which datasketch mixes hashes before it permutes them."""
    h = (h ^ (h >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    h = (h ^ (h >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return h ^ (h >> np.uint32(16))


def _modulo_p(x: Hashes) -> Hashes:
    """x modulo the Mersenne prime 2^61 - 1, without a division."""
    x = (x & _P) + (x >> np.uint64(61))
    return np.where(x >= _P, x - _P, x)


def band_keys(signature: Signatures, count: int, rows: int) -> Hashes:
    """One 64-bit key a band, shape (texts, count), from signatures of at least count * rows
    values; keys of different bands differ, so that one table holds them all."""
    table = signature[:, : count * rows].astype(np.uint64).reshape(len(signature), count, rows)
    keys = np.broadcast_to(np.arange(1, count + 1, dtype=np.uint64), table.shape[:2]).copy()
    for column in range(rows):
        keys = (keys ^ table[:, :, column]) * np.uint64(0x9E3779B97F4A7C15)
        keys ^= keys >> np.uint64(32)
    return keys
