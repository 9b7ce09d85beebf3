"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import json
import random
import shutil
import string
from pathlib import Path
from typing import Any

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"


def solve(text: str) -> int:
    return len(text)


def cases() -> list[tuple[str, tuple[str]]]:
    rng = random.Random(112)
    texts = [("empty", ""), ("letter", "z"), ("space", " "), ("spaces", "     "), ("word", "moon")]
    texts += [("padded", "  left and right  "), ("digits", "2048"), ("max", "m" * 100)]
    texts += [("quote", 'say "hi"'), ("sentence", "Does it rain today?")]
    for i in range(1, 5):
        chars = rng.choices(string.ascii_letters + "   ", k=rng.randint(20, 100))
        texts.append((f"random-{i}", "".join(chars)))
    return [(name, (text,)) for name, text in texts]


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
