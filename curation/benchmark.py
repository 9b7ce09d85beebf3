"""Benchmark fingerprints: what decontamination knows of a benchmark, without its text.

Per problem: id, platform, date, hashes of its identity and title, and the 64-bit blake2b hashes of
all its word 13-grams (none sampled out). Grams found in more than five problems of the benchmark
are boilerplate ("the sum of n over all test cases ...") and are kept apart. Shipped as
`fingerprints/NAME.json` (header and problems) and `NAME.npz` (hashes); made by
`benchmarks/fingerprint_lcb.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from curation.identity import native_identity
from curation.text import WORDS_VERSION, Hashes, digest64, ngram_hashes, ngram_words, slug
from pipelines.shards import atomic_path, sha256_file, write_text_atomic

if TYPE_CHECKING:
    from pipelines.sources.livecodebench import BenchmarkRow

NGRAM = 13
#: A gram in more benchmark problems than this is boilerplate.
MAX_DOCUMENTS = 5
FINGERPRINTS = Path(__file__).parent / "fingerprints"


class BenchmarkError(ValueError):
    """A benchmark that can't be used; the message says what is known instead."""


@dataclass(frozen=True, slots=True)
class BenchmarkProblem:
    """One benchmark problem: hashes instead of text, `title_words` to tell generic titles."""

    id: str
    platform: str
    released_at: str
    identity: str
    title: str
    title_words: int


@dataclass(slots=True)
class Benchmark:
    """A benchmark ready for matching. `grams[offsets[i]:offsets[i + 1]]` are problem i's."""

    name: str
    problems: list[BenchmarkProblem]
    grams: Hashes
    offsets: npt.NDArray[np.int64]
    common: Hashes
    sha256: str = ""
    header: dict[str, Any] = field(default_factory=dict)
    ngram: int = NGRAM
    by_identity: dict[str, int] = field(init=False)
    by_title: dict[str, list[int]] = field(init=False)
    sizes: npt.NDArray[np.int64] = field(init=False)
    platforms: npt.NDArray[np.str_] = field(init=False)
    _keys: Hashes = field(init=False)
    _rows: npt.NDArray[np.int64] = field(init=False)
    _starts: npt.NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        self.sizes = np.diff(self.offsets)
        self.platforms = np.array([p.platform for p in self.problems], dtype=np.str_)
        self.by_identity = {p.identity: i for i, p in enumerate(self.problems)}
        self.by_title = {}
        for i, p in enumerate(self.problems):
            self.by_title.setdefault(p.title, []).append(i)
        order = np.argsort(self.grams, kind="stable")
        self._rows = np.repeat(np.arange(len(self.problems)), self.sizes)[order]
        self._keys, starts = np.unique(self.grams[order], return_index=True)
        self._starts = np.append(starts, len(self.grams))

    def shared(self, grams: Hashes) -> npt.NDArray[np.int64]:
        """How many of `grams` each problem has."""
        counts = np.zeros(len(self.problems), np.int64)
        if not len(self._keys):
            return counts
        at = np.minimum(np.searchsorted(self._keys, grams), len(self._keys) - 1)
        for k in at[self._keys[at] == grams]:
            counts[self._rows[self._starts[k] : self._starts[k + 1]]] += 1
        return counts

    def text_grams(self, statement: str) -> Hashes:
        """The grams of a statement, boilerplate left out."""
        grams = ngram_hashes(ngram_words(statement), self.ngram)
        return np.setdiff1d(grams, self.common, assume_unique=True)


def hashed(kind: str, text: str) -> str:
    """A short hash of an identity or title."""
    return f"{digest64(f'{kind}:{text}'):016x}"


def make_benchmark(rows: Iterable[BenchmarkRow], name: str, ngram: int = NGRAM) -> Benchmark:
    """Fingerprints of benchmark rows, in their order.

    >>> make_benchmark([], "empty").problems
    []
    """
    problems, grams = [], []
    for row in rows:
        judge, native = native_identity(
            f"livecodebench/{row.id.removeprefix('livecodebench/')}", row.url
        )
        title = slug(row.title)
        if row.platform == "leetcode":  # its question_id is not the id LeetCode shows
            judge, native = "leetcode", title
        problems.append(
            BenchmarkProblem(
                id=row.id,
                platform=row.platform,
                released_at=row.released_at.isoformat() if row.released_at else "",
                identity=hashed("id", f"{judge}:{native}"),
                title=hashed("title", title),
                title_words=len([w for w in title.split("-") if w]),
            )
        )
        grams.append(ngram_hashes(ngram_words(row.statement), ngram))
    empty = np.zeros(0, np.uint64)
    values, documents = np.unique(np.concatenate([empty, *grams]), return_counts=True)
    common = values[documents > MAX_DOCUMENTS]
    grams = [np.setdiff1d(g, common, assume_unique=True) for g in grams]
    return Benchmark(
        name,
        problems,
        np.concatenate([empty, *grams]),
        np.cumsum([0, *map(len, grams)], dtype=np.int64),
        common,
        ngram=ngram,
    )


def save_benchmark(benchmark: Benchmark, folder: Path, about: dict[str, Any]) -> None:
    """Write NAME.npz and NAME.json: the same rows give the same bytes. `about` holds the
    source's name, sha256 and licence."""
    npz = folder / f"{benchmark.name}.npz"
    arrays = {
        "grams": benchmark.grams.astype("<u8"),
        "offsets": benchmark.offsets.astype("<i8"),
        "common": benchmark.common.astype("<u8"),
    }
    with atomic_path(npz) as tmp, tmp.open("wb") as f:
        np.savez(f, allow_pickle=False, **arrays)  # hashes don't compress
    header = {
        "name": benchmark.name,
        "rows": len(benchmark.problems),
        "ngram": benchmark.ngram,
        "max_documents": MAX_DOCUMENTS,
        "words_version": WORDS_VERSION,
        "hash": "blake2b-64",
        "npz_sha256": sha256_file(npz),
        **about,
    }
    lines = ",\n".join("  " + json.dumps(asdict(p), sort_keys=True) for p in benchmark.problems)
    head = json.dumps({"header": header}, indent=1, sort_keys=True)[:-2]
    write_text_atomic(
        folder / f"{benchmark.name}.json", f'{head},\n "problems": [\n{lines}\n ]\n}}\n'
    )


def shipped() -> list[str]:
    """Names of the shipped benchmarks.

    >>> shipped()
    ['lcb-v5']
    """
    return sorted(p.stem for p in FINGERPRINTS.glob("*.json"))


def load_benchmark(name_or_path: str | Path, ngram: int = NGRAM) -> Benchmark:
    """A shipped benchmark by name, or LiveCodeBench rows (JSONL[.gz]) by path. `ngram` applies
    to rows only. Raises BenchmarkError for an unknown name, naming the shipped ones.

    >>> len(load_benchmark("lcb-v5").problems)
    880
    """
    name = str(name_or_path)
    if name in shipped():
        return _load_shipped(name)
    path = Path(name_or_path).expanduser()
    if not path.is_file():
        raise BenchmarkError(
            f"benchmark {name!r}: neither a shipped benchmark ({', '.join(shipped())}) "
            "nor a file of LiveCodeBench rows (JSONL or JSONL.gz)"
        )
    from pipelines.problem import Dropped
    from pipelines.sources.livecodebench import iter_benchmark

    rows: list[BenchmarkRow] = []
    for row in iter_benchmark(path):
        if isinstance(row, Dropped):  # a benchmark with holes would pass contaminated rows
            raise BenchmarkError(
                f"{path}: row {row.id}: {row.reason} {row.evidence}; mend the file"
            )
        rows.append(row)
    if not rows:
        raise BenchmarkError(f"{path}: no rows; nothing could be found contaminated")
    benchmark = make_benchmark(rows, path.name, ngram)
    benchmark.sha256 = sha256_file(path)
    return benchmark


def _load_shipped(name: str) -> Benchmark:
    path = FINGERPRINTS / f"{name}.json"
    npz = path.with_suffix(".npz")
    data = json.loads(path.read_text("utf-8"))
    header = data["header"]
    if header["words_version"] != WORDS_VERSION:
        raise BenchmarkError(
            f"{path}: made with word rules {header['words_version']}, this code has "
            f"{WORDS_VERSION}; run benchmarks/fingerprint_lcb.py again"
        )
    if not npz.is_file() or sha256_file(npz) != header["npz_sha256"]:
        raise BenchmarkError(f"{npz}: missing or damaged; install MicroCoder again")
    with np.load(npz, allow_pickle=False) as arrays:
        return Benchmark(
            name,
            [BenchmarkProblem(**p) for p in data["problems"]],
            arrays["grams"],
            arrays["offsets"],
            arrays["common"],
            sha256=sha256_file(path),
            header=header,
            ngram=header["ngram"],
        )
