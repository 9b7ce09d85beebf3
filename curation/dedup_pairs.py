"""The second half of dedup's data work: which pairs of rows may be one problem, and their evidence.

DuckDB joins and groups the Parquet files of `dedup_sign` out of core, within a memory limit:
rows of one identity, of one text, in one LSH bucket, with test pairs in common, with titles that
differ in a number. Every pair gets the exact Jaccard of its shingles, block by block.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from curation.shingles import jaccard, shingle_sets

#: Pairs whose texts are in memory at once.
BLOCK = 10_000
#: Of equal texts of one judge so many rows, the best, are compared with other texts one by one.
_PER_TEXT = 8
#: A stem that more titles share is a word like "problem", not a series.
_MAX_SERIES = 20

#: Best first: what decides which of several copies stays.
WORTH = """indexed DESC, n_tests DESC, checker DESC, licence DESC, released ASC NULLS LAST,
    solved DESC, id, digest"""


@dataclass(frozen=True, slots=True)
class Facts:
    """What the decision needs to know of a row. `rank`: its place in the order of worth, the
    best first. `pairs`: test pairs that count, that is, few rows have them. `indexed`: a row
    that an earlier run kept and this run's input lacks."""

    row: int
    rank: int
    indexed: bool
    id: str
    judge: str
    native: str
    title: str
    text: int
    tests: int
    n_tests: int
    released: dt.date | None
    pairs: int


@dataclass(frozen=True, slots=True)
class Pair:
    """Evidence on two rows, `a` the worthier: exact Jaccard of their shingles, how many test
    pairs that count they have in common."""

    a: int
    b: int
    jaccard: float
    shared_tests: int


@contextmanager
def connection(folder: Path, memory_mb: int, threads: int) -> Iterator[duckdb.DuckDBPyConnection]:
    """A DuckDB whose tables are in memory up to `memory_mb` and beyond it in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    db = duckdb.connect()
    try:
        db.execute(f"SET memory_limit = '{memory_mb}MB'")
        db.execute(f"SET threads = {threads}")
        db.execute("SET temp_directory = ?", [str(folder / "spill")])
        db.execute("SET preserve_insertion_order = false")
        yield db
    finally:
        db.close()


def load(
    db: duckdb.DuckDBPyConnection, folders: Sequence[Path], alive: pa.Table, max_df: int
) -> None:
    """Make the tables `facts` (of the `alive` rows: columns row, indexed), `reps` (text, row),
    `counted` (hash, row: test pairs that at most `max_df` rows have)."""
    for name in ("rows", "bands", "pairs"):
        files = [str(p) for f in folders for p in sorted(f.glob(f"*.{name}.parquet"))]
        relation = db.read_parquet(files)
        relation.create_view(f"all_{name}")
    db.register("alive_rows", alive)
    db.execute("CREATE TABLE alive AS SELECT * FROM alive_rows")
    db.unregister("alive_rows")
    db.execute(
        f"""CREATE TABLE facts AS
        SELECT r.* EXCLUDE (form), indexed, row_number() OVER (ORDER BY {WORTH}) AS rank
        FROM all_rows r JOIN alive USING (row)"""
    )
    db.execute(
        "CREATE TABLE reps AS SELECT text, min(row) AS row FROM facts WHERE text <> 0 GROUP BY text"
    )
    db.execute(
        f"""CREATE TABLE counted AS
        WITH here AS (SELECT p.* FROM all_pairs p SEMI JOIN alive USING (row)),
             rare AS (SELECT hash FROM here GROUP BY hash HAVING count(*) <= {max_df})
        SELECT here.* FROM here SEMI JOIN rare USING (hash)"""
    )


def propose(db: duckdb.DuckDBPyConnection) -> None:
    """Make the table `proposed` (a, b: rows, a the worthier; shared: common test pairs)."""
    # Buckets hold one row a text, so that a text with a thousand copies is one member.
    db.execute(
        """CREATE TABLE buckets AS
        WITH b AS (SELECT key, row FROM all_bands SEMI JOIN reps USING (row)),
             shared AS (SELECT key FROM b GROUP BY key HAVING count(*) > 1)
        SELECT b.* FROM b SEMI JOIN shared USING (key)"""
    )
    db.execute(
        """CREATE TABLE near AS
        SELECT DISTINCT x.row AS a, y.row AS b
        FROM buckets x JOIN buckets y ON x.key = y.key AND x.row < y.row"""
    )
    db.execute("DROP TABLE buckets")
    db.execute(
        """CREATE TABLE common AS
        SELECT x.row AS a, y.row AS b, count(*) AS shared
        FROM counted x JOIN counted y ON x.hash = y.hash AND x.row < y.row GROUP BY ALL"""
    )
    db.execute(
        f"""CREATE TABLE members AS
        WITH m AS (
            SELECT f.row, f.rank, f.text, f.tests, r.row AS rep,
                row_number() OVER (PARTITION BY f.text, f.judge ORDER BY f.rank) AS place
            FROM facts f JOIN reps r USING (text))
        SELECT * FROM m WHERE place <= {_PER_TEXT}"""
    )
    best = "first_value(row) OVER (PARTITION BY {} ORDER BY rank)"
    db.execute(
        f"""CREATE TABLE found AS
        SELECT m.row AS a, n.row AS b FROM near JOIN members m ON m.rep = near.a
            JOIN members n ON n.rep = near.b
        UNION ALL SELECT m.row, n.row FROM members m JOIN members n USING (rep)
        UNION ALL SELECT a, b FROM common WHERE shared >= 2
        UNION ALL SELECT {best.format("judge, native")}, row FROM facts
        UNION ALL SELECT {best.format("text")}, row FROM facts WHERE text <> 0
        UNION ALL SELECT {best.format("text, tests")}, row FROM facts WHERE text <> 0"""
    )
    db.execute(
        f"""INSERT INTO found
        WITH t AS (
            SELECT judge, stem, title, first(row ORDER BY rank) AS row FROM facts
            WHERE title <> '' GROUP BY judge, stem, title),
        series AS (
            SELECT judge, stem FROM t GROUP BY ALL HAVING count(*) BETWEEN 2 AND {_MAX_SERIES})
        SELECT x.row, y.row FROM series JOIN t x USING (judge, stem) JOIN t y USING (judge, stem)
        WHERE x.row < y.row"""
    )
    db.execute(
        """CREATE TABLE proposed AS
        WITH d AS (SELECT DISTINCT least(a, b) AS a, greatest(a, b) AS b FROM found WHERE a <> b)
        SELECT d.a, d.b, coalesce(shared, 0) AS shared,
            fa.text <> 0 AND fa.text = fb.text AS equal, ra.row AS rep_a, rb.row AS rep_b
        FROM d LEFT JOIN common USING (a, b)
            JOIN facts fa ON fa.row = d.a JOIN facts fb ON fb.row = d.b
            LEFT JOIN reps ra ON ra.text = fa.text LEFT JOIN reps rb ON rb.text = fb.text"""
    )
    for name in ("near", "members", "found", "common"):
        db.execute(f"DROP TABLE {name}")


def measure(db: duckdb.DuckDBPyConnection, ngram: int, least: float) -> Iterator[list[Pair]]:
    """Blocks of the proposed pairs with their exact Jaccard. Left out are pairs that neither
    text (a Jaccard of at least `least`), nor tests, nor identity, nor title speaks for."""
    db.execute(
        """CREATE TABLE texts AS
        WITH wanted AS (
            SELECT rep_a AS row FROM proposed WHERE NOT equal UNION
            SELECT rep_b FROM proposed WHERE NOT equal)
        SELECT row, form FROM all_rows SEMI JOIN wanted USING (row)"""
    )
    db.execute(
        """CREATE TABLE numbered AS
        SELECT *, (row_number() OVER (ORDER BY a, b) - 1) // ? AS block FROM proposed""",
        [BLOCK],
    )
    blocks = db.execute("SELECT coalesce(max(block), -1) FROM numbered").fetchall()[0][0]
    for block in range(blocks + 1):
        pairs = db.execute(
            """SELECT n.a, n.b, shared, equal, rep_a, rep_b,
                fa.judge = fb.judge AND (fa.native = fb.native OR fa.stem = fb.stem) AS named
            FROM numbered n JOIN facts fa ON fa.row = n.a JOIN facts fb ON fb.row = n.b
            WHERE block = ? ORDER BY n.a, n.b""",
            [block],
        ).fetchall()
        sets = _shingles(db, block, ngram)
        empty = np.zeros(0, np.uint64)
        out = []
        for a, b, shared, equal, rep_a, rep_b, named in pairs:
            similarity = 1.0 if equal else jaccard(sets.get(rep_a, empty), sets.get(rep_b, empty))
            if named or shared >= 2 or similarity >= least:
                out.append(Pair(a, b, similarity, shared))
        yield out


def _shingles(db: duckdb.DuckDBPyConnection, block: int, ngram: int) -> dict[int, Any]:
    texts = db.execute(
        """WITH wanted AS (
            SELECT rep_a AS row FROM numbered WHERE block = ? AND NOT equal UNION
            SELECT rep_b FROM numbered WHERE block = ? AND NOT equal)
        SELECT row, form FROM texts SEMI JOIN wanted USING (row)""",
        [block, block],
    ).fetchall()
    found: dict[int, Any] = {}
    for i in range(0, len(texts), 128):
        part = texts[i : i + 128]
        sets = shingle_sets([form for _, form in part], ngram)
        found |= dict(zip((row for row, _ in part), sets, strict=True))
    return found


def facts_of(db: duckdb.DuckDBPyConnection, rows: Sequence[int]) -> dict[int, Facts]:
    """The facts of some rows."""
    db.register("asked", pa.table({"row": pa.array(rows, pa.int64())}))
    found = db.execute(
        """WITH n AS (SELECT row, count(*) AS pairs FROM counted SEMI JOIN asked USING (row)
            GROUP BY row)
        SELECT row, rank, indexed, id, judge, native, title, text, tests, n_tests, released,
            coalesce(n.pairs, 0)
        FROM facts SEMI JOIN asked USING (row) LEFT JOIN n USING (row)"""
    ).fetchall()
    db.unregister("asked")
    return {f[0]: Facts(*f) for f in found}
