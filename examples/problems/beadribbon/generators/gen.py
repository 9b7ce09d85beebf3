"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import json
import random
import runpy
import shutil
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parent.parent
SECRET = PACKAGE / "data" / "secret"
solve = runpy.run_path(str(PACKAGE / "submissions/accepted/prefix_counts.py"))["countPieces"]


def beads(rng: random.Random, n: int, low: int, high: int) -> list[int]:
    return [rng.randint(low, high) for _ in range(n)]


def cases() -> list[tuple[str, tuple[list[int], int, int]]]:
    rng = random.Random(302)
    out = [
        ("one-fits", ([7], 10, 7)),
        ("one-does-not", ([7], 10, 3)),
        ("m-is-one", ([5, 0, 9], 1, 0)),
    ]
    out += [("weightless", ([0] * 50, 9, 0)), ("weightless-none", ([0] * 50, 9, 1))]
    out += [("only-whole", ([1, 2, 4, 8], 16, 15)), ("multiples", ([6, 12, 18, 6], 6, 0))]
    out += [("huge-m", ([10**6] * 1000, 10**9, 0)), ("huge-m-r", ([999999, 1] * 60, 10**9, 10**7))]
    out += [("last-mark", ([1, 1, 1, 1, 1, 1], 3, 2)), ("r-zero", (beads(rng, 40, 1, 9), 7, 0))]
    for i, (n, m) in enumerate([(30, 5), (100, 11), (500, 97), (1500, 1000)], start=1):
        out.append((f"random-{i}", (beads(rng, n, 0, 1000), m, rng.randrange(m))))
    out.append(("long-small-m", (beads(rng, 20000, 1, 99), 2, 1)))
    out.append(("long-large-m", (beads(rng, 20000, 0, 2), 1000003, 12345)))
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
