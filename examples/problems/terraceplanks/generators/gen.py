"""Writes data/secret anew: run `python generators/gen.py` in the package folder."""

import random
import runpy
import shutil
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
SECRET = PACKAGE / "data" / "secret"
solve = runpy.run_path(str(PACKAGE / "submissions/accepted/hopcroft_karp.py"))["solve"]


def text(plots: list[str]) -> str:
    return f"{len(plots)} {len(plots[0])}\n" + "\n".join(plots) + "\n"


def terraces(rng: random.Random, h: int, w: int, squares: str) -> str:
    return text(["".join(rng.choice(squares) for _ in range(w)) for _ in range(h)])


def slope(rng: random.Random, h: int, w: int, rough: int, vines: int) -> str:
    """Heights that grow to the lower right; vines on every vines-th plot or so."""
    plots = []
    for r in range(h):
        row = [min(9, 9 * (r + c) // (h + w) + rng.randrange(rough)) for c in range(w)]
        plots.append("".join("#" if rng.randrange(vines) == 0 else str(x) for x in row))
    return text(plots)


def cases() -> list[tuple[str, str]]:
    rng = random.Random(310)
    out = [("one-plot", text(["4"])), ("only-vines", text(["##", "##"])), ("pair", text(["34"]))]
    out += [
        ("wobbles", text(["35"])),
        ("odd-row", text(["1234567"])),
        ("column", text(list("0120"))),
    ]
    out += [("cut-corners", text(["#00000", "000000", "000000", "00000#"]))]
    out += [("checkered", text(["0909", "9090", "0909"])), ("flat", text(["5" * 50] * 50))]
    out += [("comb", text(["0" * 49, "0#" * 24 + "0", "0#" * 24 + "0"]))]
    out += [
        ("stairs", text(["".join(str((r + c) // 3 % 10) for c in range(20)) for r in range(20)]))
    ]
    for i, (h, w) in enumerate([(3, 5), (8, 8), (15, 20), (30, 30)], start=1):
        out.append((f"random-{i}", terraces(rng, h, w, "0123456789#")))
    out.append(("few-heights", terraces(rng, 50, 50, "0123")))
    out.append(("vines", terraces(rng, 50, 50, "000##")))
    out.append(("slope", slope(rng, 50, 50, 3, 6)))
    out.append(("smooth-slope", slope(rng, 50, 50, 2, 3)))
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
