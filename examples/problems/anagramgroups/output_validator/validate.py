"""Accepts the groups of anagrams as a JSON list of lists, in any order.

Kattis protocol: validate.py INPUT ANSWER FEEDBACK_DIR < output; exit 42 accepts, 43 refuses.
"""

import json
import sys
from pathlib import Path
from typing import Any


def parse(output: bytes) -> Any:
    try:
        return json.loads(output.decode("utf-8"))
    except (ValueError, RecursionError):
        return None


def is_right(expected: list[list[str]], result: Any) -> bool:
    if not isinstance(result, list):
        return False
    for group in result:
        if not isinstance(group, list) or not all(isinstance(word, str) for word in group):
            return False
    return sorted(map(sorted, result)) == sorted(map(sorted, expected))


def main() -> int:
    expected = json.loads(Path(sys.argv[2]).read_text())
    return 42 if is_right(expected, parse(sys.stdin.buffer.read())) else 43


if __name__ == "__main__":
    sys.exit(main())
