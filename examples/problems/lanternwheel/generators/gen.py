"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import json
import random
import runpy
import shutil
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parent.parent
SECRET = PACKAGE / "data" / "secret"
solve = runpy.run_path(str(PACKAGE / "submissions/accepted/burnside.py"))["lanternWheels"]


def cases() -> list[tuple[str, tuple[int, int]]]:
    rng = random.Random(311)
    out = [
        ("min", (2, 1)),
        ("two-lanterns", (2, 5)),
        ("one-colour", (9, 1)),
        ("two-colours-odd", (15, 2)),
    ]
    out += [
        ("two-colours-even", (1000, 2)),
        ("three", (3, 4)),
        ("six", (6, 3)),
        ("prime", (101, 7)),
    ]
    out += [
        ("prime-square", (49, 6)),
        ("highly-composite", (5040, 11)),
        ("power-of-two", (1024, 3)),
    ]
    out += [("colours-leave-0", (30, 998244353)), ("colours-leave-1", (30, 998244354))]
    out += [("most-colours", (210, 10**9))]
    for i, limit in enumerate([30, 300, 3000, 30000], start=1):
        out.append((f"random-{i}", (rng.randint(2, limit), rng.randint(2, 10**9))))
    out.append(("most-divisors", (735134400, 12345)))
    out.append(("largest", (900000000, 10**9)))
    out.append(("large-prime", (899999963, 3)))
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
