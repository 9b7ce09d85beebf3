"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import random
import runpy
import shutil
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
SECRET = PACKAGE / "data" / "secret"
solve = runpy.run_path(str(PACKAGE / "submissions/accepted/table.py"))["solve"]


Stall = tuple[int, int, int, int]


def text(stalls: list[Stall], walk: list[list[int]]) -> str:
    rows = [[len(stalls)], *stalls, *walk]
    return "\n".join(" ".join(map(str, row)) for row in rows) + "\n"


def market(rng: random.Random, n: int, day: int, open_for: int, way: int) -> str:
    stalls = []
    for _ in range(n):
        opens = rng.randint(0, day)
        closes = opens + rng.randint(0, open_for)
        stalls.append((opens, closes, rng.randint(1, 10), rng.randint(0, way)))
    walk = [[rng.randint(0, way) if i != j else 0 for j in range(n)] for i in range(n)]
    return text(stalls, walk)


def even(n: int, minutes: int) -> list[list[int]]:
    return [[minutes if i != j else 0 for j in range(n)] for i in range(n)]


def cases() -> list[tuple[str, str]]:
    rng = random.Random(316)
    big = 10**6
    out = [("one-stall", text([(0, 0, 1, 0)], [[0]])), ("too-late", text([(0, 8, 5, 9)], [[0]]))]
    out += [
        ("last-minute", text([(0, 9, 5, 9)], [[0]])),
        ("waits", text([(big, big, big, 3)], [[0]])),
    ]
    out += [("all-closed", text([(0, i, 2, 12) for i in range(12)], even(12, 0)))]
    out += [("only-one", text([(5, 5, 1, 4)] * 4, even(4, 1)))]
    out += [("uphill", text([(0, 99, 1, 1), (0, 99, 1, 1)], [[0, 50], [2, 0]]))]
    out += [("skip-the-near", text([(0, 90, 80, 1), (0, 30, 5, 9), (0, 30, 5, 9)], even(3, 4)))]
    # The way from the gate to stall 1 is long, but past stall 2 it is short.
    out += [("detour", text([(0, 50, 1, 40), (0, 50, 1, 1)], [[0, 1], [1, 0]]))]
    out += [("largest", text([(big, big, big, big)] + [(0, big, big, big)] * 11, even(12, big)))]
    for i, n in enumerate([3, 5, 8, 10, 12], start=1):
        out.append((f"random-{i}", market(rng, n, 20 * n, 8 * n, 12)))
    out.append(("tight", market(rng, 12, 150, 6, 8)))
    out.append(("narrow", market(rng, 12, 100, 25, 30)))
    out.append(("far-apart", market(rng, 12, 300, 300, 90)))
    out.append(("always-open", market(rng, 12, 0, big, 100)))
    out.append(("no-ways", text([(0, big, 10**4 * (i + 1), 0) for i in range(12)], even(12, 0))))
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
