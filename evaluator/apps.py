"""The comparison of the APPS and TACO graders, as public RL code uses it. For comparison only.

A chain of fallbacks, each more lenient than the last; what it lets through is in docs/results.md.
Written from descriptions of it (the paper's `lenient matching` has it as its nearest public
relative). rLLM's copy has one more, by mistake: a value that is no number is skipped, so that any
text of the same shape passes. That one is left out: it would make every figure look better.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

from evaluator.values_match import Match, Tagged, no, yes

#: As numpy's isclose: |difference| <= absolute + relative * |expected|.
_ABSOLUTE, _RELATIVE = 1e-8, 1e-5
#: Words beyond which a fallback is not tried (it may sort, and make a set a line).
_MOST_WORDS = 2_000_000


def compare_text_apps(expected: str, got: str) -> Match:
    """Printed text by the fallbacks, in order.

    >>> compare_text_apps("1 2\\n3 4\\n", "3 4\\n2 1\\n").matched_by
    'apps_line_sets'
    >>> compare_text_apps("100000\\n", "100001\\n").ok, compare_text_apps("1\\n", "2\\n").ok
    (True, False)
    """
    want = [line.strip() for line in expected.strip().split("\n")]
    have = [line.strip() for line in got.strip().split("\n")]
    if sum(map(len, have)) > _MOST_WORDS * 8:
        return no("too much output")
    for name, fallback in FALLBACKS.items():
        if fallback(want, have):
            return yes(name)
    return no("no fallback holds")


def stripped(want: list[str], have: list[str]) -> bool:
    """The same lines, or one text that equals, once blanks at the ends are gone."""
    return want == have or "\n".join(want) == "\n".join(have)


def lines(want: list[str], have: list[str]) -> bool:
    """The same lines once empty ones are dropped."""
    return _filled(want) == _filled(have)


def close(want: list[str], have: list[str]) -> bool:
    """All lines are numbers, or all words are, and they are close."""
    for ours, theirs in ((_filled(want), _filled(have)), (_words(want), _words(have))):
        try:
            pairs = [(float(w), float(h)) for w, h in zip(ours, theirs, strict=True)]
        except ValueError:
            continue
        if pairs and all(_close(w, h) for w, h in pairs):
            return True
    return False


def word_sets(want: list[str], have: list[str]) -> bool:
    """Line by line the same set of words: order and repetition do not count."""
    ours, theirs = _sets(want), _sets(have)
    return ours == theirs


def line_sets(want: list[str], have: list[str]) -> bool:
    """The same set of such sets: the order of the lines does not count either."""
    return set(_sets(want)) == set(_sets(have))


def rounded(want: list[str], have: list[str]) -> bool:
    """The same multiset of sets of words rounded to three decimals."""
    try:
        return Counter(_rounded(want)) == Counter(_rounded(have))
    except ValueError:
        return False


FALLBACKS: dict[str, Callable[[list[str], list[str]], bool]] = {
    "apps_stripped": stripped,
    "apps_lines": lines,
    "apps_close": close,
    "apps_word_sets": word_sets,
    "apps_line_sets": line_sets,
    "apps_rounded": rounded,
}


def _filled(texts: list[str]) -> list[str]:
    return [t for t in texts if t]


def _words(texts: list[str]) -> list[str]:
    return [word for t in texts for word in t.split()]


def _close(want: float, have: float) -> bool:
    if not (math.isfinite(want) and math.isfinite(have)):
        return want == have
    return abs(want - have) <= _ABSOLUTE + _RELATIVE * abs(want)


def _sets(texts: list[str]) -> list[frozenset[str]]:
    return [frozenset(t.split()) for t in _filled(texts)]


def _rounded(texts: list[str]) -> list[frozenset[float]]:
    return [frozenset(round(float(word), 3) for word in t.split()) for t in _filled(texts)]


def compare_values_apps(expected: Any, got: Any) -> Match:
    """Function results: equal once tuples are lists, or equal to the first of the expected.

    >>> compare_values_apps([[1, 2]], (1, 2)).matched_by
    'apps_first'
    >>> compare_values_apps([1, 2], [2, 1]).ok
    False
    """
    try:
        ours, theirs = _plain(expected), _plain(got)
        if ours == theirs:
            return yes("apps_equal")
        if isinstance(ours, list) and ours and ours[0] == theirs:
            return yes("apps_first")
    except RecursionError:
        return no("nested too deeply")
    return no("not equal")


def _plain(value: Any) -> Any:
    if isinstance(value, Tagged):
        ((tag, inner),) = value.items()
        return _plain(inner) if tag == "$node" else (tag, repr(inner))
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    return value
