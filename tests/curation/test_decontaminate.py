from __future__ import annotations

import datetime as dt
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from curation_helpers import dropped, folder_bytes, kept, kill_half_way, problem, prose
from decontamination_helpers import BOILER, made_up_benchmark

from curation.benchmark import BenchmarkError, load_benchmark
from curation.decon_items import Item, problem_item
from curation.decon_match import match
from curation.decontaminate import DecontaminateConfig, check_problem, decontaminate
from pipelines.problem import Problem, TestCase
from pipelines.shards import sha256_file


@pytest.fixture
def benchmark(tmp_path: Path) -> Path:
    return made_up_benchmark(tmp_path / "bench.jsonl")


def cases(*pairs: tuple[str, str]) -> tuple[TestCase, ...]:
    return tuple(TestCase(a, b) for a, b in pairs)


#: The two public tests of the made-up benchmark's problem abc999_c.
STONES = cases(("5 4 3 2 1\n", "15\n"), ("9 9 9 9\n", "36\n"))


def test_reasons_and_evidence(shards, tmp_path, benchmark) -> None:
    rows = [
        problem("leetcode_dataset/walk-the-line-i", prose(50)),
        problem("leetcode_dataset/walk-the-line-ii", prose(51)),
        problem("taco/1", prose(52), url="https://atcoder.jp/contests/abc999/tasks/abc999_c"),
        problem("codeforces/1900/B", prose(53)),
        problem("apps/1", f"{prose(54, 30)} {prose(2)}"),  # text alone
        problem("apps/2", prose(55), title="Stones"),  # one common word proves nothing
        problem("apps/3", prose(2, 40) + " " + prose(56, 150), title="Stones"),  # with text it does
        problem("apps/4", prose(57), title="Paint the Old Fence"),  # a telling title
        problem("atcoder/abc998_a", prose(58), title="Stones"),
        problem("apps/5", f"{prose(59)} {BOILER}"),
        problem("apps/6", "Print the answer to all of it!"),
        problem("apps/7", prose(62), tests=STONES),  # rewritten, but the tests stayed
        problem("apps/8", prose(63), tests=STONES[:1]),  # one pair may be chance
        problem("apps/9", prose(64), title="Paint the Old Fence 2"),  # its sequel
        problem("mine/late", prose(60), released_at=dt.date(2024, 8, 1)),
        problem("mine/early", prose(61), released_at=dt.date(2024, 7, 31)),
    ]
    config = DecontaminateConfig(benchmark=str(benchmark), cutoff=dt.date(2024, 8, 1))
    result = decontaminate([shards(rows)], tmp_path / "out", config)
    found = dropped(result.out)
    why = {
        k: (reason, e["row"], *e["signals"])
        for k, (reason, e) in found.items()
        if reason != "after_cutoff"
    }
    assert why == {
        "leetcode_dataset/walk-the-line-i": ("contaminated", "3346", "id", "title"),
        "leetcode_dataset/walk-the-line-ii": (
            "benchmark_sibling", "3346", "sibling_title", "other_id",
        ),
        "taco/1": ("contaminated", "abc999_c", "id"),
        "codeforces/1900/B": ("contaminated", "1900_B", "id"),
        "apps/1": ("contaminated", "abc999_c", "text"),
        "apps/3": ("contaminated", "abc999_c", "title"),
        "apps/4": ("contaminated", "1900_B", "title"),
        "apps/6": ("contaminated", "abc999_d", "text"),
        "apps/7": ("contaminated", "abc999_c", "tests"),
        "apps/9": ("benchmark_sibling", "1900_B", "sibling_title"),
    }  # fmt: skip
    evidence = found["apps/1"][1]
    assert evidence["benchmark"] == "bench.jsonl"
    assert evidence["share"] == evidence["share_of_benchmark"] == pytest.approx(1, abs=0.05)
    assert evidence["share_of_row"] == pytest.approx(0.8, abs=0.05)
    assert evidence["shared_ngrams"] > 100
    assert found["apps/7"][1]["shared_tests"] == 2
    dates = {"released_at": "2024-08-01", "cutoff": "2024-08-01"}
    assert found["mine/late"] == ("after_cutoff", dates)
    assert [p.id for p in kept(result.out)] == [
        "apps/2", "atcoder/abc998_a", "apps/5", "apps/8", "mine/early",
    ]  # fmt: skip
    assert not any(p.flags for p in kept(result.out))
    extra = result.extra
    assert extra["signals"] == {
        "id": 3, "title": 3, "text": 2, "tests": 1, "embedding": 0, "sibling_title": 2,
        "other_tests": 0, "other_id": 1,
    }  # fmt: skip
    assert extra["benchmarks"] == [
        {
            "name": "bench.jsonl", "problems": 10, "of": 10, "hits": 10,
            "sha256": sha256_file(benchmark),
        }
    ]  # fmt: skip
    assert (extra["siblings_kept"], extra["undated_kept"]) == (0, 4)
    assert extra["benchmark_rows_hit"] == 4


def test_siblings_can_be_kept_with_a_flag(shards, tmp_path, benchmark) -> None:
    rows = [
        problem("leetcode_dataset/walk-the-line-ii", prose(51)),
        problem("leetcode_dataset/walk-the-line-i", prose(1)),
    ]
    config = DecontaminateConfig(benchmark=str(benchmark), siblings="keep")
    result = decontaminate([shards(rows)], tmp_path / "out", config)
    assert [(p.id, p.flags) for p in kept(result.out)] == [(rows[0].id, ("benchmark_sibling",))]
    assert result.extra["siblings_kept"] == 1


def test_text_of_another_problem_of_one_judge_is_never_enough(benchmark) -> None:
    """LeetCode's own pairs share most of their text; a twin task (ABC and ARC) its tests too."""
    loaded = load_benchmark(benchmark)
    half = f"{prose(2, 80)} {prose(71, 40)}"

    def kind(p: Problem) -> str | None:
        verdict = check_problem([loaded], p)
        return verdict and verdict.kind

    assert kind(problem("apps/1", half)) == "contaminated"
    assert kind(problem("atcoder/arc1_a", half)) is None
    assert kind(problem("atcoder/arc1_a", prose(2))) == "sibling"
    assert kind(problem("atcoder/arc1_a", prose(2), tests=STONES)) == "contaminated"
    assert kind(problem("atcoder/arc1_a", prose(72), tests=STONES)) is None


def test_much_text_and_other_tests_is_a_sibling(benchmark) -> None:
    loaded = load_benchmark(benchmark)
    other = cases(("7 7 7 7\n", "28\n"), ("1 2 3 4\n", "10\n"))
    verdict = check_problem([loaded], problem("apps/1", prose(2), tests=other))
    assert verdict is not None
    assert (verdict.kind, verdict.signals) == ("sibling", ("text", "other_tests"))
    part = problem("apps/1", f"{prose(2, 60)} {prose(71, 70)}", tests=other)
    assert check_problem([loaded], part) is None
    assert check_problem([loaded], replace(part, tests=STONES[:1])).kind == "contaminated"


@pytest.mark.parametrize("number", ["3346", "3652"])
def test_leetcode_numbers_are_no_ids(benchmark, number: str) -> None:
    """LiveCodeBench carries the internal number, others the shown one: equal numbers mean
    nothing, and different ones don't make different problems."""
    loaded = load_benchmark(benchmark)
    for source in ("leetcode", "leetcode_dataset"):
        assert check_problem([loaded], problem(f"{source}/{number}", prose(80))) is None
        copy = check_problem([loaded], problem(f"{source}/{number}", prose(1)))
        assert copy is not None
        assert (copy.kind, copy.signals) == ("contaminated", ("text",))


@pytest.mark.parametrize(
    "spelling",
    ["1 <= n <= 105", r"$1 \leq n \leq 10^{5}$", "1 &le; <i>n</i> ≤ 10<sup>5</sup>"],
)
def test_mangled_copies_are_found(tmp_path, spelling: str) -> None:
    """Lost superscripts, LaTeX, HTML, case and punctuation do not hide a copy."""
    text = f"{prose(2)} where 1 <= n <= 10^5. {prose(70)}"
    path = tmp_path / "one.jsonl"
    path.write_text(json.dumps({"id": "abc1_a", "statement": text}) + "\n")
    copy = text.replace("1 <= n <= 10^5", spelling).upper()
    copy = copy.replace("\\LEQ", "\\leq").replace("&LE;", "&le;")
    verdict = check_problem([load_benchmark(path)], problem("apps/1", copy))
    assert verdict is not None
    assert verdict.share == 1.0


def test_several_benchmarks_and_windows(shards, tmp_path, benchmark) -> None:
    rows = [
        problem("leetcode_dataset/find-the-peaks"),
        problem("codeforces/1900/B", prose(53)),
        problem("humaneval/HumanEval-3", prose(54)),
    ]
    config = DecontaminateConfig(benchmark=["lcb-v5", str(benchmark), "humaneval"])
    found = dropped(decontaminate([shards(rows)], tmp_path / "out", config).out)
    assert [e["benchmark"] for _, e in found.values()] == ["lcb-v5", "bench.jsonl", "humaneval"]
    late = config.model_copy(update={"date_from": dt.date(2024, 5, 5), "benchmark": ("lcb-v5",)})
    result = decontaminate([shards(rows)], tmp_path / "late", late)
    assert result.dropped == 0  # find-the-peaks is of 2023
    assert [(b["name"], b["of"]) for b in result.extra["benchmarks"]] == [
        ("lcb-v5@2024-05-05..", 880)
    ]


def test_a_batch_decides_as_one_by_one(benchmark) -> None:
    loaded = load_benchmark(benchmark)
    texts = ["", "one", prose(1), prose(2, 60), f"{prose(3)} {BOILER}", prose(90), BOILER, "1 2 3"]
    items = [problem_item(Problem(id=f"x/{i}", statement=t)) for i, t in enumerate(texts)]
    together = match([loaded], items)
    assert together == [match([loaded], [item])[0] for item in items]
    assert [v is not None for v in together] == [0, 0, 1, 1, 1, 0, 0, 0]
    assert match([loaded], []) == []
    empty = Item("x/1", pairs=np.zeros(0, np.uint64))
    assert match([loaded], [empty]) == [None]


def test_unknown_benchmarks_stop_before_any_work(shards, tmp_path) -> None:
    source = shards([problem("a/1")])
    with pytest.raises(BenchmarkError, match=r"lcb-v6.*shipped benchmark \(humaneval, lcb-v5"):
        decontaminate([source], tmp_path / "out", DecontaminateConfig(benchmark="lcb-v6"))
    assert not (tmp_path / "out").exists()


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
