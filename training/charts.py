"""Small charts as inline SVG, drawn with matplotlib's own figure objects (no pyplot state)."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

BLUE, ORANGE, GREEN, GREY = "#2f6db3", "#d9822b", "#3d8f5f", "#8a8f98"
_COLOURS = (BLUE, ORANGE, GREEN, "#8e5ea2", "#c0504d", GREY)
_STYLE: Any = {
    "svg.hashsalt": "microcoder",  # the same data gives the same bytes
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e4e6ea",
    "axes.edgecolor": GREY,
    "axes.axisbelow": True,
}


def line_chart(
    title: str,
    series: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    band: tuple[Sequence[float], Sequence[float], Sequence[float]] | None = None,
    ylabel: str = "",
) -> str:
    """Lines over training steps. `series` maps a name to (steps, values); `band` is
    (steps, low, high), shaded."""
    with mpl.rc_context(_STYLE):
        figure, axes = _axes()
        if band is not None:
            axes.fill_between(*band, color=BLUE, alpha=0.15, linewidth=0)
        for (name, (steps, values)), colour in zip(series.items(), _COLOURS, strict=False):
            marker = "o" if len(steps) <= 40 else None
            axes.plot(steps, values, color=colour, marker=marker, markersize=3.5, label=name)
        axes.set_xlabel("step")
        axes.set_ylabel(ylabel)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        if len(series) > 1:
            axes.legend(frameon=False, fontsize=8)
        return _svg(figure, axes, title)


def stacked_bars(
    title: str, steps: Sequence[float], parts: Mapping[str, Sequence[float]], ylabel: str
) -> str:
    """One bar a step, split into parts (seconds per phase)."""
    with mpl.rc_context(_STYLE):
        figure, axes = _axes()
        below = [0.0] * len(steps)
        for (name, values), colour in zip(parts.items(), _COLOURS, strict=False):
            axes.bar(steps, values, bottom=below, color=colour, label=name, width=0.8)
            below = [b + v for b, v in zip(below, values, strict=True)]
        axes.set_ylim(0, max(below, default=1.0) * 1.2 or 1.0)  # room for the legend
        axes.set_xlabel("step")
        axes.set_ylabel(ylabel)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.legend(frameon=False, fontsize=8, ncols=len(parts), loc="upper left")
        return _svg(figure, axes, title)


def histogram(title: str, labels: Sequence[str], counts: Sequence[int], xlabel: str) -> str:
    """Bars over given bins, counts written on them."""
    with mpl.rc_context(_STYLE):
        figure, axes = _axes()
        bars = axes.bar(range(len(labels)), counts, color=BLUE, width=0.85)
        axes.bar_label(bars, labels=[str(c) if c else "" for c in counts], fontsize=8)
        axes.set_xticks(range(len(labels)), labels, fontsize=8)
        axes.set_xlabel(xlabel)
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        return _svg(figure, axes, title)


def _axes() -> tuple[Figure, mpl.axes.Axes]:
    figure = Figure(figsize=(5.2, 2.9), layout="constrained")
    return figure, figure.add_subplot()


def _svg(figure: Figure, axes: mpl.axes.Axes, title: str) -> str:
    axes.set_title(title, fontsize=10, loc="left")
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None}, transparent=True)
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    # the namespace declarations are the only URLs in it; RDF metadata would name more
    return re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
