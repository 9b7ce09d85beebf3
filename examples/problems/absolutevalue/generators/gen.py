"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import json
import random
import shutil
from pathlib import Path
from typing import Any

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"


def solve(n: int) -> int:
    return abs(n)


def cases() -> list[tuple[str, tuple[int]]]:
    rng = random.Random(113)
    nums = [("zero", 0), ("one", 1), ("minus-one", -1), ("ten", 10), ("minus-ten", -10)]
    nums += [("max", 10**6), ("min", -(10**6))]
    nums += [(f"positive-{i}", rng.randint(11, 10**6)) for i in range(1, 4)]
    nums += [(f"negative-{i}", -rng.randint(11, 10**6)) for i in range(1, 4)]
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
