"""decontaminate: drop what a benchmark tests.

A row is contaminated by benchmark problem B when
- `id`: it names the same problem of the same judge (LeetCode slug, AtCoder task, Codeforces
  contest and index); or
- `title`: it has B's title and that says enough: three words or more, or shared n-grams besides;
  or
- `ngram`: the share of 13-grams in common, of B's or of the row's (the larger), reaches
  `threshold` with at least `min_shared` of them, or one text lies wholly in the other.

Where row and B are of one judge but are different problems there (the -i/-ii pairs of LeetCode),
common text is expected: they count as contaminated from `same_judge_threshold` on and are
otherwise kept with the flag `benchmark_sibling`.

Reasons: `contaminated` (evidence: benchmark, row, kind, share, shared), `after_cutoff`.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import Field

from curation.benchmark import Benchmark, hashed, load_benchmark
from curation.identity import identity
from curation.text import slug
from pipelines.config import StageConfig
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

Kind = Literal["id", "title", "ngram"]
KINDS: tuple[Kind, ...] = ("id", "title", "ngram")
SIBLING_FLAG = "benchmark_sibling"


class DecontaminateConfig(StageConfig):
    """`benchmark`: a shipped name or a path to LiveCodeBench rows. `threshold`, `min_shared`:
    n-gram containment. `same_judge_threshold`: the same for different problems of one judge;
    equal to `threshold` it drops all siblings, above 1 none. `cutoff`: problems released on
    this day or later are dropped."""

    benchmark: str = "lcb-v5"
    threshold: float = Field(default=0.25, gt=0, le=1)
    min_shared: int = Field(default=5, ge=1)
    same_judge_threshold: float = Field(default=0.9, gt=0)
    cutoff: dt.date | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """What a row has in common with a benchmark problem (its position in the benchmark).
    `sibling`: too little for two different problems of one judge; the row is kept."""

    kind: Kind
    row: int
    share: float
    shared: int
    sibling: bool = False


def find_hit(
    benchmark: Benchmark,
    problem: Problem,
    config: DecontaminateConfig,
    kinds: Sequence[Kind] = KINDS,
) -> Hit | None:
    """The strongest hit of a problem by the rules named in `kinds`, in that order of strength.

    >>> p = Problem(id="leetcode/find-the-peaks", title="Find the Peaks")
    >>> find_hit(load_benchmark("lcb-v5"), p, DecontaminateConfig()).kind
    'id'
    """
    grams = benchmark.text_grams(problem.statement)
    shared = benchmark.shared(grams)
    smaller = np.minimum(np.maximum(benchmark.sizes, 1), max(len(grams), 1))
    share = shared / smaller
    judge, native = identity(problem)

    def hit(kind: Kind, row: int, sibling: bool = False) -> Hit:
        return Hit(kind, row, round(float(share[row]), 4), int(shared[row]), sibling)

    same = benchmark.by_identity.get(hashed("id", f"{judge}:{native}"))
    if "id" in kinds and same is not None:
        return hit("id", same)
    # With an identity hit switched off, its problem must not look like a sibling of itself.
    other = benchmark.platforms == judge
    if same is not None:
        other[same] = False
    enough = (shared >= config.min_shared) | (share >= 1)
    if "title" in kinds and (title := slug(problem.title)):
        for i in benchmark.by_title.get(hashed("title", title), ()):
            telling = benchmark.problems[i].title_words >= 3 and not other[i]
            if telling or enough[i]:
                return hit("title", i)
    if "ngram" in kinds:
        least = np.where(
            other, max(config.same_judge_threshold, config.threshold), config.threshold
        )
        for limit, sibling in ((least, False), (config.threshold, True)):
            rows = np.flatnonzero(enough & (share >= limit))
            if len(rows):
                best = max(rows, key=lambda i: (share[i], shared[i], -i))
                return hit("ngram", int(best), sibling)
    return None


def decontaminate(
    inputs: Sequence[Path],
    out: Path,
    config: DecontaminateConfig | None = None,
    progress: Progress = no_progress,
) -> StageResult:
    """Run the stage. Raises BenchmarkError before any work for an unknown benchmark. Extra:
    hits by kind, benchmark rows hit, siblings kept, rows without a date.

    >>> decontaminate([Path("03-dedup")], Path("04-decontaminate"))  # doctest: +SKIP
    """
    config = config or DecontaminateConfig()
    benchmark = load_benchmark(config.benchmark)

    def decide(problems: Shards, ctx: StageContext) -> Iterator[Decision]:
        kinds: Counter[str] = Counter()
        rows_hit: set[int] = set()
        siblings = undated = 0
        for p in problems:
            hit = find_hit(benchmark, p, config)
            if hit is not None and not hit.sibling:
                kinds[hit.kind] += 1
                rows_hit.add(hit.row)
                yield drop(
                    p,
                    ctx.stage,
                    "contaminated",
                    benchmark=benchmark.name,
                    row=benchmark.problems[hit.row].id,
                    kind=hit.kind,
                    share=hit.share,
                    shared=hit.shared,
                )
                continue
            if config.cutoff and p.released_at and p.released_at >= config.cutoff:
                dates = {"released_at": p.released_at, "cutoff": config.cutoff}
                yield drop(p, ctx.stage, "after_cutoff", **dates)
                continue
            undated += p.released_at is None
            if hit is not None:
                siblings += 1
                if SIBLING_FLAG not in p.flags:
                    p = replace(p, flags=(*p.flags, SIBLING_FLAG))
            yield p
        ctx.extra["benchmark"] = {
            "name": benchmark.name,
            "rows": len(benchmark.problems),
            "sha256": benchmark.sha256,
        }
        ctx.extra["hits"] = {kind: kinds[kind] for kind in KINDS}
        ctx.extra["benchmark_rows_hit"] = len(rows_hit)
        ctx.extra["siblings_kept"] = siblings
        ctx.extra["undated_kept"] = undated

    return run_stage(
        "decontaminate",
        inputs,
        out,
        config,
        decide,
        rooms=("curation",),
        progress=progress,
        key_extra=benchmark.sha256,
    )
