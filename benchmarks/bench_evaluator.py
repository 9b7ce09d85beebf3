"""Throughput of MicroCoder-Evaluator: programs judged a second, and where a process's time goes.

    python benchmarks/bench_evaluator.py [--workers 2] [--seconds 5]

Each test is one fresh isolated process. `CPU ms` is what all processes of one test cost together,
which a busy machine changes less than the wall clock. The phases are medians, one at a time.
"""

from __future__ import annotations

import argparse
import itertools
import os
import resource
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence

from evaluator.judge import Judge
from evaluator.layout import interpreter
from evaluator.sandbox import Job, Limits, run_isolated, sandbox_status
from pipelines.problem import Problem, TestCase

STDIN = "a, b = map(int, input().split())\nprint(a + b)\n"
FUNCTION = "class Solution:\n    def add(self, a: int, b: int) -> int:\n        return a + b\n"
NUMPY = "import numpy as np\nprint(int(np.array(input().split(), dtype=int).sum()))\n"


def problem(tests: int, fn_name: str | None = None) -> Problem:
    """`tests` sums."""
    gap = "\n" if fn_name else " "
    cases = tuple(TestCase(f"{i}{gap}{i}\n", f"{2 * i}\n") for i in range(tests))
    return Problem(id="bench/sum", fn_name=fn_name, tests=cases)


def throughput(p: Problem, code: str, workers: int, seconds: float) -> tuple[float, float]:
    """Programs a second, and CPU ms a test (children only)."""

    def pairs() -> Iterator[tuple[Problem, str]]:
        end = time.perf_counter() + seconds
        for _ in itertools.takewhile(lambda _: time.perf_counter() < end, itertools.count()):
            yield p, code

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started, done = time.perf_counter(), 0
    with Judge(workers=workers) as judge:
        for _, result in judge.map(pairs()):
            assert result.passed, result
            done += 1
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done / wall, 1000 * cpu / (done * len(p.tests))


def median_ms(call: Callable[[], object], times: int = 30) -> float:
    """Median milliseconds of a call."""
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        call()
        taken.append(time.perf_counter() - started)
    return 1000 * statistics.median(taken)


def phases() -> Iterator[tuple[str, float]]:
    """The parts of one sandboxed process, by adding one thing at a time."""
    python = [interpreter(), "-S", "-s", "-P", "-B", "-c"]
    job, limits, tier = Job(b"print(input())", b"1\n"), Limits(), sandbox_status().tier
    yield (
        "/bin/sh that execs /bin/true",
        median_ms(lambda: subprocess.run(["/bin/sh", "-c", "exec /bin/true"])),
    )
    yield "bare interpreter", median_ms(lambda: subprocess.run([*python, "pass"]))
    yield (
        "  + ctypes (for the system calls)",
        median_ms(lambda: subprocess.run([*python, "import ctypes"])),
    )
    yield "one test in tier C (rlimits only)", median_ms(lambda: run_isolated(job, limits, "C"))
    yield (
        f"one test in tier {tier} (this machine)",
        median_ms(lambda: run_isolated(job, limits, tier)),
    )
    program = [run_isolated(job, limits, tier) for _ in range(30)]
    yield "  of it the program, wall", 1000 * statistics.median(r.wall_s for r in program)
    yield "  of it the program, CPU", 1000 * statistics.median(r.cpu_s for r in program)


def main(argv: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seconds", type=float, default=5.0, help="per line of the table")
    args = parser.parse_args(argv)
    load = os.getloadavg()[0]
    print(f"tier {sandbox_status().tier}, {args.workers} workers, load before {load:.1f}\n")
    print(f"{'':24}{'solutions/s':>12}{'tests/s':>10}{'CPU ms/test':>13}")
    rows = [(f"stdin, {n} tests", problem(n), STDIN) for n in (1, 10, 50)]
    rows += [(f"function, {n} tests", problem(n, "add"), FUNCTION) for n in (1, 10)]
    rows.append(("stdin, numpy, 1 test", problem(1), NUMPY))
    for name, p, code in rows:
        rate, cpu = throughput(p, code, args.workers, args.seconds)
        print(f"{name:24}{rate:12.1f}{rate * len(p.tests):10.1f}{cpu:13.1f}", flush=True)
    print(f"\n{'one at a time':36}{'ms':>8}")
    for name, ms in phases():
        print(f"{name:36}{ms:8.2f}", flush=True)


if __name__ == "__main__":
    main()
