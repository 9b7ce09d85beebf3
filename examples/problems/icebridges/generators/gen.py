"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import random
import runpy
import shutil
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
SECRET = PACKAGE / "data" / "secret"
solve = runpy.run_path(str(PACKAGE / "submissions/accepted/union_find.py"))["solve"]


def text(n: int, bridges: list[tuple[int, int]], melting: list[int]) -> str:
    lines = [f"{n} {len(bridges)} {len(melting)}", *(f"{a} {b}" for a, b in bridges)]
    return "\n".join([*lines, " ".join(map(str, melting))]) + "\n"


def order(rng: random.Random, m: int, q: int) -> list[int]:
    numbers = list(range(1, m + 1))
    rng.shuffle(numbers)
    return numbers[:q]


def anywhere(rng: random.Random, n: int, m: int, q: int) -> str:
    bridges = []
    for _ in range(m):
        a, b = rng.randint(1, n), rng.randint(1, n - 1)
        bridges.append((a, b + (b >= a)))
    return text(n, bridges, order(rng, m, q))


def cases() -> list[tuple[str, str]]:
    rng = random.Random(306)
    path = [(i, i + 1) for i in range(1, 50)]
    star = [(1, i) for i in range(2, 51)]
    out = [("two-islands", text(2, [(2, 1)], [1])), ("stays", text(3, [(1, 2), (2, 3)], [2]))]
    out += [("three-times", text(2, [(1, 2), (2, 1), (1, 2)], [2, 3, 1]))]
    out += [("ring", text(4, [(1, 2), (2, 3), (3, 4), (4, 1)], [1, 3]))]
    out += [("path-ends", text(50, path, list(range(1, 50))))]
    out += [("path-middle", text(50, path, [25, 12, 37, 6, 18, 31, 43]))]
    out += [
        ("star", text(50, star, order(rng, 49, 49))),
        ("lonely", text(10000, [(7, 10000)], [1])),
    ]
    for i, (n, m, q) in enumerate([(10, 15, 9), (60, 90, 90), (300, 400, 250)], start=1):
        out.append((f"random-{i}", anywhere(rng, n, m, q)))
    out.append(("dense", anywhere(rng, 40, 780, 770)))
    out.append(("half-stays", anywhere(rng, 1000, 2000, 1000)))
    out.append(("max-random", anywhere(rng, 10000, 12000, 12000)))
    tree = [(rng.randint(max(1, i - 5), i - 1), i) for i in range(2, 10001)]
    out.append(("max-tree", text(10000, tree, order(rng, 9999, 6000))))
    return out


def write(base: Path, text: str) -> None:
    base.with_suffix(".in").write_text(text)
    base.with_suffix(".ans").write_text(solve(text) + "\n")


def main() -> None:
    shutil.rmtree(SECRET, ignore_errors=True)
    SECRET.mkdir(parents=True)
    for number, (name, text) in enumerate(cases(), start=1):
        write(SECRET / f"{number:02}-{name}", text)


if __name__ == "__main__":
    main()
