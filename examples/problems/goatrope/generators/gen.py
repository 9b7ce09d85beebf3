"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import random
import runpy
import shutil
from decimal import Decimal
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
SECRET = PACKAGE / "data" / "secret"
hull = runpy.run_path(str(PACKAGE / "submissions/accepted/two_chains.py"))["hull"]
PI = Decimal("3.14159265358979323846264338")
Point = tuple[int, int]


def solve(r: int, points: list[Point]) -> str:
    """The rope's length to 9 digits after the point, the same on every computer."""
    corners = hull(points)
    sides = zip(corners, corners[1:] + corners[:1], strict=True)
    squares = [(a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 for a, b in sides]
    return f"{sum((Decimal(s).sqrt() for s in squares), 2 * PI * r):.9f}"


def meadow(rng: random.Random, n: int, x: int, y: int) -> list[Point]:
    return [(rng.randint(-x, x), rng.randint(-y, y)) for _ in range(n)]


def lens(rng: random.Random, n: int) -> list[Point]:
    """Points between two parabolas, all of them corners."""
    points = [(i, i * i) for i in range(-n // 4, n // 4)]
    top = (n // 4) ** 2 * 2 + 1
    points += [(x, top - y) for x, y in points]
    rng.shuffle(points)
    return points


def cases() -> list[tuple[str, tuple[int, list[Point]]]]:
    rng = random.Random(313)
    big = 10**7
    out = [
        ("one", (1, [(0, 0)])),
        ("one-thick", (1000, [(big, -big)])),
        ("two", (2, [(1, 1), (4, 5)])),
    ]
    out += [
        ("same-place", (7, [(3, -3)] * 20)),
        ("corner-twice", (1, [(0, 0), (9, 0), (0, 9)] * 3)),
    ]
    out += [
        ("on-a-row", (3, [(x, 5) for x in range(50)])),
        ("column", (3, [(-2, y) for y in (9, 1, 4)])),
    ]
    out += [("slanted-line", (10, [(3 * i, -2 * i) for i in range(-30, 31)]))]
    out += [("almost-a-line", (1, [(-big, 0), (0, 1), (big, 0), (5, 0)]))]
    out += [("largest-square", (1000, [(x, y) for x in (-big, 0, big) for y in (-big, 0, big)]))]
    out += [("lattice", (5, [(x, y) for x in range(12) for y in range(12)]))]
    out += [("dent", (2, [(0, 0), (10, 0), (10, 10), (5, 1), (0, 10)]))]
    for i, (n, size) in enumerate([(4, 9), (10, 30), (100, 1000), (700, big)], start=1):
        out.append((f"random-{i}", (rng.randint(1, 1000), meadow(rng, n, size, size))))
    out.append(("flat", (1, meadow(rng, 2000, big, 3))))
    out.append(("all-corners", (1, lens(rng, 5000))))
    out.append(("max", (1000, meadow(rng, 5000, big, big))))
    return out


def write(base: Path, r: int, points: list[Point]) -> None:
    lines = [f"{len(points)} {r}", *(f"{x} {y}" for x, y in points)]
    base.with_suffix(".in").write_text("\n".join(lines) + "\n")
    base.with_suffix(".ans").write_text(solve(r, points) + "\n")


def main() -> None:
    shutil.rmtree(SECRET, ignore_errors=True)
    SECRET.mkdir(parents=True)
    for number, (name, (r, points)) in enumerate(cases(), start=1):
        write(SECRET / f"{number:02}-{name}", r, points)


if __name__ == "__main__":
    main()
