from __future__ import annotations

from dataclasses import replace

import pytest
from curation_helpers import dropped, folder_bytes, kept, kill_half_way, problem, prose

from curation.dedup import DedupConfig, dedup
from curation.identity import native_identity
from curation.text import dedup_tokens
from pipelines.problem import Solution, TestCase

BASE = prose(1, 150)
NEAR = BASE.replace("integer", "number", 1)  # about five shingles of 150 differ
TESTS3 = tuple(TestCase(str(i), "x") for i in range(3))


def similarity(a: str, b: str, n: int = 5) -> float:
    """Jaccard of the shingles as sets of tuples, without hashes."""

    def shingles(text: str) -> set[tuple[str, ...]]:
        tokens = dedup_tokens(text)
        return {tuple(tokens[i : i + n]) for i in range(max(1, len(tokens) - n + 1))}

    return len(shingles(a) & shingles(b)) / len(shingles(a) | shingles(b))


def test_siblings_of_one_judge_stay_and_copies_across_sources_go(shards, tmp_path) -> None:
    one = f"{BASE} The bound is n <= 100."
    two = f"{BASE} The bound is n <= 100000."
    assert similarity(one, two) > 0.9
    rows = [
        problem("leetcode_dataset/baskets-i", one, title="Baskets I"),
        problem("leetcode_dataset/baskets-ii", two, title="Baskets II"),
        problem("apps/7", NEAR + " The bound is n <= 100000."),
        problem("apps/8", prose(2)),
    ]
    result = dedup([shards(rows)], tmp_path / "out")
    # of the two siblings, the one it is a copy of; equal in worth, so the least id stays
    assert [p.id for p in kept(result.out)] == [rows[0].id, "apps/7", "apps/8"]
    reason, evidence = dropped(result.out)[rows[1].id]
    assert reason == "duplicate"
    assert (evidence["of"], evidence["kind"]) == ("apps/7", "near")
    assert evidence["jaccard"] == pytest.approx(
        similarity(rows[1].statement, rows[2].statement), abs=1e-4
    )
    assert result.extra["kinds"] == {"identity": 0, "exact": 0, "near": 1, "tests": 0}


def test_within_source_merges_near_copies_but_never_numbered_titles(shards, tmp_path) -> None:
    rows = [
        problem("a/1", BASE, title="Walk I"),
        problem("a/2", NEAR, title="Walk II"),
        problem("a/3", NEAR + " Good luck", title="Stroll"),
    ]
    source = shards(rows)
    assert dedup([source], tmp_path / "off").dropped == 0
    on = dedup([source], tmp_path / "on", DedupConfig(within_source=True))
    assert list(dropped(on.out)) == ["a/3"]


def test_titles_tell_siblings_apart_across_sources(shards, tmp_path) -> None:
    rows = [problem("a/1", BASE, title="Walk I"), problem("b/2", NEAR, title="Walk II")]
    assert dedup([shards(rows)], tmp_path / "out").dropped == 0


def test_exact_text_in_one_source_needs_equal_tests(shards, tmp_path) -> None:
    rows = [
        problem("a/1", BASE),
        problem("a/2", BASE.upper() + "."),  # the same text once normalised, and the same tests
        problem("a/3", BASE, tests=(TestCase("9", "9"),)),
        problem("b/4", BASE, tests=(TestCase("8", "8"),)),  # another source: text is enough
    ]
    result = dedup([shards(rows)], tmp_path / "out")
    found = dropped(result.out)
    assert set(found) == {"a/2", "b/4"}
    rows = [problem("a/1", BASE, tests=()), problem("a/2", BASE, tests=())]
    assert dedup([shards(rows)], tmp_path / "untested").dropped == 0
    assert found["a/2"] == (
        "duplicate",
        {"of": "a/1", "kind": "exact", "jaccard": 1.0, "shared_tests": 0},
    )


def test_one_problem_of_one_judge_by_url(shards, tmp_path) -> None:
    rows = [
        problem("codeforces/1873/A", prose(3)),
        problem("taco/5", prose(4), url="https://codeforces.com/problemset/problem/1873/A"),
        problem("taco/6", prose(5), url="https://codeforces.com/contest/1873/problem/B"),
    ]
    result = dedup([shards(rows)], tmp_path / "out")
    assert dropped(result.out)["taco/5"][1]["kind"] == "identity"
    assert result.dropped == 1


def test_which_copy_is_kept(shards, tmp_path) -> None:
    solved = (Solution("print(1)"),)
    rows = [
        problem("a/1", BASE),
        problem("b/1", BASE, solutions=solved),
        problem("c/1", BASE, tests=TESTS3),
        problem("d/1", BASE, tests=TESTS3, solutions=solved),
        problem("e/1", BASE, tests=TESTS3, solutions=solved),
    ]
    result = dedup([shards(rows)], tmp_path / "out")
    assert [p.id for p in kept(result.out)] == ["d/1"]
    assert {e["of"] for _, e in dropped(result.out).values()} == {"d/1"}
    result = dedup([shards(rows[:2])], tmp_path / "two")
    assert [p.id for p in kept(result.out)] == ["b/1"]


def test_no_chains(shards, tmp_path) -> None:
    words = prose(6, 200).split()

    def changed(count: int) -> str:
        return " ".join(w + "x" if i < count else w for i, w in enumerate(words))

    a, b, c = changed(0), changed(18), changed(36)
    assert similarity(a, b) > 0.8
    assert similarity(b, c) > 0.8
    assert similarity(a, c) < 0.8
    result = dedup(
        [shards([problem("a/1", a), problem("b/1", b), problem("c/1", c)])], tmp_path / "o"
    )
    assert list(dropped(result.out)) == ["b/1"]  # c is not like a, which was kept


def test_short_statements_are_one_shingle(shards, tmp_path) -> None:
    rows = [
        problem("a/1", "Sum 2 numbers"),
        problem("b/1", "sum 2 numbers."),
        problem("c/1", "Sum 3 numbers"),
    ]
    result = dedup([shards(rows)], tmp_path / "out")
    assert list(dropped(result.out)) == ["b/1"]


def test_rows_without_text_are_not_copies_of_each_other(shards, tmp_path) -> None:
    rows = [replace(problem("a/1"), statement=""), replace(problem("b/1"), statement=" .")]
    assert dedup([shards(rows)], tmp_path / "out").dropped == 0


def test_near_pairs_just_over_the_threshold_are_found(shards, tmp_path) -> None:
    """40 pairs at Jaccard 0.8 to 0.85: datasketch's default bands would miss about half."""
    rows = []
    for i in range(40):
        words = prose(1000 + i, 200).split()
        changed = [w + "x" if k < 16 else w for k, w in enumerate(words)]
        assert 0.8 <= similarity(" ".join(words), " ".join(changed)) < 0.87
        rows += [problem(f"a/{i}", " ".join(words)), problem(f"b/{i}", " ".join(changed))]
    result = dedup([shards(rows)], tmp_path / "out")
    assert result.extra["kinds"]["near"] >= 39


@pytest.mark.parametrize(
    ("row_id", "url", "expected"),
    [
        ("leetcode_dataset/two-sum", "", ("leetcode", "two-sum")),
        ("apps/1", "https://leetcode.com/problems/two-sum/", ("leetcode", "two-sum")),
        ("livecodebench/abc302_e", "", ("atcoder", "abc302_e")),
        ("livecodebench/1873_A", "", ("codeforces", "1873/a")),
        ("codeforces/2046F2", "", ("codeforces", "2046/f2")),
        ("x/1", "https://atcoder.jp/contests/abc302/tasks/abc302_e?l=en", ("atcoder", "abc302_e")),
        ("livecodebench/3346", "", ("livecodebench", "3346")),
        ("kattis/Hello", "", ("kattis", "hello")),
        ("mine/Case", "", ("mine", "Case")),
    ],
)  # fmt: skip
def test_native_identity(row_id: str, url: str, expected: tuple[str, str]) -> None:
    assert native_identity(row_id, url) == expected


def test_same_bytes_again_and_after_a_kill(shards, tmp_path) -> None:
    rows = [problem(f"{'ab'[i % 2]}/{i}", prose(i // 2)) for i in range(60)]
    source = shards(rows)
    undisturbed = dedup([source], tmp_path / "one")
    assert undisturbed.dropped == 30
    kill_half_way("dedup", source, tmp_path / "two", lines=25)
    resumed = dedup([source], tmp_path / "two")
    assert not resumed.reused
    assert folder_bytes(resumed.out) == folder_bytes(undisturbed.out)
