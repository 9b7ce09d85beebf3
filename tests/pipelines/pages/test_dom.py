from __future__ import annotations

import tracemalloc

import pytest
from pages_html import cf_sample, codeforces

from pipelines.pages import PageError
from pipelines.pages import codeforces as cf
from pipelines.pages.dom import MAX_CHARS, parse_html
from pipelines.pages.markdown import html_to_markdown

SAMPLE = cf_sample("<pre>1</pre>", "<pre>2</pre>")


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<p>a<p>b", "a\n\nb"),
        ("<b>bold<i>both</b> one</i> two", "**bold*both*** one two"),
        ("x <= y and a < b & c", "x <= y and a < b & c"),
        ("<ul><li>1<ul><li>2</ul><li>3</ul>", "- 1\n  - 2\n- 3"),
        ("<h3>A  b</h3>text", "### A b\n\ntext"),
        ("<pre>a *b* _c_ $x  y$</pre>", "```\na *b* _c_ $x  y$\n```"),
        ("<pre>```</pre>", "````\n```\n````"),
        ("a_b * c_d `e`", "a_b * c_d `e`"),
        ("$a_1 *  b_2$ and $$x\n  y$$", "$a_1 *  b_2$ and $$x\n  y$$"),
        ("<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>",
         "| a | b |\n| --- | --- |\n| 1 | 2 |"),
        ("n<sup>2</sup> 10<sup>-9</sup> 2<sup>n+1</sup> x<sup>*</sup> a<sub>i,j</sub>",
         "n^2 10^-9 2^{n+1} x* a_{i,j}"),
        ("<code>10<sup>5</sup></code>", "`10^5`"),
        ("one<br>two<br/>three", "one\ntwo\nthree"),
        ("a&nbsp;&nbsp;b &copy; &bogus; &#0; &#xD800;x", "a b © &bogus; \ufffd \ufffdx"),
        ("<script>alert(1)</script><style>p{}</style><!-- c -->t<![CDATA[u]]>", "t"),
        ("a\0b", "a\ufffdb"),
        ("<p>שלום <b>עולם</b> \u202eabc\u202c</p>", "שלום **עולם** \u202eabc\u202c"),
        ("", ""),
    ],
)  # fmt: skip
def test_markup_of_every_kind(html: str, markdown: str) -> None:
    assert html_to_markdown(html) == markdown


def test_a_page_of_50_mb_is_refused_without_being_parsed() -> None:
    page = codeforces(SAMPLE, legend="<p>" + "x" * 50_000_000 + "</p>")
    tracemalloc.start()
    with pytest.raises(PageError, match=r"50,0.* characters, over 4,194,304") as e:
        cf.parse_statement(page)
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()
    assert e.value.reason == "too_large"
    with pytest.raises(PageError, match="tags") as e:
        cf.parse_statement("<b>" * 200_000)
    assert e.value.reason == "too_large"


def test_a_large_page_below_the_bounds_is_read() -> None:
    lines = "".join(f"<div class='test-example-line'>{i}</div>" for i in range(20_000))
    text = "<p>" + "word $$$a_1$$$ " * 20_000 + "</p>"
    page = cf.parse_statement(
        codeforces(cf_sample(f"<pre>{lines}</pre>", "<pre>2</pre>"), legend=text)
    )
    assert page.samples[0][0].count("\n") == 20_000
    assert page.statement.count("$a_1$") == 20_000


@pytest.mark.parametrize("depth", [160, 300, 5_000, 30_000])
def test_deep_nesting_is_refused(depth: int) -> None:
    nest = "<div>" * depth + "x" + "</div>" * depth
    with pytest.raises(PageError) as e:
        cf.parse_statement(codeforces(SAMPLE, legend=nest))
    assert e.value.reason == "too_deep"
    assert html_to_markdown("<div>" * 140 + "x" + "</div>" * 140) == "x"


def test_openings_without_an_end_cost_linear_time() -> None:
    for piece in ("\\(", "\\[", "$$$", "$", "$$$a", "<var>", "<sup>", "$$$$$$ $$$"):
        text = piece * (20_000 if "<" not in piece else 60)
        assert html_to_markdown(text) is not None
    assert len("\\(" * 20_000) < MAX_CHARS


def test_lone_surrogates_are_refused_and_rare_characters_kept() -> None:
    with pytest.raises(PageError, match="lone surrogate at character 3") as e:
        parse_html("<p>\ud83d</p>")
    assert e.value.reason == "bad_text"
    assert html_to_markdown("😀 \U0001d4b3") == "😀 \U0001d4b3"
