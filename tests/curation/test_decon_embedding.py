"""The optional embedding signal, with a small model of random weights: equal texts get equal
vectors whatever the weights are."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from curation.benchmark import BenchmarkError, load_benchmark
from curation.decon_embedding import Neighbours
from curation.decon_files import decontaminate_files
from curation.decon_items import Item
from curation.decon_match import MatchConfig, match
from curation.decontaminate import DecontaminateConfig
from pipelines.config import ConfigError

STATEMENTS = [
    "Count the pairs of lamps whose brightness differs by at most k.",
    "A frog jumps over stones; find the least number of jumps to the far bank.",
    "Given a string of brackets, print the length of its longest balanced prefix.",
]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch = pytest.importorskip("torch")
    from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

    from difficulty.models import resolve_model

    tokenizer = AutoTokenizer.from_pretrained(resolve_model("smollm2"))
    torch.manual_seed(0)
    size = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1}
    heads = {"num_attention_heads": 2, "num_key_value_heads": 2}
    model = LlamaForCausalLM(LlamaConfig(vocab_size=len(tokenizer), **size, **heads))
    folder = tmp_path_factory.mktemp("model") / "encoder"
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bench") / "own.jsonl"
    rows = [{"id": f"own/{i}", "statement": s} for i, s in enumerate(STATEMENTS)]
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    return path


def test_the_nearest_problem_and_its_cosine(encoder: Path, bench: Path) -> None:
    near = Neighbours([load_benchmark(bench)], str(encoder))
    ((first, second, nothing),) = near([STATEMENTS[1], "Print the sum of two integers.", ""])
    assert first[0] == 1
    assert first[1] == pytest.approx(1.0, abs=1e-4)
    assert second[1] < 0.99
    assert nothing[1] == -1.0


def test_a_batch_gives_what_one_by_one_gives(encoder: Path, bench: Path) -> None:
    from difficulty.embedding import Embedder

    embed = Embedder(str(encoder))
    texts = [*STATEMENTS, "", "x " * 2000, "x"]
    alone = np.concatenate([embed([t]) for t in texts])
    np.testing.assert_allclose(embed(texts), alone, atol=1e-5)


def test_a_verdict_names_the_embedding(encoder: Path, bench: Path) -> None:
    benchmark = load_benchmark(bench)
    near = Neighbours([benchmark], str(encoder))
    copy, other = Item("x/1", STATEMENTS[2]), Item("x/2", "Print the sum of two integers.")
    config = MatchConfig(embedding_threshold=0.99)
    verdict, clean = match([benchmark], [copy, other], config, nearest=near)
    assert clean is None
    assert verdict is not None
    assert "embedding" in verdict.signals
    assert verdict.evidence()["cosine"] == pytest.approx(1.0, abs=1e-3)
    # the signal alone is enough
    blind = match([benchmark], [Item("x/1", "zz")], config, nearest=lambda texts: [[(2, 0.995)]])
    assert [(v.kind, v.row, v.signals) for v in blind if v] == [("contaminated", 2, ("embedding",))]


def test_files_are_split_by_it(encoder: Path, bench: Path, tmp_path: Path) -> None:
    rows = [{"id": i, "statement": s} for i, s in enumerate([STATEMENTS[0], "Print two lines."])]
    path = tmp_path / "train.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    config = DecontaminateConfig(
        benchmark=(str(bench),), embedding_model=str(encoder), embedding_threshold=0.99
    )
    report = decontaminate_files([path], tmp_path / "out", config)
    assert (report["kept"], report["dropped"]) == (1, {"contaminated": 1})
    assert report["signals"]["embedding"] == 1


def test_hashes_have_no_embedding(encoder: Path) -> None:
    with pytest.raises(BenchmarkError, match=r"lcb-v5.*own file"):
        Neighbours([load_benchmark("lcb-v5")], str(encoder))


def test_a_model_that_is_not_there(bench: Path) -> None:
    pytest.importorskip("torch")
    with pytest.raises(ConfigError, match=r"embedding_model.*nowhere"):
        Neighbours([load_benchmark(bench)], "/nowhere")
