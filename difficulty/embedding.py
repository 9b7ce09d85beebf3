"""Embeddings of texts: the mean of a model's last hidden states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pipelines.config import ConfigError

Vectors = npt.NDArray[np.float32]

#: Tokens of a text that are read: what statements say of their task stands first.
MAX_TOKENS = 512
#: Tokens, padding included, in one forward pass.
BATCH_TOKENS = 8192


class Embedder:
    """Turns texts into vectors. `model`: a folder with a model and its tokenizer, or 'smollm2'
    for the embedded one. `sha256` is the model's. Raises ConfigError where torch or the model is
    missing."""

    def __init__(self, model: str) -> None:
        try:
            import torch
            from transformers import AutoModel, AutoTokenizer
        except ImportError as e:
            raise ConfigError(
                f"embedding_model {model!r} needs torch and transformers ({e}); install "
                "microcoder[lm]"
            ) from e
        from difficulty.models import ModelError, model_hash, resolve_model

        try:
            folder = resolve_model(model)
            self._tokenizer: Any = AutoTokenizer.from_pretrained(folder)
            self._model: Any = AutoModel.from_pretrained(
                folder, dtype=torch.float32, use_safetensors=True
            )
        except (OSError, ValueError, ModelError) as e:
            raise ConfigError(
                f"embedding_model {model!r}: {e}; give a folder with a transformers model"
            ) from e
        self.sha256 = model_hash(folder)
        self._torch = torch
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self._model.to(self._device).eval()
        if self._tokenizer.pad_token_id is None:
            self._tokenizer.pad_token = self._tokenizer.eos_token

    def __call__(self, texts: Sequence[str]) -> Vectors:
        """Mean last hidden states, shape (texts, hidden size); zeros for a text without tokens."""
        ids = [
            self._tokenizer(text, truncation=True, max_length=MAX_TOKENS)["input_ids"]
            for text in texts
        ]
        out = np.zeros((len(texts), self._model.config.hidden_size), np.float32)
        waiting = sorted((i for i in range(len(ids)) if ids[i]), key=lambda i: (len(ids[i]), i))
        while waiting:
            most = max(1, BATCH_TOKENS // len(ids[waiting[-1]]))
            waiting, batch = waiting[:-most], waiting[-most:]
            out[batch] = self._forward([ids[i] for i in batch])
        return out

    def _forward(self, ids: Sequence[Sequence[int]]) -> Vectors:
        torch = self._torch
        width = max(map(len, ids))
        pad = self._tokenizer.pad_token_id or 0
        tokens = torch.tensor([[*row, *[pad] * (width - len(row))] for row in ids])
        mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in ids])
        tokens, mask = tokens.to(self._device), mask.to(self._device)
        with torch.inference_mode():
            states = self._model(input_ids=tokens, attention_mask=mask).last_hidden_state
        weights = mask.unsqueeze(-1).to(states.dtype)
        mean: Vectors = ((states * weights).sum(1) / weights.sum(1)).cpu().numpy()
        return mean
