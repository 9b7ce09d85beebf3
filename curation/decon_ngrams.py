"""Word n-grams of many texts at once, and how much of a text lies in each text of a benchmark.

A gram's 64-bit hash is combined from the blake2b-64 hashes of its words, so a batch of texts is
hashed by a few numpy operations over all their words. Weights are inverse document frequencies
over the benchmark: a gram of one problem weighs 1, one that most problems have ("The input is
given from Standard Input in the following format") close to nothing, as in AI2's decon.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from curation.text import Hashes, ngram_words_utf8

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

#: Raise it when `gram_batch` changes: older fingerprints then don't match.
GRAMS_VERSION = 1
#: A gram in more than this share of the benchmark (but at least in `COMMON_LEAST` problems more)
#: says nothing: weight 0, and the index need not follow its long list of problems.
COMMON_SHARE = 0.05
COMMON_LEAST = 10
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)
_FILTER_BITS = 22


class _WordHashes(dict[bytes, int]):
    """word -> blake2b-64, computed when first asked for. Forgotten when it has grown too large:
    numbers and names of variables are without end."""

    limit = 1 << 20

    def __missing__(self, word: bytes) -> int:
        if len(self) >= self.limit:
            self.clear()
        value = int.from_bytes(blake2b(word, digest_size=8).digest(), "little")
        self[word] = value
        return value


_word_hashes = _WordHashes()


@dataclass(frozen=True, slots=True)
class Grams:
    """Grams of a batch: `values[offsets[i]:offsets[i + 1]]` are text i's in reading order, with
    repeats. A text shorter than n words is one gram; a text without words has none."""

    values: Hashes
    offsets: Ints

    @property
    def rows(self) -> Ints:
        """The text of every gram."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))


def gram_batch(texts: Sequence[str], n: int) -> Grams:
    """Hashed word n-grams of texts (words: :func:`curation.text.ngram_words`).

    >>> g = gram_batch(["one two three four", "one two", ""], 3)
    >>> g.offsets.tolist(), len(set(g.values.tolist()))
    ([0, 2, 3, 3], 3)
    """
    lengths = np.zeros(len(texts), np.int64)
    hashes: list[int] = []
    for i, text in enumerate(texts):
        words = ngram_words_utf8(text)
        lengths[i] = len(words)
        hashes += map(_word_hashes.__getitem__, words)
    words64 = np.array(hashes, np.uint64)
    starts = np.cumsum(lengths) - lengths
    counts = np.where(lengths > 0, np.maximum(lengths - n + 1, 1), 0)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    # first word of every gram, then as many further words as its text has, at most n in all
    first = np.arange(offsets[-1]) - np.repeat(offsets[:-1] - starts, counts)
    short = np.flatnonzero((lengths > 0) & (lengths < n))
    padded = np.concatenate([words64, np.zeros(n, np.uint64)])
    out = np.zeros(len(first), np.uint64)
    for k in range(n):
        before = out[offsets[short[lengths[short] <= k]]]
        out *= _MULTIPLIER
        out += padded[first + k]
        out ^= out >> _SHIFT
        out[offsets[short[lengths[short] <= k]]] = before
    return Grams(out, offsets)


@dataclass(slots=True)
class Overlap:
    """What texts share with problems, one entry a pair that shares anything: `row`, `problem`,
    `shared` (distinct grams), `of_problem` and `of_row` (weighted share of the problem's distinct
    grams, and of the row's grams, that the other has; 0 to 1), `weight` (weight in common)."""

    row: Ints
    problem: Ints
    shared: Ints
    of_problem: Floats
    of_row: Floats
    weight: Floats

    @property
    def share(self) -> Floats:
        """Containment in the direction where it is larger."""
        return np.maximum(self.of_problem, self.of_row)


@dataclass(slots=True)
class GramIndex:
    """Distinct grams of each problem (`grams[offsets[i]:offsets[i + 1]]`, any order), inverted:
    `keys` are all distinct grams, sorted, `sizes` the weight of each problem's."""

    grams: Hashes
    offsets: Ints
    n: int
    keys: Hashes = field(init=False)
    weights: Floats = field(init=False)
    sizes: Floats = field(init=False)
    _problems: Ints = field(init=False)
    _starts: Ints = field(init=False)
    _filter: npt.NDArray[np.bool_] = field(init=False)

    def __post_init__(self) -> None:
        order = np.argsort(self.grams, kind="stable")
        rows = np.repeat(np.arange(self.count), np.diff(self.offsets))
        self._problems = rows[order]
        self.keys, starts = np.unique(self.grams[order], return_index=True)
        self._starts = np.append(starts, len(self.grams))
        self._filter = np.zeros(1 << _FILTER_BITS, np.bool_)
        self._filter[self.keys >> np.uint64(64 - _FILTER_BITS)] = True
        self.reweight(None, 0)

    @property
    def count(self) -> int:
        """Number of problems."""
        return len(self.offsets) - 1

    def reweight(self, corpus: Ints | None, texts: int) -> None:
        """Weigh grams by their frequency in the benchmark, and in `corpus` (per key the number of
        its `texts` with that gram) where given: a gram frequent in either is boilerplate."""
        frequency = np.diff(self._starts)
        limit = max(COMMON_SHARE * self.count, COMMON_LEAST)
        self.weights = _idf(frequency, self.count, limit)
        if corpus is not None:
            # A problem that stands in the corpus many times must not be taken for boilerplate:
            # only what several benchmark problems have is looked up there.
            found = _idf(corpus, texts, max(COMMON_SHARE * texts, COMMON_LEAST))
            self.weights = np.where(frequency > 1, np.minimum(self.weights, found), self.weights)
        per_gram = np.repeat(self.weights, frequency)
        self.sizes = _sums(self._problems, per_gram, self.count)

    def find(self, values: Hashes) -> tuple[Ints, Ints]:
        """(positions in `values`, positions in `keys`) of the grams that some problem has."""
        if not len(self.keys):
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        maybe = np.flatnonzero(self._filter[values >> np.uint64(64 - _FILTER_BITS)])
        wanted = values[maybe]
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        hit = self.keys[at] == wanted
        return maybe[hit], at[hit]

    def frequency(self, batch: Grams) -> Ints:
        """In how many texts of a batch each key occurs: summed over a corpus, for `reweight`."""
        positions, key = self.find(batch.values)
        pairs = np.unique(batch.rows[positions] * len(self.keys) + key)
        return np.bincount(pairs % max(len(self.keys), 1), minlength=len(self.keys))

    def overlap(self, batch: Grams, least: float = 0.0) -> Overlap:
        """Pairs of (text, problem) whose containment in one direction reaches `least`."""
        texts = len(batch.offsets) - 1
        positions, key = self.find(batch.values)
        row = batch.rows[positions]
        # Weight of all of a row's grams. Those that no problem has weigh 1, each time they occur;
        # those found count once: the zeros of a grid must not pass for a text in common.
        unknown = np.diff(batch.offsets) - np.bincount(row, minlength=texts)
        row, key = np.divmod(np.unique(row * len(self.keys) + key), max(len(self.keys), 1))
        totals = unknown + np.bincount(row, self.weights[key], minlength=texts)
        row, key = row[self.weights[key] > 0], key[self.weights[key] > 0]
        lists = self._starts[key + 1] - self._starts[key]
        ends = np.cumsum(lists)
        at = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - lists, lists)
        cell = np.repeat(row, lists) * self.count
        cell += self._problems[np.repeat(self._starts[key], lists) + at]
        weight = np.repeat(self.weights[key], lists)
        cells = texts * self.count
        shared = np.bincount(cell, minlength=cells)
        both = _sums(cell, weight, cells)
        where = np.flatnonzero(shared)
        row, problem = np.divmod(where, max(self.count, 1))
        of_problem = both[where] / self.sizes[problem]
        of_row = both[where] / totals[row]
        keep = np.maximum(of_problem, of_row) >= least
        return Overlap(
            row[keep],
            problem[keep],
            shared[where][keep],
            of_problem[keep],
            of_row[keep],
            both[where][keep],
        )


def distinct(batch: Grams) -> Grams:
    """The same with every text's grams sorted and without repeats."""
    parts = [
        np.unique(batch.values[a:b])
        for a, b in zip(batch.offsets[:-1], batch.offsets[1:], strict=True)
    ]
    values = np.concatenate([np.zeros(0, np.uint64), *parts])
    return Grams(values, np.cumsum([0, *map(len, parts)], dtype=np.int64))


def _idf(frequency: Ints, documents: int, limit: float) -> Floats:
    """ln((N + 1) / df) / ln(N + 1): 1 for what one document has, 0 beyond `limit`."""
    weight = np.log((documents + 1) / np.maximum(frequency, 1)) / np.log(documents + 1)
    return np.where(frequency > limit, 0.0, np.clip(weight, 0.0, 1.0))


def _sums(where: Ints, values: Floats, cells: int) -> Floats:
    """The sum of `values` per cell (bincount gives integers for no values at all)."""
    return np.bincount(where, values, minlength=cells).astype(np.float64)
