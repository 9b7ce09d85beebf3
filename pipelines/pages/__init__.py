"""Statement pages of the judges: HTML (or LeetCode's JSON) to Markdown, samples, limits, flags.

One module a site, each with `PARSER` (name and version, for provenance) and a pure function:

    codeforces.parse_statement(html, url)   atcoder.parse_statement(html, url)
    leetcode.parse_question(data, url)

Nothing here fetches. A page that can't be read in full raises PageError: half a statement, or a
statement whose samples don't pair up, is never returned. How to: docs/pages.md.
"""

from __future__ import annotations

from dataclasses import dataclass


class PageError(ValueError):
    """A page that is refused. `reason` is a short fixed word for counting; the message says what
    was missing or wrong, and what to do.

    Reasons: `no_statement`, `no_title`, `no_samples`, `sample_mismatch`, `several_statements`,
    `bad_limit`, `bad_metadata`, `bad_text`, `rendered_math`, `cut_page`, `too_large`, `too_deep`,
    `paid`, `no_python`.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class StatementPage:
    """What a page says. `statement` is Markdown with `$...$` LaTeX, sections as `## Input`, and
    the samples as fenced blocks (a reader needs them); `samples` are the same as (input, output),
    LF line ends, each non-empty text ending in one. For function problems an input is one JSON
    value a line (or `name = value, ...` where the page has no more), an output one JSON value.

    Limits: seconds and MiB, None where the page has none. `flags`: `needs_image`, `interactive`,
    `file_io`, `not_english`, `custom_judge`, `unreadable_sample`. `images`: their addresses,
    absolute when `url` was given. `input_file`, `output_file`: names where they aren't standard.
    `level`, `tags`, `slug`, `native_id` (LeetCode's internal number), `shown_id` (the number
    people see): LeetCode only.
    """

    title: str
    statement: str
    samples: tuple[tuple[str, str], ...] = ()
    time_limit_s: float | None = None
    memory_limit_mb: int | None = None
    flags: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    starter_code: str = ""
    fn_name: str | None = None
    input_file: str = ""
    output_file: str = ""
    level: str | None = None
    tags: tuple[str, ...] = ()
    slug: str = ""
    native_id: str = ""
    shown_id: str = ""
