"""dedup: one copy of every problem.

Three kinds of evidence say that two rows are one problem: the judge's own id or URL; the text
(word 5-grams, with numbers and constraints: MinHash LSH proposes, the exact Jaccard decides); and
the tests (two or more input/output pairs in common that few rows have). Two problems of one judge
are never merged on text alone: among LeetCode's statements nearly every near-duplicate is an
-i/-ii pair. Such siblings stay and get the flag `sibling`. The rules are `clusters.judge_pair`.

Of several copies the worthiest stays (`dedup_pairs.WORTH`: a row kept by an earlier run of the
index, most tests, a checker, a licence, the earliest date, solutions, then id); the ids of the
others are in its provenance (`also`). A dropped row's reason is `duplicate`, its evidence names
the row it is dropped for, the kind, the Jaccard and the common tests. Every pair that was kept
apart is in `vetoes.parquet` with the reason. The outcome doesn't depend on the order of the rows.

Memory: what is joined lies on disk (DuckDB within `memory_mb`); in Python only the rows that have
a candidate.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
from pydantic import Field

from curation import dedup_index, dedup_pairs
from curation.clusters import KINDS, REASONS, Merge, Rules, Veto, choose, cluster, judge_pair
from curation.dedup_pairs import Facts
from curation.dedup_plan import Found, Plan, labelled, plan, write_vetoes
from curation.dedup_sign import SignConfig, sign_all, tasks
from curation.minhash import bands
from pipelines.config import StageConfig
from pipelines.problem import drop
from pipelines.shards import ShardInfo, Shards
from pipelines.stage import (
    Decision,
    Layout,
    Progress,
    StageContext,
    StageResult,
    no_progress,
    run_stage,
    work_dir,
)

VETOES = "vetoes.parquet"


class DedupConfig(StageConfig):
    """`ngram`: tokens a shingle. `num_perm`, `seed`: the MinHash signature. `threshold`: least
    true Jaccard of a near duplicate. `tests_jaccard`: least Jaccard at which common tests make
    two texts one problem. `max_pair_rows`: a test pair that more rows have says nothing.
    `within_source`: also merge near duplicates of one judge (this destroys good data where ids
    are trustworthy). `index`: a folder that remembers the rows of earlier runs. `memory_mb`: what
    DuckDB may use."""

    ngram: int = Field(default=5, ge=1, le=50)
    num_perm: int = Field(default=128, ge=16, le=1024)
    threshold: float = Field(default=0.8, gt=0, le=1)
    seed: int = Field(default=1, ge=0, lt=2**32)
    tests_jaccard: float = Field(default=0.1, ge=0, le=1)
    max_pair_rows: int = Field(default=20, ge=2, le=10_000)
    within_source: bool = False
    index: Path | None = None
    memory_mb: int = Field(default=1500, ge=200)

    def signing(self) -> SignConfig:
        """The part that an index depends on."""
        count, rows = bands(self.threshold, self.num_perm)
        return SignConfig(self.ngram, self.num_perm, self.seed, count, rows)


def find_duplicates(
    folders: Sequence[Path], alive: pa.Table, work: Path, config: DedupConfig, threads: int = 1
) -> Found:
    """Decide on the signed rows in `folders` (see dedup_sign). `alive`: the numbers of the rows
    that count (`row`) and whether only the index has them (`indexed`)."""
    rules = Rules(config.threshold, config.tests_jaccard, config.within_source)
    facts: dict[int, Facts] = {}
    merges: list[Merge] = []
    vetoes: list[Veto] = []
    compared = 0
    with dedup_pairs.connection(work, config.memory_mb, threads) as db:
        dedup_pairs.load(db, folders, alive, config.max_pair_rows)
        dedup_pairs.propose(db)
        for pairs in dedup_pairs.measure(db, config.ngram, config.threshold):
            compared += len(pairs)
            rows = {r for p in pairs for r in (p.a, p.b)} - facts.keys()
            facts |= dedup_pairs.facts_of(db, sorted(rows))
            for pair in pairs:
                found = judge_pair(facts[pair.a], facts[pair.b], pair, rules)
                if isinstance(found, Merge):
                    merges.append(found)
                elif found is not None:
                    vetoes.append(found)
    clusters = cluster(facts, merges, vetoes)
    drops = {d.row: d for d in choose(facts, clusters)}
    return Found(drops, vetoes + clusters.refused, facts, compared)


def dedup(
    inputs: Sequence[Path],
    out: Path,
    config: DedupConfig | None = None,
    progress: Progress = no_progress,
    workers: int | None = None,
) -> StageResult:
    """Run the stage, on `workers` processes (all cores by default). Extra: dropped by kind,
    vetoes by reason, siblings, pairs compared, bands of the LSH, rows signed.

    >>> dedup([Path("runs/x/02-normalize")], Path("runs/x/03-dedup"))  # doctest: +SKIP
    """
    config = config or DedupConfig()
    count = workers or len(os.sched_getaffinity(0))
    index = dedup_index.generations(config.index, config.signing())
    vetoes: list[dict[str, Any]] = []

    def decide(problems: Shards, ctx: StageContext) -> Iterator[Decision]:
        work = work_dir(out) / "dedup"
        shutil.rmtree(work, ignore_errors=True)
        (work / "signed").mkdir(parents=True)
        try:
            todo = _decide(problems, ctx, config, index, work, count)
        finally:
            shutil.rmtree(work, ignore_errors=True)
        vetoes.extend(todo.vetoes)
        for i, problem in enumerate(problems):
            evidence = todo.dropped.get(i)
            if evidence is None:
                yield labelled(problem, todo.also.get(i, ()), i in todo.siblings)
            else:
                yield drop(problem, ctx.stage, "duplicate", **evidence)

    def finish(folder: Path, _: Sequence[ShardInfo]) -> None:
        write_vetoes(folder / VETOES, vetoes)

    shards = Shards(inputs)
    return run_stage(
        "dedup",
        inputs,
        out,
        config,
        decide,
        rooms=("curation",),
        progress=progress,
        key_extra=dedup_index.identity(index, shards.fingerprint),
        layout=Layout(finish=finish),
    )


def _decide(
    problems: Shards,
    ctx: StageContext,
    config: DedupConfig,
    index: Sequence[dedup_index.Generation],
    work: Path,
    workers: int,
) -> Plan:
    signing, total = config.signing(), len(problems)
    known = None
    if index:
        known = work / "known"
        digests = dedup_index.scan([g.folder for g in index])["digest"]
        known.write_bytes(b"".join(digests.to_list()))
    first = max((g.meta["next_row"] for g in index), default=0)
    ctx.progress(ctx.stage, 0, total, "signatures")
    signed = sign_all(
        tasks(problems, first, work / "signed", known),
        signing,
        total,
        workers,
        lambda done: ctx.progress(ctx.stage, 0, total, f"{done} signatures"),
    )
    folders = [*(g.folder for g in index), work / "signed"]
    here = _rows_here(signed, folders)
    before = dedup_index.kept_before(index).join(dedup_index.scan(folders), on="digest")
    only_index = before.filter(~pl.col("row").is_in(here["row"].implode())).select("row")
    alive = pl.concat(
        [
            here.select("row").unique().with_columns(indexed=pl.lit(False)),
            only_index.with_columns(indexed=pl.lit(True)),
        ]
    )
    ctx.progress(ctx.stage, 0, total, "pairs")
    found = Found({}, [], {}, 0)
    if total:
        found = find_duplicates(folders, alive.to_arrow(), work / "db", config, workers)
    todo = plan(problems, found, here["row"].to_numpy())
    if config.index is not None:
        gone = pl.Series(sorted(found.drops), dtype=pl.Int64)
        kept = here.select("digest", kept=~pl.col("row").is_in(gone.implode())).unique()
        dedup_index.extend(
            config.index, index, work / "signed", signing, problems.fingerprint, first + total, kept
        )
    kinds = Counter(str(e["kind"]) for e in todo.dropped.values())
    reasons = Counter(str(v["reason"]) for v in todo.vetoes)
    ctx.extra |= {
        "kinds": {kind: kinds[kind] for kind in KINDS},
        "vetoes": {reason: reasons[reason] for reason in REASONS},
        "siblings": len(todo.siblings),
        "pairs_compared": found.compared,
        "bands": [signing.bands, signing.rows],
    }
    return todo


def _rows_here(signed: Sequence[bytes], folders: Sequence[Path]) -> pl.DataFrame:
    """Columns position, digest and row of the input. Rows with equal digests share a number."""
    raw = b"".join(signed)
    digests = pa.Array.from_buffers(pa.binary(16), len(raw) // 16, [None, pa.py_buffer(raw)])
    here = pl.DataFrame({"digest": pl.Series(pl.from_arrow(digests))}).with_row_index("position")
    return here.join(dedup_index.scan(folders), on="digest", how="left").sort("position")
