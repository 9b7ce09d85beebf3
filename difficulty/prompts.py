"""From a problem to a chat prompt, and from an answer back to a program."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from pydantic import Field

from pipelines.config import StageConfig
from pipelines.problem import Problem

Message = dict[str, str]

STDIN_TASK = (
    "Write a Python program that solves this problem. It reads standard input and prints the "
    "answer. Put the code in a ```python block."
)
FUNCTION_TASK = (
    "Write a Python function that solves this problem. Put the code in a ```python block."
)


class FewShot(StageConfig):
    """A worked example shown before the problem: its text and the code of a right answer.
    `style` says for which problems it is shown."""

    style: str = Field(default="stdin", pattern="^(stdin|function)$")
    problem: str
    code: str


#: Written for this project. Small models solve almost nothing without one example of the form.
DEFAULT_FEW_SHOT: tuple[FewShot, ...] = (
    FewShot(
        style="stdin",
        problem=(
            "You are given two integers. Print their difference.\n\n"
            "Input:\nOne line with two integers a and b.\n\n"
            "Output:\nOne integer, a minus b.\n\nExample input:\n7 5\nExample output:\n2"
        ),
        code="a, b = map(int, input().split())\nprint(a - b)",
    ),
    FewShot(
        style="function",
        problem=(
            "Write a function `triple(n)` that returns three times the integer n.\n\n"
            "Start with:\n```python\ndef triple(n: int) -> int:\n```"
        ),
        code="def triple(n: int) -> int:\n    return 3 * n",
    ),
)


def build_messages(
    problem: Problem,
    few_shot: Sequence[FewShot] = DEFAULT_FEW_SHOT,
    max_samples: int = 1,
    max_sample_chars: int = 200,
) -> list[Message]:
    """Chat messages (role, content) for a problem: the few-shot pairs of its style, then the
    problem with at most `max_samples` sample tests (those longer than `max_sample_chars` are
    left out) or the function's first lines.

    >>> build_messages(Problem(id="a/b", statement="Print 1."), [])[0]["role"]
    'user'
    """
    style = "function" if problem.fn_name else "stdin"
    task = FUNCTION_TASK if problem.fn_name else STDIN_TASK
    messages: list[Message] = []
    for shot in few_shot:
        if shot.style == style:
            messages.append({"role": "user", "content": f"{task}\n\n{shot.problem}"})
            messages.append({"role": "assistant", "content": f"```python\n{shot.code}\n```"})
    body = _question(problem, max_samples, max_sample_chars)
    messages.append({"role": "user", "content": f"{task}\n\n{body}"})
    return messages


def _question(problem: Problem, max_samples: int, max_sample_chars: int) -> str:
    statement = re.sub(r"^#+ *(\w+)$", r"\1:", problem.statement.strip(), flags=re.MULTILINE)
    if problem.fn_name:
        start = problem.starter_code.strip()
        if not start or start in statement:
            return statement
        start = re.sub(r"\n\s*pass$", "", start)
        return f"{statement}\n\nStart with:\n```python\n{start}\n```"
    samples = [
        t
        for t in problem.tests
        if t.kind == "sample" and len(t.input) + len(t.output) <= max_sample_chars
    ]
    shown = [
        f"Example input:\n{t.input.rstrip()}\nExample output:\n{t.output.rstrip()}"
        for t in samples[:max_samples]
    ]
    return "\n\n".join([statement, *shown])


_FENCE = re.compile(r"^[ \t]*(`{3,})[ \t]*([\w+-]*)[^\n`]*$", re.MULTILINE)
_PYTHON = {"python", "py", "python3"}


def _blocks(text: str) -> tuple[list[tuple[str, str]], str | None]:
    """Closed code blocks as (language, code), and the language of a last unclosed one."""
    closed: list[tuple[str, str]] = []
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opened is None:
            opened = fence
        elif not fence[2] and len(fence[1]) >= len(opened[1]):
            closed.append((opened[2].lower(), text[opened.end() + 1 : fence.start()]))
            opened = None
        elif fence[2]:  # a new opening inside an unclosed block: the first was never closed
            opened = fence
    return closed, opened[2].lower() if opened is not None else None


def extract_code(text: str) -> str | None:
    """The program of an answer: the last closed ```python block, else the last closed block that
    names no language. None when there is neither.

    >>> extract_code("Here:\\n```python\\nprint(1)\\n```\\nDone.")
    'print(1)\\n'
    """
    closed, _ = _blocks(text)
    for wanted in (_PYTHON, {""}):
        found = [code for language, code in closed if language in wanted]
        if found:
            return found[-1]
    return None


def is_incomplete(text: str, reached_limit: bool) -> bool:
    """Whether an answer was cut before it held a program: it reached the length limit, and it has
    no closed code block, or ends inside one, or its code does not compile (docs of the mask,
    training/advantages.py).

    >>> is_incomplete("```python\\nprint(", True), is_incomplete("```python\\nprint(1)\\n```", True)
    (True, False)
    """
    if not reached_limit:
        return False
    code = extract_code(text)
    if code is None or _blocks(text)[1] in {*_PYTHON, ""}:
        return True
    try:
        ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True
    return False
