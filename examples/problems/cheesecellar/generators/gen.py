"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import random
import runpy
import shutil
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
SECRET = PACKAGE / "data" / "secret"
solve = runpy.run_path(str(PACKAGE / "submissions/accepted/monotonic_queues.py"))["solve"]


def text(d: int, readings: list[int]) -> str:
    return f"{len(readings)} {d}\n{' '.join(map(str, readings))}\n"


def walk(rng: random.Random, n: int, step: int) -> list[int]:
    readings = [0]
    for _ in range(n - 1):
        readings.append(max(-(10**6), min(10**6, readings[-1] + rng.randint(-step, step))))
    return readings


def cases() -> list[tuple[str, str]]:
    rng = random.Random(308)
    big = 10**6
    out = [
        ("one", text(0, [-7])),
        ("two-differ", text(0, [3, 4])),
        ("exactly-d", text(5, [1, 6, 1, 6])),
    ]
    out += [
        ("all-steady", text(big, [0, big, 3, big, 0])),
        ("far-apart", text(big, [-big, big] * 5)),
    ]
    out += [("ties", text(1, [5, 5, 9, 9, 1, 2])), ("plateau", text(0, [4, 4, 4, 7, 7, 7, 7, 4]))]
    out += [("rising", text(3, list(range(20)))), ("falling", text(3, list(range(20, 0, -1))))]
    out += [
        ("around-first", text(2, [5, 3, 7, 5, 4, 6, 6])),
        ("spike", text(4, [0, 2, 4, 9, 4, 4, 3])),
    ]
    for i, (n, d) in enumerate([(30, 6), (200, 40), (1000, 150), (3000, 2000)], start=1):
        out.append((f"random-{i}", text(d, walk(rng, n, 10 * i))))
    out.append(("noise", text(750000, [rng.randint(-big, big) for _ in range(5000)])))
    out.append(("max-ramp", text(11000, [i + rng.randint(-40, 40) for i in range(20000)])))
    out.append(("max-walk", text(400, walk(rng, 20000, 5))))
    return out


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
