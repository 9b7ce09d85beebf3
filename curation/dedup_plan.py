"""From what dedup found about numbered rows to what it does with the rows of the input, and the
records of it: evidence of the dropped, ids of their copies, the table of vetoes."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from curation.clusters import Drop, Veto
from curation.dedup_pairs import Facts, Pair
from pipelines.problem import Problem
from pipelines.shards import Shards

SIBLING = "sibling"
VETO_SCHEMA = pa.schema(
    [
        ("a", pa.string()),
        ("b", pa.string()),
        ("reason", pa.string()),
        ("sibling", pa.bool_()),
        ("jaccard", pa.float64()),
        ("shared_tests", pa.int64()),
        ("detail", pa.string()),
    ]
)


@dataclass(frozen=True, slots=True)
class Found:
    """What dedup decided: per dropped row why, the pairs kept apart, the facts of all of them,
    and how many pairs were compared."""

    drops: dict[int, Drop]
    vetoes: list[Veto]
    facts: dict[int, Facts]
    compared: int


@dataclass(frozen=True, slots=True)
class Plan:
    """By position in the input: evidence of the dropped, ids of the copies of the kept, the
    siblings; and the rows of the table of vetoes."""

    dropped: dict[int, dict[str, Any]]
    also: dict[int, list[str]]
    siblings: set[int]
    vetoes: list[dict[str, Any]]


class Positions:
    """Where numbered rows are in the input. Equal rows share a number: `repeated` has their
    positions, and `position` is that of the one that stands for them."""

    def __init__(self, rows: npt.NDArray[np.int64], problems: Shards) -> None:
        self._order = np.argsort(rows, kind="stable")
        self._sorted = rows[self._order]
        again = np.flatnonzero(self._sorted[1:] == self._sorted[:-1])
        repeated: dict[int, list[int]] = {}
        for i in again.tolist():
            places = repeated.setdefault(int(self._sorted[i]), [int(self._order[i])])
            places.append(int(self._order[i + 1]))
        self.repeated = repeated
        self.ids: dict[int, str] = {}  # of repeated rows
        self._chosen: dict[int, int] = {}
        if repeated:
            self._choose(problems)

    def _choose(self, problems: Shards) -> None:
        """They agree in all that dedup looks at, but not always in the rest (tags, limits): the
        least hash of the whole row decides, whatever their order."""
        row_at = {at: row for row, places in self.repeated.items() for at in places}
        best: dict[int, tuple[bytes, int]] = {}
        for at, values in enumerate(problems.rows()):
            if (row := row_at.get(at)) is None:
                continue
            text = json.dumps(values, sort_keys=True, default=str).encode()
            option = (hashlib.blake2b(text, digest_size=16).digest(), at)
            best[row] = min(best.get(row, option), option)
            self.ids[row] = values["id"]
        self._chosen = {row: at for row, (_, at) in best.items()}

    def position(self, row: int) -> int | None:
        """Where the row is in the input; None: it is not (but in an index)."""
        i = int(np.searchsorted(self._sorted, row))
        if i == len(self._sorted) or self._sorted[i] != row:
            return None
        return self._chosen.get(row, int(self._order[i]))

    def places(self, row: int) -> list[int]:
        """All positions of the row."""
        at = self.position(row)
        return self.repeated.get(row, [] if at is None else [at])


def plan(problems: Shards, found: Found, rows: npt.NDArray[np.int64]) -> Plan:
    """`rows`: the number of the row at each position of the input."""
    where = Positions(rows, problems)
    dropped: dict[int, dict[str, Any]] = {}
    target: dict[int, int] = {}  # position of a dropped row -> of the row it is dropped for
    for row, d in found.drops.items():
        evidence = {
            "of": found.facts[d.of].id,
            "kind": d.merge.kind,
            **_measured(d.merge.pair),
        }
        if d.via:
            evidence["via"] = list(d.via)
        for at in where.places(row):
            dropped[at] = evidence
            if (of := where.position(d.of)) is not None:
                target[at] = of
    for row, places in where.repeated.items():
        if row in found.drops:
            continue
        for at in places:
            if at != where.position(row):
                dropped[at] = {"of": where.ids[row], "kind": "identity", "jaccard": 1.0}
    return Plan(dropped, _also(problems, target), *_vetoes(found, where))


def _also(problems: Shards, target: Mapping[int, int]) -> dict[int, list[str]]:
    """The ids that go into the provenance of kept rows; of a copy that had copies, theirs too."""
    if not target:
        return {}
    also: dict[int, set[str]] = defaultdict(set)
    for at, row in enumerate(problems.rows(["id", "provenance"])):
        if at in target:
            also[target[at]] |= {row["id"], *(row["provenance"].get("also") or ())}
    return {at: sorted(names) for at, names in also.items()}


def _vetoes(found: Found, where: Positions) -> tuple[set[int], list[dict[str, Any]]]:
    table: list[dict[str, Any]] = []
    siblings: set[int] = set()
    for v in found.vetoes:
        places = [*where.places(v.pair.a), *where.places(v.pair.b)]
        if not places:
            continue  # known from an earlier run
        a, b = sorted((found.facts[v.pair.a].id, found.facts[v.pair.b].id))
        record = {"a": a, "b": b, "reason": v.reason, "sibling": v.sibling, "detail": v.detail}
        table.append(record | _measured(v.pair))
        if v.sibling:
            siblings |= set(places)
    return siblings, sorted(table, key=lambda r: [str(r[c]) for c in VETO_SCHEMA.names])


def _measured(pair: Pair) -> dict[str, Any]:
    return {"jaccard": round(pair.jaccard, 4), "shared_tests": pair.shared_tests}


def write_vetoes(path: Path, vetoes: Sequence[dict[str, Any]]) -> None:
    """The table of pairs that were kept apart: ids, reason, whether they are siblings, Jaccard,
    common tests, and for `cluster` what stood against the merge."""
    pq.write_table(pa.Table.from_pylist(list(vetoes), schema=VETO_SCHEMA), path)


def labelled(problem: Problem, also: Sequence[str], sibling: bool) -> Problem:
    """A kept problem with the ids of its copies and the flag."""
    if also:
        names = {*problem.provenance.also, *also} - {problem.id}
        problem = replace(
            problem, provenance=replace(problem.provenance, also=tuple(sorted(names)))
        )
    if sibling and SIBLING not in problem.flags:
        problem = replace(problem, flags=(*problem.flags, SIBLING))
    return problem
