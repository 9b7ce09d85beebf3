"""Tests that share a process: nothing of one may change the verdict on another."""

from __future__ import annotations

import asyncio
import os
import textwrap
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from judging import make_problem

from evaluator.judge import Judge, JudgeResult
from pipelines.problem import Problem

pytestmark = pytest.mark.usefixtures("needs_tier_a")
Mine = Callable[[], list[int]]
COUNT = make_problem(*((f"{i}\n", f"{i + 1}\n") for i in range(6)))
ECHO = make_problem(("hello\n", "hello\n"))
SAME = make_problem(*((f"{i}\n", "1\n") for i in range(6)))

#: Right programs, each of which leaves something behind that the next test must not meet.
LEAVES_BEHIND = {
    "module attribute": """
        import math
        math.seen = getattr(math, "seen", 0) + 1
        print(int(input()) + math.seen)""",
    "builtin replaced": """
        import builtins
        seen = getattr(builtins, "seen", 0)
        builtins.seen = 1
        print(int(input()) + 1 + seen)""",
    "print replaced": """
        import builtins
        n = int(input())
        show = builtins.print
        builtins.print = lambda *a: show("again", *a)
        show(n + 1)""",
    "stdin closed": "import sys; n = int(input()); sys.stdin.close(); print(n + 1)",
    "descriptor 0 closed": "import os; n = int(input()); os.close(0); print(n + 1)",
    "open(0)": "print(int(open(0).read()) + 1)",
    "stdin read past": "import sys; a = sys.stdin.read(); sys.stdin.read(); print(int(a) + 1)",
    "stdin half read": """
        import sys
        print(int(sys.stdin.buffer.read(1)) + 1)""",
    "stdout replaced": """
        import io, sys
        out = io.StringIO()
        old, sys.stdout = sys.stdout, out
        print(int(input()) + 1)
        old.write(out.getvalue())""",
    "stdout in a cycle": """
        import os, sys
        class Fast:
            def __init__(self):
                self.parts = []
                self.write = lambda s: self.parts.append(s)
            def flush(self):
                os.write(1, "".join(self.parts).encode())
                self.parts.clear()
        sys.stdout = Fast()
        print(int(input()) + 1)""",
    "stdout closed": "import sys; print(int(input()) + 1, flush=True); sys.stdout.close()",
    "sys.exit": "import sys; print(int(input()) + 1); sys.exit()",
    "os._exit": "import os; print(int(input()) + 1, flush=True); os._exit(0)",
    "os.write": "import os; os.write(1, b'%d\\n' % (int(os.read(0, 99)) + 1))",
    "atexit": "import atexit; n = int(input()); atexit.register(lambda: print(n + 1))",
    "printed when it is destroyed": """
        class Last:
            def __init__(self, n): self.n = n
            def __del__(self): print(self.n + 1)
        last = Last(int(input()))""",
    "printed when a cycle is destroyed": """
        class Last:
            def __del__(self): print(self.n + 1)
        last = Last()
        last.n = int(input())
        last.itself = last""",
    "a few in a list of itself": """
        class Last:
            def __del__(self): print(int(input()) + 1)
        all = [Last()]
        all.append(all)""",
    "thread": """
        import threading
        n = int(input())
        threading.Timer(0.02, lambda: print(n + 1)).start()""",
    "daemon": """
        import threading, time
        threading.Thread(target=time.sleep, args=(9,), daemon=True).start()
        print(int(input()) + 1)""",
    "thread that recurses": """
        import sys, threading
        sys.setrecursionlimit(10 ** 6)
        threading.stack_size(1 << 26)
        def main():
            f = lambda k: k and f(k - 1)
            f(20000)
            print(int(input()) + 1)
        t = threading.Thread(target=main)
        t.start()
        t.join()""",
    "file": """
        import os
        assert not os.path.exists("left") or os.path.getsize("left") > 99
        open("left", "w").write("x")
        print(int(input()) + 1)""",
    "directory": """
        import os
        os.mkdir("d")
        os.chdir("d")
        print(int(input()) + 1)""",
    "recursion limit": "import sys; sys.setrecursionlimit(60); print(int(input()) + 1)",
    "random": "import random; random.seed(1); random.random(); print(int(input()) + 1)",
    "garbage collector": "import gc; gc.disable(); gc.freeze(); print(int(input()) + 1)",
    "alarm": """
        import signal
        signal.signal(signal.SIGALRM, lambda *a: 1 / 0)
        n = int(input())
        signal.setitimer(signal.ITIMER_REAL, 0.003)
        print(n + 1)""",
    "main module": """
        import __main__
        assert not hasattr(__main__, "seen")
        seen = True
        print(int(input()) + 1)""",
    "modules cleared": "import sys; n = int(input()); print(n + 1); sys.modules.clear()",
    "memory": """
        import math
        math.kept = getattr(math, "kept", []) + [bytearray(90 << 20)]
        print(int(input()) + 1)""",
    "output seeked": "import os; print(int(input()) + 1, flush=True); os.lseek(1, 0, 0)",
    "output truncated": """
        import os, sys
        n = int(input())
        os.ftruncate(1, 0) if n == 3 else None
        print(n + 1)""",
}


@pytest.mark.parametrize("name", LEAVES_BEHIND)
def test_leaves_something_behind(name: str) -> None:
    code = textwrap.dedent(LEAVES_BEHIND[name])
    with Judge(workers=1, time_limit_s=3, memory_limit_mb=256) as judge:
        result = judge.judge(COUNT, code)
        assert result.verdict == "accepted", result
        assert len(result.tests) == 6


WRONG_LATER = {
    "wrong": ("print(1 if input() != '4' else 2)", "wrong_answer"),
    "raises": ("print(1 if input() != '4' else 1 / 0)", "runtime_error"),
    "hangs": ("if input() == '4':\n    while 1: pass\nprint(1)", "time_limit"),
    "sleeps": ("import time\nprint(1)\nif input() == '4': time.sleep(99)", "time_limit"),
    "memory": ("print(1)\nif input() == '4': x = 'x' * (1 << 30)", "memory_limit"),
    "output": ("print(1 if input() != '4' else 'x' * (9 << 20))", "output_limit"),
    "exit": ("print(1)\nif input() == '4': raise SystemExit(3)", "runtime_error"),
    "killed": ("import os\nprint(1)\nif input() == '4': os.abort()", "runtime_error"),
    "hangs at exit": (
        "import atexit\nprint(1)\nif input() == '4': atexit.register(exec, 'while 1: pass')",
        "time_limit",
    ),
    "extra output of a thread": (
        "import threading, time\n"
        "def late():\n    time.sleep(0.05)\n    print('more')\n"
        "print(1)\nif input() == '4': threading.Thread(target=late).start()",
        "wrong_answer",
    ),
}


@pytest.mark.parametrize("name", WRONG_LATER)
@pytest.mark.parametrize("isolate", ["solution", "test"])
def test_the_verdict_of_a_later_test(name: str, isolate: str) -> None:
    code, verdict = WRONG_LATER[name]
    with Judge(1, isolate=isolate, time_limit_s=0.5, memory_limit_mb=128, output_limit_mb=4) as j:  # type: ignore[arg-type]
        result = j.judge(SAME, code)
    assert [t.verdict for t in result.tests] == ["accepted"] * 4 + [verdict], result


@pytest.mark.parametrize("isolate", ["solution", "test"])
def test_all_tests_go_on_after_refusals(isolate: str) -> None:
    code = "n = int(input())\nprint(1 if n % 2 else 1 / (n - 2))"
    expected = ["wrong_answer", "accepted", "runtime_error", "accepted", "wrong_answer", "accepted"]
    with Judge(1, isolate=isolate, all_tests=True) as judge:  # type: ignore[arg-type]
        result = judge.judge(SAME, code)
    assert [t.verdict for t in result.tests] == expected


def test_the_time_limit_is_of_one_test_however_many_share_a_process() -> None:
    code = "from time import process_time as t\nend = t() + 0.3\nwhile t() < end: pass\nprint(1)"
    with Judge(1, time_limit_s=0.5) as judge:
        result = judge.judge(SAME, code)
    assert result.passed, result
    assert all(0.25 < t.seconds < 0.5 for t in result.tests)


def test_what_sharing_lets_through_and_isolating_does_not() -> None:
    """The price of batches, named in the docs: state in a module reaches the next test."""
    code = "import math\nmath.n = getattr(math, 'n', 0) + 1\nprint(math.n)"
    counting = make_problem(("", "1"), ("", "2"))
    with Judge(1, isolate="test") as judge:
        assert judge.judge(counting, code).verdict == "wrong_answer"


FUNCTIONS = {
    "global": "seen = []\ndef f(x):\n    seen.append(x)\n    return len(seen)",
    "rebound global": "n = 0\ndef f(x):\n    global n\n    n += 1\n    return n",
    "default argument": "def f(x, seen=[]):\n    seen.append(x)\n    return len(seen)",
    "class attribute": "class Solution:\n    seen = []\n    def f(self, x):\n"
    "        self.seen.append(x)\n        return len(self.seen)",
    "instance": "class Solution:\n    def __init__(self): self.n = 0\n    def f(self, x):\n"
    "        self.n += 1\n        return self.n",
    "function attribute": "def f(x):\n    f.n = getattr(f, 'n', 0) + 1\n    return f.n",
    "cache": "from functools import cache\n@cache\ndef g(): return []\ndef f(x):\n"
    "    g().append(x)\n    return len(g())",
    "module": "import math\ndef f(x):\n    math.n = getattr(math, 'n', 0) + 1\n    return math.n",
    "argument": "def f(x):\n    return 1",
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_find_fresh_state(name: str) -> None:
    problem = make_problem(*((f"{i}", "1") for i in range(6)), fn_name="f")
    with Judge(1) as judge:
        result = judge.judge(problem, FUNCTIONS[name])
    assert result.passed, result
    assert len(result.tests) == 6


def test_a_function_cannot_change_the_arguments_of_the_next_test() -> None:
    problem = make_problem(*(("[[1, 2], [3]]", "3") for _ in range(4)), fn_name="f")
    code = "def f(x):\n    n = sum(map(len, x))\n    x.clear()\n    return n"
    with Judge(1) as judge:
        assert judge.judge(problem, code).passed


def test_prelude_functions_see_what_the_program_defines() -> None:
    prelude = "def helper(x): return scale(x)\ndef scale(x): return x\n"
    problem = make_problem(("1", "10"), ("2", "20"), fn_name="f", prelude=prelude)
    code = "def scale(x): return 10 * x\ndef f(x): return helper(x)"
    with Judge(1) as judge:
        assert judge.judge(problem, code).passed


def test_cheapest_first_keeps_the_problems_order_in_the_result() -> None:
    problem = make_problem(("long input " * 9, "no"), ("5", "5"), ("66", "6"))
    with Judge(1, order="cheapest") as judge:
        result = judge.judge(problem, "print(input())")
        assert [t.verdict for t in result.tests] == ["accepted", "wrong_answer"]
    with Judge(1, order="cheapest", all_tests=True) as judge:
        result = judge.judge(problem, "print(input())")
    assert [t.verdict for t in result.tests] == ["wrong_answer", "accepted", "wrong_answer"]


def test_inputs_larger_than_a_message_and_than_a_batch() -> None:
    tests = [
        (str(i) * n + "\n", f"{n}\n") for i, n in ((1, 9), (2, 60_000), (3, 5_000_000), (4, 9))
    ]
    with Judge(1) as judge:
        for isolate in ("solution", "test"):
            judge.isolate = isolate  # type: ignore[assignment]
            result = judge.judge(make_problem(*tests, *tests), "print(len(input()))")
            assert result.passed, result
            assert len(result.tests) == 8


PROCESSES = {
    "fork": "import os\nos.fork()",
    "multiprocessing": "import multiprocessing as m\nm.Process(target=print).start()",
    "pool": "import multiprocessing as m\nm.Pool(2).map(abs, [1])",
    "executor": "from concurrent.futures import ProcessPoolExecutor as E\nlist(E().map(abs, [1]))",
    "subprocess": "import subprocess\nsubprocess.run(['true'])",
    "spawn": "import os\nos.posix_spawn('/bin/true', ['true'], {})",
}


@pytest.mark.parametrize("name", PROCESSES)
def test_processes_are_refused_and_the_verdict_says_so(name: str) -> None:
    with Judge(1) as judge:
        result = judge.judge(ECHO, PROCESSES[name])
    assert result.verdict == "runtime_error"
    assert "programs may not start processes" in result.detail


@pytest.mark.parametrize(
    "code",
    [
        "from concurrent.futures import ThreadPoolExecutor as E\n"
        "with E(4) as e: print(*e.map(lambda x: x, [input()]))",
        "import asyncio\nasync def f(): return input()\nprint(asyncio.run(f()))",
        "import multiprocessing.dummy as m\nprint(m.Pool(2).map(lambda i: input(), [0])[0])",
        "import multiprocessing, subprocess, socket\nprint(input())",
    ],
)
def test_threads_and_asyncio_are_not(code: str) -> None:
    with Judge(1) as judge:
        assert judge.judge(ECHO, code).passed


# -- asyncio, waiting programs, forks -----------------------------------------------------------


def test_asyncio() -> None:
    async def main() -> tuple[JudgeResult, dict[int, bool]]:
        async with Judge(workers=2) as judge:
            one = await judge.ajudge(ECHO, "print(input())", "s")
            pairs = [(ECHO, f"print({'input()' if i % 2 else 0})") for i in range(9)]
            return one, {i: r.passed async for i, r in judge.amap(pairs)}

    one, many = asyncio.run(main())
    assert (one.passed, one.solution_id) == (True, "s")
    assert many == {i: bool(i % 2) for i in range(9)}


def test_cancelling_a_task_kills_its_program(my_processes: Mine) -> None:
    async def main() -> None:
        async with Judge(workers=1, time_limit_s=1000) as judge:
            task = asyncio.create_task(judge.ajudge(ECHO, "import time; time.sleep(900)"))
            while len(my_processes()) < 3:  # launcher, zygote, program
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            while my_processes():  # ends long before the program would
                await asyncio.sleep(0.01)
            assert (await judge.ajudge(ECHO, "print(input())")).passed

    asyncio.run(main())
    assert my_processes() == []


def test_leaving_a_map_kills_what_runs(my_processes: Mine) -> None:
    codes = ["print(input())", *["import time; time.sleep(900)"] * 3]
    with Judge(workers=2, time_limit_s=1000) as judge:
        for _, result in judge.map((ECHO, code) for code in codes):
            assert result.passed
            break
        while judge._rooms.running:
            time.sleep(0.01)
    assert my_processes() == []


def test_leaving_an_async_map_early(my_processes: Mine) -> None:
    def pairs() -> Iterator[tuple[Problem, str]]:
        while True:
            yield ECHO, "print(input())"

    async def main() -> None:
        async with Judge(workers=2) as judge:
            async for _, result in judge.amap(pairs()):
                assert result.passed
                break

    asyncio.run(main())
    assert my_processes() == []


def test_programs_that_wait_hold_no_core() -> None:
    with Judge(workers=1, time_limit_s=30) as judge:
        sleepers = [
            threading.Thread(target=judge.judge, args=(ECHO, "import time; time.sleep(40)"))
            for _ in range(3)
        ]
        for thread in sleepers:
            thread.start()
        while judge._rooms.running < 3:  # each got the core once the one before was seen to wait
            time.sleep(0.01)
        assert judge.judge(ECHO, "print(input())").passed
        assert all(t.is_alive() for t in sleepers)
        judge.close()
        for thread in sleepers:
            thread.join(10)


def test_a_fork_of_the_caller_may_not_use_its_judge() -> None:
    with Judge(workers=1) as judge:
        assert judge.judge(ECHO, "print(input())").passed
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.write(write, judge.judge(ECHO, "print(input())").detail.encode()[:500])
            os._exit(0)
        os.waitpid(pid, 0)
        assert b"cannot be used in a fork" in os.read(read, 1000)
        assert judge.judge(ECHO, "print(input())").passed


def test_many_programs_leave_no_trace(my_processes: Mine) -> None:
    with Judge(workers=2) as judge:
        list(judge.map([(ECHO, "print(input())")] * 8))
        files, processes = len(os.listdir("/proc/self/fd")), len(my_processes())
        for _, result in judge.map([(COUNT, "print(int(input()) + 1)")] * 300):
            assert result.passed
        assert len(os.listdir("/proc/self/fd")) <= files + 4  # a room of the other worker
        assert len(my_processes()) <= processes + 2
    assert my_processes() == []
