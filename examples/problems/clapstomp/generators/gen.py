"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import random
import shutil
from pathlib import Path

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"


def solve(n: int) -> str:
    said = [str(i) for i in range(n + 1)]
    said[4::4] = ["clap"] * (n // 4)
    said[6::6] = ["stomp"] * (n // 6)
    said[12::12] = ["clapstomp"] * (n // 12)
    return "\n".join(said[1:])


def cases() -> list[tuple[str, int]]:
    rng = random.Random(201)
    out = [("min", 1), ("before-clap", 3), ("clap", 4), ("before-stomp", 5), ("two-claps", 8)]
    out += [("both", 12), ("both-twice", 24), ("before-both", 35), ("max", 400)]
    out += [(f"random-{i}", n) for i, n in enumerate(rng.sample(range(40, 400), 4), start=1)]
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
