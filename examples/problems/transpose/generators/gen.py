"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import json
import random
import shutil
from pathlib import Path
from typing import Any

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"


def solve(table: list[list[int]]) -> list[list[int]]:
    return [[row[j] for row in table] for j in range(len(table[0]))]


def cases() -> list[tuple[str, tuple[list[list[int]]]]]:
    rng = random.Random(209)
    tables = [("single", [[5]]), ("row", [[1, 2, 3, 4]]), ("column", [[1], [2], [3]])]
    tables += [("square", [[1, 2], [3, 4]]), ("symmetric", [[1, 2], [2, 1]])]
    tables += [("equal", [[6] * 3] * 2), ("negative", [[-1, -2], [-3, -4], [-5, -6]])]
    sizes = [(3, 3), (2, 7), (7, 2), (1, 20), (20, 1), (20, 20), (12, 5)]
    for rows, columns in sizes:
        table = [[rng.randint(-1000, 1000) for _ in range(columns)] for _ in range(rows)]
        tables.append((f"random-{rows}x{columns}", table))
    return [(name, (table,)) for name, table in tables]


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
