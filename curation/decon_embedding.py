"""An optional signal for paraphrases: cosine similarity of text embeddings.

Any encoder or decoder that transformers reads from a local folder: the last hidden states are
averaged over a text's tokens, the benchmark's mean is taken away (the texts of one kind all point
one way: Mu and Viswanath, "All-but-the-top", 2018), and what is left is scaled to length 1. A
decoder that was never trained for it ranks worse than a sentence encoder; measure before you trust
a threshold (docs/decontaminate.md).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from curation.benchmark import Benchmark, BenchmarkError

Vectors = npt.NDArray[np.float32]


class Neighbours:
    """The benchmarks' vectors, and which problem of each a text is nearest to. Raises
    BenchmarkError for a benchmark without text (the shipped ones are hashes)."""

    def __init__(self, benchmarks: Sequence[Benchmark], model: str) -> None:
        for benchmark in benchmarks:
            if not benchmark.texts:
                raise BenchmarkError(
                    f"benchmark {benchmark.name!r} is shipped as hashes, without the text that "
                    "embedding_model needs; give the benchmark's own file instead of the name"
                )
        from difficulty.embedding import Embedder  # which wants torch

        self._embed = Embedder(model)
        self.sha256 = self._embed.sha256
        self._vectors = [self._embed(benchmark.texts) for benchmark in benchmarks]
        self._centres = [vectors.mean(0) for vectors in self._vectors]
        self._units = [
            unit(vectors - centre)
            for vectors, centre in zip(self._vectors, self._centres, strict=True)
        ]

    def __call__(self, texts: Sequence[str]) -> list[list[tuple[int, float]]]:
        """For each benchmark and text the nearest problem (its position) and their cosine."""
        vectors = self._embed(texts)
        found = []
        for centre, units in zip(self._centres, self._units, strict=True):
            cosines = unit(vectors - centre) @ units.T
            best = cosines.argmax(1)
            top = cosines[np.arange(len(texts)), best]
            # a text without tokens is near to nothing
            top = np.where(vectors.any(1), top, -1.0)
            found.append(list(zip(best.tolist(), top.tolist(), strict=True)))
        return found


def unit(vectors: Vectors) -> Vectors:
    """The vectors scaled to length 1; zeros stay.

    >>> unit(np.array([[3.0, 4.0], [0.0, 0.0]], np.float32)).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.maximum(length, np.float32(1e-12))


def neighbours(benchmarks: Sequence[Benchmark], model: str | None) -> Neighbours | None:
    """The benchmarks' neighbours where a model is configured."""
    return Neighbours(benchmarks, model) if model else None
