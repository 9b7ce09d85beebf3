"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import math
import random
import shutil
from pathlib import Path

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"


def solve(n: int) -> int:
    return next((d for d in range(2, math.isqrt(n) + 1) if n % d == 0), -1)


def cases() -> list[tuple[str, int]]:
    rng = random.Random(203)
    out = [("two", 2), ("three", 3), ("four", 4), ("nine", 9), ("prime-square", 49)]
    out += [("even", 2 * 999983), ("max", 10**12), ("big-prime", 999999999989)]
    out += [("big-square", 999983**2), ("two-big-primes", 999979 * 999983)]
    out += [("middle-prime", 1000003), ("odd-cube", 101**3), ("power-of-two", 2**39)]
    out += [(f"random-{i}", rng.randint(10**5, 10**12)) for i in range(1, 5)]
    out += [(f"small-{i}", n) for i, n in enumerate(rng.sample(range(50, 1000), 3), start=1)]
    return out


def write(base: Path, n: int) -> None:
    base.with_suffix(".in").write_text(f"{n}\n")
    base.with_suffix(".ans").write_text(f"{solve(n)}\n")


def main() -> None:
    shutil.rmtree(SECRET, ignore_errors=True)
    SECRET.mkdir(parents=True)
    for number, (name, n) in enumerate(cases(), start=1):
        write(SECRET / f"{number:02}-{name}", n)


if __name__ == "__main__":
    main()
