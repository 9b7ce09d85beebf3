"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import random
import runpy
import shutil
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
SECRET = PACKAGE / "data" / "secret"
solve = runpy.run_path(str(PACKAGE / "submissions/accepted/segment_tree.py"))["solve"]


def text(levels: list[int], entries: list[str]) -> str:
    first = f"{len(levels)} {len(entries)}\n{' '.join(map(str, levels))}\n"
    return first + "\n".join(entries) + "\n"


def book(rng: random.Random, n: int, q: int, level: int, change: int, width: int) -> str:
    """Stretches of at most width pans; if width is negative, of nearly all pans."""
    entries = []
    for i in range(q):
        if width < 0:
            left, right = rng.randint(1, -width), n - rng.randint(0, -width - 1)
        else:
            left = rng.randint(1, n)
            right = min(n, left + rng.randrange(width))
        if rng.randrange(2) and i < q - 1:
            entries.append(f"S {left} {right} {rng.randint(-change, change)}")
        else:
            entries.append(f"R {left} {right}")
    return text([rng.randint(-level, level) for _ in range(n)], entries)


def cases() -> list[tuple[str, str]]:
    rng = random.Random(309)
    out = [("one-pan", text([5], ["R 1 1", "S 1 1 -9", "R 1 1", "S 1 1 0", "R 1 1"]))]
    out += [("no-sluices", text([3, 1, 2, 1], ["R 1 4", "R 1 1", "R 3 4", "R 2 4"]))]
    out += [
        ("all-equal", text([7] * 64, ["R 1 64", "S 1 32 -1", "R 1 64", "S 33 64 -1", "R 2 63"]))
    ]
    out += [("unequal-halves", text([1, 9, 9, 9, 1], ["R 1 5", "R 2 4", "S 2 4 -8", "R 1 5"]))]
    down = [f"S {i} 100 -1000" for i in range(1, 101)]
    out += [("sinks", text([0] * 100, [*down, "R 1 100", "R 50 60"]))]
    up = [f"S 1 {i} 1000" for i in range(1, 101)]
    out += [("rises", text([1000] * 100, [*up, "R 1 100", "R 1 50", "R 99 100"]))]
    out += [("sluice-undone", text([2, 1, 2], ["S 1 3 500", "R 1 3", "S 1 3 -500", "R 1 3"]))]
    for i, n in enumerate([7, 33, 100, 777], start=1):
        out.append((f"random-{i}", book(rng, n, 60 * i, 3, 2, n)))
    out.append(("large-numbers", book(rng, 1024, 500, 1000, 1000, 1024)))
    out.append(("narrow", book(rng, 3000, 2000, 2, 1, 9)))
    out.append(("many-ties", book(rng, 2000, 2000, 0, 1, 2000)))
    out.append(("max-wide", book(rng, 30000, 8000, 5, 3, -200)))
    out.append(("max-all-equal", book(rng, 30000, 3000, 0, 1, 30000)))
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
