"""Mutants are different programs with one fault each, the same on every run."""

from __future__ import annotations

import ast
import gzip
import json
import warnings
from pathlib import Path

import pytest

from curation.mutants import mutants

DATA = Path(__file__).parents[3] / "shared/data/leetcode_dataset"
PROGRAM = """\
import sys
from functools import cache
sys.setrecursionlimit(10**6)
MOD = 10**9 + 7

@cache
def best(xs: tuple[int, ...], k: int = 3) -> int:
    'The longest run of at most 3 things.'
    dp = [0] * (len(xs) + 1)
    top = 0
    for i in range(1, len(xs)):
        if xs[i] > top:
            top = xs[i]
        if xs[i] == 0 and i < k:
            continue
        elif not xs[:i]:
            break
        else:
            dp[i] += min(xs[i], dp[i - 1]) % MOD
    return max(dp) - top
"""


def changes(code: str, most: int = 200) -> set[str]:
    return {m.change for m in mutants(code, most)}


def test_every_kind_of_fault() -> None:
    found = changes(PROGRAM)
    assert {
        "3 -> 4",
        "0 -> 1",
        "len(xs) -> len(xs) + 1",
        "i -> i - 1",
        "xs[i] == 0 -> xs[i] != 0",
        "i < k -> i <= k",
        "xs[i] == 0 and i < k -> xs[i] == 0 or i < k",
        "xs[i] == 0 and i < k -> i < k",
        "continue -> break",
        "break -> (nothing)",
        "min(xs[i], dp[i - 1]) -> max(xs[i], dp[i - 1])",
        "max(dp) - top -> max(dp) + top",
        "dp[i] += min(xs[i], dp[i - 1]) % MOD -> (nothing)",
        "return max(dp) - top -> return None",
        "if xs[i] > top: ... -> (nothing)",
    } <= found
    assert (
        len({"not xs[:i] -> xs[:i]", "if not xs[:i]: ... -> if not not xs[:i]: ..."} & found) == 1
    )
    assert {m.operator for m in mutants(PROGRAM, 200)} == {
        *("arithmetic", "comparison", "boolean", "constant", "bound"),
        *("branch", "statement", "call", "jump"),
    }


def test_what_says_nothing_is_left_alone() -> None:
    found = changes(PROGRAM)
    for kept in ("10**9", "10 **", "setrecursionlimit", "[0] *", "longest run", "cache", "tuple"):
        assert not any(c.startswith(kept) for c in found), kept
    assert "xs[i] > top -> xs[i] >= top" not in found  # the same top comes out
    assert "9 -> 10" not in found
    assert "len(xs) + 1 -> len(xs) - 1" not in found  # the size of a table
    assert changes("if __name__ == '__main__':\n    main()\n") == set()


@pytest.mark.parametrize("change", ["x - 1 + 2", "x + 2", "x + 1 + 1"])
def test_mutants_that_read_alike_are_one(change: str) -> None:
    """`range(x + 1)`: a bound moved and a constant raised are the same program."""
    codes = [m.code for m in mutants("for i in range(x + 1):\n    print(i)\n", 200)]
    assert sum(c == f"for i in range({change}):\n    print(i)\n" for c in codes) <= 1
    forms = {"x + 1 + 1", "x + 2"}
    assert sum(any(f"range({f})" in c for f in forms) for c in codes) == 1


def test_negation_and_inverse_are_one() -> None:
    code = "if a == b:\n    print(1)\nelse:\n    print(2)\n"
    found = changes(code)
    assert len({"a == b -> a != b", "if a == b: ... -> if not a == b: ..."} & found) == 1


def test_each_has_one_fault_and_its_line() -> None:
    original = ast.unparse(ast.parse(PROGRAM)).splitlines()
    for m in mutants(PROGRAM, 200):
        lines = m.code.splitlines()
        assert lines != original
        compile(m.code, "m", "exec")
        old = m.change.partition(" -> ")[0].removesuffix(" ...")
        assert old.split("[")[0] in PROGRAM.splitlines()[m.line - 1].replace("elif", "if"), m
    assert all(m.description == f"line {m.line}: {m.change}" for m in mutants(PROGRAM))


def test_cap_seed_and_spread() -> None:
    ten = mutants(PROGRAM, 10)
    assert len(ten) == 10
    assert ten == mutants(PROGRAM, 10)
    assert [m.line for m in ten] == sorted(m.line for m in ten)
    assert ten != mutants(PROGRAM, 10, seed=1)
    assert len({m.operator for m in ten}) == 9  # each operator that applies
    every = {m.code for m in mutants(PROGRAM, 500)}
    assert len(every) == len(mutants(PROGRAM, 500))
    assert {m.code for m in ten} <= every
    with pytest.raises(ValueError, match="most 0"):
        mutants(PROGRAM, 0)


@pytest.mark.parametrize(
    "code", ["def f(:", "x = 1\0", "-" * 5000 + "1", "(" * 300, "", "pass", "'only a docstring'"]
)
def test_programs_without_mutants(code: str) -> None:
    assert mutants(code) == []


def test_odd_programs_do_not_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mutants("import re\nprint(re.match('\\d', 'a') is 1, (1)(2) if 0 else 3)\n")


def test_real_references() -> None:
    """Every reference gives mutants that compile; few give less than ten."""
    path = DATA / "v0.3.1-test.jsonl.gz"
    if not path.exists():
        pytest.skip(f"{path} is not here")
    with gzip.open(path, "rt") as f:
        codes = [json.loads(line)["completion"] for line in f][:60]
    counts = []
    for code in codes:
        made = mutants(code)
        for m in made:
            ast.parse(m.code)
        counts.append(len(made))
    assert min(counts) >= 1
    assert sum(n == 20 for n in counts) > 40
