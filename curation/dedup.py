"""dedup: one copy of every problem.

Two rows are one problem when
- `identity`: they name the same problem of the same judge (id or URL); or
- `exact`: their normalised texts are equal; within one judge the tests (some) must be equal too; or
- `near`: MinHash LSH proposes the pair and the true Jaccard of their shingles reaches the
  threshold. Never within one judge (unless `within_source`) and never for titles that differ only
  in a number at the end: among LeetCode's statements nearly every near-duplicate is an -i/-ii
  pair, two different problems.

Rows are taken in order of worth (more tests, then with solutions, then input order); each is
compared with the copies kept so far, so what a row was dropped for is itself similar to it
(no chains A~B~C). Reason: `duplicate` (evidence: of, kind, jaccard).

Memory: about 2 KB a row. The LSH is datasketch's MinHash cut into bands, but only the bands'
64-bit keys are held: MinHashLSH keeps a dict of sets for every band, several KB a row. Shingles
(8 bytes each) are made in a second pass, for rows that share a band or a name with another.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from datasketch import MinHash
from pydantic import Field

from curation.identity import native_identity
from curation.text import Hashes, dedup_tokens, shingle_hashes, sibling_titles, slug
from pipelines.config import StageConfig
from pipelines.problem import drop
from pipelines.shards import Shards
from pipelines.stage import (
    Decision,
    Progress,
    StageContext,
    StageResult,
    no_progress,
    run_stage,
)

KINDS = ("identity", "exact", "near")


class DedupConfig(StageConfig):
    """`ngram`: tokens a shingle. `num_perm`, `seed`: the MinHash signature. `threshold`: least
    true Jaccard of a near duplicate. `within_source`: also merge near duplicates of one judge
    (this destroys good data where ids are trustworthy)."""

    ngram: int = Field(default=5, ge=1, le=50)
    num_perm: int = Field(default=128, ge=16, le=1024)
    threshold: float = Field(default=0.8, gt=0, le=1)
    seed: int = Field(default=1, ge=0, lt=2**32)
    within_source: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """What dedup remembers of a row, beside its band keys."""

    id: str
    identity: tuple[str, str]
    title: str
    text: bytes  # of a statement without tokens: empty
    tests: bytes  # no tests: empty, for nothing then says that two rows are one problem
    worth: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Match:
    """Why row `row` is a copy: of which row, how, and how similar their texts are."""

    of: int
    kind: str
    jaccard: float


@cache
def bands(threshold: float, num_perm: int) -> tuple[int, int]:
    """(bands, rows a band) such that a pair at the threshold is proposed in 99 of 100 cases.
    datasketch's own choice weighs false candidates as much as missed pairs: at 0.8 and 128 it
    takes 9 x 13 and misses 60 of 100. Ours are verified, so false ones only cost time.

    >>> bands(0.8, 128)
    (21, 6)
    """
    for rows in range(num_perm, 1, -1):
        count = num_perm // rows
        if 1 - (1 - threshold**rows) ** count >= 0.99:
            return count, rows
    return num_perm, 1


def jaccard(a: Hashes, b: Hashes) -> float:
    """Jaccard similarity of two sorted sets of hashes.

    >>> jaccard(np.array([1, 2], np.uint64), np.array([2, 3], np.uint64))
    0.3333333333333333
    """
    both = len(np.intersect1d(a, b, assume_unique=True))
    return both / max(1, len(a) + len(b) - both)


def facts(row: dict[str, Any], tokens: list[str]) -> Facts:
    """The facts of a row (columns id, title, statement, url, tests, solutions)."""
    tests = hashlib.blake2b(digest_size=16)
    for pair in sorted(f"{t['input']}\0{t['output']}" for t in row["tests"]):
        tests.update(hashlib.blake2b(pair.encode(), digest_size=16).digest())
    text = hashlib.blake2b(" ".join(tokens).encode(), digest_size=16).digest()
    return Facts(
        id=row["id"],
        identity=native_identity(row["id"], row["url"]),
        title=slug(row["title"]),
        text=text if tokens else b"",
        tests=tests.digest() if row["tests"] else b"",
        worth=(-len(row["tests"]), 0 if row["solutions"] else 1),
    )


def band_keys(shingles: Hashes, config: DedupConfig, empty: MinHash) -> Hashes:
    """One 64-bit key a band of the MinHash signature; rows with an equal key in a band are
    candidates. `empty` is a MinHash to start from."""
    minhash = empty.copy()
    minhash.update_batch((shingles & np.uint64(0xFFFFFFFF)).tolist())
    count, rows = bands(config.threshold, config.num_perm)
    table = minhash.hashvalues[: count * rows].astype(np.uint64).reshape(count, rows)
    keys = np.zeros(count, np.uint64)
    for column in table.T:
        keys = (keys ^ column) * np.uint64(0x9E3779B97F4A7C15)
        keys ^= keys >> np.uint64(32)
    return keys


def shared_keys(keys: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
    """Which of the keys (rows x bands) another row has in the same band."""
    shared = np.zeros(keys.shape, bool)
    for band in range(keys.shape[1]):
        _, inverse, counts = np.unique(keys[:, band], return_inverse=True, return_counts=True)
        shared[:, band] = counts[inverse] > 1
    return shared


def _compare(
    a: Facts, b: Facts, similarity: float | None, config: DedupConfig
) -> tuple[str, float] | None:
    """(kind, Jaccard) when the two rows are one problem. `similarity` None: not candidates."""
    if a.identity == b.identity:
        return "identity", similarity or 0.0
    same_judge = a.identity[0] == b.identity[0]
    same_tests = a.tests != b"" and a.tests == b.tests
    if a.text and a.text == b.text and (not same_judge or same_tests):
        return "exact", 1.0
    if similarity is None or similarity < config.threshold:
        return None
    if (same_judge and not config.within_source) or sibling_titles(a.title, b.title):
        return None
    return "near", similarity


def find_duplicates(
    rows: Sequence[Facts],
    keys: npt.NDArray[np.uint64],
    shared: npt.NDArray[np.bool_],
    shingles: dict[int, Hashes],
    config: DedupConfig,
) -> tuple[dict[int, Match], int]:
    """Row -> the match it is dropped for, and how many pairs were compared."""
    buckets: dict[Any, list[int]] = defaultdict(list)  # of kept rows, by their rank
    matches: dict[int, Match] = {}
    compared = 0
    order = sorted(range(len(rows)), key=lambda i: (*rows[i].worth, i))
    for rank, i in enumerate(order):
        row = rows[i]
        bucket_names: list[Any] = [("id", row.identity), ("text", row.text)]
        bucket_names += [(int(band), int(keys[i, band])) for band in np.flatnonzero(shared[i])]
        candidates = {c for name in bucket_names for c in buckets.get(name, ())}
        best: tuple[int, float, int] | None = None
        for candidate in candidates:
            compared += 1
            other = order[candidate]
            similarity = None
            if i in shingles and other in shingles:
                similarity = jaccard(shingles[i], shingles[other])
            found = _compare(row, rows[other], similarity, config)
            if found is not None:
                option = (KINDS.index(found[0]), -found[1], candidate)
                best = option if best is None else min(best, option)
        if best is not None:
            matches[i] = Match(order[best[2]], KINDS[best[0]], round(-best[1], 4))
            continue
        for name in bucket_names:
            buckets[name].append(rank)
    return matches, compared


def dedup(
    inputs: Sequence[Path],
    out: Path,
    config: DedupConfig | None = None,
    progress: Progress = no_progress,
) -> StageResult:
    """Run the stage. Extra: dropped by kind, pairs compared, bands of the LSH.

    >>> dedup([Path("runs/x/02-normalize")], Path("runs/x/03-dedup"))  # doctest: +SKIP
    """
    config = config or DedupConfig()

    def decide(problems: Shards, ctx: StageContext) -> Iterator[Decision]:
        empty = MinHash(num_perm=config.num_perm, seed=config.seed, hashfunc=int)
        known: list[Facts] = []
        keys = np.zeros((len(problems), bands(config.threshold, config.num_perm)[0]), np.uint64)
        no_text = np.zeros(len(problems), bool)
        columns = ["id", "title", "statement", "url", "tests", "solutions"]
        for i, row in enumerate(problems.rows(columns)):
            tokens = dedup_tokens(row["statement"])
            known.append(facts(row, tokens))
            keys[i] = band_keys(shingle_hashes(tokens, config.ngram), config, empty)
            no_text[i] = not tokens
            if i % 500 == 499:
                ctx.progress(ctx.stage, 0, len(problems), f"{i + 1} signatures")
        shared = shared_keys(keys)
        shared[no_text] = False  # nothing to compare
        named = Counter(f.identity for f in known)
        wanted = [
            bool(s.any()) or named[f.identity] > 1 for s, f in zip(shared, known, strict=True)
        ]
        shingles = {
            i: shingle_hashes(dedup_tokens(row["statement"]), config.ngram)
            for i, row in enumerate(problems.rows(["statement"]))
            if wanted[i]
        }
        matches, compared = find_duplicates(known, keys, shared, shingles, config)
        kinds = Counter(m.kind for m in matches.values())
        ctx.extra["kinds"] = {kind: kinds[kind] for kind in KINDS}
        ctx.extra["pairs_compared"] = compared
        ctx.extra["bands"] = list(bands(config.threshold, config.num_perm))
        for i, problem in enumerate(problems):
            match = matches.get(i)
            if match is None:
                yield problem
                continue
            evidence = {"of": known[match.of].id, "kind": match.kind, "jaccard": match.jaccard}
            yield drop(problem, ctx.stage, "duplicate", **evidence)

    return run_stage("dedup", inputs, out, config, decide, rooms=("curation",), progress=progress)
