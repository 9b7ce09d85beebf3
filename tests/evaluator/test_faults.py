"""A test that no program could pass, or that every program would, is the problem's fault."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from evaluator.judge import Judge
from pipelines.problem import Checker, Problem, Solution, TestCase


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Judge(workers=1) as j:
        yield j


def asserts(test: str, fn_name: str = "f", **fields: object) -> Problem:
    good = TestCase("assert candidate(1) == 1", "")
    tests = (good, TestCase(test, ""))
    return Problem("t/a", fn_name=fn_name, tests=tests, checker=Checker("asserts"), **fields)  # type: ignore[arg-type]


SAME = "def f(x): return x"
NOTHING = [
    "",
    "pass",
    "# assert candidate(1) == 2",
    "'assert candidate(1) == 2'",
    "candidate(1)",
    "print(candidate(1))",
    "assert True",
    "def check(candidate):\n    pass",
    "def check(candidate):\n    assert True\n",
    "def chekc(candidate):\n    assert candidate(1) == 2",
    "class Test:\n    def test(self):\n        assert candidate(1) == 2",
    "if __name__ == '__main__':\n    assert candidate(1) == 2",
    "if False:\n    assert candidate(1) == 2",
    "def a(): b()\ndef b(): assert candidate(1) == 2",
    "assert (candidate(1) == 2, 'a tuple is true')",
    "try:\n    assert candidate(1) == 2\nexcept Exception:\n    pass",
    "try:\n    assert candidate(1) == 2\nexcept* Exception:\n    pass",
    "try:\n    test()\nexcept (ValueError, AssertionError):\n    print('failed')\n"
    "def test(): assert candidate(1) == 2",
    "import contextlib\nwith contextlib.suppress(AssertionError):\n    assert candidate(1) == 2",
    "def check(candidate):\n    return\n    assert candidate(1) == 2",
    "while False:\n    assert candidate(1) == 2",
    "if True:\n    candidate(1)\nelse:\n    assert candidate(1) == 2",
    "if __name__ != 'solution':\n    assert candidate(1) == 2",
    "def a():\n    def check(candidate):\n        assert candidate(1) == 2",
]


@pytest.mark.parametrize("test", NOTHING)
def test_a_test_that_asserts_nothing_accepts_nobody(judge: Judge, test: str) -> None:
    result = judge.judge(asserts(test), SAME)
    assert result.verdict == "judge_error"
    assert "tests[1]: it asserts nothing" in result.detail


SOMETHING = [
    "assert candidate(1) == 2",
    "def check(candidate):\n    assert candidate(1) == 2",
    "def check(candidate):\n    assert candidate(1) == 2\ncheck(f)",
    "def check(f):\n    test(f)\ndef test(f):\n    assert f(1) == 2",
    "if candidate(1) != 2:\n    raise ValueError('not two')",
    "import unittest\nunittest.TestCase().assertEqual(candidate(1), 2)",
    "class T:\n    def run(self):\n        assert f(1) == 2\nT().run()",
    "if __name__ == '__main__':\n    pass\nelse:\n    assert f(1) == 2",
    "if candidate(1) != 2:\n    exit(1)",
    "for x in [1]:\n    assert candidate(x) == 2",
    "assert math.isclose(candidate(1), 2)",  # nobody imports math: LeetCode's names are there
    "if True:\n    def check(candidate):\n        assert candidate(1) == 2",
    "try:\n    def check(c):\n        assert c(1) == 2\nexcept ImportError:\n    pass",
    "def check():\n    assert candidate(1) == 2",
    "def check(candidate):\n    assert candidate(1) == 2\n"
    "if __name__ == '__main__':\n    check(candidate)",
    "def check(candidate):\n    assert candidate(1) == 2\nglobals()['check'](candidate)",
    "exec('assert candidate(1) == 2')",
    "class T:\n    def test_it(self):\n        assert candidate(1) == 2\n"
    "for name in dir(T):\n    if name.startswith('test'):\n        getattr(T(), name)()",
    "import os\nif candidate(1) != 2:\n    os._exit(1)",
    "try:\n    ok = candidate(1) == 2\nexcept Exception:\n    ok = False\nassert ok",
    "try:\n    assert candidate(1) == 2\nexcept AssertionError:\n    raise ValueError",
    "import solution\nassert solution.f(1) == 2",
    "from __main__ import f as g\nassert g(1) == 2",
    "def always(run): run()\n@always\ndef test(): assert candidate(1) == 2",
    "match candidate(1):\n    case 2: pass\n    case other: raise ValueError(other)",
    "def run(test): test()\nrun(lambda: None if candidate(1) == 2 else exit(1))",
]


@pytest.mark.parametrize("test", SOMETHING)
def test_a_test_that_asserts_something_is_run(judge: Judge, test: str) -> None:
    result = judge.judge(asserts(test), SAME)
    assert result.verdict in ("wrong_answer", "runtime_error"), result.detail
    right = Problem("t/r", fn_name="f", tests=(TestCase(test, ""),), checker=Checker("asserts"))
    assert judge.judge(right, "def f(x): return 2").verdict == "accepted"


def test_a_test_about_something_else_shows_nothing(judge: Judge) -> None:
    result = judge.judge(asserts("x = 1\nassert x == 1"), SAME)
    assert result.verdict == "judge_error"
    assert "never uses `candidate` or 'f'" in result.detail


@pytest.mark.parametrize(
    ("problem", "code", "verdict"),
    [
        (asserts("assert g(1) == 1"), SAME, "judge_error"),
        (asserts("assert candidate(helper(1)) == 1"), SAME, "judge_error"),
        (asserts("assert candidate(helper(1)) == 1", prelude="def helper(x): return x"), SAME,
         "accepted"),
        (asserts("verify(candidate)", prelude="def verify(f): assert f(1) == 1"), SAME, "accepted"),
        (asserts("verify(candidate)", prelude="def verify(f): assert f(1) == 2"), SAME,
         "wrong_answer"),
        (asserts("assert Solution().f(1) == 1"), "class Solution:\n def f(self, x): return x",
         "accepted"),
        (asserts("assert Solution().f(1) == 1"), "class Solution:\n def f(self, x): return Lst",
         "runtime_error"),
        (asserts("assert __name__ and candidate(1) == 1"), SAME, "accepted"),
        # what the program was to define is its own business
        (asserts("assert candidate(helper(1)) == 1", statement="Write f and `helper`."), SAME,
         "runtime_error"),
        (asserts("assert candidate(helper(1)) == 1",
                 solutions=(Solution(SAME + "\ndef helper(x): return x"),)), SAME,
         "runtime_error"),
        (asserts("assert candidate(helper(1)) == 1"), SAME + "\ndef helper(x): return x",
         "accepted"),
        # a NameError of its own, and one that only looks like the test's
        (asserts("assert f(1) == 1"), "def f(x): return y", "runtime_error"),
        (asserts("assert f(1) == 1"), "def f(x): raise NameError(\"name 'g' is not defined\")",
         "runtime_error"),
        (asserts("assert f(1) == 1"), "def g(x): return 1", "runtime_error"),
    ],
)  # fmt: skip
def test_names_that_nobody_defines(judge: Judge, problem: Problem, code: str, verdict: str) -> None:
    result = judge.judge(problem, code)
    assert result.verdict == verdict, result.detail


def test_fn_name_is_not_what_the_problem_is_about(judge: Judge) -> None:
    tests = (TestCase("assert g(1) == 1", ""),)
    problem = Problem("t/a", fn_name="f", tests=tests, checker=Checker("asserts"))
    result = judge.judge(problem, "def g(x): return x")
    assert result.verdict == "judge_error"
    assert "fn_name 'f' is not what the test calls (g)" in result.detail
    starter = "class Solution:\n    def twoSum(self, x: int) -> int:\n        "
    pairs = Problem("t/p", fn_name="two_sum", starter_code=starter, tests=(TestCase("1", "1"),))
    result = judge.judge(pairs, "class Solution:\n def twoSum(self, x): return x")
    assert result.verdict == "judge_error"
    assert "not what starter_code defines (Solution, twoSum)" in result.detail


BAG = "class Bag:\n def __init__(self): self.n = 0\n def add(self, x): self.n += x; return self.n"
START = "class Bag:\n    def __init__(self):\n        "
RIGHT = (["Bag", "add"], [[], [2]], [None, 2])


@pytest.mark.parametrize("starter", ["", START], ids=["without starter code", "with"])
@pytest.mark.parametrize(
    ("operations", "arguments", "wanted", "why"),
    [
        (*RIGHT, ""),
        (["Bag", "add"], [[], [2], [3]], [None, 2], "2 operations, but the arguments of 3"),
        (["Bag", "add"], [[]], [None, 2], "2 operations, but the arguments of 1"),
        (["Bag", "add"], [[], [2]], [None], "2 operations, but 1 expected results"),
        (["Bag", "add"], [[], [2]], 2, "2 operations, but no expected results"),
        (["Sack", "add"], [[], [2]], [None, 2], "the first operation is 'Sack', not the class"),
    ],
)
def test_a_class_design_test_that_does_not_go_together(
    judge: Judge, starter: str, operations: object, arguments: object, wanted: object, why: str
) -> None:
    lines = f"{json.dumps(operations)}\n{json.dumps(arguments)}"
    first = TestCase("\n".join(map(json.dumps, RIGHT[:2])), json.dumps(RIGHT[2]))
    tests = (first, TestCase(lines, json.dumps(wanted)))
    problem = Problem("t/d", fn_name="Bag", starter_code=starter, tests=tests)
    result = judge.judge(problem, BAG)
    assert result.verdict == ("judge_error" if why else "accepted"), result.detail
    assert why in result.detail
    assert not why or result.detail.startswith("tests[1]: ")


def test_a_function_of_names_and_lists_is_no_class(judge: Judge) -> None:
    tests = (TestCase('["a", "b"]\n[[1], [2]]', '["a", "b"]'),)
    problem = Problem("t/f", fn_name="f", tests=tests)
    assert judge.judge(problem, "def f(a, b): return b").verdict == "wrong_answer"
    assert judge.judge(problem, "class f:\n def __init__(self, a): 1").verdict == "runtime_error"
    assert judge.judge(problem, "def f(a, b): return a").verdict == "accepted"


@pytest.mark.parametrize("starter", ["", "def lookup(names, rows):\n    "])
@pytest.mark.parametrize("wanted", ["[null, 2]", "[]", "3"])
def test_a_wrong_function_of_names_and_lists_is_wrong(
    judge: Judge, starter: str, wanted: str
) -> None:
    tests = (TestCase('["Ann", "get"]\n[[1], [2]]', wanted),)
    problem = Problem("t/f", fn_name="lookup", starter_code=starter, tests=tests)
    result = judge.judge(problem, "def lookup(names, rows): return 'no'")
    assert result.verdict == "wrong_answer", result.detail


def test_a_checker_says_why(judge: Judge) -> None:
    def problem(source: str) -> Problem:
        return Problem("t/c", tests=(TestCase("", "1"),), checker=Checker("program", source=source))

    message = "from __future__ import annotations\nimport sys\n"
    message += "open(sys.argv[3] + 'judgemessage.txt', 'w').write('one\\ntwo')\nsys.exit(43)"
    result = judge.judge(problem(message), "print(2)")
    assert (result.verdict, result.detail) == (
        "wrong_answer",
        "refused by the checker program. one two",
    )
    result = judge.judge(problem("def ("), "print(2)")
    assert result.verdict == "judge_error"
    assert "SyntaxError" in result.detail
