from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.markup import is_html, to_plain
from curation.normalize import clean_statement
from curation.repair import repair_superscripts

DOCUMENT = (
    "<p>Given&nbsp;<code>a</code>, add 10<sup>5</sup> &amp; <strong>print</strong> it.</p>\n\n"
    "<pre>\n<strong>Input:</strong> a = 1\n  b &lt; 2\n</pre>\n"
    "<ul>\n<li>one</li>\n<li>two</li>\n</ul>"
)
MARKDOWN = "Given `a`, add 10^5 & **print** it.\n\n```\nInput: a = 1\n  b < 2\n```\n\n- one\n- two"


def test_a_document_becomes_markdown() -> None:
    assert is_html(DOCUMENT)
    assert clean_statement(DOCUMENT) == MARKDOWN
    escaped = DOCUMENT.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert clean_statement(escaped) == MARKDOWN


@pytest.mark.parametrize(
    "text",
    [
        "Wrap each word in <p>...</p> tags, or <div></div>.",
        "The <br> tag and <b>bold</b> text are HTML; <p> too.",
        'Return "<b>abc</b>xyz" and "<p>x</p>".',
        "Given a vector<int> and a map<string, int>, if a<b and c>d print <x>.",
        "<DIV>This is the first line <![CDATA[<div>]]></DIV>",
        "```html\n<p>10<sup>5</sup></p>\n```",
        "Use `10<sup>5</sup>` and `$$$`.",
        "x <= y < z, List<List<Integer>> f(p)",
        "<p>unclosed <b>bold</p>",
    ],
)
def test_talk_of_tags_and_code_stay(text: str) -> None:
    assert to_plain(text) == text


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("10<sup>18</sup>, a<sub>i</sub>, 2<sup>n - 1</sup>.", "10^18, a_i, 2^{n - 1}."),
        ("the 1<sup>st</sup> of <var>N</var>", "the 1st of $N$"),
        ("one<br>two<br />\nthree", "one\ntwo\nthree"),
        ("$$$n \\le 5$$$ and $$$$$$\\sum a_i$$$$$$", "$n \\le 5$ and $$\\sum a_i$$"),
        ("# Title\n\n- 10<sup>5</sup>\n\n    x<sup>2</sup>", "# Title\n\n- 10^5\n\n    x^2"),
    ],
)  # fmt: skip
def test_bits_of_markup_in_other_texts(text: str, plain: str) -> None:
    assert to_plain(text) == plain


def test_a_document_out_of_bounds_stays() -> None:
    deep = "<p>" + "<b>" * 200 + "x" + "</b>" * 200 + "</p>"
    assert to_plain(deep) == deep


PIECES = st.lists(
    st.sampled_from(
        [
            "<p>", "</p>", "<b>", "</b>", "<pre>", "</pre>", "<sup>", "</sup>", "10<sup>5</sup>",
            "&lt;", "&amp;", "&nbsp;", "&amp;lt;", "p&gt;", "$", "$$$", "$a_1 \\le b$", "`x < y`",
            "```\n", "\n", "\r\n", "\n\n", " ", "word", "1 <= n <= 105", "109 + 7", "<br>",
            "- item", "\u200b", "\u00a0", "\u202e", "é", "עברית", "<", ">", "\\", "'", '"', "<var>",
            "</var>", "Constraints:", "^", "5",
        ]
    ) | st.text(max_size=4, alphabet=st.characters(codec="utf-8")),
    max_size=14,
).map("".join)  # fmt: skip


@given(PIECES)
@settings(max_examples=400, deadline=None)
def test_twice_is_once(text: str) -> None:
    once = clean_statement(text)
    assert clean_statement(once) == once
    mended = repair_superscripts(once)[0]
    assert repair_superscripts(mended)[0] == mended
    assert clean_statement(mended) == mended


TEX = st.text("abn_^{}\\ ,+*=<>&;10", min_size=1, max_size=20).filter(
    lambda t: t == t.strip() and "&" not in t and "<" not in t
)
CODE = st.text("abn_^{}\\ ,+*=<>&;10$'\"", min_size=1, max_size=20).filter(
    lambda t: t == t.strip() and not t.startswith("`")
)


@given(TEX, CODE)
@settings(max_examples=200, deadline=None)
def test_formulas_and_code_survive_byte_for_byte(tex: str, code: str) -> None:
    text = f"Take ${tex}$ now.\n\n```\n{code}\n```\n\nEnd."
    assert clean_statement(text) == text
    escaped = code.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    page = f"<p>Take ${tex}$ now.</p><pre>{escaped}</pre><p>End.</p>"
    assert clean_statement(page) == text
