"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import json
import random
import shutil
from pathlib import Path
from typing import Any

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"


def solve(nums: list[int]) -> int | None:
    top = max(nums)
    return max((num for num in nums if num != top), default=None)


def cases() -> list[tuple[str, tuple[list[int]]]]:
    rng = random.Random(210)
    big = 10**6
    lists = [("single", [3]), ("two", [8, 5]), ("two-rising", [5, 8]), ("tie-top", [7, 7, 1])]
    lists += [("all-equal", [2] * 9), ("negatives", [-4, -9, -4, -6]), ("zero", [0, -1, 0])]
    lists += [("top-first", [9, 1, 2, 3]), ("extremes", [-big, big]), ("all-min", [-big] * 200)]
    lists += [("near-min", [-big, 1 - big, -big])]
    for i in range(1, 4):
        lists.append((f"random-{i}", [rng.randint(-big, big) for _ in range(60 * i)]))
    for i in range(1, 3):
        lists.append((f"few-values-{i}", [rng.randint(-i, i) for _ in range(50 * i)]))
    return [(name, (nums,)) for name, nums in lists]


def write(base: Path, args: tuple[Any, ...]) -> None:
    base.with_suffix(".in").write_text("".join(json.dumps(arg) + "\n" for arg in args))
    base.with_suffix(".ans").write_text(json.dumps(solve(*args)) + "\n")


def main() -> None:
    shutil.rmtree(SECRET, ignore_errors=True)
    SECRET.mkdir(parents=True)
    for number, (name, args) in enumerate(cases(), start=1):
        write(SECRET / f"{number:02}-{name}", args)


if __name__ == "__main__":
    main()
