"""Right answers broken on purpose are refused, and written differently they are accepted."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.apps import compare_values_apps
from evaluator.compare import STRATEGIES, compare_text
from evaluator.values import encode
from evaluator.values_match import compare_values, decode

integers = st.integers(-(10**20), 10**20)
words = st.from_regex(r"[A-Za-z]{1,8}", fullmatch=True).filter(
    lambda w: w.lower() not in ("yes", "no", "true", "false", "nan", "inf", "infinity")
)
lines = st.lists(st.lists(integers | words, min_size=1, max_size=5), min_size=1, max_size=5)


def text_of(rows: list[list[object]]) -> str:
    return "".join(" ".join(map(str, row)) + "\n" for row in rows)


@given(lines)
def test_layout_is_forgiven(rows: list[list[object]]) -> None:
    text = text_of(rows)
    for other in (
        text.replace("\n", " \n"),
        text.replace("\n", "\r\n"),
        text.rstrip("\n"),
        text + "\n\n",
        "\ufeff" + text,
        text.replace(" ", "  "),
        "\n".join(text.split()),
    ):
        assert compare_text(text, other).ok, other


@given(lines, st.data())
def test_no_changed_word_is_accepted(rows: list[list[object]], data: st.DataObject) -> None:
    text = text_of(rows)
    i = data.draw(st.integers(0, len(rows) - 1))
    j = data.draw(st.integers(0, len(rows[i]) - 1))
    word = str(rows[i][j])
    changes = [
        word + "0",
        "0" + word,
        "+" + word,
        word + "e0",
        word + "_",
        word[:-1],
        word.swapcase(),
    ]
    if re.fullmatch(r"-?\d+", word):
        number = int(word)
        changes += [str(number + 1), str(number - 1), str(-number), f"{number}.5", f"{number}."]
        changes += [str(number)[::-1]]
    changes += [word[0] + " " + word[1:], word + " " + word]
    for new in changes:
        same = new == word or (
            re.fullmatch(r"-?\d+\.?", new) is not None
            and not new.lstrip("-").startswith("0" * 2)
            and re.fullmatch(r"-?(0|[1-9]\d*)\.?", new) is not None
            and re.fullmatch(r"-?\d+", word) is not None
            and new.endswith(".")
            and int(new[:-1]) == int(word)
        )
        changed = [row[:] for row in rows]
        changed[i][j] = new
        if same or text_of(changed).split() == text.split():
            continue
        assert not compare_text(text, text_of(changed)).ok, (word, new)


@given(lines)
def test_no_other_number_or_order_of_lines_is_accepted(rows: list[list[object]]) -> None:
    text = text_of(rows)
    for other in (
        text + text_of(rows[:1]),
        text_of(rows[:-1]),
        text_of(rows[::-1]),
        text_of([row[::-1] for row in rows]),
        text + "0\n",
        "Answer: " + text,
        text + "or\n" + text,
        "",
    ):
        if other.split() != text.split():
            assert not compare_text(text, other).ok, other


values = st.recursive(
    integers | st.booleans() | st.text(max_size=5) | st.none(),
    lambda v: st.lists(v, max_size=4),
    max_leaves=8,
)


def judged(want: object, got: object) -> bool:
    return compare_values(want, decode(encode(got).encode())).ok


@given(values, values)
def test_only_the_same_value_is_accepted(want: object, got: object) -> None:
    assert judged(want, want)
    assert not judged(want, [want])
    if not isinstance(want, list) or want:
        assert not judged(want, [])
    assert judged(want, got) == (want == got)


def test_each_strategy_can_be_left_out() -> None:
    pairs = {
        "whitespace": ("YES\n", "YES \n", {"whitespace", "tokens", "vocabulary", "numbers"}),
        "vocabulary": ("YES\n", "yes\n", {"vocabulary"}),
        "numbers": ("0.5\n", "0.50\n", {"numbers"}),
        "literal": ("[1, 2]\n", "[1,2]\n", {"literal"}),
    }
    for name, (want, got, needed) in pairs.items():
        assert compare_text(want, got).matched_by == name
        assert not compare_text(want, got, without=needed).ok
    assert list(STRATEGIES) == [
        *("exact", "whitespace", "tokens", "vocabulary", "numbers", "literal"),
    ]


@pytest.mark.parametrize(
    ("want", "got", "rule"),
    [
        ("1 2\n", "1 2", "apps_stripped"),
        ("1\n\n2\n", "1\n2\n", "apps_lines"),
        ("100000\n", "100001\n", "apps_close"),
        ("1 2 2\n", "2 1\n", "apps_word_sets"),
        ("1 2\n3\n", "3\n2 1\n", "apps_line_sets"),
        ("0.0011 7\n", "7 0.0014\n", "apps_rounded"),
    ],
)
def test_apps_accepts_what_it_is_known_for(want: str, got: str, rule: str) -> None:
    assert compare_text(want, got, policy="apps").matched_by == rule
    if rule not in ("apps_stripped", "apps_lines"):
        assert not compare_text(want, got).ok


def test_apps_refuses_too() -> None:
    for want, got in (
        ("1\n", "2\n"),
        ("YES\n", "NO\n"),
        ("1 2\n", "1\n"),
        ("a\n", ""),
        ("1\n", "nan\n"),
    ):
        assert not compare_text(want, got, policy="apps").ok
    assert not compare_text("1\n", "1 " * 9_000_000, policy="apps").ok
    assert compare_values_apps([1, 2], (1, 2)).ok
    assert compare_values_apps([[1], 2], [1]).matched_by == "apps_first"
    assert not compare_values_apps([1, 2], {"$set": [1, 2]}).ok
