"""Rows of JSONL: a bad one costs that row and nothing else."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from pipelines.problem import Dropped, Problem, TestCase
from pipelines.shards import ShardWriter
from pipelines.sources import SOURCES, SourceError, read_source
from pipelines.sources.rows import Row, read_rows, with_tests
from pipelines.stage import DROPPED_SCHEMA, Decision


def read(path: Path) -> list[Decision]:
    def parse(data: dict[str, Any], row: Row) -> Decision:
        problem = Problem(
            id=f"demo/{data['id']}",
            statement=data["text"],
            tests=tuple(TestCase(t, t) for t in data.get("tests", ["1"])),
        )
        return with_tests(problem, path, row)

    return list(read_rows(path, "demo", parse, lambda d: d.get("id")))


def dropped(path: Path) -> list[Dropped]:
    return [d for d in read(path) if isinstance(d, Dropped)]


GOOD = b'{"id": 1, "text": "a"}\n'


@pytest.mark.parametrize(
    ("line", "row_id", "reason", "error"),
    [
        (b"{oops", "demo/row-2", "not_json", "at column 2"),
        (b'{"id": 2, "text": "\xff"}', "demo/row-2", "invalid_utf8", "byte 19 (0xff) is not UTF-8"),
        (b"[1, 2]", "demo/row-2", "bad_row", "expected a JSON object, found list"),
        (b"null", "demo/row-2", "bad_row", "expected a JSON object, found NoneType"),
        (b'{"id": 2}', "demo/2", "bad_row", "field 'text' is missing"),
        (b'{"text": "a"}', "demo/row-2", "bad_row", "field 'id' is missing"),
        (b'{"id": 2, "text": 5}', "demo/2", "bad_row", "field 'statement': expected text"),
        (b'{"id": 2, "text": "a", "tests": 5}', "demo/2", "bad_row", "TypeError"),
        (b'{"id": 2, "text": "a", "tests": []}', "demo/2", "no_tests", "the test list is empty"),
        (b'{"id": 2, "text": "\\ud800"}', "demo/2", "invalid_utf8", "lone surrogate at character"),
        (b"[" * 200_000, "demo/row-2", "bad_row", "RecursionError"),
    ],
)
def test_a_bad_row_is_dropped_with_file_row_and_remedy(
    tmp_path: Path, line: bytes, row_id: str, reason: str, error: str
) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(GOOD + line + b"\r\n\n" + GOOD)
    first, bad, last = read(path)
    assert isinstance(first, Problem)
    assert isinstance(last, Problem)
    assert isinstance(bad, Dropped)
    assert (bad.id, bad.stage, bad.reason) == (row_id, "import", reason)
    assert error in bad.evidence["error"]
    assert bad.evidence["file"] == str(path)
    assert bad.evidence["row"] == 2
    assert bad.evidence["remedy"]
    assert bad.raw == line
    assert bad.origin == f"{path}:2"


def test_every_bad_row_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"id": "\\ud800", "text": "\\ud800"}\n{"id": "\\udfff"}\n{"id": []}')
    with ShardWriter(tmp_path / "dropped", DROPPED_SCHEMA) as w:
        for row in dropped(path):
            w.write(row.to_row())
    assert w.infos[0].rows == 3


def test_a_truncated_gzip_gives_its_good_rows_first(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl.gz"
    lines = b"".join(
        json.dumps({"id": i, "text": f"{i * 7919 % 1013}" * 30}).encode() + b"\n"
        for i in range(2000)
    )
    whole = gzip.compress(lines)
    path.write_bytes(whole)
    assert len(read(path)) == 2000
    for cut in (whole[: len(whole) // 2], whole[:-4], whole[:1000] + b"\0" * 50 + whole[1050:]):
        path.write_bytes(cut)
        *good, bad = read(path)
        assert all(isinstance(p, Problem) for p in good)
        assert isinstance(bad, Dropped)
        assert bad.reason == "broken_file"
        assert "gzip stream is truncated or corrupt" in bad.evidence["error"]
        assert "fetch the file again" in bad.evidence["remedy"]


def test_numbers_of_any_length_and_unicode_line_ends_are_rows(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"id": %s, "text": "a\u2028b\x85c"}\n' % ("9" * 9131))
    (problem,) = read(path)
    assert isinstance(problem, Problem)
    assert problem.id == "demo/" + "9" * 9131
    assert problem.statement == "a\u2028b\x85c"


def test_an_empty_file_has_no_rows(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_bytes(b"\n \r\n")
    assert read(tmp_path / "rows.jsonl") == []


def test_sources_that_cannot_be_read_at_all(tmp_path: Path) -> None:
    with pytest.raises(
        SourceError, match="unknown source 'nope'; known sources: apps, code_contests"
    ):
        read_source("nope")
    with pytest.raises(SourceError, match=r"source 'mbpp' needs a path to mbpp\.jsonl"):
        read_source("mbpp")
    with pytest.raises(SourceError, match=r"source 'mbpp': .*/none: no such file or folder"):
        read_source("mbpp", tmp_path / "none")
    with pytest.raises(SourceError, match=r"the folder holds no"):
        list(read_source("mbpp", tmp_path))


def test_every_registered_source_has_a_module() -> None:
    for name, source in SOURCES.items():
        assert source.module == f"pipelines.sources.{name}"
        assert (Path(__file__).parents[2] / f"{source.module.replace('.', '/')}.py").exists()
