"""The embedded model, and a tiny random one with its tokenizer for whatever weights don't matter
to. Tests that use them are marked `lm`."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from difficulty.models import resolve_model

MakeTiny = Callable[..., Any]


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    """Threads that wait for each other are slow where tests share the cores."""
    if importlib.util.find_spec("torch"):
        import torch

        torch.set_num_threads(1)


@pytest.fixture(scope="session")
def smollm2() -> Path:
    """The folder of the converted model (converted here when the cache has none)."""
    pytest.importorskip("torch")
    return resolve_model("smollm2")


@pytest.fixture(scope="session")
def tokenizer(smollm2: Path) -> Any:
    """SmolLM2's tokenizer."""
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(smollm2)


@pytest.fixture(scope="session")
def make_tiny() -> MakeTiny:
    """A function (config values) -> random Llama, the same every time."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    def make(**values: Any) -> Any:
        torch.manual_seed(0)
        config = LlamaConfig(
            **{
                "vocab_size": 1000,
                "hidden_size": 32,
                "intermediate_size": 64,
                "num_hidden_layers": 2,
                "num_attention_heads": 4,
                "num_key_value_heads": 2,
                "max_position_embeddings": 256,
                "initializer_range": 0.5,  # far from uniform: a wrong position shows
                "eos_token_id": 2,
                "bos_token_id": 1,
                "pad_token_id": 2,
                **values,
            }
        )
        return LlamaForCausalLM(config).eval()

    return make
