"""Accepts any largest set of planks on pairs of neighbouring plots, no plot used twice.

Kattis protocol: validate.py INPUT ANSWER FEEDBACK_DIR < output; exit 42 accepts, 43 refuses.
"""

import re
import sys
from pathlib import Path


def is_right(plots: list[str], best: int, output: bytes) -> bool:
    tokens = output.split()
    if len(tokens) != 1 + 4 * best or not all(re.fullmatch(rb"[0-9]{1,9}", t) for t in tokens):
        return False
    numbers = [int(token) for token in tokens]
    if numbers[0] != best:
        return False
    used = set()
    for i in range(1, len(numbers), 4):
        r1, c1, r2, c2 = numbers[i : i + 4]
        if abs(r1 - r2) + abs(c1 - c2) != 1:
            return False
        for r, c in [(r1, c1), (r2, c2)]:
            if not (1 <= r <= len(plots) and 1 <= c <= len(plots[0])):
                return False
            if plots[r - 1][c - 1] == "#" or (r, c) in used:
                return False
            used.add((r, c))
        if abs(int(plots[r1 - 1][c1 - 1]) - int(plots[r2 - 1][c2 - 1])) > 1:
            return False
    return True


def main() -> int:
    plots = Path(sys.argv[1]).read_text().split()[2:]
    best = int(Path(sys.argv[2]).read_text().split()[0])
    return 42 if is_right(plots, best, sys.stdin.buffer.read()) else 43


if __name__ == "__main__":
    sys.exit(main())
