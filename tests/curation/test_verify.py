"""The decisions are tested with a judge that reads its verdict from the program; one test at the
end runs the real one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from curation_helpers import dropped, folder_bytes, kept, kill_half_way, problem

import curation.verify
from curation.verify import VerifyConfig as Config
from curation.verify import verify as verify_stage
from pipelines.problem import Problem, Solution, TestCase

PLAIN = "curation.verify.VerifyConfig(mutants=0, repeats=1, infer_checkers=False)"


def VerifyConfig(**given: Any) -> Config:
    """A config that asks for nothing beyond verdicts: the rest is tested in test_trust.py."""
    return Config(**{"mutants": 0, "repeats": 1, "infer_checkers": False, **given})


def verify(inputs: Any, out: Any, config: Any = None, **more: Any) -> Any:
    return verify_stage(inputs, out, config or VerifyConfig(), **more)


TESTS = (TestCase("1\n", "2\n", "sample", "s1"), TestCase("5\n", "6\n", "hidden", "h1"))


class FakeJudge:
    """`code` is the verdict; "flaky" is a judge_error at first. Results come in reverse order."""

    calls: ClassVar[Counter[str]] = Counter()
    limits: ClassVar[list[float | None]] = []

    def __init__(self, workers: int | None = None, weakest_tier: str = "A") -> None:
        pass

    def __enter__(self) -> FakeJudge:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def map(self, pairs: Iterable[tuple[Problem, str]]) -> Iterator[tuple[int, Any]]:
        for i, (p, code) in reversed(list(enumerate(pairs))):
            self.calls[p.id] += 1
            self.limits.append(p.time_limit_s)
            verdict = code
            if code == "flaky":
                verdict = "judge_error" if self.calls[p.id] == 1 else "accepted"
            tests = [SimpleNamespace(verdict="accepted"), SimpleNamespace(verdict=verdict)]
            yield (
                i,
                SimpleNamespace(
                    passed=verdict == "accepted", verdict=verdict, tests=tests, detail="why"
                ),
            )


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeJudge]:
    FakeJudge.calls.clear()
    FakeJudge.limits.clear()
    monkeypatch.setattr(curation.verify, "Judge", FakeJudge)
    return FakeJudge


def with_solutions(row_id: str, *solutions: tuple[str, str], **fields: Any) -> Problem:
    """A problem whose solutions are (verdict the judge will give, verdict expected)."""
    known = tuple(Solution(code, expected, origin=f"{row_id}.py") for code, expected in solutions)  # type: ignore[arg-type]
    return problem(row_id, tests=TESTS, solutions=known, **fields)


def test_reasons_and_evidence(shards, tmp_path, fake) -> None:
    ok = ("accepted", "accepted")
    rows = [
        with_solutions("a/good", ok, ("wrong_answer", "wrong_answer"), ("time_limit", "rejected")),
        with_solutions("a/fails", ok, ("runtime_error", "accepted")),
        with_solutions("a/passes", ok, ("accepted", "wrong_answer")),
        with_solutions("a/fast", ok, ("accepted", "time_limit")),
        with_solutions("a/other", ok, ("memory_limit", "time_limit")),
        with_solutions("a/broken", ok, ("judge_error", "accepted")),
        with_solutions("a/flaky", ("flaky", "accepted")),
        with_solutions("a/surely", ("judge_error", "accepted"), ("time_limit", "accepted")),
        problem("a/none"),
        problem("a/cpp", solutions=(Solution("wrong_answer", language="cpp"),)),
        with_solutions("a/onlywrong", ("wrong_answer", "rejected"), flags=("x", "verified")),
    ]
    result = verify([shards(rows)], tmp_path / "out")
    assert {p.id: p.flags for p in kept(result.out)} == {
        "a/good": ("verified",),
        "a/other": ("verified",),
        "a/flaky": ("verified",),
        "a/none": ("unverified",),
        "a/cpp": ("unverified",),
        "a/onlywrong": ("x", "unverified"),
    }
    last = {"test": 1, "test_name": "h1"}
    assert dropped(result.out) == {
        "a/fails": (
            "accepted_fails",
            {"solution": 1, "origin": "a/fails.py", "verdict": "runtime_error", **last},
        ),
        "a/passes": (
            "wrong_passes",
            {"solution": 1, "origin": "a/passes.py", "expected": "wrong_answer"},
        ),
        "a/fast": (
            "wrong_passes",
            {"solution": 1, "origin": "a/fast.py", "expected": "time_limit"},
        ),
        "a/broken": ("judge_error", {"solution": 1, "origin": "a/broken.py", "detail": "why"}),
        "a/surely": (
            "accepted_fails",
            {"solution": 1, "origin": "a/surely.py", "verdict": "time_limit", **last},
        ),
    }
    assert fake.calls["a/broken"] == 3  # the good one once, the bad one twice
    assert fake.calls["a/cpp"] == 0
    assert result.extra["programs_run"] == 17
    assert result.extra["verified"] == 3
    assert result.extra["verdicts"]["wrong"]["accepted"] == 2


def test_limits_and_numbers_of_solutions(shards, tmp_path, fake) -> None:
    ok, bad = ("accepted", "accepted"), ("wrong_answer", "rejected")
    source = shards([with_solutions("a/1", bad, ok, ok, bad, time_limit_s=2.0)])
    verify([source], tmp_path / "all", VerifyConfig(time_factor=3))
    assert sorted(fake.limits) == [2, 2, 6, 6]
    fake.limits.clear()
    config = VerifyConfig(time_limit_s=1, max_solutions=1)
    result = verify([source], tmp_path / "some", config)
    assert fake.limits == [1, 1]
    assert next(iter(kept(result.out))).time_limit_s == 2.0  # the override is for this run only


def test_require_solution(shards, tmp_path, fake) -> None:
    rows = [problem("a/none"), with_solutions("a/ok", ("accepted", "accepted"))]
    result = verify([shards(rows)], tmp_path / "out", VerifyConfig(require_solution=True))
    assert result.reasons == {"no_accepted_solution": 1}


def test_workers_and_windows_change_nothing(shards, tmp_path, fake, monkeypatch) -> None:
    rows = [with_solutions(f"a/{i}", ("accepted", "accepted")) for i in range(9)]
    source = shards(rows)
    one = verify([source], tmp_path / "one", VerifyConfig(workers=1))
    assert verify([source], tmp_path / "one", VerifyConfig(workers=2)).reused
    monkeypatch.setattr(curation.verify, "WINDOW_PROBLEMS", 2)
    two = verify([source], tmp_path / "two", VerifyConfig(workers=2))
    assert folder_bytes(one.out) == folder_bytes(two.out)
    assert [p.id for p in kept(two.out)] == [p.id for p in rows]


#: For the process that is killed: a judge that says which program it ran.
SLOW_JUDGE = """
import curation.verify
from types import SimpleNamespace
class Judge:
    def __init__(self, **_): pass
    def __enter__(self): return self
    def __exit__(self, *_): pass
    def map(self, pairs):
        for i, (p, code) in enumerate(pairs):
            test = SimpleNamespace(verdict=code)
            yield i, SimpleNamespace(passed=code == "accepted", verdict=code, tests=[test])
curation.verify.Judge = Judge
"""


def test_a_killed_stage_goes_on_where_it_was(shards, tmp_path, fake) -> None:
    rows = [
        with_solutions(f"a/{i}", ("accepted" if i % 3 else "wrong_answer", "accepted"))
        for i in range(90)
    ]
    rows = [p if i % 3 else problem(p.id, solutions=p.solutions) for i, p in enumerate(rows)]
    source = shards(rows)
    kill_half_way("verify", source, tmp_path / "two", lines=50, prelude=SLOW_JUDGE, config=PLAIN)
    journal = (tmp_path / ".two.work" / "journal.jsonl").read_text().splitlines()
    assert 45 <= len(journal) <= 55
    assert all("seconds" not in json.loads(line)["value"] for line in journal)
    # The killed process judged with one test a problem: what it journaled is believed.
    resumed = verify([source], tmp_path / "two")
    assert fake.calls.total() == 90 - len(journal)
    assert resumed.extra["programs_run"] == 90
    assert resumed.reasons == {"accepted_fails": 30}


def test_resumed_bytes_with_the_real_judge(shards, tmp_path) -> None:
    good, bad = "print(int(input()) + 1)", "print(2)"
    rows = []
    for i in range(12):
        claimed = ("accepted", "wrong_answer") if i % 4 else ("accepted", "accepted")
        known = (Solution(good, claimed[0]), Solution(bad, claimed[1]))  # type: ignore[arg-type]
        rows.append(problem(f"a/{i}", tests=TESTS, solutions=known))
    source = shards(rows)
    undisturbed = verify([source], tmp_path / "one", VerifyConfig(workers=2))
    assert undisturbed.reasons == {"several_answers": 3}
    assert dropped(undisturbed.out)["a/4"][1] == {
        "solution": 1, "origin": "", "verdict": "wrong_answer", "test": 1, "test_name": "h1",
    }  # fmt: skip
    kill_half_way("verify", source, tmp_path / "two", lines=10, config=PLAIN)
    resumed = verify([source], tmp_path / "two", VerifyConfig(workers=1))
    assert folder_bytes(resumed.out) == folder_bytes(undisturbed.out)
