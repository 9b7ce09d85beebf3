"""`microcoder doctor dataset` on planted faults and on real files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from curation.audit import audit, detect
from pipelines.sources import SourceError

MICROCODER = Path(sys.executable).with_name("microcoder")
SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
SUM = "a, b = map(int, input().split())\nprint(a + b)\n"
TOTAL = "class Solution:\n    def total(self, xs):\n        return sum(xs)\n"


def taco(question: str, code: str, **tests: Any) -> dict[str, Any]:
    return {
        "question": question,
        "solutions": json.dumps([code]),
        "input_output": json.dumps(tests),
        "skill_types": "[]",
    }


ROWS = [
    taco("Add two numbers.", SUM, inputs=["1 2\n"], outputs=["3\n"]),
    taco("Add two numbers.", SUM, inputs=["1 2\n"], outputs=["3\n"]),
    taco("Total.", TOTAL, inputs=[[[1]], [[2]]], outputs=[[1], [2]], fn_name="total"),
    taco("Total as a program.", TOTAL, inputs=["[1]"], outputs=["1"]),
    taco("Add as a function.", SUM, inputs=[["1 2"]], outputs=["3"], fn_name="add"),
    taco("Errors.", SUM, inputs=["1", "2 3"], outputs=["Error: bad", ""]),
    taco("Long.", SUM, inputs=["9" * 4301 + " 1"], outputs=["1" + "0" * 4301]),
    taco("If there are several answers, print any.", SUM, inputs=["1 2"], outputs=["4"]),
    taco("Limits.\n\n1 <= n <= 105\n-104 <= a <= 104", SUM, inputs=["1 2"], outputs=["3"]),
    taco("Uneven.", SUM, inputs=["1 2"], outputs=[]),
]


def test_planted_faults(tmp_path: Path) -> None:
    path = tmp_path / "taco.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)))
    assert detect(path) == "taco"
    report = audit(str(path), run_solutions=20)
    assert (report.rows, report.problems, report.refused) == (10, 9, 1)
    counts = {f.kind: (f.rows, f.items) for f in report.findings.values()}
    assert counts == {
        "duplicate_ids": (1, 1),
        "functions": (2, 2),
        "stdin_tests_of_a_function": (1, 1),
        "function_tests_of_a_program": (1, 1),
        "error_outputs": (1, 1),
        "empty_outputs": (1, 1),
        "long_integers": (1, 1),
        "needs_special_judge": (1, 1),
        "lost_superscripts": (1, 3),
        "uneven_tests": (1, 1),
        "solution_fails": (4, 4),
    }
    failing = report.findings["solution_fails"].examples
    assert len(failing) == 3
    assert report.solutions_run == 9
    assert all(f.remedy for f in report.findings.values())


def test_nothing_is_found_in_good_rows(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(ROWS[0]))
    assert audit(str(path), run_solutions=5).findings == {}


def test_unknown_columns(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"a": 1, "b": 2}')
    with pytest.raises(SourceError, match=r"columns a, b.*--source"):
        detect(path)
    path.write_text("")
    with pytest.raises(SourceError, match="no rows"):
        detect(path)


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared/data")
def test_errors_stored_as_answers() -> None:
    report = audit(str(SHARED / "leetcode_dataset" / "v0.3.1-test.jsonl.gz"))
    errors = report.findings["error_outputs"]
    assert (errors.rows, errors.items, report.kinds["input_output pairs"]) == (45, 953, 24_246)
    assert report.findings["lost_superscripts"].rows >= 131


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "taco.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)))
    out = tmp_path / "report.json"
    command = [MICROCODER, "doctor", "dataset", path, "--out", out, "--limit", "3"]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "taco: 3 rows, 3 problems" in done.stdout
    assert json.loads(out.read_text())["source"] == "taco"
    machine = subprocess.run([str(MICROCODER), "doctor"], capture_output=True, text=True)
    assert "sandbox" in machine.stdout
    bad = subprocess.run([*map(str, [MICROCODER, "doctor", "dataset", tmp_path / "no"])])
    assert bad.returncode == 2
