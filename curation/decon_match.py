"""Which benchmark problem a row is, and how that is known.

Signals, each named in the verdict with its evidence:

- `id`: the same problem of the same judge (LeetCode by slug only: its two kinds of numbers are
  never compared);
- `title`: the same title, where that says enough (three words or more, or text or a test besides);
- `text`: weighted share of word n-grams in common, of the problem's or the row's, the larger;
- `tests`: two or more input/output pairs in common, or one beside a share of the text;
- `sibling_title`: titles that differ in a closing numeral or level;
- `embedding`: embeddings nearer than a threshold (optional: curation.decon_embedding);
- `other_tests`: much text in common and no test, although both have some;
- `other_id`: row and problem are different problems of one judge. Common text is expected there
  and never enough.

A row is `contaminated` by a problem it is, and a `sibling` of one it resembles: a different
problem, but one that gives away much of the benchmark's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import Field

from curation.benchmark import NGRAM, Benchmark, hashed, identity_hash
from curation.decon_items import Item
from curation.decon_ngrams import gram_batch
from curation.text import sibling_stem, slug
from pipelines.config import StageConfig

Kind = Literal["contaminated", "sibling"]
Signal = Literal[
    "id", "title", "text", "tests", "embedding", "sibling_title", "other_tests", "other_id"
]
SIGNALS: tuple[Signal, ...] = (
    "id", "title", "text", "tests", "embedding", "sibling_title", "other_tests", "other_id",
)  # fmt: skip
#: Signals that a source may have lost: switched off to measure what the others find alone.
NAMED: tuple[Signal, ...] = ("id", "title", "sibling_title", "other_id")
#: Texts of this many grams (weighted) or more are compared by `threshold`; shorter ones need a
#: larger share, up to all of it at `SHORT`.
LONG, SHORT = 40.0, 8.0
#: Pairs with a smaller share in common than this are not looked at, unless ids, titles or tests
#: bring them up.
LEAST_SHARE = 0.1
#: Less than this many (weighted) grams in common say nothing, whatever share they are.
LEAST_WEIGHT = 2.0


class MatchConfig(StageConfig):
    """`threshold`: share of the weighted n-grams that makes a row contaminated.
    `sibling_threshold`: the same where both have tests and none in common.
    `same_judge_threshold`: the same for different problems of one judge. `supporting`: the share
    that is enough beside a common title or one common test. `min_tests`: tests in common that
    are enough alone. `embedding_model`: a model's folder, for the embedding signal; rows with a
    cosine of at least `embedding_threshold` are contaminated."""

    threshold: float = Field(default=0.45, gt=0, le=1)
    sibling_threshold: float = Field(default=0.55, gt=0, le=1)
    same_judge_threshold: float = Field(default=0.8, gt=0)
    supporting: float = Field(default=0.2, gt=0, le=1)
    min_tests: int = Field(default=2, ge=1)
    embedding_model: str | None = Field(default=None, min_length=1)
    embedding_threshold: float = Field(default=0.95, gt=0, le=1)


#: See curation.decon_embedding.Neighbours.
Nearest = Callable[[Sequence[str]], Sequence[Sequence[tuple[int, float]]]]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a row is to a benchmark problem (`row`: its position), by which signals. `share`: the
    larger of `of_problem` and `of_row`; `grams` and `tests`: how many in common; `cosine`: of the
    embeddings, None where they were not compared."""

    kind: Kind
    benchmark: str
    row: int
    id: str
    signals: tuple[Signal, ...]
    of_problem: float = 0.0
    of_row: float = 0.0
    grams: int = 0
    tests: int = 0
    cosine: float | None = None

    @property
    def share(self) -> float:
        """Containment in the direction where it is larger."""
        return max(self.of_problem, self.of_row)

    def evidence(self) -> dict[str, Any]:
        """What goes into the record of a dropped row."""
        nearness = {} if self.cosine is None else {"cosine": round(self.cosine, 4)}
        return {
            "benchmark": self.benchmark,
            "row": self.id,
            "signals": list(self.signals),
            "share": round(self.share, 4),
            "share_of_benchmark": round(self.of_problem, 4),
            "share_of_row": round(self.of_row, 4),
            "shared_ngrams": self.grams,
            "shared_tests": self.tests,
            **nearness,
        }


@dataclass(slots=True)
class _Candidate:
    """What one row and one problem have in common; `named`: what ids and titles say."""

    of_problem: float = 0.0
    of_row: float = 0.0
    grams: int = 0
    weight: float = 0.0
    tests: int = 0
    cosine: float | None = None
    named: set[Signal] = field(default_factory=set)

    @property
    def share(self) -> float:
        return max(self.of_problem, self.of_row)


def match(
    benchmarks: Sequence[Benchmark],
    items: Sequence[Item],
    config: MatchConfig | None = None,
    signals: Sequence[Signal] = SIGNALS,
    nearest: Nearest | None = None,
) -> list[Verdict | None]:
    """The strongest verdict on each item over all benchmarks; None for a clean one. Items are
    compared together: some hundreds at once are about ten times as fast as one by one. `nearest`:
    for texts, by benchmark, the problem with the nearest embedding and the cosine.

    >>> from curation.benchmark import load_benchmark
    >>> item = Item("x", title="Find the Peaks", judge="leetcode", native="find-the-peaks")
    >>> match([load_benchmark("lcb-v5")], [item])[0].signals
    ('id', 'title')
    """
    config = config or MatchConfig()
    statements = [item.statement for item in items]
    grams = gram_batch(statements, NGRAM)
    close = nearest(statements) if nearest and items else [[]] * len(benchmarks)
    found: list[Verdict | None] = [None] * len(items)
    for benchmark, near in zip(benchmarks, close, strict=True):
        overlap = benchmark.index.overlap(grams, LEAST_SHARE)
        columns = (overlap.of_problem, overlap.of_row, overlap.shared, overlap.weight)
        texts: list[dict[int, _Candidate]] = [{} for _ in items]
        for row, problem, *values in zip(
            overlap.row.tolist(),
            overlap.problem.tolist(),
            *(c.tolist() for c in columns),
            strict=True,
        ):
            texts[row][problem] = _Candidate(*values)
        for candidates, (problem, cosine) in zip(texts, near, strict=False):
            if cosine >= config.embedding_threshold:
                candidates.setdefault(problem, _Candidate()).cosine = cosine
        for i, (item, candidates) in enumerate(zip(items, texts, strict=True)):
            _add_tests(benchmark, item, candidates)
            _add_names(benchmark, item, candidates)
            for verdict in _verdicts(benchmark, item, candidates, config, signals):
                if found[i] is None or _strength(verdict) > _strength(found[i]):
                    found[i] = verdict
    return found


def _strength(verdict: Verdict | None) -> tuple[Any, ...]:
    assert verdict is not None
    order = [s in verdict.signals for s in SIGNALS]
    return (verdict.kind == "contaminated", *order[:2], verdict.tests, verdict.share)


def _add_tests(benchmark: Benchmark, item: Item, candidates: dict[int, _Candidate]) -> None:
    owners = Counter(i for pair in item.pairs.tolist() for i in benchmark.by_pair.get(pair, ()))
    for i, shared in sorted(owners.items()):
        candidates.setdefault(i, _Candidate()).tests = shared


def _add_names(benchmark: Benchmark, item: Item, candidates: dict[int, _Candidate]) -> None:
    """Mark what ids and titles say, for candidates found by them and by text or tests."""
    same = benchmark.by_identity.get(identity_hash(item))
    if same is not None:
        candidates.setdefault(same, _Candidate()).named.add("id")
    # LeetCode's id is its title
    if title := slug(item.title) or (item.native if item.judge == "leetcode" else ""):
        name = hashed("title", title)
        for i in benchmark.by_title.get(name, ()):
            candidates.setdefault(i, _Candidate()).named.add("title")
        for i in benchmark.by_stem.get(hashed("title", sibling_stem(title)), ()):
            if benchmark.problems[i].title != name:
                candidates.setdefault(i, _Candidate()).named.add("sibling_title")
    for i, candidate in candidates.items():
        if i != same and benchmark.problems[i].platform == item.judge and item.native:
            candidate.named.add("other_id")


def _verdicts(
    benchmark: Benchmark,
    item: Item,
    candidates: dict[int, _Candidate],
    config: MatchConfig,
    signals: Sequence[Signal],
) -> Iterator[Verdict]:
    for i, c in candidates.items():
        named = {s for s in c.named if s in signals}
        kind, why = _judge(benchmark, i, item, c, named, config)
        if kind is not None:
            ordered = tuple(s for s in SIGNALS if s in why and s in signals)
            yield Verdict(
                kind, benchmark.name, i, benchmark.problems[i].id, ordered,
                c.of_problem, c.of_row, c.grams, c.tests, c.cosine,
            )  # fmt: skip


def _judge(
    benchmark: Benchmark,
    i: int,
    item: Item,
    c: _Candidate,
    named: set[Signal],
    config: MatchConfig,
) -> tuple[Kind | None, set[Signal]]:
    """The verdict on one pair and the signals that made it."""
    # of texts too short to say much a larger share must agree
    smaller = c.weight / c.share if c.share else 0.0
    strict = min(max((LONG - smaller) / (LONG - SHORT), 0.0), 1.0)

    def text(threshold: float) -> bool:
        needed = threshold + 0.9 * strict * max(1 - threshold, 0.0)
        return c.weight >= LEAST_WEIGHT and c.share >= needed

    problem, why = benchmark.problems[i], set(named)
    tests_differ = c.tests == 0 and len(item.pairs) > 1 and benchmark.pair_counts[i] > 1
    supported = c.share >= config.supporting or c.tests > 0
    if text(config.threshold):
        why.add("text")
    if c.tests >= config.min_tests or (c.tests and c.share >= config.supporting):
        why.add("tests")
    if c.cosine is not None:
        why.add("embedding")
    if "id" in named:
        return "contaminated", why
    if "sibling_title" in named:
        telling = problem.title_words > 3 or ("other_id" in named and item.judge == "leetcode")
        if telling or supported:
            return "sibling", why
    if "other_id" in named:
        if not text(config.same_judge_threshold):
            return None, why
        # the same task set twice (Div. 1 and 2, ABC and ARC) shares its tests too
        return ("contaminated" if "tests" in why else "sibling"), why
    if "title" in named and (problem.title_words >= 3 or supported):
        return "contaminated", why
    if "tests" in why or "embedding" in why:
        return "contaminated", why
    if tests_differ:
        why.add("other_tests")
        return ("sibling" if text(config.sibling_threshold) else None), why
    return ("contaminated" if "text" in why else None), why
