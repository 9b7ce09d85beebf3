"""Do the tests deserve trust: strength by mutants, comparisons inferred, flaky and near-limit
tests, and which tests are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from curation_helpers import dropped, folder_bytes, kept

from curation import strength as strength_module
from curation.checker_inference import says_any_order
from curation.strength import judge_of_mutants, measure
from curation.tests_kept import kept_kill_rate, smallest_cover, truncate_tests
from curation.verify import VerifyConfig, verify
from evaluator.judge import Judge
from pipelines.problem import Checker, Problem, Solution, TestCase
from pipelines.shards import write_problems
from pipelines.stage import StageResult

GRADE = """n = int(input())
if n < 10:
    print("low")
elif n <= 20:
    print("middle")
else:
    print("high")
"""


def cases(*pairs: tuple[str, str]) -> tuple[TestCase, ...]:
    return tuple(TestCase(f"{i}\n", f"{o}\n") for i, o in pairs)


STRONG = cases(
    ("9", "low"), ("10", "middle"), ("20", "middle"), ("21", "high"), ("0", "low"), ("11", "middle")
)
WEAK = cases(("50", "high"), ("60", "high"))


def grade(name: str, tests: tuple[TestCase, ...], *codes: str, **facts: Any) -> Problem:
    solutions = tuple(Solution(c) for c in codes or (GRADE,))
    return Problem(id=name, statement="Grade a number.", tests=tests, solutions=solutions, **facts)


def run(tmp_path: Path, problems: list[Problem], name: str = "out", **config: Any) -> StageResult:
    folder = tmp_path / f"{name}-in"
    write_problems(problems, folder)
    return verify([folder], tmp_path / name, VerifyConfig(**config))


def test_strength_tells_strong_tests_from_weak_ones() -> None:
    with Judge(workers=2, all_tests=True) as judge:
        found = dict(measure(judge, [(grade("a/s", STRONG), GRADE), (grade("a/w", WEAK), GRADE)]))
    strong, weak = found[0], found[1]
    assert strong.made == weak.made > 5
    assert strong.rate == 1.0
    assert weak.rate is not None
    assert weak.rate < 0.6
    assert any("n < 10 -> n <= 10" in s for s in weak.survivors)
    assert len(strong.kills) == strong.killed
    boundary = smallest_cover(strong.kills)
    assert len(boundary) < len(STRONG)  # 0 and 11 kill nothing new
    assert kept_kill_rate(strong.kills, boundary) == 1.0


def test_a_mutant_stops_at_its_first_time_limit() -> None:
    countdown = "n = int(input())\nwhile n > 0:\n    n -= 1\nprint(n)\n"
    problem = grade("a/loop", cases(("0", "0"), ("5", "0"), ("7", "0"), ("9", "0")), countdown)
    with judge_of_mutants(2) as judge:
        ((_, strength),) = measure(judge, [(problem, countdown)])
    assert strength.stopped
    assert all(len(strength.kills[at]) == 1 for at in strength.stopped)
    whole = [kills for at, kills in enumerate(strength.kills) if at not in strength.stopped]
    assert any(len(kills) > 1 for kills in whole)  # a wrong answer stops nothing


def test_a_mutant_meets_so_many_tests_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strength_module, "MUTANT_TESTS", 2)
    tests = (*WEAK, *STRONG)
    with judge_of_mutants(2) as judge:
        found = dict(measure(judge, [(grade("a/m", tests), GRADE), (grade("a/w", WEAK), GRADE)]))
    assert found[0] == found[1]


def test_weak_tests_are_flagged_or_dropped(tmp_path: Path) -> None:
    problems = [grade("a/strong", STRONG), grade("a/weak", WEAK)]
    result = run(tmp_path, problems, mutants=20)
    flags = {p.id: p.flags for p in kept(result.out)}
    assert ("weak_tests" in flags["a/weak"], "weak_tests" in flags["a/strong"]) == (True, False)
    assert result.extra["weakest"][0][0] == "a/weak"
    assert result.extra["trust_flags"]["weak_tests"] == 1
    assert sum(result.extra["kill_rates"].values()) == 2
    floor = run(tmp_path, problems, "floor", mutants=20, min_kill_rate=0.9)
    ((name, (reason, evidence)),) = dropped(floor.out).items()
    assert (name, reason) == ("a/weak", "weak_tests")
    assert evidence["survivors"]
    assert evidence["killed"] < evidence["mutants"]


@pytest.mark.parametrize("rule", ["by_kill_power", "longest", "samples_first", "first"])
def test_tests_are_cut_and_the_full_set_stays(tmp_path: Path, rule: str) -> None:
    problem = grade("a/strong", (*cases(("1000", "high"), ("2000", "high")), *STRONG))
    result = run(tmp_path, [problem], mutants=20, max_tests=5, test_rule=rule)
    (p,) = kept(result.out)
    assert len(p.tests) == 5
    assert result.extra["tests"] == {"before": 8, "after": 5}
    assert len(next(iter(kept(tmp_path / "out-in"))).tests) == 8
    with Judge(workers=2) as judge:
        ((_, strength),) = measure(judge, [(p, GRADE)])
    assert (strength.rate == 1.0) == (rule == "by_kill_power")


def test_bytes_and_order() -> None:
    p = grade("a/b", tuple(TestCase("x" * n, "y") for n in (4, 9, 2, 7)))
    assert [len(t.input) for t in truncate_tests(p, 9, max_bytes=13).tests] == [9, 2]
    assert [len(t.input) for t in truncate_tests(p, 9, max_bytes=1).tests] == [9]
    assert [len(t.input) for t in truncate_tests(p, 2, "first").tests] == [4, 9]
    assert truncate_tests(p, 4) is p
    assert truncate_tests(p, 2, "by_kill_power").tests == truncate_tests(p, 2).tests


def test_a_float_tolerance_is_inferred(tmp_path: Path) -> None:
    half = "print(int(input()) / 3)\n"
    rounded = "print(round(int(input()) / 3, 5))\n"
    wrong = "print(int(input()) / 3 + 0.01)\n"
    tests = cases(("1", "0.333333333"), ("2", "0.666666667"))
    solutions = (Solution(half), Solution(rounded), Solution(wrong, "wrong_answer"))
    problem = Problem("a/f", statement="A third.", tests=tests, solutions=solutions)
    result = run(tmp_path, [problem], mutants=0)
    (p,) = kept(result.out)
    assert p.checker == Checker("float", (("abs_tol", 1e-4), ("rel_tol", 1e-4)))
    assert "checker_inferred" in p.flags
    assert result.extra["inferred_checkers"] == {"a/f": "float (abs_tol 0.0001, rel_tol 0.0001)"}
    exact = run(tmp_path, [problem], "exact", mutants=0, infer_checkers=False)
    assert [reason for reason, _ in dropped(exact.out).values()] == ["several_answers"]


def test_an_order_free_result_is_inferred(tmp_path: Path) -> None:
    up = "def f(n):\n    return list(range(n))\n"
    down = "def f(n):\n    return list(range(n))[::-1]\n"
    wrong = "def f(n):\n    return [0] * n\n"
    tests = (TestCase("3", "[0, 1, 2]"), TestCase("2", "[0, 1]"))
    solutions = (Solution(up), Solution(down), Solution(wrong, "wrong_answer"))
    problem = Problem("a/o", statement="Numbers.", fn_name="f", tests=tests, solutions=solutions)
    (p,) = kept(run(tmp_path, [problem], mutants=0).out)
    assert p.checker.kind == "unordered"


def test_several_answers_without_a_checker_are_dropped(tmp_path: Path) -> None:
    problem = grade("a/any", cases(("5", "2")), "print(2)", "print(3)")
    result = run(tmp_path, [problem], mutants=0)
    reason, evidence = dropped(result.out)["a/any"]
    assert (reason, evidence["solution"]) == ("several_answers", 1)
    broken = run(tmp_path, [grade("a/b", cases(("5", "2")), "print(3)")], "b", mutants=0)
    assert dropped(broken.out)["a/b"][0] == "accepted_fails"


def test_words_make_a_comparison_unordered(tmp_path: Path) -> None:
    down = Solution("def f(n):\n    return list(range(n))\n")
    tests = (TestCase("3", "[0, 1, 2]"),)
    text = "List the numbers. Return the answer in any order."
    problem = Problem("a/o", statement=text, fn_name="f", tests=tests, solutions=(down,))
    (p,) = kept(run(tmp_path, [problem], mutants=0).out)
    assert (p.checker.kind, "any_order" in p.flags) == ("unordered", True)


def test_words_do_not_stand_against_a_wrong_program(tmp_path: Path) -> None:
    up = Solution("def f(n):\n    return list(range(n))\n")
    down = Solution("def f(n):\n    return list(range(n))[::-1]\n", expected="wrong_answer")
    tests = (TestCase("3", "[0, 1, 2]"),)
    text = "Give the numbers, then return the answer in any order. Smallest first."
    problem = Problem("a/o", statement=text, fn_name="f", tests=tests, solutions=(up, down))
    result = run(tmp_path, [problem], mutants=0)
    (p,) = kept(result.out)
    assert (p.checker, "any_order" in p.flags) == (Checker(), False)
    assert result.extra["inferred_checkers"] == {"a/o": "default"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("You may return the answer in any order.", True),
        ("Return the list of pairs. The order of the output does not matter.", True),
        ("Print the names in any order.", True),
        ("You can perform the operations in any order.", False),
        ("Visit the cities in any order. Return the shortest length.", False),
        ("Return the number of ways to visit them in any order.", False),
        ("The letters are given in any order.", False),
        ("", False),
    ],
)
def test_any_order(text: str, expected: bool) -> None:
    assert says_any_order(text) is expected


def test_flaky_programs_are_seen(tmp_path: Path) -> None:
    # passes or fails by a coin: the seed is the machine's, so it is tossed often enough
    coin = "import random\nprint('low' if random.random() < 0.75 else 'x')\n"
    problem = grade("a/coin", cases(*[("1", "low")]), coin)
    flags = set()
    for attempt in range(12):
        result = run(tmp_path, [problem], f"o{attempt}", mutants=0, repeats=20)
        flags |= {f for p in kept(result.out) for f in p.flags}
        if "flaky" in flags:
            break
    assert "flaky" in flags
    steady = run(tmp_path, [grade("a/s", STRONG)], "steady", mutants=0)
    assert "flaky" not in next(iter(kept(steady.out))).flags


def test_near_limit(tmp_path: Path) -> None:
    slow = "from time import process_time as t\ns = t()\nwhile t() - s < 0.35: pass\nprint('low')\n"
    problem = grade("a/slow", cases(("1", "low")), slow, time_limit_s=0.5)
    (p,) = kept(run(tmp_path, [problem], mutants=0).out)
    assert "near_limit" in p.flags


def test_the_same_bytes_again(tmp_path: Path) -> None:
    problems = [grade("a/strong", STRONG), grade("a/weak", WEAK)]
    one = run(tmp_path, problems, "one", workers=1, max_tests=3)
    two = run(tmp_path, problems, "two", workers=2, max_tests=3)
    assert folder_bytes(one.out) == folder_bytes(two.out)
