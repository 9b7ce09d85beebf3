"""How a test ended: its result, out of how the process ended and what the comparison says."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from typing import Any

from evaluator.compare import Match
from evaluator.room import Limits, Run
from pipelines.problem import Verdict

#: Reasons of a run that say nothing about the program.
TROUBLE = ("setup", "late", "lost")
CLOSED = "the judge was closed, or the task cancelled, before the program ended"


@dataclass(frozen=True, slots=True)
class TestResult:
    """One test: CPU seconds, peak MiB of its process, and which rule of the comparison accepted
    (or, in `detail`, what was wrong)."""

    __test__ = False  # not a pytest class

    verdict: Verdict
    seconds: float
    memory_mb: float
    matched_by: str = ""
    detail: str = ""

    def to_json(self) -> dict[str, Any]:
        """As in the verdict line of docs/formats.md."""
        return {
            "verdict": self.verdict,
            "seconds": round(self.seconds, 6),
            "memory_mb": round(self.memory_mb, 1),
            "matched_by": self.matched_by,
            "detail": self.detail,
        }


def failure(run: Run, limits: Limits) -> TestResult | None:
    """The verdict of a run that is lost whatever it printed; None when it ended well."""
    if run.reason == "lost" and run.detail != CLOSED:  # twice: see Context.run
        return failed(
            run, "sandbox_violation", f"the program brought its sandbox down: {run.detail}"
        )
    if run.reason in TROUBLE:
        return judge_error(run.detail)
    if run.overflow or run.exit_code == -signal.SIGXFSZ:
        return failed(run, "output_limit", f"more than {limits.output_mb:g} MiB of output")
    if run.reason in ("cpu", "wall") or run.cpu_s > limits.cpu_s:
        return time_limit(run, limits)
    last = last_line(run.stderr)
    if run.reason == "memory" or run.memory_mb > limits.memory_mb or _ran_out(run, limits, last):
        return failed(run, "memory_limit", f"more than {limits.memory_mb} MiB")
    if run.exit_code != 0:
        how = f"signal {-run.exit_code}" if run.exit_code < 0 else f"exit status {run.exit_code}"
        if last.startswith("PermissionError: [Errno 1]"):
            last += " (programs may not start processes, nor open sockets)"
        return failed(run, "runtime_error", f"{how}. {last}".strip())
    return None


def time_limit(run: Run, limits: Limits) -> TestResult:
    """Which of the two limits was reached."""
    what = "waiting" if run.reason == "wall" else "CPU time"
    limit = limits.wall if run.reason == "wall" else limits.cpu_s
    return failed(run, "time_limit", f"{what} over {limit:g} s")


def _ran_out(run: Run, limits: Limits, last: str) -> bool:
    if run.exit_code == 0:
        return False
    if last.startswith("MemoryError") or "ArrayMemoryError" in last:
        return True
    return run.exit_code < 0 and run.memory_mb > 0.9 * limits.memory_mb


def last_line(stderr: bytes) -> str:
    """The last line that says something, at most 300 characters: of a traceback, the exception."""
    lines = [x for x in stderr.decode("utf-8", "replace").splitlines() if x.strip()]
    return lines[-1][:300] if lines else ""


def payload_text(payload: bytes) -> str:
    """A record's payload, which the program may have written, as text for a person."""
    return payload.decode("utf-8", "replace")[:500]


def matched(cpu_s: float, memory_mb: float, match: Match) -> TestResult:
    """The result of a test that ended well, by its comparison."""
    verdict: Verdict = "accepted" if match.ok else "wrong_answer"
    by = match.matched_by if match.ok else ""
    return TestResult(verdict, cpu_s, memory_mb, by, match.detail)


def failed(run: Run, verdict: Verdict, detail: str) -> TestResult:
    """A refusal."""
    return TestResult(verdict, run.cpu_s, run.memory_mb, detail=detail)


def judge_error(detail: str) -> TestResult:
    """The machine or the problem is at fault."""
    return TestResult("judge_error", 0.0, 0.0, detail=detail)
