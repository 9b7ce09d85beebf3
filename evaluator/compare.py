"""Is this output the expected one? Pure functions.

Leniency is for layout and notation, never for values: no sets, sorting, prefixes or rounding
unless the problem's checker declares it. The rules, in order; the first that holds accepts, and
its name is the result's `matched_by`:

  exact       the same text
  whitespace  but for a byte-order mark, CRLF, trailing blanks, blank lines at either end
              (policy 'strict' goes on to `decimal_lines`, LiveCodeBench's rule, and stops)
  -           expected text with leading blanks and words in it is a drawing: refused here
  tokens      the same words between blanks
  vocabulary  all expected words are yes/no or true/false: upper and lower case alike
  numbers     word by word. Integers are text, of any length. A decimal for an expected integer
              must be exactly it. Reals may differ by 1e-6, or 1e-9 of the expected value
  literal     lines that are lists, tuples, dicts or strings: the same value, differently spelt
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Literal

from evaluator.literals import LiteralError, parse_literal
from evaluator.values_match import Match, Tolerance, compare_values, no, yes
from pipelines.problem import Checker

Policy = Literal["robust", "strict"]

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)\Z")
_NUMBER = re.compile(r"-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?\Z")
_HAS_REAL = re.compile(r"(?<![^\s])-?[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?(?![^\s])")
_LEADING_BLANK = re.compile(r"^[ \t]+[^ \t\n]", re.MULTILINE)
_VOCABULARIES = ({"yes", "no"}, {"true", "false"})
_LITERAL_START = ("[", "(", "{", "'", '"')
_LITERAL_LIMIT = 4_000_000
#: Reals nobody declared a tolerance for: contests print six digits or more.
DEFAULT_TOLERANCE = Tolerance(1e-6, 1e-9)
#: Checker kind 'float' without arguments.
DECLARED_TOLERANCE = Tolerance(1e-6, 1e-6)
__all__ = ["Match", "Policy", "Tolerance", "compare_text", "compare_values", "has_reals"]


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


def compare_text(
    expected: str,
    got: str,
    checker: Checker | None = None,
    policy: Policy = "robust",
    real_valued: bool = False,
) -> Match:
    """Compare what a program printed with the expected output.

    >>> compare_text("1 2\\n", "1 2").matched_by, compare_text("0.5\\n", "0.5000001\\n").matched_by
    ('whitespace', 'numbers')
    >>> compare_text("YES\\nNO\\n", "NO\\nYES\\n").ok
    False
    """
    if expected == got:
        return yes("exact")
    want, have = _normal(expected), _normal(got)
    if want == have:
        return yes("whitespace")
    if len(have) > 2 * len(want) + 1_000_000:
        return no("far more output than expected")  # splitting it would cost gigabytes
    kind = checker.kind if checker else "default"
    if kind == "tokens":
        return _first_difference(want.split(), have.split(), None)
    if kind == "float" and checker is not None:
        tolerance = Tolerance(
            checker.arg("abs_tol", DECLARED_TOLERANCE.absolute if not checker.args else 0.0),
            checker.arg("rel_tol", DECLARED_TOLERANCE.relative if not checker.args else 0.0),
        )
        return _first_difference(want.split(), have.split(), _Rules(tolerance, True, True))
    if kind == "unordered":
        return _unordered(want, have)
    if policy == "strict":
        return _lcb_lines(want, have)
    return _robust(want, have, real_valued or has_reals(want))


def _robust(want: str, have: str, real: bool) -> Match:
    tokens = want.split()
    if _LEADING_BLANK.search(want) and not all(_NUMBER.match(t) for t in tokens):
        return no("layout: the expected output has leading blanks, which count")
    got = have.split()
    if tokens == got:
        return yes("tokens")
    if len(tokens) == len(got):
        for words in _VOCABULARIES:
            if all(t.lower() in words for t in tokens):
                if [t.lower() for t in tokens] == [t.lower() for t in got]:
                    return yes("vocabulary")
                break
    match = _first_difference(tokens, got, _Rules(DEFAULT_TOLERANCE, real, False))
    if match.ok or not want.lstrip().startswith(_LITERAL_START):
        return match
    return yes("literal") if _same_literals(want, have) else match


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
        if not compare_values(*values, tolerance=DEFAULT_TOLERANCE, bool_is_int=False).ok:
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
