"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import random
import runpy
import shutil
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
SECRET = PACKAGE / "data" / "secret"
solve = runpy.run_path(str(PACKAGE / "submissions/accepted/by_end.py"))["solve"]


def text(k: int, g: int, observations: list[tuple[int, int]]) -> str:
    lines = [f"{s} {e}" for s, e in observations]
    return f"{len(lines)} {k} {g}\n" + "\n".join(lines) + "\n"


def night(rng: random.Random, n: int, last: int, length: int) -> list[tuple[int, int]]:
    starts = [rng.randint(0, last - length) for _ in range(n)]
    return [(s, s + rng.randint(1, length)) for s in starts]


def cases() -> list[tuple[str, str]]:
    rng = random.Random(307)
    big = 10**6
    out = [("one", text(1, 0, [(0, 1)])), ("one-early-start", text(1, 1000, [(3, big)]))]
    out += [("touching", text(1, 0, [(5, 8), (2, 5), (8, 9)]))]
    out += [
        ("turn-fits", text(1, 3, [(2, 5), (8, 9)])),
        ("turn-too-long", text(1, 4, [(2, 5), (8, 9)])),
    ]
    out += [("whole-night", text(1, 0, [(0, big), (3, 4), (4, 5), (big - 1, big)]))]
    out += [
        ("same", text(3, 7, [(10, 20)] * 5)),
        ("more-domes", text(100, 9, night(rng, 60, 50, 20))),
    ]
    out += [("choose-dome", text(2, 0, [(0, 2), (0, 5), (2, 9), (5, 9), (6, 8), (5, 6)]))]
    out += [("nested", text(2, 1, [(i, 200 - i) for i in range(99)]))]
    out += [("steps", text(3, 2, [(i, i + 10) for i in range(200)]))]
    for i, (n, k) in enumerate([(20, 2), (100, 3), (400, 7), (1500, 20)], start=1):
        out.append((f"random-{i}", text(k, 5 * i, night(rng, n, 2000, 60 * i))))
    out.append(
        ("short-and-long", text(5, 10, night(rng, 300, 9000, 30) + night(rng, 300, 9000, 3000)))
    )
    out.append(("max-one-dome", text(1, 0, night(rng, 5000, big, 2000))))
    out.append(("max", text(100, 1000, night(rng, 5000, big, 50000))))
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
