"""One problem's path through the stages of a run: where it changed, where it went, and why."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from pipelines.funnel import dropped_rows, evidence_text, kept_rows
from pipelines.problem import Problem
from pipelines.shards import read_manifest


class UnknownProblemError(LookupError):
    """No stage has a row of that id; the message names ids like it."""


@dataclass(frozen=True, slots=True)
class Step:
    """What a stage did with the problem: `kept`, `dropped` (with reason and evidence), or, for
    rows of other ids, `merged` (a row that was dropped as a copy of this one). `changes` are
    differences to the stage before, one a line."""

    stage: str
    folder: str
    outcome: str
    id: str
    reason: str = ""
    evidence: dict[str, Any] = field(default_factory=dict)
    changes: tuple[str, ...] = ()

    @property
    def evidence_text(self) -> str:
        """The evidence on one line."""
        return evidence_text(json.dumps(self.evidence, ensure_ascii=False), 1000)


def trace(folders: Sequence[Path], problem_id: str) -> list[Step]:
    """The steps of a problem through the stage folders, in their order. Raises
    UnknownProblemError when none of them has it."""
    steps: list[Step] = []
    before: Problem | None = None
    for folder in folders:
        stage = read_manifest(folder).get("stage", folder.name)
        for row in find_rows(folder, problem_id):
            now = Problem.from_row(row)
            changes = tuple(differences(before, now)) if before else tuple(summary(now))
            steps.append(Step(stage, folder.name, "kept", problem_id, changes=changes))
            before = now
        for row in dropped_rows(folder, ["id", "reason", "evidence"]):
            evidence = json.loads(row["evidence"]) if row["evidence"] else {}
            merged = row["id"] != problem_id and evidence.get("of") == problem_id
            if merged or row["id"] == problem_id:
                outcome = "merged" if merged else "dropped"
                steps.append(Step(stage, folder.name, outcome, row["id"], row["reason"], evidence))
    if not any(step.id == problem_id for step in steps):
        raise UnknownProblemError(_unknown(folders, problem_id))
    return steps


def find_rows(folder: Path, problem_id: str) -> Iterator[dict[str, Any]]:
    """The kept rows of that id: ids are scanned alone, then only their row groups are read."""
    for info in read_manifest(folder)["shards"]:
        with pq.ParquetFile(folder / info["name"]) as file:
            for group in range(file.num_row_groups):
                ids = file.read_row_group(group, columns=["id"])["id"].to_pylist()
                at = [i for i, value in enumerate(ids) if value == problem_id]
                if at:
                    yield from file.read_row_group(group).take(at).to_pylist()


def summary(p: Problem) -> Iterator[str]:
    """What a problem is, a fact a line."""
    yield f"title {p.title!r}, {len(p.statement):,} characters, {p.url or 'no url'}"
    kinds = ", ".join(
        f"{sum(t.kind == k for t in p.tests)} {k}" for k in ("sample", "hidden", "generated")
    )
    style = f"function {p.fn_name}" if p.fn_name else "stdin"
    yield f"{len(p.tests)} tests ({kinds}), {style}, checker {p.checker.kind}"
    level, date = p.level or p.rating or "unknown", p.released_at or "unknown"
    yield f"{len(p.solutions)} solutions, level {level}, released {date}"
    yield f"licence {p.licence or 'unknown'}"
    if p.flags:
        yield f"flags: {', '.join(p.flags)}"
    yield f"from {p.provenance.origin or 'unknown'} by {p.provenance.parser or 'unknown'}"


def differences(before: Problem, now: Problem) -> Iterator[str]:
    """What a stage changed, a fact a line.

    >>> list(differences(Problem("a/b", flags=("x",)), Problem("a/b", flags=("x", "y"))))
    ['flags: + y']
    """
    old, new = before.to_row(), now.to_row()
    for name, value in new.items():
        if value == old[name]:
            continue
        if name in ("flags", "tags"):
            gone = [f"- {f}" for f in old[name] if f not in value]
            yield f"{name}: {', '.join(gone + [f'+ {f}' for f in value if f not in old[name]])}"
        elif name in ("tests", "solutions"):
            yield f"{name}: {len(old[name])} -> {len(value)}"
        elif name == "probes":
            for p in now.probes[len(before.probes) :]:
                yield (
                    f"probe by {p.model}: {p.passed} of {p.k} passed "
                    f"({p.low:.2f} to {p.high:.2f}), {p.truncated} truncated"
                )
        elif isinstance(value, str) and name == "statement":
            yield f"statement: {len(old[name]):,} -> {len(value):,} characters"
            yield from _line_diff(old[name], value)
        else:
            yield f"{name}: {old[name]!r:.80} -> {value!r:.80}"


def _line_diff(old: str, new: str, lines: int = 12) -> Iterator[str]:
    """The first changed lines of a text."""
    diff = difflib.unified_diff(old.split("\n"), new.split("\n"), n=0, lineterm="")
    changed = [d for d in diff if not d.startswith(("---", "+++", "@@"))]
    for line in changed[:lines]:
        yield f"  {line:.160}"
    if len(changed) > lines:
        yield f"  ... and {len(changed) - lines} more lines"


def _unknown(folders: Sequence[Path], problem_id: str) -> str:
    known = {
        row["id"]
        for folder in folders[:1]
        for rows in (kept_rows(folder, ["id"]), dropped_rows(folder, ["id"]))
        for row in rows
    }
    near = sorted(i for i in known if problem_id in i)[:5] or difflib.get_close_matches(
        problem_id, known, n=5
    )
    hint = f"; did you mean {', '.join(near)}?" if near else ""
    return f"no stage has a problem {problem_id!r} ({len(known)} ids known){hint}"
