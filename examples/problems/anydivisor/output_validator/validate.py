"""Accepts any divisor d of n with 1 < d < n, or -1 where there is none.

Kattis protocol: validate.py INPUT ANSWER FEEDBACK_DIR < output; exit 42 accepts, 43 refuses.
"""

import re
import sys
from pathlib import Path


def is_right(n: int, has_divisor: bool, output: bytes) -> bool:
    tokens = output.split()
    if len(tokens) != 1:
        return False
    if tokens[0] == b"-1":
        return not has_divisor
    if not re.fullmatch(rb"[0-9]{1,13}", tokens[0]):
        return False
    d = int(tokens[0])
    return 1 < d < n and n % d == 0


def main() -> int:
    n = int(Path(sys.argv[1]).read_text())
    has_divisor = int(Path(sys.argv[2]).read_text()) != -1
    return 42 if is_right(n, has_divisor, sys.stdin.buffer.read()) else 43


if __name__ == "__main__":
    sys.exit(main())
