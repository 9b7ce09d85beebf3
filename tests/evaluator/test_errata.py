"""The list of LiveCodeBench's rows that stored tests cannot judge, and who is on it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from evaluator import errata
from evaluator.errata import affected, erratum_of, find, load, slug_of
from pipelines.problem import Checker, Problem
from pipelines.sources import livecodebench


def test_the_list() -> None:
    rows = load()
    assert Counter(r.kind for r in rows) == {
        "several_answers": 11,
        "interactive": 2,
        "wrong_tests": 4,
    }
    assert len({r.id for r in rows}) == len({r.slug for r in rows}) == len(rows)
    for r in rows:
        assert r.id.isdecimal() == (r.platform == "leetcode")
        assert r.slug == slug_of(r.slug)
        assert r.reason.endswith(".")
        assert (r.remedy == "leave_out") == (r.kind != "several_answers")


@pytest.mark.parametrize(
    ("problem", "listed"),
    [
        (Problem("livecodebench/abc311_c"), "abc311_c"),
        (Problem("livecodebench/3221"), "3221"),
        (Problem("livecodebench/whatever", title="Find the Peaks"), "3221"),
        (Problem("jsonl/abc311_c"), "abc311_c"),
        (Problem("jsonl/find-the-peaks"), "3221"),
        (Problem("jsonl/7", title="Find the Peaks"), "3221"),
        # a number in one's own file, AtCoder's common titles, other data with tests of its own
        (Problem("jsonl/3221"), None),
        (Problem("livecodebench/abc999_c", title="Sort"), None),
        (Problem("jsonl/sort"), None),
        (Problem("leetcode/find-the-peaks", title="Find The Peaks"), None),
        (Problem("livecodebench/abc301_a"), None),
        (Problem("jsonl/7", title="?"), None),
        # its own checker settles several answers, not wrong tests
        (Problem("livecodebench/3221", checker=Checker("unordered")), None),
        (Problem("livecodebench/abc355_e", checker=Checker("tokens")), "abc355_e"),
        (Problem("livecodebench/abc350_c", checker=Checker("program", source="1")), "abc350_c"),
    ],
    ids=lambda x: x.id + x.checker.kind if isinstance(x, Problem) else "",
)
def test_who_is_on_it(problem: Problem, listed: str | None) -> None:
    row = erratum_of(problem)
    assert (row.id if row else None) == listed
    assert list(affected([problem])) == ([problem.id] if listed else [])


def test_find_needs_something() -> None:
    assert find() is None
    assert find("", "") is None
    assert find("abc327_b") is not None


def test_values_are_checked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    row = {"id": "x", "slug": "x", "platform": "atcoder", "kind": "odd", "remedy": "program"}
    (tmp_path / "livecodebench.json").write_text(
        json.dumps([row | {"evidence": "statement", "reason": "."}])
    )
    monkeypatch.setattr(errata, "files", lambda package: tmp_path)
    load.cache_clear()
    with pytest.raises(ValueError, match="'odd' is not allowed"):
        load()
    monkeypatch.undo()
    load.cache_clear()
    assert load()


def test_every_row_is_in_release_v5_by_id_and_by_title(shared_data: Path) -> None:
    path = shared_data / "livecodebench/release_v5_submissions_o1_mini.jsonl.gz"
    rows = {
        r.id: r
        for r in livecodebench.iter_benchmark(path)
        if isinstance(r, livecodebench.BenchmarkRow)
    }
    for r in load():
        assert r.id in rows
        assert (slug_of(rows[r.id].title), rows[r.id].platform) == (r.slug, r.platform)
    # the importer's ids and titles lead to the same rows and to no others
    problems = [Problem(f"livecodebench/{r.id}", title=r.title) for r in rows.values()]
    assert set(affected(problems)) == {f"livecodebench/{r.id}" for r in load()}


def test_the_statements_say_so(shared_data: Path) -> None:
    path = shared_data / "livecodebench/release_v5_submissions_o1_mini.jsonl.gz"
    text = {
        r.id: r.statement.lower()
        for r in livecodebench.iter_benchmark(path)
        if isinstance(r, livecodebench.BenchmarkRow)
    }
    for r in load():
        if r.remedy == "unordered":
            assert "in any order" in text[r.id]
        if r.kind == "interactive":
            assert "interactive problem" in text[r.id]
        if r.kind == "several_answers" and r.evidence == "statement":
            assert any(w in text[r.id] for w in ("any of them", "any order", "print any integer"))
