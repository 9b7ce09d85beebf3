"""LiveCodeBench rows, and the pickles in them."""

from __future__ import annotations

import base64
import datetime as dt
import json
import os
import pickle
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pipelines.problem import Dropped, Problem, Solution, TestCase
from pipelines.sources import livecodebench
from pipelines.sources.livecodebench import (
    BenchmarkRow,
    PickleRefused,
    iter_benchmark,
    read,
    unpickle_text,
)

STDIN = [{"input": "1\r\n", "output": "2\n", "testtype": "stdin"}]
ROW: dict[str, Any] = {
    "question_title": "Next",
    "question_content": "Print n + 1.",
    "platform": "atcoder",
    "question_id": "abc999_a",
    "contest_id": "abc999",
    "contest_date": "2024-05-11T00:00:00",
    "starter_code": "",
    "difficulty": "easy",
    "public_test_cases": json.dumps(STDIN),
    "private_test_cases": "[]",
    "metadata": "{}",
}


def pack(raw: bytes) -> str:
    return base64.b64encode(zlib.compress(raw)).decode()


def rows_of(tmp_path: Path, *rows: dict[str, Any]) -> list[Problem | Dropped]:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), "utf-8")
    return list(read(path))


def one(tmp_path: Path, **changes: Any) -> Any:
    (row,) = rows_of(tmp_path, {k: v for k, v in {**ROW, **changes}.items() if v is not ...})
    return row


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("text", ["", "[]", "é\n\\u0041 \U0001f600", "x" * 300, "y" * 70_000])
def test_pickled_strings_decode(protocol: int, text: str) -> None:
    assert unpickle_text(pack(pickle.dumps(text, protocol))) == text


def test_a_row_of_code_generation_lite(tmp_path: Path) -> None:
    private = json.dumps([{"input": "5\n", "output": "6\n", "testtype": "stdin"}])
    p = one(tmp_path, private_test_cases=pack(pickle.dumps(private)))
    assert isinstance(p, Problem)
    assert p.id == "livecodebench/abc999_a"
    assert p.url == "https://atcoder.jp/contests/abc999/tasks/abc999_a"
    assert (p.title, p.level, p.released_at) == ("Next", "easy", dt.date(2024, 5, 11))
    assert p.fn_name is None
    assert p.tests == (
        TestCase("1\r\n", "2\n", "sample", "sample-1"),
        TestCase("5\n", "6\n", "hidden", "hidden-1"),
    )
    assert p.licence.startswith("MIT (LiveCodeBench)")
    assert p.provenance.parser == "livecodebench/1"
    assert len(p.provenance.sha256) == 64
    assert one(tmp_path, private_test_cases=private).tests == p.tests  # plain JSON


def test_functional_rows_name_their_function(tmp_path: Path) -> None:
    functional = json.dumps([{"input": "[1]\n2", "output": "3", "testtype": "functional"}])
    leet = {
        "platform": "leetcode", "question_id": 2727, "question_title": "Two K-th  Sum",
        "contest_id": "weekly", "public_test_cases": functional,
    }  # fmt: skip
    p = one(tmp_path, metadata='{"func_name": "twoSum"}', **leet)
    assert (p.id, p.fn_name) == ("livecodebench/2727", "twoSum")
    assert p.url == "https://leetcode.com/problems/two-k-th-sum/"
    odd = {**leet, "question_title": "Pow(x, n)"}  # LeetCode says powx-n
    assert one(tmp_path, metadata='{"func_name": "pow"}', **odd).url == ""
    assert p.tests[0].input == "[1]\n2"
    dropped = one(tmp_path, **leet)
    assert dropped.reason == "bad_row"
    assert "func_name" in dropped.evidence["error"]


def test_codeforces_url(tmp_path: Path) -> None:
    p = one(tmp_path, platform="codeforces", question_id="1873_A", contest_id="1873")
    assert p.url == "https://codeforces.com/problemset/problem/1873/A"


class Attack:
    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.target),)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_that_would_run_code_is_refused(tmp_path: Path, protocol: int) -> None:
    target = tmp_path / "made-by-pickle"
    raw = pickle.dumps(Attack(target), protocol)
    pickle.loads(raw)
    assert target.exists()  # the attack is a real one
    target.rmdir()
    good = {**ROW, "question_id": "abc999_b"}
    bad, after = rows_of(tmp_path, {**ROW, "private_test_cases": pack(raw)}, good)
    assert isinstance(bad, Dropped)
    assert bad.reason == "pickle_refused"
    assert bad.id == "livecodebench/abc999_a"
    assert bad.evidence["row"] == 1
    assert "opcode" in bad.evidence["error"]
    assert not target.exists()
    assert isinstance(after, Problem)


@pytest.mark.parametrize(
    "packed",
    [
        "!!!",
        "é",
        base64.b64encode(b"not zlib").decode(),
        base64.b64encode(zlib.compress(pickle.dumps("[]")) + b"x").decode(),
        pack(b""),
        pack(b"\x80\x04."),
        pack(b"\x80\x04N."),
        pack(b"\x80\x04\x8c\x05abc"),
        pack(b"\x80\x04\x8c\x02\xff\xfe."),
        pack(pickle.dumps("a")[:-1] + pickle.dumps("b")[2:]),
        pack(pickle.dumps("a") + b"x"),
        pack(pickle.dumps(b"[]")),
        pack(pickle.dumps(["[]"])),
        pack(pickle.dumps({"a": 1})),
        base64.b64encode(zlib.compress(pickle.dumps("x" * 1000))[:-8]).decode(),
    ],
)
def test_other_packed_bytes_are_refused(tmp_path: Path, packed: str) -> None:
    with pytest.raises(PickleRefused):
        unpickle_text(packed)
    assert one(tmp_path, private_test_cases=packed).reason == "pickle_refused"


def test_a_zlib_bomb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(livecodebench, "MAX_TESTS", 1000)
    with pytest.raises(PickleRefused, match="over 1000 bytes"):
        unpickle_text(pack(pickle.dumps("x" * 2000)))


@pytest.mark.parametrize(
    ("changes", "reason", "says"),
    [
        ({"public_test_cases": "[]"}, "no_tests", "empty"),
        ({"public_test_cases": ..., "private_test_cases": ...}, "no_tests", "empty"),
        ({"public_test_cases": "[{]"}, "bad_row", "'public_test_cases': not JSON"),
        ({"public_test_cases": "{}"}, "bad_row", "a list of objects"),
        ({"public_test_cases": '[{"input": ""}]'}, "bad_row", "output' is missing"),
        ({"public_test_cases": '[{"input": 1, "output": ""}]'}, "bad_row", "expected text"),
        ({"private_test_cases": pack(pickle.dumps("{"))}, "bad_row", "'private_test_cases'"),
        ({"question_id": ...}, "bad_row", "question_id"),
        ({"question_id": ""}, "bad_row", "question_id"),
        ({"platform": "spoj"}, "bad_row", "'spoj' is not one of atcoder"),
        ({"contest_date": "yesterday"}, "bad_row", "contest_date"),
        ({"question_content": "\ud800"}, "invalid_utf8", "question_content"),
        (
            {"private_test_cases": '[{"input":"1","output":"2","testtype":"functional"}]'},
            "bad_row",
            "testtype is mixed",
        ),
        (
            {"private_test_cases": '[{"input":"1","output":"2","testtype":"graphical"}]'},
            "bad_row",
            "'graphical' is not one of stdin, functional",
        ),
        ({"code_list": ["x"], "graded_list": []}, "bad_row", "one length"),
        ({"code_list": ["x"], "graded_list": ["yes"]}, "bad_row", "true or false"),
    ],
)
def test_refusals(tmp_path: Path, changes: dict[str, Any], reason: str, says: str) -> None:
    dropped = one(tmp_path, **changes)
    assert isinstance(dropped, Dropped)
    assert (dropped.stage, dropped.reason) == ("import", reason)
    assert says in dropped.evidence["error"]
    assert dropped.evidence["remedy"]


def test_rows_of_samples_and_grades(tmp_path: Path) -> None:
    row = {
        "question_id": "arc100_c", "contest_date": "2023-05-13T00:00:00", "difficulty": "hard",
        "code": "print(1)", "lcb_metadata": {}, "samples": [{"input": "1\r\n", "output": "1\r\n"}],
    }  # fmt: skip
    good, bad = rows_of(tmp_path, {**row, "lcb_graded": True}, {**row, "lcb_graded": False})
    assert isinstance(good, Problem)
    assert isinstance(bad, Problem)
    assert good.tests == (TestCase("1\r\n", "1\r\n", "sample", "sample-1"),)
    assert good.solutions == (Solution("print(1)", "accepted", "python", "code"),)
    assert bad.solutions[0].expected == "rejected"
    assert good.url == "https://atcoder.jp/contests/arc100/tasks/arc100_c"


def test_benchmark_rows(tmp_path: Path) -> None:
    path = tmp_path / "b.jsonl"
    evil = {**ROW, "private_test_cases": "!!!"}  # never looked at
    bad = {k: v for k, v in ROW.items() if k != "question_content"}
    texts = [bad, {**bad, "question_content": " \n"}, {**bad, "question_content": None}]
    path.write_text("\n".join(json.dumps(r) for r in (evil, *texts)), "utf-8")
    row, *others = iter_benchmark(path)
    assert row == BenchmarkRow(
        "abc999_a", "Next", "Print n + 1.", "atcoder", "abc999", dt.date(2024, 5, 11),
        "https://atcoder.jp/contests/abc999/tasks/abc999_a",
        (("1\r\n", "2\n"),),
    )  # fmt: skip
    for dropped, says in zip(others, ("is missing", "is empty", "expected text"), strict=True):
        assert isinstance(dropped, Dropped)
        assert dropped.reason == "bad_row"
        assert "question_content" in dropped.evidence["error"]
        assert says in dropped.evidence["error"]


def test_real_rows(shared_data: Path) -> None:
    folder = shared_data / "livecodebench"
    samples = list(read(folder / "atcoder_samples_o1_mini.jsonl.gz"))
    assert len(samples) == 488
    assert all(isinstance(r, Problem) and r.tests and len(r.solutions) == 1 for r in samples)
    path = folder / "release_v5_submissions_o1_mini.jsonl.gz"
    submissions = list(read(path))
    assert Counter(r.reason for r in submissions if isinstance(r, Dropped)) == {"no_tests": 880}
    rows = list(iter_benchmark(path))
    platforms = Counter(r.platform for r in rows if isinstance(r, BenchmarkRow))
    assert platforms == {"atcoder": 490, "leetcode": 381, "codeforces": 9}
    assert all(isinstance(r, BenchmarkRow) and r.url and r.released_at for r in rows)
    assert len({r.id for r in rows}) == 880
    textless = list(iter_benchmark(folder / "atcoder_samples_o1_mini.jsonl.gz"))
    assert Counter(r.reason for r in textless if isinstance(r, Dropped)) == {"bad_row": 488}
