"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import random
import runpy
import shutil
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
SECRET = PACKAGE / "data" / "secret"
solve = runpy.run_path(str(PACKAGE / "submissions/accepted/suffix_automaton.py"))["solve"]


def notes(rng: random.Random, n: int, letters: str) -> str:
    return "".join(rng.choice(letters) for _ in range(n))


def fibonacci(n: int) -> str:
    a, b = "b", "a"
    while len(b) < n:
        a, b = b, b + a
    return b[:n]


def cases() -> list[tuple[str, str]]:
    rng = random.Random(314)
    every = "abcdefghijklmnopqrstuvwxyz"
    out = [
        ("one-note", "q"),
        ("two-equal", "kk"),
        ("two-different", "kl"),
        ("every-note-once", every),
    ]
    out += [("three-equal", "zzz"), ("ends-meet", "abcdefghijka"), ("back-to-back", "wrenwren")]
    out += [("overlap", "abababa"), ("odd-run", "a" * 101), ("palindrome", "abcdedcba")]
    out += [("song-in-song", "xabcabcyabcabcabcz"), ("fibonacci", fibonacci(1000))]
    for i, (n, letters) in enumerate(
        [(12, "ab"), (40, "abc"), (300, "abcd"), (3000, "ab")], start=1
    ):
        out.append((f"random-{i}", notes(rng, n, letters)))
    theme = notes(rng, 1500, "tril")
    out.append(("planted", notes(rng, 3000, "tril") + theme + notes(rng, 777, "tril") + theme))
    out.append(("periodic", notes(rng, 7, every) * 600 + notes(rng, 90, every)))
    out.append(("max-one-note", "a" * 20000))
    middle = notes(rng, 9000, "abc")
    out.append(
        ("max-twice", notes(rng, 999, "abc") + middle + "d" + middle + notes(rng, 1000, "abc"))
    )
    out.append(("max-random", notes(rng, 20000, "ab")))
    return [(name, song + "\n") for name, song in out]


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
