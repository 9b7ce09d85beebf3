"""MicroCoder-Evaluator's front: problems and programs in, verdicts out.

One fresh isolated process per test (see evaluator.sandbox); the expected outputs stay here, in
the controller, which alone compares. A verdict says how it was reached: tier, policy and, per
test, the rule that matched.
"""

from __future__ import annotations

import os
import platform
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from evaluator import verdicts
from evaluator.compare import Policy
from evaluator.sandbox import Limits, Processes, SandboxError, Status, require, sandbox_status, tier
from evaluator.verdicts import TestResult
from pipelines.problem import Problem, Verdict

__all__ = [
    "Judge",
    "JudgeResult",
    "SandboxError",
    "Status",
    "TestResult",
    "sandbox_status",
    "tier",
]

#: LiveCodeBench's own limit. Ours counts CPU seconds, so a busy machine refuses nobody.
DEFAULT_TIME_LIMIT_S = 6.0
DEFAULT_MEMORY_LIMIT_MB = 1024
VERSION = "1"
#: No test runs longer, whatever the problem says; larger numbers overflow the kernel's clocks.
MAX_TIME_LIMIT_S = 3600.0


@dataclass(frozen=True, slots=True)
class JudgeResult:
    """The verdict on one program: that of its first test that was not accepted. `tests` are the
    tests that ran, in the problem's order; `isolate` says what a process was shared by."""

    problem_id: str
    solution_id: str
    passed: bool
    verdict: Verdict
    tests: tuple[TestResult, ...]
    tier: str
    policy: str
    tests_run: int
    isolate: str = "test"
    detail: str = ""

    def to_json(self) -> dict[str, Any]:
        """The verdict line of `microcoder judge` (DESIGN.md), with what led to it.

        >>> JudgeResult("a/b", "", False, "judge_error", (), "A", "robust", 0).to_json()["passed"]
        False
        """
        return {
            "problem_id": self.problem_id,
            "solution_id": self.solution_id,
            "passed": self.passed,
            "verdict": self.verdict,
            "tests": [t.to_json() for t in self.tests],
            "tests_run": self.tests_run,
            "tier": self.tier,
            "policy": self.policy,
            "isolate": self.isolate,
            "detail": self.detail,
            "python": platform.python_version(),
            "evaluator": VERSION,
        }


class Judge:
    """Judges programs; a context manager. `workers`: programs at a time in :meth:`map` (None: one
    a core). `all_tests`: go on after a refusal. Limits are for problems that name none: CPU
    seconds and MiB per test. `trusted`: run even where programs cannot be isolated.

    >>> with Judge(workers=2) as judge:                                      # doctest: +SKIP
    ...     judge.judge(problem, "print(input())").verdict
    'accepted'
    """

    def __init__(
        self,
        workers: int | None = None,
        policy: Policy = "robust",
        all_tests: bool = False,
        time_limit_s: float = DEFAULT_TIME_LIMIT_S,
        memory_limit_mb: int = DEFAULT_MEMORY_LIMIT_MB,
        output_limit_mb: float = 64,
        trusted: bool = False,
    ) -> None:
        if policy not in ("robust", "strict"):
            raise ValueError(f"policy: {policy!r} is not one of robust, strict")
        if workers is not None and workers < 1:
            raise ValueError(f"workers: {workers} must be at least 1")
        self.workers = workers or len(os.sched_getaffinity(0))
        self.policy: Policy = policy
        self.all_tests = all_tests
        self.time_limit_s, self.memory_limit_mb = time_limit_s, memory_limit_mb
        self.output_limit_mb = output_limit_mb
        self.tier = require(trusted)
        self._processes = Processes()
        self._pool: ThreadPoolExecutor | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> Judge:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Kill whatever runs and give the threads back. The judge cannot be used again."""
        self._processes.kill()
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=True, cancel_futures=True)

    def judge(self, problem: Problem, code: str, solution_id: str = "") -> JudgeResult:
        """The verdict on one program. Raises nothing for whatever the program does; a fault of
        the machine or of the problem is the verdict `judge_error`.

        >>> judge.judge(problem, "print(1)").passed                         # doctest: +SKIP
        False
        """
        if self._processes.closed:
            raise RuntimeError("this Judge is closed; make a new one")
        tests: list[TestResult] = []
        if not problem.tests:
            detail = "the problem has no tests: nothing was shown"
            return self._result(problem, solution_id, tests, detail)
        context = verdicts.Context.of(
            problem, code, self.policy, self._limits(problem), self.tier, self._processes
        )
        for test in problem.tests:
            tests.append(verdicts.run_test(context, test))
            if tests[-1].verdict != "accepted" and not self.all_tests:
                break
        return self._result(problem, solution_id, tests)

    def map(
        self, pairs: Iterable[tuple[Problem, str]], solution_ids: Iterable[str] | None = None
    ) -> Iterator[tuple[int, JudgeResult]]:
        """Judge (problem, code) pairs in parallel; yields (index of the pair, result) as they
        finish. Reads at most a few pairs ahead, so `pairs` may be an endless generator.

        >>> dict(judge.map([(problem, "print(1)"), (problem, "print(2)")]))  # doctest: +SKIP
        {0: JudgeResult(...), 1: JudgeResult(...)}
        """
        pool = self._threads()
        names = iter(solution_ids) if solution_ids is not None else None
        waiting: dict[Future[JudgeResult], int] = {}
        source = enumerate(pairs)
        try:
            more = True
            while more or waiting:
                while more and len(waiting) < 2 * self.workers:
                    at, pair = next(source, (-1, None))
                    if pair is None:
                        more = False
                        break
                    name = next(names, "") if names is not None else ""
                    waiting[pool.submit(self.judge, pair[0], pair[1], name)] = at
                if waiting:
                    done, _ = wait(waiting, return_when=FIRST_COMPLETED)
                    for future in sorted(done, key=waiting.__getitem__):
                        yield waiting.pop(future), future.result()
        finally:
            for future in waiting:
                future.cancel()

    def _threads(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._processes.closed:
                raise RuntimeError("this Judge is closed; make a new one")
            if self._pool is None:
                self._pool = ThreadPoolExecutor(self.workers, "judge")
            return self._pool

    def _limits(self, problem: Problem) -> Limits:
        return Limits(
            cpu_s=min(problem.time_limit_s or self.time_limit_s, MAX_TIME_LIMIT_S),
            memory_mb=problem.memory_limit_mb or self.memory_limit_mb,
            output_mb=self.output_limit_mb,
        )

    def _result(
        self, problem: Problem, solution_id: str, tests: list[TestResult], detail: str = ""
    ) -> JudgeResult:
        refused = [t for t in tests if t.verdict != "accepted"]
        # a program that certainly failed one test failed, whatever the machine did in another
        certain = [t for t in refused if t.verdict != "judge_error"]
        first = next(iter(certain or refused), None)
        verdict: Verdict = first.verdict if first else "accepted" if tests else "judge_error"
        return JudgeResult(
            problem_id=problem.id,
            solution_id=solution_id,
            passed=verdict == "accepted",
            verdict=verdict,
            tests=tuple(tests),
            tier=self.tier,
            policy=self.policy,
            tests_run=len(tests),
            detail=detail or (first.detail if first else ""),
        )
