from __future__ import annotations

import json
from typing import Any

import pytest
from pages_html import LC_NEW, LC_OLD, leetcode

from pipelines.pages import PageError
from pipelines.pages.leetcode import PARSER, parse_question

SAMPLES = (("[1,2]\n3", "4"), ("[5]\n0", "1"))


def refused(data: Any) -> PageError:
    with pytest.raises(PageError) as e:
        parse_question(data)
    return e.value


def meta(**changes: Any) -> str:
    base = {"name": "f", "params": [{"name": "jars", "type": "integer[]"}, {"name": "k"}]}
    return json.dumps(base | {"return": {"type": "integer"}} | changes)


def test_a_whole_question() -> None:
    page = parse_question(leetcode(LC_OLD))
    assert page.statement == (
        "Given `jars`, count the odd ones & add *k*.\n\n**Example 1:**\n\n```\nInput: jars = "
        "[1,2], k = 3\nOutput: 4\nExplanation: One.\n```\n\n**Example 2:**\n\n```\nInput: jars "
        "= [5], k = 0\nOutput: 1\n```\n\n**Constraints:**\n\n- `1 <= jars.length <= 10^5`\n"
        "- `-2^31 <= jars[i] <= 2^31 - 1`"
    )
    assert page.samples == SAMPLES
    assert (page.title, page.fn_name, page.level) == ("Odd Jars", "oddJars", "Easy")
    assert (page.tags, page.slug) == (("array",), "odd-jars")
    assert (page.native_id, page.shown_id) == ("4711", "4321")
    assert page.starter_code.startswith("class Solution:")
    assert (page.flags, PARSER) == ((), "leetcode_page/1")


def test_the_newer_example_blocks_and_the_inner_object() -> None:
    data: Any = leetcode(f"<p>Jars.</p>{LC_NEW}")
    for inner in (data, data["data"], data["data"]["question"]):
        assert parse_question(inner).samples == SAMPLES


def test_inputs_from_each_place() -> None:
    assert parse_question(leetcode(LC_OLD, exampleTestcaseList=None)).samples == SAMPLES
    page = parse_question(leetcode(LC_OLD, exampleTestcaseList=[], exampleTestcases=None))
    assert page.samples == (("jars = [1,2], k = 3", "4"), ("jars = [5], k = 0", "1"))


def test_a_design_problem_names_its_class() -> None:
    content = (
        '<p>A jar.</p><pre><b>Input</b>\n["Jar", "push"]\n[[], [1]]\n<b>Output</b>\n'
        "[null, null]\n\n<b>Explanation</b>\nJar jar = new Jar();</pre>"
    )
    content = content.replace("<b>Input</b>", "<b>Input:</b>").replace("Output</b>", "Output:</b>")
    for text in (content, content.replace(":</b>", "</b>")):
        page = parse_question(
            leetcode(
                text,
                metaData='{"classname": "Jar", "constructor": {"params": []}, "methods": []}',
                exampleTestcaseList=['["Jar","push"]\n[[],[1]]'],
            )
        )
        assert page.fn_name == "Jar"
        assert page.samples == (('["Jar","push"]\n[[],[1]]', "[null, null]"),)


@pytest.mark.parametrize(
    ("kind", "output", "value"),
    [
        ("string", "abc", '"abc"'),
        ("string", '"abc"', '"abc"'),
        ("string", "'a b'", '"a b"'),
        ("string", "12", '"12"'),
        ("string", "true", '"true"'),
        ("character", '"a"', '"a"'),
        ("boolean", "true", "true"),
        ("double", "5.00000", "5.00000"),
        ("integer[][]", "[[1, 2],\n [3]]", "[[1, 2], [3]]"),
        ("integer", "2, nums = [2,2,_]", None),
        ("integer", "Error", None),
    ],
)
def test_outputs_become_values_or_are_left_out(kind: str, output: str, value: str | None) -> None:
    content = f"<p>Jars.</p><pre><b>Input:</b> jars = [1], k = 2\n<b>Output:</b> {output}\n</pre>"
    data = leetcode(
        content, metaData=meta(**{"return": {"type": kind}}), exampleTestcaseList=["[1]\n2"]
    )
    page = parse_question(data)
    if value is None:
        assert (page.samples, page.flags) == ((), ("unreadable_sample",))
    else:
        assert (page.samples, page.flags) == ((("[1]\n2", value),), ())


def test_pictures_own_judges_and_superscripts() -> None:
    data = leetcode(LC_OLD + "<img src='https://x.example/j.png'/>", metaData=meta(manual=True))
    page = parse_question(data)
    assert page.flags == ("needs_image", "custom_judge")
    assert page.images == ("https://x.example/j.png",)
    assert "10^5" in page.statement
    assert "105" not in page.statement


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"isPaidOnly": True, "content": None}, "paid"),
        ({"isPaidOnly": True}, "paid"),
        ({"content": None}, "no_statement"),
        (
            {"content": "<p>English description is not available for the problem.</p>"},
            "no_statement",
        ),
        ({"content": LC_OLD + " " * 300_000}, "too_large"),
        ({"title": None}, "no_title"),
        ({"metaData": None}, "bad_metadata"),
        ({"metaData": "{"}, "bad_metadata"),
        ({"metaData": "[1]"}, "bad_metadata"),
        ({"metaData": '{"name": "f", "params": []}'}, "bad_metadata"),
        ({"codeSnippets": [{"lang": "MySQL", "langSlug": "mysql", "code": "x"}]}, "no_python"),
        ({"codeSnippets": None}, "no_python"),
        ({"exampleTestcaseList": ["[1,2]\n3"]}, "sample_mismatch"),
        ({"exampleTestcaseList": ["[5]\n0", "[1,2]\n3"]}, "sample_mismatch"),
        ({"exampleTestcaseList": ["[1,2]", "[5]\n0"]}, "sample_mismatch"),
        ({"exampleTestcaseList": None, "exampleTestcases": "[1,2]\n3\n[5]"}, "sample_mismatch"),
        (
            {"content": "<p>Jars.</p>", "exampleTestcaseList": None, "exampleTestcases": None},
            "no_samples",
        ),
    ],
)
def test_questions_that_are_refused(changes: dict[str, Any], reason: str) -> None:
    assert refused(leetcode(LC_OLD, **changes)).reason == reason


def test_answers_without_a_question() -> None:
    for data in ({"errors": [{"message": "gone"}], "data": {"question": None}}, {}, [], None):
        assert refused(data).reason == "no_statement"
