"""What the Prefect flows share: a task per stage, progress in the flow's log, the funnel as an
artifact. Caching stays with the stages (by content), so Prefect's own is off."""

from __future__ import annotations

from pathlib import Path

from prefect import get_run_logger, task
from prefect.artifacts import create_markdown_artifact
from prefect.cache_policies import NO_CACHE

from flows.config import RunConfig
from flows.progress import LineProgress
from flows.stages import Stage, finished_results, write_funnel
from flows.training import train_run
from pipelines.stage import StageResult


@task(
    task_run_name="{stage.name}",
    retries=1,
    retry_delay_seconds=10,
    cache_policy=NO_CACHE,
    persist_result=False,
)
def run_stage_task(stage: Stage, config: RunConfig, run: Path) -> StageResult:
    """One stage. A retry goes on where the first try was."""
    logger = get_run_logger()
    result = stage.call(config, run, LineProgress(logger.info))
    logger.info(
        "%s: %d in, %d kept, %d dropped %s in %.1f s%s",
        result.stage,
        result.n_in,
        result.kept,
        result.dropped,
        result.reasons or "",
        result.seconds,
        " (reused)" if result.reused else "",
    )
    results = finished_results(run)
    write_funnel(run, results)
    return result


@task(name="train", retries=1, retry_delay_seconds=10, cache_policy=NO_CACHE, persist_result=False)
def train_task(config: RunConfig, run: Path) -> bool:
    """Training and report; True when there was something to train."""
    return train_run(config, run, progress=LineProgress(get_run_logger().info))


def publish_funnel_artifact(config: RunConfig, results: list[StageResult]) -> None:
    """The funnel on the flow run's page."""
    rows = [
        f"| {r.stage} | {r.n_in} | {r.kept} | {r.dropped} | "
        f"{', '.join(f'{k} {n}' for k, n in r.reasons.items())} | {r.seconds:.1f} |"
        for r in results
    ]
    head = "| stage | in | kept | dropped | because | seconds |\n|---|---:|---:|---:|---|---:|\n"
    create_markdown_artifact(
        markdown=head + "\n".join(rows),
        key=f"funnel-{config.build.name.lower().replace('_', '-').replace('.', '-')}",
        description=f"Funnel of run {config.build.name}",
    )


def gains_artifact(config: RunConfig, run: Path) -> None:
    """The gain per step on the flow run's page."""
    from training.report import read_gains

    rows = [
        f"| {g.step} | {g.pass_at_1:.3f} | {g.low:.3f} - {g.high:.3f} | {g.gain:+.3f} |"
        for g in read_gains(run)
    ]
    create_markdown_artifact(
        markdown="| step | pass@1 | 95 % interval | gain |\n|---:|---:|---|---:|\n"
        + "\n".join(rows),
        key=f"gains-{config.build.name.lower().replace('_', '-').replace('.', '-')}",
        description=f"Held-out gain per step of run {config.build.name}",
    )
