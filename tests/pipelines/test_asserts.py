"""Asserts as input/output pairs: only what means the same is converted."""

from __future__ import annotations

import ast
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.asserts import assert_tests, constant, convert, find_function, parameters
from pipelines.problem import Checker, TestCase


def pair(source: str, params: tuple[str, ...] | None = ("a", "b", "c")) -> tuple[str, str] | None:
    made = convert(ast.parse(source).body, "f", params)
    return None if made is None else (made[0][0].input, made[0][0].output)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("assert f(1, [2]) == 3", ("1\n[2]", "3")),
        ("assert f(1, [2]) == 3, 'message'", ("1\n[2]", "3")),
        ("assert 3 == f(1)", ("1", "3")),
        ("assert f(b=2, a=1) == 0", ("1\n2", "0")),
        ("assert f(1, c=3, b=2) == 0", ("1\n2\n3", "0")),
        ("assert f('x')", ('"x"', "true")),
        ("assert not f('x')", ('"x"', "false")),
        ("assert f(1) == True", ("1", "true")),
        ("assert f(1) is False", ("1", "false")),
        ("assert f(None) is None", ("null", "null")),
        ("assert f(-1, +2, 2.5) == -0.5", ("-1\n2\n2.5", "-0.5")),
        ("assert f(10**9, 2 * 3 + 1, 7 // 2, 7 % 4) == 1 / 4", ("1000000000\n7\n3\n3", "0.25")),
        ("assert f('a' * 3, [0] * 2, 2 * 'b') == [1] + [2]", ('"aaa"\n[0, 0]\n"bb"', "[1, 2]")),
        ("assert f({'k': [None]}) == {'v': {}}", ('{"k": [null]}', '{"v": {}}')),
        ("assert f(1) == (1, [(2, 3)], {'k': ()})", ("1", '[1, [[2, 3]], {"k": []}]')),
        ("assert f('a\\nb\u2028\x85') == 'é'", ('"a\\nb\\u2028\\u0085"', '"\\u00e9"')),
        ("assert f('\\ud800') == ''", ('"\\ud800"', '""')),
    ],
)
def test_pairs(source: str, expected: tuple[str, str]) -> None:
    assert pair(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        "assert f((1, 2)) == 3",  # the program would be given a list
        "assert f([(1, 2)]) == 3",
        "assert f({1, 2}) == 3",
        "assert f({1: 2}) == 3",
        "assert f(b'x') == 3",
        "assert f(1j) == 3",
        "assert f(...) == 3",
        "assert f(1) == {1, 2}",
        "assert f(1) == {1: 2}",
        "assert f(1e999) == 1",
        "assert f(1) == float('inf')",
        "assert f(1) == inf",
        "assert f(x) == 1",
        "assert f(*[1]) == 1",
        "assert f(**{'a': 1}) == 1",
        "assert f({**{}}) == 1",
        "assert f(zzz=1) == 1",
        "assert f(1, c=3) == 1",  # b would have to be guessed
        "assert f() == 1",  # no line for no argument
        "assert f(1) != 1",
        "assert f(1) == 1 == 1",
        "assert f(1) is 5",
        "assert f(1) in [1, 2]",
        "assert f(1) == g(1)",
        "assert f(1) == f(1)",
        "assert f(1) == 1 and f(2) == 2",
        "assert set(f(1)) == {1}",
        "assert sorted(f(1)) == [1]",
        "assert int(f(1)) == 1",
        "assert m.f(1) == 1",
        "for i in [1]:\n    assert f(i) == i",
        "x = 1\nassert f(1) == 1",
        "assert True",
        "",
        "assert f(9**9**9) == 1",
        "assert f(2**10_000_000) == 1",
        "assert f('a' * 10**9) == 1",
        "assert f([[0] * 10**5] * 10**5) == 1",
        "assert f(10 * [10 * [10 * [10 * [10 * [10 * [10 * ['a' * 10**6]]]]]]]) == 1",
        "assert f(1 / 0) == 1",
        "assert f((-1) ** 0.5) == 1",
        "assert f('a' + 1) == 1",
        "assert f(" + "[" * 80 + "]" * 80 + " + 1) == 1",
    ],
)
def test_what_would_change_meaning_is_not_converted(source: str) -> None:
    assert pair(source) is None


def test_keyword_arguments_need_a_signature() -> None:
    assert pair("assert f(a=1) == 1", None) is None
    assert pair("assert f(1) == 1", None) == ("1", "1")


@pytest.mark.parametrize(
    ("test", "args"),
    [
        ("abs(f(1) - 1.5) < 1e-6", (("abs_tol", 1e-6), ("rel_tol", 0.0))),
        ("abs(1.5 - f(1)) <= 0.01", (("abs_tol", 0.01), ("rel_tol", 0.0))),
        ("math.isclose(f(1), 1.5)", (("abs_tol", 0.0), ("rel_tol", 1e-9))),
        ("isclose(f(1), 3 / 2, rel_tol=0.001)", (("abs_tol", 0.0), ("rel_tol", 0.001))),
        ("math.isclose(1.5, f(1), abs_tol=1)", (("abs_tol", 1.0), ("rel_tol", 1e-9))),
    ],
)
def test_a_tolerance_makes_a_float_checker(test: str, args: tuple[tuple[str, float], ...]) -> None:
    assert convert(ast.parse(f"assert {test}").body, "f") == (
        (TestCase("1", "1.5"),),
        Checker("float", args),
    )


def test_one_checker_cannot_serve_different_tolerances() -> None:
    exact, loose, looser = "f(1) == 1", "abs(f(1) - 1) < 1e-6", "abs(f(1) - 1) < 1e-3"
    for a, b in ((exact, loose), (loose, looser)):
        assert convert(ast.parse(f"assert {a}\nassert {b}").body, "f") is None
    assert convert(ast.parse("assert abs(f(1) - 1) < x").body, "f") is None


def test_statements_that_say_nothing_are_passed_over() -> None:
    body = ast.parse("'''doc'''\nassert True, 'simple'\npass\nprint\nassert f(1) == 1").body
    assert convert(body, "f") == ((TestCase("1", "1"),), Checker())


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=100, deadline=None)
@given(values, values)
def test_any_json_value_survives(argument: object, result: object) -> None:
    if "inf" in repr((argument, result)):  # an infinity (or a text with the word, no matter)
        return
    made = pair(f"assert f({argument!r}) == {result!r}")
    assert made is not None
    assert "\n" not in made[0]
    assert repr(json.loads(made[0])) == repr(argument)
    assert repr(json.loads(made[1])) == repr(result)


def test_constants_are_read_and_never_run() -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - a NotConvertible without words
        constant(ast.parse("__import__('os').getcwd()", mode="eval").body)


def test_parameters_of_functions_and_methods() -> None:
    tree = ast.parse(
        "def f(old): ...\n"
        "def f(a, /, b=1, *, k): ...\n"
        "class S:\n"
        "    def m(self, x, y): ...\n"
        "    @staticmethod\n"
        "    def s(x): ...\n"
    )
    f, m, s = (find_function(tree, n, c) for n, c in (("f", None), ("m", "S"), ("s", "S")))
    assert f is not None
    assert m is not None
    assert s is not None
    assert parameters(f) == ("a", "b")
    assert parameters(m, method=True) == ("x", "y")
    assert parameters(s, method=True) == ("x",)
    assert find_function(tree, "m") is None
    assert find_function(tree, "m", "Other") is None


def run(tests: tuple[TestCase, ...], function: object) -> None:
    for t in tests:
        exec(t.input, {"candidate": function})


def test_asserts_alone_become_one_test_each() -> None:
    source = (
        "METADATA = {'author': 'x'}\n\n\n"
        "def check(candidate):\n"
        "    assert True\n"
        "    assert candidate((1,)) == 1\n"
        "    assert candidate(\n        (2, 'a\\\n b')) == 2\n"
    )
    tests = assert_tests(ast.parse(source), source)
    assert [t.output for t in tests] == ["", ""]
    assert tests[0].input == "assert candidate((1,)) == 1\n"
    run(tests, lambda t: t[0])
    with pytest.raises(AssertionError):
        run(tests, lambda t: 1)


def test_other_code_stays_whole_without_metadata() -> None:
    source = (
        "import math\nMETADATA = {}\n\ndef check(candidate):\n"
        "    for i in range(3):\n        assert candidate(i) == math.gcd(i, 0)\n"
    )
    (test,) = assert_tests(ast.parse(source), source)
    assert "METADATA" not in test.input
    assert test.input.startswith("import math\n")
    assert test.input.endswith("\n\ncheck(candidate)\n")
    run((test,), lambda i: i)
    with pytest.raises(AssertionError):
        run((test,), lambda i: 0)


def test_random_tests_are_the_same_every_time() -> None:
    source = (
        "def check(candidate):\n    from random import random\n    assert candidate(random())\n"
    )
    (test,) = assert_tests(ast.parse(source), source)
    seen: list[float] = []

    def candidate(x: float) -> bool:
        seen.append(x)
        return True

    run((test, test), candidate)
    assert seen[0] == seen[1]
