"""How fast is a polite crawl where nobody needs to be waited for? A server on loopback.

    python benchmarks/bench_crawl.py [--problems 10000]

First run, second run (nothing new), a refresh (each page asked whether it changed), and beside them
a bare httpx loop over the same pages that keeps nothing and checks nothing. Prints Markdown.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path

import httpx

from pipelines.crawl_web import WebCrawlConfig, crawl_site
from pipelines.fetch import FetchConfig, Fetcher
from pipelines.stage import peak_mb, reset_peak

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "pipelines"))


def serve(tasks: int, pipe: Connection) -> None:
    """The judge of the tests, in a process of its own."""
    from judge_server import JudgeServer  # type: ignore[import-not-found]

    server = JudgeServer(tasks=tasks)
    pipe.send(server.url)
    pipe.recv()


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=10_000)
    n = parser.parse_args().problems
    here, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(n, there))
    server.start()
    url = here.recv()
    bases = {"listings": url + "/resources", "pages": url}
    config = WebCrawlConfig(site="atcoder", bases=bases)
    print(
        f"{n} problems\n\n| | requests | seconds | pages/s | peak MB |\n|---|---:|---:|---:|---:|"
    )
    rates: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, refresh in (("first run", False), ("second run", False), ("refresh", True)):
            reset_peak()
            started = time.perf_counter()
            with Fetcher(Path(folder), FetchConfig(allow_hosts=("127.0.0.1",))) as fetcher:
                report = crawl_site(fetcher, config, refresh=refresh)
            seconds = time.perf_counter() - started
            assert report.result.kept == n
            rates[name] = n / seconds
            print(
                f"| {name} | {report.requests} | {seconds:.1f} | {n / seconds:.0f} | "
                f"{peak_mb():.0f} |"
            )
    started = time.perf_counter()
    with httpx.Client() as client:
        for i in range(n):
            client.get(f"{url}/contests/abc{i:03d}/tasks/abc{i:03d}_a?lang=en").raise_for_status()
    seconds = time.perf_counter() - started
    print(f"| bare httpx loop | {n} | {seconds:.1f} | {n / seconds:.0f} | |")
    print(f"\nfirst run / bare loop: {seconds * rates['first run'] / n:.2f} of its speed")
    here.send(None)
    server.join()


if __name__ == "__main__":
    main()
