"""What `microcoder judge` and `evaluate` say of files that can't be read or written."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from flows.judge_inputs import read_inputs
from flows.judging import JudgeOptions, evaluate_files, judge_files
from pipelines.config import ConfigError
from pipelines.problem import Problem, ProblemError, TestCase
from pipelines.shards import MissingInputError, ShardError, write_problems
from pipelines.stage import no_progress

MICROCODER = Path(sys.executable).with_name("microcoder")
PROBLEM = {"id": "a", "tests": [{"input": "", "output": "1\n"}]}
ANSWER = {"problem_id": "a", "code": "print(1)"}


def jsonl(path: Path, *rows: Any) -> Path:
    path.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in rows))
    return path


@pytest.fixture
def problems(tmp_path: Path) -> Path:
    return jsonl(tmp_path / "p.jsonl", PROBLEM)


@pytest.fixture
def solutions(tmp_path: Path) -> Path:
    return jsonl(tmp_path / "s.jsonl", ANSWER)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("", "s.jsonl: no solutions in it"),
        ("{", "line 1: not JSON: .*put each object on one line"),
        ([ANSWER], "line 1: expected a JSON object, found list; put one object on each line"),
        ({"problem_id": "a"}, "line 1: field 'code' is missing"),
        ({"code": "a"}, "line 1: field 'problem_id' is missing"),
        ({"problem_id": "a", "code": None}, "field 'code': expected text, found NoneType"),
        ({"problem_id": 3, "code": ""}, "field 'problem_id': expected text, found int"),
        ({"problem_id": "b", "code": ""}, "'b' is not in the problems file"),
        ({**ANSWER, "solution_id": 1.5}, "field 'solution_id': expected text, found float"),
        ({**ANSWER, "solution_id": float("nan")}, "field 'solution_id': expected text"),
        ({**ANSWER, "solution_id": True}, "field 'solution_id': expected text, found bool"),
        ({**ANSWER, "solution_id": "\ud800"}, "field 'solution_id': lone surrogate"),
    ],
)
def test_a_solutions_file_that_is_wrong(
    problems: Path, tmp_path: Path, row: Any, message: str
) -> None:
    with pytest.raises(ProblemError, match=message):
        read_inputs(problems, jsonl(tmp_path / "s.jsonl", row), None)


def test_ids_that_stand_twice(problems: Path, tmp_path: Path) -> None:
    named = {**ANSWER, "solution_id": "x"}
    other = {**named, "problem_id": "jsonl/a"}
    with pytest.raises(ProblemError, match="line 2: field 'solution_id': 'x' stands twice"):
        read_inputs(problems, jsonl(tmp_path / "s.jsonl", named, other), None)
    path = jsonl(tmp_path / "s.jsonl", named, {**ANSWER, "solution_id": 7, "model": "m"}, ANSWER)
    assert [a.solution_id for a in read_inputs(problems, path, None)[1]] == ["x", 7, "2"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("", "p.jsonl: no problems in it"),
        ({**PROBLEM, "id": ""}, "line 1: field 'id' is empty"),
        ({**PROBLEM, "fn_name": "def"}, "'def' is neither null nor a Python name"),
        ({**PROBLEM, "checker": 3}, r"expected a kind \(default, .*\) or an object .*a number"),
        ({**PROBLEM, "checker": {}}, "field 'checker.kind' is missing; allowed are default"),
        (
            {**PROBLEM, "checker": {"kind": "program", "source": "def ("}},
            "field 'checker.source': not Python 3 source",
        ),
    ],
)
def test_a_problems_file_that_is_wrong(
    solutions: Path, tmp_path: Path, row: Any, message: str
) -> None:
    with pytest.raises(ProblemError, match=message):
        read_inputs(jsonl(tmp_path / "p.jsonl", row), solutions, None)


def test_things_that_are_no_files(problems: Path, solutions: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for wrong, message in ((pipe, "not a regular file"), (tmp_path / "no", "no such file")):
        with pytest.raises(MissingInputError, match=message):
            read_inputs(wrong, solutions, None)
        with pytest.raises(MissingInputError, match=message):
            read_inputs(problems, wrong, None)
    with pytest.raises(MissingInputError, match="is a folder"):
        read_inputs(problems, tmp_path, None)


def test_a_byte_order_mark_and_windows_line_ends(problems: Path, tmp_path: Path) -> None:
    for path, row in ((problems, PROBLEM), (tmp_path / "s.jsonl", ANSWER)):
        path.write_bytes(b"\xef\xbb\xbf" + json.dumps(row).encode() + b"\r\n")
    assert len(read_inputs(problems, tmp_path / "s.jsonl", None)[1]) == 1


def test_problems_out_of_shards(tmp_path: Path) -> None:
    write_problems([Problem("x/a", tests=(TestCase("", "1"),))], tmp_path / "shards")
    solutions = jsonl(tmp_path / "s.jsonl", {**ANSWER, "problem_id": "x/a"})
    for given in (tmp_path / "shards", tmp_path / "shards" / "part-00000.parquet"):
        counts = judge_files(given, solutions, tmp_path / "v", JudgeOptions(1), no_progress)
        assert counts == {"accepted": 1}
    with pytest.raises(ProblemError, match="solutions are read from JSONL"):
        read_inputs(tmp_path / "shards", tmp_path / "shards" / "part-00000.parquet", None)
    with pytest.raises(ShardError, match="no manifest"):
        read_inputs(tmp_path, solutions, None)


def test_outputs_that_cannot_be_written(problems: Path, solutions: Path, tmp_path: Path) -> None:
    for out in ("/proc/x", "/proc/x/y", tmp_path / ("n" * 256), problems / "x", "/dev/full"):
        with pytest.raises(ShardError, match="choose another name") as e:
            read_inputs(problems, solutions, Path(out))
        assert str(out) in str(e.value)
        assert ".tmp-" not in str(e.value)
    with pytest.raises(ConfigError, match=r"--out -: .*name one"):
        read_inputs(problems, solutions, Path("-"))
    longest = tmp_path / ("ż" * 127)
    judge_files(problems, solutions, longest, JudgeOptions(1), no_progress)
    assert json.loads(longest.read_text())["passed"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["p.jsonl", "s.jsonl", longest.name]


@pytest.mark.parametrize("command", ["judge", "evaluate"])
def test_a_pipe_as_output(problems: Path, solutions: Path, command: str) -> None:
    out = ("--out", "/dev/stdout")
    done = subprocess.run(
        [MICROCODER, command, "--problems", problems, "--solutions", solutions, *out],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert (done.returncode, "/dev/stdout: is not a regular file" in done.stderr) == (1, True)
    assert "Traceback" not in done.stderr


def test_progress_counts_verdicts_as_they_come(problems: Path, tmp_path: Path) -> None:
    slow = {**ANSWER, "code": "import time\ntime.sleep(1)\nprint(1)"}
    wrong = {**ANSWER, "code": "print(2)"}
    path = jsonl(tmp_path / "s.jsonl", slow, ANSWER, wrong, ANSWER)
    seen: list[tuple[int, str]] = []
    judge_files(
        *(problems, path, tmp_path / "v", JudgeOptions(2)),
        lambda stage, done, total, note="": seen.append((done, note)),
    )
    assert [done for done, _ in seen] == [0, 1, 2, 3, 4]
    # the slow one is the last: the others did not wait for it
    assert seen[3][1] in ("2 accepted, 1 wrong_answer",)
    assert seen[4][1] == "3 accepted, 1 wrong_answer"
    rows = [json.loads(line)["verdict"] for line in (tmp_path / "v").read_text().splitlines()]
    assert rows == ["accepted", "accepted", "wrong_answer", "accepted"]


def test_evaluate_names_what_it_could_not_judge(tmp_path: Path) -> None:
    broken = {"id": "b", "tests": []}
    problems = jsonl(tmp_path / "p.jsonl", PROBLEM, broken)
    solutions = jsonl(tmp_path / "s.jsonl", ANSWER, {**ANSWER, "problem_id": "b"})
    out = tmp_path / "r.json"
    result = evaluate_files(problems, solutions, out, JudgeOptions(1), no_progress)
    assert list(result.reasons) == ["jsonl/b"]
    written = json.loads(out.read_text())
    assert written["judge_errors"] == 1
    assert "no tests" in written["judge_error_reasons"]["jsonl/b"]
    jsonl(problems, broken)
    jsonl(solutions, {**ANSWER, "problem_id": "b"})
    with pytest.raises(ProblemError, match=r"no solution could be judged. jsonl/b: .*no tests"):
        evaluate_files(problems, solutions, None, JudgeOptions(1), no_progress)


def test_nothing_but_errata(tmp_path: Path) -> None:
    problems = jsonl(tmp_path / "p.jsonl", {**PROBLEM, "id": "livecodebench/abc343_a"})
    solutions = jsonl(tmp_path / "s.jsonl", {**ANSWER, "problem_id": "livecodebench/abc343_a"})
    done = subprocess.run(
        [MICROCODER, "evaluate", "--problems", problems, "--solutions", solutions],
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    assert "all of them are errata" in done.stdout
    assert "without errata" not in done.stdout


@pytest.mark.parametrize("command", ["judge", "evaluate"])
def test_ctrl_c_says_what_became_of_the_work(problems: Path, tmp_path: Path, command: str) -> None:
    solutions = jsonl(tmp_path / "s.jsonl", *[{**ANSWER, "code": "while True: pass"}] * 50)
    out = tmp_path / "v.jsonl"
    child = subprocess.Popen(
        [MICROCODER, command, "--problems", problems, "--solutions", solutions, "--out", out],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert ": 0/50" in child.stdout.readline()
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60)
    assert (child.returncode, said) == (130, "interrupted; nothing was written\n")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["p.jsonl", "s.jsonl"]
