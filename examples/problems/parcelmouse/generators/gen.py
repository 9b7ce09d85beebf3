"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import random
import runpy
import shutil
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
SECRET = PACKAGE / "data" / "secret"
solve = runpy.run_path(str(PACKAGE / "submissions/accepted/queue.py"))["solve"]


def text(hall: list[str]) -> str:
    return f"{len(hall)} {len(hall[0])}\n" + "\n".join(hall) + "\n"


def random_hall(rng: random.Random, h: int, w: int, squares: str) -> str:
    """A hall of squares drawn from the string, S and E in opposite quarters."""
    hall = [[rng.choice(squares) for _ in range(w)] for _ in range(h)]
    hall[rng.randrange(h // 2)][rng.randrange(w // 2)] = "S"
    hall[h - 1 - rng.randrange(h // 2)][w - 1 - rng.randrange(w // 2)] = "E"
    return text(["".join(row) for row in hall])


def snake(h: int, w: int, belts: bool) -> str:
    """One long way from the last square to the first one; h leaves 1 modulo 4."""
    hall = []
    for r in range(h):
        if r % 2 == 0:
            hall.append("." + ("<>"[r // 2 % 2] if belts else ".") * (w - 2) + ".")
        else:
            hall.append("#" * (w - 1) + "." if r % 4 == 1 else "." + "#" * (w - 1))
    hall[0] = "E" + hall[0][1:]
    hall[-1] = hall[-1][:-1] + "S"
    return text(hall)


def cases() -> list[tuple[str, str]]:
    rng = random.Random(305)
    out = [
        ("next-to-it", text(["SE"])),
        ("walled-in", text(["S#E"])),
        ("column", text(["E", ".", "S"])),
    ]
    out += [("belt-towards", text(["S>>>E"])), ("belt-against", text(["S..<E"]))]
    out += [
        ("belt-into-wall", text(["S>#", ".v.", "..E"])),
        ("belt-off-edge", text(["S.^", "##.", "E.."])),
    ]
    out += [("belt-ring", text([">>v.", "^Sv.", "^<<.", "...E"]))]
    out += [("detour", text(["S<<<E", ".###.", ".....", "#####"]))]
    out += [("many-shortest", text(["S" + "." * 29] + ["." * 30] * 28 + ["." * 29 + "E"]))]
    for i, size in enumerate([6, 12, 25, 40], start=1):
        out.append((f"random-{i}", random_hall(rng, size, size + 3, "......#<>^v")))
    out.append(("belts-only", random_hall(rng, 30, 30, "<>^v>v")))
    out.append(("open", random_hall(rng, 150, 150, "." * 40 + "#<>^v")))
    out.append(("snake", snake(149, 150, belts=False)))
    out.append(("snake-of-belts", snake(149, 150, belts=True)))
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
