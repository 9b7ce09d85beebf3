"""`microcoder doctor dataset`: what would go wrong with a data set, before anybody trains on it.

The rows are read by the source's own reader, so that what it refuses is counted too; every finding
has a count of rows and of the things in them, three examples and a remedy.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from curation.flags import statement_flags
from curation.repair import repair_superscripts
from curation.verify import is_python
from pipelines.problem import Dropped, Problem
from pipelines.sources import SOURCES, SourceError, find, read_source
from pipelines.sources.location import Location
from pipelines.sources.rows import iter_rows, table_files
from pipelines.stage import Progress, no_progress

EXAMPLES = 3
#: Python >= 3.11 refuses to read a longer integer unless told otherwise.
_LONG = re.compile(r"\d{4301}")
_ERROR = re.compile(r"Error\b|Traceback \(most recent call last\)")
_READS = re.compile(r"\binput\s*\(|\bsys\.stdin\b|\bstdin\b|open\(0\)|\braw_input\b")
_DEFINES = re.compile(r"^\s*(?:class\s+Solution\b|def\s+\w+)", re.M)
_TWO_GIB = 2**31

#: Columns that tell a schema, the more telling first.
_SCHEMAS = (
    ("primeintellect", {"verification_info", "prompt"}),
    ("deepcoder", {"problem", "tests"}),
    ("code_contests", {"public_tests", "description"}),
    ("open_r1_codeforces", {"official_tests", "description"}),
    ("livecodebench", {"question_content", "question_title"}),
    ("leetcode_dataset", {"entry_point", "completion"}),
    ("humaneval", {"canonical_solution", "entry_point"}),
    ("taco", {"question", "input_output", "skill_types"}),
    ("apps", {"question", "input_output"}),
    ("mbpp", {"test_list", "text"}),
    ("livecodebench", {"question_id", "samples"}),
)

REMEDIES = {
    "error_outputs": "use the field `test` (LeetCodeDataset) or drop these tests",
    "functions": "keep fn_name: graded as programs, these rows can never be solved",
    "function_tests_of_a_program": "the solutions read stdin: import without fn_name",
    "stdin_tests_of_a_function": "the tests need fn_name; drop the rows or get them again",
    "lost_superscripts": "`normalize` repairs what is certain and flags the rest",
    "long_integers": "call sys.set_int_max_str_digits(0) before json.loads",
    "needs_special_judge": "several answers are right: give a checker or drop the row",
    "big_columns": "write smaller row groups, or large_string columns",
    "duplicate_ids": "keep one of them; `normalize` keeps the first",
    "empty_outputs": "a program that prints nothing passes: drop these tests",
    "solution_fails": "the tests, the checker or the solution is wrong: drop the row",
}


@dataclass(slots=True)
class Finding:
    """One kind of trouble: in how many rows, how many things in all, examples (id and words)."""

    kind: str
    rows: int = 0
    items: int = 0
    examples: list[tuple[str, str]] = field(default_factory=list)

    def add(self, row_id: str, words: str, items: int = 1) -> None:
        """Count a row."""
        self.rows += 1
        self.items += items
        if len(self.examples) < EXAMPLES:
            self.examples.append((row_id, " ".join(words.split())[:160]))

    @property
    def remedy(self) -> str:
        """What to do."""
        return REMEDIES.get(self.kind, "the row is left out; its reason says what to mend")


@dataclass(slots=True)
class Audit:
    """The report of a data set. rows = problems + refused; `kinds` counts problems by how their
    tests are written."""

    source: str
    path: str
    rows: int = 0
    problems: int = 0
    refused: int = 0
    tests: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    findings: dict[str, Finding] = field(default_factory=dict)
    solutions_run: int = 0

    def note(self, kind: str, row_id: str, words: str, items: int = 1) -> None:
        """Add a row to a finding."""
        self.findings.setdefault(kind, Finding(kind)).add(row_id, words, items)

    def to_json(self) -> dict[str, Any]:
        """The report as JSON."""
        found = sorted(self.findings.values(), key=lambda f: (-f.rows, f.kind))
        return {
            "source": self.source,
            "path": self.path,
            "rows": self.rows,
            "problems": self.problems,
            "refused": self.refused,
            "tests": self.tests,
            "kinds": dict(sorted(self.kinds.items())),
            "solutions_run": self.solutions_run,
            "findings": [
                {
                    "kind": f.kind,
                    "rows": f.rows,
                    "items": f.items,
                    "remedy": f.remedy,
                    "examples": [{"id": i, "words": w} for i, w in f.examples],
                }
                for f in found
            ],
        }


def detect(path: Location) -> str:
    """The source whose schema the first row has. Raises SourceError naming the columns.

    >>> # detect(Path("TACO/train.parquet"))
    """
    for row in iter_rows(path):
        if row.error:
            raise SourceError(f"{path}: {row.error}")
        columns = set(row.values())
        for name, telling in _SCHEMAS:
            if telling <= columns:
                return name
        raise SourceError(
            f"{path}: the columns {', '.join(sorted(columns))[:300]} are of no known schema; name "
            f"one with --source: {', '.join(sorted(SOURCES))}"
        )
    raise SourceError(f"{path}: no rows")


def audit(
    path: str,
    source: str | None = None,
    limit: int | None = None,
    run_solutions: int = 0,
    progress: Progress = no_progress,
) -> Audit:
    """Read a data set and report. `run_solutions`: run the first accepted Python solution of so
    many rows in the sandbox. Raises SourceError for what can't be read at all.

    >>> # audit("TACO/").findings["functions"].rows
    """
    where = find(source or "taco", path)
    assert where is not None
    name = source or detect(where)
    report = Audit(name, path)
    if isinstance(where, Path):
        _columns(where, report)
    if name == "leetcode_dataset":
        _raw_outputs(where, limit, report)
    seen: set[str] = set()
    runnable: list[Problem] = []
    for row in read_source(name, where, limit):
        report.rows += 1
        progress("doctor dataset", report.rows, limit, row.id)
        if row.id in seen:
            report.note("duplicate_ids", row.id, "seen before")
        seen.add(row.id)
        if isinstance(row, Dropped):
            report.refused += 1
            report.note(row.reason, row.id, str(row.evidence.get("error", "")))
            continue
        _problem(row, report)
        if len(runnable) < run_solutions and any(_accepted(row)):
            runnable.append(row)
    progress("doctor dataset", report.rows, report.rows)
    if runnable:
        _run(runnable, report, progress)
    return report


def _problem(p: Problem, report: Audit) -> None:
    report.problems += 1
    report.tests += len(p.tests)
    kind = "asserts" if p.checker.kind == "asserts" else "function" if p.fn_name else "stdin"
    report.kinds[kind] += 1
    if kind == "function":
        report.note("functions", p.id, f"fn_name {p.fn_name}")
    for name, words in _kind_doubts(p):
        report.note(name, p.id, words)
    for name, fits in _TESTS.items():
        hits = [t for t in p.tests if fits(t.input, t.output)] if kind != "asserts" else []
        if hits:
            report.note(name, p.id, f"{hits[0].input[:60]!r} -> {hits[0].output[:60]!r}", len(hits))
    _, repaired, doubtful = repair_superscripts(p.statement)
    if repaired or doubtful:
        words = f"{len(repaired)} certain, {len(doubtful)} in doubt: {(*repaired, *doubtful)[0]}"
        report.note("lost_superscripts", p.id, words, len(repaired) + len(doubtful))
    flags = statement_flags(p)
    if "answer_not_determined" in flags:
        report.note("needs_special_judge", p.id, str(flags["answer_not_determined"]))


_TESTS: dict[str, Callable[[str, str], bool]] = {
    "error_outputs": lambda given, output: _ERROR.match(output.lstrip("\"'")) is not None,
    "long_integers": lambda given, output: bool(_LONG.search(given) or _LONG.search(output)),
    "empty_outputs": lambda given, output: not output.strip(),
}


def _accepted(p: Problem) -> Iterator[str]:
    return (s.code for s in p.solutions if s.expected == "accepted" and is_python(s))


def _kind_doubts(p: Problem) -> Iterator[tuple[str, str]]:
    """Tests of the wrong kind, told by what the row's own solutions do."""
    codes = list(_accepted(p))[:5]
    reads = [bool(_READS.search(c)) for c in codes]
    if p.fn_name and codes and all(reads) and not any(p.fn_name in c for c in codes):
        yield "function_tests_of_a_program", f"no solution has {p.fn_name}, all read stdin"
    functions = [bool(_DEFINES.search(c)) and not r for c, r in zip(codes, reads, strict=True)]
    starter = bool(_DEFINES.search(p.starter_code))
    if not p.fn_name and p.tests and (all(functions) if codes else starter):
        yield "stdin_tests_of_a_function", (codes[0] if codes else p.starter_code)[:100]


def _raw_outputs(where: Location, limit: int | None, report: Audit) -> None:
    """LeetCodeDataset's `input_output`, which our reader leaves alone and others train on."""
    pairs = 0
    for number, row in enumerate(iter_rows(where)):
        if limit is not None and number >= limit:
            break
        if row.error:
            continue  # the reader reports it
        data = row.values()
        outputs = [str(p.get("output", "")) for p in data.get("input_output") or ()]
        pairs += len(outputs)
        bad = [o for o in outputs if o.startswith("Error")]
        if bad:
            report.note("error_outputs", f"leetcode/{data.get('task_id')}", bad[0], len(bad))
    report.kinds["input_output pairs"] = pairs


def _columns(path: Path, report: Audit) -> None:
    """Columns over 2 GiB in one row group: 32-bit offsets overflow in most readers."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for file in table_files(path) if path.is_dir() else [path]:
        if not file.name.endswith(".parquet"):
            continue
        try:
            meta = pq.read_metadata(file)
        except (pa.ArrowException, OSError):
            continue  # the reader reports it as broken
        for g in range(meta.num_row_groups):
            group = meta.row_group(g)
            for c in range(group.num_columns):
                column = group.column(c)
                if column.total_uncompressed_size > _TWO_GIB:
                    size = column.total_uncompressed_size / 2**30
                    words = f"row group {g}, column {column.path_in_schema}: {size:.1f} GiB"
                    report.note("big_columns", file.name, words)


def _run(problems: list[Problem], report: Audit, progress: Progress) -> None:
    from evaluator.judge import Judge

    with Judge() as judge:
        pairs = ((p, next(_accepted(p))) for p in problems)
        for at, result in judge.map(pairs):
            report.solutions_run += 1
            progress("solutions", report.solutions_run, len(problems), result.verdict)
            if not result.passed:
                words = f"{result.verdict}: {result.detail}"
                report.note("solution_fails", problems[at].id, words)


def write_audit(report: Audit, path: Path) -> None:
    """Write the report as JSON."""
    path.write_text(json.dumps(report.to_json(), ensure_ascii=False, indent=1) + "\n", "utf-8")
