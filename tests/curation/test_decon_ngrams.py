"""Batch n-grams against the plain way, and the presets of other projects."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest
from curation_helpers import prose
from hypothesis import given
from hypothesis import strategies as st

from curation.decon_ngrams import GramIndex, distinct, gram_batch
from curation.decon_presets import PEER_RULES, peer_rule
from curation.text import ngram_words, ngram_words_utf8

TEXTS = [prose(i, 5 + 7 * i) for i in range(12)] + ["", "one", "one two three four", "!?"]


@pytest.mark.parametrize("n", [1, 3, 5, 13])
def test_grams_of_a_batch_are_those_of_each_text(n: int) -> None:
    """Equal grams have equal hashes and different ones different, wherever they stand."""
    batch = gram_batch(TEXTS, n)
    seen: dict[int, tuple[str, ...]] = {}
    for i, text in enumerate(TEXTS):
        words = ngram_words(text)
        last = len(words) - n + 1 if len(words) >= n else min(len(words), 1)
        plain = [tuple(words[k : k + n]) for k in range(last)]
        values = batch.values[batch.offsets[i] : batch.offsets[i + 1]].tolist()
        assert len(values) == len(plain)
        for value, gram in zip(values, plain, strict=True):
            assert seen.setdefault(value, gram) == gram
        alone = gram_batch([text], n).values.tolist()
        assert alone == values
    assert len(seen) == len({*seen.values()})


def test_overlap_is_that_of_sets() -> None:
    """Shares against a plain computation with weights, on texts that share parts."""
    rng = random.Random(3)
    stock = [prose(i, 40) for i in range(8)]
    problems = [" ".join(rng.sample(stock, 3)) for _ in range(12)]
    rows = [" ".join(rng.sample(stock, 2)) + " " + prose(90 + i, 30) for i in range(9)]
    grams = distinct(gram_batch(problems, 5))
    index = GramIndex(grams.values, grams.offsets, 5)
    found = index.overlap(gram_batch(rows, 5))
    weight = dict(zip(index.keys.tolist(), index.weights.tolist(), strict=True))
    of = [set(grams.values[a:b].tolist()) for a, b in pairwise(grams.offsets)]
    batch = gram_batch(rows, 5)
    pairs = 0
    for k, (i, j) in enumerate(zip(found.row.tolist(), found.problem.tolist(), strict=True)):
        row = batch.values[batch.offsets[i] : batch.offsets[i + 1]].tolist()
        both = sum(weight[g] for g in set(row) & of[j])
        known = set(row) & weight.keys()
        total = sum(weight[g] for g in known) + sum(g not in weight for g in row)
        assert found.weight[k] == pytest.approx(both)
        assert found.of_problem[k] == pytest.approx(both / sum(weight[g] for g in of[j]))
        assert found.of_row[k] == pytest.approx(both / total)
        assert found.shared[k] == sum(weight[g] > 0 for g in set(row) & of[j])
        pairs += 1
    assert pairs == sum(
        any(weight[g] > 0 for g in set(r) & p)
        for r in (set(batch.values[a:b].tolist()) for a, b in pairwise(batch.offsets))
        for p in of
    )
    assert len(index.overlap(gram_batch([], 5)).row) == 0


def test_boilerplate_weighs_next_to_nothing() -> None:
    boiler = "it is guaranteed that the sum of all values over the test cases is small"
    problems = [f"{prose(i, 40)} {boiler}" for i in range(60)]
    grams = distinct(gram_batch(problems, 5))
    index = GramIndex(grams.values, grams.offsets, 5)
    assert len(index.overlap(gram_batch([f"{boiler} {prose(99, 30)}"], 5)).row) == 0
    copy = index.overlap(gram_batch([problems[7]], 5))
    shares = dict(zip(copy.problem.tolist(), copy.of_problem.tolist(), strict=True))
    assert shares.pop(7) == pytest.approx(1)
    assert all(share < 0.1 for share in shares.values())  # a chance gram of the made-up prose


def test_grams_frequent_in_the_corpus_weigh_less_unless_one_problem_has_them() -> None:
    phrase = "choose any two adjacent stones and swap them at no cost"
    problems = [f"{prose(i, 40)} {phrase if i < 4 else ''}" for i in range(30)]
    grams = distinct(gram_batch(problems, 5))
    index = GramIndex(grams.values, grams.offsets, 5)
    row = gram_batch([f"{phrase} {prose(99, 20)}"], 5)
    assert len(index.overlap(row).row) == 4
    corpus = gram_batch([f"{phrase} {prose(200 + i, 20)} {problems[9]}" for i in range(50)], 5)
    index.reweight(index.frequency(corpus), 50)
    assert len(index.overlap(row).row) == 0
    again = index.overlap(gram_batch([problems[9]], 5))  # in all 50 texts: contamination, no idiom
    assert again.of_problem.tolist() == [1.0]


COPY = " ".join(f"word{i}" for i in range(60))
STATEMENTS = [COPY, prose(1, 80), prose(2, 80)]


@pytest.mark.parametrize("name", list(PEER_RULES))
def test_presets_find_copies_and_pass_other_texts(name: str) -> None:
    rule = peer_rule(name, STATEMENTS)
    assert [rule(s) for s in STATEMENTS] == [0, 1, 2]
    assert rule(COPY.upper().replace(" ", "\n")) == 0
    assert rule(prose(3, 80)) is None
    assert rule("") is None


@pytest.mark.parametrize(
    ("name", "hit", "clean"),
    [
        # how many of the first words of a 60-word statement are enough
        ("open-r1-8gram", 8, 7),
        ("13gram-0.5", 36, 35),
        ("paper-16gram-0.22", 25, 24),
    ],
)
def test_presets_decide_where_their_projects_do(name: str, hit: int, clean: int) -> None:
    rule = peer_rule(name, STATEMENTS)
    assert rule(" ".join(COPY.split()[:hit])) == 0
    assert rule(" ".join(COPY.split()[:clean])) is None


def test_datatrove_maps_numbers_to_zero() -> None:
    rule = peer_rule("datatrove-12gram", ["at most 100000 stones, " + prose(1, 20)])
    assert rule("At most 5 stones " + prose(1, 20)) == 0


def test_unknown_rules_name_the_known() -> None:
    with pytest.raises(ValueError, match=r"rules: open-r1-8gram, 13gram-0\.5, datatrove-12gram"):
        peer_rule("gpt", [])


def test_hashes_do_not_depend_on_what_was_hashed_before() -> None:
    first = gram_batch([prose(1)], 5).values
    gram_batch([prose(i) for i in range(50)], 5)
    assert np.array_equal(first, gram_batch([prose(1)], 5).values)


@pytest.mark.parametrize(
    "text",
    [
        *TEXTS,
        "At most $2 \\cdot 10^{5}$ items a_1, <b>a_2</b> &le; 1,000 &amp;",
        "1\u00a0≤ n ≤ 10⁵; don’t “quote” – x×y≠z… <a≤b> a\u200bb",
        "Größe ﬁne naïve 数組 2**31 _x_ ^y^ {z}",
        "İstanbul \u2028 ½ ª º ① ﬀ\x00\x1f\x7f\x85",
        "nums[i]!=nums[j]\r\n\ttabs~and`code`|pipes|",
    ],
)
def test_words_as_bytes_are_the_words(text: str) -> None:
    assert ngram_words_utf8(text) == [w.encode() for w in ngram_words(text)]


@given(st.text(st.characters(codec="utf-8"), max_size=60))
def test_words_as_bytes_are_the_words_of_any_text(text: str) -> None:
    assert ngram_words_utf8(text) == [w.encode() for w in ngram_words(text)]
