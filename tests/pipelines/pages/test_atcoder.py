from __future__ import annotations

import pytest
from pages_html import ENGLISH, JAPANESE, at_part, atcoder

from pipelines.pages import PageError
from pipelines.pages.atcoder import PARSER, parse_statement

SAMPLES = (("2\n1 2\n", "3\n"), ("1\n5 5\n", "0\n"))


def refused(html: str) -> PageError:
    with pytest.raises(PageError) as e:
        parse_statement(html)
    return e.value


def test_the_english_half_of_a_page() -> None:
    page = parse_statement(atcoder(f"<span class='lang'>{JAPANESE}{ENGLISH}</span>"))
    assert page.statement == (
        "Score : $300$ points\n\n## Problem Statement\n\nCount $N$ jars, $A_1 < A_2$.\n\n"
        "## Constraints\n\n- $1 \\leq N \\leq 10^{5}$\n\n## Input\n\n```\nN\nA_1 A_2\n```\n\n"
        "## Output\n\nPrint it.\n\n---\n\n"
        "## Sample Input 1\n\n```\n2\n1 2\n```\n\n## Sample Output 1\n\n```\n3\n```\n\n"
        "As drawn:\n\n```\nx.x\n```\n\n"
        "## Sample Input 2\n\n```\n1\n5 5\n```\n\n## Sample Output 2\n\n```\n0\n```"
    )
    assert (page.title, page.samples, page.flags) == ("Odd Jars", SAMPLES, ())
    assert (page.time_limit_s, page.memory_limit_mb) == (2.5, 1024)
    assert PARSER == "atcoder_page/1"


def test_japanese_where_there_is_no_english() -> None:
    for empty in ("", "<span class='lang-en'> \n</span>"):
        html = atcoder(
            f"<span class='lang'>{empty}{JAPANESE}</span>",
            limits="実行時間制限: 2 sec / メモリ制限: 64 MB",
        )
        page = parse_statement(html)
        assert (page.flags, page.samples) == (("not_english",), SAMPLES)
        assert (page.time_limit_s, page.memory_limit_mb) == (2.0, 64)
    page = parse_statement(atcoder(JAPANESE.replace("lang-ja", "old")))  # before the two halves
    assert (page.flags, page.samples) == (("not_english",), SAMPLES)


def test_headings_outside_their_sections() -> None:
    body = "".join(
        f"<div class='part'><h3>{heading}</h3><section><pre>{text}</pre><p>Why</p>"
        "<pre>no sample</pre></section></div>"
        for heading, text in (("入力例１", "2\n1 2"), ("出力例１", "3"))
    )
    text = "<p>瓶をかぞえる。</p>"
    assert parse_statement(atcoder(text + body)).samples == SAMPLES[:1]
    flat = (
        "<h3>Problem</h3><p>Jars, jars.</p><h3>Input Example 1</h3><pre>2\n1 2\n</pre>"
        "<h3>Output Example 1</h3><pre>3\n</pre>"
    )
    assert parse_statement(atcoder(flat)).samples == SAMPLES[:1]
    rst = (
        "<p>瓶をかぞえる。</p><p>入力例 1:</p><pre class='literal-block'>2\n1 2\n</pre>"
        "<p>入力例 1 に対する出力例:</p><p>出力例 1:</p><pre class='literal-block'>3\n</pre>"
    )
    assert parse_statement(atcoder(rst)).samples == SAMPLES[:1]
    one = "<h3>Sample Input</h3><pre>1</pre><h3>Sample Output</h3><pre>2</pre>"
    assert parse_statement(atcoder(f"<p>Jars.</p>{one}")).samples == (("1\n", "2\n"),)


def test_formulas() -> None:
    body = (
        "<p>Let <var>i<j</var>, <var>A<sub>i</sub> = 10<sup>18</sup></var>, \\(100\\), "
        "\\[ x_1 * x_2 \\], $y_1$ and <var><span class='katex'><span class='katex-mathml'><math>"
        "<annotation encoding='application/x-tex'>N \\le 5</annotation></math></span>"
        "<span class='katex-html'>N≤5</span></span></var>; <code>a_<var>k</var></code>.</p>"
    )
    html = atcoder(ENGLISH.replace("<p>Print it.</p>", body))
    assert (
        "Let $i<j$, $A_i = 10^{18}$, $100$, $$ x_1 * x_2 $$, $y_1$ and $N \\le 5$; `a_k`."
        in parse_statement(html).statement
    )


def test_interactive_tasks_need_no_samples() -> None:
    text = "<p>This is an <b>interactive</b> task. Ask the judge about jars.</p>"
    page = parse_statement(atcoder(text.replace("<b>", "").replace("</b>", "")))
    assert (page.flags, page.samples) == (("interactive",), ())
    ja = "<p>この問題はインタラクティブ形式の問題です。</p>"
    assert parse_statement(atcoder(ja)).flags == ("interactive", "not_english")
    no = "<p>This is not an interactive task.</p>"
    assert parse_statement(atcoder(ENGLISH.replace("<p>Print it.</p>", no))).flags == ()


def test_titles_limits_and_pictures() -> None:
    html = atcoder(ENGLISH.replace("Print it.", "Print <img src='a.png'> it."))
    assert parse_statement(html, "https://at.example/t/x").images == ("https://at.example/t/a.png",)
    html = atcoder(ENGLISH, title="Ex - A - B").replace("<span class='h2'>", "<span class='h'>")
    assert parse_statement(html).title == "A - B"
    html = atcoder(ENGLISH, limits="Welcome")
    assert parse_statement(html).time_limit_s is None
    html = atcoder(ENGLISH, limits="Time Limit: 2000 msec / Memory Limit: 1 GB")
    page = parse_statement(html)
    assert (page.time_limit_s, page.memory_limit_mb) == (2.0, 1024)


@pytest.mark.parametrize(
    ("html", "reason", "says"),
    [
        ("<h1>Sign In</h1><form>", "no_statement", "login"),
        (atcoder(" "), "no_statement", "empty"),
        (atcoder("<p>Jars.</p>"), "no_samples", "入力例 1"),
        (atcoder(ENGLISH.replace("Sample Output 2", "More")), "sample_mismatch", "[1, 2]"),
        (atcoder(ENGLISH.replace("Output 2", "Output 3")), "sample_mismatch", "[1, 3]"),
        (atcoder(JAPANESE + ENGLISH.replace("lang-en", "x")), "", ""),
        (
            atcoder(at_part("Jars", "") + ENGLISH[24:].replace("2<", "1<")),
            "sample_mismatch",
            "share",
        ),
        (f"<div id='task-statement'>{ENGLISH}</div>", "no_title", "title"),
    ],
)
def test_pages_that_are_refused(html: str, reason: str, says: str) -> None:
    if not reason:  # halves that can't be told apart: the Japanese one is taken, and flagged
        assert parse_statement(html).samples == SAMPLES
        return
    e = refused(html)
    assert (e.reason, says in str(e)) == (reason, True)
