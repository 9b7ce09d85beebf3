"""Dedup precision and recall on known pairs, and the time of the curation stages.

    python benchmarks/bench_curation.py [--data ../shared/data]

The dedup table merges LeetCodeDataset and LiveCodeBench without ids or URLs on one side; a
LeetCodeDataset row whose task_id is the slug of an LCB title is that problem, so that truth says
which merges are right. Decontamination is measured by benchmarks/decontamination.py.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from decontamination import DATA, LCB, LEETCODE, benchmark_rows, leetcode_rows, native

from curation.decontaminate import DecontaminateConfig, decontaminate
from curation.dedup import DedupConfig, dedup
from curation.normalize import normalize
from curation.text import sibling_titles, slug
from pipelines.problem import Problem
from pipelines.shards import write_problems
from pipelines.sources import read_source
from pipelines.stage import iter_dropped


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


def dedup_score(data: Path, rows: Sequence[Problem], config: DedupConfig) -> Score:
    """Dedup of LeetCodeDataset and LCB together. `hits` are dropped rows."""
    lcb = [
        Problem(id=f"lcb/{i}", title=r.title, statement=r.statement)
        for i, r in enumerate(benchmark_rows(data))
    ]
    rows = [replace(p, tests=(), solutions=()) for p in rows]
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
    rows = leetcode_rows(args.data)
    print("rule                  threshold  hits  true siblings precision  recall")
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
