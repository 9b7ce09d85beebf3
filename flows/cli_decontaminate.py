"""`microcoder decontaminate`: on our shards, and on anybody's JSONL and Parquet files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from curation.decontaminate import DecontaminateConfig


def decontaminate(
    inputs: Annotated[
        list[Path],
        typer.Option("--input", help="Shard folder, Parquet or JSONL file; may be repeated."),
    ],
    out: Annotated[Path, typer.Option("--out", help="Folder to write.")],
    benchmark: Annotated[
        list[str] | None,
        typer.Option(
            help="lcb-v5 (default), humaneval, mbpp, or a file of benchmark rows; may be repeated."
        ),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option("--from", metavar="DATE", help="Benchmark problems from that day on."),
    ] = None,
    end: Annotated[
        str | None, typer.Option("--to", metavar="DATE", help="Benchmark problems to that day.")
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD=COLUMN",
            help="Columns of the input: statement, id, title, url, platform, released_at, tests.",
        ),
    ] = None,
    benchmark_column: Annotated[
        list[str] | None,
        typer.Option(metavar="FIELD=COLUMN", help="The same for a benchmark file."),
    ] = None,
    source: Annotated[
        str, typer.Option(help="Judge or data set that the input's ids are of, e.g. codeforces.")
    ] = "row",
    siblings: Annotated[
        str | None, typer.Option(help="drop (default) or keep what only resembles a problem.")
    ] = None,
    cutoff: Annotated[
        str | None, typer.Option(metavar="DATE", help="Drop rows released on that day or later.")
    ] = None,
    embedding_model: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="Model for the embedding signal (needs microcoder[lm] and a benchmark file).",
        ),
    ] = None,
    embedding_threshold: Annotated[
        float | None, typer.Option(help="Cosine from which a row is contaminated (0.95).")
    ] = None,
) -> None:
    """Drop what a benchmark tests, with the evidence: identity, title, text and tests in common.

    Shards give shards. Other files are split into OUT/kept and OUT/dropped as they are, with
    OUT/verdicts.jsonl and OUT/report.json.

    Example: `microcoder decontaminate --input train.parquet --column statement=prompt --benchmark
    lcb-v5 --from 2024-08-01 --out clean/`
    """
    from curation.decontaminate import DecontaminateConfig, load_benchmarks
    from flows.cli import out_console
    from pipelines.config import parse_config

    options = {
        "benchmark": benchmark,
        "benchmark_columns": _pairs(benchmark_column, "--benchmark-column"),
        "date_from": start,
        "date_to": end,
        "siblings": siblings,
        "cutoff": cutoff,
        "embedding_model": embedding_model,
        "embedding_threshold": embedding_threshold,
    }
    given = {k: v for k, v in options.items() if v}
    config = parse_config(given, DecontaminateConfig, "microcoder decontaminate")
    columns = _pairs(column, "--column")
    for loaded in load_benchmarks(config):
        out_console.print(f"against {loaded.title}", soft_wrap=True, highlight=False)
    if not columns and all(map(_holds_problems, inputs)):
        _on_shards(inputs, out, config)
    else:
        _on_files(inputs, out, config, columns, source)


def _pairs(values: list[str] | None, option: str) -> dict[str, str]:
    """FIELD=COLUMN options as a dict."""
    from pipelines.config import ConfigError

    found = {}
    for value in values or ():
        field, equals, column = value.partition("=")
        if not (field and equals and column):
            raise ConfigError(f"{option} {value!r} is not FIELD=COLUMN, e.g. statement=prompt")
        found[field.strip()] = column.strip()
    return found


def _holds_problems(path: Path) -> bool:
    """Whether an input is our shards; what is not there is for the stage to report."""
    from curation.decon_tables import is_parquet, table_columns
    from pipelines.problem import SCHEMA

    if not path.is_file():
        return True
    return is_parquet(path) and set(SCHEMA.names) <= set(table_columns(path))


def _on_shards(inputs: list[Path], out: Path, config: DecontaminateConfig) -> None:
    from curation.decontaminate import decontaminate as stage
    from flows.cli import out_console, print_funnel
    from flows.progress import shown_progress

    with shown_progress(out_console) as progress:
        result = stage(inputs, out, config, progress)
    print_funnel([result])


def _on_files(
    inputs: list[Path],
    out: Path,
    config: DecontaminateConfig,
    columns: dict[str, str],
    source: str,
) -> None:
    from curation.decon_files import decontaminate_files
    from flows.cli import out_console
    from flows.progress import shown_progress

    with shown_progress(out_console) as progress:
        report: dict[str, Any] = decontaminate_files(inputs, out, config, columns, source, progress)
    reasons = ", ".join(f"{reason} {n}" for reason, n in report["dropped"].items()) or "none"
    for name, chosen in report["columns"].items():
        read = ", ".join(f"{field}={c}" for field, c in chosen.items())
        out_console.print(f"{name}: read {read}", soft_wrap=True, highlight=False, markup=False)
    out_console.print(
        f"{report['rows']} rows, {report['kept']} kept, dropped: {reasons}; see {out}/report.json "
        f"and {out}/verdicts.jsonl",
        soft_wrap=True,
        highlight=False,
        markup=False,
    )
