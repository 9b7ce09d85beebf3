"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import random
import runpy
import shutil
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
SECRET = PACKAGE / "data" / "secret"
solve = runpy.run_path(str(PACKAGE / "submissions/accepted/binary_search.py"))["solve"]


def text(p: int, kilns: list[tuple[int, int, int]]) -> str:
    lines = [f"{t} {k} {c}" for t, k, c in kilns]
    return f"{len(kilns)} {p}\n" + "\n".join(lines) + "\n"


def yard(rng: random.Random, n: int, t: int, k: int, c: int) -> list[tuple[int, int, int]]:
    return [(rng.randint(1, t), rng.randint(1, k), rng.randint(0, c)) for _ in range(n)]


def cases() -> list[tuple[str, str]]:
    rng = random.Random(301)
    big = 10**6
    out = [("min", text(1, [(1, 1, 0)])), ("one-pot", text(1, [(9, 3, 4), (7, 1, 99)]))]
    out += [("no-cooling", text(1000, [(3, 5, 0), (4, 1, 0)]))]
    out += [("ends-before-cooling", text(6, [(5, 3, 1000)]))]
    out += [("starts-after-cooling", text(7, [(5, 3, 1000)]))]
    out += [
        ("all-at-once", text(10, [(6, 2, 3)] * 10)),
        ("one-too-many", text(11, [(6, 2, 3)] * 10)),
    ]
    out += [
        ("slowest", text(10**9, [(big, 1, big)])),
        ("fastest", text(10**9, [(1, 20, 0)] * 2000)),
    ]
    for i, (n, p) in enumerate([(3, 50), (10, 200), (40, 3000), (200, 77777)], start=1):
        out.append((f"random-{i}", text(p, yard(rng, n, 30, 8, 100))))
    out.append(("long-cooling", text(5000, yard(rng, 100, 10, 20, big))))
    out.append(("many-kilns", text(20000, yard(rng, 2000, big, 20, big))))
    out.append(("many-pots", text(999999937, yard(rng, 2000, 1000, 20, big))))
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
