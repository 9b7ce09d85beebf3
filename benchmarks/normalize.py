"""What the normalize stage finds in the real statements, and how often it is right.

    python benchmarks/normalize.py --data ../shared/data

Truth for lost superscripts: LiveCodeBench's LeetCode and AtCoder statements kept theirs, so they
are taken out (10^5 -> 105) and what comes back is compared with the original, character by
character. Truth for several answers and interaction: the errata. Truth for samples: those that
LiveCodeBench's authors cut out. Language: all of these statements are English.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from curation.flags import statement_flags
from curation.language import language
from curation.normalize import clean_problem, clean_statement
from curation.repair import repair_superscripts
from curation.statement_examples import statement_examples
from evaluator.errata import find
from pipelines.problem import Problem
from pipelines.sources import read_source
from pipelines.sources.leetcode_dataset import LOST_SUPERSCRIPTS

LCB = "livecodebench/release_v5_submissions_o1_mini.jsonl.gz"
#: An exponent of a number, with or without braces, with or without a sign.
EXPONENT = re.compile(r"(?<=\d)\^(?:\{(-?\d+)\}|(-?\d+))")


def json_rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as f:
        yield from map(json.loads, f)


def corpus(data: Path) -> Iterator[tuple[str, Problem]]:
    """(file, problem) of every statement, dropped rows with a problem included."""
    for name, path in (
        ("leetcode_dataset", "leetcode_dataset/v0.2.0-train.jsonl.gz"),
        ("leetcode_dataset", "leetcode_dataset/v0.3.1-test.jsonl.gz"),
        ("humaneval", "humaneval/HumanEval.jsonl.gz"),
        ("mbpp", "mbpp/mbpp.jsonl.gz"),
        ("problem_package", "problem_packages"),
    ):
        for row in read_source(name, data / path):
            problem = row if isinstance(row, Problem) else row.problem
            if problem is not None:
                yield path.rpartition("/")[2], problem
    for r in json_rows(data / LCB):
        yield (
            f"LCB {r['platform']}",
            Problem(
                id=f"livecodebench/{r['question_id']}",
                title=r["question_title"],
                statement=r["question_content"],
                fn_name="f" if r["starter_code"] else None,
            ),
        )


def superscripts(lcb: list[Problem]) -> Counter[str]:
    """Take the exponents out of statements that have them and count what comes back."""
    counts: Counter[str] = Counter()
    for p in lcb:
        # Only texts whose every exponent can be restored in the same spelling take part.
        whole = EXPONENT.sub(lambda m: f"^{m[1] or m[2]}", p.statement)
        # XOR (5 ^ 3) and powers of variables (n^2) are not what sources lose here.
        lost = EXPONENT.sub(lambda m: m[1] or m[2], p.statement)
        if lost == p.statement:
            counts["statements without exponents"] += 1
            counts["... changed (false repairs)"] += repair_superscripts(lost)[0] != lost
            continue
        mended, _, doubtful = repair_superscripts(lost)
        mended = EXPONENT.sub(lambda m: f"^{m[1] or m[2]}", mended)
        counts["statements stripped"] += 1
        counts["exponents stripped"] += len(EXPONENT.findall(p.statement))
        counts["places in doubt"] += len(doubtful)
        want, got = exponents(whole), exponents(mended)
        counts["exponents restored"] += len(want & got)
        counts["exponents wrong"] += len(got - want)
        counts["statements restored in full"] += mended == whole
        counts["statements restored in full or flagged"] += mended == whole or bool(doubtful)
    return counts


def exponents(text: str) -> set[tuple[int, str]]:
    """(characters before it that are no caret, exponent) of each exponent."""
    return {
        (m.start() - text.count("^", 0, m.start()), m[1] or m[2]) for m in EXPONENT.finditer(text)
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    data = parser.parse_args().data
    rows = list(corpus(data))
    files = list(dict.fromkeys(name for name, _ in rows))

    start = time.perf_counter()
    cleaned = [(name, p, clean_problem(p)) for name, p in rows]
    seconds = time.perf_counter() - start
    print(f"{len(rows):,} statements cleaned in {seconds:.1f} s ({len(rows) / seconds:,.0f}/s)\n")

    flags = sorted({flag for _, _, c in cleaned for flag in c.evidence})
    print("| file | statements | changed | repaired | " + " | ".join(flags) + " |")
    print("|---|" + "---|" * (len(flags) + 3))
    for file in files:
        of = [(p, c) for name, p, c in cleaned if name == file]
        cells = [
            len(of),
            sum(p.statement != c.problem.statement for p, c in of),
            sum(c.superscripts > 0 for _, c in of),
            *(sum(flag in c.evidence for _, c in of) for flag in flags),
        ]
        print(f"| {file} | " + " | ".join(map(str, cells)) + " |")

    print("\nLost superscripts by the reader's regex, before and after:")
    for file in files[:2]:
        of = [(p, c) for name, p, c in cleaned if name == file]
        before = sum(LOST_SUPERSCRIPTS.search(p.statement) is not None for p, _ in of)
        after = sum(LOST_SUPERSCRIPTS.search(c.problem.statement) is not None for _, c in of)
        places = sum(c.superscripts for _, c in of)
        print(f"  {file}: {before} -> {after} of {len(of)}; {places} places repaired")
    for platform in ("leetcode", "atcoder"):
        print(f"Exponents taken out of LCB {platform}:")
        for what, n in superscripts([p for f, p in rows if f == f"LCB {platform}"]).items():
            print(f"  {what}: {n}")

    named = Counter(language(clean_statement(p.statement))[0] or "too short" for _, p in rows)
    print(f"\nLanguages named: {dict(named.most_common())}")

    raised: Counter[str] = Counter()
    for _, p in (r for r in rows if r[0].startswith("LCB")):
        erratum = find(p.id.partition("/")[2])
        found = statement_flags(p)
        for flag, kind in (("answer_not_determined", "several_answers"), ("interactive",) * 2):
            truth = erratum is not None and erratum.kind == kind
            raised[f"{flag}: errata"] += truth
            raised[f"{flag}: errata flagged"] += truth and flag in found
            raised[f"{flag}: flagged"] += flag in found
    print("\n".join(f"{what}: {n}" for what, n in raised.items()))

    statements = {p.id.partition("/")[2]: p.statement for _, p in rows}
    same = total = 0
    for r in json_rows(data / "livecodebench/atcoder_samples_o1_mini.jsonl.gz"):
        pairs = statement_examples(clean_statement(statements[r["question_id"]]))
        read = [(i.split(), o.split()) for i, o in pairs]
        same += read == [(t["input"].split(), t["output"].split()) for t in r["samples"]]
        total += 1
    print(f"samples read from AtCoder statements as LiveCodeBench's: {same} of {total}")


if __name__ == "__main__":
    main()
