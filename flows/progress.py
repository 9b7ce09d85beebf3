"""Progress for people: live bars on a terminal, a line now and then in a log."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from pipelines.stage import Progress as StageProgress

# transformers' own bars would write through ours; read when it is first imported, later than this
os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")

#: Seconds between two lines about the same stage where there is no terminal.
LOG_EVERY = 10.0


@contextlib.contextmanager
def shown_progress(console: Console) -> Iterator[StageProgress]:
    """A progress callback for stage functions: bars on a terminal, else lines.

    >>> with shown_progress(Console(quiet=True)) as progress:
    ...     progress("verify", 3, 40, "sum")
    """
    if not console.is_terminal:
        yield LineProgress(lambda line: console.print(line, highlight=False))
        return
    with Progress(
        SpinnerColumn(finished_text="[green]✓"),
        TextColumn("{task.description:14}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("/"),
        TimeRemainingColumn(),
        TextColumn("[dim]{task.fields[note]}"),
        console=console,
    ) as bars:
        tasks: dict[str, TaskID] = {}

        def update(stage: str, done: int, total: int | None, note: str = "") -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total, note="")
            bars.update(tasks[stage], completed=done, total=total, note=note)

        yield update


class LineProgress:
    """Progress as lines through `emit`: the first and last of each stage, else one in
    :data:`LOG_EVERY` seconds."""

    def __init__(self, emit: Callable[[str], object], every: float = LOG_EVERY) -> None:
        self.emit = emit
        self.every = every
        self._last: dict[str, float] = {}
        self._said: dict[str, str] = {}

    def __call__(self, stage: str, done: int, total: int | None, note: str = "") -> None:
        now = time.monotonic()
        finished = total is not None and done >= total
        if not finished and now - self._last.get(stage, float("-inf")) < self.every:
            return
        self._last[stage] = now
        line = f"{stage}: {done}" + (f"/{total}" if total is not None else "")
        line += f" {note}" if note else ""
        if self._said.get(stage) != line:
            self._said[stage] = line
            self.emit(line)
