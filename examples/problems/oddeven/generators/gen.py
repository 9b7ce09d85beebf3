"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import random
import shutil
from pathlib import Path

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"


def solve(n: int) -> str:
    return "odd" if n & 1 else "even"


def cases() -> list[tuple[str, int]]:
    rng = random.Random(108)
    out = [("zero", 0), ("one", 1), ("two", 2), ("minus-one", -1), ("minus-two", -2)]
    out += [("max", 10**6), ("min", -(10**6)), ("below-max", 10**6 - 1), ("odd-digits", 7532)]
    out += [(f"even-{i}", 2 * rng.randint(-(10**5), 10**5)) for i in range(1, 4)]
    out += [(f"odd-{i}", 2 * rng.randint(-(10**5), 10**5) + 1) for i in range(1, 4)]
    return out


def write(base: Path, n: int) -> None:
    base.with_suffix(".in").write_text(f"{n}\n")
    base.with_suffix(".ans").write_text(f"{solve(n)}\n")


def main() -> None:
    shutil.rmtree(SECRET, ignore_errors=True)
    SECRET.mkdir(parents=True)
    for number, (name, n) in enumerate(cases(), start=1):
        write(SECRET / f"{number:02}-{name}", n)


if __name__ == "__main__":
    main()
