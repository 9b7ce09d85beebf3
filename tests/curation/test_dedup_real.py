"""Dedup on the real rows in ../shared/data: floors just under what benchmarks/dedup.py measures."""

from __future__ import annotations

from functools import cache

import pytest

from benchmarks import dedup as measure
from curation.dedup import DedupConfig
from curation.shingles import jaccard, shingle_sets, stored_form
from curation.text import sibling_titles, slug
from pipelines.problem import Problem

pytestmark = pytest.mark.skipif(
    not (measure.DATA / measure.LCB).is_file(), reason="../shared/data is not there"
)


@cache
def leetcode_rows() -> list[Problem]:
    return measure.leetcode_rows(measure.DATA)


@cache
def lcb_rows() -> list[Problem]:
    return measure.lcb_rows(measure.DATA)


def test_every_similar_pair_is_proposed() -> None:
    rows = [*leetcode_rows(), *lcb_rows()]
    truth = measure.brute_force(rows, 0.7)
    assert len(truth) > 150
    proposed = measure.proposed_pairs(rows, DedupConfig(threshold=0.7))
    assert len(truth.keys() & proposed) >= 0.99 * len(truth)
    sets = shingle_sets([stored_form(r.statement) for r in rows], 5)
    assert all(jaccard(sets[a], sets[b]) == j for (a, b), j in truth.items())


def test_two_real_sources() -> None:
    """LeetCodeDataset and LiveCodeBench without common ids: all merges are right, and two
    problems of LeetCode are never merged."""
    leetcode, lcb = leetcode_rows(), lcb_rows()
    found, kinds = measure.merges([*leetcode, *lcb], DedupConfig())
    names = {p.id: p.id.partition("/")[2] for p in leetcode} | {p.id: slug(p.title) for p in lcb}
    truth = {names[p.id] for p in leetcode} & {names[p.id] for p in lcb}
    assert len(truth) == 145
    assert all(names[a] == names[b] for a, b in found)
    assert len(found) >= 0.98 * len(truth)
    assert kinds["tests"] >= 15  # rewritten after the contest: their texts alone don't say it


def test_similar_pairs_within_leetcode_are_siblings() -> None:
    rows = leetcode_rows()
    names = [p.id.partition("/")[2] for p in rows]
    pairs = measure.brute_force(rows, 0.7)
    assert len(pairs) >= 17
    assert sum(not sibling_titles(names[a], names[b]) for a, b in pairs) <= 1
    assert measure.merges(rows, DedupConfig(threshold=0.7))[0] == []
