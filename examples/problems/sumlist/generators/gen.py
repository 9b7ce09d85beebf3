"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import random
import shutil
from pathlib import Path

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"


def solve(nums: list[int]) -> int:
    total = 0
    for num in nums:
        total += num
    return total


def cases() -> list[tuple[str, list[int]]]:
    rng = random.Random(106)
    out = [("single", [7]), ("zero", [0]), ("negatives", [-5, -6, -7]), ("cancel", [9, -9])]
    out += [("equal", [4] * 6), ("max", [1000] * 50), ("min", [-1000] * 50), ("pair", [2, 5])]
    for i in range(1, 6):
        out.append((f"random-{i}", [rng.randint(-1000, 1000) for _ in range(i * 10)]))
    return out


def write(base: Path, nums: list[int]) -> None:
    base.with_suffix(".in").write_text(" ".join(map(str, nums)) + "\n")
    base.with_suffix(".ans").write_text(f"{solve(nums)}\n")


def main() -> None:
    shutil.rmtree(SECRET, ignore_errors=True)
    SECRET.mkdir(parents=True)
    for number, (name, nums) in enumerate(cases(), start=1):
        write(SECRET / f"{number:02}-{name}", nums)


if __name__ == "__main__":
    main()
