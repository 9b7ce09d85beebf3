"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import random
import shutil
from pathlib import Path

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"


def solve(nums: list[int]) -> int:
    return sorted(nums)[-1]


def cases() -> list[tuple[str, list[int]]]:
    rng = random.Random(107)
    out = [("single", [6]), ("single-negative", [-6]), ("first", [9, 1, 2]), ("last", [1, 2, 9])]
    out += [("tie", [5, 5, 2]), ("negatives", [-30, -3, -300]), ("lengths", [9, 10, 100, 99])]
    out += [("extremes", [-1000, 1000, 0]), ("all-min", [-1000] * 50)]
    for i in range(1, 5):
        out.append((f"random-{i}", [rng.randint(-1000, 1000) for _ in range(i * 12)]))
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
