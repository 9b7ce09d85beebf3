"""Accepts any two different indices whose elements add up to the target, as a JSON list.

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


def is_right(nums: list[int], target: int, result: Any) -> bool:
    if not isinstance(result, list) or len(result) != 2:
        return False
    i, j = result
    if type(i) is not int or type(j) is not int:  # True and 1.0 are no indices
        return False
    n = len(nums)
    return i != j and 0 <= i < n and 0 <= j < n and nums[i] + nums[j] == target


def main() -> int:
    nums, target = map(json.loads, Path(sys.argv[1]).read_text().splitlines())
    return 42 if is_right(nums, target, parse(sys.stdin.buffer.read())) else 43


if __name__ == "__main__":
    sys.exit(main())
