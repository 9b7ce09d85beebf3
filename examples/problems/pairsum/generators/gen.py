"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import json
import random
import shutil
from pathlib import Path
from typing import Any

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"


def solve(nums: list[int], target: int) -> list[int]:
    where = {num: i for i, num in enumerate(nums)}
    return next(
        [i, where[target - num]] for i, num in enumerate(nums) if where.get(target - num, i) != i
    )


def cases() -> list[tuple[str, tuple[list[int], int]]]:
    rng = random.Random(207)
    big = 10**6
    out = [("two", ([6, -2], 4)), ("equal-pair", ([5, 5], 10)), ("half-alone", ([5, 1, 9], 10))]
    out += [("half-first", ([7, 2, 3, 12, 0], 14)), ("zero", ([0, 4, -4], 0))]
    out += [("zeros", ([0, 1, 0], 0)), ("negative", ([-8, -3, -5, 1], -11))]
    out += [("extremes", ([big, -big, 3], 0)), ("max-sum", ([1, big, 2, big], 2 * big))]
    out += [("many-pairs", ([1, 2, 3, 4, 5, 6], 7)), ("all-equal", ([9] * 20, 18))]
    for i in range(1, 5):
        nums = [rng.randint(-big, big) for _ in range(40 * i)]
        out.append((f"random-{i}", (nums, sum(rng.sample(nums, 2)))))
    # Multiples of 3, then two numbers that leave 1: only these two sum to a number leaving 2.
    nums = [3 * rng.randint(-33333, 33333) for _ in range(14998)] + [40000, 50002]
    out.append(("only-pair-last", (nums, 90002)))
    return out


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
