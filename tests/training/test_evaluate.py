"""Held-out tests and the sweep, with a scripted sampler."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from difficulty.samplers import Completion
from evaluator.judge import Judge
from pipelines.problem import Problem, TestCase
from training.config import DiversityT, TrainConfig
from training.data import Example, TrainError
from training.evaluate import evaluate, interval, sweep, without_errata

RIGHT, WRONG = "```python\nprint(7)\n```", "```python\nprint(8)\n```"


def problem(name: str) -> Problem:
    return Problem(id=f"t/{name}", tests=(TestCase("", "7\n"),))


class Scripted:
    """Answers by problem, and ids by temperature."""

    stop_ids = frozenset({2})
    context_length = 100

    def __init__(self, texts: dict[str, list[str]]) -> None:
        self.texts = texts
        self.asked: list[dict[str, Any]] = []

    def encode(self, messages: Any) -> list[int]:
        return []

    def generate(
        self, prompts: Any, n: int, *, keys: Sequence[str], temperature: float, **options: Any
    ) -> list[list[Completion]]:
        self.asked.append({"keys": list(keys), "temperature": temperature, "n": n, **options})

        def ids(sample: int) -> tuple[int, ...]:
            first = sample if temperature >= 1 else 0  # cold answers are all the same
            return (*range(10 + first, 20 + first), 2)

        return [
            [
                Completion(ids(i), self.texts[key][i % len(self.texts[key])], "stop")
                for i in range(n)
            ]
            for key in keys
        ]

    def close(self) -> None: ...


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Judge(workers=2) as j:
        yield j


def examples(*lengths: int) -> list[Example]:
    return [Example(problem(str(i)), (1,) * n) for i, n in enumerate(lengths)]


def test_an_evaluation(judge: Judge) -> None:
    config = TrainConfig(
        eval_attempts=2, batch_size=4, max_new_tokens=9, eval_max_new_tokens=30, seed=5
    )
    sampler = Scripted({"t/0": [RIGHT, WRONG], "t/1": [RIGHT], "t/2": ["none"]})
    told: list[tuple[str, int, int | None]] = []
    some = examples(30, 10, 20)
    line = evaluate(
        sampler,
        judge,
        some,
        config,
        4,
        lambda s, done, total, note="": told.append((s, done, total)),
    )
    assert line["problems"] == {"t/0": 0.5, "t/1": 1.0, "t/2": 0.0}
    assert (line["step"], line["attempts"], line["judge_errors"]) == (4, 2, 0)
    assert line["pass_at_1"] == 0.5
    assert line["low"] < 0.5 < line["high"]
    assert [a["keys"] for a in sampler.asked] == [["t/1", "t/2"], ["t/0"]]  # like lengths together
    assert {(a["temperature"], a["top_p"], a["max_new_tokens"]) for a in sampler.asked} == {
        (0.6, 0.95, 30)
    }
    assert told == [("evaluate", 0, 3), ("evaluate", 2, 3), ("evaluate", 3, 3)]


def test_all_evaluations_have_the_same_draws(judge: Judge) -> None:
    sampler = Scripted({"t/0": [RIGHT]})
    config = TrainConfig(eval_attempts=1, max_new_tokens=9)
    for step in (0, 20):
        evaluate(sampler, judge, examples(5), config, step)
    evaluate(sampler, judge, examples(5), config.model_copy(update={"seed": 1}), 0)
    seeds = [a["seed"] for a in sampler.asked]
    assert seeds[0] == seeds[1] != seeds[2]
    assert {a["max_new_tokens"] for a in sampler.asked} == {9}  # eval_max_new_tokens None


def test_what_could_not_be_judged_says_nothing(judge: Judge) -> None:
    nothing = [Example(Problem(id="t/0"), (1,))]
    sampler = Scripted({"t/0": [RIGHT]})
    line = evaluate(sampler, judge, nothing, TrainConfig(eval_attempts=2), 0)
    assert (line["problems"], line["judge_errors"]) == ({}, 2)
    assert (line["low"], line["high"]) == (0.0, 1.0)


def test_with_and_without_errata(judge: Judge) -> None:
    ids = ("livecodebench/abc343_a", "t/1", "t/2")
    sampler = Scripted({ids[0]: [WRONG], "t/1": [RIGHT], "t/2": [RIGHT, WRONG]})
    some = [Example(Problem(i, tests=(TestCase("", "7\n"),)), (1,)) for i in ids]
    line = evaluate(sampler, judge, some, TrainConfig(eval_attempts=2, max_new_tokens=9), 0)
    assert line["pass_at_1"] == 0.5
    assert line["problems"] == {ids[0]: 0.0, "t/1": 1.0, "t/2": 0.5}
    assert (line["pass_at_1_without_errata"], line["errata"]) == (0.75, 1)
    low, high = line["low_without_errata"], line["high_without_errata"]
    assert (low, high) == interval([1.0, 0.5])
    plain = evaluate(sampler, judge, some[1:], TrainConfig(eval_attempts=2, max_new_tokens=9), 0)
    assert not [k for k in plain if "errata" in k]


def test_errata_without_a_rate_and_nothing_but_errata() -> None:
    listed = Problem("livecodebench/abc343_a")
    assert without_errata({"t/1": 1.0}, [listed]) == {}  # it could not be judged
    # no problem is left: there is no rate to state
    assert without_errata({listed.id: 1.0}, [listed]) == {"errata": 1}


@pytest.mark.parametrize(
    ("rates", "low", "high"),
    [
        # 0.5 +- 1.96 * sqrt(1/3) / 2, and Wilson's textbook values
        ([0.0, 0.0, 1.0, 1.0], 0.0, 1.0),
        ([0.4, 0.6], 0.304, 0.696),
        ([0.25, 0.75] * 8, 0.3735, 0.6265),
        ([1.0] * 10, 0.7225, 1.0),
        ([0.0], 0.0, 0.7935),
        ([0.75], 0.2065, 1.0),
    ],
)
def test_intervals(rates: list[float], low: float, high: float) -> None:
    found = interval(rates)
    assert found == (pytest.approx(low, abs=1e-3), pytest.approx(high, abs=1e-3))
    assert found[0] <= sum(rates) / len(rates) <= found[1]


def swept(judge: Judge, **values: Any) -> tuple[Any, Scripted]:
    settings = DiversityT(**{"candidates": (0.5, 1.0, 1.5), "prompts": 2, "target": 0.2, **values})
    config = TrainConfig(group_size=4, temperature=settings, max_new_tokens=50)
    sampler = Scripted({"t/0": [RIGHT], "t/1": [WRONG], "t/2": [RIGHT]})
    return sweep(sampler, judge, examples(1, 2, 3), config), sampler


def test_the_sweep_takes_the_lowest_diverse_temperature(judge: Judge) -> None:
    (temperature, why, rows), sampler = swept(judge)
    assert temperature == 1.0
    assert "T 1" in why
    assert [r.temperature for r in rows] == [0.5, 1.0, 1.5]
    assert {(r.accuracy, r.prompts, r.responses, r.mean_length) for r in rows} == {
        (0.5, 2, 8, 11.0)
    }
    assert {a["n"] for a in sampler.asked} == {8}  # not the group size, which is 4
    # 7 grams in each of 8 answers: equal answers have 7 distinct ones, shifted ones 14
    assert [r.diversity for r in rows] == [7 / 56, 14 / 56, 14 / 56]
    assert all(a["keys"] == ["t/0", "t/1"] and a["top_p"] == 1.0 for a in sampler.asked)
    assert len({a["seed"] for a in sampler.asked}) == 1


def test_a_sweep_without_any_diversity(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        Scripted,
        "generate",
        lambda self, p, n, **k: [[Completion((2,), "", "stop")] * n for _ in p],
    )
    with pytest.raises(TrainError, match=r"temperature\.kind"):
        swept(judge)
