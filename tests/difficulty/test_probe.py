"""The probe stage: with a scripted sampler for the bookkeeping, with models for the rest."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from difficulty import probe as probe_module
from difficulty.models import ModelError
from difficulty.probe import ProbeConfig, probe
from difficulty.samplers import Completion
from pipelines.problem import Problem, TestCase
from pipelines.shards import Shards, write_problems
from pipelines.stage import StageResult, iter_dropped

GOOD = "```python\nprint(int(input()) * 2)\n```"
BAD = "```python\nprint(0)\n```"


def doubled(name: str, **values: Any) -> Problem:
    tests = (TestCase("2\n", "4\n", "sample"), TestCase("21\n", "42\n"))
    return Problem(id=f"t/{name}", **{"statement": "Print 2n.", "tests": tests, **values})


class Scripted:
    """A sampler whose answers are a list by key; its prompts are the length of the question."""

    stop_ids = frozenset([0])
    context_length = 2000

    def __init__(self, answers: dict[str, list[str]]) -> None:
        self.answers = answers
        self.calls: list[list[str]] = []

    def encode(self, messages: list[dict[str, str]]) -> list[int]:
        return [1] * len(messages[-1]["content"])

    def generate(
        self, prompts: Sequence[Sequence[int]], n: int, *, keys: Sequence[str], **_: Any
    ) -> list[list[Completion]]:
        self.calls.append(list(keys))
        texts = [[self.answers[k][i % len(self.answers[k])] for i in range(n)] for k in keys]
        return [
            [Completion((1,) * 9, t, "length" if t.endswith("...") else "stop") for t in row]
            for row in texts
        ]

    def close(self) -> None:
        pass


def run(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    problems: Sequence[Problem],
    sampler: Scripted,
    out: str = "out",
    **config: Any,
) -> StageResult:
    folder = tmp_path / "model"
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text("{}")
    monkeypatch.setattr(probe_module, "make_sampler", lambda *_: sampler)
    write_problems(problems, tmp_path / "in")
    values = {"k": 4, "model": str(folder), "workers": 1, "max_new_tokens": 64, **config}
    return probe([tmp_path / "in"], tmp_path / out, ProbeConfig(**values))


def test_pass_rate_and_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sampler = Scripted({"t/a": [GOOD, BAD, "I think ...", GOOD], "t/b": [BAD], "t/c": [GOOD]})
    result = run(
        tmp_path, monkeypatch, [doubled("a"), doubled("b"), doubled("c")], sampler, chunk=2
    )
    a, b, c = (p.probes[-1] for p in Shards([tmp_path / "out"]))
    assert (a.k, a.passed, a.pass_rate, a.truncated, a.mean_tokens) == (4, 2, 0.5, 1, 9.0)
    assert (a.low, a.high) == (pytest.approx(0.1500, abs=1e-4), pytest.approx(0.85, abs=1e-4))
    assert (a.temperature, a.max_new_tokens) == (0.8, 64)
    assert (b.passed, c.passed) == (0, 4)
    assert sampler.calls == [["t/a", "t/b"], ["t/c"]]
    assert result.extra == {
        "samples": 12,
        "verdicts": {"accepted": 6, "no_code": 1, "wrong_answer": 5},
        "no_code": 1,
        "judge_errors": 0,
        "tokens": 108,
        "truncated": 1,
        "solved_of_k": {"0": 1, "1": 0, "2": 1, "3": 0, "4": 1},
        "mean_pass_rate": 0.5,
    }


def test_the_same_program_is_judged_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[str] = []
    original = probe_module.Judge.judge

    def counting(self: Any, problem: Problem, code: str, *rest: Any) -> Any:
        judged.append(code)
        return original(self, problem, code, *rest)

    monkeypatch.setattr(probe_module.Judge, "judge", counting)
    run(tmp_path, monkeypatch, [doubled("a")], Scripted({"t/a": [GOOD, BAD]}), k=8)
    assert len(judged) == 2


def test_probes_are_appended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tmp_path, monkeypatch, [doubled("a")], Scripted({"t/a": [BAD]}))
    [first] = Shards([tmp_path / "out"])
    run(tmp_path, monkeypatch, [first], Scripted({"t/a": [GOOD]}), out="again", seed=1)
    [p] = Shards([tmp_path / "again"])
    assert [x.passed for x in p.probes] == [0, 4]


def test_judge_errors_are_nobodys_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    faults = [f"```python\n#!{i}\n```" for i in range(3)]
    answers = {"t/some": [GOOD, GOOD, GOOD, faults[0]], "t/most": [GOOD, *faults]}
    original = probe_module.Judge.judge

    def broken(self: Any, problem: Problem, code: str, *rest: Any) -> Any:
        result = original(self, problem, code, *rest)
        return replace(result, verdict="judge_error") if code.startswith("#!") else result

    monkeypatch.setattr(probe_module.Judge, "judge", broken)
    result = run(tmp_path, monkeypatch, [doubled("some"), doubled("most")], Scripted(answers))
    [p] = Shards([tmp_path / "out"])
    assert (p.id, p.probes[0].k, p.probes[0].pass_rate) == ("t/some", 3, 1.0)
    assert result.reasons == {"judge_error": 1}
    assert result.extra["judge_errors"] == 4


def test_what_cannot_be_probed_is_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    problems = [doubled("ok"), doubled("long", statement="x" * 3000), doubled("bare", tests=())]
    sampler = Scripted({"t/ok": [GOOD]})
    result = run(tmp_path, monkeypatch, problems, sampler)
    assert result.reasons == {"no_tests": 1, "prompt_too_long": 1}
    assert sampler.calls == [["t/ok"]]
    evidence = {d["id"]: d["evidence"] for d in iter_dropped(tmp_path / "out")}
    assert "longer context" in evidence["t/long"]


def test_finished_work_is_reused_unless_the_model_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sampler = Scripted({"t/a": [GOOD]})
    assert not run(tmp_path, monkeypatch, [doubled("a")], sampler).reused
    assert run(tmp_path, monkeypatch, [doubled("a")], sampler, threads=1).reused
    (tmp_path / "model" / "tokenizer.json").write_text("{}")
    assert not run(tmp_path, monkeypatch, [doubled("a")], sampler).reused
    assert len(sampler.calls) == 2


def test_a_missing_model_stops_before_any_work(tmp_path: Path) -> None:
    write_problems([doubled("a")], tmp_path / "in")
    with pytest.raises(ModelError, match="does not exist"):
        probe([tmp_path / "in"], tmp_path / "out", ProbeConfig(model=str(tmp_path / "none")))
    assert not (tmp_path / "out").exists()


# -- with models ----------------------------------------------------------------------------------

SCRIPT = """
import sys
from pathlib import Path
import torch
torch.set_num_threads(1)
from difficulty.probe import ProbeConfig, probe
root, out, model = map(Path, sys.argv[1:])
seen = lambda stage, done, total, note="": print(done, note, flush=True)
config = ProbeConfig(model=str(model), k=3, max_new_tokens=12, chunk=2, workers=1)
print(probe([root / "in"], out, config, progress=seen).kept)
"""


def digest(folder: Path) -> dict[str, str]:
    return {
        str(f.relative_to(folder)): hashlib.sha256(f.read_bytes()).hexdigest()
        for f in sorted(folder.rglob("*"))
        if f.is_file()
    }


@pytest.mark.lm
def test_a_killed_probe_goes_on_to_the_same_bytes(
    tmp_path: Path, make_tiny: Any, tokenizer: Any
) -> None:
    model = tmp_path / "model"
    make_tiny(max_position_embeddings=512, vocab_size=len(tokenizer)).save_pretrained(model)
    tokenizer.save_pretrained(model)
    write_problems([doubled(f"p{i}") for i in range(9)], tmp_path / "in")

    def start(out: Path) -> subprocess.Popen[str]:
        arguments = [sys.executable, "-c", SCRIPT, str(tmp_path), str(out), str(model)]
        return subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)

    undisturbed = start(tmp_path / "a")
    whole = undisturbed.communicate(timeout=120)[0]
    assert undisturbed.returncode == 0
    assert "tokens/s" in whole

    killed = start(tmp_path / "b")
    assert killed.stdout is not None
    for line in killed.stdout:
        if line.startswith("4 "):  # two chunks of five are in the journal
            os.kill(killed.pid, signal.SIGKILL)
            break
    killed.wait()
    killed.stdout.close()
    assert not (tmp_path / "b").exists()

    again = start(tmp_path / "b")
    log = again.communicate(timeout=120)[0]
    assert "from journal" in log
    assert digest(tmp_path / "a") == digest(tmp_path / "b")


@pytest.mark.lm
def test_the_embedded_model_solves_something_trivial(tmp_path: Path, smollm2: Path) -> None:
    statement = (
        "You are given an integer n. Print the square of n, which is n times n.\n\n"
        "## Input\n\nOne line with one integer n.\n\n## Output\n\nPrint the square of n."
    )
    tests = (TestCase("7\n", "49\n", "sample"), TestCase("-12\n", "144\n"))
    function = (TestCase("7\n", "7\n"), TestCase("-12\n", "12\n"))
    start = "def absolute(n: int) -> int:\n    pass\n"
    problems = [
        Problem(id="t/square", statement=statement, tests=tests),
        Problem(
            id="t/absolute",
            statement="Return the absolute value of the integer n.",
            fn_name="absolute",
            starter_code=start,
            tests=function,
        ),
    ]
    write_problems(problems, tmp_path / "in")
    seen: list[str] = []
    begun = time.monotonic()
    result = probe(
        [tmp_path / "in"],
        tmp_path / "out",
        ProbeConfig(k=8, max_new_tokens=48),
        progress=lambda stage, done, total, note="": seen.append(note),
    )
    print(f"{time.monotonic() - begun:.0f} s", result.extra)
    rates = {p.id: p.probes[-1].pass_rate for p in Shards([tmp_path / "out"])}
    assert all(rate > 0 for rate in rates.values()), rates
    assert any("tokens/s" in note for note in seen)
