"""Whose fault a refusal is: a program cannot pass a test that contradicts its problem.

Everything here is read off the problem. What the program reports only says where to look, so that
no program can call for a judge_error, which would take its sample out of the statistics.
"""

from __future__ import annotations

import re
from typing import Any

from evaluator import asserts
from evaluator.inputs import InputError, parse_expected, readings
from pipelines.problem import Problem, TestCase

_NAME_ERROR = re.compile(r"NameError: name '(\w+)' is not defined")
_NOT_FOUND = "NameError: no function or Solution method"


def place(problem: Problem, test: TestCase) -> str:
    """Where the test stands.

    >>> t = TestCase("1", "1", name="big")
    >>> place(Problem("a/b", tests=(TestCase("1", "1"), t)), t)
    "tests[1] 'big'"
    """
    at = next((i for i, t in enumerate(problem.tests) if t is test), 0)
    return f"tests[{at}]" + (f" {test.name!r}" if test.name else "")


def fault(problem: Problem, test: TestCase, detail: str) -> str:
    """Why the test itself is at fault for a refusal with this detail; "" when it isn't."""
    name = problem.fn_name
    if not name:
        return ""
    if problem.checker.kind == "asserts":
        found = _unknown_name(problem, test, name, detail)
    else:
        found = _malformed_design(problem, test, name)
    if _NOT_FOUND in detail:
        found = found or _not_in_starter(problem, name)
        if not found and problem.checker.kind == "asserts":
            found = _not_in_test(test, name)
    return found


def _unknown_name(problem: Problem, test: TestCase, fn_name: str, detail: str) -> str:
    m = _NAME_ERROR.search(detail)
    if m is None or m[1] not in asserts.unknown(test.input, fn_name):
        return ""
    if re.search(r"^\s*from\s+\S+\s+import\s+\*", problem.prelude, re.MULTILINE):
        return ""  # who knows what it brings
    texts = [problem.prelude, problem.starter_code, problem.statement]
    texts += [s.code for s in problem.solutions if s.expected == "accepted"]
    if any(re.search(rf"\b{m[1]}\b", text) for text in texts):
        return ""  # something the program was to define
    return (
        f"it uses {m[1]!r}, which neither the test nor the prelude defines; the function under "
        f"test is `candidate` or, by fn_name, {fn_name!r}"
    )


def _not_in_starter(problem: Problem, fn_name: str) -> str:
    own = fn_name.rpartition(".")[2]
    defined = re.findall(r"^\s*(?:async\s+)?(?:def|class)\s+(\w+)", problem.starter_code, re.M)
    if not defined or own in defined:
        return ""
    return f"fn_name {fn_name!r} is not what starter_code defines ({', '.join(defined)})"


def _not_in_test(test: TestCase, fn_name: str) -> str:
    own = fn_name.rpartition(".")[2]
    others = ", ".join(sorted(asserts.unknown(test.input, fn_name)))
    if not others or re.search(rf"\b({own}|candidate)\b", test.input):
        return ""
    return f"fn_name {fn_name!r} is not what the test calls ({others})"


def _malformed_design(problem: Problem, test: TestCase, fn_name: str) -> str:
    """Of a class-design test: names, arguments and results must go together."""
    own = fn_name.rpartition(".")[2]
    try:
        pair = next((p for p in map(_values, readings(test.input)) if _is_pair(p)), None)
    except InputError:
        return ""
    wanted = parse_expected(test.output)
    if re.search(rf"^class\s+{own}\b", problem.starter_code, re.M) and own != "Solution":
        if pair is None:
            return f"{own!r} is a class, and the input is not its operations and their arguments"
    elif re.search(rf"^\s*(?:async\s+)?def\s+{own}\b", problem.starter_code, re.M):
        return ""  # a function, whatever its arguments look like
    elif pair is None or not _is_design(problem, pair[0], pair[1], wanted):
        return ""
    operations, arguments = pair
    if len(operations) != len(arguments):
        return f"{len(operations)} operations, but the arguments of {len(arguments)}"
    if not operations or operations[0] != own:
        return f"the first operation is {(operations or [None])[0]!r}, not the class {own!r}"
    if problem.checker.kind == "program":
        return ""
    if not isinstance(wanted, list | tuple) or len(wanted) != len(operations):
        n = len(wanted) if isinstance(wanted, list | tuple) else "no"
        return f"{len(operations)} operations, but {n} expected results"
    return ""


def _values(reading: tuple[list[Any], dict[str, Any]]) -> list[Any]:
    return [*reading[0], *reading[1].values()]


def _is_pair(values: list[Any]) -> bool:
    if len(values) != 2 or not all(isinstance(v, list | tuple) for v in values):
        return False
    return all(isinstance(name, str) for name in values[0])


def _is_design(problem: Problem, operations: Any, arguments: Any, wanted: Any) -> bool:
    """Whether the test is of a class, though no starter code says so. Names and lists alone may as
    well be the arguments of a function that looks something up: an accepted solution or another
    test must say that it is a class."""
    if not operations or not all(name.isidentifier() for name in operations):
        return False
    if not all(isinstance(a, list | tuple) for a in arguments):
        return False
    own = (problem.fn_name or "").rpartition(".")[2]
    if operations[0] == own:
        return True
    whole = isinstance(wanted, list | tuple) and len(wanted) == len(operations)
    if len(operations) != len(arguments) or not whole or wanted[0] is not None:
        return False
    codes = (s.code for s in problem.solutions if s.expected == "accepted")
    return any(re.search(rf"^class\s+{own}\b", code, re.M) for code in codes) or any(
        re.match(rf"\s*\[\s*[\"']{own}[\"']", t.input) for t in problem.tests
    )
