"""From a problem to a chat prompt, and from an answer back to a program."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

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

    style: Literal["stdin", "function"] = "stdin"
    problem: str
    code: str


#: Written for this project. Small models solve almost nothing without one example of the form.
DEFAULT_FEW_SHOT: tuple[FewShot, ...] = (
    FewShot(
        style="stdin",
        problem=(
            "You are given an integer n. Print n plus seven.\n\n"
            "Input:\n\nOne line with the integer n.\n\n"
            "Output:\n\nPrint n plus seven.\n\nExample input:\n5\nExample output:\n12"
        ),
        code="n = int(input())\nprint(n + 7)",
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


@dataclass(frozen=True, slots=True)
class _Block:
    language: str
    code: str
    closed: bool


def _blocks(text: str) -> list[_Block]:
    """The fenced code blocks of an answer, in order."""
    blocks: list[_Block] = []
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opened is None:
            opened = fence
            continue
        if len(fence[1]) < len(opened[1]):
            continue  # a shorter fence is part of the code
        # a language inside a block means that the block before was never closed
        blocks.append(_block(text, opened, fence.start(), closed=not fence[2]))
        opened = fence if fence[2] else None
    if opened is not None:
        blocks.append(_block(text, opened, len(text), closed=False))
    return blocks


def _block(text: str, opened: re.Match[str], end: int, closed: bool) -> _Block:
    return _Block(opened[2].lower(), text[opened.end() + 1 : end], closed)


def extract_code(text: str) -> str | None:
    """The program of an answer: its last ```python block, or its last block without a language
    when none is marked as Python. None when there is none or that last one was not closed: what
    came before it is not what the model meant as its answer.

    >>> extract_code("Here:\\n```python\\nprint(1)\\n```\\nDone.")
    'print(1)\\n'
    """
    blocks = _blocks(text)
    marked = [b for b in blocks if b.language in _PYTHON]
    candidates = marked or [b for b in blocks if not b.language]
    return candidates[-1].code if candidates and candidates[-1].closed else None


def is_incomplete(text: str, hit_limit: bool) -> bool:
    """Whether an answer was cut before it held a complete program to judge: it reached the length
    limit, and has no closed code block or code that does not compile. MicroCoder-GRPO's mask
    treats such answers apart from wrong ones.

    >>> is_incomplete("```python\\nprint(", True), is_incomplete("```python\\nprint(1)\\n```", True)
    (True, False)
    """
    if not hit_limit:
        return False
    code = extract_code(text)
    return code is None or not _compiles(code)


def _compiles(code: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SyntaxWarning: none of our business
        try:
            compile(code, "<answer>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
            return False
    return True
