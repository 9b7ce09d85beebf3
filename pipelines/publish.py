"""Publish problems as a Hugging Face dataset: a folder that `datasets` loads, with its card, and
on request a commit on the Hub.

    >>> # publish([Path("runs/demo/07-select")], Path("runs/demo/dataset"), PublishConfig(), facts)
    >>> # datasets.load_dataset("runs/demo/dataset")["train"]
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined
from pydantic import Field, field_validator

from pipelines.config import ConfigError, StageConfig
from pipelines.funnel import SourceFunnel
from pipelines.problem import SCHEMA, Problem
from pipelines.shards import ROW_GROUP_BYTES, ShardInfo, write_text_atomic
from pipelines.stage import (
    Layout,
    Progress,
    StageContext,
    StageResult,
    no_progress,
    run_stage,
)


class PublishConfig(StageConfig):
    """`repo_id` (user/name) pushes the folder to the Hub after it is written; the token comes
    from HF_TOKEN or `hf auth login`, never from a config file."""

    title: str = "MicroCoder-Dataset"
    repo_id: str | None = None
    private: bool = True
    max_shard_mb: int = Field(default=400, ge=1, le=500)

    @field_validator("repo_id")
    @classmethod
    def _repo_id(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch(r"[\w.-]+/[\w.-]+", value):
            raise ValueError("must read 'user-or-organisation/dataset-name'")
        return value


@dataclass(frozen=True, slots=True)
class CardFacts:
    """What the card tells beside the rows themselves: the funnel of the stages before, in all
    and source by source, how the rows were decontaminated (a sentence), and the config that makes
    them again."""

    funnel: Sequence[StageResult] = ()
    decontamination: str = ""
    config_text: str = ""
    version: str = ""
    sources: Sequence[SourceFunnel] = ()


@dataclass(slots=True)
class _Totals:
    problems: int = 0
    tests: int = 0
    sources: Counter[str] = field(default_factory=Counter)
    licences: Counter[tuple[str, str]] = field(default_factory=Counter)
    styles: Counter[str] = field(default_factory=Counter)
    text_bytes: int = 0

    def add(self, p: Problem) -> None:
        self.problems += 1
        self.tests += len(p.tests)
        self.sources[p.source] += 1
        self.licences[(p.source, p.licence or "unknown")] += 1
        self.styles["function" if p.fn_name else "stdin"] += 1


def publish(
    inputs: Sequence[Path],
    out: Path,
    config: PublishConfig,
    facts: CardFacts | None = None,
    progress: Progress = no_progress,
) -> StageResult:
    """Write `data/train-00000-of-0000N.parquet` and README.md (the card) into `out`.

    Every input row is published. Raises ConfigError before any work when a repository is
    configured but no token can be found.
    """
    facts = facts or CardFacts()
    if config.repo_id is not None:
        require_token()
    totals = _Totals()

    def decide(problems: Any, ctx: StageContext) -> Any:
        for p in problems:
            totals.add(p)
            yield p
        ctx.extra["sources"] = dict(sorted(totals.sources.items()))
        ctx.extra["tests"] = totals.tests

    def finish(folder: Path, infos: Sequence[ShardInfo]) -> None:
        write_text_atomic(folder / "README.md", render_card(totals, config, facts, infos))

    result = run_stage(
        "publish",
        inputs,
        out,
        config,
        decide,
        rooms=("pipelines",),
        progress=progress,
        key_extra=[
            facts.decontamination,
            facts.config_text,
            [_plain(r) for r in facts.funnel],
            repr(facts.sources),
        ],
        layout=Layout(
            folder="data",
            prefix="train",
            # a shard is closed after the row group that fills it, so stop one group early
            shard_bytes=max(1, config.max_shard_mb * 10**6 - ROW_GROUP_BYTES),
            numbered_of=True,
            finish=finish,
        ),
    )
    if config.repo_id is not None:
        push(out, config.repo_id, private=config.private)
    return result


def render_card(
    totals: _Totals, config: PublishConfig, facts: CardFacts, infos: Sequence[ShardInfo]
) -> str:
    """The dataset card as Markdown with the Hub's YAML front matter."""
    env = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    text = files("pipelines").joinpath("card.md.j2").read_text("utf-8")
    env.filters["cell"] = _cell
    return env.from_string(text).render(
        config=config,
        facts=facts,
        totals=totals,
        shards=infos,
        size_category=_size_category(totals.problems),
        columns=[(f.name, str(f.type).split("<")[0].replace("large_", "")) for f in SCHEMA],
    )


def _cell(text: str) -> str:
    """Text from a row in a table's cell: it must neither end the cell nor become markup."""
    return re.sub(r"([\\`*_|<>\[\]])", r"\\\1", " ".join(text.split()))


def _plain(r: StageResult) -> list[Any]:
    return [r.stage, r.n_in, r.kept, r.dropped, r.reasons]


def _size_category(n: int) -> str:
    for bound, name in ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K")):
        if n < bound:
            return name
    return "100K<n<1M"


def hub_token() -> str | None:
    """The Hub token of this machine, or None."""
    from huggingface_hub import get_token

    return os.environ.get("HF_TOKEN") or get_token()


def require_token() -> str:
    """The Hub token, or ConfigError that says how to get one."""
    token = hub_token()
    if not token:
        raise ConfigError(
            "key 'publish.repo_id' is set but there is no Hub token; set HF_TOKEN or run "
            "`hf auth login` (write access), or remove the key to only write the folder"
        )
    return token


def push(folder: Path, repo_id: str, private: bool = True) -> str:
    """Upload a published folder as one commit (readers see all of it or nothing) and return the
    commit's URL. A repository that already holds the same bytes gets no new commit."""
    from huggingface_hub import HfApi

    api = HfApi(token=require_token())
    api.create_repo(repo_id, repo_type="dataset", private=private, exist_ok=True)
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    commit = api.upload_folder(
        folder_path=folder,
        repo_id=repo_id,
        repo_type="dataset",
        allow_patterns=["README.md", "data/*.parquet"],
        delete_patterns=["data/*.parquet"],
        commit_message=f"MicroCoder: {manifest['rows']} problems",
    )
    return str(commit.commit_url)
