"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import json
import random
import runpy
import shutil
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parent.parent
SECRET = PACKAGE / "data" / "secret"
solve = runpy.run_path(str(PACKAGE / "submissions/accepted/rerooting.py"))["gossipTimes"]


Args = tuple[int, list[list[int]]]


def valley(rng: random.Random, parents: list[int]) -> Args:
    """Farm i + 1 is joined with farm parents[i]; then numbers, ends and lines are shuffled."""
    n = len(parents) + 1
    number = list(range(n))
    rng.shuffle(number)
    lines = [[number[parent], number[i]] for i, parent in enumerate(parents, start=1)]
    for line in lines:
        rng.shuffle(line)
    rng.shuffle(lines)
    return n, lines


def cases() -> list[tuple[str, Args]]:
    rng = random.Random(315)
    out: list[tuple[str, Args]] = [("one-farm", (1, [])), ("two-farms", (2, [[1, 0]]))]
    out += [
        ("path", (9, [[i, i + 1] for i in range(8)])),
        ("star", (12, [[0, i] for i in range(1, 12)])),
    ]
    out += [
        ("star-shuffled", valley(rng, [0] * 60)),
        ("path-shuffled", valley(rng, list(range(60)))),
    ]
    out += [("binary", valley(rng, [i // 2 for i in range(126)]))]
    out += [("binomial", valley(rng, [i & (i - 1) for i in range(1, 256)]))]
    out += [("spider", valley(rng, [0 if i % 6 == 0 else i for i in range(60)]))]
    out += [("broom", valley(rng, [*range(30), *[30] * 40]))]
    out += [("bushy-or-long", valley(rng, [0, *[1] * 9, 0, 11, 12, 13, 14, 0, 16, 17]))]
    out += [("caterpillar", valley(rng, [*range(40), *[i // 3 for i in range(120)]]))]
    for i, n in enumerate([7, 30, 200, 900], start=1):
        out.append((f"random-{i}", valley(rng, [rng.randint(0, j) for j in range(n)])))
    out.append(("thin", valley(rng, [rng.randint(max(0, j - 3), j) for j in range(700)])))
    out.append(("max-star", valley(rng, [0] * 3999)))
    out.append(("max-path", (4000, [[i, i + 1] for i in range(3999)])))
    out.append(("max-random", valley(rng, [rng.randint(0, j) for j in range(3999)])))
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
