"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import json
import random
import shutil
from pathlib import Path
from typing import Any

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"


def solve(a: int, b: int) -> int:
    return a + b


def cases() -> list[tuple[str, tuple[int, int]]]:
    rng = random.Random(110)
    big = 10**5
    out = [("zeros", (0, 0)), ("zero-right", (17, 0)), ("zero-left", (0, -9)), ("equal", (12, 12))]
    out += [("cancel", (-30, 30)), ("max", (big, big)), ("min", (-big, -big)), ("neg", (4, -10))]
    for i in range(1, 6):
        out.append((f"random-{i}", (rng.randint(-big, big), rng.randint(-big, big))))
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
