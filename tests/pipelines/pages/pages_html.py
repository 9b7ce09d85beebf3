"""Pages written for these tests, in the shapes the judges serve; none of the text is theirs."""

from __future__ import annotations


def codeforces(
    samples: str,
    *,
    legend: str = "<p>Count the jars: $$$1 \\le n &lt; 10^5$$$.</p>",
    title: str = "<div class='title'>B2. Odd Jars</div>",
    limits: str = (
        "<div class='time-limit'><div class='property-title'>time limit per test</div>1.5 seconds"
        "</div><div class='memory-limit'><div class='property-title'>memory limit per test</div>"
        "256 megabytes</div>"
    ),
    files: tuple[str, str] = ("standard input", "standard output"),
    section: str = "Input",
    note: str = "",
) -> str:
    names = "".join(
        f"<div class='{kind}-file'><div class='property-title'>{kind}</div>{name}</div>"
        for kind, name in zip(("input", "output"), files, strict=True)
    )
    return (
        "<!DOCTYPE html><html lang='en'><head><title>Problem - B2</title></head><body>"
        "<script>var csrf = '<div class=\"problem-statement\">';</script><div class='ttypography'>"
        f"<div class='problem-statement'><div class='header'>{title}{limits}{names}</div>"
        f"<div>{legend}</div><div class='input-specification'>"
        f"<div class='section-title'>{section}</div><p>One line with $$$n$$$.</p></div>"
        "<div class='output-specification'><div class='section-title'>Output</div>"
        "<p>Print the number.</p></div>"
        f"<div class='sample-tests'><div class='section-title'>Examples</div>{samples}</div>"
        f"{note}</div></div></body></html>"
    )


def cf_sample(given: str, out: str) -> str:
    """One .sample-test; the arguments are the two <pre> elements."""
    copy = "<div title='Copy' class='input-output-copier'>Copy</div>"
    return (
        f"<div class='sample-test'><div class='input'><div class='title'>Input{copy}</div>{given}"
        f"</div><div class='output'><div class='title'>Output{copy}</div>{out}</div></div>"
    )


def atcoder(body: str, *, title: str = "C - Odd Jars", limits: str | None = None) -> str:
    limits = limits or "Time Limit: 2.5 sec / Memory Limit: 1024 MiB"
    return (
        f"<html><head><title>{title}</title></head><body><span class='h2'>{title}"
        "<a class='btn' href='/editorial'>Editorial</a></span>"
        f"<hr/><p>{limits}</p><div id='task-statement'>{body}</div></body></html>"
    )


def at_part(heading: str, body: str) -> str:
    return f"<div class='part'><section><h3>{heading}</h3>{body}</section></div>"


ENGLISH = (
    "<span class='lang-en'><p>Score : <var>300</var> points</p>"
    + at_part("Problem Statement", "<p>Count <var>N</var> jars, <var>A_1 &lt; A_2</var>.</p>")
    + at_part("Constraints", "<ul><li><var>1 \\leq N \\leq 10^{5}</var></li></ul>")
    + "<div class='io-style'>"
    + at_part("Input", "<pre><var>N</var>\n<var>A_1</var> <var>A_2</var>\n</pre>")
    + at_part("Output", "<p>Print it.</p>")
    + "</div><hr/>"
    + at_part("Sample Input 1", "<pre>2\r\n1 2\r\n</pre>")
    + at_part("Sample Output 1", "<pre>3\r\n</pre><p>As drawn:</p><pre>x.x\n</pre>")
    + at_part("Sample Input 2", "<pre>1\n5 5\n</pre>")
    + at_part("Sample Output 2", "<pre>0\n</pre>")
    + "</span>"
)
JAPANESE = (
    "<span class='lang-ja'><p>配点 : <var>300</var> 点</p>"
    + at_part("問題文", "<p>瓶を <var>N</var> 個かぞえてください。</p>")
    + at_part("入力", "<pre><var>N</var>\n</pre>")
    + at_part("入力例 1", "<pre>2\n1 2\n</pre>")
    + at_part("出力例 1", "<pre>3\n</pre>")
    + at_part("入力例 2", "<pre>1\n5 5\n</pre>")
    + at_part("出力例 2", "<pre>0\n</pre>")
    + "</span>"
)


def leetcode(html: str, **changes: object) -> dict[str, object]:
    question: dict[str, object] = {
        "questionId": "4711", "questionFrontendId": "4321", "title": "Odd Jars",
        "titleSlug": "odd-jars", "content": html, "difficulty": "Easy", "isPaidOnly": False,
        "exampleTestcases": "[1,2]\n3\n[5]\n0",
        "exampleTestcaseList": ["[1,2]\n3", "[5]\n0"],
        "metaData": '{"name": "oddJars", "params": [{"name": "jars", "type": "integer[]"}, '
        '{"name": "k", "type": "integer"}], "return": {"type": "integer"}}',
        "codeSnippets": [
            {"lang": "C++", "langSlug": "cpp", "code": "class Solution {};"},
            {"lang": "Python3", "langSlug": "python3", "code": "class Solution:\n    def oddJars("},
        ],
        "topicTags": [{"name": "Array", "slug": "array"}],
    }  # fmt: skip
    return {"data": {"question": question | changes}}


LC_OLD = (
    "<p>Given&nbsp;<code>jars</code>, count the odd ones &amp; add <em>k</em>.</p>\n<p>&nbsp;</p>\n"
    "<p><strong class='example'>Example 1:</strong></p>\n\n<pre>\n<strong>Input:</strong> jars = "
    "[1,2], k = 3\n<strong>Output:</strong> 4\n<strong>Explanation:</strong> One.\n</pre>\n\n"
    "<p><strong>Example 2:</strong></p>\n<pre><strong>Input:</strong> jars = [5], k = 0\n"
    "<strong>Output:</strong> 1</pre>\n<p><strong>Constraints:</strong></p>\n<ul>\n\t<li>"
    "<code>1 &lt;= jars.length &lt;= 10<sup>5</sup></code></li>\n\t<li><code>-2<sup>31</sup> &lt;= "
    "jars[i] &lt;= 2<sup>31</sup> - 1</code></li>\n</ul>"
)
LC_NEW = "".join(
    f"<p><strong class='example'>Example {n}:</strong></p>\n<div class='example-block'>\n"
    f"<p><strong>Input:</strong> <span class='example-io'>jars = {jars}, k = {k}</span></p>\n\n"
    f"<p><strong>Output:</strong> <span class='example-io'>{out}</span></p>\n\n"
    f"<p><strong>Explanation:</strong></p>\n<p>Why, in words.</p></div>\n"
    for n, jars, k, out in ((1, "[1,2]", 3, 4), (2, "[5]", 0, 1))
)
