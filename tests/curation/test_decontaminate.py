from __future__ import annotations

import datetime as dt
import gzip
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from curation_helpers import dropped, folder_bytes, kept, kill_half_way, problem, prose

from benchmarks import bench_curation as measure
from benchmarks import fingerprint_lcb
from curation.benchmark import FINGERPRINTS, BenchmarkError, load_benchmark, shipped
from curation.decontaminate import DecontaminateConfig, decontaminate, find_hit
from curation.dedup import DedupConfig
from pipelines.problem import Problem

LCB = measure.DATA / measure.LCB
needs_data = pytest.mark.skipif(not LCB.exists(), reason=f"{LCB} is not here")


def row(question_id: str, title: str, content: str, platform: str) -> dict[str, object]:
    return {
        "question_title": title,
        "question_content": content,
        "platform": platform,
        "question_id": question_id,
        "contest_id": question_id.split("_")[0],
        "contest_date": "2024-05-04T00:00:00",
        "starter_code": "",
        "difficulty": "easy",
        "public_test_cases": "[]",
        "private_test_cases": "[]",
        "metadata": "{}",
    }


BOILER = "the sum of n over all test cases does not exceed 200000 and each line holds n integers"


@pytest.fixture
def benchmark(tmp_path: Path) -> Path:
    """A benchmark of ten made-up problems, all with one sentence in common."""
    rows = [
        row("3346", "walk-the-line-i", f"{prose(1)} {BOILER}", "leetcode"),
        row("abc999_c", "Stones", f"{prose(2)} {BOILER}", "atcoder"),
        row("1900_B", "B. Paint the Old Fence", f"{prose(3)} {BOILER}", "codeforces"),
        row("abc999_d", "Short", "Print the answer to all of it", "atcoder"),
    ]
    rows += [
        row(f"abc9{i}_a", f"Plain {i}", f"{prose(10 + i)} {BOILER}", "atcoder") for i in range(6)
    ]
    path = tmp_path / "bench.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)) + "\n")
    return path


def test_reasons_and_evidence(shards, tmp_path, benchmark) -> None:
    rows = [
        problem("leetcode_dataset/walk-the-line-i", prose(50)),
        problem("leetcode_dataset/walk-the-line-ii", f"{prose(1, 60)} {prose(51, 60)}"),
        problem("taco/1", prose(52), url="https://atcoder.jp/contests/abc999/tasks/abc999_c"),
        problem("codeforces/1900/B", prose(53)),
        problem("apps/1", f"{prose(54, 30)} {prose(2)}"),  # text alone
        problem("apps/2", prose(55), title="Stones"),  # one common word proves nothing
        problem(
            "apps/3", prose(2, 20) + " " + prose(56, 200), title="Stones"
        ),  # with grams it does
        problem("apps/4", prose(57), title="Paint the Old Fence"),  # a telling title
        problem("atcoder/abc998_a", prose(58), title="Stones"),
        problem("apps/5", f"{prose(59)} {BOILER}"),
        problem("apps/6", "Print the answer to all of it!"),
        problem("mine/late", prose(60), released_at=dt.date(2024, 8, 1)),
        problem("mine/early", prose(61), released_at=dt.date(2024, 7, 31)),
    ]
    config = DecontaminateConfig(benchmark=str(benchmark), cutoff=dt.date(2024, 8, 1))
    result = decontaminate([shards(rows)], tmp_path / "out", config)
    found = dropped(result.out)
    why = {
        k: (e["kind"], e["row"].split("/")[-1])
        for k, (r, e) in found.items()
        if r == "contaminated"
    }
    assert why == {
        "leetcode_dataset/walk-the-line-i": ("id", "3346"),
        "taco/1": ("id", "abc999_c"),
        "codeforces/1900/B": ("id", "1900_B"),
        "apps/1": ("ngram", "abc999_c"),
        "apps/3": ("title", "abc999_c"),
        "apps/4": ("title", "1900_B"),
        "apps/6": ("ngram", "abc999_d"),
    }
    assert found["apps/1"][1]["benchmark"] == "bench.jsonl"
    assert found["apps/1"][1]["share"] == pytest.approx(1, abs=0.13)
    assert found["apps/1"][1]["shared"] > 100
    assert found["mine/late"] == (
        "after_cutoff",
        {"released_at": "2024-08-01", "cutoff": "2024-08-01"},
    )
    flags = {p.id: p.flags for p in kept(result.out)}
    assert list(flags) == [
        "leetcode_dataset/walk-the-line-ii", "apps/2", "atcoder/abc998_a", "apps/5", "mine/early",
    ]  # fmt: skip
    assert flags["leetcode_dataset/walk-the-line-ii"] == ("benchmark_sibling",)
    assert not any(f for i, f in flags.items() if "walk" not in i)
    assert result.extra["hits"] == {"id": 3, "title": 2, "ngram": 2}
    assert (result.extra["siblings_kept"], result.extra["undated_kept"]) == (1, 4)
    assert result.extra["benchmark_rows_hit"] == 4


def test_siblings_can_be_dropped_or_kept(benchmark) -> None:
    config = DecontaminateConfig(benchmark=str(benchmark))
    loaded = load_benchmark(benchmark)
    nearly = problem("leetcode_dataset/walk-the-line-ii", prose(1))
    half = replace(nearly, statement=f"{prose(1, 60)} {prose(51, 60)}")

    def verdict(p: Problem, limit: float) -> bool | None:
        hit = find_hit(loaded, p, config.model_copy(update={"same_judge_threshold": limit}))
        return hit and not hit.sibling

    assert [verdict(nearly, x) for x in (0.25, 0.9, 2.0)] == [True, True, False]
    assert [verdict(half, x) for x in (0.25, 0.9, 2.0)] == [True, False, False]


def test_mangled_copies_are_found(benchmark) -> None:
    """Lost superscripts, LaTeX, HTML, case and punctuation do not hide a copy."""
    text = f"{prose(2)} where 1 <= n <= 10^5. {prose(70)}"
    path = benchmark.with_name("one.jsonl")
    path.write_text(json.dumps(row("abc1_a", "Odd", text, "atcoder")) + "\n")
    loaded = load_benchmark(path)
    for spelling in (
        "1 <= n <= 105",
        r"$1 \leq n \leq 10^{5}$",
        "1 &le; <i>n</i> ≤ 10<sup>5</sup>",
    ):
        copy = (
            text.replace("1 <= n <= 10^5", spelling)
            .upper()
            .replace("\\LEQ", "\\leq")
            .replace("&LE;", "&le;")
        )
        hit = find_hit(loaded, problem("apps/1", copy), DecontaminateConfig())
        assert hit is not None
        assert hit.share == 1.0


def test_unknown_benchmarks_stop_before_any_work(shards, tmp_path) -> None:
    source = shards([problem("a/1")])
    with pytest.raises(BenchmarkError, match=r"lcb-v6.*shipped benchmark \(lcb-v5\)"):
        decontaminate([source], tmp_path / "out", DecontaminateConfig(benchmark="lcb-v6"))
    assert not (tmp_path / "out").exists()
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    with pytest.raises(BenchmarkError, match="no rows"):
        load_benchmark(empty)
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"question_id": "1"}\n')
    with pytest.raises(BenchmarkError, match=r"broken\.jsonl"):
        load_benchmark(broken)


def test_same_bytes_again_and_after_a_kill(shards, tmp_path) -> None:
    rows = [problem(f"apps/{i}", prose(i)) for i in range(60)]
    rows[7] = problem("leetcode_dataset/find-the-peaks")
    source = shards(rows)
    undisturbed = decontaminate([source], tmp_path / "one")
    assert list(dropped(undisturbed.out)) == [rows[7].id]
    kill_half_way("decontaminate", source, tmp_path / "two", lines=30)
    resumed = decontaminate([source], tmp_path / "two")
    assert folder_bytes(resumed.out) == folder_bytes(undisturbed.out)
    assert decontaminate([source], tmp_path / "two").reused


def test_the_shipped_fingerprints_hold_no_text() -> None:
    assert shipped() == ["lcb-v5"]
    data = json.loads((FINGERPRINTS / "lcb-v5.json").read_text())
    assert data["header"]["licence"] == "MIT"
    assert data["header"]["rows"] == len(data["problems"]) == 880
    for p in data["problems"]:
        assert set(p) == {"id", "identity", "platform", "released_at", "title", "title_words"}
        assert len(bytes.fromhex(p["identity"])) == len(bytes.fromhex(p["title"])) == 8
        assert len(p["id"]) <= 24
        assert " " not in p["id"]
    with np.load(FINGERPRINTS / "lcb-v5.npz", allow_pickle=False) as arrays:
        assert {k: a.dtype.kind for k, a in arrays.items()} == {
            "grams": "u", "offsets": "i", "common": "u",
        }  # fmt: skip
    assert sum(f.stat().st_size for f in FINGERPRINTS.iterdir()) < 8e6


@needs_data
def test_the_shipped_fingerprints_are_what_the_script_makes(tmp_path) -> None:
    fingerprint_lcb.make(LCB, tmp_path)
    assert folder_bytes(tmp_path) == folder_bytes(FINGERPRINTS)
    loaded, rows = load_benchmark("lcb-v5"), load_benchmark(LCB)
    assert loaded.problems == rows.problems
    assert np.array_equal(loaded.grams, rows.grams)


@needs_data
def test_every_benchmark_row_finds_itself() -> None:
    """By its text alone, whatever its id: recall on verbatim copies is 1."""
    benchmark = load_benchmark("lcb-v5")
    with gzip.open(LCB, "rt") as f:
        for i, line in enumerate(f):
            text = json.loads(line)["question_content"]
            hit = find_hit(benchmark, problem("x/1", text), DecontaminateConfig())
            assert hit is not None
            assert (hit.share, benchmark.problems[hit.row]) == (1.0, benchmark.problems[i])


@needs_data
def test_precision_and_recall_on_known_pairs() -> None:
    """Floors just under what was measured: see benchmarks/bench_curation.py."""
    benchmark = load_benchmark("lcb-v5")
    slugs, rows = measure.benchmark_slugs(measure.DATA), measure.leetcode_rows(measure.DATA)
    assert len(rows) == 1488
    full = measure.score(benchmark, slugs, rows, DecontaminateConfig())
    assert full.truth == 145
    assert full.recall == 1.0
    assert full.precision >= 0.955
    assert full.true + full.siblings == full.hits  # nothing but -i/-ii pairs is dropped in error
    strict = measure.score(benchmark, slugs, rows, DecontaminateConfig(same_judge_threshold=2))
    assert (strict.precision, strict.recall) == (1.0, 1.0)
    text = measure.score(benchmark, slugs, rows, DecontaminateConfig(), text_only=True)
    assert text.recall >= 0.96
    assert text.precision >= 0.85
    assert text.hits - text.true - text.siblings <= 2


@needs_data
def test_dedup_of_two_real_sources() -> None:
    """LeetCodeDataset and LCB without ids: all merges are right, and within LeetCode none."""
    rows = measure.leetcode_rows(measure.DATA)
    found = measure.dedup_score(measure.DATA, rows, DedupConfig())
    assert (found.truth, found.precision) == (145, 1.0)
    assert found.recall >= 0.86
    assert measure.dedup_score(measure.DATA, rows, DedupConfig(threshold=0.7)).recall >= 0.93


@needs_data
@pytest.mark.parametrize("source", ["mbpp", "humaneval"])
def test_no_false_hits_among_unrelated_problems(source: str) -> None:
    from pipelines.sources import read_source

    path = next((measure.DATA / source).glob("*.jsonl.gz"))
    benchmark = load_benchmark("lcb-v5")
    rows = [r for r in read_source(source, path) if isinstance(r, Problem)]
    assert len(rows) > 100
    assert not [r.id for r in rows if find_hit(benchmark, r, DecontaminateConfig())]
