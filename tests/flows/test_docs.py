"""The documents name every config key, and the shipped configs are valid."""

from __future__ import annotations

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
