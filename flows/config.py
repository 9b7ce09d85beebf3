"""The one config file of a run: sources, a section per stage, and the training table."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field

from curation.benchmark import known_benchmark, shipped, window_start
from curation.decontaminate import DecontaminateConfig
from curation.dedup import DedupConfig
from curation.normalize import NormalizeConfig
from curation.verify import VerifyConfig
from difficulty.models import EMBEDDED, check_model
from difficulty.probe import ProbeConfig
from difficulty.select import SelectConfig
from pipelines.config import ConfigError, StageConfig, load_toml, parse_config
from pipelines.crawl import SourceConfig, source_path
from pipelines.publish import PublishConfig, require_token

if TYPE_CHECKING:
    from training.config import TrainConfig


class BuildConfig(StageConfig):
    """A run. `name` is the default run folder runs/<name>; `seed` is the seed of every stage
    that does not set its own; `train` is the table of `microcoder train`."""

    name: str = Field(pattern=r"^[\w.-]+$")
    seed: int = 0
    source: tuple[SourceConfig, ...] = Field(min_length=1)
    normalize: NormalizeConfig = NormalizeConfig()
    dedup: DedupConfig = DedupConfig()
    decontaminate: DecontaminateConfig = DecontaminateConfig()
    verify: VerifyConfig = VerifyConfig()
    probe: ProbeConfig = ProbeConfig()
    select: SelectConfig = SelectConfig()
    publish: PublishConfig = PublishConfig()
    train: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class RunConfig:
    """A checked config with the file it came from. `base` is the folder that relative paths in
    it are relative to."""

    build: BuildConfig
    path: Path
    text: str

    @property
    def base(self) -> Path:
        """The folder of the config file."""
        return self.path.parent

    def run_dir(self, run: Path | None) -> Path:
        """The run folder: the one asked for, else runs/<name>."""
        return run if run is not None else Path("runs") / self.build.name

    def train(self) -> TrainConfig:
        """The training table merged with its preset, checked."""
        from training.config import load_train_config

        table = dict(self.build.train or {})
        table.setdefault("seed", self.build.seed)
        return load_train_config(table, f"{self.path} [train]")


def load_config(path: Path) -> RunConfig:
    """Read and check a config before any work starts. Raises ConfigError naming file and key.

    >>> # load_config(Path("examples/configs/quickstart.toml")).build.name
    """
    data = load_toml(path)
    seed = data.get("seed", 0)
    for section, field in BuildConfig.model_fields.items():
        fields = getattr(field.annotation, "model_fields", {})
        if "seed" in fields and isinstance(data.setdefault(section, {}), dict):
            data[section].setdefault("seed", seed)
    _relative_to_file(data, path.parent)
    config = RunConfig(parse_config(data, BuildConfig, str(path)), path, path.read_text("utf-8"))
    if config.build.train is not None:
        config.train()
    return config


def _relative_to_file(data: dict[str, Any], base: Path) -> None:
    """Paths that exist beside the config file are meant from there, as those of sources are."""
    for section, key in (("decontaminate", "benchmark"), ("probe", "model"), ("train", "model")):
        table = data.get(section)
        value = table.get(key) if isinstance(table, dict) else None
        if isinstance(value, str):
            data[section][key] = _beside(value, base)
        elif isinstance(value, list):  # several benchmarks
            data[section][key] = [_beside(v, base) if isinstance(v, str) else v for v in value]


def _beside(value: str, base: Path) -> str:
    """The path with its window, if any, from `base` where that exists; else `value`."""
    name = window_start(value)
    path, window = value[:name], value[name:]
    if path in (*shipped(), EMBEDDED):
        return value
    beside = base / Path(path).expanduser()
    return f"{beside}{window}" if beside.exists() else value


def check_inputs(config: RunConfig, stages: Collection[str]) -> None:
    """Everything that the named stages read must be there before the first one starts. Raises
    SourceError for a source, ConfigError for the benchmark, ModelError for a model."""
    for source in config.build.source:
        source_path(config.base, source)
    for benchmark in config.build.decontaminate.benchmark:
        if not known_benchmark(benchmark):
            raise ConfigError(
                f"{config.path}: key 'decontaminate.benchmark': {benchmark!r} is neither shipped "
                f"({', '.join(shipped())}) nor a file of benchmark rows"
            )
    if "probe" in stages:
        check_model(config.build.probe.model)
    if "publish" in stages and config.build.publish.repo_id is not None:
        require_token()
