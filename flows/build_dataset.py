"""Flow `build-dataset`: every stage of a config as a task."""

from __future__ import annotations

from pathlib import Path

from prefect import flow

from flows.config import load_config
from flows.prefect_tasks import publish_funnel_artifact, run_stage_task
from flows.stages import forget_from, locked, plan, prepare_run


@flow(name="build-dataset", log_prints=True)
def build_dataset(
    config: str = "examples/configs/quickstart.toml",
    run: str | None = None,
    from_stage: str | None = None,
    until_stage: str | None = None,
) -> str:
    """Build the dataset of a config file. Returns the folder of the last stage.

    config: path of the TOML file. run: run folder (default runs/<name>). from_stage: make this
    stage and all after it anew. until_stage: stop after this stage.
    """
    checked = load_config(Path(config))
    run_dir = checked.run_dir(Path(run) if run else None)
    stages = plan(from_stage, until_stage)
    prepare_run(checked, run_dir, stages)
    with locked(run_dir):
        if from_stage is not None:
            forget_from(run_dir, from_stage)
        results = [run_stage_task(stage, checked, run_dir) for stage in stages]
    publish_funnel_artifact(checked, results)
    return str(results[-1].out)


if __name__ == "__main__":
    build_dataset()
