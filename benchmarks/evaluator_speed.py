"""Speed of MicroCoder-Evaluator, beside LiveCodeBench's in the same run.

    pip install --no-deps nvidia-livecodebench
    python benchmarks/evaluator_speed.py [--data ../shared/data] [--seconds 5] [--only speed,hang]

speed   solutions a second of both, alternating, 2 workers each, isolation fully on. The peer is
        LiveCodeBench's own evaluator with its defaults (6 s a test), which isolates nothing.
limits  what binds: the parts of one program's cost, and the most this machine could do
hang    one program in ten hangs (computing, or sleeping): does the rest go on?
memory  what the pool holds, and whether it grows over many programs
"""

from __future__ import annotations

import argparse
import ctypes
import functools
import gzip
import itertools
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from lcb_peer import Peer, PeerError

from evaluator.judge import Judge
from evaluator.layout import interpreter
from evaluator.room import Job, Limits, Room
from evaluator.sandbox import sandbox_status
from pipelines.problem import Problem, TestCase

STDIN = "a, b = map(int, input().split())\nprint(a + b)\n"
FUNCTION = "class Solution:\n    def add(self, a: int, b: int) -> int:\n        return a + b\n"
NUMPY = "import numpy as np\na, b = np.array(input().split(), dtype=int)\nprint(a + b)\n"
SPIN = "while True: pass\n"
SLEEP = "import time\ntime.sleep(1000)\n"
Work = list[tuple[Problem, str]]
#: Workload: (required ratio by default, with isolate="test"); None: no figure was set.
REQUIRED: dict[str, tuple[float | None, float | None]] = {
    "stdin, 1 test": (10, 10),
    "stdin, 10 tests": (15, 2),
    "stdin, 50 tests": (25, 1.3),
    "function, 1 test": (8, None),
    "function, 10 tests": (8, None),
    "function, 50 tests": (8, None),
    "AtCoder samples": (8, None),
    "AtCoder, no long ones": (8, None),
    "LeetCodeDataset": (6, None),
}


def sums(tests: int, fn_name: str | None = None) -> Problem:
    """`tests` sums."""
    gap = "\n" if fn_name else " "
    cases = tuple(TestCase(f"{i}{gap}{i}\n", f"{2 * i}\n") for i in range(tests))
    return Problem(id="bench/sum", fn_name=fn_name, tests=cases)


def atcoder(data: Path) -> Work:
    """The programs that LiveCodeBench graded right, with the samples of their statements."""
    found: Work = []
    with gzip.open(data / "livecodebench/atcoder_samples_o1_mini.jsonl.gz", "rt") as f:
        for row in map(json.loads, f):
            if row["lcb_graded"] and row["samples"]:
                tests = tuple(TestCase(t["input"], t["output"]) for t in row["samples"])
                found.append(
                    (Problem(id=f"atcoder/{row['question_id']}", tests=tests), row["code"])
                )
    return found


def leetcode(data: Path, most: int = 337) -> Work:
    """Reference solutions of LeetCodeDataset with their own tests, in our importer's form."""
    from pipelines.sources.leetcode_dataset import read

    found: Work = []
    for problem in read(data / "leetcode_dataset/v0.2.0-train.jsonl.gz"):
        if not isinstance(problem, Problem) or problem.checker.kind == "asserts":
            continue
        if problem.solutions:
            found.append((problem, problem.solutions[0].code))
    step = max(1, len(found) // most)
    return found[::step][:most]


def program_seconds(work: Work) -> list[float]:
    """CPU seconds of each program's tests, without starting and ending its process."""
    found = [0.0] * len(work)
    with Judge(workers=2) as judge:
        for index, result in judge.map(work):
            found[index] = sum(t.seconds for t in result.tests)
    return found


def short(work: Work, most: float = 1.0) -> Work:
    """The programs that compute for less than a second, which is what evaluators differ by."""
    seconds = program_seconds(work)
    long = [s for s in seconds if s >= most]
    print(f"(AtCoder: the programs compute for {sum(seconds):.1f} s, {len(long)} "
          f"of {len(work)} for {sum(long):.1f} s of it; two cores cannot "
          f"judge more than {2 * len(work) / sum(seconds):.0f} of them a second)\n")  # fmt: skip
    return [pair for pair, s in zip(work, seconds, strict=True) if s < most]


# -- speed ----------------------------------------------------------------------------------------


def ours(work: Work, seconds: float, isolate: str = "solution") -> float:
    """Programs a second over at least `seconds`, the pool warm."""
    with Judge(workers=2, isolate=isolate) as judge:  # type: ignore[arg-type]
        for _ in judge.map(work[:20] * 2):
            pass
        started, done = time.perf_counter(), 0

        def pairs() -> Iterator[tuple[Problem, str]]:
            while True:
                yield from work
                if time.perf_counter() - started >= seconds:
                    return

        for _ in judge.map(pairs()):
            done += 1
        return done / (time.perf_counter() - started)


def theirs(peer: Peer, work: Work, seconds: float) -> float:
    """The same for the peer; its pool's own time, without the transfer to its process."""
    some = work if len(work) > 1 else work * max(20, int(seconds * 40))
    peer.judge_all(some)
    return len(some) / peer.seconds


def speed(data: Path, seconds: float, rounds: int) -> None:
    """Print the table of ratios."""
    workloads: dict[str, Work] = {}
    for n in (1, 10, 50):
        workloads[f"stdin, {n} test{'s' * (n > 1)}"] = [(sums(n), STDIN)]
    for n in (1, 10, 50):
        workloads[f"function, {n} test{'s' * (n > 1)}"] = [(sums(n, "add"), FUNCTION)]
    workloads["stdin, numpy, 1 test"] = [(sums(1), NUMPY)]
    if data.exists():
        workloads["AtCoder samples"] = whole = atcoder(data)
        workloads["AtCoder, no long ones"] = short(whole)
        workloads["LeetCodeDataset"] = leetcode(data)
    else:
        print(f"({data} is not here: no real programs)\n")
    print("| workload | ours/s | one process a test/s | LiveCodeBench's/s | ratio | required "
          "| ratio, a test | required |")  # fmt: skip
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    with Peer() as peer:
        for name, work in workloads.items():
            rows = []
            for _ in range(rounds):
                rows.append(
                    (ours(work, seconds), ours(work, seconds, "test"), theirs(peer, work, seconds))
                )
            a, b, c = (statistics.median(x) for x in zip(*rows, strict=True))
            r = statistics.median(x / z for x, _, z in rows)
            s = statistics.median(y / z for _, y, z in rows)
            need = [f"{x:g}" if x else "" for x in REQUIRED.get(name, (None, None))]
            print(f"| {name} | {a:.0f} | {b:.0f} | {c:.1f} | {r:.1f}x | {need[0]} | {s:.1f}x "
                  f"| {need[1]} |", flush=True)  # fmt: skip


# -- limits ---------------------------------------------------------------------------------------


def median_ms(call: Callable[[], object], times: int = 200) -> float:
    """Median milliseconds of a call."""
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        call()
        taken.append(time.perf_counter() - started)
    return 1000 * statistics.median(taken)


_BARE = """
import ctypes, os, sys, time
{imports}
fork = ctypes.PyDLL(None).fork
data = bytearray({touch} * 4096 + 1)
for i in range(0, len(data), 4096): data[i] = 1
taken = []
for _ in range(300):
    t = time.perf_counter()
    pid = fork()
    if pid == 0:
        for i in range(0, len(data) - 1, 4096): data[i] = 2
        os._exit(0)
    os.waitpid(pid, 0)
    taken.append(time.perf_counter() - t)
print(sorted(taken)[150] * 1000)
"""


def bare(imports: str, touch: int) -> float:
    """Milliseconds of a fork that writes to `touch` pages and ends, from a bare interpreter."""
    code = _BARE.format(imports=imports, touch=touch)
    return float(subprocess.check_output([interpreter(), "-I", "-S", "-c", code]))


def limits() -> None:
    """Print what one program costs, part by part."""
    from evaluator.zygote import PRELOAD

    status = sandbox_status()
    imports = "\n".join(f"import {m}" for m in PRELOAD.split() if m != "__future__")
    python = [interpreter(), "-I", "-S", "-c"]
    print("| one at a time | ms |\n|---|---:|")
    rows: list[tuple[str, float]] = [
        ("fork and exit, bare interpreter", bare("", 0)),
        ("the same with the zygote's imports", bare(imports, 0)),
        ("the same, 350 pages written (what a child writes)", bare(imports, 350)),
        ("a new `python -I -S`", median_ms(lambda: subprocess.run([*python, "pass"]), 30)),
        ("a pipe there and back", _pipe_ms()),
    ]

    def enter() -> None:
        Room(status.tier, outer=status.outer).close()

    rows.append(("a room: Python, namespaces, new root, imports", median_ms(enter, 10)))
    with Room(status.tier, outer=status.outer) as room:
        for n in (1, 10, 50):
            more = (b"1 2\n",) * (n - 1)
            job = Job(STDIN.encode(), b"1 2\n", more)
            ms = median_ms(functools.partial(room.run, job, Limits()))
            rows.append((f"one program in a room, {n} tests", ms))
        runs = [room.run(Job(STDIN.encode(), b"1 2\n"), Limits()) for _ in range(100)]
    rows.append(("of the first, the child's CPU", 1000 * statistics.median(r.cpu_s for r in runs)))
    for name, ms in rows:
        print(f"| {name} | {ms:.2f} |")
    cores = len(os.sched_getaffinity(0))
    fork = next(ms for name, ms in rows if "350 pages" in name)
    print(f"\nThe limit of one fork a program: {cores} cores / {fork:.2f} ms = "
          f"{1000 * cores / fork:.0f} programs a second.\n")  # fmt: skip


def _pipe_ms() -> float:
    there, back = os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        while os.read(there[0], 1) == b"x":
            os.write(back[1], b"y")
        os._exit(0)

    def turn() -> None:
        os.write(there[1], b"x")
        os.read(back[0], 1)

    ms = median_ms(turn)
    os.write(there[1], b"q")
    os.waitpid(pid, 0)
    return ms


# -- hang -----------------------------------------------------------------------------------------


def hang(programs: int, limit_s: float) -> None:
    """Print how long a batch takes with one hanging program in ten, and what that may cost."""
    problem = Problem(id="bench/sum", tests=sums(1).tests, time_limit_s=limit_s)
    print("| one in ten | seconds | without it | the hangs' own share | ratio to the sum |")
    print("|---|---:|---:|---:|---:|")
    n = programs // 10
    with Judge(workers=2) as judge:
        plain = _timed(judge, [(problem, STDIN)] * (programs - n))
        for name, code in (("computes for ever", SPIN), ("sleeps", SLEEP)):
            every = [(problem, code if i % 10 == 0 else STDIN) for i in range(programs)]
            wall = limit_s if code is SPIN else Limits(limit_s).wall
            # a sleeper uses no core: its share is its place among the rooms, not the core
            share = n * wall / (2 if code is SPIN else 2 * 4)
            taken = _timed(judge, every)
            print(f"| {name} ({wall:g} s) | {taken:.2f} | {plain:.2f} | {share:.2f} "
                  f"| {taken / (plain + share):.2f} |")  # fmt: skip
    print()


def _timed(judge: Judge, work: Work) -> float:
    started = time.perf_counter()
    for _ in judge.map(work):
        pass
    return time.perf_counter() - started


# -- memory ---------------------------------------------------------------------------------------


def pool_mb() -> float:
    """Proportional set size of everything this process started, in MiB."""
    total = 0
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and _descends(int(entry.name)):
            try:
                lines = (entry / "smaps_rollup").read_text().splitlines()
            except OSError:
                continue
            total += sum(int(x.split()[1]) for x in lines if x.startswith("Pss:"))
    return total / 1024


def _descends(pid: int) -> bool:
    me = os.getpid()
    while pid > 1:
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, IndexError):
            return False
        if pid == me:
            return True
    return False


def own_mb() -> float:
    """Resident MiB of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def memory(programs: int) -> None:
    """Print what the pool holds after some programs and after many."""
    print("| programs judged | this process MiB | the pool MiB | open descriptors |")
    print("|---:|---:|---:|---:|")
    problems = [(sums(1), STDIN), (sums(3, "add"), FUNCTION), (sums(1), NUMPY)]
    with Judge(workers=2) as judge:
        done = 0
        marks = [1000, *(programs * k // 5 for k in range(1, 6))]
        work = itertools.cycle(problems)
        for mark in marks:
            for _ in judge.map(itertools.islice(work, max(0, mark - done))):
                done += 1
            files = len(os.listdir("/proc/self/fd"))
            print(f"| {done} | {own_mb():.1f} | {pool_mb():.1f} | {files} |", flush=True)
    print()


def main(argv: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[2] / "shared/data")
    parser.add_argument("--seconds", type=float, default=4.0, help="per measurement")
    parser.add_argument("--rounds", type=int, default=3, help="alternating repetitions")
    parser.add_argument("--programs", type=int, default=50_000, help="for memory")
    parser.add_argument("--only", default="speed,limits,hang,memory", help="which tables")
    args = parser.parse_args(argv)
    parts = args.only.split(",")
    status = sandbox_status()
    print(f"tier {status.tier} ({', '.join(status.layers)}), {len(os.sched_getaffinity(0))} cores, "
          f"load before {os.getloadavg()[0]:.1f}\n", flush=True)  # fmt: skip
    ctypes.CDLL(None)  # loaded before the first measurement
    if "limits" in parts:
        limits()
    if "speed" in parts:
        try:
            speed(args.data, args.seconds, args.rounds)
        except PeerError as e:
            sys.exit(f"error: {e}")
        print()
    if "hang" in parts:
        hang(200, 1.0)
    if "memory" in parts:
        memory(args.programs)


if __name__ == "__main__":
    main()
