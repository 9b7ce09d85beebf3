"""Decontamination precision and recall on known pairs, and the time of the curation stages.

    python benchmarks/bench_curation.py [--data ../shared/data]

Truth: a LeetCodeDataset row whose task_id is the slug of a LeetCode title in LiveCodeBench v5 is
that problem, whatever its text. `all` uses ids, titles and n-grams; `text` sees the statement
alone, as for a source that lost its ids. `siblings` are the wrong hits whose slug differs from
the benchmark problem's only in a number or level at the end. `paper` is the 16-gram 0.22 rule of
the paper, in our reading: containment of the benchmark's statement. The dedup table merges the
two sources without ids or URLs on one side; the same truth says which merges are right.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from curation.benchmark import Benchmark, load_benchmark
from curation.decontaminate import DecontaminateConfig, decontaminate, find_hit
from curation.dedup import DedupConfig, dedup
from curation.normalize import normalize
from curation.text import sibling_titles, slug
from pipelines.problem import Problem
from pipelines.shards import write_problems
from pipelines.sources import read_source
from pipelines.sources.livecodebench import BenchmarkRow, iter_benchmark
from pipelines.stage import iter_dropped

DATA = Path(__file__).resolve().parents[2] / "shared/data"
LCB = "livecodebench/release_v5_submissions_o1_mini.jsonl.gz"
LEETCODE = ("leetcode_dataset/v0.2.0-train.jsonl.gz", "leetcode_dataset/v0.3.1-test.jsonl.gz")


@dataclass(frozen=True, slots=True)
class Score:
    """Hits against the truth. `siblings`: wrong hits that are an -i/-ii pair."""

    hits: int
    true: int
    siblings: int
    truth: int

    @property
    def precision(self) -> float:
        """Share of hits that are true."""
        return self.true / max(1, self.hits)

    @property
    def recall(self) -> float:
        """Share of the truth that was hit."""
        return self.true / max(1, self.truth)


def leetcode_rows(data: Path) -> list[Problem]:
    """All LeetCodeDataset problems (without tests, which play no part in matching)."""
    rows = []
    for name in LEETCODE:
        for row in read_source("leetcode_dataset", data / name):
            if isinstance(row, Problem):
                rows.append(replace(row, tests=(), solutions=()))
            elif row.problem is not None:
                rows.append(replace(row.problem, tests=(), solutions=()))
    return rows


def benchmark_slugs(data: Path) -> list[str]:
    """Per LCB row the LeetCode slug, or '' for other judges."""
    rows = [r for r in iter_benchmark(data / LCB) if isinstance(r, BenchmarkRow)]
    return [slug(r.title) if r.platform == "leetcode" else "" for r in rows]


def native(problem: Problem) -> str:
    """The slug of a LeetCodeDataset row."""
    return problem.id.partition("/")[2]


def score(
    benchmark: Benchmark,
    slugs: Sequence[str],
    rows: Sequence[Problem],
    config: DecontaminateConfig,
    text_only: bool = False,
) -> Score:
    """Precision and recall of one config; `text_only` hides ids, URLs and titles."""
    known = {s for s in slugs if s}
    hits = true = siblings = 0
    for p in rows:
        seen = replace(p, id="unknown/1", url="", title="") if text_only else p
        hit = find_hit(benchmark, seen, config)
        if hit is None or hit.sibling:
            continue
        hits += 1
        true += native(p) in known
        siblings += native(p) not in known and sibling_titles(native(p), slugs[hit.row])
    return Score(hits, true, siblings, sum(native(p) in known for p in rows))


def paper_rule(path: Path, slugs: Sequence[str], rows: Sequence[Problem]) -> Score:
    """16-grams of words, containment of the benchmark statement >= 0.22."""
    benchmark = load_benchmark(path, ngram=16)
    known = {s for s in slugs if s}
    hits = true = siblings = 0
    for p in rows:
        share = benchmark.shared(benchmark.text_grams(p.statement)) / np.maximum(benchmark.sizes, 1)
        best = int(np.argmax(share))
        if share[best] >= 0.22:
            hits += 1
            true += native(p) in known
            siblings += native(p) not in known and sibling_titles(native(p), slugs[best])
    return Score(hits, true, siblings, sum(native(p) in known for p in rows))


def dedup_score(data: Path, rows: Sequence[Problem], config: DedupConfig) -> Score:
    """Dedup of LeetCodeDataset and LCB together. `hits` are dropped rows."""
    lcb = [
        Problem(id=f"lcb/{i}", title=r.title, statement=r.statement)
        for i, r in enumerate(iter_benchmark(data / LCB))
        if isinstance(r, BenchmarkRow)
    ]
    name = {p.id: native(p) for p in rows} | {p.id: slug(p.title) for p in lcb}
    truth = len({native(p) for p in rows} & {slug(p.title) for p in lcb})
    with tempfile.TemporaryDirectory() as tmp:
        write_problems([*rows, *lcb], Path(tmp) / "in")
        out = dedup([Path(tmp) / "in"], Path(tmp) / "out", config).out
        pairs = [(name[r["id"]], name[json.loads(r["evidence"])["of"]]) for r in iter_dropped(out)]
    right = sum(a == b for a, b in pairs)
    siblings = sum(sibling_titles(a, b) for a, b in pairs)
    return Score(len(pairs), right, siblings, truth)


def show(name: str, threshold: str, s: Score) -> None:
    """One line of the table."""
    print(
        f"{name:<22}{threshold:>9}{s.hits:>6}{s.true:>6}{s.siblings:>9}"
        f"{s.precision:>10.4f}{s.recall:>8.4f}"
    )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA, help="the shared data folder")
    args = parser.parse_args()
    if not (args.data / LCB).is_file():
        print(f"skipped: {args.data / LCB} is not there; give the folder that holds it with --data")
        return
    benchmark, slugs, rows = (
        load_benchmark("lcb-v5"),
        benchmark_slugs(args.data),
        leetcode_rows(args.data),
    )
    print(f"{len(rows)} LeetCodeDataset rows against {len(benchmark.problems)} of lcb-v5\n")
    print("rule                  threshold  hits  true siblings precision  recall")
    for threshold in (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8):
        show(
            "all",
            f"{threshold}",
            score(benchmark, slugs, rows, DecontaminateConfig(threshold=threshold)),
        )
    for same in (0.25, 0.5, 0.8, 0.95, 2.0):
        config = DecontaminateConfig(same_judge_threshold=same)
        show(
            f"all, same judge {same}", f"{config.threshold}", score(benchmark, slugs, rows, config)
        )
    for threshold in (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8):
        config = DecontaminateConfig(threshold=threshold)
        show("text", f"{threshold}", score(benchmark, slugs, rows, config, text_only=True))
    show("paper (text)", "0.22", paper_rule(args.data / LCB, slugs, rows))

    for threshold in (0.5, 0.6, 0.7, 0.8, 0.9):
        found = dedup_score(args.data, rows, DedupConfig(threshold=threshold))
        show("dedup LeetCode + LCB", f"{threshold}", found)

    with tempfile.TemporaryDirectory() as tmp:
        start = Path(tmp) / "in"
        problems = [p for f in LEETCODE for p in read_source("leetcode_dataset", args.data / f)]
        write_problems([p for p in problems if isinstance(p, Problem)], start)
        print("\nstage           rows  kept  seconds/1000  peak MB")
        source = start
        for stage in ("normalize", "dedup", "decontaminate"):
            out = Path(tmp) / stage
            began = time.perf_counter()
            if stage == "normalize":
                result = normalize([source], out)
            elif stage == "dedup":
                result = dedup([source], out, DedupConfig())
            else:
                result = decontaminate([source], out, DecontaminateConfig())
            took = (time.perf_counter() - began) / result.n_in * 1000
            print(f"{stage:<15}{result.n_in:>5}{result.kept:>6}{took:>14.2f}{result.peak_mb:>9.0f}")
            source = out


if __name__ == "__main__":
    main()
