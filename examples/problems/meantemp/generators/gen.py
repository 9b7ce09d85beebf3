"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import random
import shutil
from fractions import Fraction
from pathlib import Path

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"


def solve(tenths: list[int]) -> str:
    return f"{float(Fraction(sum(tenths), 10 * len(tenths))):.9f}"


def cases() -> list[tuple[str, list[int]]]:
    rng = random.Random(206)
    out = [("single", [213]), ("single-negative", [-7]), ("zeros", [0, 0, 0]), ("third", [0, 0, 1])]
    out += [("cancel", [35, -35]), ("equal", [199] * 7), ("max", [500] * 100)]
    out += [("min", [-500] * 100), ("seventh", [10, 20, 30, 40, 50, 60, 71]), ("cold", [-3, -2])]
    for i in range(1, 6):
        out.append((f"random-{i}", [rng.randint(-500, 500) for _ in range(19 * i)]))
    return out


def write(base: Path, tenths: list[int]) -> None:
    base.with_suffix(".in").write_text(
        f"{len(tenths)}\n{' '.join(f'{t / 10:.1f}' for t in tenths)}\n"
    )
    base.with_suffix(".ans").write_text(f"{solve(tenths)}\n")


def main() -> None:
    shutil.rmtree(SECRET, ignore_errors=True)
    SECRET.mkdir(parents=True)
    for number, (name, tenths) in enumerate(cases(), start=1):
        write(SECRET / f"{number:02}-{name}", tenths)


if __name__ == "__main__":
    main()
