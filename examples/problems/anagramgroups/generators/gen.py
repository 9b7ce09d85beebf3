"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import json
import random
import shutil
from pathlib import Path
from typing import Any

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"


def solve(words: list[str]) -> list[list[str]]:
    keys = sorted({tuple(sorted(word)) for word in words})
    return [[word for word in words if tuple(sorted(word)) == key] for key in keys]


def cases() -> list[tuple[str, tuple[list[str]]]]:
    rng = random.Random(208)
    lists = [("empty", []), ("single", ["map"]), ("all-alone", ["ant", "bee", "cow", "dog"])]
    lists += [("one-group", ["abc", "acb", "bca", "cab"]), ("copies", ["on", "on", "no", "on"])]
    lists += [("same-letters", ["aab", "abb", "ab", "bba"]), ("letters", list("abacabad"))]
    lists += [("same-sum", ["ad", "bc", "da", "cb"]), ("lengths", ["a", "aa", "aaa", "aa"])]
    for i in range(1, 4):
        words = ["".join(rng.choices("abc", k=rng.randint(1, 4))) for _ in range(40 * i)]
        lists.append((f"random-{i}", words))
    for i in range(1, 4):
        bases = ["".join(rng.choices("aeilnorst", k=20)) for _ in range(10 * i)]
        words = [rng.choice(bases) for _ in range(66 * i)]
        lists.append((f"long-{i}", ["".join(rng.sample(word, len(word))) for word in words]))
    return [(name, (words,)) for name, words in lists]


def write(base: Path, args: tuple[Any, ...]) -> None:
    base.with_suffix(".in").write_text("".join(json.dumps(arg) + "\n" for arg in args))
    base.with_suffix(".ans").write_text(json.dumps(solve(*args)) + "\n")


def main() -> None:
    shutil.rmtree(SECRET, ignore_errors=True)
    SECRET.mkdir(parents=True)
    for number, (name, args) in enumerate(cases(), start=1):
        write(SECRET / f"{number:02}-{name}", args)


if __name__ == "__main__":
    main()
