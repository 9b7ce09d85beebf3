"""Test fingerprints: hashes of normalised input/output pairs.

Two rows with two or more pairs in common are one problem however differently they are told: a
statement is rewritten after the contest, the samples stay. A pair is normalised until every way in
which sources write it down agrees: keyword, JSON and list forms of arguments, white space,
brackets, quotes, `true` and `True`, trailing zeros.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from curation.statement_examples import statement_examples
from curation.text import Hashes, digest64
from pipelines.problem import Problem

#: Raise it when the hashes change: stored fingerprints then don't match.
PAIRS_VERSION = 1
#: Pairs shorter than this (characters of both sides, normalised) say nothing: `1 -> 1`.
MIN_CHARS = 6
#: Only the beginning of a pair is read: single inputs of 4.5 MB exist.
_MAX_CHARS, _MAX_TOKENS = 1 << 16, 2000

_NAMED = re.compile(r"(?:^|,)\s*[A-Za-z_]\w*\s*=(?!=)", re.M)
_SEPARATORS = re.compile(r"[\s,\[\](){}:;]+")
_DECIMAL = re.compile(r"-?\d+\.\d+")
_WORDS = {"True": "true", "False": "false", "None": "null"}


def normal_form(text: str) -> str:
    """The tokens of one side of a test, whatever way it is written.

    >>> normal_form("nums = [1, 2], s = 'ab'") == normal_form('[1,2]\\n"ab"') == "1 2 ab"
    True
    >>> normal_form("2.50000\\n"), normal_form("[true,null]")
    ('2.5', 'true null')
    """
    if len(text) > _MAX_CHARS:
        text = text[:_MAX_CHARS]
    text = _NAMED.sub(" ", text)
    tokens = []
    for token in _SEPARATORS.split(text)[: _MAX_TOKENS + 1]:
        if not token:
            continue
        token = token.strip("\"'`") or '""'
        if "." in token and _DECIMAL.fullmatch(token):
            token = token.rstrip("0").rstrip(".")
        tokens.append(_WORDS.get(token, token))
    return " ".join(tokens[:_MAX_TOKENS])


def pair_hash(test_input: str, output: str) -> int | None:
    """64-bit hash of a pair; None for one too short to say anything or without an output.

    >>> pair_hash("nums = [1, 2, 3]", "6") == pair_hash("[1,2,3]\\n", "6\\n")
    True
    """
    given, wanted = normal_form(test_input), normal_form(output)
    if not wanted or len(given) + len(wanted) < MIN_CHARS:
        return None
    return digest64(f"{given}\0{wanted}")


def hash_pairs(pairs: Iterable[tuple[str, str]]) -> Hashes:
    """Sorted distinct hashes of the pairs that say something.

    >>> len(hash_pairs([("1", "1"), ("[1, 2, 3]", "6"), ("1 2 3", "6")]))
    1
    """
    found = {h for given, output in pairs if (h := pair_hash(given, output)) is not None}
    return np.array(sorted(found), np.uint64)


def pair_hashes(problem: Problem, max_tests: int = 200) -> Hashes:
    """The fingerprint of a problem: its first `max_tests` tests and the examples in its
    statement. Tests that are asserts have no pairs.

    >>> from pipelines.problem import TestCase
    >>> len(pair_hashes(Problem(id="a/b", tests=(TestCase("1 2 3\\n", "6\\n"),))))
    1
    """
    given = [(t.input, t.output) for t in problem.tests[:max_tests]]
    return _fingerprint(problem.statement, given, problem.checker.kind)


def row_pair_hashes(row: dict[str, Any], max_tests: int = 200) -> Hashes:
    """The same from a row of a shard (columns statement, tests, checker), three times faster."""
    given = [(t["input"], t["output"]) for t in row["tests"][:max_tests]]
    return _fingerprint(row["statement"], given, row["checker"]["kind"])


def _fingerprint(statement: str, tests: list[tuple[str, str]], checker: str) -> Hashes:
    return hash_pairs(statement_examples(statement) + ([] if checker == "asserts" else tests))
