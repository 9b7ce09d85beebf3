"""Samplers: prompts as token ids in, completions as token ids out.

Every sampler is given its randomness: a run's seed and one key per prompt. A sample depends on
(seed, key, sample index) and not on what else is in the batch, up to the float noise of batched
matrix products.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from difficulty.models import ModelError, resolve_model

if TYPE_CHECKING:
    import torch

Message = dict[str, str]


class SamplerError(RuntimeError):
    """Sampling that can't be done as asked; the message says what to change."""


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer. `token_ids` include the end-of-sequence token when `finish_reason` is "stop";
    "length" means that the limit was reached before one. `text` has no special tokens."""

    token_ids: tuple[int, ...]
    text: str
    finish_reason: Literal["stop", "length"]


class Sampler(Protocol):
    """What the probe and the training loop need of a language model."""

    @property
    def stop_ids(self) -> frozenset[int]:
        """Token ids that end an answer."""

    @property
    def context_length(self) -> int:
        """Longest prompt plus answer, in tokens."""

    def encode(self, messages: list[Message]) -> list[int]:
        """Token ids of a chat up to where the assistant answers."""

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
        """`n` completions for each prompt (token ids), in the order of `prompts`. `keys` names the
        prompts: a sample depends on (seed, key, its index). Temperature 0 is greedy. An answer has
        at most `max_new_tokens` tokens, fewer where the context ends before (see :func:`room`).
        Raises SamplerError for a prompt that leaves no room in the context."""

    def close(self) -> None:
        """Free the model."""


def make_sampler(
    backend: str, model: str, batch_size: int = 32, threads: int | None = None
) -> Sampler:
    """A sampler by backend name: "transformers" (default everywhere) or "vllm" (extra). Raises
    ModelError or SamplerError.

    >>> # make_sampler("transformers", "smollm2").encode([{"role": "user", "content": "hi"}])
    """
    if backend == "transformers":
        return TransformersSampler(resolve_model(model), batch_size, threads)
    if backend == "vllm":
        from difficulty.vllm_sampler import VllmSampler

        return VllmSampler(resolve_model(model))
    raise SamplerError(f"unknown sampler backend {backend!r}; known: transformers, vllm")


def draw_seed(seed: int, key: str, sample: int) -> int:
    """The 63-bit seed of one sample: a hash of run seed, prompt key and sample index."""
    text = f"{seed}\0{key}\0{sample}".encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big") >> 1


def room(key: str, prompt_tokens: int, context: int, max_new_tokens: int) -> int:
    """Tokens that may be generated: the limit or what the context leaves. Raises SamplerError.

    >>> room("a/b", 100, 8192, 512), room("a/b", 8000, 8192, 512)
    (512, 192)
    """
    if max_new_tokens < 1:
        raise SamplerError(f"max_new_tokens must be at least 1, found {max_new_tokens}")
    left = min(max_new_tokens, context - prompt_tokens)
    if left < 1:
        raise SamplerError(
            f"prompt {key!r} has {prompt_tokens} tokens and the model's context is {context}: no "
            "room for an answer; drop the problem or take a model with a longer context"
        )
    return left


@dataclass(slots=True)
class _Row:
    """One completion being written."""

    prompt: int
    generator: torch.Generator
    limit: int
    ids: list[int] = field(default_factory=list)
    stopped: bool = False
    ended: bool = False

    def add(self, token: int, stop: frozenset[int]) -> None:
        self.ids.append(token)
        self.stopped = token in stop
        self.ended = self.stopped or len(self.ids) >= self.limit


class TransformersSampler:
    """Batched sampling with a Hugging Face causal LM, in process.

    `model` is a folder or a live (model, tokenizer) pair, so that training samples from the very
    module it updates. Each distinct prompt of a batch is run once and its key-value cache copied
    to its rows; rows that ended leave the batch. `batch_size` counts rows (answers) at once;
    `threads` sets torch's for the whole process.

    >>> # TransformersSampler((model, tokenizer), batch_size=64)
    """

    def __init__(
        self,
        model: Path | tuple[Any, Any],
        batch_size: int = 32,
        threads: int | None = None,
    ) -> None:
        if threads is not None:
            import torch

            torch.set_num_threads(threads)
        self.model, self.tokenizer = load_model(model) if isinstance(model, Path) else model
        self.batch_size = batch_size
        #: Called after every step with the number of tokens drawn: for whoever shows progress.
        self.on_tokens: Callable[[int], None] | None = None
        self._stop = _stop_ids(self.model, self.tokenizer)

    @property
    def stop_ids(self) -> frozenset[int]:
        """The tokenizer's end token and all of the generation config's."""
        return self._stop

    @property
    def context_length(self) -> int:
        """max_position_embeddings of the model."""
        return int(getattr(self.model.config, "max_position_embeddings", 2048))

    def encode(self, messages: list[Message]) -> list[int]:
        """The chat template with the generation prompt."""
        ids = self.tokenizer.apply_chat_template(
            messages, add_generation_prompt=True, tokenize=True, return_dict=False
        )
        return [int(i) for i in ids]

    def decode(self, ids: Sequence[int]) -> str:
        """Text without special tokens."""
        return str(self.tokenizer.decode(list(ids), skip_special_tokens=True))

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
        """See :class:`Sampler`. Prompts are taken shortest first, so that a batch has little
        padding; its borders depend on the prompts alone. A group may lie across a border: that
        costs one more run of its prompt, an underfilled batch would cost more."""
        if temperature < 0:
            raise SamplerError(f"temperature must not be negative, found {temperature}")
        if len(keys) != len(prompts):
            raise SamplerError(f"{len(prompts)} prompts need as many keys, found {len(keys)}")
        limits = [
            room(k, len(p), self.context_length, max_new_tokens)
            for k, p in zip(keys, prompts, strict=True)
        ]
        device = self.model.device
        rows = [
            _Row(i, _generator(device, draw_seed(seed, keys[i], s)), limits[i])
            for i in range(len(prompts))
            for s in range(n)
        ]
        short_first = sorted(rows, key=lambda r: len(prompts[r.prompt]))  # stable
        with _sampling(self.model):
            for start in range(0, len(rows), self.batch_size):
                self._run(short_first[start : start + self.batch_size], prompts, temperature, top_p)
        done = [self._completion(r) for r in rows]
        return [done[i * n : (i + 1) * n] for i in range(len(prompts))]

    def _completion(self, row: _Row) -> Completion:
        reason: Literal["stop", "length"] = "stop" if row.stopped else "length"
        return Completion(tuple(row.ids), self.decode(row.ids), reason)

    def _run(
        self,
        rows: list[_Row],
        prompts: Sequence[Sequence[int]],
        temperature: float,
        top_p: float,
    ) -> None:
        """Fill `rows` to their end."""
        import torch

        from difficulty.decoding import make_room

        distinct = sorted({r.prompt for r in rows})
        width = max(len(prompts[i]) for i in distinct)
        pad = self.tokenizer.pad_token_id or 0
        device = self.model.device
        ids = torch.full((len(distinct), width), pad, dtype=torch.long, device=device)
        mask = torch.zeros_like(ids)
        for j, i in enumerate(distinct):
            ids[j, width - len(prompts[i]) :] = torch.tensor(prompts[i], device=device)
            mask[j, width - len(prompts[i]) :] = 1
        # left padding: positions count real tokens only
        positions = (mask.cumsum(1) - 1).clamp(min=0)
        out = self.model(
            input_ids=ids,
            attention_mask=mask,
            position_ids=positions,
            use_cache=True,
            logits_to_keep=1,
        )
        of_prompt = torch.tensor([distinct.index(r.prompt) for r in rows], device=device)
        cache = out.past_key_values
        cache.batch_select_indices(of_prompt)
        make_room(cache)
        logits = out.logits[:, -1].index_select(0, of_prompt)
        mask = mask.index_select(0, of_prompt)
        position = positions[:, -1].index_select(0, of_prompt)
        batch = list(rows)
        while True:
            live = [j for j, r in enumerate(batch) if not r.ended]
            if len(live) < len(batch):
                logits = logits[live]
            drawn = _draw(logits, [batch[j].generator for j in live], temperature, top_p)
            for j, token in zip(live, drawn, strict=True):
                batch[j].add(token, self._stop)
            if self.on_tokens is not None:
                self.on_tokens(len(drawn))
            live = [j for j in live if not batch[j].ended]
            if not live:
                return
            if 8 * len(live) <= 7 * len(batch):
                # leaving copies the cache, so rows leave several at a time; until then an ended
                # row is fed its last token again
                index = torch.tensor(live, device=device)
                cache.batch_select_indices(index)
                mask, position = mask.index_select(0, index), position.index_select(0, index)
                batch = [batch[j] for j in live]
            position = (position + 1).clamp(max=self.context_length - 1)
            mask = torch.cat([mask, mask.new_ones(len(batch), 1)], dim=1)
            out = self.model(
                input_ids=torch.tensor([[r.ids[-1]] for r in batch], device=device),
                attention_mask=mask,
                position_ids=position.unsqueeze(1),
                past_key_values=cache,
                use_cache=True,
            )
            logits = out.logits[:, -1]

    def close(self) -> None:
        """Drop the model."""
        self.model = self.tokenizer = None


def _draw(
    logits: torch.Tensor, generators: Sequence[torch.Generator], temperature: float, top_p: float
) -> list[int]:
    """One token a row from logits [rows, vocabulary], in float32, each row with its generator."""
    import torch

    logits = logits.float()
    if bool(logits.isnan().any()):
        raise SamplerError(
            "the model's output is not a number (NaN): its weights are broken, or training has "
            "diverged; go back to an earlier checkpoint or lower the learning rate"
        )
    if temperature == 0:
        return [int(i) for i in logits.argmax(-1).tolist()]
    probabilities = torch.softmax(logits / temperature, dim=-1)
    if top_p < 1:
        ordered, order = probabilities.sort(descending=True, dim=-1)
        # keep the smallest set whose mass reaches top_p, the first token always
        outside = ordered.cumsum(-1) - ordered >= top_p
        probabilities = torch.zeros_like(probabilities).scatter(
            1, order, torch.where(outside, 0.0, ordered)
        )
    # an exponential race (the Gumbel trick): token i arrives at -log(u) / p_i, the first one wins
    # with probability p_i, and float noise in the logits matters only in a photo finish. In the
    # inverse of the cumulative distribution such noise would move every border
    race = torch.empty_like(probabilities)
    for row, generator in zip(race, generators, strict=True):
        row.uniform_(generator=generator)  # and one log for all: exponential_ takes 3 times as long
    return [int(i) for i in (probabilities / -race.log_()).argmax(-1).tolist()]


def _generator(device: torch.device, seed: int) -> torch.Generator:
    import torch

    return torch.Generator(device).manual_seed(seed)


@contextlib.contextmanager
def _sampling(model: Any) -> Iterator[None]:
    """Evaluation mode without gradients, decoding without needless copies; each module's mode
    before is restored. Not inference_mode, whose tensors could not enter a backward pass later."""
    import torch

    from difficulty.decoding import grouped_attention

    were_training = [m for m in model.modules() if m.training]
    model.eval()
    try:
        with torch.no_grad(), grouped_attention(model):
            yield
    finally:
        for module in were_training:
            module.training = True  # not .train(): that would also set the module's children


def _stop_ids(model: Any, tokenizer: Any) -> frozenset[int]:
    """Every id that ends an answer: models often have several, and missing one makes finished
    answers look truncated."""
    ids: set[int] = set()
    for found in (
        tokenizer.eos_token_id,
        getattr(model.generation_config, "eos_token_id", None),
        getattr(model.config, "eos_token_id", None),
    ):
        if isinstance(found, int):
            ids.add(found)
        elif found is not None:
            ids.update(int(i) for i in found)
    if not ids:
        raise SamplerError(
            "the model names no end-of-sequence token; set eos_token_id in its config"
        )
    return frozenset(ids)


def load_model(path: Path, dtype: str | None = None) -> tuple[Any, Any]:
    """(model, tokenizer) of a folder, on the GPU when there is one. `dtype` None: float32 on the
    CPU (bfloat16 is slow on CPUs without instructions for it), the weights' own on a GPU. Raises
    ModelError.

    >>> # model, tokenizer = load_model(resolve_model("smollm2"))
    """
    try:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer
    except ImportError as e:
        raise ModelError(
            f"sampling needs torch and transformers ({e}); install the extra: "
            "pip install 'microcoder[lm]' -c constraints.txt"
        ) from e
    device = "cuda" if torch.cuda.is_available() else "cpu"
    dtype = dtype or ("float32" if device == "cpu" else "auto")
    try:
        tokenizer = AutoTokenizer.from_pretrained(path)
        model: Any = AutoModelForCausalLM.from_pretrained(path, dtype=dtype)
    except (OSError, ValueError, KeyError) as e:
        raise ModelError(f"model folder {path} can't be loaded: {e}") from e
    if not tokenizer.chat_template:
        raise ModelError(
            f"model folder {path}: the tokenizer has no chat template, so it can't be asked; take "
            "an instruction-tuned model, or add chat_template.jinja to the folder"
        )
    model.to(device)
    model.eval()
    return model, tokenizer
