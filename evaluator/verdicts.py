"""The tests of one program: run them in the sandbox, read how each ended, compare.

Several tests share a child where nothing forbids it (evaluator.child). What such a child says for
a test is believed when it is right, since it equals bytes that the child never saw. A refusal
counts only when the program met the test in a fresh process: either nothing ran before and after
it there, or the test is run again, alone.
"""

from __future__ import annotations

import functools
import json
import math
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from evaluator import asserts, blame, inputs, records
from evaluator.apps import compare_values_apps
from evaluator.compare import Match, Policy, compare_text, has_reals
from evaluator.endings import (
    CLOSED,
    TROUBLE,
    TestResult,
    failed,
    failure,
    judge_error,
    last_line,
    matched,
    payload_text,
    time_limit,
)
from evaluator.records import Note, Record
from evaluator.room import Job, Limits, Run
from evaluator.sandbox import Rooms
from evaluator.values_match import compare_values, decode
from pipelines.problem import Problem, TestCase

#: What shares a process: all tests of one solution, as far as they can, or nothing.
Isolate = Literal["solution", "test"]
_NONCE_BYTES = 16
#: Of a checker program: what Kattis gives its validators, more or less.
_CHECKER_LIMITS = Limits(cpu_s=20, memory_mb=1024, output_mb=8)
_ACCEPT, _REFUSE = 42, 43
#: The checker, whose message for the judge is the last that it says.
_CHECKER = """\
import atexit as _atexit, sys as _sys
def _say():
    try:
        with open("feedback/judgemessage.txt", errors="replace") as f:
            text = " ".join(f.read(2000).split())
    except OSError:
        return
    if text:
        print(text, file=_sys.stderr)
_atexit.register(_say)
exec(compile({source!r}, "validate.py", "exec"), globals())
"""
#: CPU seconds after which a child takes no further test: a program that fails its first test has
#: wasted no more on the others. Each further child of the program gets twice as much.
_FIRST_SLICE_S = 0.02
#: Tests that share a child, and the bytes of their inputs.
_MOST_TESTS, _MOST_BYTES = 200, 8_000_000
#: Characters of an argument or result that is worth remembering once read.
_SHORT = 500
_NUMPY = (b"numpy", b"scipy", b"pandas")


@dataclass(frozen=True, slots=True)
class Context:
    """What the tests of one program have in common."""

    problem: Problem
    code: bytes
    policy: Policy
    limits: Limits
    rooms: Rooms
    isolate: Isolate
    real_valued: bool
    room_kind: str
    hints: dict[str, str] = field(default_factory=dict)
    cancelled: Callable[[], bool] = lambda: False

    @staticmethod
    def of(
        problem: Problem,
        code: str,
        policy: Policy,
        limits: Limits,
        rooms: Rooms,
        isolate: Isolate,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Context:
        """Reads what the comparison wants to know of the whole problem."""
        named = problem.fn_name
        source = code.encode("utf-8", "surrogatepass")
        text = source + problem.prelude.encode("utf-8", "surrogatepass")
        return Context(
            problem=problem,
            code=source,
            policy=policy,
            limits=limits,
            rooms=rooms,
            isolate=isolate,
            cancelled=cancelled,
            real_valued=not named and _real_valued(problem.tests),
            room_kind="numpy" if any(name in text for name in _NUMPY) else "plain",
            hints=_hints(problem.starter_code, named) if named else {},
        )

    @property
    def plain_values(self) -> bool:
        """Whether equal values are accepted, whatever else is."""
        return self.policy == "robust" and self.problem.checker.kind == "default"

    @property
    def asserts(self) -> bool:
        """Whether the tests are assert statements, run beside the program."""
        return self.problem.checker.kind == "asserts"

    def run(self, job: Job, limits: Limits | None = None, kind: str | None = None) -> Run:
        """Run a job; once more when the host, not the program, was the trouble."""
        return self.run_each(job, limits, kind)[0]

    def run_each(
        self, job: Job, limits: Limits | None = None, kind: str | None = None
    ) -> list[Run]:
        """The same for a job with a process for each test. A compiler that brings a room down
        does it to the program's own process the second time."""
        for attempt in (1, 2):
            try:
                runs = self.rooms.run(
                    job if attempt == 1 else replace(job, careful=True),
                    limits or self.limits,
                    kind or self.room_kind,
                    self.cancelled,
                )
            except OSError as e:
                runs = [Run("setup", detail=f"could not start a process: {e}")]
            if self.rooms.closed or self.cancelled():
                return [Run("lost", detail=CLOSED)]
            if runs[0].reason not in TROUBLE or attempt == 2:
                return runs
        raise AssertionError


_hints = functools.lru_cache(1000)(inputs.signature_hints)


def _real_valued(tests: Sequence[TestCase]) -> bool:
    return any("." in t.output and has_reals(t.output) for t in tests)


class _Finding(NamedTuple):
    """A test's result, and whether the test had a fresh process to itself."""

    result: TestResult
    alone: bool


def run_tests(context: Context, tests: Sequence[TestCase]) -> Iterator[TestResult]:
    """The result of each test in turn; the caller stops where it has seen enough. Our own bug on
    one odd row is that row's `judge_error`, not the end of a run over millions.

    >>> next(run_tests(context, [TestCase("1 2\\n", "3\\n")])).verdict       # doctest: +SKIP
    'accepted'
    """
    at, slice_s, batched = 0, _FIRST_SLICE_S, context.isolate == "solution"
    while at < len(tests):
        try:
            some = tests[at : at + _batch_size(tests, at)]
            findings = (_run_batch if batched else _run_alone)(context, some, slice_s)
            for finding in findings:
                result = finding.result
                if result.verdict != "accepted" and not finding.alone:
                    result = _run_alone(context, tests[at : at + 1], slice_s)[0].result
                    # the batch was at fault: this program leaves something behind
                    batched = batched and result.verdict != "accepted"
                if result.verdict in ("wrong_answer", "runtime_error"):
                    result = _blamed(context, tests[at], result)
                at += 1
                yield result
        except Exception as e:
            at += 1
            yield judge_error(f"{type(e).__name__} in the evaluator: {e}"[:500])
        slice_s = min(2 * slice_s, context.limits.cpu_s / 2)


def _blamed(context: Context, test: TestCase, result: TestResult) -> TestResult:
    """The refusal, or a judge_error when no program could pass the test."""
    why = blame.fault(context.problem, test, result.detail)
    return judge_error(f"{blame.place(context.problem, test)}: {why}") if why else result


def _batch_size(tests: Sequence[TestCase], at: int) -> int:
    """How many tests from `at` on share a child: at least one."""
    size = total = 0
    for test in tests[at : at + _MOST_TESTS]:
        total += len(test.input)
        if size and total > _MOST_BYTES:
            break
        size += 1
    return size


def _run_alone(context: Context, tests: Sequence[TestCase], slice_s: float) -> list[_Finding]:
    """Findings on the first tests of these, at least one; a process for each test."""
    job = _job(context, tests, slice_s)
    if isinstance(job, TestResult):
        return [_Finding(job, True)] if len(tests) == 1 else _run_alone(context, tests[:1], slice_s)
    out: list[_Finding] = []
    for test, run in zip(tests, context.run_each(replace(job, each=True)), strict=False):
        if run.reason in TROUBLE and out:
            break  # the next call begins with this test
        out += _findings(context, [test], run, job.nonce)
    return out


def _run_batch(context: Context, tests: Sequence[TestCase], slice_s: float) -> list[_Finding]:
    """Findings on the first tests of these, at least one; one process for all."""
    job = _job(context, tests, slice_s)
    if isinstance(job, TestResult):
        return [_Finding(job, True)] if len(tests) == 1 else _run_batch(context, tests[:1], slice_s)
    return _findings(context, tests, context.run(job), job.nonce)


def _job(context: Context, tests: Sequence[TestCase], slice_s: float) -> Job | TestResult:
    """The job of these tests; a judge_error when one of them can't be read."""
    problem = context.problem
    if not problem.fn_name:
        if context.asserts:
            return judge_error(
                "checker 'asserts' needs fn_name: the function to bind to `candidate`"
            )
        return _stdin_job(context, tests, slice_s)
    try:
        return _function_job(context, tests, slice_s)
    except inputs.InputError as e:
        return judge_error(f"{blame.place(problem, tests[0])}: {e}")


def _findings(
    context: Context, tests: Sequence[TestCase], run: Run, nonce: bytes
) -> list[_Finding]:
    """What one process says of the tests that it was given, at least of the first."""
    if run.reason in TROUBLE:
        return [_Finding(failure(run, context.limits) or judge_error(run.detail), True)]
    if len(tests) > 1 and run.memory_mb > context.limits.memory_mb:
        return _run_alone(context, tests[:1], 0.0)  # whose memory it was is not known
    note = records.parse(run.note, nonce, len(tests))
    if note.stopped and (run.reason, run.exit_code) != ("end", 0):
        return _run_alone(context, tests[:1], 0.0)  # no child of ours stops like that
    if note.records and note.records[0].kind == "C":
        return [_Finding(failed(run, "compile_error", payload_text(note.records[0].payload)), True)]
    read = _function_findings if context.problem.fn_name else _stdin_findings
    return read(context, tests, run, note)


# -- programs that read and print -----------------------------------------------------------------


def _stdin_job(context: Context, tests: Sequence[TestCase], slice_s: float) -> Job:
    def text(test: TestCase) -> bytes:
        # Linux's Python hands "\r" on; contest tests have none
        lines = test.input.replace("\r\n", "\n") if context.policy == "robust" else test.input
        return lines.encode("utf-8", "surrogatepass")

    first, *more = map(text, tests)
    nonce = secrets.token_bytes(_NONCE_BYTES)
    return Job(context.code, first, tuple(more), nonce=nonce, slice_s=slice_s)


def _stdin_findings(
    context: Context, tests: Sequence[TestCase], run: Run, note: Note
) -> list[_Finding]:
    out: list[_Finding] = []
    begin, stdout, used = 0, run.stdout, 0.0
    ended = note.ended if note.stopped else min(note.ended, len(tests) - 1)
    for test, record in zip(tests, note.records[:ended], strict=False):
        end = max(begin, record.output_end)
        result = _printed(context, test, record.seconds, run.memory_mb, stdout[begin:end])
        out.append(_Finding(result, note.stopped and ended == 1))
        begin, used = end, used + record.seconds
    if not note.stopped:  # the process ended in the test after those
        cpu_s = max(0.0, run.cpu_s - used)
        one = replace(run, cpu_s=cpu_s) if out else run
        result = failure(one, context.limits) or _printed(
            context, tests[ended], cpu_s, run.memory_mb, stdout[begin:]
        )
        out.append(_Finding(result, _alone(tests, run, note, known=False) and not out))
    return out


def _printed(
    context: Context, test: TestCase, cpu_s: float, memory_mb: float, output: bytes
) -> TestResult:
    """A test that ended well, by what it printed."""
    if cpu_s > context.limits.cpu_s:
        return time_limit(Run("cpu", cpu_s=cpu_s, memory_mb=memory_mb), context.limits)
    checker = context.problem.checker
    if checker.kind == "program":
        return _with_checker(context, test, cpu_s, memory_mb, output)
    got = output.decode("utf-8", "replace")
    if got == test.output:
        return TestResult("accepted", cpu_s, memory_mb, "exact")
    match = compare_text(test.output, got, checker, context.policy, context.real_valued)
    return matched(cpu_s, memory_mb, match)


def _alone(tests: Sequence[TestCase], run: Run, note: Note, known: bool) -> bool:
    """Whether the test in which the process ended is to blame for it. An exit may be ours, between
    two tests; unless it is known to have been in this one, it is seen again, alone."""
    return note.whole and (known or len(tests) == 1 or run.reason != "end")


# -- functions ------------------------------------------------------------------------------------


def _function_job(context: Context, tests: Sequence[TestCase], slice_s: float) -> Job:
    problem = context.problem
    name = problem.fn_name or ""
    if context.asserts:
        read: tuple[Any, ...] = tuple(asserts.read(test.input, name) for test in tests)
    else:
        read = tuple(_readings(test.input) for test in tests)
    return Job(
        context.code,
        kind="asserts" if context.asserts else "function",
        tests=read,
        extra={"fn_name": problem.fn_name, "hints": context.hints},
        prelude=problem.prelude.encode("utf-8", "surrogatepass"),
        nonce=secrets.token_bytes(_NONCE_BYTES),
        slice_s=slice_s,
    )


def _readings(text: str) -> list[inputs.Reading]:
    return _short_readings(text) if len(text) <= _SHORT else inputs.readings(text)


def _expected(text: str) -> Any:
    return _short_expected(text) if len(text) <= _SHORT else inputs.parse_expected(text)


# A group of rollouts meets the same tests again and again. What is read is not changed by anybody.
_short_readings = functools.lru_cache(20_000)(inputs.readings)
_short_expected = functools.lru_cache(20_000)(inputs.parse_expected)


@functools.lru_cache(20_000)
def _short_canonical(text: str) -> bytes:
    """The expected value as :mod:`evaluator.values` would write it; b"" when JSON has no such
    value (a worker's text is never empty)."""
    try:
        value = inputs.parse_expected(text)
        return json.dumps(value, separators=(",", ":")).encode() if _is_json(value) else b""
    except (TypeError, ValueError, RecursionError):
        return b""


def _is_json(value: Any) -> bool:
    """Whether it reads back as the same: no tuples or sets, no keys but text, no long integer."""
    if isinstance(value, list):
        return all(map(_is_json, value))
    if type(value) is dict:
        return all(type(k) is str and not k.startswith("$") for k in value) and all(
            map(_is_json, value.values())
        )
    return (
        value is None
        or type(value) in (int, bool, str)
        or (type(value) is float and math.isfinite(value))
    )


def _function_findings(
    context: Context, tests: Sequence[TestCase], run: Run, note: Note
) -> list[_Finding]:
    out: list[_Finding] = []
    used = 0.0
    ended = note.ended if note.stopped else min(note.ended, len(tests) - 1)
    for test, report in zip(tests, note.records[:ended], strict=False):
        alone = note.stopped and ended == 1
        result = _returned(context, test, report, run.memory_mb)
        if result is None:
            one = Run("end", cpu_s=report.seconds, memory_mb=run.memory_mb)
            result = _reported(context, test, one, report)
        out.append(_Finding(result, alone))
        used += report.seconds
    if not note.stopped:  # the process ended in the test after those
        one = replace(run, cpu_s=max(0.0, run.cpu_s - used)) if out else run
        last = note.records[ended] if len(note.records) > ended else None
        result = _reported(context, tests[ended], one, last)
        known = last is not None
        out.append(_Finding(result, _alone(tests, run, note, known) and not out))
    return out


def _returned(
    context: Context, test: TestCase, report: Record, memory_mb: float
) -> TestResult | None:
    """The plain case, in a fraction of the time: a result written as the expected one would be."""
    if report.kind != "V" or report.seconds > context.limits.cpu_s or not context.plain_values:
        return None
    if len(test.output) > _SHORT or report.payload != _short_canonical(test.output):
        return None
    return TestResult("accepted", report.seconds, memory_mb, "value")


def _reported(context: Context, test: TestCase, run: Run, report: Record | None) -> TestResult:
    """A test of a function, by what its child reported and how it ended."""
    limits, problem = context.limits, context.problem
    if report is None:
        ended = replace(run, reason="end", exit_code=0)
        missing = failed(ended, "runtime_error", "the program ended before its result was read")
        return failure(run, limits) or missing
    kind, payload = report.kind, report.payload
    if kind == "P" and _prelude_fails(context):
        return judge_error(f"the problem's prelude failed: {payload_text(payload)}")
    if kind in "PT":
        return failure(replace(run, exit_code=0), limits) or failed(
            run, "runtime_error", "the program wrote into its own report"
        )
    if kind == "A" and run.reason == "end":
        return failed(run, "wrong_answer", payload_text(payload))
    if lost := failure(run, limits):
        return lost
    if kind == "D" and context.asserts:
        return matched(run.cpu_s, run.memory_mb, Match(True, "asserts"))
    if kind != "V":  # an exception, SystemExit(0) too
        return failed(run, "runtime_error", payload_text(payload))
    try:
        got = decode(payload)
    except (ValueError, RecursionError) as e:
        return failed(run, "runtime_error", f"the result cannot be read: {e}")
    if problem.checker.kind == "program":
        return _with_checker(context, test, run.cpu_s, run.memory_mb, payload + b"\n")
    if context.policy == "apps" and problem.checker.kind == "default":
        return matched(run.cpu_s, run.memory_mb, compare_values_apps(_expected(test.output), got))
    match = compare_values(_expected(test.output), got, problem.checker, context.policy)
    return matched(run.cpu_s, run.memory_mb, match)


def _prelude_fails(context: Context) -> bool:
    """Whether the prelude fails without the program too: a program can write what it likes into
    its report, and a judge_error it could ask for would take its sample out of the statistics."""
    if not context.problem.prelude:
        return False
    job = replace(_function_job(context, [], 1.0), code=b"", tests=())
    found = records.parse(context.run(job).note, job.nonce, 1).records
    return bool(found) and found[0].kind == "P"


# -- checker programs -----------------------------------------------------------------------------


def _with_checker(
    context: Context, test: TestCase, cpu_s: float, memory_mb: float, output: bytes
) -> TestResult:
    """Kattis: argv INPUT ANSWER FEEDBACK_DIR, the output on stdin, 42 accepts and 43 refuses."""

    def check(stdin: bytes) -> Run:
        job = _checker_job(context, test, stdin)
        kind = "numpy" if any(name in job.code for name in _NUMPY) else "plain"
        return context.run(job, _CHECKER_LIMITS, kind)

    checked = check(output)
    said = last_line(checked.stderr)
    if checked.reason == "end" and checked.exit_code == _ACCEPT:
        return TestResult("accepted", cpu_s, memory_mb, "program")
    if checked.reason == "end" and checked.exit_code == _REFUSE:
        why = f"refused by the checker program. {said}".strip()
        return TestResult("wrong_answer", cpu_s, memory_mb, detail=why)
    how = (
        f"the checker program neither accepted (42) nor refused (43): {checked.reason}, exit "
        f"status {checked.exit_code}. {said or checked.detail}".strip()
    )
    if checked.reason not in TROUBLE:
        # it copes with the reference answer, so it is this output that it can't read
        reference = check(test.output.encode("utf-8", "surrogatepass"))
        if reference.reason == "end" and reference.exit_code in (_ACCEPT, _REFUSE):
            return TestResult("wrong_answer", cpu_s, memory_mb, detail=how)
    return judge_error(how)


def _checker_job(context: Context, test: TestCase, output: bytes) -> Job:
    source = _CHECKER.format(source=context.problem.checker.source)
    return Job(
        code=source.encode("utf-8", "surrogatepass"),
        stdin=output,
        argv=("validate.py", "input", "answer", "feedback/"),
        files={
            "input": test.input.encode("utf-8", "surrogatepass"),
            "answer": test.output.encode("utf-8", "surrogatepass"),
            "feedback/": b"",
        },
    )
