"""The judge's verdicts: every one of them, function forms, checkers, asserts, the API."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from judging import make_problem

from evaluator.judge import Judge, JudgeResult
from evaluator.layout import interpreter
from pipelines.problem import Checker, Problem, ProblemError, TestCase

SUM = make_problem(("1 2\n", "3\n"), ("5 6\n", "11\n"))
ONE = make_problem(("", "1\n"))


def function(*tests: tuple[str, str], name: str = "solve", **fields: object) -> Problem:
    return make_problem(*tests, fn_name=name, **fields)


def asserts(source: str) -> Problem:
    return make_problem((source, ""), fn_name="inc", checker=Checker("asserts"))


VALIDATOR = """
import sys
a, b = map(int, open(sys.argv[1]).read().split())
assert open(sys.argv[2]).read().split() == ['3'] and sys.argv[3].endswith('/')
got = sys.stdin.read().split()
open(sys.argv[3] + 'judgemessage.txt', 'w').write('compared')
sys.exit(42 if got == [str(a + b)] else 43)
"""
CHECKED = make_problem(("1 2\n", "3\n"), checker=Checker("program", source=VALIDATOR))
LINKED = "Optional[ListNode]"
INC = "def inc(x): return x + 1"
JSON_CHECKER = "import json, sys\nsys.exit(42 + (json.load(sys.stdin) != [3, 1]))"
STARTER = "class Solution:\n def solve(self, h: ListNode) -> int:\n"

# name: (problem, code, verdict, matched_by of the last test)
CASES: dict[str, tuple[Problem, str, str, str]] = {
    "accepted": (SUM, "print(sum(map(int, input().split())))", "accepted", "exact"),
    "wrong": (SUM, "print(3)", "wrong_answer", ""),
    "exception": (ONE, "print(1); 1 / 0", "runtime_error", ""),
    "exit 1": (ONE, "import sys; print(1); sys.exit(1)", "runtime_error", ""),
    "exit text": (ONE, "import sys; print(1); sys.exit('no')", "runtime_error", ""),
    "exit 0": (ONE, "import sys; print(1); sys.exit(0)", "accepted", "exact"),
    "exit 256 is 0": (ONE, "import sys; print(1); sys.exit(256)", "accepted", "exact"),
    "quit": (ONE, "print(1); quit()", "accepted", "exact"),
    "os._exit": (ONE, "import os; print(1, flush=True); os._exit(0)", "accepted", "exact"),
    "lost buffer": (ONE, "import os; print(1); os._exit(0)", "wrong_answer", ""),
    "syntax": (ONE, "print(1", "compile_error", ""),
    "NUL": (ONE, "print(1)\0", "compile_error", ""),
    "surrogate": (ONE, "print(1, '\ud800')", "compile_error", ""),
    "forged compile error": (ONE, "import os; os.write(3, b'C'); print(1)", "runtime_error", ""),
    "segfault": (ONE, "import ctypes; ctypes.string_at(0)", "runtime_error", ""),
    "recursion": (ONE, "def f(): f()\nf()", "runtime_error", ""),
    "spin": (ONE, "while True: pass", "time_limit", ""),
    "memory": (ONE, "a = []\nwhile 1: a.append(bytearray(1 << 24))", "memory_limit", ""),
    "shared memory": (
        ONE,
        "import mmap\na = []\nwhile 1:\n m = mmap.mmap(-1, 1 << 24); m.write(bytes(1 << 24))\n"
        " a.append(m)",
        "memory_limit",
        "",
    ),
    "caught MemoryError": (
        ONE,
        "try: bytearray(1 << 40)\nexcept MemoryError: print(1)",
        "accepted",
        "exact",
    ),
    "output": (ONE, "while True: print('x' * 1000)", "output_limit", ""),
    "stderr": (ONE, "import sys\nwhile True: sys.stderr.write('x' * 9999)", "output_limit", ""),
    "no tests": (make_problem(), "print(1)", "judge_error", ""),
    "atexit output": (ONE, "import atexit; atexit.register(print, 1)", "accepted", "exact"),
    "file flushed at exit": (ONE, "f = open(1, 'w'); f.write('1\\n')", "accepted", "exact"),
    "thread joined": (
        ONE,
        "import threading, time\n"
        "threading.Thread(target=lambda: (time.sleep(.2), print(1))).start()",
        "accepted",
        "exact",
    ),
    "daemon not joined": (
        ONE,
        "import threading, time\nthreading.Thread(target=time.sleep, args=(99,), daemon=True)"
        ".start()\nprint(1)",
        "accepted",
        "exact",
    ),
    "excepthook": (
        ONE,
        "import sys; sys.excepthook = lambda *a: print(1); 1 / 0",
        "runtime_error",
        "",
    ),
    "CRLF input": (make_problem(("a\r\n", "1\n")), "print(len(input()))", "accepted", "exact"),
    "utf-8": (make_problem(("żółw\n", "żółw\n")), "print(input())", "accepted", "exact"),
    "numpy": (ONE, "import numpy as np; print(np.ones(3).sum() / 3)", "accepted", "numbers"),
    # functions
    "method": (
        function(("1\n2", "3")),
        "class Solution:\n def solve(self, a, b): return a + b",
        "accepted",
        "value",
    ),
    "bare": (
        function(("[1, 2]\n3", "[4, 5]")),
        "def solve(x, k): return [v + k for v in x]",
        "accepted",
        "value",
    ),
    "keywords": (
        function(("nums = [1, 2], k = 3", "6")),
        "class Solution:\n def solve(self, k: int, nums: List[int]): return sum(nums) + k",
        "accepted",
        "value",
    ),
    "keywords, other names": (
        function(("nums = [1, 2], k = 3", "6")),
        "def solve(a, b): return sum(a) + b",
        "accepted",
        "value",
    ),
    "argument list": (
        function(("[1, 2]", "3")),
        "def solve(a, b): return a + b",
        "accepted",
        "value",
    ),
    "one list": (function(("[1, 2]", "3")), "def solve(x): return sum(x)", "accepted", "value"),
    "defaults": (
        function(("[1, 2]", "3")),
        "def solve(x, start=0): return sum(x, start)",
        "accepted",
        "value",
    ),
    "varargs": (function(("1\n2", "3")), "def solve(*x): return sum(x)", "accepted", "value"),
    "no argument": (function(("", "7")), "def solve(): return 7", "accepted", "value"),
    "linked list": (
        function(("[1, 2, 3]", "[3, 2, 1]")),
        f"class Solution:\n def solve(self, h: {LINKED}) -> {LINKED}:\n  p = None\n"
        "  while h: h.next, p, h = p, h, h.next\n  return p",
        "accepted",
        "value",
    ),
    "tree": (
        function(("[1, 2, null, 3]", "[1, null, 2, null, 3]")),
        "class Solution:\n def solve(self, r: Optional[TreeNode]) -> Optional[TreeNode]:\n"
        "  if r: r.left, r.right = self.solve(r.right), self.solve(r.left)\n  return r",
        "accepted",
        "value",
    ),
    "hints of the starter code": (
        function(("[1, 2]", "3"), starter_code=STARTER),
        "class Solution:\n def solve(self, h): return h.val + h.next.val",
        "accepted",
        "value",
    ),
    "in place": (
        function(("[3, 1, 2]", "[1, 2, 3]")),
        "class Solution:\n def solve(self, x: List[int]) -> None: x.sort()",
        "accepted",
        "value",
    ),
    "prelude": (
        function(("1", "2"), prelude="from math import *\nK = 1"),
        "def solve(x): return x + K + floor(0.5)",
        "accepted",
        "value",
    ),
    "bad prelude": (
        function(("1", "2"), prelude="1 / 0"),
        "def solve(x): return 2",
        "judge_error",
        "",
    ),
    "bad input": (function(("what is this", "2")), "def solve(x): return 2", "judge_error", ""),
    "future annotations": (
        function(("[1]", "[1]")),
        f"from __future__ import annotations\nclass Solution:\n"
        f" def solve(self, h: {LINKED}) -> {LINKED}: return h",
        "accepted",
        "value",
    ),
    "own exit": (function(("1", "1")), "import os\ndef solve(x): os._exit(0)", "runtime_error", ""),
    "no function": (function(("1", "1")), "x = 1", "runtime_error", ""),
    "too deep": (
        function(("1", "1")),
        "def solve(x):\n for _ in range(10 ** 5): x = [x]\n return x",
        "runtime_error",
        "",
    ),
    "function syntax": (function(("1", "1")), "def solve(x:", "compile_error", ""),
    "function spins": (function(("1", "1")), "def solve(x):\n while 1: pass", "time_limit", ""),
    "function memory": (
        function(("1", "1")),
        "def solve(x): return [0] * 10 ** 10",
        "memory_limit",
        "",
    ),
    "numpy result": (
        function(("1", "[1, 2.5]")),
        "import numpy as np\ndef solve(x): return [np.int64(1), np.float64(2.5)]",
        "accepted",
        "value",
    ),
    "unordered": (
        function(("1", "[1, 2, 2]"), checker=Checker("unordered")),
        "def solve(x): return [2, 1, 2]",
        "accepted",
        "unordered",
    ),
    # checker programs
    "checker accepts": (CHECKED, "print(sum(map(int, input().split())))", "accepted", "program"),
    "checker refuses": (CHECKED, "print(4)", "wrong_answer", ""),
    "checker not asked": (CHECKED, "print(3); 1 / 0", "runtime_error", ""),
    "checker broken": (
        make_problem(("", "1"), checker=Checker("program", source="1 / 0")),
        "print(1)",
        "judge_error",
        "",
    ),
    "checker exits 0": (
        make_problem(("", "1"), checker=Checker("program", source="pass")),
        "print(1)",
        "judge_error",
        "",
    ),
    "checker of a function": (
        function(
            ("3", "0"),
            checker=Checker("program", source=JSON_CHECKER),
        ),
        "def solve(x): return (x, 1)",
        "accepted",
        "program",
    ),
    # asserts
    "asserts": (
        asserts("assert candidate(1) == 2\nassert inc(2) == 3"),
        INC,
        "accepted",
        "asserts",
    ),
    "asserts on a method": (
        asserts("assert candidate(1) == inc(1) == 2"),
        "class Solution:\n def inc(self, x): return x + 1",
        "accepted",
        "asserts",
    ),
    "assert fails": (asserts("assert candidate(1) == 3, 'not 3'"), INC, "wrong_answer", ""),
    "HumanEval's check": (
        asserts("def check(candidate):\n    assert candidate(1) == 3\n"),
        INC,
        "wrong_answer",
        "",
    ),
    "HumanEval's check, called": (
        asserts("def check(candidate):\n    assert candidate(1) == 2\n\ncheck(inc)\n"),
        INC,
        "accepted",
        "asserts",
    ),
    "assert raises": (
        asserts("assert candidate(1)"),
        "def inc(x): return x / 0",
        "runtime_error",
        "",
    ),
    "assert exits": (
        asserts("assert candidate(1) == 3"),
        "import sys\ndef inc(x): sys.exit(0)",
        "runtime_error",
        "",
    ),
    "assert _exits": (
        asserts("assert candidate(1) == 3"),
        "import os\ndef inc(x): os._exit(0)",
        "runtime_error",
        "",
    ),
    "program exits first": (
        asserts("assert candidate(1) == 3"),
        "import sys\nsys.exit(0)",
        "runtime_error",
        "",
    ),
    "forged report": (
        asserts("assert candidate(1) == 3"),
        "import os\ndef inc(x):\n os.pwrite(3, b'x' * 16 + b'D', 0)\n os._exit(0)",
        "runtime_error",
        "",
    ),
    "test does not compile": (asserts("assert ("), "def inc(x): return 1", "judge_error", ""),
    "asserts without fn_name": (
        make_problem(("assert True", ""), checker=Checker("asserts")),
        "pass",
        "judge_error",
        "",
    ),
}


@pytest.fixture(scope="module")
def results(needs_tier_a: None) -> dict[str, JudgeResult]:
    pairs = [(problem, code) for problem, code, _, _ in CASES.values()]
    with Judge(time_limit_s=2, memory_limit_mb=300, output_limit_mb=4) as judge:
        found = dict(judge.map(pairs))
    return {name: found[i] for i, name in enumerate(CASES)}


@pytest.mark.parametrize("name", CASES)
def test_verdict(name: str, results: dict[str, JudgeResult]) -> None:
    _, _, verdict, rule = CASES[name]
    result = results[name]
    last = result.tests[-1] if result.tests else None
    assert result.verdict == verdict, (result.detail, last)
    assert result.passed == (verdict == "accepted")
    assert (last.matched_by if last else "") == rule
    assert result.passed or result.detail


def test_result_line(judge: Judge) -> None:
    line = judge.judge(SUM, "print(3)", "s1").to_json()
    assert line["problem_id"] == "test/p"
    assert line["solution_id"] == "s1"
    assert (line["passed"], line["verdict"], line["tests_run"]) == (False, "wrong_answer", 2)
    assert set(line["tests"][0]) == {"verdict", "seconds", "memory_mb", "matched_by", "detail"}
    assert line["tests"][1]["detail"] == "token 1: expected '11', found '3'"
    assert 0 < line["tests"][0]["seconds"] < 2
    assert 1 < line["tests"][0]["memory_mb"] < 100
    assert (line["tier"], line["policy"]) == ("A", "robust")


def test_stops_at_the_first_refusal_unless_told(judge: Judge) -> None:
    problem = make_problem(("1", "0"), ("2", "2"), ("3", "0"))
    assert judge.judge(problem, "print(input())").tests_run == 1
    with Judge(all_tests=True) as every:
        result = every.judge(problem, "print(input())")
    assert [t.verdict for t in result.tests] == ["wrong_answer", "accepted", "wrong_answer"]


def test_a_certain_refusal_counts_before_a_judge_error() -> None:
    tests = (TestCase("not readable", "1"), TestCase("1", "0"))
    problem = Problem(id="a/b", fn_name="f", tests=tests)
    with Judge(all_tests=True) as judge:
        assert judge.judge(problem, "def f(x): return x").verdict == "wrong_answer"


def test_strict_policy_refuses_what_livecodebench_refuses() -> None:
    with Judge(policy="strict") as judge:
        assert not judge.judge(make_problem(("", "YES\n")), "print('yes')").passed
        assert judge.judge(make_problem(("", "0011\n")), "print(11)").passed


def test_limits_of_the_problem_win() -> None:
    with Judge(time_limit_s=1, memory_limit_mb=64) as judge:
        code = "x = bytearray(200 << 20)\nimport time\nt = time.process_time\nwhile t() < 1.5: pass"
        assert judge.judge(make_problem(("", "")), code).verdict == "memory_limit"
        generous = make_problem(("", ""), time_limit_s=4.0, memory_limit_mb=400)
        assert judge.judge(generous, code).verdict == "accepted"


def test_map_streams_with_bounded_look_ahead(judge: Judge) -> None:
    taken = 0

    def pairs() -> Iterator[tuple[Problem, str]]:
        nonlocal taken
        while True:
            taken += 1
            yield ONE, f"print({taken})"

    seen = {}
    for index, result in judge.map(pairs()):
        seen[index] = result.verdict
        if len(seen) == 3:
            break
    assert taken <= 3 + judge.look_ahead
    assert seen.get(0, "accepted") == "accepted"


def test_map_names_solutions(judge: Judge) -> None:
    found = dict(judge.map([(ONE, "print(1)"), (ONE, "print(2)")], solution_ids=["a", "b"]))
    assert [(found[i].solution_id, found[i].passed) for i in (0, 1)] == [("a", True), ("b", False)]


def test_wrong_use() -> None:
    with pytest.raises(ValueError, match="policy: 'loose' is not one of robust, strict"):
        Judge(policy="loose")  # type: ignore[arg-type]
    for name, values in {
        "workers": (0, -1, 1.5, "2", True),
        "time_limit_s": (0, -1, "6", None, float("nan"), float("inf"), True),
        "memory_limit_mb": (0, -1, 1.5, "64"),
        "output_limit_mb": (0, -0.5, "1", float("nan")),
    }.items():
        for value in values:
            with pytest.raises(ValueError, match=rf"^{name}: .* is not a"):
                Judge(**{name: value})
    judge = Judge()
    judge.close()
    with pytest.raises(RuntimeError, match="closed"):
        judge.judge(ONE, "print(1)")


@pytest.mark.parametrize("field", ["time_limit_s", "memory_limit_mb"])
@pytest.mark.parametrize("value", [0, -1, float("nan"), "6"])
def test_a_problem_with_a_limit_that_is_none(field: str, value: Any) -> None:
    with pytest.raises(ProblemError, match=f"field '{field}'"):
        make_problem(("1", "1"), **{field: value})


def test_wrong_types(judge: Judge) -> None:
    with pytest.raises(
        TypeError, match=r"expected pipelines.problem.Problem, found dict; .*from_js"
    ):
        judge.judge({"id": "a", "tests": []}, "print(1)")  # type: ignore[arg-type]
    for code in (None, b"print(1)"):
        with pytest.raises(TypeError, match="code: expected text"):
            judge.judge(ONE, code)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=r"pairs\[1\]: code: expected text"):
            list(judge.map([(ONE, "print(1)"), (ONE, code)]))  # type: ignore[list-item]
    for pair in (None, ONE, "ab", (ONE,), (ONE, "print(1)", 1)):
        with pytest.raises(TypeError, match=r"pairs\[0\]: "):
            list(judge.map([pair]))  # type: ignore[list-item]


def test_a_bug_of_ours_is_a_judge_error(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object) -> None:
        raise KeyError("bug")

    monkeypatch.setattr("evaluator.verdicts.compare_text", broken)
    result = judge.judge(ONE, "print(1, 2)")
    assert result.verdict == "judge_error"
    assert "KeyError" in result.detail


def test_hashes_of_text_are_the_same_in_every_run(judge: Judge) -> None:
    """As with PYTHONHASHSEED=0: a set's order must not make a verdict a matter of luck."""
    ask = [interpreter(), "-S", "-c", "print(hash('a'))"]
    env = {"PYTHONHASHSEED": "0"}
    said = subprocess.run(ask, env=env, capture_output=True, text=True, check=True).stdout
    assert judge.judge(make_problem(("", said)), "print(hash('a'))").passed


def test_no_heavy_import() -> None:
    code = "import sys, evaluator, evaluator.judge; print({'torch', 'prefect'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_no_nonce_reads_as_a_note(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    for letter in (b"T", b"C"):
        monkeypatch.setattr("secrets.token_bytes", lambda n, letter=letter: letter * n)
        assert judge.judge(function(("1", "1")), "def solve(x): return x").passed
        exits = judge.judge(function(("1", "1")), "import os\ndef solve(x): os._exit(1)")
        assert exits.verdict == "runtime_error"
