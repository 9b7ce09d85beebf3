"""Token and shingle hashes of whole batches of statements, without a Python object a token.

The tokens are those of :func:`curation.text.dedup_tokens`. Where a text is ASCII (most are once
`dedup_form` has spelt out its signs) they are found by looking at classes of bytes in one array
for the whole batch; other texts go through the regular expression and join the batch afterwards.
A token's hash is a polynomial over its bytes modulo 2^64, read off prefix sums; a shingle's
combines those of its tokens. Hashes are kept in the index of `dedup`: raise HASH_VERSION when
they change.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from curation.text import Hashes, dedup_form, dedup_tokens

#: Raise it when a change gives other tokens, token hashes or shingles.
HASH_VERSION = 1

Offsets = npt.NDArray[np.int64]

_DIGIT, _LETTER, _SIGN, _BRACKET, _OTHER = 1, 2, 3, 4, 5
_MULTIPLIER = 0x9E3779B97F4A7C15  # odd, so it has an inverse modulo 2^64
_INVERSE = pow(_MULTIPLIER, -1, 2**64)


def _byte_classes() -> npt.NDArray[np.uint8]:
    classes = np.zeros(256, np.uint8)
    classes[48:58] = _DIGIT
    classes[97:123] = classes[65:91] = _LETTER
    classes[list(b"<>=!+-*/%^&|~#@")] = _SIGN
    classes[list(b"[]()")] = _BRACKET  # each a token of its own; {} are none
    return classes


def _mixed(x: Hashes) -> Hashes:
    """The finaliser of splitmix64 (Steele et al. 2014): every input bit reaches every output."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


_CLASSES = _byte_classes()
#: Between texts that were cut into tokens already, only a space ends a token.
_SPLIT = np.full(256, _OTHER, np.uint8)
_SPLIT[[32, 10]] = 0
_VALUES = _mixed(np.arange(1, 257, dtype=np.uint64) * np.uint64(_MULTIPLIER))


@lru_cache(maxsize=16)
def _powers(size: int) -> tuple[Hashes, Hashes]:
    """The multiplier and its inverse to the powers 0 ... size - 1."""
    up, down = np.full(size, _MULTIPLIER, np.uint64), np.full(size, _INVERSE, np.uint64)
    up[0] = down[0] = 1
    return np.multiply.accumulate(up), np.multiply.accumulate(down)


@dataclass(frozen=True, slots=True)
class Tokens:
    """Token hashes of a batch: those of text i are `hashes[offsets[i]:offsets[i + 1]]`."""

    hashes: Hashes
    offsets: Offsets


def stored_form(text: str) -> str:
    """What is kept of a statement: enough to make its tokens again with :func:`batch_tokens`.
    ASCII: `dedup_form`; else the tokens, joined by spaces (no token holds one).

    >>> stored_form("At most 10<sup>5</sup>!"), stored_form("Übung: n²")
    ('at most 10^5!', 'übung n ^ 2')
    """
    form = dedup_form(text)
    return form if form.isascii() else " ".join(dedup_tokens(text))


def batch_tokens(forms: Sequence[str]) -> Tokens:
    """Token hashes of texts in the form of :func:`stored_form`.

    >>> batch_tokens(["a <= b", ""]).offsets.tolist()
    [0, 3, 3]
    """
    plain = [i for i, form in enumerate(forms) if form.isascii()]
    if len(plain) == len(forms):
        return _tokens_of(forms, _CLASSES)
    other = [i for i, form in enumerate(forms) if not form.isascii()]
    parts = [_tokens_of([forms[i] for i in plain], _CLASSES)]
    parts.append(_tokens_of([forms[i] for i in other], _SPLIT))
    counts = np.zeros(len(forms), np.int64)
    counts[plain], counts[other] = (np.diff(p.offsets) for p in parts)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    hashes = np.empty(offsets[-1], np.uint64)
    for rows, part in zip((plain, other), parts, strict=True):
        # where each token of the part goes: its text's start, plus its place in the text
        starts = np.repeat(offsets[rows] - part.offsets[:-1], np.diff(part.offsets))
        hashes[starts + np.arange(len(part.hashes))] = part.hashes
    return Tokens(hashes, offsets)


def _tokens_of(forms: Sequence[str], classes: npt.NDArray[np.uint8]) -> Tokens:
    """Tokens are maximal runs of one class (brackets: single bytes), and 1.5 is one number."""
    encoded = [form.encode() for form in forms]
    data = np.frombuffer(b"\n".join([b"", *encoded, b""]), np.uint8)  # tokens lie inside
    ends = np.cumsum([len(e) + 1 for e in encoded], dtype=np.int64) + 1
    kind = classes.take(data)
    if classes is _CLASSES:
        _join_fractions(data, kind)
    change = kind[1:] != kind[:-1]
    change |= kind[1:] == _BRACKET
    token = kind != 0
    start = np.flatnonzero(change & token[1:]) + 1
    end = np.flatnonzero(change & token[:-1]) + 1
    hashes = _segment_hashes(_VALUES.take(data), start, end)
    offsets = np.zeros(len(forms) + 1, np.int64)
    offsets[1:] = np.searchsorted(start, ends)
    return Tokens(hashes, offsets)


def _segment_hashes(values: Hashes, start: Offsets, end: Offsets) -> Hashes:
    """Hashes of the segments start ... end of a sequence of random-looking 64-bit values."""
    size = 1 << max(12, len(values).bit_length())  # few sizes, so that the powers are reused
    up, down = _powers(size)
    sums = np.zeros(len(values) + 1, np.uint64)
    np.cumsum(values * up[: len(values)], out=sums[1:])
    polynomials = (sums.take(end) - sums.take(start)) * down.take(start)
    return _mixed(polynomials + (end - start).astype(np.uint64))


def text_hashes(tokens: Tokens) -> Hashes:
    """A 64-bit hash of each text's sequence of tokens; 0 for one without tokens.

    >>> a, b, c = text_hashes(batch_tokens(["a <= b", "a<=b", ""])).tolist()
    >>> a == b, c
    (True, 0)
    """
    start, end = tokens.offsets[:-1], tokens.offsets[1:]
    hashes = np.maximum(_segment_hashes(tokens.hashes, start, end), np.uint64(1))
    return np.where(end > start, hashes, np.uint64(0))


def _join_fractions(data: npt.NDArray[np.uint8], kind: npt.NDArray[np.uint8]) -> None:
    """Give the point of 1.5 the class of a digit. Of 1.2.3 only every other point joins, as in
    the regular expression: 1.2 and 3."""
    points = np.flatnonzero(data == 46)
    points = points[(points > 0) & (points < len(data) - 1)]
    points = points[(kind[points - 1] == _DIGIT) & (kind[points + 1] == _DIGIT)]
    if len(points) > 1:
        breaks = np.cumsum(kind != _DIGIT)  # two points with none but digits between: 1 more
        linked = np.flatnonzero(np.diff(breaks[points]) == 1) + 1
        joined = np.ones(len(points), bool)
        for i in linked.tolist():
            joined[i] = not joined[i - 1]
        points = points[joined]
    kind[points] = _DIGIT


def batch_shingles(tokens: Tokens, n: int) -> Tokens:
    """Hashes of the word n-grams of every text, in order and with repeats; a text with fewer
    tokens is one shingle, one without tokens has none.

    >>> batch_shingles(batch_tokens(["a b c d", "a", ""]), 3).offsets.tolist()
    [0, 2, 3, 3]
    """
    counts = np.diff(tokens.offsets)
    made = np.where(counts == 0, 0, np.maximum(counts - n + 1, 1))
    offsets = np.concatenate([[0], np.cumsum(made)])
    grams = _combined(tokens.hashes, n)
    out = np.empty(offsets[-1], np.uint64)
    full = counts >= n
    # texts lie one behind the other, so what is not a window across two texts is a mask
    window = np.zeros(len(tokens.hashes) + 1, np.int64)
    np.add.at(window, tokens.offsets[:-1][full], 1)
    np.add.at(window, tokens.offsets[1:][full] - n + 1, -1)
    long_ones = grams[np.cumsum(window)[: len(grams)] > 0]
    if full.all():
        return Tokens(long_ones, offsets)
    place = np.repeat(full, made)
    out[place] = long_ones
    for i in np.flatnonzero((counts > 0) & ~full).tolist():
        text = tokens.hashes[tokens.offsets[i] : tokens.offsets[i + 1]]
        out[offsets[i]] = _combined(text, len(text))[0]
    return Tokens(out, offsets)


def _combined(hashes: Hashes, n: int) -> Hashes:
    out = np.zeros(max(0, len(hashes) - n + 1), np.uint64)
    for k in range(n):
        out = out * np.uint64(_MULTIPLIER) + hashes[k : k + len(out)]
        out ^= out >> np.uint64(29)
    return out


def shingle_sets(forms: Sequence[str], n: int) -> list[Hashes]:
    """Sorted distinct shingle hashes of each text: what an exact Jaccard compares."""
    shingles = batch_shingles(batch_tokens(forms), n)
    borders = itertools.pairwise(shingles.offsets.tolist())
    return [_distinct(shingles.hashes[a:b]) for a, b in borders]


def _distinct(hashes: Hashes) -> Hashes:
    """np.unique, four times faster at this size."""
    if not len(hashes):
        return hashes
    hashes = np.sort(hashes)
    return hashes[np.concatenate([[True], hashes[1:] != hashes[:-1]])]


def jaccard(a: Hashes, b: Hashes) -> float:
    """Jaccard similarity of two sorted sets of hashes.

    >>> jaccard(np.array([1, 2], np.uint64), np.array([2, 3], np.uint64))
    0.3333333333333333
    """
    merged = np.concatenate([a, b])
    merged.sort(kind="stable")  # which merges two sorted runs
    both = int(np.count_nonzero(merged[1:] == merged[:-1]))
    return both / max(1, len(merged) - both)
