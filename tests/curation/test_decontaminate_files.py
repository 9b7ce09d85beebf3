"""Anybody's JSONL and Parquet files: benchmarks and inputs with columns of any name."""

from __future__ import annotations

import datetime as dt
import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from curation_helpers import folder_bytes, prose
from decontamination_helpers import lcb_row, made_up_benchmark

from curation.benchmark import BenchmarkError, load_benchmark, make_benchmark
from curation.decon_files import decontaminate_files
from curation.decon_items import ColumnError, choose_columns, row_item
from curation.decon_match import match
from curation.decontaminate import DecontaminateConfig
from pipelines.config import ConfigError
from pipelines.problem import ProblemError

ROOT = Path(__file__).resolve().parents[2]


def jsonl(path: Path, rows: list[Any]) -> Path:
    text = "".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in rows)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


@pytest.fixture
def config(tmp_path: Path) -> DecontaminateConfig:
    benchmark = made_up_benchmark(tmp_path / "bench.jsonl")
    return DecontaminateConfig(benchmark=str(benchmark), cutoff=dt.date(2024, 8, 1))


ROWS: list[Any] = [
    {"task": "two-sum", "meta": {"body": prose(50)}, "day": "2024-01-01", "n": 1},
    {"task": "walk-the-line-i", "meta": {"body": prose(51)}, "day": None, "n": 2},
    {"task": "x", "meta": {"body": prose(2)}, "day": "2024-01-01", "n": 3},
    {"task": "late", "meta": {"body": prose(52)}, "day": "2024-08-01", "n": 4},
    {"task": "walk-the-line-ii", "meta": {"body": prose(53)}, "day": "2024-01-01", "n": 5},
    {"task": "bare", "meta": None, "day": "2024-01-01", "n": 6},
]
COLUMNS = {"id": "task", "statement": "meta.body", "released_at": "day"}


@pytest.mark.parametrize("kind", ["jsonl", "jsonl.gz", "parquet"])
def test_rows_are_split_as_they_came(tmp_path, config, kind: str) -> None:
    path = tmp_path / f"train.{kind}"
    if kind == "parquet":
        pq.write_table(pa.Table.from_pylist(ROWS), path)
    else:
        jsonl(path, [*ROWS, "{broken", "[1]", {"task": ["a"], "meta": {"body": "b"}}])
    out = tmp_path / "out"
    report = decontaminate_files([path], out, config, COLUMNS, "leetcode")
    bad = 0 if kind == "parquet" else 3
    assert report["rows"] == 6 + bad
    assert report["kept"] == 2
    dropped = {"after_cutoff": 1, "benchmark_sibling": 1, "contaminated": 2}
    assert report["dropped"] == dropped | ({"bad_row": bad} if bad else {})
    assert report["benchmarks"][0]["hits"] == 3
    assert json.loads((out / "report.json").read_text())["columns"] == {path.name: COLUMNS}
    verdicts = [json.loads(line) for line in (out / "verdicts.jsonl").read_text().splitlines()]
    assert [(v["number"], v["id"], v["reason"]) for v in verdicts[:4]] == [
        (2, "walk-the-line-i", "contaminated"),
        (3, "x", "contaminated"),
        (4, "late", "after_cutoff"),
        (5, "walk-the-line-ii", "benchmark_sibling"),
    ]
    assert verdicts[1]["signals"] == ["text"]
    assert [v["reason"] for v in verdicts[4:]] == ["bad_row"] * bad
    kept, gone = out / "kept" / path.name, out / "dropped" / path.name
    if kind == "parquet":
        assert pq.read_table(kept).schema == pq.read_table(path).schema
        assert pq.read_table(kept).to_pylist() == [ROWS[0], ROWS[5]]
        assert [r["n"] for r in pq.read_table(gone).to_pylist()] == [2, 3, 4, 5]
    else:
        read = gzip.decompress if kind.endswith("gz") else bytes
        lines = read(path.read_bytes()).splitlines()
        assert read(kept.read_bytes()).splitlines() == [lines[0], lines[5]]
        assert read(gone.read_bytes()).splitlines() == lines[1:5] + lines[6:]
    again = tmp_path / "again"
    decontaminate_files([path], again, config, COLUMNS, "leetcode")
    assert folder_bytes(again) == folder_bytes(out)


def test_siblings_kept_are_in_the_verdicts(tmp_path, config) -> None:
    path = jsonl(tmp_path / "train.jsonl", [{"id": "walk-the-line-ii", "text": prose(53)}])
    config = config.model_copy(update={"siblings": "keep"})
    report = decontaminate_files([path], tmp_path / "out", config, {}, "leetcode")
    assert (report["kept"], report["siblings_kept"]) == (1, 1)
    assert json.loads((tmp_path / "out/verdicts.jsonl").read_text())["reason"] == "kept_sibling"


def test_faults_are_said_before_anything_is_written(tmp_path, config) -> None:
    path = jsonl(tmp_path / "train.jsonl", [{"body": "a", "task": "b"}])
    out = tmp_path / "out"
    cases: list[tuple[Any, ...]] = [
        (ColumnError, r"train\.jsonl: no column with the problem's text.*columns: body, task", {}),
        (ColumnError, r"no column 'prose' for 'statement'; columns: body", {"statement": "prose"}),
        (ColumnError, "unknown field 'stem'; fields: statement, id", {"stem": "body"}),
    ]
    for error, message, columns in cases:
        with pytest.raises(error, match=message):
            decontaminate_files([path], out, config, columns)
    with pytest.raises(ConfigError, match="no such file"):
        decontaminate_files([tmp_path / "none.jsonl"], out, config)
    with pytest.raises(ConfigError, match="lies in the output folder"):
        decontaminate_files([path], tmp_path, config, {"statement": "body"})
    with pytest.raises(ColumnError, match="no rows"):
        decontaminate_files([jsonl(tmp_path / "empty.jsonl", [])], out, config)
    assert not out.exists()


def test_columns_by_their_usual_names() -> None:
    names = ["task_id", "problem_description", "prompt", "estimated_date", "input_output", "x"]
    assert choose_columns(names, {}, "f") == {
        "statement": "problem_description", "id": "task_id", "released_at": "estimated_date",
        "tests": "input_output",
    }  # fmt: skip
    assert choose_columns(names, {"statement": "prompt"}, "f")["statement"] == "prompt"


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"id": "two-sum"}, ("leetcode", "two-sum")),
        ({"id": 3251}, ("", "")),  # a number says nothing
        ({"id": "leetcode/1"}, ("", "")),
        ({"id": 7, "url": "https://leetcode.com/problems/two-sum/"}, ("leetcode", "two-sum")),
        ({"id": "1873_A", "platform": "codeforces"}, ("codeforces", "1873/a")),
        ({"id": "abc301_a", "platform": "AtCoder"}, ("atcoder", "abc301_a")),
        ({"id": "3251", "platform": "leetcode", "title": "Two Sum"}, ("leetcode", "two-sum")),
        ({"id": "HumanEval/3"}, ("humaneval", "HumanEval-3")),
        ({"id": "Mbpp/17"}, ("mbpp", "17")),
        ({}, ("leetcode", "row-9")),
    ],
)
def test_which_problem_a_row_is(row: dict[str, Any], expected: tuple[str, str]) -> None:
    columns = {n: n for n in ("statement", "id", "url", "platform", "title")}
    item = row_item({"statement": "s", **row}, columns, "leetcode", 9)
    assert (item.judge, item.native) == expected


@pytest.mark.parametrize(
    "tests",
    [
        [{"input": "1 2 3\n", "output": "6\n"}, {"input": "4 5 6", "output": "15"}],
        '[{"input": "1 2 3", "output": "6"}, {"input": "4 5 6", "output": "15"}]',
        {"inputs": ["1 2 3", "4 5 6"], "outputs": ["6", "15"]},
        '{"inputs": [["1 2 3"], ["4 5 6"]], "outputs": [["6"], ["15"]]}',
        {"fn_name": "f", "inputs": [[[1, 2, 3]], [[4, 5, 6]]], "outputs": [6, 15]},
        [{"input": "nums = [1, 2, 3]", "output": "6"}, {"input": "nums = [4,5,6]", "output": "15"}],
    ],
)
def test_tests_of_every_public_shape_have_one_fingerprint(tests: Any) -> None:
    item = row_item({"s": "x", "t": tests}, {"statement": "s", "tests": "t"}, "a", 1)
    plain = row_item(
        {"s": "Example 1:\nInput: 1 2 3\nOutput: 6\n\nExample 2:\nInput: 4 5 6\nOutput: 15\n"},
        {"statement": "s"}, "a", 1,
    )  # fmt: skip
    assert item.pairs.tolist() == plain.pairs.tolist()
    assert len(item.pairs) == 2


@pytest.mark.parametrize("tests", ["nonsense", "[1, 2]", "{", [None], {"inputs": 3}, 7, "[" * 9999])
def test_tests_of_other_shapes_say_nothing(tests: Any) -> None:
    item = row_item({"s": "x", "t": tests}, {"statement": "s", "tests": "t"}, "a", 1)
    assert len(item.pairs) == 0


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("statement", ["a"], "field 's': expected text, found list"),
        ("statement", "\ud800", "lone surrogate"),
        ("released_at", "yesterday", "is no date like 2024-01-31"),
        ("title", True, "field 't': expected text, found bool"),
    ],
)
def test_bad_fields_are_named(field: str, value: Any, message: str) -> None:
    columns = {"statement": "s", "released_at": "d", "title": "t"}
    row = {"s": "x", columns[field]: value}
    with pytest.raises(ProblemError, match=message):
        row_item(row, columns, "a", 1)


def test_a_benchmark_of_any_columns(tmp_path) -> None:
    rows = [{"code": f"q{i}", "body": prose(i), "when": f"2024-0{i}-01"} for i in (1, 2, 3)]
    columns = {"statement": "body", "id": "code", "released_at": "when"}
    path = tmp_path / "own.parquet"
    pq.write_table(pa.Table.from_pylist(rows), path)
    for file in (path, jsonl(tmp_path / "own.jsonl", rows)):
        loaded = load_benchmark(f"{file}@2024-02-01..2024-03-01", columns)
        assert [p.id for p in loaded.problems] == ["q2", "q3"]
        assert loaded.title == f"{file.name}@2024-02-01..2024-03-01: 2 of 3 problems"
        found = match([loaded], [row_item({"s": prose(3)}, {"statement": "s"}, "a", 1)])[0]
        assert found is not None
        assert (found.id, found.benchmark) == ("q3", loaded.name)
    with pytest.raises(BenchmarkError, match=r"own\.jsonl: no column with the problem's text"):
        load_benchmark(tmp_path / "own.jsonl")


def test_benchmarks_that_cannot_be_used_say_why(tmp_path) -> None:
    with pytest.raises(BenchmarkError, match="no rows"):
        load_benchmark(jsonl(tmp_path / "empty.jsonl", []))
    broken = jsonl(tmp_path / "broken.jsonl", [{"question_id": "1"}])
    with pytest.raises(BenchmarkError, match=r"broken\.jsonl.*columns: question_id"):
        load_benchmark(broken)
    # a benchmark with holes would pass contaminated rows
    good = lcb_row("abc1_a", "A", prose(1), "atcoder")
    for bad, message in (
        ("{", r"row 2: .*mend the file"),
        ({**good, "question_content": " "}, "row 2: field 'question_content' is empty"),
        ({**good, "contest_date": "soon"}, "row 2: field 'contest_date'"),
    ):
        with pytest.raises(BenchmarkError, match=message):
            load_benchmark(jsonl(tmp_path / "bad.jsonl", [good, bad]))
    with pytest.raises(BenchmarkError, match=r"'2024..2025' is no window like"):
        load_benchmark("lcb-v5@2024..2025")
    with pytest.raises(BenchmarkError, match=r"no problem in the window.*2023-05-07 to 2025-01-04"):
        load_benchmark("lcb-v5@2030-01-01..")
    assert make_benchmark([], "none").index.count == 0


def test_windows_are_counted_from_both_ends() -> None:
    counts = [
        len(load_benchmark(f"lcb-v5{w}").problems)
        for w in ("", "@2024-08-01..", "@..2024-07-31", "@2023-05-07..2025-01-04")
    ]
    assert counts[0] == counts[1] + counts[2] == counts[3] == 880
    assert counts[1] == 279


def test_the_command_works_without_the_rest_of_the_toolkit(tmp_path) -> None:
    """Files in, files out; torch and Prefect are never loaded."""
    rows = [{"task": "a", "body": prose(1)}, {"task": "find-the-peaks", "body": prose(2)}]
    path = jsonl(tmp_path / "train.jsonl", rows)
    options = ["--input", path, "--column", "statement=body", "--column", "id=task"]
    options += ["--source", "leetcode", "--benchmark", "lcb-v5", "--benchmark", "humaneval"]
    options += ["--from", "2023-06-01", "--out", tmp_path / "out"]
    done = command(options)
    assert "against lcb-v5@2023-06-01..: 846 of 880 problems" in done.stdout
    assert "against humaneval: 164 problems" in done.stdout
    assert "2 rows, 1 kept, dropped: contaminated 1" in done.stdout
    assert done.stdout.splitlines()[-2:] == ["EXIT 0", "HEAVY []"]
    assert (tmp_path / "out/kept/train.jsonl").read_text() == json.dumps(rows[0]) + "\n"

    wrong = ["--input", path, "--out", tmp_path / "other"]
    done = command(wrong)
    assert "train.jsonl: no column with the problem's text" in done.stderr
    assert done.stdout.splitlines()[-2:] == ["EXIT 2", "HEAVY []"]
    assert not (tmp_path / "other").exists()
    done = command([*wrong, "--column", "statement"])
    assert "--column 'statement' is not FIELD=COLUMN" in done.stderr


def command(options: list[Any]) -> subprocess.CompletedProcess[str]:
    """Run `microcoder decontaminate` and say how it ended and what it loaded."""
    code = (
        "import sys\nfrom flows.cli import main\n"
        "try: main()\nexcept SystemExit as e: print('EXIT', e.code)\n"
        "heavy = {'torch', 'prefect', 'transformers', 'datasets'}\n"
        "print('HEAVY', sorted(heavy & set(sys.modules)))"
    )
    return subprocess.run(
        [sys.executable, "-c", code, "decontaminate", *map(str, options)],
        capture_output=True, text=True, cwd=ROOT, check=True,
    )  # fmt: skip


def test_idioms_of_the_corpus_can_be_weighed_down(tmp_path) -> None:
    """A story that several benchmark problems and most of the corpus tell is no contamination;
    one that a single problem has is, however often it was copied."""
    story = prose(500, 60)
    bench = [{"id": f"b{i}", "text": f"{story} {prose(600 + i, 30)}"} for i in range(2)]
    bench += [{"id": f"q{i}", "text": prose(700 + i, 80)} for i in range(10)]
    own = jsonl(tmp_path / "own.jsonl", bench)
    rows = [{"id": f"r{i}", "text": f"{story} {prose(i, 30)}"} for i in range(40)]
    rows += [{"id": f"c{i}", "text": prose(700, 80)} for i in range(40)]
    path = jsonl(tmp_path / "train.jsonl", rows)
    dropped = [
        decontaminate_files(
            [path], tmp_path / f"out{weigh}",
            DecontaminateConfig(benchmark=str(own), corpus_weights=weigh),
        )["dropped"]
        for weigh in (False, True)
    ]  # fmt: skip
    assert dropped == [{"contaminated": 80}, {"contaminated": 40}]
