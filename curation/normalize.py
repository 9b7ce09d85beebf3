"""normalize: clean the text of every problem and drop what can't be used at all.

Statement and title are cleaned (see :func:`curation.text.clean`); tests are kept byte for byte,
only exact repeats of a test within one problem are left out. Flag added: `not_english`.

Reasons: `duplicate_id` (evidence: of, first_row), `no_tests`, `short_statement` (chars, least),
`placeholder_statement` (LeetCode's "English description is not available"), and a flag listed in
`drop_flags` by its own name (`interactive`, `multi_pass`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import Field

from curation.text import clean, not_english
from pipelines.config import StageConfig
from pipelines.problem import Problem, TestCase, drop
from pipelines.shards import Shards
from pipelines.stage import (
    Decision,
    Progress,
    StageContext,
    StageResult,
    no_progress,
    run_stage,
)


class NormalizeConfig(StageConfig):
    """`min_statement_chars`: shortest statement kept, after cleaning. `drop_flags`: problems
    with one of these flags are dropped, under the flag's name."""

    min_statement_chars: int = Field(default=20, ge=0)
    drop_flags: tuple[str, ...] = ("interactive", "multi_pass")


_PLACEHOLDER = re.compile(r"English description is not available", re.I)


def clean_problem(problem: Problem) -> Problem:
    """The problem with clean text and without repeated tests.

    >>> clean_problem(Problem(id="a/b", title=" Sum&nbsp;it ")).title
    'Sum it'
    """
    statement = clean(problem.statement)
    flags = problem.flags
    if not_english(statement) and "not_english" not in flags:
        flags = (*flags, "not_english")
    seen: dict[tuple[str, str], TestCase] = {}
    for test in problem.tests:
        seen.setdefault((test.input, test.output), test)
    return replace(
        problem,
        title=" ".join(clean(problem.title).split()),
        statement=statement,
        flags=flags,
        tests=tuple(seen.values()),
    )


def normalize(
    inputs: Sequence[Path],
    out: Path,
    config: NormalizeConfig | None = None,
    progress: Progress = no_progress,
) -> StageResult:
    """Run the stage.

    >>> normalize([Path("runs/x/01-crawl")], Path("runs/x/02-normalize"))  # doctest: +SKIP
    """
    config = config or NormalizeConfig()

    def decide(problems: Shards, ctx: StageContext) -> Iterator[Decision]:
        first_row: dict[str, int] = {}
        counts = {"statements_changed": 0, "duplicate_tests_removed": 0, "not_english": 0}
        ctx.extra.update(counts)
        for row, original in enumerate(problems):
            first = first_row.setdefault(original.id, row)
            if first != row:
                yield drop(original, ctx.stage, "duplicate_id", of=original.id, first_row=first)
                continue
            p = clean_problem(original)
            flag = next((f for f in config.drop_flags if f in p.flags), None)
            if flag is not None:
                yield drop(p, ctx.stage, flag)
            elif not p.tests:
                yield drop(p, ctx.stage, "no_tests")
            elif len(p.statement) < config.min_statement_chars:
                yield drop(
                    p,
                    ctx.stage,
                    "short_statement",
                    chars=len(p.statement),
                    least=config.min_statement_chars,
                )
            elif _PLACEHOLDER.match(p.statement):
                yield drop(p, ctx.stage, "placeholder_statement")
            else:
                ctx.extra["statements_changed"] += p.statement != original.statement
                ctx.extra["duplicate_tests_removed"] += len(original.tests) - len(p.tests)
                ctx.extra["not_english"] += "not_english" in p.flags
                yield p

    return run_stage(
        "normalize", inputs, out, config, decide, rooms=("curation",), progress=progress
    )
