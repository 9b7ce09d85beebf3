"""The stages of a run in order, as plain function calls: the CLI loops over them, the Prefect
flows wrap each in a task. Nothing here knows of Prefect."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from curation.decontaminate import decontaminate
from curation.dedup import dedup
from curation.normalize import normalize
from curation.verify import verify
from difficulty.probe import probe
from difficulty.select import select
from flows.config import RunConfig, check_inputs
from pipelines.config import ConfigError
from pipelines.crawl import CrawlConfig, crawl
from pipelines.funnel import funnel_by_source
from pipelines.publish import CardFacts, publish
from pipelines.shards import write_json_atomic, write_text_atomic
from pipelines.stage import (
    Progress,
    StageResult,
    check_out,
    no_progress,
    read_result,
    timing_path,
)

FUNNEL = "funnel.json"


class RunBusyError(RuntimeError):
    """Another process works in the same run folder."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of a run: its name, its folder in the run, and the call."""

    name: str
    folder: str
    call: Callable[[RunConfig, Path, Progress], StageResult]


def _after(folder: str, name: str, stage: Callable[..., StageResult]) -> Callable[..., StageResult]:
    """A stage whose input is the folder of the one before and whose config section is `name`."""

    def call(config: RunConfig, run: Path, progress: Progress) -> StageResult:
        section = getattr(config.build, name)
        return stage([run / folder], run / BY_NAME[name].folder, section, progress=progress)

    return call


def _crawl(config: RunConfig, run: Path, progress: Progress) -> StageResult:
    return crawl(
        run / "01-crawl", CrawlConfig(source=config.build.source), config.base, progress=progress
    )


def _publish(config: RunConfig, run: Path, progress: Progress) -> StageResult:
    facts = CardFacts(
        funnel=[read_result(run / s.folder) for s in STAGES[:-1]],
        sources=funnel_by_source([run / s.folder for s in STAGES[:-1]]),
        decontamination=decontamination_statement(config, run),
        config_text=config.text,
        version=version("microcoder"),
    )
    return publish(
        [run / "07-select"], run / "dataset", config.build.publish, facts, progress=progress
    )


STAGES: tuple[Stage, ...] = (
    Stage("crawl", "01-crawl", _crawl),
    Stage("normalize", "02-normalize", _after("01-crawl", "normalize", normalize)),
    Stage("dedup", "03-dedup", _after("02-normalize", "dedup", dedup)),
    Stage("decontaminate", "04-decontaminate", _after("03-dedup", "decontaminate", decontaminate)),
    Stage("verify", "05-verify", _after("04-decontaminate", "verify", verify)),
    Stage("probe", "06-probe", _after("05-verify", "probe", probe)),
    Stage("select", "07-select", _after("06-probe", "select", select)),
    Stage("publish", "dataset", _publish),
)
BY_NAME = {s.name: s for s in STAGES}


def plan(start: str | None = None, until: str | None = None) -> list[Stage]:
    """The stages to run up to and with `until`; `start` only has to be a stage before it."""
    names = [s.name for s in STAGES]
    for option, value in (("--from", start), ("--until", until)):
        if value is not None and value not in names:
            raise ConfigError(f"{option} {value!r} is not a stage; stages: {', '.join(names)}")
    if start and until and names.index(start) > names.index(until):
        raise ConfigError(f"--from {start} comes after --until {until}")
    return list(STAGES[: names.index(until) + 1] if until else STAGES)


def forget_from(run: Path, start: str) -> None:
    """Delete the results of a stage and of all after it, so that they are made anew."""
    for stage in STAGES[[s.name for s in STAGES].index(start) :]:
        out = run / stage.folder
        check_out(out)
        shutil.rmtree(out, ignore_errors=True)
        timing_path(out).unlink(missing_ok=True)


def prepare_run(config: RunConfig, run: Path, stages: Sequence[Stage] = ()) -> None:
    """Make the run folder and put the config in it, after every check that needs no work."""
    check_inputs(config, {s.name for s in stages})
    try:
        run.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise ConfigError(f"run folder {run} can't be made ({e.strerror}); choose another") from e
    write_text_atomic(run / "config.toml", config.text)


def build(
    config: RunConfig,
    run: Path,
    start: str | None = None,
    until: str | None = None,
    progress: Progress = no_progress,
) -> list[StageResult]:
    """Run the stages in order; finished work is found and not done again. Returns one result a
    stage; funnel.json in the run folder holds the same."""
    stages = plan(start, until)
    prepare_run(config, run, stages)
    with locked(run):
        if start is not None:
            forget_from(run, start)
        results = []
        for stage in stages:
            results.append(stage.call(config, run, progress))
            write_funnel(run, results)
        return results


def write_funnel(run: Path, results: list[StageResult]) -> None:
    """funnel.json: per stage in, kept, dropped by reason, seconds, peak MB, its own figures."""
    rows: list[dict[str, Any]] = []
    for r in results:
        row = asdict(r)
        row["out"] = r.out.name
        del row["reused"]
        rows.append(row)
    write_json_atomic(run / FUNNEL, rows)


def finished_results(run: Path) -> list[StageResult]:
    """The results of the stages that this run folder holds, in order."""
    return [
        read_result(run / s.folder) for s in STAGES if (run / s.folder / "manifest.json").exists()
    ]


def dataset_hash(run: Path) -> str:
    """The identity of a published dataset: sha256 over the hashes of its shards."""
    digest = hashlib.sha256()
    for path in sorted((run / "dataset" / "data").glob("*.parquet")):
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


@contextlib.contextmanager
def locked(run: Path) -> Iterator[None]:
    """One process at a time in a run folder; the lock goes with the process."""
    with (run / ".lock").open("w") as f:
        try:
            fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RunBusyError(
                f"{run}: another microcoder process works in this run folder; wait for it, or "
                "choose another with --run"
            ) from None
        yield


def decontamination_statement(config: RunConfig, run: Path) -> str:
    """One paragraph for the card: against what, how, how many hits."""
    c = config.build.decontaminate
    result = read_result(run / "04-decontaminate")
    against = "; ".join(
        f"`{b['name']}` ({b['problems']} problems)" for b in result.extra["benchmarks"]
    )
    hits = ", ".join(f"{n} {reason}" for reason, n in sorted(result.reasons.items())) or "none"
    return (
        f"Compared with {against} by problem identity (platform id, title), by containment of "
        f"hashed word 5-grams of the statements, weighted by rarity (threshold {c.threshold}), and "
        f"by input/output pairs in common (from {c.min_tests}). {result.n_in} rows compared, "
        f"{result.dropped} dropped ({hits}). Paraphrases and translations that keep neither text "
        "nor tests are not detected."
    )
