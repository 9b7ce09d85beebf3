"""Accepts any longest string that occurs twice in the song without overlap, or NONE.

Kattis protocol: validate.py INPUT ANSWER FEEDBACK_DIR < output; exit 42 accepts, 43 refuses.
"""

import sys
from pathlib import Path


def is_right(song: str, answer: str, output: bytes) -> bool:
    tokens = output.decode("utf-8", errors="replace").split()
    if len(tokens) != 1:
        return False
    refrain = tokens[0]
    if answer == "NONE" or refrain == "NONE":
        return refrain == answer
    if len(refrain) != len(answer):
        return False
    first = song.find(refrain)
    return first >= 0 and song.find(refrain, first + len(refrain)) >= 0


def main() -> int:
    song = Path(sys.argv[1]).read_text().strip()
    answer = Path(sys.argv[2]).read_text().strip()
    return 42 if is_right(song, answer, sys.stdin.buffer.read()) else 43


if __name__ == "__main__":
    sys.exit(main())
