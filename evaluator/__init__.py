"""MicroCoder-Evaluator: run untrusted Python, compare answers, give a verdict.

>>> from evaluator import Judge
>>> with Judge(workers=2) as judge:                                          # doctest: +SKIP
...     judge.judge(problem, "print(input())").verdict
'accepted'

This file stays empty of imports: the sandboxed interpreter loads `evaluator.worker` through it,
and every import made here would be paid for again with every test.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost 6 ms a test
    from typing import Any

    from evaluator.judge import Judge as Judge
    from evaluator.judge import JudgeResult as JudgeResult
    from evaluator.judge import TestResult as TestResult
    from evaluator.sandbox import SandboxError as SandboxError
    from evaluator.sandbox import sandbox_status as sandbox_status
    from evaluator.sandbox import tier as tier

_WHERE = {
    "Judge": "judge",
    "JudgeResult": "judge",
    "TestResult": "judge",
    "SandboxError": "sandbox",
    "sandbox_status": "sandbox",
    "tier": "sandbox",
}
__all__ = ["Judge", "JudgeResult", "SandboxError", "TestResult", "sandbox_status", "tier"]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'evaluator' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"evaluator.{_WHERE[name]}"), name)
