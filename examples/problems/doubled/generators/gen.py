"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import random
import shutil
from pathlib import Path

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"


def solve(n: int) -> int:
    return n << 1


def cases() -> list[tuple[str, int]]:
    rng = random.Random(102)
    out = [("zero", 0), ("one", 1), ("minus-one", -1), ("two", 2), ("max", 10**6)]
    out += [("min", -(10**6)), ("carry", 55)]
    out += [(f"random-{i}", rng.randint(-(10**6), 10**6)) for i in range(1, 7)]
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
