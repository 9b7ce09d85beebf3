"""`microcoder evaluate`: pass@1 of a file of solutions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from flows.judging import JudgeOptions, evaluate_files, judge_options
from pipelines.config import ConfigError
from pipelines.problem import ProblemError
from pipelines.shards import MissingInputError
from pipelines.stage import no_progress
from training.evaluate import interval

MICROCODER = Path(sys.executable).with_name("microcoder")
RIGHT, WRONG = "print(7)", "print(8)"
TESTS = [{"input": "", "output": "7\n"}]


def files(
    tmp_path: Path, problems: list[dict[str, Any]], solutions: list[tuple[str, str]]
) -> tuple[Path, Path]:
    paths = tmp_path / "p.jsonl", tmp_path / "s.jsonl"
    paths[0].write_text("".join(json.dumps({"tests": TESTS, **p}) + "\n" for p in problems))
    rows = [{"problem_id": p, "code": c} for p, c in solutions]
    paths[1].write_text("".join(json.dumps(r) + "\n" for r in rows))
    return paths


def microcoder(*args: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [MICROCODER, *map(str, args)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env=os.environ | {"COLUMNS": "200", "NO_COLOR": "1", "TERM": "dumb"},
    )


def test_the_mean_of_the_pass_rates(tmp_path: Path) -> None:
    problems, solutions = files(
        tmp_path,
        [
            {"id": "a"},
            {"id": "b"},
            {"id": "livecodebench/abc343_a"},
            {"id": "broken", "tests": []},
            {"id": "c"},
        ],
        [
            *(("a", RIGHT), ("a", WRONG), ("jsonl/a", WRONG), ("b", RIGHT), ("a", "print(")),
            *(("livecodebench/abc343_a", WRONG), ("broken", RIGHT)),
        ],
    )
    seen: list[int] = []
    result = evaluate_files(
        *(problems, solutions, None, JudgeOptions(2)),
        lambda s, done, total, note="": seen.append(done),
    )
    rates = {"jsonl/a": 0.25, "jsonl/b": 1.0, "livecodebench/abc343_a": 0.0}
    assert result.rates == rates
    assert result.pass_at_1 == pytest.approx(1.25 / 3)
    assert (result.low, result.high) == interval(list(rates.values()))
    assert result.without_errata is not None
    assert result.without_errata["pass_at_1"] == 0.625
    assert list(result.errata) == ["livecodebench/abc343_a"]
    assert result.verdicts == Counter(accepted=2, wrong_answer=3, compile_error=1, judge_error=1)
    assert (result.judge_errors, result.unanswered) == (1, 1)
    assert seen == list(range(8))


def test_no_errata_no_second_figure(tmp_path: Path) -> None:
    paths = files(tmp_path, [{"id": "a"}], [("a", RIGHT)])
    result = evaluate_files(*paths, tmp_path / "r.json", JudgeOptions(1, "strict"), no_progress)
    assert (result.pass_at_1, result.without_errata, result.errata) == (1.0, None, {})
    written = json.loads((tmp_path / "r.json").read_text())
    assert not [k for k in written if k.endswith("_without_errata")]
    assert (written["policy"], written["rates"]) == ("strict", {"jsonl/a": 1.0})


def test_bad_input(tmp_path: Path) -> None:
    problems, solutions = files(tmp_path, [{"id": "a"}], [("zzz", RIGHT)])
    with pytest.raises(ProblemError, match="'zzz' is not in the problems file"):
        evaluate_files(problems, solutions, None, JudgeOptions(1), no_progress)
    with pytest.raises(ConfigError, match="is an input"):
        evaluate_files(problems, solutions, solutions, JudgeOptions(1), no_progress)
    with pytest.raises(MissingInputError):
        evaluate_files(problems, tmp_path / "none", None, JudgeOptions(1), no_progress)
    with pytest.raises(ConfigError, match="allowed are robust, strict"):
        judge_options(1, "lenient", "solution", "A")


def test_the_command(tmp_path: Path) -> None:
    listed = "livecodebench/abc343_a"
    problems, solutions = files(
        tmp_path, [{"id": listed}, {"id": "a"}], [(listed, WRONG), ("a", RIGHT)]
    )
    out = tmp_path / "result.json"
    done = microcoder(*("evaluate", "--problems", problems, "--solutions", solutions, "--out", out))
    assert done.returncode == 0, done.stderr
    assert "pass@1: 0.500 (0.000 - 1.000) over 2 problems" in done.stdout
    assert "pass@1 without errata: 1.000 (0.207 - 1.000) over 1 problem\n" in done.stdout
    assert f"{listed}: several_answers. Any digit" in done.stdout
    assert "wrong_answer: 1" in done.stdout
    written = json.loads(out.read_text())
    assert (written["pass_at_1"], written["pass_at_1_without_errata"]) == (0.5, 1.0)
    assert written["errata"][listed]["kind"] == "several_answers"
    assert written["verdicts"] == {"wrong_answer": 1, "accepted": 1}

    helped = microcoder("evaluate", "--help")
    assert (helped.returncode, "Example:" in helped.stdout) == (0, True)
    for command in ("evaluate", "judge"):
        bad = microcoder(
            *(command, "--problems", problems, "--solutions", solutions, "--out", out),
            *("--policy", "lenient"),
        )
        assert (bad.returncode, "allowed are robust, strict" in bad.stderr) == (2, True)
