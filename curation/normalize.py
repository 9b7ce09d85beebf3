"""normalize: clean the text of every problem, flag what a trainer should know, and drop what can't
be used at all.

A statement's HTML becomes Markdown (:mod:`curation.markup`), its text is cleaned
(:func:`curation.text.clean`), superscripts that the source lost come back where that is certain
(:mod:`curation.repair`). Tests are kept byte for byte, only exact repeats within one problem are
left out; a stdin problem whose source gives no samples gets those of its statement, in front.

Flags added, each with evidence in the report (`flag_examples`): those of
:func:`curation.flags.statement_flags` and `lost_superscripts` (some are left in doubt).

Reasons: `duplicate_id` (evidence: of, first_row), `no_tests`, `short_statement` (chars, least),
`placeholder_statement` (LeetCode's "English description is not available"), and a flag listed in
`drop_flags` by its own name (`interactive`, `multi_pass`; evidence: words).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import Field

from curation.flags import statement_flags
from curation.markup import to_plain
from curation.repair import repair_superscripts
from curation.statement_examples import statement_examples
from curation.text import clean
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


#: Examples of each flag in the report.
EXAMPLES = 3
_COUNTS = (
    "statements_changed", "duplicate_tests_removed", "samples_from_statements",
    "superscripts_repaired", "not_english",
)  # fmt: skip
_PLACEHOLDER = re.compile(r"English description is not available", re.I)


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A cleaned problem, the words behind each flag that its statement raised, and how many
    superscripts and samples were put back."""

    problem: Problem
    evidence: dict[str, str]
    superscripts: int
    samples: int


def clean_statement(text: str) -> str:
    """Markdown without HTML, entities and invisible characters. Doing it again changes nothing:
    markup that was escaped twice comes to light in the first round and goes in the second.

    >>> clean_statement("&lt;p&gt;At most&nbsp;10&lt;sup&gt;5&lt;/sup&gt;&lt;/p&gt;")
    'At most 10^5'
    """
    for _ in range(8):
        plain = clean(to_plain(text))
        if plain == text:
            break
        text = plain
    return text


def clean_problem(problem: Problem) -> Cleaned:
    """The problem with clean text, flags, samples and without repeated tests.

    >>> clean_problem(Problem(id="a/b", title=" Sum&nbsp;it ")).problem.title
    'Sum it'
    """
    statement = clean_statement(problem.statement)
    statement, repaired, doubtful = repair_superscripts(statement)
    p = replace(problem, title=" ".join(clean(problem.title).split()), statement=statement)
    evidence = statement_flags(p)
    flags = dict.fromkeys(p.flags)
    if doubtful:
        evidence["lost_superscripts"] = doubtful[0]
    elif repaired:
        flags.pop("lost_superscripts", None)  # the source's remark is settled
    flags |= dict.fromkeys(evidence)
    tests: dict[tuple[str, str], TestCase] = {}
    samples = _samples(p)
    for test in (*samples, *p.tests):
        tests.setdefault((test.input, test.output), test)
    p = replace(p, flags=tuple(flags), tests=tuple(tests.values()))
    return Cleaned(p, evidence, len(repaired), len(samples))


def _samples(problem: Problem) -> list[TestCase]:
    """The samples in a stdin problem's statement, where it has tests and none is a sample.
    An expected output that reads like a sentence is left out: it is the explanation after an
    output that is empty."""
    if problem.fn_name is not None or not problem.tests or problem.checker.kind == "asserts":
        return []
    if any(t.kind == "sample" for t in problem.tests):
        return []
    known = {(_words(t.input), _words(t.output)) for t in problem.tests}
    return [
        TestCase(f"{given}\n", f"{output}\n", "sample", f"statement-{number}")
        for number, (given, output) in enumerate(statement_examples(problem.statement), 1)
        if not (output.rstrip().endswith(".") and len(output.split()) > 3)
        and (_words(given), _words(output)) not in known
    ]


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


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
        report: dict[str, int] = dict.fromkeys(_COUNTS, 0)
        flagged: Counter[str] = Counter()
        examples: dict[str, list[dict[str, str]]] = {}
        for row, original in enumerate(problems):
            first = first_row.setdefault(original.id, row)
            if first != row:
                yield drop(original, ctx.stage, "duplicate_id", of=original.id, first_row=first)
                continue
            cleaned = clean_problem(original)
            p = cleaned.problem
            for name, words in cleaned.evidence.items():
                flagged[name] += 1
                if flagged[name] <= EXAMPLES:
                    examples.setdefault(name, []).append({"id": p.id, "words": words})
            flag = next((f for f in config.drop_flags if f in p.flags), None)
            if flag is not None:
                words = cleaned.evidence.get(flag, "named by the source")
                yield drop(p, ctx.stage, flag, words=words)
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
                report["statements_changed"] += p.statement != original.statement
                report["duplicate_tests_removed"] += (
                    len(original.tests) + cleaned.samples - len(p.tests)
                )
                report["samples_from_statements"] += cleaned.samples
                report["superscripts_repaired"] += cleaned.superscripts > 0
                report["not_english"] += "not_english" in p.flags
                yield p
        ctx.extra |= report
        ctx.extra["flags"] = dict(sorted(flagged.items()))
        ctx.extra["flag_examples"] = dict(sorted(examples.items()))

    return run_stage(
        "normalize", inputs, out, config, decide, rooms=("curation",), progress=progress
    )
