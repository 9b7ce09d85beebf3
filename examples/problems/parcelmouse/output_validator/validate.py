"""Accepts any shortest way to the cheese, or STUCK where there is none.

Kattis protocol: validate.py INPUT ANSWER FEEDBACK_DIR < output; exit 42 accepts, 43 refuses.
"""

import sys
from pathlib import Path

MOVES = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}
BELTS = {"^": "U", "v": "D", "<": "L", ">": "R"}


def reaches_cheese(hall: list[str], steps: str) -> bool:
    r, c = next((r, row.index("S")) for r, row in enumerate(hall) if "S" in row)
    for step in steps:
        if step not in MOVES or BELTS.get(hall[r][c], step) != step:
            return False
        r, c = r + MOVES[step][0], c + MOVES[step][1]
        if not (0 <= r < len(hall) and 0 <= c < len(hall[0])) or hall[r][c] == "#":
            return False
    return hall[r][c] == "E"


def is_right(hall: list[str], answer: str, output: bytes) -> bool:
    tokens = output.decode("utf-8", errors="replace").split()
    if len(tokens) != 1:
        return False
    if answer == "STUCK" or tokens[0] == "STUCK":
        return tokens[0] == answer
    return len(tokens[0]) == len(answer) and reaches_cheese(hall, tokens[0])


def main() -> int:
    hall = Path(sys.argv[1]).read_text().split()[2:]
    answer = Path(sys.argv[2]).read_text().strip()
    return 42 if is_right(hall, answer, sys.stdin.buffer.read()) else 43


if __name__ == "__main__":
    sys.exit(main())
