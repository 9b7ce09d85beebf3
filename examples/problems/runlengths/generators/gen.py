"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import random
import re
import shutil
from pathlib import Path

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"


def solve(word: str) -> str:
    return re.sub(r"(.)\1*", lambda run: f"{run[1]}{len(run[0])}", word)


def cases() -> list[tuple[str, str]]:
    rng = random.Random(202)
    out = [("letter", "k"), ("pair", "kk"), ("different", "abcdefgh"), ("returning", "aabaa")]
    out += [("ten", "b" * 10), ("long-run", "a" * 1000), ("alternating", "ab" * 500)]
    out += [("last-single", "qqqqr"), ("first-single", "rqqqq"), ("nine-ten", "c" * 9 + "d" * 10)]
    for i in range(1, 5):
        out.append((f"random-{i}", "".join(rng.choices("abc"[: i // 2 + 1], k=60 * i))))
    for i in range(1, 3):
        runs = [rng.choice("mnop") * rng.randint(1, 14) for _ in range(50 * i)]
        out.append((f"runs-{i}", "".join(runs)[:1000]))
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
