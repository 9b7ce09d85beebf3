"""Which comparison a problem needs, told by its accepted programs and its words.

Accepted programs that disagree with a stored answer, or with each other, mean that several answers
are right. A looser comparison is believed only when it accepts every accepted program and still
refuses every wrong one; where none does, the problem has several answers and no checker.
"""

from __future__ import annotations

import re
from dataclasses import replace

from pipelines.problem import Checker, Problem

#: Tried in this order: the strictest first.
FLOATS = tuple(Checker("float", (("abs_tol", t), ("rel_tol", t))) for t in (1e-9, 1e-6, 1e-4))
UNORDERED = Checker("unordered")
_ANY_ORDER = re.compile(
    r"\b(?:in|with)\s+any\s+order\b|\border\s+(?:of|in)[^.\n]{0,60}\bdoes(?:n't| not)\s+matter\b",
    re.I,
)
#: 'in any order' of what is given, not of what is returned.
_NOT_THE_ANSWER = re.compile(
    r"(?:given|operations?|perform\w*|visit\w*|choose|process\w*|delete|remove|merge|rearrange|"
    r"permut\w*|swap\w*|apply|take|use|place\w*)\b[^.\n]{0,50}$",
    re.I,
)
_GIVE = re.compile(r"\b(?:return|output|print|answer)\b", re.I)


def candidates(problem: Problem) -> tuple[Checker, ...]:
    """The comparisons to try for a problem that is compared exactly.

    >>> [c.kind for c in candidates(Problem("a/b", fn_name="f"))]
    ['float', 'float', 'float', 'unordered']
    """
    if problem.checker.kind not in ("default", "tokens"):
        return ()
    return (*FLOATS, UNORDERED) if problem.fn_name else FLOATS


def says_any_order(statement: str) -> bool:
    """True when the statement asks for an answer in any order.

    >>> says_any_order("Return the answer in any order.")
    True
    >>> says_any_order("You may visit the nodes in any order.")
    False
    """
    for found in _ANY_ORDER.finditer(statement):
        if "matter" in found[0].lower():
            if re.search(r"output|answer|result|return", found[0], re.I):
                return True
            continue
        start = max(statement.rfind(".", 0, found.start()), statement.rfind("\n", 0, found.start()))
        before = statement[start + 1 : found.start()]
        if _GIVE.search(before) and not _NOT_THE_ANSWER.search(before):
            return True
    return False


def by_wording(problem: Problem) -> Problem:
    """The problem with an unordered comparison where its statement allows any order, its results
    are lists and it is compared exactly; else the same problem."""
    if problem.checker.kind != "default" or not problem.fn_name:
        return problem
    lists = all(t.output.lstrip().startswith("[") for t in problem.tests)
    if not problem.tests or not lists or not says_any_order(problem.statement):
        return problem
    flags = (*problem.flags, *(f for f in ("any_order",) if f not in problem.flags))
    return replace(problem, checker=UNORDERED, flags=flags)
