"""What is trained on: the problems of a data set, their split, their prompts, their order."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from difficulty.prompts import DEFAULT_FEW_SHOT, build_messages
from difficulty.samplers import Sampler
from pipelines.problem import Problem
from pipelines.shards import Shards
from training.config import TrainConfig


class TrainError(RuntimeError):
    """Training that can't start or go on; the message says what to change."""


@dataclass(frozen=True, slots=True)
class Example:
    """A problem with the tests used for its reward, and the token ids of its prompt (which shows
    sample tests whether or not the reward uses them)."""

    problem: Problem
    prompt_ids: tuple[int, ...]

    @property
    def id(self) -> str:
        """The problem's id."""
        return self.problem.id


@dataclass(frozen=True, slots=True)
class Data:
    """Training and held-out examples, each in an order of its own. `skipped` are the ids of
    those whose prompt leaves no room for an answer in the model's context."""

    train: tuple[Example, ...]
    heldout: tuple[Example, ...]
    skipped: tuple[str, ...]


def read_problems(dataset: Path) -> tuple[list[Problem], list[str]]:
    """The problems of a data set folder, sorted by the sha256 of their id, and the folder's
    fingerprint. Raises TrainError and ShardError."""
    shards = Shards([dataset])
    problems = list(shards)
    untested = [p.id for p in problems if not p.tests]
    if untested:
        raise TrainError(
            f"{dataset}: {len(untested)} problems have no tests ({untested[0]}), so their answers "
            "get no reward; drop them first"
        )
    if len({p.id for p in problems}) < len(problems):
        raise TrainError(f"{dataset}: two problems have the same id; deduplicate the data first")
    return sorted(problems, key=lambda p: _digest(p.id)), shards.fingerprint


def longest_tests(problem: Problem, max_tests: int) -> Problem:
    """The problem with its `max_tests` tests of the longest inputs, in their old order."""
    at = sorted(range(len(problem.tests)), key=lambda i: (-len(problem.tests[i].input), i))
    return replace(problem, tests=tuple(problem.tests[i] for i in sorted(at[:max_tests])))


def split(problems: Sequence[Problem], heldout: int) -> tuple[list[Problem], list[Problem]]:
    """(training, held out): the first `heldout` are held out. They are sorted by a hash, so a
    problem's side does not depend on where it stands in the file. Raises TrainError."""
    if len(problems) <= heldout:
        raise TrainError(
            f"the data set has {len(problems)} problems and {heldout} are held out, so none is "
            "left to train on; lower 'heldout' or take more problems"
        )
    return list(problems[heldout:]), list(problems[:heldout])


def encode_all(sampler: Sampler, problems: Sequence[Problem], config: TrainConfig) -> Data:
    """Split and encode. Raises TrainError when no training prompt fits the context."""
    shots = DEFAULT_FEW_SHOT if config.few_shot is None else config.few_shot
    skipped: list[str] = []

    def encode(part: Sequence[Problem]) -> tuple[Example, ...]:
        examples = []
        for problem in part:
            ids = tuple(sampler.encode(build_messages(problem, shots)))
            if len(ids) < sampler.context_length:
                examples.append(Example(longest_tests(problem, config.max_tests), ids))
            else:
                skipped.append(problem.id)
        return tuple(examples)

    training, held = (encode(part) for part in split(problems, config.heldout))
    if not training:
        raise TrainError(
            f"no training prompt fits the model's context of {sampler.context_length} tokens; "
            "take a model with a longer context, or fewer worked examples ('few_shot')"
        )
    return Data(training, held, tuple(skipped))


def prompts_of_step(
    examples: Sequence[Example], seed: int, step: int, prompts_per_step: int
) -> list[Example]:
    """The examples of a step (from 1). Every epoch goes through all of them in an order that is a
    function of (seed, epoch), so there is no iterator whose state could be lost; a step may lie
    across two epochs."""
    orders: dict[int, list[Example]] = {}
    found = []
    first = (step - 1) * prompts_per_step
    for i in range(first, first + prompts_per_step):
        epoch, at = divmod(i, len(examples))
        if epoch not in orders:
            orders[epoch] = sorted(examples, key=lambda e: _digest(f"{seed}:{epoch}:{e.id}"))
        found.append(orders[epoch][at])
    return found


def derived_seed(seed: int, what: str) -> int:
    """A 63-bit seed for one purpose of a run, such as the rollouts of a step."""
    return int.from_bytes(hashlib.sha256(f"{seed}:{what}".encode()).digest()[:8], "big") >> 1


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
