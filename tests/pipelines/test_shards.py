"""Problems to Parquet and back, and what is said when a disk or a file fails."""

from __future__ import annotations

import datetime as dt
import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipelines.problem import (
    CHECKER_KINDS,
    EXPECTED,
    TEST_KINDS,
    Checker,
    Dropped,
    Probe,
    Problem,
    ProblemError,
    Provenance,
    Solution,
    TestCase,
)
from pipelines.shards import MANIFEST, ShardError, Shards, ShardWriter, check_shards, write_problems

# Everything UTF-8 can hold: control characters, CRLF, astral planes, and very long numbers.
text = st.one_of(
    st.text(max_size=30),
    st.integers(10**40, 10**60).map(str),
    st.sampled_from(["", "\r\n", "a\r\nb\r", "\x00\x1b\x85\u2028", "\ufeff", "9" * 5000]),
)
name = st.text(min_size=1, max_size=8)
count = st.integers(0, 2**31 - 1)
finite = st.floats(allow_nan=False, allow_infinity=False)


def texts(strategy: st.SearchStrategy, size: int = 3) -> st.SearchStrategy:
    return st.lists(strategy, max_size=size).map(tuple)


problems = st.builds(
    Problem,
    id=st.builds("{}/{}".format, name.map(lambda s: s.replace("/", "-")), name),
    title=text,
    statement=text,
    url=text,
    starter_code=text,
    fn_name=st.none() | text,
    prelude=text,
    tests=texts(st.builds(TestCase, text, text, st.sampled_from(TEST_KINDS), text)),
    checker=st.builds(
        Checker, st.sampled_from(CHECKER_KINDS), texts(st.tuples(text, finite), 2), text
    ),
    time_limit_s=st.none() | st.floats(0, exclude_min=True, allow_infinity=False),
    memory_limit_mb=st.none() | st.integers(1, 2**63 - 1),
    rating=st.none() | finite,
    level=st.none() | text,
    tags=texts(text),
    flags=texts(text),
    released_at=st.none() | st.dates(),
    licence=text,
    provenance=st.builds(
        Provenance, text, st.none() | st.datetimes(timezones=st.just(dt.UTC)), text, text
    ),
    solutions=texts(st.builds(Solution, text, st.sampled_from(EXPECTED), text, text), 2),
    probes=texts(st.builds(Probe, text, *[count] * 2, *[finite] * 5, *[count] * 2), 2),
)


def small(i: int, size: int = 20) -> Problem:
    noise = random.Random(i).randbytes(size // 2).hex()  # does not compress away
    return Problem(id=f"demo/{i}", statement=noise, tests=(TestCase(f"{i}\n", f"{i}\n"),))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(problems, max_size=3))
def test_any_problem_comes_back_unchanged(rows: list[Problem]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_problems(rows, Path(folder))
        shards = Shards([Path(folder)])
        assert list(shards) == rows
        assert list(shards) == rows  # a second time
        assert len(shards) == len(rows)


def test_ten_megabytes_in_one_test_come_back_unchanged(tmp_path: Path) -> None:
    big = random.Random(1).randbytes(5 * 2**20).hex()
    problem = Problem(id="demo/big", tests=(TestCase(big, big[::-1]), TestCase("9" * 10_000, "")))
    write_problems([problem, small(1)], tmp_path)
    assert list(Shards([tmp_path])) == [problem, small(1)]


def test_same_rows_same_bytes_whatever_the_folder(tmp_path: Path) -> None:
    for name in ("a", "b"):
        with ShardWriter(tmp_path / name, shard_bytes=20_000, row_group_bytes=5_000) as w:
            for i in range(50):
                w.write(small(i, 1_000).to_row())
        assert len(w.infos) > 1
    files = sorted(p.name for p in (tmp_path / "a").iterdir())
    assert files == [f"part-{i:05d}.parquet" for i in range(len(w.infos))]
    for file in files:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_no_rows_make_one_empty_shard(tmp_path: Path) -> None:
    assert [i.rows for i in write_problems([], tmp_path)] == [0]
    assert list(Shards([tmp_path])) == []


def test_a_single_file_reads_without_a_manifest(tmp_path: Path) -> None:
    write_problems([small(1), small(2)], tmp_path)
    file = tmp_path / "part-00000.parquet"
    assert [p.id for p in Shards([file])] == ["demo/1", "demo/2"]
    assert [r["id"] for r in Shards([file, tmp_path]).rows(["id"])] == ["demo/1", "demo/2"] * 2


def test_a_damaged_shard_is_reported_by_name(tmp_path: Path) -> None:
    write_problems([small(i, 1_000) for i in range(20)], tmp_path)
    file = tmp_path / "part-00000.parquet"
    whole = file.read_bytes()

    file.write_bytes(whole[:-100])
    with pytest.raises(ShardError, match=r"part-00000\.parquet: truncated or altered: .* bytes"):
        Shards([tmp_path])
    with pytest.raises(ShardError, match=r"part-00000\.parquet: not a readable Parquet file"):
        Shards([file])
    file.write_bytes(whole[:5000] + bytes([whole[5000] ^ 1]) + whole[5001:])
    with pytest.raises(ShardError, match=r"part-00000\.parquet: altered: its sha256"):
        check_shards(tmp_path)
    file.unlink()
    with pytest.raises(ShardError, match=r"part-00000\.parquet: shard is missing; delete the"):
        check_shards(tmp_path)


def test_damage_inside_a_single_file_is_reported_by_name(tmp_path: Path) -> None:
    write_problems([small(i, 1_000) for i in range(20)], tmp_path)
    file = tmp_path / "part-00000.parquet"
    whole = file.read_bytes()
    file.write_bytes(whole[:4] + b"\xff" * 12_000 + whole[12_004:])
    with pytest.raises(ShardError, match=r"part-00000\.parquet: "):
        list(Shards([file]))


def test_a_damaged_or_absent_manifest_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ShardError, match="not a finished shard folder"):
        Shards([tmp_path])
    for bad in ("{", "[]", '{"shards": 1, "rows": 0}'):
        (tmp_path / MANIFEST).write_text(bad)
        with pytest.raises(ShardError, match="manifest"):
            Shards([tmp_path])
    with pytest.raises(ShardError, match=r"nowhere: no such file or folder"):
        Shards([tmp_path / "nowhere"])


def test_a_foreign_parquet_file_is_refused_with_its_missing_columns(tmp_path: Path) -> None:
    import pyarrow as pa

    pq.write_table(pa.table({"id": ["a/b"]}), tmp_path / "x.parquet")
    with pytest.raises(ShardError, match=r"x\.parquet: not a Problem shard, columns missing: sour"):
        Shards([tmp_path / "x.parquet"])


def test_an_error_while_writing_leaves_no_file(tmp_path: Path) -> None:
    def rows() -> Iterator[Problem]:
        yield small(1)
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        write_problems(rows(), tmp_path)

    with pytest.raises(RuntimeError, match="stop"), ShardWriter(tmp_path, row_group_bytes=1) as w:
        list(map(w.write, (p.to_row() for p in rows())))
    with pytest.raises(Exception, match="surrogates"), ShardWriter(tmp_path) as w:
        w.write({**small(1).to_row(), "title": "\ud800"})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", "\ud800"),
        ("statement", None),
        ("level", 5),
        ("memory_limit_mb", 10**30),
        ("memory_limit_mb", 1.5),
        ("rating", "1600"),
        ("tests", (TestCase("1", 2),)),  # type: ignore[arg-type]
        ("solutions", (Solution("\udfff"),)),
        ("tags", ("\ud800",)),
    ],
)
def test_what_arrow_would_refuse_is_refused_at_the_row(field: str, value: Any) -> None:
    fields: dict[str, Any] = {"id": "a/b", field: value}
    with pytest.raises(ProblemError, match=field):
        Problem(**fields)


def test_a_dropped_row_with_a_lone_surrogate_can_be_written() -> None:
    row = Dropped("x/\ud800", "import", "bad_row", {"seen": "\udc80"}, origin="f\udc80").to_row()
    assert row["id"] == "x/\\ud800"
    assert json.loads(row["evidence"]) == {"seen": "\udc80"}
    row["origin"].encode()


def on_small_disk(tmp_path: Path, size: str, code: str) -> list[str]:
    """Lines that Python `code` prints when sys.argv[1] is a file system of that size."""
    if shutil.which("unshare") is None:
        pytest.skip("needs util-linux's unshare to mount a small file system")
    disk = tmp_path / "disk"
    disk.mkdir()
    script = f'mount -t tmpfs -o size={size} tmpfs "$1" || exit 99; exec "$2" -c "$3" "$1"'
    args = ["unshare", "-m", "sh", "-c", script, "sh", str(disk), sys.executable, code]
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(args, capture_output=True, text=True, cwd=root, timeout=120)
    if done.returncode == 99 or "unshare:" in done.stderr:
        pytest.skip(f"mounting a tmpfs is not permitted here: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


WRITE_MUCH = """
import random, sys
from pathlib import Path
from pipelines.problem import Problem
from pipelines.shards import ShardError, ShardWriter
disk = Path(sys.argv[1])
try:
    with ShardWriter(disk / "out", row_group_bytes=ROW_GROUP_BYTES) as w:
        for i in range(40):
            w.write(Problem(id=f"a/{i}", statement=random.randbytes(20_000).hex()).to_row())
except ShardError as e:
    print(e)
print(sorted(p.name for p in disk.rglob("*") if p.is_file()))
"""


@pytest.mark.parametrize("row_group_bytes", [1, 10**9])  # while rows come, and at the end
def test_a_full_disk_names_the_file_and_leaves_nothing(
    tmp_path: Path, row_group_bytes: int
) -> None:
    code = WRITE_MUCH.replace("ROW_GROUP_BYTES", str(row_group_bytes))
    message, files = on_small_disk(tmp_path, "200k", code)
    assert f"{tmp_path}/disk/out/part-00000.parquet: no space left while writing" in message
    assert "Free some space and run the same command again" in message
    assert files == "[]"


STAGE_ON_SMALL_DISK = """
import random, sys
from pathlib import Path
from pipelines.config import StageConfig
from pipelines.problem import Problem
from pipelines.shards import ShardError
from pipelines.stage import run_rows
disk = Path(sys.argv[1])
def rows(ctx):
    for i in range(40):
        noise = random.Random(i).randbytes(20_000).hex()
        if JOURNAL:
            ctx.journal.put(str(i), noise)
        yield Problem(id=f"a/{i}", statement=noise)
try:
    run_rows("demo", disk / "out", StageConfig(), rows, inputs=1, n_in=40, rooms=())
except ShardError as e:
    print(e)
print(sorted(p.name for p in disk.rglob("*") if p.is_file()))
"""


@pytest.mark.parametrize("journal", [False, True])
def test_a_stage_on_a_full_disk_keeps_only_its_journal(tmp_path: Path, journal: bool) -> None:
    code = STAGE_ON_SMALL_DISK.replace("JOURNAL", str(journal))
    message, files = on_small_disk(tmp_path, "300k", code)
    named = "journal.jsonl" if journal else "part-00000.parquet"
    assert f"{named}: no space left while writing" in message
    assert files == "['journal.jsonl', 'key']"
