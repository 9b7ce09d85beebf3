"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import random
import shutil
from pathlib import Path

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"


def solve(line: str) -> int:
    return sum(a == " " and b != " " for a, b in zip(" " + line, line, strict=False))


def cases() -> list[tuple[str, str]]:
    rng = random.Random(109)
    out = [("one-word", "tree"), ("one-letter", "a"), ("two-words", "red fox")]
    out += [("leading", "  snow falls"), ("trailing", "rain stops   "), ("around", "   sun   ")]
    out += [("max", " ".join(["x"] * 20)), ("wide", "a          b"), ("same", "no no no no")]
    for i in range(1, 6):
        words = ["".join(rng.choices("abcdefgh", k=rng.randint(1, 7))) for _ in range(3 * i)]
        out.append((f"random-{i}", "".join(w + " " * rng.randint(1, 2) for w in words)))
    return out


def write(base: Path, line: str) -> None:
    base.with_suffix(".in").write_text(f"{line}\n")
    base.with_suffix(".ans").write_text(f"{solve(line)}\n")


def main() -> None:
    shutil.rmtree(SECRET, ignore_errors=True)
    SECRET.mkdir(parents=True)
    for number, (name, line) in enumerate(cases(), start=1):
        write(SECRET / f"{number:02}-{name}", line)


if __name__ == "__main__":
    main()
