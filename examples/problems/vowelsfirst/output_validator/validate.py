"""Accepts any rearrangement of the word that has its vowels before its consonants.

Kattis protocol: validate.py INPUT ANSWER FEEDBACK_DIR < output; exit 42 accepts, 43 refuses.
"""

import re
import sys
from pathlib import Path


def is_right(word: bytes, output: bytes) -> bool:
    tokens = output.split()
    return (
        len(tokens) == 1
        and sorted(tokens[0]) == sorted(word)
        and re.fullmatch(rb"[aeiou]*[^aeiou]*", tokens[0]) is not None
    )


def main() -> int:
    word = Path(sys.argv[1]).read_bytes().strip()
    return 42 if is_right(word, sys.stdin.buffer.read()) else 43


if __name__ == "__main__":
    sys.exit(main())
