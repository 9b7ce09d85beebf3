"""Is this output the expected one? Pure functions.

Leniency is for layout and notation, never for values: no sets, sorting, prefixes or rounding
unless the problem's checker declares it. The strategies of the policy `robust`, in order; the
first that holds accepts, and its name is the result's `matched_by`:

  exact       the same text
  whitespace  but for a byte-order mark, CRLF, trailing blanks, blank lines at either end
  tokens      the same words between blanks; not when the expected text is a drawing (leading
              blanks and words that are no numbers): then nothing below holds either
  vocabulary  all expected words are yes/no or true/false: upper and lower case alike
  numbers     word by word. Integers are text, of any length. A decimal for an expected integer
              must be exactly it. Reals may differ by 1e-6, or 1e-9 of the expected value
  literal     lines that are lists, tuples, dicts or strings: the same value, differently spelt

`strict` is exact, whitespace and `decimal_lines`, LiveCodeBench's rule. `apps` is in
:mod:`evaluator.apps`, for comparison only.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable, Container
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Literal

from evaluator.apps import compare_text_apps
from evaluator.values_match import Match, Tolerance, compare_values, no, yes
from pipelines.literals import LiteralError, parse_literal
from pipelines.problem import Checker

Policy = Literal["robust", "strict", "apps"]

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)\Z")
_NUMBER = re.compile(r"-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?\Z")
_HAS_REAL = re.compile(r"(?<![^\s])-?[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?(?![^\s])")
_LEADING_BLANK = re.compile(r"^[ \t]+[^ \t\n]", re.MULTILINE)
_VOCABULARIES = ({"yes", "no"}, {"true", "false"})
_LITERAL_START = ("[", "(", "{", "'", '"')
#: +5 and 007, in a list as elsewhere.
_ODD_NUMBER = re.compile(r"(?<![\w.\"'])(?:\+[0-9]|-?0[0-9])")
_LITERAL_LIMIT = 4_000_000
#: Reals nobody declared a tolerance for: contests print six digits or more.
DEFAULT_TOLERANCE = Tolerance(1e-6, 1e-9)
#: Checker kind 'float' without arguments.
DECLARED_TOLERANCE = Tolerance(1e-6, 1e-6)
__all__ = [
    "STRATEGIES",
    "Match",
    "Policy",
    "Tolerance",
    "compare_text",
    "compare_values",
    "has_reals",
]


@dataclass(frozen=True, slots=True)
class _Rules:
    tolerance: Tolerance
    real: bool  # some expected token of the problem has a decimal point
    declared: bool  # the tolerance covers integers too


def has_reals(expected: str) -> bool:
    """True when a whitespace-separated token is a decimal number: the problem is real-valued.

    >>> has_reals("1 2.5"), has_reals("1 2"), has_reals("a.5b")
    (True, False, False)
    """
    return "." in expected and _HAS_REAL.search(expected) is not None


class Pair:
    """Expected and given text as the strategies look at them; each view is made once, if asked
    for. `real_valued`: some expected token of the problem is a real."""

    def __init__(self, expected: str, got: str, real_valued: bool = False) -> None:
        self.expected, self.got, self._real = expected, got, real_valued

    @functools.cached_property
    def want(self) -> str:
        """The expected text without byte-order mark, trailing blanks and the like."""
        return _normal(self.expected)

    @functools.cached_property
    def have(self) -> str:
        """The same of the given text."""
        return _normal(self.got)

    @functools.cached_property
    def tokens(self) -> tuple[list[str], list[str]]:
        """The words of both."""
        return self.want.split(), self.have.split()

    @functools.cached_property
    def drawing(self) -> bool:
        """Whether leading blanks of the expected text mean something."""
        blank = _LEADING_BLANK.search(self.want) is not None
        return blank and not all(_NUMBER.match(t) for t in self.tokens[0])

    @functools.cached_property
    def numbers(self) -> Match:
        """The comparison word by word, which also finds the first difference."""
        rules = _Rules(DEFAULT_TOLERANCE, self._real or has_reals(self.want), False)
        return _first_difference(*self.tokens, rules)


def exact(pair: Pair) -> bool:
    """The same text."""
    return pair.expected == pair.got


def whitespace(pair: Pair) -> bool:
    """The same but for byte-order mark, CRLF, trailing blanks, blank lines at either end."""
    return pair.want == pair.have


def tokens(pair: Pair) -> bool:
    """The same words, however laid out."""
    return not pair.drawing and pair.tokens[0] == pair.tokens[1]


def vocabulary(pair: Pair) -> bool:
    """Yes/no or true/false in upper or lower case."""
    want, have = pair.tokens
    if pair.drawing or len(want) != len(have):
        return False
    lower = [t.lower() for t in want]
    return any(words.issuperset(lower) for words in _VOCABULARIES) and lower == [
        t.lower() for t in have
    ]


def numbers(pair: Pair) -> bool:
    """The same numbers, differently written or within the tolerance of reals."""
    return not pair.drawing and pair.numbers.ok


def literal(pair: Pair) -> bool:
    """The same lists, tuples, dicts or strings, differently written."""
    if pair.drawing or not pair.want.lstrip().startswith(_LITERAL_START):
        return False
    if _ODD_NUMBER.search(pair.have) and not _ODD_NUMBER.search(pair.want):
        return False
    return _same_literals(pair.want, pair.have)


#: The policy `robust`: name and strategy, in order.
STRATEGIES: dict[str, Callable[[Pair], bool]] = {
    "exact": exact,
    "whitespace": whitespace,
    "tokens": tokens,
    "vocabulary": vocabulary,
    "numbers": numbers,
    "literal": literal,
}


def compare_text(
    expected: str,
    got: str,
    checker: Checker | None = None,
    policy: Policy = "robust",
    real_valued: bool = False,
    without: Container[str] = (),
) -> Match:
    """Compare what a program printed with the expected output. `without`: strategies of `robust`
    to leave out (a benchmark counts what each is worth).

    >>> compare_text("1 2\\n", "1 2").matched_by, compare_text("0.5\\n", "0.5000001\\n").matched_by
    ('whitespace', 'numbers')
    >>> compare_text("YES\\nNO\\n", "NO\\nYES\\n").ok
    False
    """
    if expected == got:
        return yes("exact")
    pair = Pair(expected, got, real_valued)
    want, have = pair.want, pair.have
    if len(have) > 2 * len(want) + 1_000_000:
        return no("far more output than expected")  # splitting it would cost gigabytes
    kind = checker.kind if checker else "default"
    if kind in ("tokens", "float", "unordered") and checker is not None:
        return yes("whitespace") if want == have else _declared(checker, pair)
    if policy == "apps":
        return compare_text_apps(expected, got)
    if policy == "strict":
        return yes("whitespace") if want == have else _lcb_lines(want, have)
    for name, strategy in STRATEGIES.items():
        if name not in without and strategy(pair):
            return yes(name)
    if pair.drawing:
        return no("layout: the expected output has leading blanks, which count")
    return pair.numbers if not pair.numbers.ok else no("refused without its strategy")


def _declared(checker: Checker, pair: Pair) -> Match:
    """What the problem's checker says counts."""
    if checker.kind == "unordered":
        return _unordered(pair.want, pair.have)
    if checker.kind == "tokens":
        return _first_difference(*pair.tokens, None)
    tolerance = Tolerance(
        checker.arg("abs_tol", DECLARED_TOLERANCE.absolute if not checker.args else 0.0),
        checker.arg("rel_tol", DECLARED_TOLERANCE.relative if not checker.args else 0.0),
    )
    return _first_difference(*pair.tokens, _Rules(tolerance, True, True))


def _normal(text: str) -> str:
    """Without byte-order mark, carriage returns, trailing blanks, blank lines at either end."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if " \n" in text or "\t\n" in text or text[-1:] in (" ", "\t"):
        text = "\n".join([line.rstrip(" \t") for line in text.split("\n")])
    return text.strip("\n")


def _first_difference(want: list[str], got: list[str], rules: _Rules | None) -> Match:
    """Token by token; numbers by `rules`, everything else as text."""
    if len(want) != len(got):
        return no(f"expected {len(want)} tokens, found {len(got)}")
    by_number = False
    for i, (w, g) in enumerate(zip(want, got, strict=True)):
        if w == g:
            continue
        if rules is None or not _same_number(w, g, rules):
            return no(f"token {i + 1}: expected {_short(w)}, found {_short(g)}")
        by_number = True
    return yes("numbers" if by_number else "tokens")


def _same_number(want: str, got: str, rules: _Rules) -> bool:
    if not (_NUMBER.match(want) and _NUMBER.match(got)):
        return False
    whole = _INTEGER.match(want) is not None
    if whole and not rules.declared:
        if _INTEGER.match(got):
            return False  # integers are text: 50000000000000000 is not ...001
        if not rules.real:
            return "e" not in got.lower() and Decimal(want) == Decimal(got)
    return rules.tolerance.allows(want, got)


def _short(token: str) -> str:
    return repr(token if len(token) <= 40 else token[:37] + "...")


def _same_literals(want: str, have: str) -> bool:
    ours, theirs = want.split("\n"), have.split("\n")
    if len(ours) != len(theirs) or len(want) + len(have) > _LITERAL_LIMIT:
        return False
    for w, h in zip(ours, theirs, strict=True):
        if w.split() == h.split():
            continue
        w, h = w.strip(), h.strip()
        if not (w.startswith(_LITERAL_START) and h.startswith(_LITERAL_START)):
            return False
        try:
            values = parse_literal(w), parse_literal(h)
        except LiteralError:
            return False
        if not compare_values(*values, tolerance=DEFAULT_TOLERANCE, printed=True).ok:
            return False
    return True


def _unordered(want: str, have: str) -> Match:
    """Multisets: of lines where the expected output has several, else of tokens."""
    if "\n" in want:
        parts = [Counter(" ".join(line.split()) for line in t.split("\n")) for t in (want, have)]
    else:
        parts = [Counter(want.split()), Counter(have.split())]
    if parts[0] == parts[1]:
        return yes("unordered")
    missing = next(iter(parts[0] - parts[1]), None)
    return no(f"not the same items; missing {_short(missing)}" if missing else "extra items")


def _lcb_lines(want: str, have: str) -> Match:
    """LiveCodeBench's rule (28fef95): stripped lines equal, or equal as lists of Decimals."""
    ours, theirs = want.strip().split("\n"), have.strip().split("\n")
    if len(ours) != len(theirs):
        return no(f"expected {len(ours)} lines, found {len(theirs)}")
    for i, (w, h) in enumerate(zip(ours, theirs, strict=True)):
        if w.strip() == h.strip():
            continue
        try:
            same = [Decimal(t) for t in w.split()] == [Decimal(t) for t in h.split()]
        except InvalidOperation:
            same = False
        if not same:
            return no(f"line {i + 1}: expected {_short(w)}, found {_short(h)}")
    return yes("decimal_lines")
