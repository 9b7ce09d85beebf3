"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import json
import random
import runpy
import shutil
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parent.parent
SECRET = PACKAGE / "data" / "secret"
solve = runpy.run_path(str(PACKAGE / "submissions/accepted/count_open_rules.py"))["dressingOrder"]


Args = tuple[int, list[list[int]]]


def consistent(rng: random.Random, n: int, count: int) -> Args:
    order = list(range(n))
    rng.shuffle(order)
    rules = []
    for _ in range(count):
        i, j = rng.randrange(n), rng.randrange(n - 1)
        i, j = min(i, j), max(i, j) + (i <= j)
        rules.append([order[i], order[j]])
    return n, rules


def chain(n: int) -> list[list[int]]:
    """The layers n - 1, n - 2, ..., 0, with every rule in the least helpful order."""
    return [[i + 1, i] for i in range(n - 1)]


def cases() -> list[tuple[str, Args]]:
    rng = random.Random(304)
    out: list[tuple[str, Args]] = [("one-layer", (1, [])), ("no-rules", (6, []))]
    out += [("two", (2, [[1, 0]])), ("contradiction", (2, [[0, 1], [1, 0]]))]
    out += [("repeated-rule", (3, [[2, 1], [2, 1], [2, 1], [1, 0]]))]
    out += [("cycle-at-the-end", (5, [[0, 1], [1, 2], [2, 3], [3, 4], [4, 2]]))]
    out += [("cycle-of-all", (50, [[i, (i + 1) % 50] for i in range(50)]))]
    out += [("backwards", (40, chain(40))), ("last-first", (30, [[29, i] for i in range(29)]))]
    for i, (n, count) in enumerate([(8, 10), (60, 100), (300, 900), (1000, 1200)], start=1):
        out.append((f"random-{i}", consistent(rng, n, count)))
    n, rules = consistent(rng, 400, 1000)
    a, b = rules[rng.randrange(1000)]
    rules.insert(rng.randrange(1000), [b, a])
    out.append(("one-bad-rule", (n, rules)))
    n, rules = consistent(rng, 3000, 10000)
    out.append(("many-rules", (n, rules)))
    out.append(("long-chain", (3000, chain(3000))))
    out.append(("long-cycle", (3000, [*chain(3000), [0, 2999]])))
    return out


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
