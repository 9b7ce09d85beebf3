from __future__ import annotations

import pytest
from pages_html import cf_sample, codeforces

from pipelines.pages import PageError
from pipelines.pages.codeforces import PARSER, parse_statement

TWO = cf_sample("<pre>\n2\n1 2\n</pre>", "<pre>\n3\n</pre>")
LINES = "".join(
    f"<div class='test-example-line test-example-line-{'odd' if i % 2 else 'even'} "
    f"test-example-line-{i}'>{line}</div>"
    for i, line in enumerate(("2", "", "1 2"))
)


def refused(html: str) -> PageError:
    with pytest.raises(PageError) as e:
        parse_statement(html)
    return e.value


def test_a_whole_page() -> None:
    note = (
        "<div class='note'><div class='section-title'>Note</div><p>See "
        "<img src='/odd.png' alt='jars'> and $$$$$$\\sum_{i=1}^{n} a_i * b_i$$$$$$.</p></div>"
    )
    legend = (
        "<p>Jars cost $5. If $$$a_i<b_i$$$ print <span class='tex-font-style-tt'>YES</span>,"
        "&nbsp;else <b>NO</b>.<!-- hidden --></p><ul><li>one</li><li>two</li></ul>"
    )
    page = parse_statement(codeforces(TWO, legend=legend, note=note), "https://cf.example/p/1/B2")
    assert page.statement == (
        "Jars cost \\$5. If $a_i<b_i$ print YES, else **NO**.\n\n- one\n- two\n\n"
        "## Input\n\nOne line with $n$.\n\n## Output\n\nPrint the number.\n\n"
        "## Sample Input 1\n\n```\n2\n1 2\n```\n\n## Sample Output 1\n\n```\n3\n```\n\n"
        "## Note\n\nSee ![jars](/odd.png) and $$\\sum_{i=1}^{n} a_i * b_i$$."
    )
    assert (page.title, page.time_limit_s, page.memory_limit_mb) == ("Odd Jars", 1.5, 256)
    assert page.samples == (("2\n1 2\n", "3\n"),)
    assert (page.flags, page.images) == (("needs_image",), ("https://cf.example/odd.png",))
    assert PARSER == "codeforces_page/1"


@pytest.mark.parametrize(
    ("pre", "text"),
    [
        ("<pre>2\n\n1 2</pre>", "2\n\n1 2\n"),
        ("<pre id='id0042'>\r\n2\r\n\r\n1 2\r\n</pre>", "2\n\n1 2\n"),
        ("<pre>2<br>\n<br />1 2<br /></pre>", "2\n\n\n1 2\n"),  # a newline after <br> counts
        ("<pre>2<br /><br/>1 2<br></pre>", "2\n\n1 2\n"),
        (f"<pre>{LINES}</pre>", "2\n\n1 2\n"),
        (f"<pre id='i'>{LINES.replace('</div>', '</div>' + chr(10))}</pre>", "2\n\n1 2\n"),
        (f"<pre>\n<div>{LINES}</div></pre>", "2\n\n1 2\n"),
        (f"<pre>{LINES}<div>9</div></pre>", "2\n\n1 2\n9\n"),
        ("<pre>2<div>3</div>4</pre>", "2\n3\n4\n"),
        ("<pre>1&nbsp;2&#8203; &lt; &amp;\n</pre>", "1 2 < &\n"),
        ("<pre>  1\n  2  \n</pre>", "  1\n  2  \n"),
        ("<pre>\n\nx</pre>", "\nx\n"),
        ("<pre></pre>", ""),
    ],
)
def test_every_form_of_a_sample(pre: str, text: str) -> None:
    page = parse_statement(codeforces(cf_sample(pre, "<pre>0</pre>")))
    assert page.samples == ((text, "0\n"),)


def test_several_samples_in_one_block_or_many() -> None:
    many = TWO + cf_sample("<pre>7</pre>", "<pre>8</pre>")
    one = many.replace("</div><div class='sample-test'>", "")
    want = (("2\n1 2\n", "3\n"), ("7\n", "8\n"))
    assert parse_statement(codeforces(many)).samples == want
    assert parse_statement(codeforces(one)).samples == want
    loose = codeforces(many).replace("class='sample-tests'", "class='samples'")
    assert parse_statement(loose).samples == want


def test_titles_nested_in_each_other_and_without_an_index() -> None:
    nested = "<div class='title'><div class='title'>B2. <span>Odd</span> Jars</div></div>"
    assert parse_statement(codeforces(TWO, title=nested)).title == "Odd Jars"
    plain = "<div class='title'>Mr. K. Jars</div>"
    assert parse_statement(codeforces(TWO, title=plain)).title == "Mr. K. Jars"


@pytest.mark.parametrize(
    ("time", "memory", "want"),
    [
        ("2 seconds", "64 megabytes", (2.0, 64)),
        ("0.5 seconds", "1 gigabyte", (0.5, 1024)),
        ("1,5 секунды", "256 мегабайт", (1.5, 256)),
        ("2000 ms", "65536 KB", (2.0, 64)),
    ],
)
def test_limits(time: str, memory: str, want: tuple[float, int]) -> None:
    old = f"<div class='time-limit'>{time}</div><div class='memory-limit'>{memory}</div>"
    page = parse_statement(codeforces(TWO, limits=old))
    assert (page.time_limit_s, page.memory_limit_mb) == want


def test_missing_limits_are_none_and_unreadable_ones_an_error() -> None:
    page = parse_statement(codeforces(TWO, limits=""))
    assert (page.time_limit_s, page.memory_limit_mb) == (None, None)
    assert (
        refused(codeforces(TWO, limits="<div class='time-limit'>soon</div>")).reason == "bad_limit"
    )
    stones = "<div class='memory-limit'>3 stones</div>"
    assert "3 stones" in str(refused(codeforces(TWO, limits=stones)))


def test_files_interaction_and_another_language_are_flagged() -> None:
    page = parse_statement(codeforces(TWO, files=("jars.in", "jars.out")))
    assert (page.flags, page.input_file, page.output_file) == (("file_io",), "jars.in", "jars.out")
    page = parse_statement(codeforces(TWO, files=("input.txt", "стандартный вывод")))
    assert (page.flags, page.input_file, page.output_file) == (("file_io",), "input.txt", "")
    russian = codeforces(
        TWO,
        legend="<p>Посчитайте банки, их <i>n</i> штук, и найдите, сколько из них нечётных,"
        " а сколько чётных.</p>",
        section="Входные данные",
    )
    page = parse_statement(russian)
    assert page.flags == ("not_english",)
    assert "## Input" in page.statement
    assert parse_statement(codeforces(TWO, section="Interaction")).flags == ("interactive",)
    said = "<p>This is an interactive problem. Ask about jars.</p>"
    page = parse_statement(codeforces("", legend=said))
    assert (page.flags, page.samples) == (("interactive",), ())
    said = "<p>This version is not interactive; jars.</p>"
    assert parse_statement(codeforces(TWO, legend=said)).flags == ()


def test_formulas_of_old_and_of_saved_pages() -> None:
    old = (
        "<p>For <span class='tex-span'>1 ≤ <i>a</i><sub class='lower-index'><i>i</i></sub> ≤ 10"
        "<sup class='upper-index'>18</sup></span> and 2<sup>n-1</sup>, the 1<sup>st</sup> of "
        "H<sub>2</sub>O.</p>"
    )
    text = parse_statement(codeforces(TWO, legend=old)).statement
    assert text.startswith("For $1 ≤ a_i ≤ 10^{18}$ and 2^{n-1}, the 1st of H_2O.")
    saved = (
        "<p>Take <span class='MathJax_Preview'>n</span><span class='MathJax'><nobr>n drawn</nobr>"
        "</span><script type='math/tex'>n < 10^5</script> jars, <span class='MathJax_Display'>x"
        "</span><script type='math/tex; mode=display'>\\frac{a}{b}</script></p>"
    )
    text = parse_statement(codeforces(TWO, legend=saved)).statement
    assert text.startswith("Take $n < 10^5$ jars, $$\\frac{a}{b}$$")
    drawn = "<p>Take <mjx-container><mjx-math>n</mjx-math></mjx-container> jars</p>"
    assert refused(codeforces(TWO, legend=drawn)).reason == "rendered_math"
    picture = "<p>Take <img class='tex-formula' src='https://x.example/f.png'> jars</p>"
    assert parse_statement(codeforces(TWO, legend=picture)).flags == ("needs_image",)


def test_pages_that_are_refused() -> None:
    check = "<html><body>Please wait. Your browser is being checked.</body></html>"
    assert refused(check).reason == refused("").reason == "no_statement"
    assert refused("<div class='problem-statement'>x</div>").reason == "no_title"
    assert refused(codeforces("")).reason == "no_samples"
    cut = cf_sample("<pre>1</pre>", "<pre>2</pre>") + "<div class='input'><pre>3</pre></div>"
    e = refused(codeforces(cut))
    assert (e.reason, "2 sample inputs but 1 outputs" in str(e)) == ("sample_mismatch", True)
    assert refused(codeforces(cf_sample("<p>1</p>", "<pre>2</pre>"))).reason == "sample_mismatch"
    assert refused(codeforces(TWO) * 2).reason == "several_statements"
    whole = codeforces(TWO)
    for end in range(0, len(whole) - len("</body></html>"), 7):
        refused(whole[:end])
    part = whole[whole.index("<div class='ttypography'>") : whole.index("</body>")]
    assert parse_statement(part) == parse_statement(whole)  # an element saved by itself
    assert refused(part[: part.rindex("</pre>")]).reason == "cut_page"
