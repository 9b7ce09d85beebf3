"""How a stage runs: read shards, decide on every row, write kept and dropped, balance the books.

A stage is a function `decide(problems, ctx)` that yields one :class:`Problem` (kept) or
:class:`Dropped` for every input row, in an order that depends only on the input. Everything else
(finding finished work by content, atomic output, journals for slow stages, the funnel's figures)
is here.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from pydantic import BaseModel

from pipelines.config import ConfigError
from pipelines.problem import DROPPED_SCHEMA, Dropped, Problem
from pipelines.shards import (
    MANIFEST,
    SHARD_BYTES,
    ShardError,
    ShardInfo,
    Shards,
    ShardWriter,
    check_shards,
    fsync_dir,
    naming_full_disk,
    read_manifest,
    write_json_atomic,
    write_manifest,
)

Decision = Problem | Dropped


class StageError(RuntimeError):
    """A stage that can't run or whose books don't balance."""


class Progress(Protocol):
    """What a stage tells whoever watches: the stage's name, rows done, rows in all (None when
    that is not known yet), and a short note."""

    def __call__(self, stage: str, done: int, total: int | None, note: str = "") -> None: ...


def no_progress(stage: str, done: int, total: int | None, note: str = "") -> None:
    """Say nothing."""


@dataclass(slots=True)
class StageResult:
    """What a stage made. `extra` is its own part of the report; `reused` is True when finished
    work was found; `seconds` and `peak_mb` are those of the run that did the work."""

    stage: str
    out: Path
    n_in: int
    kept: int
    dropped: int
    reasons: dict[str, int]
    extra: dict[str, Any]
    seconds: float
    peak_mb: float
    reused: bool = False


class Journal:
    """Results of slow work, one JSON line each, so that a killed stage goes on where it was.

    Lines are keyed by the caller; a line cut off by a crash is ignored and overwritten. The
    journal belongs to one stage key (inputs, config, code) and is thrown away with any other.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.entries: dict[str, Any] = {}
        good = 0
        if path.exists():
            raw = path.read_bytes()
            for line in raw.splitlines(keepends=True):
                try:
                    if not line.endswith(b"\n"):
                        break
                    entry = json.loads(line)
                    self.entries[entry["key"]] = entry["value"]
                except (ValueError, KeyError, TypeError):
                    break
                good += len(line)
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("ab")
        self._file.truncate(good)

    def get(self, key: str) -> Any | None:
        """The stored value, or None."""
        return self.entries.get(key)

    def put(self, key: str, value: Any) -> None:
        """Store a JSON value durably."""
        self.entries[key] = value
        line = json.dumps({"key": key, "value": value}, ensure_ascii=False)
        with naming_full_disk(self.path):
            self._file.write(line.encode("utf-8", "backslashreplace") + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file; what `put` could not write it has already reported."""
        with contextlib.suppress(OSError):
            self._file.close()


@dataclass(slots=True)
class StageContext:
    """What `decide` gets beside the problems: put report figures that depend only on the input
    into `extra` (never times), slow results into `journal`, and call `progress`."""

    stage: str
    journal: Journal
    progress: Progress = no_progress
    extra: dict[str, Any] = field(default_factory=dict)


def code_hash(*rooms: str) -> str:
    """sha256 over the Python sources of the named rooms: finished work is not reused after the
    code that made it changed."""
    root = Path(__file__).resolve().parent.parent
    digest = hashlib.sha256()
    for room in sorted(rooms):
        for path in sorted((root / room).rglob("*.py")):
            digest.update(path.relative_to(root).as_posix().encode() + b"\0")
            digest.update(path.read_bytes())
    return digest.hexdigest()


def stage_key(stage: str, config: BaseModel, inputs: Any, rooms: Sequence[str]) -> str:
    """The identity of a piece of work: inputs (hashes), config and code."""
    text = json.dumps(
        [stage, config.model_dump(mode="json"), inputs, code_hash(*rooms)], sort_keys=True
    )
    return hashlib.sha256(text.encode()).hexdigest()


def work_dir(out: Path) -> Path:
    """Where a stage keeps its journal and unfinished output: beside `out`, hidden."""
    return out.parent / f".{out.name}.work"


def check_out(out: Path, inputs: Sequence[Path] = ()) -> None:
    """Raises ConfigError when writing the stage's folder `out` would destroy something: the
    folder is replaced as a whole when the stage is done.

    >>> check_out(Path.cwd())
    Traceback (most recent call last):
    pipelines.config.ConfigError: output folder ...
    """
    real = out.resolve()
    what = f"output folder {out}"
    if real.exists() and not real.is_dir():
        raise ConfigError(f"{what} is a file; choose another name")
    parent = next(p for p in real.parents if p.exists())
    if not parent.is_dir() or not os.access(parent, os.W_OK):
        raise ConfigError(f"{what}: can't write in {parent}; choose another place")
    for path in inputs:
        source = path.resolve()
        if real == source or real in source.parents or source in real.parents:
            raise ConfigError(f"{what} and input {path} overlap; choose another output folder")
    if real in (Path.cwd(), *Path.cwd().parents):
        raise ConfigError(f"{what} is the current folder or above it; choose a folder of its own")
    if real.is_dir() and any(real.iterdir()) and not (real / MANIFEST).is_file():
        raise ConfigError(
            f"{what} holds other files and no {MANIFEST} of a stage; it would be replaced. Choose "
            "an empty or a new folder"
        )


def timing_path(out: Path) -> Path:
    """Seconds and peak memory of a stage: beside its folder, whose bytes they must not change."""
    return out.parent / f".{out.name}.timing.json"


def _nothing(folder: Path, infos: Sequence[ShardInfo]) -> None:
    """No further files."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How the kept shards lie in the output folder. `finish(folder, infos)` may add files."""

    folder: str = "."
    prefix: str = "part"
    shard_bytes: int = SHARD_BYTES
    numbered_of: bool = False  # the Hub's train-00000-of-00003.parquet
    finish: Callable[[Path, Sequence[ShardInfo]], None] = _nothing

    def place(self, root: Path, infos: Sequence[ShardInfo]) -> list[ShardInfo]:
        """The infos relative to `root`, files renamed where the layout asks for it."""
        placed = []
        for i, info in enumerate(infos):
            name = info.name
            if self.numbered_of:
                name = f"{self.prefix}-{i:05d}-of-{len(infos):05d}.parquet"
                os.rename(root / self.folder / info.name, root / self.folder / name)
            path = name if self.folder == "." else f"{self.folder}/{name}"
            placed.append(replace(info, name=path))
        return placed


def run_stage(
    stage: str,
    inputs: Sequence[Path],
    out: Path,
    config: BaseModel,
    decide: Callable[[Shards, StageContext], Iterable[Decision]],
    *,
    rooms: Sequence[str],
    progress: Progress = no_progress,
    key_extra: Any = None,
    layout: Layout | None = None,
) -> StageResult:
    """Run `decide` over the problems of `inputs` into the folder `out`.

    `rooms` names the packages whose code decides (their sources enter the key); `key_extra` is
    anything else the outcome depends on, such as the hash of a model. Raises StageError when
    kept + dropped is not the number of input rows, ShardError for unreadable input.
    """
    check_out(out, inputs)
    problems = Shards(inputs)
    return run_rows(
        stage,
        out,
        config,
        lambda ctx: decide(problems, ctx),
        inputs=[problems.fingerprint, key_extra],
        n_in=len(problems),
        rooms=rooms,
        progress=progress,
        layout=layout,
    )


def run_rows(
    stage: str,
    out: Path,
    config: BaseModel,
    decisions: Callable[[StageContext], Iterable[Decision]],
    *,
    inputs: Any,
    n_in: int | None,
    rooms: Sequence[str],
    progress: Progress = no_progress,
    layout: Layout | None = None,
) -> StageResult:
    """The same for a stage whose input is not shards (import): `inputs` identifies the input,
    `n_in` None means that the rows read are those decided on."""
    check_out(out)
    layout = layout or Layout()
    key = stage_key(stage, config, inputs, ("pipelines", *rooms))
    finished = _finished(out, key)
    if finished is not None:
        progress(stage, finished.n_in, finished.n_in, "reused")
        return finished
    started = time.monotonic()
    reset_peak()
    work = work_dir(out)
    journal = _open_journal(work, key)
    ctx = StageContext(stage, journal, progress)
    tmp = work / "out"
    shutil.rmtree(tmp, ignore_errors=True)
    reasons: Counter[str] = Counter()
    done = 0
    try:
        with (
            ShardWriter(
                tmp / layout.folder, prefix=layout.prefix, shard_bytes=layout.shard_bytes
            ) as kept,
            ShardWriter(tmp / "dropped", DROPPED_SCHEMA) as dropped,
        ):
            progress(stage, 0, n_in)
            for decision in decisions(ctx):
                if isinstance(decision, Problem):
                    kept.write(decision.to_row())
                else:
                    dropped.write(decision.to_row())
                    reasons[decision.reason] += 1
                done += 1
                progress(stage, done, n_in)
        if n_in is None:
            progress(stage, done, done)  # only now is the total known
    except BaseException:
        shutil.rmtree(tmp, ignore_errors=True)  # a full disk needs the room; the journal stays
        raise
    finally:
        journal.close()
    if n_in is not None and done != n_in:
        raise StageError(
            f"stage {stage}: {n_in} rows came in but {done} were kept or dropped; "
            "this is a fault of MicroCoder, please report it with the config"
        )
    dropped_infos = [replace(i, name=f"dropped/{i.name}") for i in dropped.infos]
    kept_infos = layout.place(tmp, kept.infos)
    layout.finish(tmp, kept_infos)
    facts = {
        "stage": stage,
        "key": key,
        "config": config.model_dump(mode="json"),
        "n_in": done,
        "reasons": dict(sorted(reasons.items())),
        "extra": ctx.extra,
    }
    write_manifest(tmp, kept_infos, dropped_infos, facts)
    seconds, peak = time.monotonic() - started, peak_mb()
    _swap(tmp, out)
    write_json_atomic(timing_path(out), {"seconds": round(seconds, 3), "peak_mb": round(peak, 1)})
    shutil.rmtree(work, ignore_errors=True)
    result = read_result(out)
    result.reused = False
    return result


def read_result(out: Path) -> StageResult:
    """The result of a finished stage folder, from its manifest."""
    m = read_manifest(out)
    timing = {"seconds": 0.0, "peak_mb": 0.0}
    if timing_path(out).exists():
        timing = json.loads(timing_path(out).read_text("utf-8"))
    return StageResult(
        stage=m.get("stage", out.name),
        out=out,
        n_in=m.get("n_in", m["rows"] + m.get("dropped_rows", 0)),
        kept=m["rows"],
        dropped=m.get("dropped_rows", 0),
        reasons=m.get("reasons", {}),
        extra=m.get("extra", {}),
        seconds=timing["seconds"],
        peak_mb=timing["peak_mb"],
        reused=True,
    )


def _finished(out: Path, key: str) -> StageResult | None:
    try:
        if check_shards(out).get("key") != key:
            return None
    except ShardError:
        return None
    return read_result(out)


def _open_journal(work: Path, key: str) -> Journal:
    marker = work / "key"
    if not marker.exists() or marker.read_text() != key:
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        marker.write_text(key)
    return Journal(work / "journal.jsonl")


def _swap(tmp: Path, out: Path) -> None:
    """Put the finished folder in place. A kill between the two renames leaves no `out`, and the
    next run makes it again from the journal."""
    old = work_dir(out) / "old"
    shutil.rmtree(old, ignore_errors=True)
    out.parent.mkdir(parents=True, exist_ok=True)
    if out.exists():
        os.rename(out, old)
    os.rename(tmp, out)
    fsync_dir(out.parent)


def reset_peak() -> None:
    """Start a new peak-memory reading for this process, where the kernel allows it."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        pass


def peak_mb() -> float:
    """Peak resident MiB of this process since :func:`reset_peak` (children not counted)."""
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def iter_dropped(out: Path) -> Iterator[dict[str, Any]]:
    """Rows of a stage's dropped/ shards, as dicts (see DROPPED_SCHEMA)."""
    import pyarrow.parquet as pq

    for info in read_manifest(out).get("dropped_shards", []):
        for batch in pq.ParquetFile(out / info["name"]).iter_batches(batch_size=64):
            yield from batch.to_pylist()
