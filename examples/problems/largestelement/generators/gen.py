"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import json
import random
import shutil
from pathlib import Path
from typing import Any

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"


def solve(nums: list[int]) -> int:
    return max(nums)


def cases() -> list[tuple[str, tuple[list[int]]]]:
    rng = random.Random(111)
    lists = [("single", [3]), ("single-negative", [-12]), ("first", [8, 7, 6, 5])]
    lists += [("last", [1, 2, 3, 4]), ("tie", [7, 7, 7]), ("negatives", [-90, -14, -15])]
    lists += [("zero", [-1, 0, -2]), ("extremes", [1000, -1000]), ("all-min", [-1000] * 100)]
    for i in range(1, 5):
        lists.append((f"random-{i}", [rng.randint(-1000, 1000) for _ in range(25 * i)]))
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
