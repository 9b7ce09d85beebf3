"""What contest programs do to their process that a judge must not mind."""

from __future__ import annotations

import pytest

from evaluator import Judge
from pipelines.problem import Problem, TestCase

DOUBLE = Problem("t/double", tests=tuple(TestCase(f"{n}\n", f"{2 * n}\n") for n in range(6)))

CLOSES_OUTPUT = [
    "import sys\nn = int(input())\nopen(1, 'w').write(str(2 * n))",
    "n = int(input())\nwith open(1, 'w') as f: f.write(str(2 * n))",
    "import os\nn = int(input())\nwith os.fdopen(1, 'w') as f: f.write(str(2 * n))",
    "import os\nn = int(input())\nos.write(1, str(2 * n).encode())\nos.close(1)",
    "import os\nn = int(input())\nos.write(1, str(2 * n).encode())\nos.closerange(0, 3)",
    "import os\nn = int(input())\nos.write(1, str(2 * n).encode())\nos.closerange(0, 4096)",
]
WRAPS_OUTPUT = [
    "import io, sys\nsys.stdout = io.TextIOWrapper(sys.stdout.detach(), 'utf-8')\n",
    "import codecs, sys\nsys.stdout = codecs.getwriter('utf-8')(sys.stdout.detach())\n",
    "import io, sys\nsys.stdin = io.TextIOWrapper(sys.stdin.detach(), 'utf-8')\n",
]
ASKS_FOR_MORE = [
    f"import resource\nresource.setrlimit(resource.{what}, {limits})\n"
    for what in ("RLIMIT_STACK", "RLIMIT_AS", "RLIMIT_DATA")
    for limits in ("(resource.RLIM_INFINITY,) * 2", "(2**29, -1)", "(2**42, 2**42)")
]


@pytest.mark.parametrize("isolate", ["solution", "test"])
@pytest.mark.parametrize("code", CLOSES_OUTPUT)
def test_a_program_that_closes_its_output_is_judged_by_what_it_wrote(
    code: str, isolate: str
) -> None:
    with Judge(workers=1, isolate=isolate) as judge:  # type: ignore[arg-type]
        assert judge.judge(DOUBLE, code).verdict == "accepted"
        assert judge.judge(DOUBLE, code.replace("2 * n", "3 * n")).verdict == "wrong_answer"


@pytest.mark.parametrize("head", WRAPS_OUTPUT + ASKS_FOR_MORE)
def test_a_usual_header_does_no_harm(judge: Judge, head: str) -> None:
    result = judge.judge(DOUBLE, head + "print(2 * int(input()))")
    assert result.verdict == "accepted", result.detail
    assert judge.judge(DOUBLE, head + "print(3 * int(input()))").verdict == "wrong_answer"


@pytest.mark.parametrize(
    ("want", "have", "verdict"),
    [
        ("{1: 2}", "{1 : 2}", "accepted"),
        ("{1: 2}", "{'1': 2}", "wrong_answer"),
        ("{'None': 2}", "{None: 2}", "wrong_answer"),
        ("{True: 2}", "{'true': 2}", "wrong_answer"),
        ("{(1, 2): 3}", "{(1,2): 3}", "accepted"),
    ],
)
def test_keys_of_a_printed_dict_keep_their_type(
    judge: Judge, want: str, have: str, verdict: str
) -> None:
    problem = Problem("t/keys", tests=(TestCase("", want),))
    assert judge.judge(problem, f"print({have!r})").verdict == verdict


def test_the_starter_code_says_what_is_compared(judge: Judge) -> None:
    starter = "class Solution:\n    def f(self, a: List[int]) -> List[int]:\n        "
    problem = Problem(
        "t/f", fn_name="f", starter_code=starter, tests=(TestCase("[2, 1]", "[1, 2]"),)
    )
    in_place = "class Solution:\n def f(self, a: List[int]) -> None:\n  a.sort()"
    assert judge.judge(problem, in_place).verdict == "wrong_answer"
    returned = "class Solution:\n def f(self, a) -> None:\n  return sorted(a)"
    assert judge.judge(problem, returned).verdict == "accepted"


def test_a_class_under_another_name(judge: Judge) -> None:
    tests = (TestCase('["Bag", "add"]\n[[], [2]]', "[null, 2]"),)
    problem = Problem("t/bag", fn_name="Bag", tests=tests)
    code = "class Base:\n def add(self, x): return x\nBag = Base"
    assert judge.judge(problem, code).verdict == "accepted"
