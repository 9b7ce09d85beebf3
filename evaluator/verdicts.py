"""One test of one program: run it in the sandbox, read how it ended, compare."""

from __future__ import annotations

import re
import secrets
import signal
from dataclasses import dataclass, field
from typing import Any

from evaluator import inputs
from evaluator.compare import Match, Policy, compare_text, has_reals
from evaluator.sandbox import Job, Limits, Processes, Run, Tier, run_isolated
from evaluator.values_match import compare_values, decode
from pipelines.problem import Problem, TestCase, Verdict

_NONCE_BYTES = 16
#: Of a checker program: what Kattis gives its validators, more or less.
_CHECKER_LIMITS = Limits(cpu_s=20, memory_mb=1024, output_mb=8)
_ACCEPT, _REFUSE = 42, 43
_TROUBLE = ("setup", "late", "lost")
_CLOSED = "the judge was closed before the program ended"


@dataclass(frozen=True, slots=True)
class TestResult:
    """One test: CPU seconds, peak MiB, and which rule of the comparison accepted (or, in
    `detail`, what was wrong)."""

    __test__ = False  # not a pytest class

    verdict: Verdict
    seconds: float
    memory_mb: float
    matched_by: str = ""
    detail: str = ""

    def to_json(self) -> dict[str, Any]:
        """As in DESIGN.md's verdict line."""
        return {
            "verdict": self.verdict,
            "seconds": round(self.seconds, 4),
            "memory_mb": round(self.memory_mb, 1),
            "matched_by": self.matched_by,
            "detail": self.detail,
        }


@dataclass(frozen=True, slots=True)
class Context:
    """What the tests of one program have in common."""

    problem: Problem
    code: bytes
    policy: Policy
    limits: Limits
    tier: Tier
    processes: Processes
    real_valued: bool
    hints: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def of(
        problem: Problem,
        code: str,
        policy: Policy,
        limits: Limits,
        tier: Tier,
        processes: Processes,
    ) -> Context:
        """Reads what the comparison wants to know of the whole problem."""
        named = problem.fn_name
        return Context(
            problem=problem,
            code=code.encode("utf-8", "surrogatepass"),
            policy=policy,
            limits=limits,
            tier=tier,
            processes=processes,
            real_valued=not named and any(has_reals(t.output) for t in problem.tests),
            hints=inputs.signature_hints(problem.starter_code, named) if named else {},
        )

    def run(self, job: Job, limits: Limits | None = None) -> Run:
        """Run a job; once more when the host, not the program, was the trouble."""
        for attempt in (1, 2):
            try:
                run = run_isolated(job, limits or self.limits, self.tier, self.processes)
            except OSError as e:
                run = Run("setup", detail=f"could not start a process: {e}")
            if self.processes.closed:
                return Run("lost", detail=_CLOSED)
            if run.reason not in _TROUBLE or attempt == 2:
                return run
        raise AssertionError


def run_test(context: Context, test: TestCase) -> TestResult:
    """The verdict on one test. Our own bug on one odd row is that row's `judge_error`, not the
    end of a run over millions.

    >>> run_test(context, TestCase("1 2\\n", "3\\n")).verdict               # doctest: +SKIP
    'accepted'
    """
    try:
        return _run_test(context, test)
    except Exception as e:
        return _judge_error(f"{type(e).__name__} in the evaluator: {e}"[:500])


def _run_test(context: Context, test: TestCase) -> TestResult:
    checker = context.problem.checker
    if checker.kind == "asserts" and not context.problem.fn_name:
        return _judge_error("checker 'asserts' needs fn_name: the function to bind to `candidate`")
    if context.problem.fn_name:
        return _function_test(context, test)
    text = test.input
    if context.policy == "robust":  # Linux's Python hands "\r" on; contest tests have none
        text = text.replace("\r\n", "\n")
    run = context.run(Job(context.code, text.encode("utf-8", "surrogatepass")))
    if failed := _failure(run, context.limits):
        return failed
    got = run.stdout.decode("utf-8", "replace")
    if checker.kind == "program":
        return _with_checker(context, test, run, run.stdout)
    match = compare_text(test.output, got, checker, context.policy, context.real_valued)
    return _matched(run, match)


# -- functions ------------------------------------------------------------------------------------


def _function_test(context: Context, test: TestCase) -> TestResult:
    problem = context.problem
    asserts = problem.checker.kind == "asserts"
    try:
        readings = [] if asserts else inputs.readings(test.input)
    except inputs.InputError as e:
        return _judge_error(str(e))
    nonce = b"\0" + secrets.token_bytes(_NONCE_BYTES - 1)  # its start is not a note's letter
    source = _assert_source(test.input) if asserts else b""
    extra = {
        "fn_name": problem.fn_name,
        "prelude": problem.prelude.encode(),
        "hints": context.hints,
        "readings": readings,
        "test": source,
    }
    kind = "asserts" if asserts else "function"
    run = context.run(Job(context.code, kind=kind, extra=extra, note=nonce))  # type: ignore[arg-type]
    report = run.note
    if asserts and report[:1] == b"T" and not _compiles(source):
        return _judge_error(f"the test's source does not compile: {_text(report[1:])}")
    if report[:_NONCE_BYTES] != nonce or len(report) <= _NONCE_BYTES:
        ended = Run("end", 0, run.cpu_s, run.wall_s, run.memory_mb)
        missing = _failed(ended, "runtime_error", "the program ended before its result was read")
        return _failure(run, context.limits) or missing
    kind, payload = report[_NONCE_BYTES : _NONCE_BYTES + 1].decode(), report[_NONCE_BYTES + 1 :]
    if kind == "P":
        if _prelude_fails(context, extra):
            return _judge_error(f"the problem's prelude failed: {_text(payload)}")
        return _failed(run, "runtime_error", "the program wrote into its own report")
    if kind == "A" and run.reason == "end":
        return _failed(run, "wrong_answer", _text(payload))
    if failed := _failure(run, context.limits):
        return failed
    if kind == "D" and asserts:
        return _matched(run, Match(True, "asserts"))
    if kind != "V":  # an exception, SystemExit(0) too
        return _failed(run, "runtime_error", _text(payload))
    try:
        got = decode(payload)
    except (ValueError, RecursionError) as e:
        return _failed(run, "runtime_error", f"the result cannot be read: {e}")
    if problem.checker.kind == "program":
        return _with_checker(context, test, run, payload + b"\n")
    match = compare_values(inputs.parse_expected(test.output), got, problem.checker, context.policy)
    return _matched(run, match)


def _compiles(source: bytes) -> bool:
    """Whether the test itself is at fault: a program can write what it likes into its report, and
    a judge_error it could ask for would take its sample out of the statistics."""
    try:
        compile(source, "test.py", "exec", dont_inherit=True)
    except Exception:
        return False
    return True


def _prelude_fails(context: Context, extra: dict[str, Any]) -> bool:
    """Whether the prelude fails without the program too (for the same reason as above)."""
    if not context.problem.prelude:
        return False
    nonce = b"N" + secrets.token_bytes(_NONCE_BYTES - 1)
    run = context.run(Job(b"", kind="function", extra=extra | {"test": b""}, note=nonce))
    return run.note[: _NONCE_BYTES + 1] == nonce + b"P"


def _assert_source(text: str) -> bytes:
    """HumanEval's tests define `check(candidate)` and leave the call to the harness: without it
    nothing would be asserted, and every program would pass."""
    if re.search(r"^def check\(", text, re.MULTILINE) and not re.search(
        r"^check\(", text, re.MULTILINE
    ):
        text += "\n\ncheck(candidate)\n"
    return text.encode("utf-8", "surrogatepass")


# -- checker programs -----------------------------------------------------------------------------


def _with_checker(context: Context, test: TestCase, run: Run, output: bytes) -> TestResult:
    """Kattis: argv INPUT ANSWER FEEDBACK_DIR, the output on stdin, 42 accepts and 43 refuses."""

    def check(stdin: bytes) -> Run:
        return context.run(_checker_job(context, test, stdin), _CHECKER_LIMITS)

    checked = check(output)
    said = _last_line(checked.stderr)
    if checked.reason == "end" and checked.exit_code == _ACCEPT:
        return _matched(run, Match(True, "program"))
    if checked.reason == "end" and checked.exit_code == _REFUSE:
        return _failed(run, "wrong_answer", f"refused by the checker program. {said}".strip())
    how = (
        f"the checker program neither accepted (42) nor refused (43): {checked.reason}, exit "
        f"status {checked.exit_code}. {said or checked.detail}".strip()
    )
    if checked.reason not in _TROUBLE:
        # it copes with the reference answer, so it is this output that it can't read
        reference = check(test.output.encode("utf-8", "surrogatepass"))
        if reference.reason == "end" and reference.exit_code in (_ACCEPT, _REFUSE):
            return _failed(run, "wrong_answer", how)
    return _judge_error(how)


def _checker_job(context: Context, test: TestCase, output: bytes) -> Job:
    return Job(
        code=context.problem.checker.source.encode("utf-8", "surrogatepass"),
        stdin=output,
        argv=("validate.py", "input", "answer", "feedback/"),
        files={
            "input": test.input.encode("utf-8", "surrogatepass"),
            "answer": test.output.encode("utf-8", "surrogatepass"),
            "feedback/": b"",
        },
    )


# -- how a run ended ------------------------------------------------------------------------------


def _failure(run: Run, limits: Limits) -> TestResult | None:
    """The verdict of a run that is lost whatever it printed; None when it ended well."""
    if run.reason == "lost" and run.detail != _CLOSED:  # twice: see Context.run
        return _failed(
            run, "sandbox_violation", f"the program brought its sandbox down: {run.detail}"
        )
    if run.reason in _TROUBLE:
        return _judge_error(run.detail)
    if run.note[:1] == b"C" and run.exit_code == 1:
        return _failed(run, "compile_error", _text(run.note[1:]))
    if run.overflow or run.exit_code == -signal.SIGXFSZ:
        return _failed(run, "output_limit", f"more than {limits.output_mb:g} MiB of output")
    if run.reason in ("cpu", "wall") or run.cpu_s > limits.cpu_s:
        what = "waiting" if run.reason == "wall" else "CPU time"
        limit = limits.wall if run.reason == "wall" else limits.cpu_s
        return _failed(run, "time_limit", f"{what} over {limit:g} s")
    last = _last_line(run.stderr)
    if run.reason == "memory" or run.memory_mb > limits.memory_mb or _ran_out(run, limits, last):
        return _failed(run, "memory_limit", f"more than {limits.memory_mb} MiB")
    if run.exit_code != 0:
        how = f"signal {-run.exit_code}" if run.exit_code < 0 else f"exit status {run.exit_code}"
        return _failed(run, "runtime_error", f"{how}. {last}".strip())
    return None


def _ran_out(run: Run, limits: Limits, last_line: str) -> bool:
    if run.exit_code == 0:
        return False
    if last_line.startswith("MemoryError") or "ArrayMemoryError" in last_line:
        return True
    return run.exit_code < 0 and run.memory_mb > 0.9 * limits.memory_mb


def _last_line(stderr: bytes) -> str:
    lines = [x for x in stderr.decode("utf-8", "replace").splitlines() if x.strip()]
    return lines[-1][:300] if lines else ""


def _text(payload: bytes) -> str:
    return payload.decode("utf-8", "replace")[:500]


def _matched(run: Run, match: Match) -> TestResult:
    verdict: Verdict = "accepted" if match.ok else "wrong_answer"
    by = match.matched_by if match.ok else ""
    return TestResult(verdict, run.cpu_s, run.memory_mb, by, match.detail)


def _failed(run: Run, verdict: Verdict, detail: str) -> TestResult:
    return TestResult(verdict, run.cpu_s, run.memory_mb, detail=detail)


def _judge_error(detail: str) -> TestResult:
    return TestResult("judge_error", 0.0, 0.0, detail=detail)
