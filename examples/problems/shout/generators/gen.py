"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import random
import shutil
import string
from pathlib import Path

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"


def solve(text: str) -> str:
    return "".join(chr(ord(c) - 32) if "a" <= c <= "z" else c for c in text)


def cases() -> list[tuple[str, str]]:
    rng = random.Random(103)
    out = [("letter", "q"), ("word", "apple"), ("already-upper", "READY"), ("mixed", "miXeD cAsE")]
    out += [("digits", "route 66"), ("no-letters", "12 + 30 = 42"), ("sentence", "it is late.")]
    out += [("alphabet", string.ascii_lowercase), ("camel", "aBc dEf")]
    for i in range(1, 4):
        out.append((f"random-{i}", "".join(rng.choices(string.ascii_letters + "09.,!?", k=20 * i))))
    return out


def write(base: Path, text: str) -> None:
    base.with_suffix(".in").write_text(f"{text}\n")
    base.with_suffix(".ans").write_text(f"{solve(text)}\n")


def main() -> None:
    shutil.rmtree(SECRET, ignore_errors=True)
    SECRET.mkdir(parents=True)
    for number, (name, text) in enumerate(cases(), start=1):
        write(SECRET / f"{number:02}-{name}", text)


if __name__ == "__main__":
    main()
