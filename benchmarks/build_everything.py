"""One build over all the real data at hand: seven kinds of files, the examples, two crawled sites.

    python benchmarks/build_everything.py [--data ../shared/data] [--run /tmp/everything]

The sites are the tests' server on loopback: AtCoder tasks written for this project, and the API of
Codeforces with its real answer from the data folder. All up to verify runs (the probe needs a
model and days of one). Prints the funnel, in all and source by source.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from flows.config import load_config
from flows.stages import build
from pipelines.crawl_web import PROBLEMS, WebCrawlConfig, crawl_site
from pipelines.fetch import FetchConfig, Fetcher
from pipelines.funnel import funnel_by_source, run_folders

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "pipelines"))

SOURCES = (
    ("livecodebench", "livecodebench/release_v5_submissions_o1_mini.jsonl.gz"),
    ("livecodebench", "livecodebench/atcoder_samples_o1_mini.jsonl.gz"),
    ("leetcode_dataset", "leetcode_dataset/v0.2.0-train.jsonl.gz"),
    ("leetcode_dataset", "leetcode_dataset/v0.3.1-test.jsonl.gz"),
    ("humaneval", "humaneval/HumanEval.jsonl.gz"),
    ("mbpp", "mbpp/mbpp.jsonl.gz"),
    ("problem_package", "problem_packages/kattis_examples"),
    ("problem_package", "problem_packages/bapctools"),
)


def crawled(data: Path, folder: Path) -> list[Path]:
    """Crawl both sites of the server into folders below `folder`."""
    from judge_server import JudgeServer  # type: ignore[import-not-found, unused-ignore]

    with gzip.open(data / "codeforces" / "problemset.problems.json.gz", "rt") as f:
        answer = json.load(f)

    class Server(JudgeServer):  # type: ignore[misc, unused-ignore]
        def _api(self, name: str) -> Any:
            result = answer.get("result", answer)
            return result if name.endswith("problems") else super()._api(name)

    server = Server(tasks=300)
    fetching = FetchConfig(allow_hosts=("127.0.0.1",))
    folders = []
    for site, listings in (("atcoder", "/resources"), ("codeforces", "/api")):
        bases = {"listings": server.url + listings, "pages": server.url}
        with Fetcher(folder / site, fetching) as fetcher:
            crawl_site(fetcher, WebCrawlConfig(site=site, bases=bases))
        folders.append(folder / site)
    server.close()
    return folders


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--run", type=Path)
    args = parser.parse_args()
    data = args.data.resolve()
    with tempfile.TemporaryDirectory() as temporary:
        run = args.run or Path(temporary) / "run"
        started = time.perf_counter()
        folders = crawled(data, Path(temporary))
        print(f"crawled two sites in {time.perf_counter() - started:.1f} s")
        sources = [(name, data / path) for name, path in SOURCES]
        sources += [("problem_package", ROOT / "examples" / "problems")]
        sources += [("jsonl", ROOT / "examples" / "problems.jsonl")]
        sources += [("shards", folder / PROBLEMS) for folder in folders]
        text = 'name = "everything"\n' + "".join(
            f'[[source]]\nname = "{name}"\npath = "{path}"\n' for name, path in sources
        )
        config = Path(temporary) / "everything.toml"
        config.write_text(text)
        started = time.perf_counter()
        results = build(load_config(config), run, until="verify")
        seconds = time.perf_counter() - started
        print(
            "\n| stage | in | kept | dropped | seconds | peak MB |\n|---|---:|---:|---|---:|---:|"
        )
        for r in results:
            reasons = ", ".join(f"{reason} {n}" for reason, n in r.reasons.items())
            cost = f"{r.seconds:.1f} | {r.peak_mb:.0f}"
            print(f"| {r.stage} | {r.n_in} | {r.kept} | {reasons} | {cost} |")
        print(f"\nin all {seconds:.0f} s\n\n| source | rows | kept | contaminated | duplicates |")
        print("|---|---:|---:|---:|---:|")
        for s in funnel_by_source(run_folders(run)):
            print(
                f"| {s.source} | {s.rows} | {s.kept} | {s.lost('decontaminate')} | "
                f"{s.lost('dedup')} |"
            )


if __name__ == "__main__":
    main()
