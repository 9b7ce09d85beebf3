"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import random
import shutil
from pathlib import Path

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"


def solve(pair: tuple[int, int]) -> int:
    return sum(pair)


def cases() -> list[tuple[str, tuple[int, int]]]:
    rng = random.Random(105)
    big = 10**6
    out = [("zeros", (0, 0)), ("one-zero", (0, 8)), ("cancel", (41, -41)), ("equal", (6, 6))]
    out += [("max", (big, big)), ("min", (-big, -big)), ("far-apart", (-big, big - 1))]
    for i in range(1, 7):
        out.append((f"random-{i}", (rng.randint(-big, big), rng.randint(-big, big))))
    return out


def write(base: Path, pair: tuple[int, int]) -> None:
    base.with_suffix(".in").write_text(f"{pair[0]} {pair[1]}\n")
    base.with_suffix(".ans").write_text(f"{solve(pair)}\n")


def main() -> None:
    shutil.rmtree(SECRET, ignore_errors=True)
    SECRET.mkdir(parents=True)
    for number, (name, pair) in enumerate(cases(), start=1):
        write(SECRET / f"{number:02}-{name}", pair)


if __name__ == "__main__":
    main()
