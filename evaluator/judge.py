"""MicroCoder-Evaluator's front: problems and programs in, verdicts out.

Programs run in isolated child processes (see evaluator.sandbox); the expected outputs stay here,
in the controller, which alone compares. A verdict says how it was reached: tier, policy and, per
test, the rule that matched.
"""

from __future__ import annotations

import asyncio
import os
import platform
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, Literal, get_args

from evaluator import verdicts
from evaluator.compare import Policy
from evaluator.endings import TestResult
from evaluator.layout import Tier
from evaluator.room import Limits
from evaluator.sandbox import (
    OVERCOMMIT,
    Rooms,
    SandboxError,
    Status,
    require,
    sandbox_status,
    tier,
)
from evaluator.verdicts import Isolate
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
VERSION = "2"
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
    isolate: str = "solution"
    detail: str = ""

    def to_json(self) -> dict[str, Any]:
        """The verdict line of `microcoder judge` (docs/formats.md), with what led to it.

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
    """Judges programs; a context manager. `workers`: programs that compute at a time in
    :meth:`map` (None: one a core). `all_tests`: go on after a refusal; `stop_at_time_limit`: but
    not after one at the time limit, for a program that loops for ever mostly does so in every
    test. `isolate`: "solution" runs the tests of a program in one process where it can, and a
    refusal again in one of its own; "test" gives each its own. `order`: "cheapest" runs tests with
    short inputs first (results keep the problem's order). Limits are for problems that name none:
    CPU seconds and MiB per test. `weakest_tier`: the least isolation to accept (see
    evaluator.sandbox); SandboxError when the machine offers less.

    >>> with Judge(workers=2) as judge:                                      # doctest: +SKIP
    ...     judge.judge(problem, "print(input())").verdict
    'accepted'
    """

    def __init__(
        self,
        workers: int | None = None,
        policy: Policy = "robust",
        all_tests: bool = False,
        stop_at_time_limit: bool = False,
        isolate: Isolate = "solution",
        order: Literal["given", "cheapest"] = "given",
        time_limit_s: float = DEFAULT_TIME_LIMIT_S,
        memory_limit_mb: int = DEFAULT_MEMORY_LIMIT_MB,
        output_limit_mb: float = 64,
        weakest_tier: Tier = "A",
    ) -> None:
        _one_of("policy", policy, get_args(Policy))
        _one_of("isolate", isolate, get_args(Isolate))
        _one_of("order", order, ("given", "cheapest"))
        _one_of("weakest_tier", weakest_tier, get_args(Tier))
        if workers is not None:
            _at_least("workers", workers, 1)
        _over_zero("time_limit_s", time_limit_s)
        _at_least("memory_limit_mb", memory_limit_mb, 1)
        _over_zero("output_limit_mb", output_limit_mb)
        self.workers = workers or len(os.sched_getaffinity(0))
        self.policy: Policy = policy
        self.all_tests, self.stop_at_time_limit = all_tests, stop_at_time_limit
        self.isolate, self.order = isolate, order
        self.time_limit_s, self.memory_limit_mb = time_limit_s, memory_limit_mb
        self.output_limit_mb = output_limit_mb
        self.tier = require(weakest_tier)
        self._rooms = Rooms(self.tier, self.workers)
        self._pool: ThreadPoolExecutor | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> Judge:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    async def __aenter__(self) -> Judge:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await asyncio.get_running_loop().run_in_executor(None, self.close)

    def close(self) -> None:
        """Kill whatever runs and give the threads back. The judge cannot be used again."""
        self._rooms.kill()
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=True, cancel_futures=True)

    def judge(
        self,
        problem: Problem,
        code: str,
        solution_id: str = "",
        cancelled: Callable[[], bool] = lambda: False,
    ) -> JudgeResult:
        """The verdict on one program. Raises nothing for whatever the program does; a fault of
        the machine or of the problem is the verdict `judge_error`. Once `cancelled` says so, the
        program is killed and no other process is started. TypeError when `problem` is no
        :class:`Problem` or `code` no text, RuntimeError when the judge is closed.

        >>> judge.judge(problem, "print(1)").passed                         # doctest: +SKIP
        False
        """
        if self._rooms.closed:
            raise RuntimeError("this Judge is closed; make a new one")
        _check_pair(problem, code)
        if not problem.tests:
            detail = "the problem has no tests: nothing was shown"
            return self._result(problem, solution_id, [], detail)
        try:
            context = verdicts.Context.of(
                *(problem, code, self.policy, self._limits(problem)),
                *(self._rooms, self.isolate, cancelled),
            )
        except Exception as e:
            detail = f"{type(e).__name__} in the evaluator: {e}"[:500]
            return self._result(problem, solution_id, [], detail)
        order = list(range(len(problem.tests)))
        if self.order == "cheapest":
            order.sort(key=lambda i: len(problem.tests[i].input))
        found: dict[int, TestResult] = {}
        results = verdicts.run_tests(context, [problem.tests[i] for i in order])
        for at, result in zip(order, results, strict=False):
            found[at] = result
            if self._enough(result) or cancelled():
                break
        detail = "cancelled" if cancelled() and len(found) < len(order) else ""
        return self._result(problem, solution_id, [found[i] for i in sorted(found)], detail)

    def map(
        self, pairs: Iterable[tuple[Problem, str]], solution_ids: Iterable[str] | None = None
    ) -> Iterator[tuple[int, JudgeResult]]:
        """Judge (problem, code) pairs in parallel; yields (index of the pair, result) as they
        finish. Reads at most a few pairs ahead, so `pairs` may be an endless generator. Leaving
        the loop kills what runs.

        >>> dict(judge.map([(problem, "print(1)"), (problem, "print(2)")]))  # doctest: +SKIP
        {0: JudgeResult(...), 1: JudgeResult(...)}
        """
        names = iter(solution_ids) if solution_ids is not None else None
        source = enumerate(pairs)
        waiting: dict[Future[JudgeResult], int] = {}
        done: SimpleQueue[Future[JudgeResult]] = SimpleQueue()
        stop = threading.Event()
        try:
            more = True
            while more or waiting:
                while more and len(waiting) < self.look_ahead:
                    at, pair = next(source, (-1, _NO_PAIR))
                    if pair is _NO_PAIR:
                        more = False
                        break
                    problem, code = _pair(at, pair)
                    name = next(names, "") if names is not None else ""
                    future = self._submit(problem, code, name, stop)
                    waiting[future] = at
                    future.add_done_callback(done.put)
                if waiting:
                    future = done.get()
                    yield waiting.pop(future), future.result()
        finally:
            stop.set()
            for future in waiting:
                future.cancel()

    @property
    def look_ahead(self) -> int:
        """How many programs :meth:`map` holds at a time."""
        return (OVERCOMMIT + 2) * self.workers

    async def ajudge(self, problem: Problem, code: str, solution_id: str = "") -> JudgeResult:
        """:meth:`judge` for asyncio; cancelling the task kills the program.

        >>> await judge.ajudge(problem, "print(1)")                         # doctest: +SKIP
        JudgeResult(...)
        """
        stop = threading.Event()
        try:
            return await asyncio.wrap_future(self._submit(problem, code, solution_id, stop))
        finally:
            stop.set()

    async def amap(
        self, pairs: Iterable[tuple[Problem, str]], solution_ids: Iterable[str] | None = None
    ) -> AsyncIterator[tuple[int, JudgeResult]]:
        """:meth:`map` for asyncio: `async for index, result in judge.amap(pairs)`.

        >>> [r async for r in judge.amap([(problem, "print(1)")])]          # doctest: +SKIP
        [(0, JudgeResult(...))]
        """
        loop = asyncio.get_running_loop()
        results = self.map(pairs, solution_ids)
        try:
            while (item := await loop.run_in_executor(None, next, results, None)) is not None:
                yield item
        finally:
            # after a cancelled `next` its thread still runs the generator: let it finish first
            await asyncio.shield(loop.run_in_executor(None, _close_when_free, results))

    def _submit(
        self, problem: Problem, code: str, name: str, stop: threading.Event
    ) -> Future[JudgeResult]:
        with self._lock:
            if self._rooms.closed:
                raise RuntimeError("this Judge is closed; make a new one")
            if self._pool is None:
                threads = OVERCOMMIT * self.workers
                self._pool = ThreadPoolExecutor(threads, "judge")
            return self._pool.submit(self.judge, problem, code, name, stop.is_set)

    def _enough(self, result: TestResult) -> bool:
        """Whether a program's further tests are left out."""
        if result.verdict == "accepted":
            return False
        if not self.all_tests:
            return True
        return self.stop_at_time_limit and result.verdict == "time_limit"

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
        verdict: Verdict = first.verdict if first else "judge_error" if detail else "accepted"
        return JudgeResult(
            problem_id=problem.id,
            solution_id=solution_id,
            passed=verdict == "accepted",
            verdict=verdict,
            tests=tuple(tests),
            tier=self.tier,
            policy=self.policy,
            tests_run=len(tests),
            isolate=self.isolate,
            detail=detail or (first.detail if first else ""),
        )


def _one_of(name: str, value: object, allowed: tuple[Any, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{name}: {value!r} is not one of {', '.join(allowed)}")


def _at_least(name: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(f"{name}: {value!r} is not a whole number of at least {least}")


def _over_zero(name: str, value: object) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 < value < float("inf"):  # type: ignore[operator]
        raise ValueError(f"{name}: {value!r} is not a number over 0")


#: What `map` takes for the end of its pairs.
_NO_PAIR: Any = object()


def _pair(at: int, pair: object) -> tuple[Problem, str]:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise TypeError(f"pairs[{at}]: expected (problem, code), found {type(pair).__name__}")
    try:
        _check_pair(*pair)
    except TypeError as e:
        raise TypeError(f"pairs[{at}]: {e}") from None
    return pair[0], pair[1]


def _check_pair(problem: object, code: object) -> None:
    if not isinstance(problem, Problem):
        raise TypeError(
            f"problem: expected pipelines.problem.Problem, found {type(problem).__name__}; "
            "pipelines.formats.problem_from_json makes one of a dict"
        )
    if not isinstance(code, str):
        raise TypeError(f"code: expected text (str), found {type(code).__name__}")


def _close_when_free(results: Iterator[Any]) -> None:
    for _ in range(10_000):
        try:
            results.close()  # type: ignore[attr-defined]
            return
        except ValueError:  # the generator is running
            time.sleep(0.01)
