"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import json
import random
import shutil
from pathlib import Path
from typing import Any

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"


def solve(n: int) -> int:
    result = 1
    for factor in range(2, n + 1):
        result *= factor
    return result


def cases() -> list[tuple[str, tuple[int]]]:
    rng = random.Random(114)
    middle = sorted(rng.sample(range(5, 18), 8))
    nums = [("zero", 0), ("two", 2), ("three", 3), ("max", 18)]
    nums += [(f"n-{n}", n) for n in middle]
    return [(name, (n,)) for name, n in nums]


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
