"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import random
import shutil
import string
from pathlib import Path

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"


def solve(word: str) -> str:
    return "".join(reversed(word))


def cases() -> list[tuple[str, str]]:
    rng = random.Random(104)
    out = [("letter", "a"), ("two", "no"), ("palindrome", "level"), ("sorted", "abcdef")]
    out += [("repeated", "zzzz"), ("capital", "Garden"), ("long", "ab" * 25), ("word", "keyboard")]
    for i in range(1, 6):
        out.append((f"random-{i}", "".join(rng.choices(string.ascii_letters, k=10 * i))))
    return out


def write(base: Path, word: str) -> None:
    base.with_suffix(".in").write_text(f"{word}\n")
    base.with_suffix(".ans").write_text(f"{solve(word)}\n")


def main() -> None:
    shutil.rmtree(SECRET, ignore_errors=True)
    SECRET.mkdir(parents=True)
    for number, (name, word) in enumerate(cases(), start=1):
        write(SECRET / f"{number:02}-{name}", word)


if __name__ == "__main__":
    main()
