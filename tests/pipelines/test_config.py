"""Configuration errors name the file, the key and the remedy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import Field, ValidationError

from pipelines.config import ConfigError, StageConfig, load_toml, parse_config


class Dedup(StageConfig):
    threshold: float = Field(0.8, gt=0, le=1)
    bands: int = 16


class Build(StageConfig):
    name: str
    dedup: Dedup = Dedup.model_validate({})
    sources: tuple[Dedup, ...] = ()


def fault(data: dict[str, Any], model: type[StageConfig] = Build) -> str:
    with pytest.raises(ConfigError) as e:
        parse_config(data, model, "my.toml")
    return str(e.value)


def test_a_good_config_is_typed_and_immutable() -> None:
    config = parse_config({"name": "x", "dedup": {"bands": 8}}, Build, "my.toml")
    assert config == Build(name="x", dedup=Dedup(threshold=0.8, bands=8))
    with pytest.raises(ValidationError):
        config.name = "y"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"treshold": 0.9}, "my.toml: unknown key 'treshold'; did you mean 'threshold'?"),
        ({"zzz": 1}, "my.toml: unknown key 'zzz'; known keys: threshold, bands"),
        ({"bands": "many"}, "my.toml: key 'bands': Input should be a valid integer"),
        ({"threshold": 2.0}, "my.toml: key 'threshold': Input should be less than or equal to 1"),
    ],
)
def test_one_line_says_what_is_wrong(data: dict[str, Any], message: str) -> None:
    assert fault(data, Dedup).startswith(message)


def test_nested_keys_are_named_in_full() -> None:
    assert fault({"name": "x", "dedup": {"band": 1}}) == (
        "my.toml: unknown key 'dedup.band'; did you mean 'bands'?"
    )
    assert "unknown key 'sources.1.band'; did you mean 'bands'?" in fault(
        {"name": "x", "sources": [{}, {"band": 1}]}
    )


def test_all_faults_are_reported_at_once() -> None:
    assert fault({"dedup": {"bands": "x"}, "nam": "x"}).splitlines() == [
        "my.toml: key 'name' is missing",
        "my.toml: key 'dedup.bands': Input should be a valid integer, unable to parse string as an "
        "integer (found 'x')",
        "my.toml: unknown key 'nam'; did you mean 'name'?",
    ]


def test_the_file_itself(tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    with pytest.raises(ConfigError, match=r"my\.toml: no such config file"):
        load_toml(path)
    path.write_text("a = \n")
    with pytest.raises(ConfigError, match=r"my\.toml: not valid TOML: .*line 1"):
        load_toml(path)
    path.write_bytes(b'a = "\xff"')
    with pytest.raises(ConfigError, match=r"my\.toml: not valid TOML: .*0xff"):
        load_toml(path)
    with pytest.raises(ConfigError, match="is a folder"):
        load_toml(tmp_path)
    path.write_text("[dedup]\nbands = 3\n")
    assert load_toml(path) == {"dedup": {"bands": 3}}
