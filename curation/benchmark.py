"""Benchmark fingerprints: what decontamination knows of a benchmark, without its text.

Per problem: id, platform, date, hashes of its identity, its title and its title without a closing
numeral, hashes of its word 5-grams and of its tests (the examples in its statement, and public
tests where there are any). Shipped as `fingerprints/NAME.json` (header and problems) and
`NAME.npz` (hashes); made by `benchmarks/fingerprint_lcb.py`.

A benchmark is named by its ids and window: `lcb-v5` is 880 problems, `lcb-v5@2024-08-01..` those
of them released from that day on.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from curation.decon_items import ColumnError, Item, choose_columns, problem_item, row_item
from curation.decon_ngrams import GRAMS_VERSION, GramIndex, Grams, distinct, gram_batch
from curation.decon_tables import iter_table, table_columns
from curation.test_fingerprints import PAIRS_VERSION
from curation.text import WORDS_VERSION, digest64, sibling_stem, slug
from pipelines.problem import Problem, ProblemError
from pipelines.shards import atomic_path, sha256_file, write_text_atomic

NGRAM = 5
#: A test in more benchmark problems than this says nothing about one of them.
MAX_OWNERS = 3
FINGERPRINTS = Path(__file__).parent / "fingerprints"
VERSIONS = {"words": WORDS_VERSION, "grams": GRAMS_VERSION, "pairs": PAIRS_VERSION}


class BenchmarkError(ValueError):
    """A benchmark that can't be used; the message says what is known instead."""


@dataclass(frozen=True, slots=True)
class BenchmarkProblem:
    """One benchmark problem: hashes instead of text. `stem` is the title without a closing
    numeral or level, `title_words` tells generic titles. Empty hashes: not known."""

    id: str
    platform: str
    released_at: str
    identity: str
    title: str
    stem: str
    title_words: int


@dataclass(slots=True)
class Benchmark:
    """A benchmark ready for matching. `grams` and `pairs` are those of each problem, distinct.
    `total`: problems before a window was taken. `texts`: the statements, where the benchmark came
    as a file (for embeddings; never saved)."""

    name: str
    problems: list[BenchmarkProblem]
    grams: Grams
    pairs: Grams
    sha256: str = ""
    header: dict[str, Any] = field(default_factory=dict)
    total: int = 0
    texts: list[str] = field(default_factory=list, repr=False)
    index: GramIndex = field(init=False)
    by_identity: dict[str, int] = field(init=False)
    by_title: dict[str, list[int]] = field(init=False)
    by_stem: dict[str, list[int]] = field(init=False)
    by_pair: dict[int, list[int]] = field(init=False)
    pair_counts: npt.NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        self.total = self.total or len(self.problems)
        self.index = GramIndex(self.grams.values, self.grams.offsets, NGRAM)
        self.by_identity = {p.identity: i for i, p in enumerate(self.problems) if p.identity}
        self.by_title, self.by_stem, owners = {}, {}, dict[int, list[int]]()
        for i, p in enumerate(self.problems):
            if p.title:
                self.by_title.setdefault(p.title, []).append(i)
                self.by_stem.setdefault(p.stem, []).append(i)
        for i, pair in zip(self.pairs.rows.tolist(), self.pairs.values.tolist(), strict=True):
            owners.setdefault(pair, []).append(i)
        self.by_pair = {pair: rows for pair, rows in owners.items() if len(rows) <= MAX_OWNERS}
        self.pair_counts = np.diff(self.pairs.offsets)

    @property
    def title(self) -> str:
        """Name and count, e.g. 'lcb-v5@2024-08-01..: 279 of 880 problems'."""
        count = len(self.problems)
        some = f"{count} of {self.total}" if count < self.total else f"{count}"
        return f"{self.name}: {some} problem" + ("s" if self.total != 1 else "")


def hashed(kind: str, text: str) -> str:
    """A short hash of an identity or title; '' for no text."""
    return f"{digest64(f'{kind}:{text}'):016x}" if text else ""


def identity_hash(item: Item) -> str:
    """The hash under which `Benchmark.by_identity` finds an item."""
    return hashed("id", f"{item.judge}:{item.native}" if item.native else "")


def make_benchmark(items: Sequence[Item], name: str) -> Benchmark:
    """Fingerprints of items, in their order.

    >>> make_benchmark([], "empty").problems
    []
    """
    problems = [
        BenchmarkProblem(
            id=item.id,
            platform=item.judge,
            released_at=item.released_at.isoformat() if item.released_at else "",
            identity=identity_hash(item),
            title=hashed("title", title := slug(item.title)),
            stem=hashed("title", sibling_stem(title)),
            title_words=len([w for w in title.split("-") if w]),
        )
        for item in items
    ]
    pairs = np.concatenate([np.zeros(0, np.uint64), *(item.pairs for item in items)])
    offsets = np.cumsum([0, *(len(item.pairs) for item in items)], dtype=np.int64)
    grams = distinct(gram_batch([item.statement for item in items], NGRAM))
    return Benchmark(name, problems, grams, Grams(pairs, offsets))


def take_window(benchmark: Benchmark, start: dt.date | None, end: dt.date | None) -> Benchmark:
    """The problems released from `start` to `end`, both included, as LiveCodeBench's own date
    options read. Problems without a date stay. Raises BenchmarkError when none is left.

    >>> take_window(load_benchmark("lcb-v5"), dt.date(2025, 1, 1), None).title
    'lcb-v5@2025-01-01..: 7 of 880 problems'
    """
    if (start is None and end is None) or not any(p.released_at for p in benchmark.problems):
        return benchmark
    first, last = start.isoformat() if start else "", end.isoformat() if end else "9999"
    keep = [
        i
        for i, p in enumerate(benchmark.problems)
        if not p.released_at or first <= p.released_at <= last
    ]
    window = f"{start or ''}..{end or ''}"
    if not keep:
        dates = sorted(p.released_at for p in benchmark.problems if p.released_at)
        raise BenchmarkError(
            f"benchmark {benchmark.name!r}: no problem in the window {window}; its dates run from "
            f"{dates[0]} to {dates[-1]}"
        )
    return Benchmark(
        f"{benchmark.name}@{window}",
        [benchmark.problems[i] for i in keep],
        _taken(benchmark.grams, keep),
        _taken(benchmark.pairs, keep),
        benchmark.sha256,
        benchmark.header,
        benchmark.total,
        [benchmark.texts[i] for i in keep] if benchmark.texts else [],
    )


def _taken(grams: Grams, keep: Sequence[int]) -> Grams:
    parts = [grams.values[grams.offsets[i] : grams.offsets[i + 1]] for i in keep]
    offsets = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    return Grams(np.concatenate([np.zeros(0, np.uint64), *parts]), offsets)


def save_benchmark(benchmark: Benchmark, folder: Path, about: dict[str, Any]) -> None:
    """Write NAME.npz and NAME.json: the same rows give the same bytes. `about` holds the
    source's name, sha256 and licence."""
    npz = folder / f"{benchmark.name}.npz"
    arrays = {
        "grams": benchmark.grams.values.astype("<u8"),
        "gram_offsets": benchmark.grams.offsets.astype("<i8"),
        "pairs": benchmark.pairs.values.astype("<u8"),
        "pair_offsets": benchmark.pairs.offsets.astype("<i8"),
    }
    with atomic_path(npz) as tmp, tmp.open("wb") as f:
        np.savez(f, allow_pickle=False, **arrays)  # hashes don't compress
    header = {
        "name": benchmark.name,
        "rows": len(benchmark.problems),
        "ngram": NGRAM,
        "versions": VERSIONS,
        "hash": "blake2b-64 of words, combined",
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
    ['humaneval', 'lcb-v5', 'mbpp']
    """
    return sorted(p.stem for p in FINGERPRINTS.glob("*.json"))


def split_spec(spec: str) -> tuple[str, dt.date | None, dt.date | None]:
    """Name or path of a benchmark, and the window behind '@' if any. Raises BenchmarkError for a
    window that is no FROM..TO of ISO dates.

    >>> split_spec("lcb-v5@2024-08-01..")
    ('lcb-v5', datetime.date(2024, 8, 1), None)
    """
    name, window = spec[: window_start(spec)], spec[window_start(spec) + 1 :]
    if not window:
        return spec, None, None
    start, _, end = window.partition("..")
    try:
        first, last = (dt.date.fromisoformat(t) if t else None for t in (start, end))
    except ValueError:
        raise BenchmarkError(
            f"benchmark {spec!r}: {window!r} is no window like 2024-08-01..2025-01-31"
        ) from None
    return name, first, last


def window_start(spec: str) -> int:
    """Where the window of a benchmark's name begins ('@'); the name's length without one.

    >>> window_start("lcb-v5@..2024-12-31"), window_start("a@b.jsonl")
    (6, 9)
    """
    at = spec.rfind("@")
    return at if at >= 0 and ".." in spec[at:] and "/" not in spec[at:] else len(spec)


def known_benchmark(spec: str) -> bool:
    """Whether :func:`load_benchmark` would find something under that name or path."""
    name = split_spec(spec)[0]
    return name in shipped() or Path(name).expanduser().is_file()


def load_benchmark(name_or_path: str | Path, columns: Mapping[str, str] | None = None) -> Benchmark:
    """A shipped benchmark by name, or the rows of a JSONL[.gz] or Parquet file by path, with a
    window behind '@' if wanted. `columns` (field -> column) applies to files. Raises
    BenchmarkError for an unknown name, naming the shipped ones, and for a file that lacks a
    column or has a row that can't be read.

    >>> len(load_benchmark("lcb-v5").problems)
    880
    """
    name, start, end = split_spec(str(name_or_path))
    if name in shipped():
        return take_window(_load_shipped(name), start, end)
    path = Path(name).expanduser()
    if not path.is_file():
        raise BenchmarkError(
            f"benchmark {name!r}: neither a shipped benchmark ({', '.join(shipped())}) "
            "nor a file of benchmark rows (JSONL, JSONL.gz or Parquet)"
        )
    items = read_items(path, columns or {})
    benchmark = make_benchmark(items, path.name)
    benchmark.sha256 = sha256_file(path)
    benchmark.texts = [item.statement for item in items]
    return take_window(benchmark, start, end)


def read_items(path: Path, columns: Mapping[str, str] | None = None) -> list[Item]:
    """The rows of a benchmark file. A benchmark with holes would pass contaminated rows, so one
    bad row is an error. HumanEval and MBPP are known by their columns."""
    try:
        present = table_columns(path)
        if not columns and (source := _known_source(present)):
            return _source_items(path, source)
        chosen = choose_columns(present, columns or {}, str(path))
    except ColumnError as e:
        raise BenchmarkError(str(e)) from None
    items: list[Item] = []
    for row in iter_table(path):
        try:
            if row.data is None:
                raise ProblemError(row.error)
            item = row_item(row.data, chosen, path.name.partition(".")[0], row.number)
            if not item.statement.strip():
                raise ProblemError(f"field {chosen['statement']!r} is empty: nothing to protect")
        except ProblemError as e:
            raise BenchmarkError(f"{path}: row {row.number}: {e}; mend the file") from None
        items.append(item)
    return items


def _known_source(present: Iterable[str]) -> str | None:
    known = {"humaneval": {"prompt", "entry_point", "canonical_solution", "test"}}
    known["mbpp"] = {"text", "code", "test_list", "task_id"}
    return next((name for name, columns in known.items() if columns <= set(present)), None)


def _source_items(path: Path, source: str) -> list[Item]:
    """Items of a file one of our readers knows: it makes pairs of asserts. Their titles are names
    of functions, which many problems share."""
    from pipelines.sources import read_source

    items = []
    texts = [row.data or {} for row in iter_table(path)]
    for data, row in zip(texts, read_source(source, path), strict=True):
        if not isinstance(row, Problem):
            problem = row.problem
            if problem is None:
                raise BenchmarkError(f"{path}: {row.id}: {row.reason} {row.evidence}; mend it")
            row = problem
        text = data["text"] if source == "mbpp" else data["prompt"]
        items.append(replace(problem_item(row), title="", statement=text))
    return items


def _load_shipped(name: str) -> Benchmark:
    path = FINGERPRINTS / f"{name}.json"
    npz = path.with_suffix(".npz")
    data = json.loads(path.read_text("utf-8"))
    header = data["header"]
    if header.get("versions") != VERSIONS or header.get("ngram") != NGRAM:
        raise BenchmarkError(
            f"{path}: made with other rules than this code has ({VERSIONS}); run "
            "benchmarks/fingerprint_lcb.py again"
        )
    if not npz.is_file() or sha256_file(npz) != header["npz_sha256"]:
        raise BenchmarkError(f"{npz}: missing or damaged; install MicroCoder again")
    with np.load(npz, allow_pickle=False) as arrays:
        return Benchmark(
            name,
            [BenchmarkProblem(**p) for p in data["problems"]],
            Grams(arrays["grams"], arrays["gram_offsets"]),
            Grams(arrays["pairs"], arrays["pair_offsets"]),
            sha256=sha256_file(path),
            header=header,
        )
