"""A program is executed once for all calls only where no call can see that."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from typing import Any

import pytest
from judging import make_problem

from evaluator.judge import Judge
from evaluator.module import NAME, Prelude, Program, new_main, provided

#: Each counts the tests that it has seen in its module: always 1 where the state is fresh.
STATEFUL = {
    "global list": "seen = []\ndef f(x):\n    seen.append(x)\n    return len(seen)",
    "global number": "n = 0\ndef f(x):\n    global n\n    n += 1\n    return n",
    "global made by the call": """
        def f(x):
            global n
            n = globals().get("n", 0) + 1
            return n""",
    "default argument": "def f(x, seen=[]):\n    seen.append(x)\n    return len(seen)",
    "keyword default": "def f(x, *, seen={}):\n    seen[len(seen)] = x\n    return len(seen)",
    "function attribute": """
        def f(x):
            f.n = getattr(f, "n", 0) + 1
            return f.n""",
    "cache": """
        from functools import lru_cache
        @lru_cache(None)
        def g(x): return x
        def f(x):
            g(x)
            return g.cache_info().currsize""",
    "class attribute": """
        class Solution:
            n = 0
            def f(self, x):
                Solution.n += 1
                return self.n""",
    "class list": """
        class Solution:
            seen = []
            def f(self, x):
                self.seen.append(x)
                return len(self.seen)""",
    "attribute of another class": """
        class Memo: pass
        def f(x):
            Memo.n = getattr(Memo, "n", 0) + 1
            return Memo.n""",
    "attribute of a nested class": """
        class Solution:
            class Memo: n = 0
            def f(self, x):
                self.Memo.n += 1
                return self.Memo.n""",
    "attribute of a method": """
        class Solution:
            def f(self, x):
                m = Solution.f
                m.n = getattr(m, "n", 0) + 1
                return m.n""",
    "class method": """
        class Solution:
            n = 0
            @classmethod
            def count(cls):
                cls.n += 1
                return cls.n
            def f(self, x): return self.count()""",
    "closure": """
        def make():
            seen = []
            def g(x):
                seen.append(x)
                return len(seen)
            return g
        f = make()""",
    "generator": "import itertools\nc = itertools.count(1)\ndef f(x): return next(c)",
    "instance": """
        class Solution:
            def __init__(self): self.n = 0
            def g(self):
                self.n += 1
                return self.n
        s = Solution()
        def f(x): return s.g()""",
    "list in a tuple": "t = ([],)\ndef f(x):\n    t[0].append(x)\n    return len(t[0])",
    "set by the module alone": """
        import sys
        sys.setrecursionlimit(77_777)
        def f(x):
            return 1 if sys.getrecursionlimit() == 77_777 else 2""",
    "seeded by the module": """
        import random
        random.seed(5)
        first = random.Random(5).random()
        def f(x): return 1 if random.random() == first else 2""",
    "function replaced": """
        def f(x):
            global f
            f = lambda x: 2
            return 1""",
    "metaclass": """
        class Meta(type):
            n = 0
            def __call__(cls):
                Meta.n += 1
                return super().__call__()
        class Solution(metaclass=Meta):
            def f(self, x): return Meta.n""",
    "base class of the same name": """
        class Solution:
            seen = []
        class Solution(Solution):
            def f(self, x):
                self.seen.append(x)
                return len(self.seen)""",
    "default replaced": """
        def g(n=0): return n
        def f(x):
            g.__defaults__ = (g() + 1,)
            return g()""",
    "keyword default replaced": """
        def g(*, n=0): return n
        def f(x):
            g.__kwdefaults__["n"] += 1
            return g()""",
    "code replaced": """
        def g(): return 1
        def h(): return 2
        def f(x):
            n = g()
            g.__code__ = h.__code__
            return n""",
    "equal but another": """
        n = 0
        def f(x):
            global n
            if n is False: return 2
            n = False
            return 1""",
    "an object that equals all": """
        class Same:
            def __eq__(self, other): return True
            __hash__ = None
        class Box: value = 1
        def f(x):
            n = Box.value
            if n != 1 or type(n) is Same: return 2
            Box.value = Same()
            return 1""",
    "attribute of a provided class": """
        class Solution:
            def f(self, x):
                ListNode.n = getattr(ListNode, "n", 0) + 1
                return ListNode.n""",
    "method of a provided class": """
        class Solution:
            def f(self, x):
                n = getattr(TreeNode.__init__, "n", 0) if TreeNode(1).val else 7
                if TreeNode.__repr__ is not object.__repr__: return 2
                TreeNode.__repr__ = lambda self: ""
                return 1""",
    "loop": "for i in range(3): pass\ndef f(x):\n    global i\n    i += 1\n    return i - 2",
}
#: The same of what the problem gives, of which each program's `f` counts the calls.
PRELUDES = {
    "dict": ("cache = {}", "def f(x):\n    cache[len(cache)] = x\n    return len(cache)"),
    "class": ("class Memo: n = 0", "def f(x):\n    Memo.n += 1\n    return Memo.n"),
    "function": (
        "def helper(seen=[]):\n    seen.append(1)\n    return len(seen)",
        "def f(x): return helper()",
    ),
    "replaced": (
        "def helper(): return 1",
        "def f(x):\n    n = helper()\n    helper.__code__ = (lambda: 2).__code__\n    return n",
    ),
    "counter": ("import itertools\nc = itertools.count(1)", "def f(x): return next(c)"),
}
STATELESS = {
    "function": "def f(x): return 1",
    "solution": """
        from typing import List, Optional
        import collections, math
        from heapq import heappush
        MOD = 10 ** 9 + 7
        DIRECTIONS = ((0, 1), (1, 0))
        class Node:
            __slots__ = ("value",)
            def __init__(self, value: int = 0): self.value = value
        class Solution:
            limit: int = 5
            def help(self, x): return Node(x)
            def f(self, x: int, more: Optional[List[int]] = None) -> int:
                self.seen = [self.help(x)]
                def inner(): return len(self.seen)
                return inner()""",
    "itself in itself": "class A: pass\nA.own = A\ndef f(x): return 1",
}


def run(code: str, tests: int = 3) -> Iterator[Any]:
    """What `f` returns in each test, and the namespace it was in."""
    main, old = sys.modules["__main__"], sys.modules.get(NAME)
    limit = sys.getrecursionlimit()
    compiled = compile(textwrap.dedent(code), "solution.py", "exec", dont_inherit=True)
    program = Program(compiled, provided(compiled), None, keep=True)
    try:
        for _ in range(tests):
            namespace = program.enter()
            found = namespace.get("f") or namespace["Solution"]().f
            yield found(7), namespace
            program.leave().clear()
    finally:
        sys.setrecursionlimit(limit)
        sys.modules["__main__"] = main
        sys.modules.pop(NAME, None)
        if old is not None:
            sys.modules[NAME] = old


@pytest.mark.parametrize("code", STATEFUL.values(), ids=STATEFUL)
def test_each_test_finds_the_module_fresh(code: str) -> None:
    assert [result for result, _ in run(code)] == [1, 1, 1]


@pytest.mark.parametrize("code", STATELESS.values(), ids=STATELESS)
def test_it_is_executed_once_where_nothing_can_change(code: str) -> None:
    results = list(run(code))
    assert [result for result, _ in results] == [1, 1, 1]
    assert len({id(namespace) for _, namespace in results}) == 1
    assert results[0][1], "the namespace must not have been emptied"


@pytest.mark.parametrize("code", STATEFUL.values(), ids=STATEFUL)
def test_the_judge_agrees(judge: Judge, code: str) -> None:
    problem = make_problem(*[("7\n", "1\n")] * 3, fn_name="f")
    result = judge.judge(problem, textwrap.dedent(code))
    assert result.verdict == "accepted", result.detail


@pytest.mark.parametrize(("prelude", "code"), PRELUDES.values(), ids=PRELUDES)
def test_each_test_finds_the_prelude_fresh(judge: Judge, prelude: str, code: str) -> None:
    problem = make_problem(*[("7\n", "1\n")] * 3, fn_name="f", prelude=prelude)
    result = judge.judge(problem, code)
    assert result.verdict == "accepted", result.detail


def test_an_ordinary_prelude_is_executed_once() -> None:
    source = "import math\nfrom typing import *\nfrom collections import *\ninf = float('inf')\n"
    source += "class ListNode:\n    def __init__(self, val=0): self.val = val\n"
    prelude = Prelude((source + "def helper(a): return a").encode(), new_main(NAME))
    assert prelude.error is None
    assert prelude.holds()


def test_the_preludes_helpers_see_the_program() -> None:
    prelude = Prelude(b"base = 1\ndef helper(): return base", new_main(NAME))
    code = compile("def f(x): return helper()", "solution.py", "exec")
    own = compile("base = 5\ndef f(x): return helper()", "solution.py", "exec")
    for compiled, expected in ((code, 1), (own, 5)):
        program = Program(compiled, {}, prelude, keep=True)
        for _ in range(3):
            assert program.enter()["f"](0) == expected
            program.leave().clear()
