"""D by hand."""

from __future__ import annotations

import pytest

from training.diversity import Diversity, distinct_n, diversity


def test_distinct_n_by_hand() -> None:
    assert distinct_n([[1, 2, 3, 4, 5]]) == 1.0
    assert distinct_n([[1, 2, 3, 4, 5], [1, 2, 3, 4, 6]]) == 3 / 4
    assert distinct_n([[1] * 8]) == 1 / 5
    assert distinct_n([[1, 2, 1, 2]], n=2) == 2 / 3


def test_equal_answers_give_one_over_their_number() -> None:
    assert distinct_n([[1, 2, 3, 4, 5, 6]] * 8) == 1 / 8


def test_pooled_not_the_mean_of_the_answers() -> None:
    # each answer alone would give 1.0
    assert distinct_n([[1, 2, 3, 4], [1, 2, 3, 4]]) == 0.5


def test_no_gram_crosses_from_answer_to_answer() -> None:
    assert distinct_n([[1, 2, 3], [4, 5, 6]]) is None
    assert distinct_n([[1, 2], [3, 4], [1, 2]], n=2) == 2 / 3


def test_special_ids_are_removed() -> None:
    assert distinct_n([[1, 2, 3, 0], [0, 0]], special=frozenset({0})) is None
    assert distinct_n([[1, 2, 3, 4, 0], [1, 2, 3, 4, 9]], special=frozenset({0, 9})) == 0.5


def test_nothing_to_count() -> None:
    assert distinct_n([]) is None
    with pytest.raises(ValueError, match="n must"):
        distinct_n([[1]], n=0)


def test_mean_over_prompts_leaves_out_those_without_grams() -> None:
    got = diversity([[[1, 2, 3, 4]] * 2, [[1, 2, 3, 4], [5, 6, 7, 8]], [[1], [2]]])
    assert got == Diversity(value=0.75, prompts=2, left_out=1, responses=2)
    assert diversity([[[1]]]) == Diversity(value=None, prompts=0, left_out=1, responses=0)


def test_the_first_eight_of_more() -> None:
    same, other = [1, 2, 3, 4], [5, 6, 7, 8]
    assert diversity([[same] * 8 + [other] * 8]).value == 1 / 8
    assert diversity([[same] * 8 + [other] * 8]).responses == 8
    assert diversity([[same] * 8 + [other] * 8], responses=16).value == 2 / 16


def test_labelled_with_the_fewest_answers_used() -> None:
    assert diversity([[[1, 2, 3, 4]] * 8, [[1, 2, 3, 4]] * 4]).responses == 4
