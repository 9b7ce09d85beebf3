"""`microcoder doctor`: what works on this machine; `microcoder doctor dataset PATH`: what is wrong
with a public data set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

if TYPE_CHECKING:
    from curation.audit import Audit

doctor_app = typer.Typer(
    name="doctor",
    invoke_without_command=True,
    no_args_is_help=False,
    rich_markup_mode="markdown",
    help="Say what works on this machine and how to mend what doesn't.\n\nExit status 1 when "
    "something needed is broken, as where programs could not be run isolated.\n\n"
    "Example: `microcoder doctor`, `microcoder doctor dataset TACO/`",
)


@doctor_app.callback(invoke_without_command=True)
def doctor(ctx: typer.Context) -> None:
    """The machine, when no data set is named."""
    if ctx.invoked_subcommand is not None:
        return
    from flows.doctor import checks

    console, failed = Console(), False
    for check in checks():
        mark = {"ok": "[green]ok  [/]", "missing": "[yellow]--  [/]", "bad": "[red]BAD [/]"}
        console.print(f"{mark[check.state]} {check.name}: {check.found}", soft_wrap=True)
        if check.remedy:
            console.print(f"      {check.remedy}", soft_wrap=True, style="dim", markup=False)
        failed |= check.state == "bad"
    if failed:
        raise typer.Exit(1)


@doctor_app.command()
def dataset(
    path: Annotated[str, typer.Argument(help="JSONL[.gz], Parquet, a folder, or hf://org/name.")],
    source: Annotated[
        str | None, typer.Option(help="Its schema; default: told by its columns.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many rows.")] = None,
    run_solutions: Annotated[
        int, typer.Option(min=0, help="Run the solutions of so many rows in the sandbox.")
    ] = 0,
    out: Annotated[Path | None, typer.Option(help="Also write the report, JSON.")] = None,
) -> None:
    """What is wrong with a data set: tests of the wrong kind, error texts as answers, lost
    superscripts, answers that need a special judge, ...

    Example: `microcoder doctor dataset TACO/train.parquet --run-solutions 100`
    """
    from curation.audit import audit, write_audit
    from flows.progress import shown_progress

    console = Console()
    with shown_progress(console) as progress:
        report = audit(path, source, limit, run_solutions, progress)
    if out is not None:
        write_audit(report, out)
    _print(console, report)


def _print(console: Console, report: Audit) -> None:
    from rich.table import Table
    from rich.text import Text

    kinds = ", ".join(f"{n} {kind}" for kind, n in sorted(report.kinds.items()))
    console.print(
        f"{report.source}: {report.rows} rows, {report.problems} problems with {report.tests} "
        f"tests ({kinds}), {report.refused} refused, {report.solutions_run} solutions run",
        highlight=False,
        soft_wrap=True,
    )
    table = Table()
    for name in ("finding", "rows", "items", "what to do, and examples"):
        table.add_column(name, justify="right" if name in ("rows", "items") else "left")
    for f in sorted(report.findings.values(), key=lambda f: (-f.rows, f.kind)):
        lines = [f.remedy, *(f"{i}: {w}" for i, w in f.examples)]
        table.add_row(f.kind, str(f.rows), str(f.items), Text("\n".join(lines)))
    console.print(table)
