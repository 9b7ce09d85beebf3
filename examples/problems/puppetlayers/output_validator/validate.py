"""Accepts any order of the layers that obeys all rules, or [] where there is none.

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


def is_right(n: int, rules: list[list[int]], possible: bool, result: Any) -> bool:
    if not isinstance(result, list) or any(type(layer) is not int for layer in result):
        return False
    if not possible:
        return result == []
    if sorted(result) != list(range(n)):
        return False
    place = {layer: i for i, layer in enumerate(result)}
    return all(place[a] < place[b] for a, b in rules)


def main() -> int:
    n, rules = map(json.loads, Path(sys.argv[1]).read_text().splitlines())
    possible = json.loads(Path(sys.argv[2]).read_text()) != []
    return 42 if is_right(n, rules, possible, parse(sys.stdin.buffer.read())) else 43


if __name__ == "__main__":
    sys.exit(main())
