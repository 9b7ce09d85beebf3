"""The documents name every config key, and the shipped configs are valid."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import BaseModel

from flows.config import BuildConfig, load_config
from pipelines.crawl import SourceConfig
from training.config import ConstantT, DiversityT, MaskConfig, StagedT, TrainConfig

REPO = Path(__file__).resolve().parents[2]
MODELS = [
    *(
        f.annotation
        for f in BuildConfig.model_fields.values()
        if hasattr(f.annotation, "model_fields")
    ),
    *(SourceConfig, TrainConfig, MaskConfig, ConstantT, StagedT, DiversityT),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.__name__)
def test_configuration_page_names_every_key(model: type[BaseModel]) -> None:
    page = (REPO / "docs" / "configuration.md").read_text()
    missing = [k for k in model.model_fields if f"`{k}`" not in page and f"train.{k}]" not in page]
    assert missing == []


@pytest.mark.parametrize("path", sorted((REPO / "examples" / "configs").glob("*.toml")), ids=str)
def test_shipped_configs_are_valid(path: Path) -> None:
    config = load_config(path)
    if config.build.train is not None:
        assert config.train().steps >= 1


def test_links_of_the_documents_resolve() -> None:
    import re

    for page in [REPO / "README.md", REPO / "CONTRIBUTING.md", *(REPO / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_evaluators_example_runs() -> None:
    page = (REPO / "docs" / "evaluator.md").read_text()
    example = page.split("```python\n")[1].split("```")[0]
    done = subprocess.run(
        [sys.executable, "-c", example], capture_output=True, text=True, timeout=60, check=True
    )
    first, *others = done.stdout.splitlines()
    assert first == "accepted exact"
    assert sorted(line[:14] for line in others[:2]) == ["0 accepted ", "1 wrong_answer"]
    assert (others[2], sorted(others[3:])) == ("True", ["0 accepted", "1 wrong_answer"])
