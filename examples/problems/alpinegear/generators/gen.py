"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import random
import runpy
import shutil
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
SECRET = PACKAGE / "data" / "secret"
solve = runpy.run_path(str(PACKAGE / "submissions/accepted/one_search.py"))["solve"]


Trail = tuple[int, int, int, str]


def text(n: int, huts: list[int], c: int, b: int, trails: list[Trail]) -> str:
    lines = [f"{n} {len(trails)} {c} {b}", " ".join(map(str, [len(huts), *huts]))]
    return "\n".join(lines + [f"{x} {y} {t} {kind}" for x, y, t, kind in trails]) + "\n"


def some_huts(rng: random.Random, n: int, count: int) -> list[int]:
    places = list(range(1, n + 1))
    rng.shuffle(places)
    return places[:count]


def mountains(rng: random.Random, n: int, m: int, huts: int, c: int, b: int, t: int) -> str:
    """Trails between places with close numbers, so that the way to place n has many trails."""
    trails = []
    for i in range(m):
        x = i % (n - 1) + 1
        y = min(n, x + rng.choice([1, 1, 2, 3, 5, 8, 20]))
        time = (y - x) * rng.randint(t, 2 * t)
        trails.append((x, y, time, rng.choice(["rock", "snow"])))
    rng.shuffle(trails)
    return text(n, some_huts(rng, n, huts), c, b, trails)


def cases() -> list[tuple[str, str]]:
    rng = random.Random(312)
    rock, snow = "rock", "snow"
    out = [("one-trail", text(2, [], 0, 0, [(1, 2, 7, rock)]))]
    out += [("wrong-gear", text(2, [2], 3, 5, [(2, 1, 7, snow)]))]
    out += [("change-first", text(2, [1], 3, 0, [(2, 1, 7, snow)]))]
    out += [("odd-half", text(2, [1], 9, 1, [(1, 2, 19, rock), (1, 2, 1, snow)]))]
    out += [("one-minute", text(4, [], 0, 5, [(1, 2, 1, rock), (2, 3, 1, rock), (3, 4, 1, rock)]))]
    out += [("no-way", text(3, [1, 2, 3], 1, 1, [(1, 2, 5, rock), (2, 1, 6, snow)]))]
    # Place 2 has no hut: she must go to the hut at 4 and come back.
    side = [(1, 2, 5, rock), (2, 4, 8, rock), (4, 2, 9, snow), (2, 3, 5, snow), (1, 3, 90, rock)]
    out.append(("out-and-back", text(5, [4], 2, 1, [*side, (3, 5, 1, snow), (3, 5, 4, rock)])))
    # Without bars two trails of 50 are quicker, with one bar the trail of 120 is.
    out.append(
        ("bar-first", text(3, [], 0, 1, [(1, 2, 50, rock), (2, 3, 50, rock), (1, 3, 120, rock)]))
    )
    out.append(("slow-changes", mountains(rng, 60, 200, 60, 1000, 2, 10)))
    out.append(("free-changes", mountains(rng, 60, 120, 20, 0, 3, 10)))
    for i, (n, m) in enumerate([(8, 20), (30, 90), (120, 360), (400, 1300)], start=1):
        out.append((f"random-{i}", mountains(rng, n, m, n // 2, 5 * i, i, 10)))
    out.append(("few-huts", mountains(rng, 300, 2000, 12, 15, 4, 10)))
    long = [(i, i + 1, 10**6, rock if i % 2 else snow) for i in range(1, 1000)]
    out.append(("longest", text(1000, list(range(1, 1001)), 1000, 5, long)))
    out.append(("max", mountains(rng, 1000, 3000, 400, 50, 5, 20)))
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
