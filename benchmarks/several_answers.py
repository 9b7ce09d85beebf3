"""Which problems have several right answers? The detector against LiveCodeBench's errata.

    python benchmarks/several_answers.py [--data ../shared/data]

Truth: the errata of kind several_answers among the 880 problems of release v5. The detector is the
statement's wording (curation.flags: `answer_not_determined`); beside it three regexes like those
measured on TACO's labels in the field. Prints Markdown.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from pathlib import Path

from curation.flags import statement_flags
from evaluator.errata import find, load
from pipelines.problem import Problem

_SIMPLE = re.compile(
    r"multiple (?:answers|solutions|possible)|any (?:of them|order|valid|one)|"
    r"several (?:answers|solutions)",
    re.I,
)


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    data = parser.parse_args().data
    truth = {e.id for e in load() if e.kind == "several_answers"}
    rows = []
    path = data / "livecodebench" / "release_v5_submissions_o1_mini.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as f:
        for row in map(json.loads, f):
            erratum = find(row["question_id"], title=row["question_title"])
            rows.append((erratum is not None and erratum.id in truth, row))
    positives = sum(label for label, _ in rows)
    print(f"{len(rows)} problems, {positives} with several answers by the errata\n")
    print("| detector | flagged | right | precision | recall |\n|---|---:|---:|---:|---:|")

    def line(name: str, said: list[bool]) -> None:
        right = sum(s and label for s, (label, _) in zip(said, rows, strict=True))
        print(
            f"| {name} | {sum(said)} | {right} | {right / max(1, sum(said)):.2f} | "
            f"{right / max(1, positives):.2f} |"
        )

    texts = [row["question_content"] for _, row in rows]
    flagged = [
        "answer_not_determined" in statement_flags(Problem("x/y", statement=t)) for t in texts
    ]
    line("ours: wording (answer_not_determined)", flagged)
    line("three simple regexes", [_SIMPLE.search(t) is not None for t in texts])
    beside = [
        r["question_id"] for s, (label, r) in zip(flagged, rows, strict=True) if s and not label
    ]
    print(f"\nflagged, not in the errata: {', '.join(beside)}")


if __name__ == "__main__":
    main()
