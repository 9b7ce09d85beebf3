"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import random
import shutil
from pathlib import Path

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"


def solve(text: str) -> str:
    waiting = ""
    for c in text:
        if c in "([{":
            waiting += c
        elif waiting[-1:] + c in ("()", "[]", "{}"):
            waiting = waiting[:-1]
        else:
            return "no"
    return "no" if waiting else "yes"


def balanced(rng: random.Random, pairs: int) -> str:
    """A random balanced text with that many pairs."""
    out: list[str] = []
    waiting: list[str] = []
    while pairs or waiting:
        if pairs and (not waiting or rng.random() < 0.5):
            kind = rng.choice(["()", "[]", "{}"])
            out.append(kind[0])
            waiting.append(kind[1])
            pairs -= 1
        else:
            out.append(waiting.pop())
    return "".join(out)


def cases() -> list[tuple[str, str]]:
    rng = random.Random(205)
    out = [("pair", "()"), ("open", "["), ("close", "}"), ("wrong-kind", "(]"), ("order", ")(")]
    out += [("left-open", "(()"), ("left-close", "())"), ("crossing", "{[}]"), ("back", "][][")]
    out += [("deep", "([{" * 300 + "}])" * 300), ("flat", "(){}[]" * 50), ("max", "[" * 2000)]
    for i in range(1, 5):
        out.append((f"balanced-{i}", balanced(rng, 20 * i)))
    for i in range(1, 5):
        text = list(balanced(rng, 25 * i))
        a, b = rng.sample(range(len(text)), 2)
        text[a], text[b] = text[b], text[a]
        out.append((f"swapped-{i}", "".join(text)))
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
