"""`microcoder inspect`: one problem's path through a run."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

if TYPE_CHECKING:
    from pipelines.trace import Step

_COLOURS = {"kept": "green", "dropped": "red", "merged": "yellow"}


def inspect(
    run: Annotated[Path, typer.Argument(help="Run folder, or one stage's folder.")],
    problem_id: Annotated[str, typer.Argument(metavar="ID", help="As in the shards: source/id.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead.")] = False,
) -> None:
    """One problem's path through every stage: what changed, where it went, the evidence.

    Example: `microcoder inspect runs/quickstart package/addnumbers`
    """
    from pipelines.config import ConfigError
    from pipelines.funnel import run_folders
    from pipelines.shards import MANIFEST
    from pipelines.trace import trace

    folders = [run] if (run / MANIFEST).is_file() else run_folders(run)
    if not folders:
        raise ConfigError(f"{run}: neither a run folder with funnel.json nor a stage's folder")
    steps = trace(folders, problem_id)
    if as_json:
        print(json.dumps([asdict(step) for step in steps], ensure_ascii=False, indent=1))
    else:
        _print(Console(), steps)


def _print(console: Console, steps: list[Step]) -> None:
    for step in steps:
        who = f"{step.id} " if step.outcome == "merged" else ""
        head = f"{step.folder}: {who}"
        console.print(head, end="", markup=False, highlight=False)
        console.print(f"{step.outcome} {step.reason}".strip(), style=_COLOURS[step.outcome])
        lines = [step.evidence_text] if step.evidence else []
        for line in [*lines, *step.changes]:
            console.print(f"    {line}", soft_wrap=True, markup=False, highlight=False, style="dim")
