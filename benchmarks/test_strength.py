"""How strong are LeetCodeDataset's tests, and what does cutting them cost?

    python benchmarks/test_strength.py [--data ../shared/data] [--mutants 20] [--problems 300]

Mutants of each reference, judged on all tests: the distribution of kill rates, and for each rule of
keeping 5 and 15 tests the share of the killed mutants that the kept tests still kill. The rules are
compared on half of the mutants that `by_kill_power` has not seen, without those that stopped at the
time limit (which tests kill them is not known). `surely`: the whole 95 % interval of the problem's
rate (Wilson) is under half. Prints Markdown.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import Counter
from pathlib import Path
from typing import get_args

from curation.strength import judge_of_mutants, measure
from curation.tests_kept import Rule, kept_kill_rate, truncate_tests
from difficulty.intervals import wilson
from pipelines.problem import Problem
from pipelines.sources import read_source


def problems(path: Path, most: int) -> list[Problem]:
    """Every n-th problem with a reference and tests that are pairs, `most` at most."""
    rows = read_source("leetcode_dataset", path)
    found = [p for p in rows if isinstance(p, Problem) and p.checker.kind != "asserts"]
    step = max(1, -(-len(found) // most))
    return found[::step]


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--mutants", type=int, default=20)
    parser.add_argument("--problems", type=int, default=300)
    args = parser.parse_args()
    print(
        "| file | problems | mutants | seconds | mean | median | under half | surely | all killed |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    tables = []
    for name in ("v0.2.0-train", "v0.3.1-test"):
        found = problems(args.data / "leetcode_dataset" / f"{name}.jsonl.gz", args.problems)
        started = time.perf_counter()
        with judge_of_mutants() as judge:
            items = [(p, p.solutions[0].code) for p in found]
            strengths = dict(measure(judge, items, args.mutants))
        seconds = time.perf_counter() - started
        rates = [s.rate for s in strengths.values() if s.rate is not None]
        made = sum(s.made for s in strengths.values())
        print(
            f"| {name} | {len(rates)} | {made} | {seconds:.0f} | {statistics.mean(rates):.3f} | "
            f"{statistics.median(rates):.3f} | {sum(r < 0.5 for r in rates)} | "
            f"{sum(wilson(s.killed, s.made)[1] < 0.5 for s in strengths.values() if s.made)} | "
            f"{sum(r == 1 for r in rates)} |"
        )
        tenths = Counter(min(9, int(r * 10)) for r in rates)
        tables.append((name, [tenths[i] for i in range(10)], found, strengths))
    print("\n| file | " + " | ".join(f"{i / 10:.1f}-" for i in range(10)) + " |")
    print("|---|" + "---:|" * 10)
    for name, tenths_of, _, _ in tables:
        print(f"| {name} | " + " | ".join(map(str, tenths_of)) + " |")
    print(
        "\n| file | tests kept | "
        + " | ".join(get_args(Rule))
        + " |\n|---|---:|---:|---:|---:|---:|"
    )
    for name, _, found, strengths in tables:
        for most in (5, 15):
            shares: dict[str, list[float]] = {rule: [] for rule in get_args(Rule)}
            for at, strength in strengths.items():
                known = [k for n, k in enumerate(strength.kills) if n not in strength.stopped]
                seen, unseen = known[::2], known[1::2]
                if len(found[at].tests) <= most or not unseen:
                    continue
                for rule in get_args(Rule):
                    cut = truncate_tests(found[at], most, rule, kills=seen)
                    position = {id(t): i for i, t in enumerate(found[at].tests)}
                    share = kept_kill_rate(unseen, [position[id(t)] for t in cut.tests])
                    if share is not None:
                        shares[rule].append(share)
            if shares["first"]:
                cells = " | ".join(f"{statistics.mean(shares[r]):.4f}" for r in get_args(Rule))
                print(f"| {name} ({len(shares['first'])} problems) | {most} | {cells} |")


if __name__ == "__main__":
    main()
