from __future__ import annotations

import gzip
import json
import re

import pytest

from curation.repair import repair_superscripts
from pipelines.sources import read_source

CARET = re.compile(r"(?<=\d)\^(?=-?\d)")
LINE = "Constraints:\n\n"


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("return it modulo 109 + 7.", "return it modulo 10^9 + 7."),
        ("Output: 5 modulo 109+7", "Output: 5 modulo 10^9+7"),
        ("the range [-231, 231 - 1], as", "the range [-2^31, 2^31 - 1], as"),
        ("-231 <= x <= 231 - 1", "-2^31 <= x <= 2^31 - 1"),
        ("x < 263 - 1", "x < 2^63 - 1"),
        ("-104 <= t <= 104", "-10^4 <= t <= 10^4"),
        ("-109\u00a0<= a[i],\u00a0b[i] <= 109", "-10^9\u00a0<= a[i],\u00a0b[i] <= 10^9"),
        ("1 <= n <= 2 * 105", "1 <= n <= 2 * 10^5"),
        (r"$1 \leq n \leq 2 \times 105$", r"$1 \leq n \leq 2 \times 10^5$"),
        (r"$k \le 2 \cdot 1018$", r"$k \le 2 \cdot 10^{18}$"),
        ("Answers within 10-5 of the actual", "Answers within 10^-5 of the actual"),
        (f"{LINE}1 <= n <= 105", f"{LINE}1 <= n <= 10^5"),
        (f"{LINE}- `0 <= k < 1015`", f"{LINE}- `0 <= k < 10^15`"),
        (f"{LINE}nodes are in the range [0, 104].", f"{LINE}nodes are in the range [0, 10^4]."),
        (f"{LINE}1 <= m <= min(105, n * n / 2)", f"{LINE}1 <= m <= min(10^5, n * n / 2)"),
        (f"{LINE}1 <= m <= min(n - 1, 1.5 * 105)", f"{LINE}1 <= m <= min(n - 1, 1.5 * 10^5)"),
        ("1 <= n <= 105\n1 <= a[i] <= 109", "1 <= n <= 10^5\n1 <= a[i] <= 10^9"),
        ("at most 104 of them, modulo 109 + 7", "at most 10^4 of them, modulo 10^9 + 7"),
    ],
)  # fmt: skip
def test_certain_ones_come_back(text: str, mended: str) -> None:
    assert repair_superscripts(text)[0] == mended
    assert len(repair_superscripts(text)[1]) >= 1
    assert repair_superscripts(text)[2] == ()
    assert repair_superscripts(mended) == (mended, (), ())


@pytest.mark.parametrize(
    "text",
    [
        "1 <= n <= 105",  # one bound, no heading: it may be meant
        "97 <= c <= 105, modulo 109 + 7",
        f"{LINE}0 <= x < 216",  # 216 and 2^16 are both usual
        "modulo 109 + 7, for n up to 10^5",  # this source has its superscripts
        f"{LINE}1 <= n <= 105\n1 <= m <= 10**9",
        "in 109 days, modulo 109 + 7",
    ],
)
def test_what_is_unclear_is_reported(text: str) -> None:
    new, repaired, doubtful = repair_superscripts(text)
    assert doubtful
    assert new.replace("10^9 + 7", "109 + 7") == text.replace("10^9 + 7", "109 + 7")
    assert all(place in text or "10^9" in new for place in doubtful)
    assert not repaired or "109 + 7" in repaired[0]


@pytest.mark.parametrize(
    "text",
    [
        "flip the bit: 1010 -> 1011, and then 1011 => 1111",
        'Input: nums = [105, 104, 103], k = 109\nOutput: "1010"',
        f"{LINE}1 <= n <= 100\n1 <= k <= 1024\nx <= 1000",
        "```\nif n <= 105 and x <= 104: return 109 % n\n```",
        "the words of 'h' = 104, 'e' = 101 and 'l' = 108",
        "255.255.11.105 and room 105",
        "1 <= n <= 10^5 and 1 <= m <= 2 * 10^5",
        "",
    ],
)
def test_numbers_that_are_meant_stay(text: str) -> None:
    assert repair_superscripts(text) == (text, (), ())


def test_the_places_are_named() -> None:
    text = f"{LINE}1 <= edges.length <= 105\n0 <= w < 216"
    assert repair_superscripts(text)[1:] == (("1 <= edges.length <= 105",), ("0 <= w < 216",))


def test_real_statements(shared_data) -> None:
    """Of both LeetCodeDataset files; LiveCodeBench's kept their superscripts."""
    counts = {}
    for name in ("v0.3.1-test", "v0.2.0-train"):
        path = shared_data / f"leetcode_dataset/{name}.jsonl.gz"
        limit = 300  # of 1,260; all of them in docs/results-pages.md
        results = [
            repair_superscripts(p.statement)
            for p in read_source("leetcode_dataset", path, limit)
            if hasattr(p, "statement")
        ]
        for new, _, _ in results:
            assert repair_superscripts(new)[0] == new
        counts[name] = (sum(bool(r) for _, r, _ in results), sum(bool(d) for _, _, d in results))
    assert counts["v0.3.1-test"] == (151, 0)
    assert counts["v0.2.0-train"][0] > 150


def test_a_huge_text_is_left_alone() -> None:
    text = "1 <= n <= 105, modulo 109 + 7\n" * 10_000
    assert repair_superscripts(text) == (text, (), ())


def test_exponents_taken_out_come_back_and_no_other_does(shared_data) -> None:
    """Truth: LiveCodeBench's LeetCode statements, which kept their superscripts."""
    path = shared_data / "livecodebench/release_v5_submissions_o1_mini.jsonl.gz"
    restored = stripped = 0
    with gzip.open(path, "rt") as f:
        for row in map(json.loads, f):
            text = re.sub(r"\^\{(-?\d+)\}", r"^\1", row["question_content"])
            lost = re.sub(r"(?<=\d)\^(?=-?\d)", "", text)
            if row["platform"] != "leetcode":
                continue
            mended = repair_superscripts(lost)[0]
            assert len(mended) - len(lost) == mended.count("^") - lost.count("^")
            want, got = ({m.start() - t[: m.start()].count("^") for m in CARET.finditer(t)}
                         for t in (text, mended))  # fmt: skip
            assert got <= want, row["question_id"]
            restored, stripped = restored + len(got), stripped + len(want)
    assert (restored, stripped) == (445, 499)
