"""MicroCoder-Evaluator: run untrusted Python, compare answers, give a verdict.

>>> from evaluator import Judge
>>> from pipelines.problem import Problem, TestCase
>>> problem = Problem("demo/double", tests=(TestCase("21\\n", "42\\n"),))
>>> with Judge(workers=2) as judge:                                          # doctest: +SKIP
...     judge.judge(problem, "print(2 * int(input()))").verdict
'accepted'
"""

from evaluator.judge import Judge, JudgeResult, TestResult
from evaluator.sandbox import SandboxError, sandbox_status, tier

__all__ = ["Judge", "JudgeResult", "SandboxError", "TestResult", "sandbox_status", "tier"]
