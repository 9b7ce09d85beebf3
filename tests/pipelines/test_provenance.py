"""The ids of dropped copies in a row's provenance."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipelines.problem import SCHEMA, Problem, ProblemError, Provenance
from pipelines.shards import Shards, write_problems


def test_also_goes_through_a_shard(tmp_path: Path) -> None:
    p = Problem(id="a/b", provenance=Provenance("x", also=("c/d", "é/f")))
    write_problems([p, Problem(id="a/c")], tmp_path / "s")
    assert [q.provenance.also for q in Shards([tmp_path / "s"])] == [("c/d", "é/f"), ()]


def test_a_shard_from_before_the_field_is_read(tmp_path: Path) -> None:
    p = Problem(id="a/b", provenance=Provenance("x", None, "y", "z/1"))
    row = p.to_row()
    del row["provenance"]["also"]
    i = SCHEMA.get_field_index("provenance")
    old = pa.struct([f for f in SCHEMA.field(i).type if f.name != "also"])
    schema = SCHEMA.set(i, pa.field("provenance", old, nullable=False))
    pq.write_table(pa.Table.from_pylist([row], schema=schema), tmp_path / "old.parquet")
    assert list(Shards([tmp_path / "old.parquet"])) == [p]


def test_a_surrogate_in_also_is_refused() -> None:
    with pytest.raises(ProblemError, match="provenance"):
        Problem(id="a/b", provenance=Provenance(also=("c/\ud800",)))
