"""What an embedding finds of a benchmark's copies, alone and beside the other signals.

    python benchmarks/decontamination_embedding.py [--data ../shared/data] [--model smollm2]

Truth as in benchmarks/decontamination.py. Rows have no id, URL or title. `alone`: a row is dropped
when its nearest benchmark problem has at least that cosine; `added`: what that drops more than text
and tests do. Prints Markdown.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from decontamination import DATA, LCB, benchmark_rows, leetcode_rows, stripped, truth_of

from curation.benchmark import load_benchmark
from curation.decon_embedding import Neighbours
from curation.decon_items import problem_item
from curation.decon_match import match


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--model", default="smollm2")
    args = parser.parse_args()
    rows, lcb = leetcode_rows(args.data), benchmark_rows(args.data)
    truth = truth_of(rows, lcb)
    benchmark = load_benchmark(args.data / LCB)
    items = [stripped(problem_item(p)) for p in rows]
    others = [v is not None for v in match([benchmark], items)]
    started = time.perf_counter()
    near = Neighbours([benchmark], args.model)
    (found,) = near([item.statement for item in items])
    seconds = time.perf_counter() - started
    total = len(rows) + len(lcb)
    print(f"{args.model}: {total} texts in {seconds:.0f} s, {total / seconds:.1f}/s\n")
    print(
        "| cosine | copies found | right row | siblings | clean dropped | added: copies | clean |"
    )
    print("|---:|---:|---:|---:|---:|---:|---:|")
    for threshold in (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98):
        hit = [cosine >= threshold for _, cosine in found]
        copies = [j for j in truth.copies if hit[j]]
        clean = [j for j in truth.clean if hit[j]]
        print(
            f"| {threshold} | {len(copies)} of {len(truth.copies)} | "
            f"{sum(found[j][0] == truth.copies[j] for j in copies)} | "
            f"{sum(hit[j] for j in truth.siblings)} of {len(truth.siblings)} | "
            f"{len(clean)} of {len(truth.clean)} | "
            f"{sum(not others[j] for j in copies)} | {sum(not others[j] for j in clean)} |"
        )


if __name__ == "__main__":
    main()
