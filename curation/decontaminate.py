"""decontaminate: drop what a benchmark tests, and what resembles it.

:mod:`curation.decon_match` says of every row whether it is a problem of a benchmark
(`contaminated`), a near relative of one (`sibling`) or clean, by which signals. This stage applies
the policy: contaminated rows are dropped; siblings are dropped too, or kept with the flag
`benchmark_sibling`; rows released at the cut-off date or later are dropped.

Reasons: `contaminated`, `benchmark_sibling` (evidence: benchmark, row, signals, shares, tests in
common), `after_cutoff`.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator, Field

from curation.benchmark import NGRAM, Benchmark, load_benchmark, take_window
from curation.decon_embedding import neighbours
from curation.decon_items import problem_item
from curation.decon_match import SIGNALS, MatchConfig, Verdict, match
from curation.decon_ngrams import gram_batch
from curation.decon_tables import batched
from pipelines.problem import Problem, drop
from pipelines.shards import Shards
from pipelines.stage import (
    Decision,
    Progress,
    StageContext,
    StageResult,
    no_progress,
    run_stage,
)

SIBLING_FLAG = "benchmark_sibling"
#: Rows compared together; fewer where their tests are large.
BATCH_ROWS = 512
BATCH_CHARS = 1 << 26


def _one_or_more(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


Benchmarks = Annotated[tuple[str, ...], BeforeValidator(_one_or_more), Field(min_length=1)]


class DecontaminateConfig(MatchConfig):
    """`benchmark`: one or a list of shipped names or paths to benchmark rows, each with a window
    behind '@' if wanted (`lcb-v5@2024-08-01..`); `date_from`, `date_to`: a window for all that
    have dates. `benchmark_columns`: field -> column of those files. `corpus_weights`: n-grams
    that are frequent in the input weigh less too (one more pass over it). `siblings`: drop or keep
    them. `cutoff`: problems released on this day or later are dropped."""

    benchmark: Benchmarks = ("lcb-v5",)
    benchmark_columns: dict[str, str] = Field(default_factory=dict)
    date_from: dt.date | None = None
    date_to: dt.date | None = None
    corpus_weights: bool = False
    siblings: Literal["drop", "keep"] = "drop"
    cutoff: dt.date | None = None


def load_benchmarks(config: DecontaminateConfig) -> list[Benchmark]:
    """The benchmarks of a config, windows taken. Raises BenchmarkError."""
    return [
        take_window(load_benchmark(b, config.benchmark_columns), config.date_from, config.date_to)
        for b in config.benchmark
    ]


def weigh_by_corpus(benchmarks: Sequence[Benchmark], texts: Iterable[str]) -> None:
    """Count the benchmarks' n-grams in the texts of a corpus and weigh them by that too."""
    counts = [np.zeros(len(b.index.keys), np.int64) for b in benchmarks]
    total = 0
    for batch in batched(texts, BATCH_ROWS):
        grams = gram_batch(batch, NGRAM)
        total += len(batch)
        for count, benchmark in zip(counts, benchmarks, strict=True):
            count += benchmark.index.frequency(grams)
    for count, benchmark in zip(counts, benchmarks, strict=True):
        benchmark.index.reweight(count, total)


def check_problem(
    benchmarks: Sequence[Benchmark], problem: Problem, config: DecontaminateConfig | None = None
) -> Verdict | None:
    """The verdict on one problem, e.g. to ask why a row was dropped.

    >>> p = Problem(id="leetcode/find-the-peaks", title="Find the Peaks")
    >>> check_problem([load_benchmark("lcb-v5")], p).kind
    'contaminated'
    """
    nearest = neighbours(benchmarks, config.embedding_model) if config else None
    return match(benchmarks, [problem_item(problem)], config, nearest=nearest)[0]


def decontaminate(
    inputs: Sequence[Path],
    out: Path,
    config: DecontaminateConfig | None = None,
    progress: Progress = no_progress,
) -> StageResult:
    """Run the stage. Raises BenchmarkError before any work for an unknown benchmark. Extra:
    the benchmarks with their counts and windows, hits by signal and by benchmark, benchmark rows
    hit, siblings kept, rows without a date.

    >>> decontaminate([Path("03-dedup")], Path("04-decontaminate"))  # doctest: +SKIP
    """
    config = config or DecontaminateConfig()
    benchmarks = load_benchmarks(config)
    nearest = neighbours(benchmarks, config.embedding_model)

    def decide(problems: Shards, ctx: StageContext) -> Iterator[Decision]:
        tally = Tally()
        if config.corpus_weights:
            texts = (row["statement"] for row in problems.rows(["statement"]))
            weigh_by_corpus(benchmarks, texts)
        for batch in _batches(problems):
            verdicts = match(benchmarks, [problem_item(p) for p in batch], config, nearest=nearest)
            for p, verdict in zip(batch, verdicts, strict=True):
                reason = reason_to_drop(verdict, p.released_at, config)
                tally.add(verdict, reason)
                if reason == "after_cutoff":
                    dates = {"released_at": p.released_at, "cutoff": config.cutoff}
                    yield drop(p, ctx.stage, reason, **dates)
                elif reason and verdict:
                    yield drop(p, ctx.stage, reason, **verdict.evidence())
                else:
                    tally.undated += p.released_at is None
                    if verdict and SIBLING_FLAG not in p.flags:
                        p = replace(p, flags=(*p.flags, SIBLING_FLAG))
                    yield p
        ctx.extra.update(tally.extra(benchmarks))

    return run_stage(
        "decontaminate",
        inputs,
        out,
        config,
        decide,
        rooms=("curation",),
        progress=progress,
        key_extra=[*(b.sha256 for b in benchmarks), *([nearest.sha256] if nearest else [])],
    )


def reason_to_drop(
    verdict: Verdict | None, released_at: dt.date | None, config: DecontaminateConfig
) -> str | None:
    """The policy: why a row goes, or None."""
    if verdict is not None and verdict.kind == "contaminated":
        return "contaminated"
    if verdict is not None and config.siblings == "drop":
        return SIBLING_FLAG
    if config.cutoff and released_at and released_at >= config.cutoff:
        return "after_cutoff"
    return None


class Tally:
    """Figures of a run for its report."""

    def __init__(self) -> None:
        self.signals: Counter[str] = Counter()
        self.benchmarks: Counter[str] = Counter()
        self.rows: set[tuple[str, int]] = set()
        self.siblings_kept = self.undated = 0

    def add(self, verdict: Verdict | None, reason: str | None) -> None:
        """Count one row's verdict and what became of it."""
        if verdict is None:
            return
        if reason in ("contaminated", SIBLING_FLAG):
            self.signals.update(verdict.signals)
            self.benchmarks[verdict.benchmark] += 1
            self.rows.add((verdict.benchmark, verdict.row))
        elif reason is None:
            self.siblings_kept += 1

    def extra(self, benchmarks: Sequence[Benchmark]) -> dict[str, Any]:
        """The stage's part of the report."""
        return {
            "benchmarks": [
                {
                    "name": b.name,
                    "problems": len(b.problems),
                    "of": b.total,
                    "sha256": b.sha256,
                    "hits": self.benchmarks[b.name],
                }
                for b in benchmarks
            ],
            "signals": {s: self.signals[s] for s in SIGNALS},
            "benchmark_rows_hit": len(self.rows),
            "siblings_kept": self.siblings_kept,
            "undated_kept": self.undated,
        }


def _batches(problems: Iterable[Problem]) -> Iterator[list[Problem]]:
    batch: list[Problem] = []
    chars = 0
    for p in problems:
        batch.append(p)
        chars += len(p.statement) + sum(len(t.input) + len(t.output) for t in p.tests)
        if len(batch) >= BATCH_ROWS or chars >= BATCH_CHARS:
            yield batch
            batch, chars = [], 0
    if batch:
        yield batch
