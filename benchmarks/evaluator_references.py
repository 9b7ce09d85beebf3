"""Whether the evaluator accepts the reference solutions of the sets it imports, as Markdown.

    python benchmarks/evaluator_references.py --data ../shared/data --sets humaneval mbpp

Each row is read by our own importer and its reference judged on all tests of the row. A refusal
is listed with its reason; those that were looked into are named in KNOWN, with who is at fault.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from evaluator import Judge, JudgeResult
from pipelines.problem import Dropped, Problem
from pipelines.sources import humaneval, leetcode_dataset, mbpp
from pipelines.stage import Decision

SHARED = Path(__file__).resolve().parents[2] / "shared"
Read = Callable[[Path | None], Iterator[Decision]]
SETS: dict[str, tuple[Read, str]] = {
    "humaneval": (humaneval.read, "humaneval/HumanEval.jsonl.gz"),
    "mbpp": (mbpp.read, "mbpp/mbpp.jsonl.gz"),
    "leetcode-train": (leetcode_dataset.read, "leetcode_dataset/v0.2.0-train.jsonl.gz"),
    "leetcode-test": (leetcode_dataset.read, "leetcode_dataset/v0.3.1-test.jsonl.gz"),
}
#: Refusals that were looked into: problem id -> who is at fault and why.
KNOWN: dict[str, str] = {}


def main(argv: Sequence[str] | None = None) -> int:
    """Judge and print; exit status 1 when a refusal is not in KNOWN."""
    options = arguments(argv)
    print("| set | rows | not read | references | accepted | refused | tests run |")
    print("|---|---|---|---|---|---|---|")
    refusals: list[JudgeResult] = []
    unread: list[Dropped] = []
    began = time.monotonic()
    with Judge(
        workers=options.workers, time_limit_s=options.time_limit, weakest_tier=options.weakest_tier
    ) as judge:
        for name in options.sets:
            read, path = SETS[name]
            rows = list(read(options.data / path))
            problems = [p for p in rows if isinstance(p, Problem)]
            dropped = [d for d in rows if isinstance(d, Dropped)]
            chosen = sample(problems, options.limit, options.tests)
            results = list(judged(judge, name, chosen))
            refused = sorted((r for r in results if not r.passed), key=lambda r: r.problem_id)
            tests = sum(r.tests_run for r in results)
            counts = (len(rows), len(dropped), len(results), len(results) - len(refused))
            print("|", " | ".join(map(str, (name, *counts, len(refused), tests))), "|", flush=True)
            refusals += refused
            unread += dropped
    print(f"\nPython {platform.python_version()}, tier {judge.tier}, ", end="")
    print(f"{judge.workers} workers, {time.monotonic() - began:.0f} s")
    for r in refusals:
        print(f"\n- `{r.problem_id}`: {r.verdict}, {r.detail[:300]}")
        print(f"  Cause: {KNOWN.get(r.problem_id, 'not known')}")
    for d in unread:
        print(f"\n- not read: `{d.id}`: {d.reason}, {d.evidence.get('error', '')}")
    return int(any(r.problem_id not in KNOWN for r in refusals))


def sample(problems: Sequence[Problem], limit: int | None, tests: int | None) -> list[Problem]:
    """At most `limit` problems, spread over the set, with at most `tests` tests each."""
    if limit and limit < len(problems):
        problems = [problems[i * len(problems) // limit] for i in range(limit)]
    return [replace(p, tests=p.tests[:tests]) for p in problems]


def judged(judge: Judge, name: str, problems: Sequence[Problem]) -> Iterator[JudgeResult]:
    """The verdicts on the references, as they come."""
    show = sys.stderr.isatty()
    pairs = ((p, p.solutions[0].code) for p in problems)
    for n, (_, result) in enumerate(judge.map(pairs), 1):
        yield result
        if show:
            print(f"\r{name}: {n}/{len(problems)}", end="", file=sys.stderr)
    if show:
        print(file=sys.stderr)


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--data", type=Path, default=SHARED / "data", help="folder of the sets (%(default)s)")
    add("--sets", nargs="+", choices=SETS, default=list(SETS), help="which sets (all)")
    add("--limit", type=int, help="problems of each set, spread over it (all)")
    add("--tests", type=int, help="tests of each problem, the first ones (all)")
    add("--workers", type=int, help="programs at a time (one a core)")
    add("--time-limit", type=float, default=6.0, help="CPU seconds a test (%(default)s)")
    add("--weakest-tier", choices="ABC", default="A", help="least isolation to accept (A)")
    options = parser.parse_args(argv)
    missing = [SETS[s][1] for s in options.sets if not (options.data / SETS[s][1]).is_file()]
    if missing:
        parser.error(f"{options.data}: no {', '.join(missing)} there; see --data")
    return options


if __name__ == "__main__":
    sys.exit(main())
