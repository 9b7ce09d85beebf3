"""A model of two layers that half knows five easy problems, and these problems as a data set."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pipelines.crawl import import_source
from pipelines.problem import Problem
from pipelines.shards import Shards, write_problems
from training.config import ConstantT, DiversityT, MaskConfig, TrainConfig
from training.trainer import TrainResult, train

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "problems"
PROBLEMS = ("square", "shout", "doubled", "sumtwo", "backwards")
MakeConfig = Callable[..., TrainConfig]


@dataclass(frozen=True)
class Finished:
    """A run that nobody disturbed."""

    config: TrainConfig
    folder: Path
    result: TrainResult
    progress: list[tuple[str, int, int | None, str]]


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    """Threads that wait for each other are slow where tests share the cores."""
    if importlib.util.find_spec("torch"):
        import torch

        torch.set_num_threads(1)


@pytest.fixture(scope="session")
def problems(tmp_path_factory: pytest.TempPathFactory) -> list[Problem]:
    """Five of the example problems."""
    found: list[Problem] = []
    for name in PROBLEMS:
        out = tmp_path_factory.mktemp("imported") / name
        import_source("problem_package", str(EXAMPLES / name), out)
        found += Shards([out])
    return found


@pytest.fixture(scope="session")
def dataset(problems: list[Problem], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The problems as a data set folder."""
    out = tmp_path_factory.mktemp("data") / "dataset"
    write_problems(problems, out)
    return out


@pytest.fixture(scope="session")
def tiny(problems: list[Problem], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a two-layer Llama with SmolLM2's tokenizer, taught for some seconds to answer
    each problem with its right program or a wrong one, whichever it likes."""
    torch = pytest.importorskip("torch")
    from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

    from difficulty.models import resolve_model
    from difficulty.prompts import build_messages

    tokenizer = AutoTokenizer.from_pretrained(resolve_model("smollm2"))
    torch.manual_seed(0)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=48,
            intermediate_size=96,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=512,
            tie_word_embeddings=True,
            eos_token_id=tokenizer.eos_token_id,
            bos_token_id=tokenizer.bos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    )
    rows = []
    for problem in problems:
        prompt = tokenizer.apply_chat_template(
            build_messages(problem, []), add_generation_prompt=True, return_dict=False
        )
        for right in (True, False):
            codes = [s.code for s in problem.solutions if (s.expected == "accepted") == right]
            code = min(codes, key=len)
            answer = [*tokenizer(f"```python\n{code}```").input_ids, tokenizer.eos_token_id]
            rows.append((prompt, answer))
    width = max(len(p) + len(a) for p, a in rows)
    ids = torch.zeros(len(rows), width, dtype=torch.long)
    labels = torch.full_like(ids, -100)
    for i, (p, a) in enumerate(rows):
        ids[i, : len(p) + len(a)] = torch.tensor(p + a)
        labels[i, len(p) : len(p) + len(a)] = torch.tensor(a)
    used = torch.unique(ids)
    place = torch.zeros(len(tokenizer), dtype=torch.long)
    place[used] = torch.arange(len(used))
    # all tokens that no row has share one embedding, so their part of the softmax is one number:
    # the whole vocabulary would take minutes
    others = torch.nn.Parameter(torch.randn(1, 48) * 0.02)
    many = math.log(len(tokenizer) - len(used))
    optimizer = torch.optim.Adam([*model.parameters(), others], lr=5e-3)
    known = labels[:, 1:] != -100
    for _ in range(300):
        hidden = model.model(input_ids=ids).last_hidden_state[:, :-1][known]
        logits = torch.cat([hidden @ model.lm_head.weight[used].T, hidden @ others.T + many], 1)
        loss = torch.nn.functional.cross_entropy(logits, place[labels[:, 1:][known]])
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    rest = torch.ones(len(tokenizer), dtype=torch.bool)
    rest[used] = False
    with torch.no_grad():
        model.lm_head.weight[rest] = others
    folder = tmp_path_factory.mktemp("model") / "tiny"
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def make_config(tiny: Path) -> MakeConfig:
    """A function (settings) -> a configuration of seconds."""

    def make(**values: Any) -> TrainConfig:
        return TrainConfig(
            **{
                "model": str(tiny),
                "steps": 4,
                "prompts_per_step": 3,
                "mini_batch": 2,
                "group_size": 4,
                "max_new_tokens": 40,
                "lr": 1e-3,
                "heldout": 1,
                "eval_every": 2,
                "eval_attempts": 2,
                "checkpoint_every": 2,
                "micro_batch_tokens": 600,
                "batch_size": 8,
                "threads": 1,
                "judge_workers": 2,
                "max_tests": 2,
                "few_shot": (),
                "temperature": ConstantT(value=1.2),
                "mask": MaskConfig(mode="correct_or_incomplete"),
                **values,
            }
        )

    return make


@pytest.fixture(scope="session")
def finished(
    make_config: MakeConfig, dataset: Path, tmp_path_factory: pytest.TempPathFactory
) -> Finished:
    """A run of four steps with a sweep, held-out tests and checkpoints at 2 and 4."""
    told: list[tuple[str, int, int | None, str]] = []

    def progress(stage: str, done: int, total: int | None, note: str = "") -> None:
        told.append((stage, done, total, note))

    config = make_config(
        temperature=DiversityT(candidates=(0.8, 1.2), target=0.2, prompts=2, guard=None)
    )
    folder = tmp_path_factory.mktemp("run") / "train"
    return Finished(config, folder, train(config, dataset, folder, progress), told)
