"""Printed output: what is accepted, by which rule, and what never is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.compare import compare_text, has_reals
from pipelines.literals import LiteralError, parse_literal
from pipelines.problem import Checker

ACCEPTED = [
    ("3\n", "3\n", "exact"),
    ("3\n", "3", "whitespace"),
    ("3\r\n4\r\n", "3\n4\n", "whitespace"),
    ("\ufeff3\n", "3\n", "whitespace"),
    ("1 2 \n3\n\n", "1 2\n3\n", "whitespace"),
    ("", "\n\n", "whitespace"),
    ("1 2\n3\n", "1\n2 3\n", "tokens"),
    ("  1  2\n", "1 2\n", "tokens"),
    ("YES\nNO\n", "Yes\nno\n", "vocabulary"),
    ("True\n", "true\n", "vocabulary"),
    ("0.3 2.5\n", "0.30000000000000004 2.5\n", "numbers"),
    ("2.0\n", "2\n", "numbers"),
    ("2\n", "2.000\n", "numbers"),
    ("0.0000001\n", "1e-07\n", "numbers"),
    ("1e18\n", "1.0E+18\n", "numbers"),
    ("-0.0\n", "0.0\n", "numbers"),
    ("x 0.5\n", "x 0.5000001\n", "numbers"),
    ("[1, 2, 3]\n", "[1,2,3]\n", "literal"),
    ("['a', \"it's\"]\n", '["a", "it\'s"]\n', "literal"),
    ("[[1.0, 2], (3,)]\n[]\n", "[[1,2.0],[3]]\n[ ]\n", "literal"),
    ("[True, None]\n", "[true, null]\n", "literal"),
]
REFUSED = [
    ("1\n2\n3\n", "1\n"),
    ("1\n", "1\n2\n"),
    ("\n1\n", ""),
    ("1 2 3\n", "3 2 1\n"),
    ("a b\n", "ab\n"),
    ("12\n", "1 2\n"),
    ("abc\n", "ABC\n"),
    ("YES 3\n", "yes 3\n"),
    ("YES\n", "NO\n"),
    ("50000000000000000\n", "50000000000000001\n"),
    ("100000000000000000000000001 0.5\n", "100000000000000000000000002 0.5\n"),
    ("1000000\n", "1000001\n"),
    ("100000\n", "99999.6\n"),
    ("2\n", "2.0000001\n"),
    ("0011\n", "11\n"),
    ("5\n", "+5\n"),
    ("1000\n", "1_000\n"),
    ("1000\n", "1e3\n"),
    ("12\n", "١٢\n"),
    ("0.5\n", "nan\n"),
    ("nan\n", "0.5\n"),
    ("1e308\n", "inf\n"),
    ("0.5\n", "0.50001\n"),
    ("100000006.5\n", "100000007.5\n"),
    ("0.5\n", "00.5\n"),
    ("  *\n **\n", "*\n**\n"),
    ("[1, 2]\n", "[2, 1]\n"),
    ("[1, 1]\n", "[True, True]\n"),
    ("[1, 2]\n", "[1, 2\n"),
    ("(1)\n", "(1,)\n"),
    ("[1, 5]\n", "[1,+5]\n"),
    ("[1, 5]\n", "[1, 05]\n"),
    ("42\n", " ".join(map(str, range(100)))),
]


@pytest.mark.parametrize(("expected", "got", "rule"), ACCEPTED)
def test_accepted(expected: str, got: str, rule: str) -> None:
    match = compare_text(expected, got)
    assert (match.ok, match.matched_by) == (True, rule), match.detail


@pytest.mark.parametrize(("expected", "got"), REFUSED)
def test_refused_with_a_reason(expected: str, got: str) -> None:
    match = compare_text(expected, got)
    assert not match.ok
    assert match.detail
    assert not match.matched_by


def test_a_real_valued_problem_allows_reals_for_an_integral_answer() -> None:
    assert not compare_text("2\n", "1.9999999999\n").ok
    assert compare_text("2\n", "1.9999999999\n", real_valued=True).ok
    assert not compare_text("2\n", "3\n", real_valued=True).ok
    assert has_reals("1\n2.50\n")
    assert not has_reals("v1.2.3 a.b 3.\n")


@pytest.mark.parametrize(
    ("kind", "args", "expected", "got", "ok"),
    [
        ("tokens", {}, "1 2\n", "1\n2", True),
        ("tokens", {}, "yes", "YES", False),
        ("tokens", {}, "0.5", "0.50", False),
        ("float", {"abs_tol": 1e-3}, "1000 a", "1000.0009 a", True),
        ("float", {"abs_tol": 1e-3}, "1.0", "1.01", False),
        ("float", {"rel_tol": 1e-2}, "1000", "1009", True),
        ("float", {"rel_tol": 1e-2}, "0.0", "0.001", False),
        ("float", {}, "3.0", "3.000001", True),
        ("float", {}, "3.0", "nan", False),
        ("float", {}, "ab", "aB", False),
        ("unordered", {}, "1 2 2", "2 1 2", True),
        ("unordered", {}, "1 2 2", "1 1 2", False),
        ("unordered", {}, "1 2\n3 4\n", "3 4\n1 2\n", True),
        ("unordered", {}, "1 2\n3 4\n", "1 3\n2 4\n", False),
    ],
)
def test_declared_checkers(
    kind: str, args: dict[str, float], expected: str, got: str, ok: bool
) -> None:
    checker = Checker(kind, tuple(args.items()))  # type: ignore[arg-type]
    assert compare_text(expected, got, checker).ok is ok


@pytest.mark.parametrize(
    ("expected", "got", "ok"),
    [
        ("1 2\n", " 1 2 \n\n", True),
        ("0011\n", "11\n", True),  # LiveCodeBench's Decimal does
        ("1\n2\n", "1 2\n", False),
        ("YES\n", "yes\n", False),
        ("0.5\n", "0.5000001\n", False),
        ("[1, 2]\n", "[1,2]\n", False),
    ],
)
def test_strict_is_livecodebench(expected: str, got: str, ok: bool) -> None:
    assert compare_text(expected, got, policy="strict").ok is ok


def test_hostile_text_is_cheap() -> None:
    deep = "[" * 500_000
    assert not compare_text("[1]\n", deep).ok
    assert not compare_text("[1]\n", "[" * 1000 + "]" * 1000).ok
    assert not compare_text("1\n", "1 " * 5_000_000).ok
    assert not compare_text("1.5\n", "1e9999\n").ok
    assert not compare_text("1e9999\n", "2e9999\n").ok
    big = "9" * 100_000
    assert compare_text(f"[{big}]\n", f"[ {big}]\n").ok
    assert not compare_text(f"[{big}]\n", f"[ {big[:-1]}8]\n").ok


@given(st.text(), st.text())
def test_never_raises_and_is_reflexive(a: str, b: str) -> None:
    assert compare_text(a, a).ok
    for policy in ("robust", "strict"):
        compare_text(a, b, policy=policy)  # type: ignore[arg-type]


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda v: st.lists(v) | st.tuples(v, v) | st.dictionaries(st.integers(), v),
    max_leaves=10,
)


@given(_values)
def test_reads_every_python_literal(value: object) -> None:
    assert parse_literal(repr(value)) == value


@pytest.mark.parametrize("text", ["", "[1", "[1 2]", "{1: 2, 3}", "a", "'x", "__import__('os')"])
def test_not_a_literal(text: str) -> None:
    with pytest.raises(LiteralError):
        parse_literal(text)
