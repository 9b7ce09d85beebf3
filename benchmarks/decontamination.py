"""Decontamination against a known truth: ours and other projects' rules in one table.

    python benchmarks/decontamination.py [--data ../shared/data] [--rule NAME ...] [--rows 100000]

Truth: a LeetCodeDataset row whose task_id is the slug of a LeetCode title in LiveCodeBench v5 is
that problem (145 of 1,488), whatever its text. Siblings: the rows that are not, but whose slug
differs from one only in a numeral or level at its end (27; 26 of them by a numeral). All others
are clean. `known`: ids, URLs, titles, tests and text. `stripped`: without id, URL and title.
`statement`: the statement alone, without tests; the other projects' rules see no more than that.

The speed corpus is mixed from the real statements (benchmarks/decontamination_texts.py).
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from decontamination_texts import PERTURBATIONS, mixed, perturbed

from curation.benchmark import Benchmark, load_benchmark, read_items
from curation.decon_items import Item, problem_item, row_item
from curation.decon_match import match
from curation.decon_presets import PEER_RULES, peer_rule
from curation.statement_examples import statement_examples
from curation.test_fingerprints import hash_pairs
from curation.text import sibling_titles, slug
from pipelines.problem import Problem
from pipelines.sources import read_source
from pipelines.sources.livecodebench import BenchmarkRow, iter_benchmark

DATA = Path(__file__).resolve().parents[2] / "shared/data"
LCB = "livecodebench/release_v5_submissions_o1_mini.jsonl.gz"
LEETCODE = ("leetcode_dataset/v0.2.0-train.jsonl.gz", "leetcode_dataset/v0.3.1-test.jsonl.gz")
OTHERS = ("humaneval/HumanEval.jsonl.gz", "mbpp/mbpp.jsonl.gz")


@dataclass(frozen=True, slots=True)
class Truth:
    """What every LeetCodeDataset row is: `copies` row -> benchmark row, `siblings` row ->
    benchmark rows, the rest clean."""

    slugs: list[str]
    copies: dict[int, int]
    siblings: dict[int, set[int]]
    clean: list[int]


@dataclass(frozen=True, slots=True)
class Score:
    """Of the truth, how many rows a rule drops (`found`) and names rightly (`right`); siblings
    dropped and recognised as such; clean rows dropped."""

    found: int
    right: int
    siblings: int
    recognised: int
    clean: int


def leetcode_rows(data: Path) -> list[Problem]:
    """All LeetCodeDataset problems, tests and all."""
    rows = []
    for name in LEETCODE:
        for row in read_source("leetcode_dataset", data / name):
            problem = row if isinstance(row, Problem) else row.problem
            if problem is not None:
                rows.append(problem)
    return rows


def benchmark_rows(data: Path) -> list[BenchmarkRow]:
    """LiveCodeBench's rows in the benchmark's order."""
    return [r for r in iter_benchmark(data / LCB) if isinstance(r, BenchmarkRow)]


def native(problem: Problem) -> str:
    """The slug of a LeetCodeDataset row."""
    return problem.id.partition("/")[2]


def truth_of(rows: Sequence[Problem], lcb: Sequence[BenchmarkRow]) -> Truth:
    """The truth by slug, found without looking at any text."""
    slugs = [slug(r.title) if r.platform == "leetcode" else "" for r in lcb]
    at = {s: i for i, s in enumerate(slugs) if s}
    copies = {j: at[native(p)] for j, p in enumerate(rows) if native(p) in at}
    siblings = {
        j: found
        for j, p in enumerate(rows)
        if j not in copies and (found := {at[s] for s in at if sibling_titles(native(p), s)})
    }
    clean = [j for j in range(len(rows)) if j not in copies and j not in siblings]
    return Truth(slugs, copies, siblings, clean)


def stripped(item: Item) -> Item:
    """The item without what names it."""
    return replace(item, id="unknown/1", title="", judge="", native="")


def statement_item(statement: str) -> Item:
    """An item of a statement alone."""
    pairs = hash_pairs(statement_examples(statement))
    return Item("unknown/1", statement=statement, pairs=pairs)


def score(hits: Sequence[int | None], kinds: Sequence[str | None], truth: Truth) -> Score:
    """Count a rule's hits (benchmark row or None) and kinds (None where a rule has none)."""
    return Score(
        found=sum(hits[j] is not None for j in truth.copies),
        right=sum(hits[j] == i for j, i in truth.copies.items()),
        siblings=sum(hits[j] is not None for j in truth.siblings),
        recognised=sum(kinds[j] == "sibling" for j in truth.siblings),
        clean=sum(hits[j] is not None for j in truth.clean),
    )


def our_score(benchmark: Benchmark, items: Sequence[Item], truth: Truth) -> Score:
    """The score of our rule."""
    verdicts = match([benchmark], items)
    hits = [v.row if v else None for v in verdicts]
    return score(hits, [v.kind if v else None for v in verdicts], truth)


def accuracy(
    benchmark: Benchmark, rows: Sequence[Problem], lcb: Sequence[BenchmarkRow], rules: Sequence[str]
) -> None:
    """Print the table of rules."""
    truth = truth_of(rows, lcb)
    items = [problem_item(p) for p in rows]
    numerals = sum(not native(rows[j]).endswith("-easy") for j in truth.siblings)
    n, s, c = len(truth.copies), len(truth.siblings), len(truth.clean)
    print(
        f"{len(rows)} LeetCodeDataset rows against {benchmark.title}: {n} contaminated, "
        f"{s} siblings ({numerals} by numeral), {c} clean\n"
    )
    print(
        f"{'rule':<24}{'sees':<11}{'found':>6}{'recall':>8}{'right row':>10}{'siblings':>9}"
        f"{'as such':>8}{'clean dropped':>14}"
    )

    def show(name: str, sees: str, r: Score, own: bool) -> None:
        such = f"{r.recognised}/{s}" if own else "-"
        print(
            f"{name:<24}{sees:<11}{r.found:>6}{r.found / n:>8.4f}{r.right:>10}{r.siblings:>9}"
            f"{such:>8}{r.clean:>7} {r.clean / c:>6.2%}",
            flush=True,
        )

    show("ours", "known", our_score(benchmark, items, truth), True)
    bare = [stripped(i) for i in items]
    show("ours", "stripped", our_score(benchmark, bare, truth), True)
    texts = [statement_item(p.statement) for p in rows]
    show("ours", "statement", our_score(benchmark, texts, truth), True)
    for name in rules:
        rule = peer_rule(name, [r.statement for r in lcb])
        hits = [rule(p.statement) for p in rows]
        show(name, "statement", score(hits, [None] * len(hits), truth), False)


def perturbation_table(
    benchmark: Benchmark, rows: Sequence[Problem], lcb: Sequence[BenchmarkRow], rules: Sequence[str]
) -> None:
    """Print recall after each change: of the 145 known rows and of LCB's own 880 statements, and
    the share of clean rows dropped."""
    truth = truth_of(rows, lcb)
    peers = {name: peer_rule(name, [r.statement for r in lcb]) for name in rules}
    print("\nrecall of the known rows / of LCB's own statements / clean rows dropped")
    print(f"{'statement alone, with':<24}" + "".join(f"{name:>24}" for name in ("ours", *peers)))
    for change in PERTURBATIONS:
        changed = perturbed([p.statement for p in rows], change)
        own = perturbed([r.statement for r in lcb], change)
        cells = []
        for rule in (None, *peers.values()):
            hit = partial(_hits, benchmark, rule)
            found, itself = hit(changed), hit(own)
            recall = sum(found[j] for j in truth.copies) / len(truth.copies)
            clean = sum(found[j] for j in truth.clean) / len(truth.clean)
            cells.append(f"{recall:>10.3f} {sum(itself) / len(itself):.3f} {clean:>7.2%}")
        print(f"{change:<24}" + "".join(cells), flush=True)


def _hits(
    benchmark: Benchmark, rule: Callable[[str], int | None] | None, texts: Sequence[str]
) -> list[bool]:
    if rule is None:
        found = match([benchmark], [statement_item(t) for t in texts])
        return [v is not None for v in found]
    return [rule(t) is not None for t in texts]


def screen(benchmark: Benchmark, texts: Sequence[str]) -> int:
    """All that a row of a table costs: its item (examples read and hashed) and its verdict."""
    columns = {"statement": "text"}
    hits = 0
    for at in range(0, len(texts), 512):
        part = texts[at : at + 512]
        items = [row_item({"text": t}, columns, "mixed", at + i) for i, t in enumerate(part)]
        hits += sum(v is not None for v in match([benchmark], items))
    return hits


def speed(data: Path, benchmark: Benchmark, lcb: Sequence[BenchmarkRow], count: int) -> None:
    """Print texts a second of ours, open-r1's loop and datatrove's rule, and the ratios of texts a
    CPU second. datatrove's own filter tokenises with spaCy, which is slower than this reading."""
    real = [i.statement for f in (LCB, *OTHERS) for i in read_items(data / f)]
    real += [p.statement for p in leetcode_rows(data)]
    texts = mixed(real, count)
    words = sum(len(t.split()) for t in texts) / count
    print(f"\n{count:,} texts mixed from {len(real)} real ones, {words:.0f} words each on average")
    print(
        f"{'rule':<34}{'texts':>9}{'seconds':>9}{'CPU s':>8}{'texts/s':>9}{'per CPU s':>11}"
        f"{'ours/it':>9}"
    )
    texts_of = {"open-r1-8gram": count // 5, "datatrove-12gram": count // 20}
    ours = _timed("ours, one process", count, lambda: screen(benchmark, texts))
    with multiprocessing.get_context("fork").Pool(2) as pool:
        halves = [texts[::2], texts[1::2]]
        _timed("ours, two processes", count, lambda: pool.map(partial(screen, benchmark), halves))
    for name, n in texts_of.items():
        rule = peer_rule(name, [r.statement for r in lcb])
        _timed(f"{name}, one process", n, partial(_each, rule, texts[:n]), ours)


def _each(rule: Callable[[str], object], texts: list[str]) -> list[object]:
    return [rule(text) for text in texts]


def _timed(name: str, n: int, work: Callable[[], object], ours: float | None = None) -> float:
    """Do the work and print its line; returns texts per CPU second (of this process)."""
    began, cpu = time.perf_counter(), time.process_time()
    work()
    seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
    alone = "two" not in name  # CPU time of other processes is not seen here
    used = f"{cpu:>8.1f}" if alone else f"{'':>8}"
    rate = f"{n / cpu:>11,.0f}" if alone else f"{'':>11}"
    ratio = f"{ours / (n / cpu):>9.2f}" if ours else ""
    print(f"{name:<34}{n:>9,}{seconds:>9.1f}{used}{n / seconds:>9,.0f}{rate}{ratio}", flush=True)
    return n / cpu


def windows() -> None:
    """Print what 'LiveCodeBench v5' may mean."""
    print()
    for spec in ("lcb-v5", "lcb-v5@2024-08-01..", "lcb-v5@2024-10-01..2025-01-31"):
        print(load_benchmark(spec).title)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA, help="the shared data folder")
    parser.add_argument("--rule", action="append", choices=list(PEER_RULES), help="default: all")
    parser.add_argument("--rows", type=int, default=100_000, help="texts of the speed corpus")
    args = parser.parse_args()
    if not (args.data / LCB).is_file():
        print(f"skipped: {args.data / LCB} is not there; give the folder that holds it with --data")
        return
    benchmark = load_benchmark("lcb-v5")
    rows, lcb = leetcode_rows(args.data), benchmark_rows(args.data)
    rules = args.rule or list(PEER_RULES)
    accuracy(benchmark, rows, lcb, rules)
    perturbation_table(benchmark, rows, lcb, rules)
    speed(args.data, benchmark, lcb, args.rows)
    windows()


if __name__ == "__main__":
    main()
