"""Decontamination on real data: floors just under what benchmarks/decontamination.py prints."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from curation_helpers import folder_bytes

from benchmarks import decontamination as measure
from benchmarks import fingerprint_lcb
from curation.benchmark import FINGERPRINTS, load_benchmark, shipped
from curation.decon_match import match
from curation.decon_presets import peer_rule
from pipelines.problem import Problem

LCB = measure.DATA / measure.LCB
needs_data = pytest.mark.skipif(not LCB.exists(), reason=f"{LCB} is not here")


@pytest.fixture(scope="module")
def real() -> tuple[list[Problem], list[measure.BenchmarkRow]]:
    """LeetCodeDataset's problems (their tests take seconds to read) and LCB's rows."""
    return measure.leetcode_rows(measure.DATA), measure.benchmark_rows(measure.DATA)


def test_the_shipped_fingerprints_hold_no_text() -> None:
    assert shipped() == ["humaneval", "lcb-v5", "mbpp"]
    for name, rows in (("lcb-v5", 880), ("humaneval", 164), ("mbpp", 647)):
        data = json.loads((FINGERPRINTS / f"{name}.json").read_text())
        assert data["header"]["rows"] == len(data["problems"]) == rows
        assert data["header"]["licence"] in ("MIT", "CC-BY-4.0")
        for p in data["problems"]:
            assert set(p) == {
                "id", "identity", "platform", "released_at", "stem", "title", "title_words",
            }  # fmt: skip
            assert all(len(bytes.fromhex(p[k])) in (0, 8) for k in ("identity", "stem", "title"))
            assert len(p["id"]) <= 24
            assert " " not in p["id"]
        with np.load(FINGERPRINTS / f"{name}.npz", allow_pickle=False) as arrays:
            assert {k: a.dtype.str for k, a in arrays.items()} == {
                "grams": "<u8", "gram_offsets": "<i8", "pairs": "<u8", "pair_offsets": "<i8",
            }  # fmt: skip
    assert sum(f.stat().st_size for f in FINGERPRINTS.iterdir()) < 2.5e6


@needs_data
def test_the_shipped_fingerprints_are_what_the_script_makes(tmp_path) -> None:
    fingerprint_lcb.make(measure.DATA, tmp_path)
    assert folder_bytes(tmp_path) == folder_bytes(FINGERPRINTS)
    loaded, rows = load_benchmark("lcb-v5"), load_benchmark(LCB)
    assert loaded.problems == rows.problems
    assert np.array_equal(loaded.grams.values, rows.grams.values)


@needs_data
def test_every_benchmark_row_finds_itself() -> None:
    """By its text alone, whatever its id: recall on verbatim copies is 1."""
    benchmark = load_benchmark("lcb-v5")
    items = [measure.statement_item(r.statement) for r in measure.benchmark_rows(measure.DATA)]
    found = match([benchmark], items)
    assert all(v is not None and v.kind == "contaminated" for v in found)
    # Two tasks that AtCoder set twice: the first of them stands for both.
    assert sum(v.row != i for i, v in enumerate(found) if v) <= 2
    assert min(v.share for v in found if v) > 0.999


@needs_data
def test_precision_and_recall_on_known_pairs(real) -> None:
    benchmark = load_benchmark("lcb-v5")
    rows, lcb = real
    truth = measure.truth_of(rows, lcb)
    sizes = (len(rows), len(truth.copies), len(truth.siblings), len(truth.clean))
    assert sizes == (1488, 145, 27, 1316)
    items = [measure.problem_item(p) for p in rows]
    known = measure.our_score(benchmark, items, truth)
    assert known == measure.Score(found=145, right=145, siblings=27, recognised=27, clean=0)
    bare = measure.our_score(benchmark, [measure.stripped(i) for i in items], truth)
    assert bare.found >= 0.985 * 145
    assert bare.clean <= 0.003 * 1316
    without = [replace(measure.stripped(i), pairs=np.zeros(0, np.uint64)) for i in items]
    assert measure.our_score(benchmark, without, truth).found >= 0.96 * 145


@needs_data
def test_peers_rules_on_known_pairs(real) -> None:
    """What their rules do, so that a preset that stops working is seen."""
    rows, lcb = real
    truth = measure.truth_of(rows, lcb)
    statements = [r.statement for r in lcb]

    def scored(name: str) -> measure.Score:
        rule = peer_rule(name, statements)
        hits = [rule(p.statement) for p in rows]
        return measure.score(hits, [None] * len(hits), truth)

    every_gram = scored("open-r1-8gram")
    assert every_gram.found == 145
    assert every_gram.clean > 500
    half = scored("13gram-0.5")
    assert (half.found, half.siblings, half.clean) == (140, 18, 0)


@needs_data
@pytest.mark.parametrize("change", ["whitespace", "markup", "renamed variables"])
def test_changed_statements_are_found(change: str) -> None:
    benchmark = load_benchmark("lcb-v5")
    own = [r.statement for r in measure.benchmark_rows(measure.DATA)]
    changed = measure.perturbed(own, change)
    assert sum(a != b for a, b in zip(own, changed, strict=True)) > 0.95 * len(own)
    found = match([benchmark], [measure.statement_item(t) for t in changed])
    assert sum(v is not None for v in found) >= 0.975 * len(own)


@needs_data
@pytest.mark.parametrize(
    ("source", "against"),
    [("mbpp", "lcb-v5"), ("humaneval", "lcb-v5"), ("mbpp", "humaneval"), ("humaneval", "mbpp")],
)
def test_no_false_hits_among_unrelated_problems(source: str, against: str) -> None:
    from pipelines.sources import read_source

    path = next((measure.DATA / source).glob("*.jsonl.gz"))
    benchmark = load_benchmark(against)
    items = [measure.problem_item(r) for r in read_source(source, path) if isinstance(r, Problem)]
    assert len(items) > 100
    hits = [i.id for i, v in zip(items, match([benchmark], items), strict=True) if v]
    assert len(hits) <= (0 if against == "lcb-v5" else 8), hits
