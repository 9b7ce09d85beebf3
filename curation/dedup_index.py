"""An index of the rows of earlier runs: they are not signed again, and new rows are compared with
those of them that were kept.

    index/gen-00001/000000.{rows,bands,pairs}.parquet ...   see dedup_sign; only rows new then
                    kept.parquet                            digest, kept: every row of that run
                    meta.json                               versions, config, input, next row number
    index/gen-00002/...

A generation appears whole, by a rename, and is never changed.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl

from curation.dedup_sign import INDEX_VERSION, SignConfig
from pipelines.config import ConfigError
from pipelines.shards import ShardError, fsync_dir, naming_full_disk, write_json_atomic

META = "meta.json"
KEPT = "kept.parquet"


@dataclass(frozen=True, slots=True)
class Generation:
    """One earlier run: its folder and what its meta.json says."""

    folder: Path
    meta: dict[str, Any]


def generations(index: Path | None, config: SignConfig) -> list[Generation]:
    """The generations of an index, oldest first; none where there is no index yet. Raises
    ConfigError for a folder that is no index, or one made with another config or version."""
    if index is None or not index.exists():
        return []
    if not index.is_dir():
        raise ConfigError(f"dedup index {index} is a file; give a folder, new or made by dedup")
    found = []
    for folder in sorted(index.iterdir()):
        if folder.name.startswith("."):
            continue  # unfinished
        try:
            meta = json.loads((folder / META).read_text("utf-8"))
            made_with = (meta["version"], meta["config"])
            int(folder.name.removeprefix("gen-"))
            meta["input"], meta["next_row"] = list(meta["input"]), int(meta["next_row"])
        except (OSError, ValueError, KeyError, TypeError) as e:
            raise ConfigError(
                f"dedup index {index}: {folder.name} is no generation of an index ({e}); give "
                "another folder, or delete what doesn't belong there"
            ) from e
        if made_with != (INDEX_VERSION, asdict(config)):
            raise ConfigError(
                f"dedup index {index} was made by version {meta['version']} with "
                f"{meta['config']}, not by {INDEX_VERSION} with {asdict(config)}; give another "
                "folder, or delete this one to make it again"
            )
        found.append(Generation(folder, meta))
    return found


def identity(found: Sequence[Generation], fingerprint: Sequence[str]) -> list[Any]:
    """What a run over the input `fingerprint` takes from the index: all generations but its
    own, so that the same run again finds its finished work."""
    return [[g.folder.name, g.meta["input"]] for g in found if g.meta["input"] != list(fingerprint)]


def scan(folders: Sequence[Path]) -> pl.DataFrame:
    """Columns digest and row of all rows signed in the folders; of equal digests the first."""
    files = [p for f in folders for p in sorted(f.glob("*.rows.parquet"))]
    parts = [_read(p, ["digest", "row"]) for p in files]
    table = pl.concat([pl.DataFrame(schema={"digest": pl.Binary, "row": pl.Int64}), *parts])
    return table.group_by("digest").agg(pl.col("row").min())


def kept_before(found: Sequence[Generation]) -> pl.DataFrame:
    """Digests of the rows that the last run that had them kept."""
    parts = [
        _read(g.folder / KEPT, ["digest", "kept"]).with_columns(generation=pl.lit(i))
        for i, g in enumerate(found)
    ]
    schema = {"digest": pl.Binary, "kept": pl.Boolean, "generation": pl.Int32}
    table = pl.concat([pl.DataFrame(schema=schema), *parts])
    last = table.group_by("digest").agg(pl.col("kept").sort_by("generation").last())
    return last.filter("kept").select("digest")


def _read(path: Path, columns: list[str]) -> pl.DataFrame:
    try:
        return pl.read_parquet(path, columns=columns)
    except (OSError, pl.exceptions.PolarsError) as e:
        raise ShardError(f"{path}: damaged ({e}); delete the index folder, it is made again") from e


def extend(
    index: Path,
    found: Sequence[Generation],
    signed: Path,
    config: SignConfig,
    fingerprint: Sequence[str],
    next_row: int,
    kept: pl.DataFrame,
) -> None:
    """Add a generation: the files in `signed`, and which rows of the input were kept (columns
    digest, kept). Nothing is added when the last generation is this very run."""
    kept = kept.sort("digest")
    again = bool(found) and found[-1].meta["input"] == list(fingerprint)
    if again and _read(found[-1].folder / KEPT, ["digest", "kept"]).equals(kept):
        return
    number = 1 + max((int(g.folder.name.rpartition("-")[2]) for g in found), default=0)
    final = index / f"gen-{number:05d}"
    tmp = index / f".{final.name}"
    shutil.rmtree(tmp, ignore_errors=True)
    with naming_full_disk(final):
        tmp.mkdir(parents=True)
        for path in sorted(signed.glob("*.parquet")):
            shutil.move(path, tmp / path.name)
        kept.write_parquet(tmp / KEPT)
        meta = {
            "version": INDEX_VERSION,
            "config": asdict(config),
            "input": list(fingerprint),
            "next_row": next_row,
        }
        write_json_atomic(tmp / META, meta)
        tmp.rename(final)
        fsync_dir(index)
