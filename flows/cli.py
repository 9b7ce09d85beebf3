"""The `microcoder` command. Heavy imports live inside the commands, so `--help` answers at once."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from typer.core import TyperGroup

from flows.cli_crawl import crawl
from flows.cli_decontaminate import decontaminate
from flows.cli_doctor import doctor_app
from flows.cli_inspect import inspect

if TYPE_CHECKING:
    from flows.judging import Evaluation
    from pipelines.stage import StageResult


class Interrupted(Exception):
    """Ctrl-C in a command; typer would end without a word."""


class _Commands(TyperGroup):
    def invoke(self, ctx: Any) -> Any:
        """Run the command that was named."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise Interrupted(str(ctx.invoked_subcommand)) from None


app = typer.Typer(
    name="microcoder",
    cls=_Commands,
    help="Build a competitive-programming dataset and train a code model on it with "
    "MicroCoder-GRPO.\n\nA whole run: `microcoder build --config FILE`, then "
    "`microcoder train --config FILE`.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)
out_console = Console()
app.command()(crawl)
app.command()(decontaminate)
app.command()(inspect)
app.add_typer(doctor_app)

Inputs = Annotated[
    list[Path], typer.Option("--input", help="Shard folder or Parquet file; may be repeated.")
]
Out = Annotated[Path, typer.Option("--out", help="Folder to write.")]
ConfigFile = Annotated[Path, typer.Option("--config", help="TOML file of the run.")]
RunDir = Annotated[
    Path | None, typer.Option("--run", help="Run folder; default runs/<name of the config>.")
]
PolicyName = Annotated[
    str,
    typer.Option(
        "--policy", help="Comparison: robust, strict (LiveCodeBench's) or apps (APPS/TACO's)."
    ),
]
IsolateName = Annotated[
    str,
    typer.Option("--isolate", help="What gets a process of its own: each solution, or each test."),
]
TierName = Annotated[
    str,
    typer.Option(
        "--weakest-tier", help="Least isolation to accept: A, B or C (see `microcoder doctor`)."
    ),
]


def main() -> None:
    """Run the command. Exit status 0 done, 1 failed, 2 wrong usage, 130 interrupted."""
    try:
        app(standalone_mode=True)
    except (KeyboardInterrupt, Interrupted) as e:
        # its verdicts are kept until all are there: a file of some would pass for the whole
        anew = str(e) in ("judge", "evaluate")
        rest = "nothing was written" if anew else "the same command goes on where it was"
        _say(f"interrupted; {rest}")
        sys.exit(130)
    except Exception as e:
        status = _known_error(e)
        if status is None:
            raise
        said = f"{e.filename}: {e.strerror}" if isinstance(e, OSError) and e.filename else e
        _say(f"error: {said}")
        sys.exit(status)


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def _known_error(e: Exception) -> int | None:
    """The exit status of an error that a message explains; None for a fault of ours."""
    wrong_usage = {"ConfigError", "SourceError", "MissingInputError", "BenchmarkError"}
    failed = {
        "ShardError",
        "FetchError",
        "ListingError",
        "StoreError",
        "UnknownProblemError",
        "StageError",
        "ProblemError",
        "RunBusyError",
        "ModelError",
        "SamplerError",
        "SandboxError",
        "TrainError",
        "ReportError",
    }
    names = {c.__name__ for c in type(e).__mro__}
    if names & wrong_usage:
        return 2
    if names & failed or isinstance(e, PermissionError) or (isinstance(e, OSError) and e.filename):
        return 1
    return None


@app.command()
def build(
    config: ConfigFile,
    run: RunDir = None,
    start: Annotated[
        str | None, typer.Option("--from", help="Make this stage and all after it anew.")
    ] = None,
    until: Annotated[str | None, typer.Option(help="Stop after this stage.")] = None,
) -> None:
    """Build the dataset: crawl, normalize, dedup, decontaminate, verify, probe, select, publish.

    Finished stages are found and not done again; a killed run goes on where it was.

    Example: `microcoder build --config examples/configs/quickstart.toml --until verify`
    """
    from flows.config import load_config
    from flows.progress import shown_progress
    from flows.stages import build as build_run

    checked = load_config(config)
    run_dir = checked.run_dir(run)
    with shown_progress(out_console) as progress:
        results = build_run(checked, run_dir, start, until, progress)
    print_funnel(results)
    last = results[-1]
    out_console.print(f"{last.stage}: {last.kept} problems in {last.out}", soft_wrap=True)


@app.command("import")
def import_(
    path: Annotated[str | None, typer.Argument(help="File or folder of the source.")] = None,
    source: Annotated[str, typer.Option(help="Registered source, e.g. problem_package.")] = ...,  # type: ignore[assignment]
    out: Out = ...,  # type: ignore[assignment]
    limit: Annotated[int | None, typer.Option(min=1, help="Take the first N rows.")] = None,
) -> None:
    """Read any source into Problem shards; refused rows go to OUT/dropped with the reason.

    Example: `microcoder import --source problem_package examples/problems --out /tmp/shards`
    """
    from flows.progress import shown_progress
    from pipelines.config import parse_config
    from pipelines.crawl import SourceConfig, import_source

    parse_config({"name": source, "path": path}, SourceConfig, "microcoder import")
    with shown_progress(out_console) as progress:
        result = import_source(source, path, out, limit, progress)
    print_funnel([result])


@app.command()
def dedup(
    inputs: Inputs,
    out: Out,
    threshold: Annotated[float | None, typer.Option(help="Jaccard threshold.")] = None,
    index: Annotated[Path | None, typer.Option(help="Folder that knows earlier runs.")] = None,
) -> None:
    """Drop duplicates by id, text (exact Jaccard of word 5-grams) and tests; label siblings.

    Example: `microcoder dedup --input a/ --input b/ --out deduped/`
    """
    from curation.dedup import DedupConfig
    from curation.dedup import dedup as stage

    _standalone(stage, inputs, out, DedupConfig, {"threshold": threshold, "index": index})


@app.command()
def probe(
    inputs: Inputs,
    out: Out,
    model: Annotated[str, typer.Option(help="'smollm2', a model folder, or a Hub name.")],
    k: Annotated[int | None, typer.Option(help="Samples a problem.")] = None,
    temperature: Annotated[float | None, typer.Option(help="Sampling temperature.")] = None,
    max_new_tokens: Annotated[int | None, typer.Option(help="Longest answer, tokens.")] = None,
) -> None:
    """Measure a model's pass rate on every problem, with a 95 % interval.

    Example: `microcoder probe --input clean/ --model smollm2 --k 4 --out probed/`
    """
    from difficulty.probe import ProbeConfig
    from difficulty.probe import probe as stage

    options = {
        "model": model,
        "k": k,
        "temperature": temperature,
        "max_new_tokens": max_new_tokens,
    }
    _standalone(stage, inputs, out, ProbeConfig, options)


def _standalone(
    stage: Any, inputs: list[Path], out: Path, config: Any, options: dict[str, Any]
) -> None:
    """Run one stage outside a run folder with the options that were given."""
    from flows.progress import shown_progress
    from pipelines.config import parse_config

    given = {k: v for k, v in options.items() if v is not None}
    checked = parse_config(given, config, f"microcoder {stage.__name__}")
    with shown_progress(out_console) as progress:
        result = stage(inputs, out, checked, progress=progress)
    print_funnel([result])


@app.command()
def judge(
    problems: Annotated[
        Path, typer.Option(help="Problems: JSONL (docs/formats.md), a shard folder or Parquet.")
    ],
    solutions: Annotated[Path, typer.Option(help="Solutions, JSONL: problem_id, code.")],
    out: Annotated[Path, typer.Option(help="Verdicts, JSONL, one line a solution.")],
    workers: Annotated[int | None, typer.Option(min=1, help="Default: one a core.")] = None,
    policy: PolicyName = "robust",
    isolate: IsolateName = "solution",
    weakest_tier: TierName = "A",
) -> None:
    """Judge solutions in the sandbox, every test of each; one verdict a line.

    The file appears when all are judged: a command that was stopped starts anew.

    Example: `microcoder judge --problems p.jsonl --solutions s.jsonl --out verdicts.jsonl`
    """
    from flows.judging import judge_files, judge_options
    from flows.progress import shown_progress

    options = judge_options(workers, policy, isolate, weakest_tier)
    with shown_progress(out_console) as progress:
        counts = judge_files(problems, solutions, out, options, progress)
    for verdict, n in counts.most_common():
        out_console.print(f"{verdict}: {n}")


@app.command()
def evaluate(
    problems: Annotated[
        Path, typer.Option(help="Problems: JSONL (docs/formats.md), a shard folder or Parquet.")
    ],
    solutions: Annotated[
        Path, typer.Option(help="Solutions, JSONL: problem_id, code; any number a problem.")
    ],
    out: Annotated[Path | None, typer.Option(help="Also write the result, JSON.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Default: one a core.")] = None,
    policy: PolicyName = "robust",
    isolate: IsolateName = "solution",
    weakest_tier: TierName = "A",
) -> None:
    """Pass@1 of solutions with a 95 % interval, with and without the benchmark's known errata.

    Example: `microcoder evaluate --problems lcb.jsonl --solutions answers.jsonl --out result.json`
    """
    from flows.judging import evaluate_files, judge_options
    from flows.progress import shown_progress

    options = judge_options(workers, policy, isolate, weakest_tier)
    with shown_progress(out_console) as progress:
        result = evaluate_files(problems, solutions, out, options, progress)
    print_evaluation(result)


@app.command()
def train(
    config: ConfigFile,
    run: RunDir = None,
    resume: Annotated[
        bool, typer.Option(help="Go on from the last checkpoint (--no-resume starts anew).")
    ] = True,
) -> None:
    """Train on the run's dataset with the config's [train] table, then write the report.

    Example: `microcoder train --config examples/configs/quickstart.toml`
    """
    from flows.config import load_config
    from flows.progress import shown_progress
    from flows.training import train_run

    checked = load_config(config)
    run_dir = checked.run_dir(run)
    with shown_progress(out_console) as progress:
        train_run(checked, run_dir, resume, progress)
    print_gains(run_dir)
    _print_report_path(run_dir)


@app.command()
def report(run: Annotated[Path, typer.Argument(help="Run folder.")]) -> None:
    """Write train/report.html of a run: one page, no external requests.

    Example: `microcoder report runs/quickstart`
    """
    from training.report import write_report

    write_report(run)
    _print_report_path(run)


def print_funnel(results: list[StageResult]) -> None:
    """The funnel as a table."""
    from rich.table import Table

    table = Table(title="Funnel")
    table.add_column("stage")
    for name in ("in", "kept", "dropped", "seconds", "peak MB"):
        table.add_column(name, justify="right")
    table.add_column("dropped because")
    for r in results:
        reasons = ", ".join(f"{reason} {n}" for reason, n in r.reasons.items())
        table.add_row(
            r.stage,
            str(r.n_in),
            str(r.kept),
            str(r.dropped),
            f"{r.seconds:.1f}" + (" (reused)" if r.reused else ""),
            f"{r.peak_mb:.0f}",
            reasons,
        )
    out_console.print(table)


def print_evaluation(result: Evaluation) -> None:
    """Pass@1 in words, and the verdicts."""

    def rate(name: str, values: dict[str, float], n: int) -> None:
        low, high = values["low"], values["high"]
        out_console.print(
            f"{name}: {values['pass_at_1']:.3f} ({low:.3f} - {high:.3f}) over {n} problem"
            + ("s" if n != 1 else ""),
            highlight=False,
        )

    whole = {"pass_at_1": result.pass_at_1, "low": result.low, "high": result.high}
    rate("pass@1", whole, len(result.rates))
    if result.without_errata is not None:
        rate(
            "pass@1 without errata",
            result.without_errata,
            len(result.rates) - len(result.errata),
        )
    elif result.errata:
        out_console.print("all of them are errata of the benchmark:")
    for name, row in result.errata.items():
        _detail(f"{name}: {row.kind}. {row.reason}")
    if result.unanswered:
        out_console.print(f"problems without a solution, left out: {result.unanswered}")
    for verdict, n in result.verdicts.most_common():
        note = " (left out)" if verdict == "judge_error" else ""
        out_console.print(f"{verdict}: {n}{note}")
    for name, reason in list(result.reasons.items())[:_SHOWN]:
        _detail(f"{name}: {reason}")
    if len(result.reasons) > _SHOWN:
        _detail(f"... and {len(result.reasons) - _SHOWN} more problems; --out names all")


#: Problems that could not be judged, named on the terminal.
_SHOWN = 10


def _detail(text: str) -> None:
    out_console.print(f"  {text}", style="dim", soft_wrap=True, markup=False, highlight=False)


def print_gains(run: Path) -> None:
    """The gain per step as a table."""
    from rich.table import Table

    from training.report import read_gains

    table = Table(title="Gain per step (held-out pass@1)")
    for name in ("step", "pass@1", "95 % interval", "gain", "gain per step", "hours"):
        table.add_column(name, justify="right")
    for g in read_gains(run):
        table.add_row(
            str(g.step),
            f"{g.pass_at_1:.3f}",
            f"{g.low:.3f} - {g.high:.3f}",
            f"{g.gain:+.3f}",
            f"{g.gain_per_step:+.4f}" if g.step else "",
            f"{g.hours:.2f}",
        )
    out_console.print(table)


def _print_report_path(run: Path) -> None:
    out_console.print(f"report: {run / 'train' / 'report.html'}", soft_wrap=True)
