"""Rewards, records and the files they lie in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from difficulty.samplers import Completion
from evaluator.judge import Judge
from pipelines.problem import Problem, TestCase
from training.config import ConstantT, MaskConfig, TrainConfig
from training.data import (
    Example,
    TrainError,
    encode_all,
    longest_tests,
    prompts_of_step,
    read_problems,
    split,
)
from training.rollout import (
    Rollout,
    by_slot,
    read_rollouts,
    replayable,
    roll_out,
    rollout_metrics,
    rollout_path,
    score,
    with_advantages,
    write_rollouts,
)

ADD = "a, b = map(int, input().split())\nprint(a + b)\n"
SUM = Problem(
    id="t/sum",
    statement="Print a + b.",
    tests=(TestCase("1 2\n", "3\n", "sample"), TestCase("10 20\n", "30\n")),
)


def fenced(code: str) -> str:
    return f"```python\n{code}```"


class Scripted:
    """A sampler that says what it is told, and remembers how it was asked."""

    stop_ids = frozenset({2})
    context_length = 100

    def __init__(self, texts: Sequence[str], finish: str = "stop", tokens: int = 5) -> None:
        self.texts, self.finish, self.tokens = texts, finish, tokens
        self.asked: list[dict[str, Any]] = []

    def encode(self, messages: list[dict[str, str]]) -> list[int]:
        return [ord(c) for c in messages[-1]["content"]][:2000]

    def generate(self, prompts: Any, n: int, **options: Any) -> list[list[Completion]]:
        self.asked.append({"n": n, **options})
        ids = tuple(range(10, 10 + self.tokens))
        return [
            [Completion(ids, self.texts[i % len(self.texts)], self.finish) for i in range(n)]  # type: ignore[arg-type]
            for _ in prompts
        ]

    def close(self) -> None: ...


class Counting(Judge):
    """A judge that counts its work."""

    seen: Counter[str]

    def judge(self, problem: Problem, code: str, *rest: Any) -> Any:
        self.seen[code] += 1
        return super().judge(problem, code, *rest)


@pytest.fixture(scope="module")
def judge() -> Iterator[Counting]:
    with Counting(workers=2) as j:
        j.seen = Counter()
        yield j


def config(**values: Any) -> TrainConfig:
    return TrainConfig(
        **{
            "prompts_per_step": 2,
            "mini_batch": 2,
            "group_size": 4,
            "max_new_tokens": 5,
            "temperature": ConstantT(value=1.1),
            "mask": MaskConfig(mode="correct_or_incomplete", rho=1.0, window=1),
            **values,
        }
    )


def test_rewards(judge: Counting) -> None:
    broken = Problem(id="t/none", statement="?")  # nothing to judge with
    answers = [
        (SUM, fenced(ADD)),
        (SUM, "no program here"),
        (SUM, fenced("print(3)\n")),  # right for the sample only
        (SUM, fenced(ADD)),
        (broken, fenced(ADD)),
    ]
    judge.seen.clear()
    found = score(judge, answers)
    assert [s.reward for s in found] == [1.0, 0.0, 0.0, 1.0, None]
    assert [s.verdict for s in found] == [
        "accepted",
        "no_code",
        "wrong_answer",
        "accepted",
        "judge_error",
    ]
    assert judge.seen[ADD] == 2  # once a problem


def test_the_longest_tests_count_in_their_old_order() -> None:
    tests = tuple(TestCase("x" * n, "") for n in (3, 1, 5, 3, 2))
    kept = longest_tests(Problem(id="a/b", tests=tests), 3)
    assert [len(t.input) for t in kept.tests] == [3, 5, 3]
    assert longest_tests(kept, 15) == kept


def test_prompts_show_samples_that_the_reward_leaves_out() -> None:
    sampler = Scripted([])
    sampler.context_length = 5000
    data = encode_all(sampler, [SUM], config(heldout=0, max_tests=1))
    text = "".join(map(chr, data.train[0].prompt_ids))
    assert "Example input:\n1 2" in text
    assert [t.input for t in data.train[0].problem.tests] == ["10 20\n"]


def test_prompts_without_room_are_skipped_by_name() -> None:
    long = Problem(id="t/long", statement="long " * 300, tests=SUM.tests)
    sampler = Scripted([])
    sampler.context_length = 1000
    data = encode_all(sampler, [long, SUM], config(heldout=0))
    assert ([e.id for e in data.train], data.skipped) == (["t/sum"], ("t/long",))


def test_the_split_follows_the_id_alone(tmp_path: Path) -> None:
    from pipelines.shards import write_problems

    problems = [Problem(id=f"t/{i}", tests=SUM.tests) for i in range(20)]
    write_problems(problems, tmp_path / "a")
    write_problems(problems[::-1], tmp_path / "b")
    sides = [split(read_problems(tmp_path / x)[0], 5) for x in "ab"]
    assert sides[0] == sides[1]
    assert [len(part) for part in sides[0]] == [15, 5]
    assert sides[0][1] != sorted(problems, key=lambda p: p.id)[:5]


def test_data_that_cannot_be_trained_on(tmp_path: Path) -> None:
    from pipelines.shards import write_problems

    write_problems([SUM, Problem(id="t/none")], tmp_path / "untested")
    with pytest.raises(TrainError, match=r"1 problems have no tests \(t/none\)"):
        read_problems(tmp_path / "untested")
    write_problems([SUM, SUM], tmp_path / "twice")
    with pytest.raises(TrainError, match="same id"):
        read_problems(tmp_path / "twice")


def test_every_epoch_sees_every_problem_once() -> None:
    examples = [Example(Problem(id=f"t/{i}"), (1,)) for i in range(5)]
    steps = [[e.id for e in prompts_of_step(examples, 3, s, 2)] for s in range(1, 11)]
    flat = [i for step in steps for i in step]
    epochs = [flat[i : i + 5] for i in range(0, 20, 5)]
    assert all(sorted(epoch) == sorted(flat[:5]) for epoch in epochs)
    assert len({tuple(epoch) for epoch in epochs}) > 1
    assert [e.id for e in prompts_of_step(examples[::-1], 3, 4, 2)] == steps[3]
    assert [e.id for e in prompts_of_step(examples, 4, 1, 5)] != flat[:5]


def test_a_step_of_more_prompts_than_there_are() -> None:
    examples = [Example(Problem(id=f"t/{i}"), (1,)) for i in range(2)]
    assert len(prompts_of_step(examples, 0, 1, 7)) == 7


def test_roll_out_fills_the_records(judge: Counting) -> None:
    sampler = Scripted([fenced(ADD), "nothing"])
    examples = [Example(SUM, (1, 2, 3)), Example(SUM, (1, 2, 3))]
    rollouts, seconds = roll_out(sampler, judge, examples, config(), step=7, temperature=1.1)
    assert set(seconds) == {"rollout", "judge"}
    asked = sampler.asked[0]
    assert asked["top_p"] == 1.0
    assert len(set(asked["keys"])) == 2  # the same problem twice gets other answers
    assert [(r.slot, r.sample) for r in rollouts] == [(s, i) for s in (0, 1) for i in range(4)]
    assert {(r.step, r.weights_step, r.temperature, r.max_new_tokens) for r in rollouts} == {
        (7, 6, 1.1, 5)
    }
    assert [r.reward for r in rollouts[:4]] == [1.0, 0.0, 1.0, 0.0]
    assert [round(r.advantage, 3) for r in rollouts[:4]] == [0.866, -0.866, 0.866, -0.866]
    roll_out(sampler, judge, examples, config(), step=8, temperature=1.1)
    assert sampler.asked[1]["seed"] != asked["seed"]


def test_the_context_may_be_the_limit(judge: Counting) -> None:
    sampler = Scripted(["cut"], finish="length", tokens=4)
    examples = [Example(SUM, tuple(range(96)))]
    rollouts, _ = roll_out(sampler, judge, examples, config(), step=1, temperature=1.0)
    assert {(r.max_new_tokens, r.mask_reason) for r in rollouts} == {(4, "truncated_incomplete")}


def rollout(sample: int, **values: Any) -> Rollout:
    base: dict[str, Any] = {
        "step": 1,
        "prompt_id": "t/sum",
        "slot": 0,
        "sample": sample,
        "prompt_ids": (1, 2),
        "completion_ids": (5, 6, 7, 8, 9),
        "text": "cut",
        "finish_reason": "stop",
        "temperature": 1.0,
        "max_new_tokens": 5,
        "reward": 0.0,
        "verdict": "no_code",
        "advantage": 0.0,
        "mask_reason": "none",
        "weights_step": 0,
    }
    return Rollout(**{**base, **values})


def test_the_mask_zeroes_the_finished_advantage() -> None:
    group = with_advantages(
        [
            rollout(0, reward=1.0, text=fenced(ADD), finish_reason="length"),  # cut but right
            rollout(1),  # ended itself at the limit: finished, wrong
            rollout(2, finish_reason="length"),  # cut, nothing to judge
            rollout(3, finish_reason="length", text=fenced("print(1)\n")),  # cut, wrong
            rollout(4, reward=None),
        ],
        config(group_size=5),
    )
    assert [r.mask_reason for r in group] == [
        "truncated_correct",
        "none",
        "truncated_incomplete",
        "ineligible",
        "none",
    ]
    # the masked right answer still lowers the others
    assert [round(r.advantage, 3) for r in group] == [0.0, -0.5, 0.0, -0.5, 0.0]


def test_files_give_back_what_was_written(tmp_path: Path) -> None:
    rollouts = [rollout(0, text="ü\n\0", reward=None), rollout(1, advantage=0.1 + 0.2)]
    path = rollout_path(tmp_path, 3)
    write_rollouts(path, rollouts)
    assert read_rollouts(path) == rollouts
    first = path.read_bytes()
    write_rollouts(path, rollouts)
    assert path.read_bytes() == first
    assert [f.name for f in path.parent.iterdir()] == ["step-000003.parquet"]


def test_only_whole_files_are_replayed(tmp_path: Path) -> None:
    settings = config(group_size=2)
    examples = [Example(SUM, (1, 2))]
    path = tmp_path / "r.parquet"
    assert replayable(path, examples, settings, 1) is None
    rollouts = [rollout(0), rollout(1)]
    write_rollouts(path, rollouts[:1])
    assert replayable(path, examples, settings, 1) is None
    write_rollouts(path, rollouts)
    assert replayable(path, examples, settings, 1) == rollouts
    with pytest.raises(TrainError, match=r"row 0 is not what step 2.*delete the file"):
        replayable(path, examples, settings, 2)
    for cut in (0, 4, 100, path.stat().st_size - 1):
        whole = path.read_bytes()
        (tmp_path / "cut.parquet").write_bytes(whole[:cut])
        assert replayable(tmp_path / "cut.parquet", examples, settings, 1) is None


def test_metrics_of_rollouts() -> None:
    rollouts = [
        rollout(0, reward=1.0),
        rollout(1, finish_reason="length", mask_reason="truncated_incomplete"),
        rollout(2, reward=None, verdict="judge_error", completion_ids=(1,)),
        rollout(3, slot=1, mask_reason="kept_by_draw", finish_reason="length"),
    ]
    metrics = rollout_metrics(rollouts)
    assert metrics["reward_mean"] == pytest.approx(1 / 3)
    assert metrics["pass_share"] == 0.25
    assert (metrics["tokens"], metrics["length_mean"]) == (16, 4.0)
    assert (metrics["truncated_share"], metrics["masked_share"]) == (0.5, 0.25)
    assert metrics["mask_reasons"] == {"kept_by_draw": 1, "none": 2, "truncated_incomplete": 1}
    assert metrics["judge_errors"] == 1
    assert [len(g) for g in by_slot(rollouts)] == [3, 1]
