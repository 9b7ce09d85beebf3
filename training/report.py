"""report.html: one self-contained page about a run, made from the files in its folder."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

from pipelines.funnel import funnel_by_source, run_folders
from pipelines.shards import Shards, write_text_atomic


class ReportError(RuntimeError):
    """A run folder from which no report can be made."""


@dataclass(frozen=True, slots=True)
class Gain:
    """Held-out pass@1 at a step with its 95 % interval; gain against step 0 (absolute points);
    hours of training until then. `errata`: held-out problems that their benchmark's errata name,
    and pass@1 without them (None when there are none)."""

    step: int
    pass_at_1: float
    low: float
    high: float
    gain: float
    gain_per_step: float
    hours: float
    without_errata: float | None = None
    errata: int = 0


def write_report(run: Path) -> Path:
    """Write `run`/train/report.html and return its path. Raises ReportError when the folder holds
    neither a funnel nor metrics.

    >>> # write_report(Path("runs/quickstart"))
    """
    if not run.is_dir():
        raise ReportError(f"{run}: no such run folder")
    funnel = _json(run / "funnel.json") or []
    metrics = read_jsonl(run / "train" / "metrics.jsonl")
    if not funnel and not metrics:
        raise ReportError(
            f"{run}: neither funnel.json nor train/metrics.jsonl; is this a run folder? "
            "Run `microcoder build` first"
        )
    gains = read_gains(run)
    config = run / "config.toml"
    env = Environment(undefined=StrictUndefined, autoescape=True, trim_blocks=True)
    text = files("training").joinpath("report.html.j2").read_text("utf-8")
    html = env.from_string(text).render(
        title=run.resolve().name,
        lead=_lead(funnel, metrics),
        facts=_facts(funnel, metrics, gains),
        gains=gains,
        errata=max((g.errata for g in gains), default=0),
        training_charts=_training_charts(run, metrics, gains),
        temperature=_temperature(run),
        funnel=funnel,
        sources=funnel_by_source(run_folders(run)),
        difficulty=_difficulty(run),
        config_text=config.read_text("utf-8") if config.exists() else "",
    )
    out = run / "train" / "report.html"
    write_text_atomic(out, html)
    return out


def read_gains(run: Path) -> list[Gain]:
    """One Gain per held-out evaluation of a run, in step order."""
    evaluations = read_jsonl(run / "train" / "evaluations.jsonl")
    timings = read_jsonl(run / "train" / "timings.jsonl")
    gains: list[Gain] = []
    for e in sorted(evaluations, key=lambda e: int(e["step"])):
        first = gains[0].pass_at_1 if gains else e["pass_at_1"]
        step, gain = int(e["step"]), e["pass_at_1"] - first
        seconds = sum(_phases(t)["total"] for t in timings if int(t["step"]) <= step)
        gains.append(
            Gain(
                step=step,
                pass_at_1=e["pass_at_1"],
                low=e["low"],
                high=e["high"],
                gain=gain,
                gain_per_step=gain / step if step else 0.0,
                hours=seconds / 3600,
                without_errata=e.get("pass_at_1_without_errata"),
                errata=int(e.get("errata", 0)),
            )
        )
    return gains


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSONL file; none when it does not exist. A line cut off by a crash is
    left out."""
    if not path.exists():
        return []
    rows = []
    for line in path.read_text("utf-8").splitlines():
        try:
            rows.append(json.loads(line))
        except ValueError:
            break
    return rows


def _json(path: Path) -> Any:
    return json.loads(path.read_text("utf-8")) if path.exists() else None


def _phases(timing: dict[str, Any]) -> dict[str, float]:
    """Seconds by phase of one timings.jsonl line, with their sum as `total`."""
    phases = {k: float(v) for k, v in timing["seconds"].items() if k != "total"}
    return phases | {"total": sum(phases.values())}


def _lead(funnel: Sequence[dict[str, Any]], metrics: Sequence[dict[str, Any]]) -> str:
    parts = []
    if funnel:
        parts.append(f"{funnel[0]['n_in']} rows read, {funnel[-1]['kept']} published")
    if metrics:
        parts.append(f"{metrics[-1]['step']} training steps")
    return "; ".join(parts)


def _facts(
    funnel: Sequence[dict[str, Any]], metrics: Sequence[dict[str, Any]], gains: Sequence[Gain]
) -> list[tuple[str, str]]:
    facts = []
    if funnel:
        facts.append(("problems published", str(funnel[-1]["kept"])))
    if metrics:
        facts.append(("training steps", str(metrics[-1]["step"])))
        facts.append(("mean reward, last step", f"{metrics[-1]['reward_mean']:.3f}"))
    if gains:
        facts.append(("held-out pass@1", f"{gains[-1].pass_at_1:.3f}"))
        facts.append(("gain", f"{gains[-1].gain:+.3f}"))
    return facts


def _training_charts(
    run: Path, metrics: Sequence[dict[str, Any]], gains: Sequence[Gain]
) -> list[str]:
    if not metrics:
        return []
    from training.charts import line_chart, stacked_bars

    def series(key: str) -> tuple[list[float], list[float]]:
        rows = [m for m in metrics if m.get(key) is not None]
        return [m["step"] for m in rows], [float(m[key]) for m in rows]

    charts = [line_chart("Reward", {"mean reward": series("reward_mean")}, ylabel="share passed")]
    if gains:
        steps = [g.step for g in gains]
        held_out = line_chart(
            "Held-out pass@1",
            {"pass@1": (steps, [g.pass_at_1 for g in gains])},
            band=(steps, [g.low for g in gains], [g.high for g in gains]),
        )
        charts.append(held_out)
    for title, key, unit in (
        ("Length", "length_mean", "tokens"),
        ("Diversity D", "diversity", "unique / all 4-grams"),
        ("Temperature", "temperature", ""),
        ("Entropy", "entropy", "nats per token"),
    ):
        if series(key)[0]:
            charts.append(line_chart(title, {key: series(key)}, ylabel=unit))
    shares = {
        name: series(key)
        for name, key in (("truncated", "truncated_share"), ("masked", "masked_share"))
        if series(key)[0]
    }
    if shares:
        charts.append(line_chart("Truncated and masked answers", shares, ylabel="share"))
    timings = [t for t in read_jsonl(run / "train" / "timings.jsonl") if t["step"]]
    if timings:
        names = sorted({p for t in timings for p in _phases(t)} - {"total"})
        parts = {n: [_phases(t).get(n, 0.0) for t in timings] for n in names}
        steps_timed = [t["step"] for t in timings]
        charts.append(stacked_bars("Time per phase", steps_timed, parts, "seconds"))
    return charts


def _temperature(run: Path) -> dict[str, Any] | None:
    data = _json(run / "train" / "temperature.json")
    if data is None:
        return None
    rows = data.get("table") or []
    columns = list(rows[0]) if rows else []
    cells = [[f"{v:.3f}" if isinstance(v, float) else str(v) for v in r.values()] for r in rows]
    return {"sentence": data.get("decision", ""), "columns": columns, "rows": cells}


def _difficulty(run: Path) -> list[str]:
    folder = run / "06-probe"
    if not (folder / "manifest.json").exists():
        return []
    from training.charts import histogram

    rates = [
        row["probes"][-1]["pass_rate"]
        for row in Shards([folder], check=False).rows(["probes"])
        if row["probes"]
    ]
    if not rates:
        return []
    bins = Counter(0 if r == 0 else min(10, int(r * 10) + 1) for r in rates)
    labels = ["0", *(f"≤.{i}" if i < 10 else "≤1" for i in range(1, 11))]
    counts = [bins[i] for i in range(11)]
    return [histogram("Problems by pass rate", labels, counts, "pass rate of the probed model")]
