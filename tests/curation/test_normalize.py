from __future__ import annotations

from dataclasses import replace

import pytest
from curation_helpers import dropped, folder_bytes, kept, problem

from curation.normalize import NormalizeConfig, clean_problem, normalize
from curation.tests_kept import truncate_tests
from curation.text import clean, dedup_tokens, ngram_words, sibling_titles, slug
from pipelines.config import ConfigError, parse_config
from pipelines.problem import TestCase


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("a\r\nb\rc", "a\nb\nc"),
        ("n&nbsp;&lt; 5 &amp;lt; x", "n < 5 < x"),
        ("a\u200bb\u00a0c\ufeff", "ab c"),
        ("e\u0301", "é"),
        ("x  \n\n\n\ny\t", "x\n\ny"),
        ("if (a &lt b) &copy", "if (a &lt b) &copy"),  # no semicolon: code, not an entity
        (r"$a \leq 10^{5} &  b$", r"$a \leq 10^{5} &  b$"),
        (
            "see\n```\na  \r\n\n\n\n&lt;\u00a0b\n```\nend",
            "see\n```\na  \n\n\n\n&lt;\u00a0b\n```\nend",
        ),
        ("<pre>\n1  \n\n\n2 &gt;</pre>", "<pre>\n1  \n\n\n2 &gt;</pre>"),
        ("the entity &quot; stands for", "the entity &quot; stands for"),
        ("می\u200cخواهم a\u200d", "می\u200cخواهم a"),
    ],
)
def test_clean(raw: str, expected: str) -> None:
    assert clean(raw) == expected
    assert clean(expected) == expected


def test_spellings_of_exponents_and_signs_agree_and_numbers_stay() -> None:
    spellings = [
        "1 <= n <= 10^5", r"$1 \leq n \le 10^{5}$", "1 ≤ n ≤ 10⁵", "1 &le; n &lt;= 10<sup>5</sup>",
        "1 <= n <= 10**5",
    ]  # fmt: skip
    assert {" ".join(dedup_tokens(s)) for s in spellings} == {"1 <= n <= 10 ^ 5"}
    assert dedup_tokens("n <= 100") != dedup_tokens("n <= 1000")
    assert dedup_tokens("a < b") != dedup_tokens("a > b")
    assert dedup_tokens("x is -1") != dedup_tokens("x is 1")
    assert dedup_tokens("100,000 items") == dedup_tokens("100000 items")
    # A source that lost its superscripts still matches the benchmark, but not in dedup.
    assert {" ".join(ngram_words(s)) for s in [*spellings[1:4:2], "1 n 105"]} == {"1 n 105"}
    assert dedup_tokens("n <= 105") != dedup_tokens("n <= 10^5")


def test_slugs_and_siblings() -> None:
    assert slug("A. Short Sort") == slug("short-sort") == "short-sort"
    assert slug("C++ Style") == "c-style"
    assert slug("Места в самолёте") == "места-в-самолёте"
    assert sibling_titles("x-i", "x-ii")
    assert sibling_titles("two-d-easy-version", "two-d-hard-version")
    assert sibling_titles("x", "x-ii")
    assert not sibling_titles("x-ii", "x-ii")
    assert not sibling_titles("", "x")


def test_rows_are_cleaned_or_dropped_with_a_reason(shards, tmp_path) -> None:
    good = problem("a/good", "Add the two&nbsp;numbers given.\r\n", title=" A  B ")
    odd = TestCase("1 2\r\n\u00a0", " 3 \n", "sample", "s1")
    good = replace(good, tests=(odd, TestCase("1", "2"), TestCase(odd.input, odd.output)))
    rows = [
        good,
        problem("a/short", "Too short. "),
        problem("a/empty", tests=()),
        problem("a/absent", "English description is not available for the problem. Please"),
        problem("a/talks", flags=("interactive",)),
        problem("a/good", "Another statement under the same id."),
        problem("a/rus", "Дано целое число, выведите его квадрат."),
        problem("a/pic", flags=("needs_image",)),
    ]
    result = normalize([shards(rows)], tmp_path / "out")
    assert [p.id for p in kept(result.out)] == ["a/good", "a/rus", "a/pic"]
    first, russian, picture = kept(result.out)
    assert (first.title, first.statement) == ("A B", "Add the two numbers given.")
    assert first.tests == (odd, TestCase("1", "2"))  # bytes untouched, the repeat left out
    assert russian.flags == ("not_english",)
    assert picture.flags == ("needs_image",)
    assert dropped(result.out) == {
        "a/short": ("short_statement", {"chars": 10, "least": 20}),
        "a/empty": ("no_tests", {}),
        "a/absent": ("placeholder_statement", {}),
        "a/talks": ("interactive", {"words": "named by the source"}),
        "a/good": ("duplicate_id", {"of": "a/good", "first_row": 0}),
    }
    assert result.extra["duplicate_tests_removed"] == 1
    assert result.kept + result.dropped == result.n_in == 8

    again = normalize([result.out], tmp_path / "again")
    assert (again.kept, again.extra["statements_changed"]) == (3, 0)
    other = normalize([tmp_path / "in"], tmp_path / "other")
    assert folder_bytes(other.out) == folder_bytes(result.out)
    assert normalize([tmp_path / "in"], tmp_path / "other").reused


def test_flags_to_drop_and_wrong_configs(shards, tmp_path) -> None:
    source = shards([problem("a/1", flags=("interactive",)), problem("a/2", flags=("x",))])
    config = NormalizeConfig(drop_flags=("x",))
    result = normalize([source], tmp_path / "out", config)
    assert (result.reasons, [p.id for p in kept(result.out)]) == ({"x": 1}, ["a/1"])
    with pytest.raises(ConfigError, match="did you mean 'min_statement_chars'"):
        parse_config({"min_statement_char": 3}, NormalizeConfig, "c.toml")


def test_truncate_tests() -> None:
    sizes = [3, 1, 5, 2, 5]
    tests = tuple(
        TestCase("x" * n, "", "sample" if n == 1 else "hidden", str(i)) for i, n in enumerate(sizes)
    )
    p = problem("a/b", tests=tests)
    assert [t.name for t in truncate_tests(p, 3).tests] == ["0", "2", "4"]
    assert [t.name for t in truncate_tests(p, 2, "samples_first").tests] == ["1", "2"]
    assert truncate_tests(p) is p
    with pytest.raises(ValueError, match="max_tests"):
        truncate_tests(p, 0)
    with pytest.raises(ValueError, match="rule"):
        truncate_tests(p, 1, "shortest")  # type: ignore[arg-type]


def test_flags_come_with_evidence_and_samples_from_the_statement(shards, tmp_path) -> None:
    text = (
        "<p>Print any of them. n is at most 10<sup>5</sup>.</p><h3>Sample Input 1</h3>"
        "<pre>1 2</pre>"
        "<h3>Sample Output 1</h3><pre>3</pre>"
    )
    tests = (TestCase("5 5\n", "10\n"),)
    kept_flags = ("lost_superscripts", "mine")
    rows = [
        problem("a/html", text, tests=tests),
        problem("a/fn", text, fn_name="f", tests=tests),
        problem("a/has", text, tests=(*tests, TestCase("9\n", "9\n", "sample"))),
        problem("a/same", text, tests=(TestCase("1  2\n", "3"),)),
        problem("a/none", text, tests=()),
        problem("a/lost", "Add them, modulo 109 + 7.", flags=kept_flags),
        problem("a/doubt", "Add them up to 105 times.", flags=kept_flags),
        problem("a/talks", "This is an interactive problem about jars."),
    ]
    result = normalize([shards(rows)], tmp_path / "out")
    by_id = {p.id: p for p in kept(result.out)}
    first = by_id["a/html"]
    assert first.statement.startswith("Print any of them. n is at most 10^5.\n\n### Sample Input 1")
    assert first.tests == (TestCase("1 2\n", "3\n", "sample", "statement-1"), *tests)
    assert first.flags == ("answer_not_determined",)
    assert all(len(by_id[i].tests) == n for i, n in (("a/fn", 1), ("a/has", 2), ("a/same", 1)))
    assert by_id["a/lost"].statement == "Add them, modulo 10^9 + 7."
    assert by_id["a/lost"].flags == ("mine",)
    assert by_id["a/doubt"].flags == kept_flags
    assert dropped(result.out) == {
        "a/none": ("no_tests", {}),
        "a/talks": ("interactive", {"words": "This is an interactive problem"}),
    }
    assert result.extra["samples_from_statements"] == 1
    assert result.extra["superscripts_repaired"] == 1
    assert result.extra["flags"] == {
        "answer_not_determined": 5, "interactive": 1, "lost_superscripts": 1,
    }  # fmt: skip
    assert result.extra["flag_examples"]["lost_superscripts"] == [
        {"id": "a/doubt", "words": "Add them up to 105 times."}
    ]
    assert len(result.extra["flag_examples"]["answer_not_determined"]) == 3


def test_an_explanation_after_an_empty_output_is_no_sample() -> None:
    text = (
        "Erase the brackets.\n\nSample Input 1\n\n2\n()\n\nSample Output 1\n\n\nThe string may be "
        "empty.\n\nSample Input 2\n\n1\na\n\nSample Output 2\n\na\n"
    )
    p = clean_problem(problem("a/b", text, tests=(TestCase("1\nx\n", "x\n"),))).problem
    assert [t.name for t in p.tests] == ["statement-2", ""]
