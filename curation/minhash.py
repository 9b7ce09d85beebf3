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
#: Shingles a slice: the table of (permutations x slice) values stays in the L2 cache.
_SLICE = 1024


@lru_cache(maxsize=8)
def permutations(num_perm: int, seed: int, scheme: Scheme = "affine32") -> npt.NDArray[Any]:
    """The (a, b) of datasketch.MinHash, shape (2, num_perm)."""
    from datasketch import MinHash

    made: npt.NDArray[Any] = MinHash(num_perm=num_perm, seed=seed, scheme=scheme).permutations
    return made


@lru_cache(maxsize=32)
def bands(threshold: float, num_perm: int, recall: float = 0.995) -> tuple[int, int]:
    """(bands, rows a band) such that a pair at the threshold is proposed with probability
    `recall`: of all that fit into `num_perm`, the most rows, then the fewest bands that suffice.
    datasketch's own choice weighs false candidates as much as missed pairs: at 0.8 and 128 it
    takes 9 x 13 and misses 60 of 100. Ours are verified, so false ones only cost time.

    >>> bands(0.8, 128)
    (18, 6)
    """
    for rows in range(num_perm, 0, -1):
        for count in range(1, num_perm // rows + 1):
            if 1 - (1 - threshold**rows) ** count >= recall:
                return count, rows
    return num_perm, 1


def signatures(
    shingles: Tokens, num_perm: int, seed: int, used: int | None = None, scheme: Scheme = "affine32"
) -> Signatures:
    """Signatures, shape (texts, used): the first `used` (all by default) of the `num_perm` values
    of datasketch.MinHash(num_perm, seed, scheme=scheme) updated with the low 32 bits of a text's
    shingles. A text without shingles has 2^32 - 1 everywhere, as in datasketch."""
    table = permutations(num_perm, seed, scheme)[:, :used]
    out = np.full((len(shingles.offsets) - 1, table.shape[1]), _LOW, np.uint64).astype(np.uint32)
    low = shingles.hashes.astype(np.uint32)
    a, b = table[0][:, None], table[1][:, None]
    if scheme == "affine32":
        low = _fmix32(low)
    work = np.empty(len(a) * _SLICE, np.uint32)
    for i, (start, end) in enumerate(
        zip(shingles.offsets[:-1].tolist(), shingles.offsets[1:].tolist(), strict=True)
    ):
        for first in range(start, end, _SLICE):
            h = low[first : min(end, first + _SLICE)]
            if scheme == "affine32":
                values = work[: len(a) * len(h)].reshape(len(a), len(h))
                np.multiply(a, h, out=values)
                values += b
            else:
                values = _modulo_p(h.astype(np.uint64) * a + b).astype(np.uint32)
            np.minimum(out[i], values.min(axis=1), out=out[i])
    return out


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
