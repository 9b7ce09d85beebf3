"""Make the shipped fingerprints of LiveCodeBench release_v5 (curation/fingerprints/lcb-v5.*).

    python benchmarks/fingerprint_lcb.py --rows release_v5.jsonl.gz

The output holds ids, dates and hashes, no text, and the same rows give the same bytes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from curation.benchmark import FINGERPRINTS, load_benchmark, save_benchmark

NAME = "lcb-v5"
ROWS = (
    Path(__file__).resolve().parents[2]
    / "shared/data/livecodebench/release_v5_submissions_o1_mini.jsonl.gz"
)


def make(rows: Path, folder: Path) -> Path:
    """Write the fingerprints of `rows` into `folder`; returns the header's path."""
    benchmark = load_benchmark(rows)
    benchmark.name = NAME
    about = {
        "source": "LiveCodeBench release_v5 (LiveCodeBench/submissions)",
        "source_file": rows.name,
        "source_sha256": benchmark.sha256,
        "licence": "MIT",
    }
    save_benchmark(benchmark, folder, about)
    return folder / f"{NAME}.json"


def main() -> None:
    """Parse the arguments and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=Path, default=ROWS, help="LiveCodeBench rows, JSONL[.gz]")
    parser.add_argument("--out", type=Path, default=FINGERPRINTS, help="folder to write into")
    args = parser.parse_args()
    header = make(args.rows, args.out)
    for path in (header, header.with_suffix(".npz")):
        print(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
