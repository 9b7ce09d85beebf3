"""Make the shipped fingerprints (curation/fingerprints/*): LiveCodeBench release_v5, HumanEval
and MBPP.

    python benchmarks/fingerprint_lcb.py --data ../shared/data

The output holds ids, dates and hashes, no text, and the same rows give the same bytes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from curation.benchmark import FINGERPRINTS, load_benchmark, save_benchmark

DATA = Path(__file__).resolve().parents[2] / "shared/data"
#: name -> (file, source, licence)
BENCHMARKS = {
    "lcb-v5": (
        "livecodebench/release_v5_submissions_o1_mini.jsonl.gz",
        "LiveCodeBench release_v5 (LiveCodeBench/submissions)",
        "MIT",
    ),
    "humaneval": ("humaneval/HumanEval.jsonl.gz", "openai/human-eval", "MIT"),
    "mbpp": ("mbpp/mbpp.jsonl.gz", "google-research/mbpp", "CC-BY-4.0"),
}


def make(data: Path, folder: Path) -> list[Path]:
    """Write the fingerprints of the files under `data` into `folder`; returns the headers."""
    made = []
    for name, (file, source, licence) in BENCHMARKS.items():
        benchmark = load_benchmark(data / file)
        benchmark.name = name
        about = {
            "source": source,
            "source_file": Path(file).name,
            "source_sha256": benchmark.sha256,
            "licence": licence,
        }
        save_benchmark(benchmark, folder, about)
        made.append(folder / f"{name}.json")
    return made


def main() -> None:
    """Parse the arguments and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA, help="the shared data folder")
    parser.add_argument("--out", type=Path, default=FINGERPRINTS, help="folder to write into")
    args = parser.parse_args()
    for header in make(args.data, args.out):
        for path in (header, header.with_suffix(".npz")):
            print(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
