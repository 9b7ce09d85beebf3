from __future__ import annotations

import datetime as dt
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from curation_helpers import dropped, folder_bytes, kept, kill_half_way, problem, prose

from curation import dedup_pairs, dedup_sign
from curation.dedup import DedupConfig, dedup
from curation.identity import native_identity
from curation.text import dedup_tokens
from pipelines.problem import Checker, Problem, Provenance, Solution, TestCase
from pipelines.shards import ShardError, write_problems

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


def pairs(*numbers: int) -> tuple[TestCase, ...]:
    """Tests long enough to say something."""
    return tuple(TestCase(f"{n} 10 20 30\n", f"{n * 7}\n") for n in numbers)


def vetoes(out: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """(a, b) -> the row of vetoes.parquet."""
    return {(v["a"], v["b"]): v for v in pq.read_table(out / "vetoes.parquet").to_pylist()}


REWRITTEN = " ".join(BASE.split()[:40]) + " " + prose(77, 90)  # shares a quarter of BASE
OTHERWISE = " ".join(BASE.split()[:40]) + " " + prose(78, 90)


def test_a_rewritten_statement_is_found_by_its_tests(shards, tmp_path) -> None:
    rows = [
        problem("a/1", BASE, tests=pairs(1, 2, 3)),
        problem("b/2", REWRITTEN, tests=pairs(2, 3)),
        problem("c/3", prose(88), tests=pairs(2, 3)),  # nothing of the text: examples are shared
        problem("d/4", OTHERWISE, tests=pairs(3, 4, 5)),  # one pair in common
    ]
    assert 0.1 < similarity(BASE, REWRITTEN) < 0.5
    result = dedup([shards(rows)], tmp_path / "out")
    evidence = dropped(result.out)["b/2"][1]
    assert (evidence["of"], evidence["kind"], evidence["shared_tests"]) == ("a/1", "tests", 2)
    assert vetoes(result.out)["a/1", "c/3"]["reason"] == "text_differs"
    assert "c/3" in [p.id for p in kept(result.out)]


def test_pairs_that_many_rows_have_say_nothing(shards, tmp_path) -> None:
    rows = [problem(f"{chr(97 + i)}/1", prose(20 + i), tests=pairs(1, 2)) for i in range(6)]
    rows += [problem("x/1", BASE, tests=pairs(1, 2)), problem("y/1", REWRITTEN, tests=pairs(1, 2))]
    source = shards(rows)
    few = dedup([source], tmp_path / "few", DedupConfig(max_pair_rows=7))
    assert (few.dropped, vetoes(few.out)) == (0, {})
    many = dedup([source], tmp_path / "many", DedupConfig(max_pair_rows=8))
    assert list(dropped(many.out)) == ["y/1"]
    short = tuple(TestCase(str(i), "1") for i in range(3))
    rows = [problem("x/1", BASE, tests=short), problem("y/1", REWRITTEN, tests=short)]
    assert dedup([shards(rows)], tmp_path / "short").dropped == 0


def test_near_texts_with_other_tests_are_siblings(shards, tmp_path) -> None:
    rows = [
        problem("a/1", BASE, tests=pairs(1, 2, 3)),
        problem("b/2", NEAR, tests=pairs(4, 5, 6)),
        problem("c/3", NEAR + " so", tests=()),  # its tests are unknown: the text decides
        problem("d/4", prose(9)),
    ]
    result = dedup([shards(rows)], tmp_path / "out")
    assert list(dropped(result.out)) == ["c/3"]
    flags = {p.id: p.flags for p in kept(result.out)}
    assert flags == {"a/1": ("sibling",), "b/2": ("sibling",), "d/4": ()}
    assert vetoes(result.out)["a/1", "b/2"]["reason"] == "tests_differ"
    assert result.extra["vetoes"]["tests_differ"] == 1
    assert result.extra["siblings"] == 2


def test_titles_of_one_judge_name_siblings_whatever_their_texts(shards, tmp_path) -> None:
    rows = [
        problem("leetcode/rob", prose(1), title="Rob"),
        problem("leetcode/rob-ii", prose(2), title="Rob II"),
        problem("other/rob-iii", prose(3), title="Rob III"),  # another judge: the title is chance
    ]
    result = dedup([shards(rows)], tmp_path / "out")
    assert [p.flags for p in kept(result.out)] == [("sibling",), ("sibling",), ()]
    assert list(vetoes(result.out)) == [("leetcode/rob", "leetcode/rob-ii")]


def test_a_chain_never_joins_two_problems_of_one_judge(shards, tmp_path) -> None:
    words = BASE.split()
    left = " ".join(["left", *words[1:]])
    right = " ".join([*words[:-1], "right"])
    rows = [
        problem("leetcode/one", left, tests=pairs(1, 2)),
        problem("leetcode/two", right, tests=pairs(3, 4)),
        problem("a/copy", BASE, tests=()),
        problem("b/copy", BASE + " x", tests=()),
    ]
    result = dedup([shards(rows)], tmp_path / "out")
    ids = [p.id for p in kept(result.out)]
    assert {"leetcode/one", "leetcode/two"} <= set(ids)
    of = {e["of"] for _, e in dropped(result.out).values()}
    assert len(of) == 1  # both copies went to the same problem
    reasons = {v["reason"]: v for v in vetoes(result.out).values()}
    assert set(reasons) == {"same_judge", "cluster"}
    assert "two problems of leetcode" in reasons["cluster"]["detail"]


def test_worth_decides_in_the_documented_order(shards, tmp_path) -> None:
    day = dt.date(2020, 1, 1)
    better = [
        ("e/tests", {"tests": pairs(1, 2, 3)}),
        ("f/checker", {"checker": Checker("float", (("abs_tol", 1e-6),))}),
        ("g/licence", {"licence": "MIT"}),
        ("h/early", {"released_at": day}),
        ("z/late", {"released_at": day + dt.timedelta(1)}),
        ("y/solved", {"solutions": (Solution("print(1)"),)}),
        ("a/plain", {}),
        ("b/plain", {}),
    ]
    rows = [problem(i, BASE, **({"tests": pairs(1, 2)} | fields)) for i, fields in better]
    for start in range(len(rows) - 1):
        result = dedup([shards(rows[start:][::-1])], tmp_path / f"{start}")
        assert [p.id for p in kept(result.out)] == [rows[start].id]


def test_the_ids_of_copies_stay_in_provenance(shards, tmp_path) -> None:
    rows = [
        problem("a/1", BASE, tests=TESTS3),
        problem("b/1", BASE, provenance=Provenance("f", also=("old/9", "a/1"))),
        problem("c/1", BASE),
    ]
    (p,) = kept(dedup([shards(rows)], tmp_path / "out").out)
    assert (p.id, p.provenance.also) == ("a/1", ("b/1", "c/1", "old/9"))


def test_evidence_through_another_row_names_it(shards, tmp_path) -> None:
    url = "https://codeforces.com/problemset/problem/1/A"
    rows = [
        problem("codeforces/1/A", prose(1), tests=pairs(1, 2, 3)),
        problem("taco/1", BASE, url=url),
        problem("apps/1", NEAR, tests=()),
    ]
    found = dropped(dedup([shards(rows)], tmp_path / "out").out)
    assert found["taco/1"][1]["kind"] == "identity"
    assert found["apps/1"][1]["of"] == "codeforces/1/A"
    assert found["apps/1"][1]["via"] == ["taco/1"]


def mixed_rows(count: int) -> list[Problem]:
    """Rows of every kind: copies, near copies, siblings, rewritten ones, equal rows."""
    rows = []
    for i in range(count):
        text, judge = prose(i // 4, 80 + i % 7), ("leetcode", "a", "b", "c")[i % 4]
        if i % 4 == 1:
            text = text.replace("tree", "bush", 1)
        tests = pairs(*range(i // 4, i // 4 + 1 + i % 3))
        rows.append(problem(f"{judge}/{i}", text, title=f"P{i // 8} {'I' * (i % 3)}", tests=tests))
    return rows + [replace(rows[i], tags=("x",)) for i in range(0, count, 9)]


def outcome(out: Path) -> tuple[Any, Any, Any]:
    """What came out, without the order."""
    return sorted(map(repr, kept(out))), dropped(out), vetoes(out)


def test_the_order_of_rows_changes_nothing(tmp_path) -> None:
    rows = mixed_rows(60)
    seen = []
    for seed in range(4):
        shuffled = random.Random(seed).sample(rows, len(rows))
        write_problems(shuffled, tmp_path / f"in{seed}")
        seen.append(outcome(dedup([tmp_path / f"in{seed}"], tmp_path / f"out{seed}").out))
    assert len(seen[0][1]) > 10
    assert len(seen[0][2]) > 3
    assert all(s == seen[0] for s in seen)


def test_batches_and_processes_change_nothing(tmp_path, monkeypatch) -> None:
    write_problems(mixed_rows(80), tmp_path / "in")
    one = dedup([tmp_path / "in"], tmp_path / "one", workers=1)
    monkeypatch.setattr(dedup_sign, "BATCH", 7)
    monkeypatch.setattr(dedup_sign, "TASK_ROWS", 21)
    monkeypatch.setattr(dedup_sign, "MIN_ROWS_FOR_PROCESSES", 0)
    monkeypatch.setattr(dedup_pairs, "BLOCK", 5)
    two = dedup([tmp_path / "in"], tmp_path / "two", workers=2)
    assert folder_bytes(one.out) == folder_bytes(two.out)


def test_a_process_that_fails_names_the_file(tmp_path, monkeypatch) -> None:
    write_problems(mixed_rows(20), tmp_path / "in")
    monkeypatch.setattr(dedup_sign, "TASK_ROWS", 10)
    monkeypatch.setattr(dedup_sign, "MIN_ROWS_FOR_PROCESSES", 0)
    real = dedup_sign.tasks

    def gone(*args: Any) -> list[dedup_sign.Task]:
        return [replace(t, path=str(tmp_path / "gone.parquet")) for t in real(*args)]

    monkeypatch.setattr("curation.dedup.tasks", gone)
    with pytest.raises(ShardError, match=r"gone\.parquet"):
        dedup([tmp_path / "in"], tmp_path / "out", workers=2)
    assert not (tmp_path / "out").exists()


def test_no_rows(shards, tmp_path) -> None:
    result = dedup([shards([])], tmp_path / "out")
    assert (result.kept, result.dropped) == (0, 0)
