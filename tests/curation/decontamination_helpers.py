"""A made-up benchmark in LiveCodeBench's columns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from curation_helpers import prose

BOILER = "the sum of n over all test cases does not exceed 200000 and each line holds n integers"


def lcb_row(
    question_id: str, title: str, content: str, platform: str, tests: str = "[]"
) -> dict[str, Any]:
    return {
        "question_title": title,
        "question_content": content,
        "platform": platform,
        "question_id": question_id,
        "contest_id": question_id.split("_")[0],
        "contest_date": "2024-05-04T00:00:00",
        "starter_code": "",
        "difficulty": "easy",
        "public_test_cases": tests,
        "private_test_cases": "[]",
        "metadata": "{}",
    }


def made_up_benchmark(path: Path) -> Path:
    """Ten made-up problems, nine of them with one sentence in common."""
    tests = [
        {"input": "5 4 3 2 1", "output": "15", "testtype": "stdin"},
        {"input": "9 9 9 9", "output": "36", "testtype": "stdin"},
    ]
    rows = [
        lcb_row("3346", "walk-the-line-i", f"{prose(1)} {BOILER}", "leetcode"),
        lcb_row("abc999_c", "Stones", f"{prose(2)} {BOILER}", "atcoder", json.dumps(tests)),
        lcb_row("1900_B", "B. Paint the Old Fence", f"{prose(3)} {BOILER}", "codeforces"),
        lcb_row("abc999_d", "Short", "Print the answer to all of it", "atcoder"),
    ]
    rows += [
        lcb_row(f"abc9{i}_a", f"Plain {i}", f"{prose(10 + i)} {BOILER}", "atcoder")
        for i in range(6)
    ]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n")
    return path
