"""Statements changed the way sources change them, for benchmarks/decontamination.py.

Every function takes a statement and a random generator and is applied to real rows; nothing here
is written from a table of expected results.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

Perturbation = Callable[[str, random.Random], str]

_SECTION = re.compile(r"(?im)^(?=[\s*#]*(?:example|sample input|constraint))")
#: English boilerplate -> German, as a translated judge page would read.
_TRANSLATED = (
    ("The input is given from Standard Input in the following format",
     "Die Eingabe erfolgt ueber die Standardeingabe im folgenden Format"),
    ("All input values are integers", "Alle Eingabewerte sind ganze Zahlen"),
    ("You are given", "Gegeben sei"), ("Print the answer", "Gib die Antwort aus"),
    ("Given", "Gegeben"), ("It is guaranteed that", "Es ist garantiert, dass"),
    ("Note that", "Beachte, dass"), ("Return", "Gib zurueck"), ("return", "gib zurueck"),
    ("Sample Input", "Beispieleingabe"), ("Sample Output", "Beispielausgabe"),
    ("Constraints", "Nebenbedingungen"), ("Explanation", "Erklaerung"), ("Example", "Beispiel"),
    ("Input", "Eingabe"), ("Output", "Ausgabe"), ("an integer", "eine ganze Zahl"),
    ("an array", "ein Feld"), ("a string", "eine Zeichenkette"), ("such that", "sodass"),
    ("If there is no", "Gibt es kein"), ("the number of", "die Anzahl der"),
    ("the minimum", "das Minimum"), ("the maximum", "das Maximum"), ("Print", "Gib aus"),
)  # fmt: skip
_NAMES = (
    "alpha", "beta", "gamma", "delta", "omega", "sigma", "kappa", "theta", "lambda", "rho", "tau",
    "phi", "psi", "eta", "zeta",
)  # fmt: skip


def whitespace(text: str, rng: random.Random) -> str:
    """Prose wrapped anew, blanks doubled, CRLF line ends; lines of examples stay lines."""
    lines = []
    for line in text.split("\n"):
        words = line.split(" ")
        if len(words) > 8:
            at = rng.randrange(3, len(words) - 2)
            lines += ["  ".join(words[:at]), " ".join(words[at:])]
        else:
            lines.append(line + " " * rng.randrange(3))
    return "\r\n".join(lines)


def markup(text: str, rng: random.Random) -> str:
    """As HTML with LaTeX: entities, <code>, <sup>, $n$, bold words, paragraphs."""
    text = text.replace("&", "&amp;").replace("<=", "&le;").replace(">=", "&ge;")
    text = text.replace("<", "&lt;").replace(">", "&gt;")
    text = re.sub(r"`([^`\n]+)`", r"<code>\1</code>", text)
    text = re.sub(r"\b10\^(\d)", r"10<sup>\1</sup>", text)
    text = re.sub(r"(?<![\w$])([a-zA-Z])(?![\w'$])", r"$\1$", text)
    text = re.sub(r"\b(integer|array|string|minimum|maximum)\b", r"<strong>\1</strong>", text)
    return "".join(f"<p>{part}</p>\n" for part in text.split("\n\n"))


def renamed(text: str, rng: random.Random) -> str:
    """Every variable (in code marks, before '=', or a lone letter) under a new name."""
    found = re.findall(r"`([A-Za-z]\w*)`|\b([A-Za-z_]\w*)\s*=|\b([b-hj-zA-HJ-Z])\b", text)
    names = sorted({next(filter(None, groups)) for groups in found})
    fresh = [f"{_NAMES[k % len(_NAMES)]}{k // len(_NAMES) or ''}" for k in range(len(names))]
    rng.shuffle(fresh)
    mapping = dict(zip(names, fresh, strict=True))
    if not mapping:
        return text
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, mapping))})\b")
    return pattern.sub(lambda m: mapping[m[0]], text)


def reordered(text: str, rng: random.Random) -> str:
    """Examples and constraints in another order, before the prose."""
    parts = [
        p for p in re.split(r"(?im)^(?=[\s*#]*(?:example|sample input|constraint))", text) if p
    ]
    if len(parts) < 2:
        parts = [p for p in text.split("\n\n") if p.strip()]
    shuffled = parts[1:]
    rng.shuffle(shuffled)
    return "\n\n".join(p.strip("\n") for p in [*shuffled, parts[0]])


def translated(text: str, rng: random.Random) -> str:
    """Headings and stock phrases in German, the story as it was."""
    for english, german in _TRANSLATED:
        text = text.replace(english, german)
    return text


def together(text: str, rng: random.Random) -> str:
    """All of it."""
    for change in (renamed, reordered, translated, markup, whitespace):
        text = change(text, rng)
    return text


PERTURBATIONS: dict[str, Perturbation] = {
    "none": lambda text, rng: text,
    "whitespace": whitespace,
    "markup": markup,
    "renamed variables": renamed,
    "reordered sections": reordered,
    "translated boilerplate": translated,
    "all together": together,
}


def perturbed(texts: Sequence[str], name: str) -> list[str]:
    """Every text changed, each by a generator of its own seed."""
    change = PERTURBATIONS[name]
    return [change(text, random.Random(f"{name}/{i}")) for i, text in enumerate(texts)]


def mixed(texts: Sequence[str], count: int, seed: int = 1) -> list[str]:
    """`count` texts made from real ones: paragraphs of two rows taken alternately (so that each is
    a text no source holds), every fourth one row changed by one of the perturbations instead."""
    rng = random.Random(seed)
    changes = list(PERTURBATIONS.values())
    out = []
    for i in range(count):
        first = rng.choice(texts)
        if i % 4 == 0:
            out.append(rng.choice(changes)(first, rng))
            continue
        ours, theirs = (t.split("\n\n") for t in (first, rng.choice(texts)))
        both = [p for pair in zip(ours, theirs, strict=False) for p in pair if rng.random() < 0.7]
        out.append("\n\n".join(both) or first)
    return out
