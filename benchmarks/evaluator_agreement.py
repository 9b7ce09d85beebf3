"""Verdicts of our evaluator and of LiveCodeBench's on the same programs and tests, as Markdown.

    pip install --no-deps nvidia-livecodebench
    python benchmarks/evaluator_agreement.py --data ../shared/data

Truth: an AtCoder program that LiveCodeBench graded true on the full tests must pass every sample
(of one graded false the samples say nothing: there the two are only compared); a reference of
LeetCodeDataset (the tests of its `test` field: those never expect the text of an error), HumanEval
or MBPP must pass; a case says its own. Tests that are assert statements are left out, for
LiveCodeBench has no such thing, and so are the cases written to attack an evaluator: it is not a
sandbox. CRLF in the AtCoder samples becomes LF for both. "With a checker" are pairs whose
tests allow a tolerance, which LiveCodeBench cannot be told.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from lcb_peer import Peer, PeerError

from evaluator import Judge
from pipelines.problem import Checker, Problem, TestCase
from pipelines.sources import humaneval, leetcode_dataset, livecodebench, mbpp

SHARED = Path(__file__).resolve().parents[2] / "shared"
#: Of the case file: they attack the evaluator.
HOSTILE = re.compile(r"h-|f-(kill-worker|atexit-forge|patch-json|hang-in-repr)$")
#: For the one case with "custom: one digit that is not a+b".
VALIDATOR = """
import sys
a, b = map(int, open(sys.argv[1]).read().split())
got = sys.stdin.read().split()
sys.exit(42 if len(got) == 1 and got[0].isdigit() and int(got[0]) != a + b else 43)
"""
#: Programs for one call of the peer. Its pool is new in every call.
PART = 100


@dataclass(frozen=True, slots=True)
class Item:
    """A program with what it must get: True, False, None for unknown, or either."""

    group: str
    problem: Problem
    code: str
    truth: bool | None
    either: bool = False


@dataclass(slots=True)
class Count:
    """One row of the table. The faults are (problem id, what we said of it)."""

    n: int = 0
    both_right: int = 0
    both_wrong: list[tuple[str, str]] = field(default_factory=list)
    only_they_wrong: list[tuple[str, str]] = field(default_factory=list)
    only_we_wrong: list[tuple[str, str]] = field(default_factory=list)

    def add(self, item: Item, we: bool, they: bool, detail: str) -> None:
        """Count an item, of known truth, by whether each of the two passed it."""
        wrong = [not item.either and passed is not item.truth for passed in (we, they)]
        self.n += 1
        told = (item.problem.id, detail)
        if wrong == [True, True]:
            self.both_wrong.append(told)
        elif wrong == [True, False]:
            self.only_we_wrong.append(told)
        elif wrong == [False, True]:
            self.only_they_wrong.append(told)
        else:
            self.both_right += 1


def atcoder(path: Path) -> Iterator[Item]:
    """The programs of atcoder_samples, with truth where the samples give it."""
    for row in livecodebench.read(path):
        if isinstance(row, Problem):
            tests = tuple(
                replace(
                    t, input=t.input.replace("\r\n", "\n"), output=t.output.replace("\r\n", "\n")
                )
                for t in row.tests
            )
            for s in row.solutions:
                right = s.expected == "accepted"
                group = "AtCoder, graded true" if right else "AtCoder, graded false"
                yield Item(group, replace(row, tests=tests), s.code, True if right else None)


def references(group: str, rows: Iterable[Any], limit: int | None = None) -> Iterator[Item]:
    """The reference solutions of rows whose tests are input/output pairs."""
    n = 0
    for row in rows:
        if not isinstance(row, Problem) or row.checker.kind == "asserts" or not row.tests:
            continue
        if limit is not None and n >= limit:
            return
        n += 1
        name = group if row.checker == Checker() else "References with a checker"
        yield from (Item(name, row, s.code, True) for s in row.solutions)


def cases(path: Path) -> Iterator[Item]:
    """The case file's programs that may run without a sandbox."""
    for line in path.read_text("utf-8").splitlines():
        case = json.loads(line)
        if HOSTILE.match(case["id"]):
            continue
        checker = Checker()
        if case.get("checker", "").startswith("unordered"):
            checker = Checker("unordered")
        elif case.get("checker"):
            checker = Checker("program", source=VALIDATOR)
        problem = Problem(
            id=f"cases/{case['id']}",
            fn_name=case.get("fn_name"),
            tests=tuple(TestCase(t["input"], t["output"]) for t in case["tests"]),
            checker=checker,
            time_limit_s=case.get("time_limit_s"),
            memory_limit_mb=case.get("memory_limit_mb"),
        )
        allowed = set(case["expected_verdict"].split("|"))
        right = "accepted" in allowed
        group = f"Cases, {'right' if right else 'wrong'} programs"
        yield Item(group, problem, case["code"], right, right and len(allowed) > 1)


def load(args: argparse.Namespace) -> list[Item]:
    """All items whose files are here; says what is not."""
    leetcode = args.data / "leetcode_dataset"
    sources: list[tuple[Path, Callable[[Path], Iterator[Item]]]] = [
        (args.data / "livecodebench/atcoder_samples_o1_mini.jsonl.gz", atcoder),
        (
            leetcode / "v0.3.1-test.jsonl.gz",
            lambda p: references("LeetCodeDataset v0.3.1-test", leetcode_dataset.read(p)),
        ),
        (
            leetcode / "v0.2.0-train.jsonl.gz",
            lambda p: references(
                "LeetCodeDataset v0.2.0-train", leetcode_dataset.read(p), args.train
            ),
        ),
        (
            args.data / "humaneval/HumanEval.jsonl.gz",
            lambda p: references("HumanEval", humaneval.read(p)),
        ),
        (args.data / "mbpp/mbpp.jsonl.gz", lambda p: references("MBPP", mbpp.read(p))),
        (args.cases, cases),
    ]
    items: list[Item] = []
    for path, read in sources:
        if path.exists():
            items += read(path)
        else:
            say(f"{path}: not here, left out")
    return items


def by_ours(items: Sequence[Item], workers: int) -> list[tuple[bool, str]]:
    """Our verdicts: passed, and why not."""
    found: dict[int, tuple[bool, str]] = {}
    with Judge(workers=workers) as judge:
        for i, result in judge.map([(item.problem, item.code) for item in items]):
            last = result.tests[-1].detail if result.tests else result.detail
            where = f"test {result.tests_run}: {result.verdict}. {last}"
            found[i] = (result.passed, "" if result.passed else where)
            if len(found) % 200 == 0:
                say(f"ours: {len(found)} of {len(items)}")
    return [found[i] for i in range(len(items))]


def by_theirs(items: Sequence[Item], workers: int) -> list[bool]:
    """Their verdicts. The cases go one at a time: one that brings the pool down, or hangs it,
    fails alone."""
    found: dict[int, bool] = {}
    with Peer() as peer:
        many = [i for i, item in enumerate(items) if item.problem.source != "cases"]
        for start in range(0, len(many), PART):
            part = many[start : start + PART]
            pairs = [(items[i].problem, items[i].code) for i in part]
            found.update(zip(part, peer.judge_all(pairs, workers), strict=True))
            say(f"LiveCodeBench: {len(found)} of {len(items)}")
        for i, item in enumerate(items):
            if item.problem.source == "cases":
                limit = int(item.problem.time_limit_s or 6)
                try:
                    (found[i],) = peer.judge_all([(item.problem, item.code)], 1, limit, within=60)
                except PeerError as e:
                    say(f"LiveCodeBench on {item.problem.id}: {e}")
                    found[i] = False
    return [found[i] for i in range(len(items))]


def report(items: Sequence[Item], ours: Sequence[tuple[bool, str]], theirs: Sequence[bool]) -> str:
    """Markdown for docs/results.md."""
    counts: dict[str, Count] = {}
    unknown: dict[str, Counter[tuple[bool, bool]]] = {}
    differ: list[str] = []
    for item, (we, detail), they in zip(items, ours, theirs, strict=True):
        if item.truth is None:
            unknown.setdefault(item.group, Counter())[we, they] += 1
            if we is not they:
                differ.append(f"- {item.problem.id}: {detail or 'only we accept it'}")
        else:
            counts.setdefault(item.group, Count()).add(item, we, they, detail)
    lines = [
        "| programs | n | both right | both wrong | only LiveCodeBench wrong | only we wrong |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for group, c in counts.items():
        lines.append(
            f"| {group} | {c.n} | {c.both_right} | {len(c.both_wrong)} "
            f"| {len(c.only_they_wrong)} | {len(c.only_we_wrong)} |"
        )
    for group, seen in unknown.items():
        lines += [
            "",
            f"{group} ({seen.total()}; the samples do not say who is right): both pass "
            f"{seen[True, True]}, both refuse {seen[False, False]}, only we pass "
            f"{seen[True, False]}, only LiveCodeBench passes {seen[False, True]}.",
            "",
            *differ,
        ]
    for title, name in (("Only we are wrong", "only_we_wrong"), ("Both are wrong", "both_wrong")):
        told = [
            f"- {problem} ({group}): {detail or 'accepted'}"
            for group, c in counts.items()
            for problem, detail in getattr(c, name)
        ]
        lines += ["", f"{title}:", "", *(told or ["- none"])]
    lines += ["", "Only LiveCodeBench is wrong:", ""]
    for group, c in counts.items():
        if c.only_they_wrong:
            lines.append(f"- {group}: {', '.join(problem for problem, _ in c.only_they_wrong)}")
    return "\n".join(lines)


def say(message: str) -> None:
    """Progress, apart from the Markdown."""
    print(message, file=sys.stderr, flush=True)


def main() -> None:
    """Parse the arguments, judge twice, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=SHARED / "data", help="folder of real data")
    parser.add_argument(
        "--cases", type=Path, default=SHARED / "evaluator-cases.jsonl", help="the case file"
    )
    parser.add_argument(
        "--train", type=int, default=300, help="rows of v0.2.0-train to take (default 300)"
    )
    parser.add_argument("--workers", type=int, default=2, help="processes of each (default 2)")
    args = parser.parse_args()
    items = load(args)
    say(f"{len(items)} programs")
    started = time.perf_counter()
    ours = by_ours(items, args.workers)
    between = time.perf_counter()
    theirs = by_theirs(items, args.workers)
    ended = time.perf_counter()
    print(report(items, ours, theirs))
    print(
        f"\nPython {platform.python_version()}, {args.workers} workers each; ours took "
        f"{between - started:.0f} s, LiveCodeBench {ended - between:.0f} s (evaluator_speed.py "
        "measures speed)."
    )


if __name__ == "__main__":
    main()
