"""The worked examples read off a statement, in every shape that sources write."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from curation.statement_examples import statement_examples
from curation.test_fingerprints import hash_pairs, normal_form

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "livecodebench"

SHAPES = {
    "leetcode": "Add.\n\nExample 1:\n\nInput: a = 1, b = 2\nOutput: 3\nExplanation: 1 + 2.\n"
    "Example 2:\n\nInput: a = 4, b = 5\nOutput: 9\n \nConstraints:\n\n1 <= a",
    "leetcode design": 'Example 1:\n\nInput\n["A", "f"]\n[[1], [2]]\nOutput\n[null, 3]\n\nNote',
    "bold": "**Example 1:**\n\n**Input:** a = 1, b = 2\n**Output:** 3\n",
    "atcoder": "Output\n\nPrint it.\n\nSample Input 1\n\n1 2\n\nSample Output 1\n\n3\n\nYes.\n"
    "\nSample Input 2\n\n4 5\n\nSample Output 2\n\n9",
    "glued": "Print the sum.Sample Input 1:\n1 2\n\n\n\nSample Output 1:\n\n3\n\n\nNote\n\nHm.",
    "codeforces": "Input\n\nTwo numbers.\n\nOutput\n\nSum.\n\nExamples\n\nInput\n\n1 2\n\nOutput\n"
    "\n3\n\nInput\n\n4 5\n\nOutput\n\n9\n\nNote\n\nSee.",
    "dashes": "-----Input-----\n\nB.\n\n-----Output-----\n\nA.\n\n-----Examples-----\nInput\n1 2\n"
    "\nOutput\n3\n\n-----Note-----\n\nSee.",
    "markdown": "# Examples\n## Input\n```text\n1 2\n\n3\n```\n\n## Output\n\n```\n3\n\n4\n```\n",
    "crlf": "Sample Input 1\r\n\r\n1 2\r\n\r\nSample Output 1\r\n\r\n3\r\n",
}
EXPECTED = {
    "leetcode": [("a = 1, b = 2", "3"), ("a = 4, b = 5", "9")],
    "leetcode design": [('["A", "f"]\n[[1], [2]]', "[null, 3]")],
    "bold": [("a = 1, b = 2", "3")],
    "atcoder": [("1 2", "3"), ("4 5", "9")],
    "glued": [("1 2", "3")],
    "codeforces": [("1 2", "3"), ("4 5", "9")],
    "dashes": [("1 2", "3")],
    "markdown": [("1 2\n\n3", "3\n\n4")],
    "crlf": [("1 2", "3")],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape(shape: str) -> None:
    assert statement_examples(SHAPES[shape]) == EXPECTED[shape]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Input\n\nOne number.\n\nOutput\n\nThe same.",  # sections, not examples
        "For example, the input 3 gives the output 4.",
        "Sample Input 1\n\n3\n",  # no output
        "Sample Output 1\n\n3\n",  # no input
        "Example 1:\n\nOutput: 3\nInput: 4\n",
    ],
)
def test_nothing_is_made_up(text: str) -> None:
    assert statement_examples(text) == []


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared/data/livecodebench")
def test_agrees_with_the_samples_cut_out_of_atcoder_statements() -> None:
    with gzip.open(SHARED / "release_v5_submissions_o1_mini.jsonl.gz", "rt", encoding="utf-8") as f:
        statements = {r["question_id"]: r["question_content"] for r in map(json.loads, f)}
    wrong = []
    with gzip.open(SHARED / "atcoder_samples_o1_mini.jsonl.gz", "rt", encoding="utf-8") as f:
        for row in map(json.loads, f):
            cut = [(normal_form(s["input"]), normal_form(s["output"])) for s in row["samples"]]
            read = statement_examples(statements[row["question_id"]])
            if [(normal_form(a), normal_form(b)) for a, b in read] != cut:
                wrong.append(row["question_id"])
    # An empty output is not to be told from the explanation that follows it.
    assert wrong == ["abc307_d", "abc328_d", "abc343_b", "abc344_a", "abc372_a"]


def test_hashes_do_not_depend_on_the_shape() -> None:
    leetcode = hash_pairs([("nums = [1, 2], s = 'ab', ok = True", "[1.50, None]")])
    lines = hash_pairs([('[1,2]\n"ab"\ntrue', "[1.5,null]\n")])
    listed = hash_pairs([('[[1, 2], "ab", true]', "1.5 null")])
    assert leetcode.tolist() == lines.tolist() == listed.tolist()
    assert len(leetcode) == 1


def test_numbers_and_order_count() -> None:
    pairs = [("1 2 3", "66"), ("1 3 2", "66"), ("1 2 3", "67")]
    assert len(hash_pairs(pairs)) == 3


def test_short_and_one_sided_pairs_say_nothing() -> None:
    assert len(hash_pairs([("1", "1"), ("", ""), ("1 2 3 4 5", ""), ("a", "b")])) == 0


def test_long_pairs_are_cut_the_same_way() -> None:
    long = " ".join(map(str, range(50_000)))
    wide = long.replace(" ", "  ")
    assert hash_pairs([(long, "1")]).tolist() == hash_pairs([(wide, "1")]).tolist()
