"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import json
import random
import runpy
import shutil
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parent.parent
SECRET = PACKAGE / "data" / "secret"
solve = runpy.run_path(str(PACKAGE / "submissions/accepted/bundles.py"))["fewestStamps"]


Args = tuple[list[int], list[int], int]


def pouch(rng: random.Random, sheets: int, value: int, count: int, postage: int) -> Args:
    values = [rng.randint(1, value) for _ in range(sheets)]
    return values, [rng.randint(1, count) for _ in range(sheets)], postage


def cases() -> list[tuple[str, Args]]:
    rng = random.Random(303)
    out: list[tuple[str, Args]] = [
        ("one-stamp", ([1], [1], 1)),
        ("too-dear", ([8000], [1000], 7999)),
    ]
    out += [("too-few", ([3], [4], 15)), ("just-enough", ([3], [5], 15))]
    out += [("greedy-fails", ([9, 6, 1], [1, 2, 2], 12)), ("greedy-stuck", ([10, 7], [1, 2], 14))]
    out += [("same-value", ([4, 4, 4], [2, 3, 1], 24)), ("parity", ([2, 4, 6], [9, 9, 9], 17))]
    out += [
        ("all-of-them", ([1, 2, 3, 4], [4, 3, 2, 1], 20)),
        ("whole-postage", ([8000], [1], 8000)),
    ]
    out += [
        ("rare-large", ([50, 20, 1], [1, 3, 40], 130)),
        ("three-sizes", ([25, 10, 4], [3, 2, 9], 63)),
    ]
    for i, (sheets, postage) in enumerate([(4, 60), (6, 200), (8, 700), (12, 3000)], start=1):
        out.append((f"random-{i}", pouch(rng, sheets, postage // 4, 5, postage)))
    out.append(("scarce", pouch(rng, 20, 900, 2, 8000)))
    out.append(("small-values", ([2, 4] * 10, [1000] * 20, 7999)))
    out.append(("many-stamps", pouch(rng, 20, 12, 1000, 8000)))
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
