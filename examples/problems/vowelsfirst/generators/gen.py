"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import random
import shutil
import string
from pathlib import Path

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"


def solve(word: str) -> str:
    return "".join(sorted(word, key=lambda letter: letter not in "aeiou"))


def cases() -> list[tuple[str, str]]:
    rng = random.Random(204)
    out = [
        ("vowel", "e"),
        ("consonant", "t"),
        ("only-vowels", "eau"),
        ("only-consonants", "rhythm"),
    ]
    out += [("done", "aeiobc"), ("opposite", "bcdaei"), ("repeated", "banana"), ("y", "yoyo")]
    out += [("alphabet", string.ascii_lowercase), ("max", "nu" * 500)]
    for i in range(1, 6):
        out.append((f"random-{i}", "".join(rng.choices(string.ascii_lowercase, k=30 * i))))
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
