"""open-r1/codeforces: statements in parts, official tests (the long ones cut off), Python checkers.

A `generated_checker` takes three files (input, answer, output) and prints 1 for right; it is put
into the evaluator's protocol and runs in the sandbox. The generated tests lie in files of their own
(`generated_tests/`), of which the row tells only the number: they are not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pipelines.asserts import parse_source
from pipelines.problem import Checker, Problem, ProblemError, Provenance, TestCase, require_text
from pipelines.sources.io_tests import day, mebibytes, seconds
from pipelines.sources.location import Location
from pipelines.sources.rows import Row, read_rows, with_tests
from pipelines.stage import Decision

PARSER = "open_r1_codeforces/1"
LICENCE = "CC-BY-4.0 (open-r1/codeforces)"
#: Codeforces shows about 255 characters of a test.
_SHOWN = 200
_PARTS = (
    ("input_format", "Input"),
    ("output_format", "Output"),
    ("interaction_format", "Interaction"),
    ("note", "Note"),
)
#: The evaluator's checkers get INPUT ANSWER FEEDBACK_DIR, the output on stdin, and end with 42 or
#: 43 (Kattis); these get INPUT ANSWER OUTPUT and print a score.
_WRAPPER = """import contextlib, io, os, sys
_code = {code!r}
_path = os.path.join(sys.argv[3], "output.txt")
with open(_path, "w") as _f:
    _f.write(sys.stdin.read())
sys.argv = ["checker.py", sys.argv[1], sys.argv[2], _path]
_said = io.StringIO()
try:
    with contextlib.redirect_stdout(_said):
        exec(compile(_code, "checker.py", "exec"), {{"__name__": "__main__"}})
except SystemExit:
    pass
_words = _said.getvalue().split()
# anything but a number is the checker's own fault, and the judge says so
sys.exit(42 if float(_words[-1]) >= 1 else 43)
"""


def read(path: Location | None) -> Iterator[Decision]:
    """Problems of open-r1/codeforces rows."""
    assert path is not None  # the registry asks for one

    def parse(data: dict[str, Any], row: Row) -> Decision:
        return with_tests(_problem(data, row), path, row)

    return read_rows(path, "open_r1_codeforces", parse, lambda d: d["id"])


def wrapped_checker(code: str) -> str:
    """The checker's source in the evaluator's protocol. Raises ProblemError for code that does
    not compile."""
    parse_source(code, "field 'generated_checker'")
    return _WRAPPER.format(code=code)


def _problem(data: dict[str, Any], row: Row) -> Problem:
    native = require_text(data["id"], "id")
    parts = [require_text(data["description"], "description")]
    for column, title in _PARTS:
        if text := data.get(column):
            parts.append(f"## {title}\n\n{require_text(text, column)}")
    tests = [_case(t, "sample") for t in data.get("examples") or ()]
    seen = {(t.input, t.output) for t in tests}
    cut = 0
    for test in data.get("official_tests") or ():
        case = _case(test, "hidden")
        if _is_cut(case.input) or _is_cut(case.output):
            cut += 1  # Codeforces shows the beginning of a long test
        elif (case.input, case.output) not in seen:
            tests.append(case)
    flags = []
    if data.get("interaction_format"):
        flags.append("interactive")
    if data.get("input_mode") not in (None, "", "stdio"):
        flags.append("file_io")
    if cut or data.get("official_tests_complete") is False:
        flags.append("tests_incomplete")
    checker = Checker()
    if code := data.get("generated_checker"):
        try:
            source = wrapped_checker(require_text(code, "generated_checker"))
            checker = Checker("program", (), source)
        except ProblemError:
            flags.append("checker_unusable")
    rating = data.get("rating")
    return Problem(
        id=f"open_r1_codeforces/{native}",
        title=require_text(data.get("title") or "", "title"),
        statement="\n\n".join(parts),
        url=f"https://codeforces.com/problemset/problem/{native}",
        tests=tuple(tests),
        checker=checker,
        time_limit_s=seconds(data.get("time_limit")),
        memory_limit_mb=mebibytes(data.get("memory_limit")),
        rating=float(rating) if isinstance(rating, int | float) else None,
        tags=tuple(str(t) for t in data.get("tags") or ()),
        flags=tuple(flags),
        released_at=day(data.get("contest_start")),
        licence=LICENCE,
        provenance=Provenance(row.origin, None, row.sha256, PARSER),
    )


def _is_cut(text: str) -> bool:
    """True for the beginning of a long test, which Codeforces shows with dots after it. A grid may
    end in dots too, but it is no wider than its lines before."""
    text = text.rstrip()
    return (
        len(text) >= _SHOWN and text.endswith("...") and set(text[-40:]) - set(".#*_ \n") != set()
    )


def _case(test: Any, kind: Any) -> TestCase:
    return TestCase(
        require_text(test["input"], "tests.input"),
        require_text(test["output"], "tests.output"),
        kind,
    )
