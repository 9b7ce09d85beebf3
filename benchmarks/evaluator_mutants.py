"""Does lenient matching accept wrong answers? Right answers, broken on purpose, and counted.

    python benchmarks/evaluator_mutants.py [--data ../shared/data] [--per-answer 6] [--seed 0]

Takes the expected answers of AtCoder's samples (printed) and of LeetCodeDataset, HumanEval and MBPP
(returned), breaks each in several ways, and keeps what is wrong by an oracle of its own: words as
text, numbers as exact fractions within the declared tolerance. Right answers written differently
show what each strategy of the comparison rescues. Prints Markdown.
"""

from __future__ import annotations

import argparse
import ast
import gzip
import json
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from evaluator import inputs
from evaluator.apps import compare_values_apps
from evaluator.compare import STRATEGIES, Policy, compare_text, has_reals
from evaluator.values import encode
from evaluator.values_match import compare_values, decode
from pipelines.literals import LiteralError, parse_literal
from pipelines.problem import Problem
from pipelines.sources import humaneval, leetcode_dataset, mbpp

POLICIES: tuple[Policy, ...] = ("robust", "strict", "apps")
#: Tests of a problem whose answers are taken.
_TESTS = 30
_INTEGER = re.compile(r"-?\d+\Z", re.ASCII)
_REAL = re.compile(r"-?\d*\.\d+(?:[eE][+-]?\d+)?\Z", re.ASCII)
_VOCABULARIES = ({"yes", "no"}, {"true", "false"})


@dataclass(frozen=True, slots=True)
class Answer:
    """An expected answer: printed text, or a returned value."""

    kind: str  # integer, real, text, value
    text: str = ""
    value: Any = None


@dataclass(frozen=True, slots=True)
class Variant:
    """What a program might have answered instead, and by which change."""

    answer: Answer
    change: str
    right: bool
    text: str = ""
    value: Any = None


# -- the answers ----------------------------------------------------------------------------------


def answers(data: Path) -> Iterator[Answer]:
    """All expected answers of the sets, each once."""
    seen: set[str] = set()
    with gzip.open(data / "livecodebench/atcoder_samples_o1_mini.jsonl.gz", "rt") as f:
        for row in map(json.loads, f):
            for test in row["samples"]:
                text = test["output"].replace("\r\n", "\n")
                if text.strip() and text not in seen:
                    seen.add(text)
                    yield Answer(kind_of(text), text=text)
    for source, name in (
        (leetcode_dataset, "leetcode_dataset/v0.2.0-train.jsonl.gz"),
        (leetcode_dataset, "leetcode_dataset/v0.3.1-test.jsonl.gz"),
        (humaneval, "humaneval/HumanEval.jsonl.gz"),
        (mbpp, "mbpp/mbpp.jsonl.gz"),
    ):
        for problem in source.read(data / name):
            if isinstance(problem, Problem) and problem.checker.kind == "default":
                for case in problem.tests[:_TESTS]:
                    if len(case.output) < 2000 and case.output not in seen:
                        seen.add(case.output)
                        value = inputs.parse_expected(case.output)
                        yield Answer("value", value=value)
                        if (text := printed(value)) and text not in seen:
                            seen.add(text)
                            yield Answer(kind_of(text), text=text)


def printed(value: Any) -> str:
    """A returned value as programs print such answers: numbers and words side by side, lists of
    lists line by line, other lists as Python writes them; '' for what nobody would print.

    >>> printed([1, 2]), printed([[1, 2], [3]]), printed(["a b", "c"])
    ('1 2\\n', '1 2\\n3\\n', "['a b', 'c']\\n")
    """
    if isinstance(value, bool):
        return "Yes\n" if value else "No\n"
    if isinstance(value, int | float | str):
        return f"{value}\n" if str(value).strip() else ""
    if not isinstance(value, list | tuple) or not value:
        return ""
    if all(isinstance(v, int | float) or (isinstance(v, str) and v.split() == [v]) for v in value):
        return " ".join(map(str, value)) + "\n"
    if all(isinstance(v, list) and v and all(isinstance(x, int) for x in v) for v in value):
        return "".join(" ".join(map(str, v)) + "\n" for v in value)
    return f"{value}\n"


def kind_of(text: str) -> str:
    """integer, real or text.

    >>> kind_of("1 2"), kind_of("0.5 x"), kind_of("Yes")
    ('integer', 'real', 'text')
    """
    words = text.split()
    if all(map(_INTEGER.match, words)):
        return "integer"
    return "real" if any(map(_REAL.match, words)) else "text"


# -- the oracle -----------------------------------------------------------------------------------


def same_text(want: str, got: str) -> bool:
    """Right by the book: the same words; numbers equal, reals within 1e-6 or 1e-9 of them; lists
    that Python reads as the same.

    >>> same_text("1 0.5", "1 0.50"), same_text("1", "01"), same_text("a b", "ab")
    (True, False, False)
    """
    if want.lstrip().startswith(("[", "(", "{")) and _same_lists(want, got):
        return True
    ours, theirs = want.split(), got.split()
    if len(ours) != len(theirs):
        return False
    words = next((v for v in _VOCABULARIES if v.issuperset(w.lower() for w in ours)), None)
    if words and [w.lower() for w in ours] == [t.lower() for t in theirs]:
        return True
    real = has_reals(want)
    return all(w == t or _same_number(w, t, real) for w, t in zip(ours, theirs, strict=True))


def _same_lists(want: str, got: str) -> bool:
    if re.search(r"(?<![\w.'\"])\+\d", got):
        return False
    try:
        ours, theirs = ([ast.literal_eval(x) for x in t.strip().split("\n")] for t in (want, got))
    except (SyntaxError, ValueError):
        return False
    return repr(ours) == repr(theirs)


def _same_number(want: str, got: str, real: bool) -> bool:
    plain = r"-?(0|[1-9]\d*)?(\.\d*)?([eE][+-]?\d+)?\Z"
    if not (re.match(plain, want, re.ASCII) and re.match(plain, got, re.ASCII)) or not got:
        return False
    if _INTEGER.match(want) and (_INTEGER.match(got) or (not real and "e" in got.lower())):
        return False
    try:
        w, g = Fraction(want), Fraction(got)
    except ValueError:
        return False
    if not real:
        return w == g
    return abs(w - g) <= max(Fraction(1, 10**6), abs(w) / 10**9)


def same_value(want: Any, got: Any) -> bool:
    """Right by the book: equal values; a tuple is a list, a float within 1e-5, 2.0 is 2.

    >>> same_value([1, 2.0], (1, 2)), same_value([1], ["1"]), same_value([1, 2], [2, 1])
    (True, False, False)
    """
    if isinstance(want, list | tuple):
        return (
            isinstance(got, list | tuple)
            and len(want) == len(got)
            and all(map(same_value, want, got))
        )
    if isinstance(want, dict):
        return (
            isinstance(got, dict)
            and {str(k) for k in want} == {str(k) for k in got}
            and all(same_value(v, got.get(k, got.get(str(k)))) for k, v in want.items())
        )
    if isinstance(want, float) and isinstance(got, int | float):
        return abs(want - got) <= 1.0001e-5 * max(1.0, abs(want))
    if isinstance(want, int) and isinstance(got, int | float):
        return want == got
    return type(want) is type(got) and bool(want == got)


# -- wrong answers --------------------------------------------------------------------------------


WordChange = Callable[[str, random.Random], str | None]


def words_changed(text: str, change: WordChange, rng: random.Random) -> str | None:
    """One word, at random among those that `change` knows how to change, changed."""
    parts = re.split(r"(\s+)", text)
    places = [i for i, p in enumerate(parts) if p.strip()]
    rng.shuffle(places)
    for i in places[:20]:
        new = change(parts[i], rng)
        if new is not None and new != parts[i]:
            return "".join([*parts[:i], new, *parts[i + 1 :]])
    return None


def _off_by_one(word: str, rng: random.Random) -> str | None:
    return str(int(word) + rng.choice((-1, 1))) if _INTEGER.match(word) else None


def _sign(word: str, rng: random.Random) -> str | None:
    if not (_INTEGER.match(word) or _REAL.match(word)):
        return None
    return word[1:] if word.startswith("-") else "-" + word


def _digit(word: str, rng: random.Random) -> str | None:
    places = [i for i, c in enumerate(word) if c in "0123456789"]
    if not places:
        return None
    i = rng.choice(places)
    return word[:i] + str((int(word[i]) + rng.randint(1, 9)) % 10) + word[i + 1 :]


def _last_digit(word: str, rng: random.Random) -> str | None:
    return word[:-1] if len(word) > 1 and word[-1].isdigit() else None


def _thousandth(word: str, rng: random.Random) -> str | None:
    if not _REAL.match(word):
        return None
    return repr(float(word) + rng.choice((-1, 1)) * 1e-3 * max(1.0, abs(float(word))))


def _case(word: str, rng: random.Random) -> str | None:
    return word.swapcase()


def _letter(word: str, rng: random.Random) -> str | None:
    places = [i for i, c in enumerate(word) if c.isalpha()]
    if not places:
        return None
    i = rng.choice(places)
    return word[:i] + chr((ord(word[i]) - 97 + 1) % 26 + 97) + word[i + 1 :]


def _swapped(text: str, rng: random.Random) -> str | None:
    parts = re.split(r"(\s+)", text)
    places = [i for i, p in enumerate(parts) if p.strip()]
    if len(places) < 2:
        return None
    a, b = rng.sample(places, 2)
    parts[a], parts[b] = parts[b], parts[a]
    return "".join(parts)


def _lines(change: Callable[[list[str], random.Random], list[str] | None]) -> TextChange:
    def changed(text: str, rng: random.Random) -> str | None:
        lines = text.rstrip("\n").split("\n")
        new = change(lines, rng)
        return None if new is None else "\n".join(new) + "\n"

    return changed


def _drop(lines: list[str], rng: random.Random) -> list[str] | None:
    i = rng.randrange(len(lines))
    return lines[:i] + lines[i + 1 :] if len(lines) > 1 else None


def _duplicate(lines: list[str], rng: random.Random) -> list[str] | None:
    i = rng.randrange(len(lines))
    return [*lines[: i + 1], *lines[i:]]


def _shuffled(lines: list[str], rng: random.Random) -> list[str] | None:
    return lines[::-1] if len(lines) > 1 else None


def _flip(word: str, rng: random.Random) -> str | None:
    other = {"yes": "No", "no": "Yes", "true": "False", "false": "True"}
    return other.get(word.lower())


TextChange = Callable[[str, random.Random], str | None]


def _word(change: WordChange) -> TextChange:
    return lambda text, rng: words_changed(text, change, rng)


WRONG_TEXT: dict[str, TextChange] = {
    "off by one": _word(_off_by_one),
    "sign": _word(_sign),
    "digit changed": _word(_digit),
    "last digit cut": _word(_last_digit),
    "real off by 1e-3": _word(_thousandth),
    "wrong case": _word(_case),
    "letter changed": _word(_letter),
    "yes for no": _word(_flip),
    "leading zero": _word(lambda w, r: "0" + w if _INTEGER.match(w) else None),
    "plus sign": _word(lambda w, r: "+" + w if w[0].isdigit() else None),
    "underscore": _word(lambda w, r: f"{w[0]}_{w[1:]}" if w.isdigit() and len(w) > 1 else None),
    "exponent": _word(lambda w, r: w + "e0" if _INTEGER.match(w) else None),
    "word split": _word(lambda w, r: f"{w[0]} {w[1:]}" if len(w) > 1 else None),
    "words swapped": _swapped,
    "words joined": lambda t, r: re.sub(r"(\S)[ \n]+(\S)", r"\1\2", t, count=1),
    "last word cut": lambda t, r: " ".join(t.split()[:-1]),
    "word added": lambda t, r: t.rstrip("\n") + " 0\n",
    "word repeated": lambda t, r: t.rstrip("\n") + " " + t.split()[-1] + "\n",
    "line dropped": _lines(_drop),
    "line added": lambda t, r: t + t.split("\n")[0] + "\n",
    "line repeated": _lines(_duplicate),
    "lines reversed": _lines(_shuffled),
    "first half": lambda t, r: t[: len(t) // 2],
    "empty": lambda t, r: "",
    "several answers": lambda t, r: t.rstrip("\n") + "\nor\n" + t,
    "explained": lambda t, r: "Answer: " + t,
}
RIGHT_TEXT: dict[str, TextChange] = {
    "trailing blanks": lambda t, r: t.replace("\n", " \n"),
    "CRLF": lambda t, r: t.replace("\n", "\r\n"),
    "no last newline": lambda t, r: t.rstrip("\n"),
    "blank lines at the end": lambda t, r: t + "\n\n",
    "byte-order mark": lambda t, r: "\ufeff" + t,
    "one word a line": lambda t, r: "\n".join(t.split()) + "\n",
    "wide blanks": lambda t, r: re.sub(r"(\S) (\S)", r"\1  \2", t),
    "other case of yes/no": lambda t, r: (
        t.swapcase() if any(v.issuperset(t.lower().split()) for v in _VOCABULARIES) else None
    ),
    "list without blanks": lambda t, r: t.replace(", ", ",") if t.startswith("[") else None,
    "list as JSON": lambda t, r: _as_json(t),
    "real with noise": _word(lambda w, r: repr(float(w) * (1 + 1e-12)) if _REAL.match(w) else None),
    "integer as 2.0": _word(lambda w, r: w + ".0" if _INTEGER.match(w) else None),
}


def _as_json(text: str) -> str | None:
    if not text.startswith("["):
        return None
    try:
        return json.dumps(parse_literal(text)) + "\n"
    except LiteralError:
        return None


def _leaf(value: Any, change: Callable[[Any, random.Random], Any], rng: random.Random) -> Any:
    """`value` with one leaf changed, at random; None when none could be."""
    if isinstance(value, list | tuple) and value:
        for i in rng.sample(range(len(value)), len(value))[:20]:
            new = _leaf(value[i], change, rng)
            if new is not None:
                return [*value[:i], new, *value[i + 1 :]]
        return None
    return change(value, rng)


def _list(change: Callable[[list[Any], random.Random], Any]) -> Callable[[Any, random.Random], Any]:
    return lambda v, r: change(list(v), r) if isinstance(v, list | tuple) and v else None


def _is_int(v: Any) -> bool:
    return isinstance(v, int) and not isinstance(v, bool)


WRONG_VALUE: dict[str, Callable[[Any, random.Random], Any]] = {
    "off by one": lambda v, r: _leaf(
        v, lambda x, r: x + r.choice((-1, 1)) if _is_int(x) else None, r
    ),
    "sign": lambda v, r: _leaf(v, lambda x, r: -x if _is_int(x) and x else None, r),
    "real off by 1e-3": lambda v, r: _leaf(
        v, lambda x, r: x + 1e-3 * max(1.0, abs(x)) if isinstance(x, float) else None, r
    ),
    "number as text": lambda v, r: _leaf(v, lambda x, r: str(x) if _is_int(x) else None, r),
    "other truth value": lambda v, r: _leaf(
        v, lambda x, r: not x if isinstance(x, bool) else None, r
    ),
    "None": lambda v, r: "None" if v is None else None,
    "wrong case": lambda v, r: _leaf(
        v, lambda x, r: x.swapcase() if isinstance(x, str) else None, r
    ),
    "letter changed": lambda v, r: _leaf(
        v, lambda x, r: x[:-1] + "~" if isinstance(x, str) and x else None, r
    ),
    "item dropped": _list(lambda v, r: v[:-1]),
    "item repeated": _list(lambda v, r: [*v, v[-1]]),
    "items reversed": _list(lambda v, r: v[::-1]),
    "first item alone": _list(lambda v, r: v[0]),
    "in a list": lambda v, r: [v],
    "several answers": lambda v, r: [v, 0],
    "set for list": _list(
        lambda v, r: set(v) if all(isinstance(x, int | str) for x in v) else None
    ),
    "text of it": lambda v, r: json.dumps(v) if not isinstance(v, str) else None,
    "empty": lambda v, r: [] if v else None,
}
RIGHT_VALUE: dict[str, Callable[[Any, random.Random], Any]] = {
    "tuple for list": _list(lambda v, r: tuple(v)),
    "float for integer": lambda v, r: _leaf(
        v, lambda x, r: float(x) if _is_int(x) and abs(x) < 2**50 else None, r
    ),
    "real with noise": lambda v, r: _leaf(
        v, lambda x, r: x * (1 + 1e-12) if isinstance(x, float) else None, r
    ),
}


def variants(found: Sequence[Answer], per_answer: int, seed: int) -> Iterator[Variant]:
    """Wrong variants, at most `per_answer` of each answer, and all right ones."""
    rng = random.Random(seed)
    for answer in found:
        value = answer.kind == "value"
        original: Any = answer.value if value else answer.text
        wrong: dict[str, Any] = dict(WRONG_VALUE if value else WRONG_TEXT)
        names = rng.sample(sorted(wrong), len(wrong))
        made = 0
        for name in names:
            if made == per_answer:
                break
            new = wrong[name](original, rng)
            if new is None or (same_value if value else same_text)(original, new):
                continue
            made += 1
            yield _variant(answer, name, False, new)
        right: dict[str, Any] = dict(RIGHT_VALUE if value else RIGHT_TEXT)
        for name, change in right.items():
            new = change(original, rng)
            if new is not None and (new != original or type(new) is not type(original)):
                yield _variant(answer, name, True, new)


def _variant(answer: Answer, name: str, right: bool, new: Any) -> Variant:
    if answer.kind == "value":
        return Variant(answer, name, right, value=new)
    return Variant(answer, name, right, text=new)


# -- counting -------------------------------------------------------------------------------------


def accepts(variant: Variant, policy: Policy, without: Sequence[str] = ()) -> str:
    """The rule that accepts it under the policy, '' when none does."""
    answer = variant.answer
    if answer.kind != "value":
        return compare_text(answer.text, variant.text, None, policy, without=without).matched_by
    got = decode(encode(variant.value).encode())
    if policy == "apps":
        return compare_values_apps(answer.value, got).matched_by
    return compare_values(answer.value, got, None, policy).matched_by


def report(every: Sequence[Variant]) -> int:
    """Print the tables; the number of wrong integer and text answers that `robust` accepts."""
    wrong = [v for v in every if not v.right]
    right = [v for v in every if v.right]
    by: dict[str, dict[int, str]] = {
        p: {id(v): accepts(v, p) for v in _shown(every, p)} for p in POLICIES
    }
    print(f"\n{len(wrong)} wrong answers, {len(right)} right ones written differently.\n")
    print("| wrong answers accepted | of | robust | strict | apps |\n|---|---:|---:|---:|---:|")
    for kind in ("integer", "text", "real", "value"):
        some = [v for v in wrong if v.answer.kind == kind]
        print(f"| {kind} | {len(some)} | {_cells(some, by)} |")
    print(f"| all | {len(wrong)} | {_cells(wrong, by)} |")
    print("\n| change | wrong | robust | strict | apps |\n|---|---:|---:|---:|---:|")
    for change in sorted({v.change for v in wrong}):
        some = [v for v in wrong if v.change == change]
        print(f"| {change} | {len(some)} | {_cells(some, by)} |")
    print(
        "\n| right, written differently | of | robust | strict | apps |\n|---|---:|---:|---:|---:|"
    )
    for change in sorted({v.change for v in right}):
        some = [v for v in right if v.change == change]
        print(f"| {change} | {len(some)} | {_cells(some, by)} |")
    _strategies(right, wrong, by)
    let_through = [v for v in wrong if by["robust"][id(v)]]
    for v in let_through[:20]:
        want = v.answer.value if v.answer.kind == "value" else v.answer.text
        got = v.value if v.answer.kind == "value" else v.text
        print(f"- accepted as {by['robust'][id(v)]}, {v.change}: {want!r:.60} -> {got!r:.60}")
    return sum(v.answer.kind in ("integer", "text") for v in let_through)


def _shown(every: Sequence[Variant], policy: str) -> Iterator[Variant]:
    for i, v in enumerate(every):
        if i % 5000 == 0:
            print(f"{policy}: {i} of {len(every)}", file=sys.stderr)
        yield v


def _cells(some: Sequence[Variant], by: dict[str, dict[int, str]]) -> str:
    return " | ".join(str(sum(bool(by[p][id(v)]) for v in some)) for p in POLICIES)


def _strategies(
    right: Sequence[Variant], wrong: Sequence[Variant], by: dict[str, dict[int, str]]
) -> None:
    print("\n| strategy | right it accepts | refused without it | wrong it accepts |")
    print("|---|---:|---:|---:|")
    texts = [v for v in right if v.answer.kind != "value"]
    rules: dict[str, list[Variant]] = defaultdict(list)
    for v in texts:
        rules[by["robust"][id(v)]].append(v)
    bad = Counter(by["robust"][id(v)] for v in wrong)
    for name in STRATEGIES:
        lost = sum(not accepts(v, "robust", (name,)) for v in rules[name] if name != "exact")
        print(f"| {name} | {len(rules[name])} | {lost} | {bad[name]} |")
    values = [v for v in right if v.answer.kind == "value"]
    print(f"| value | {sum(bool(by['robust'][id(v)]) for v in values)} | | {bad['value']} |")
    apps_right = Counter(by["apps"][id(v)] for v in right)
    apps_wrong = Counter(by["apps"][id(v)] for v in wrong)
    for name in sorted({*apps_right, *apps_wrong} - {""}):
        print(f"| {name} (policy apps) | {apps_right[name]} | | {apps_wrong[name]} |")
    print()


def main(argv: Sequence[str] | None = None) -> int:
    """Print the tables; exit status 1 when robust accepts more than 1 in 10,000."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[2] / "shared/data")
    parser.add_argument("--per-answer", type=int, default=6, help="wrong variants of an answer")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(argv)
    if not args.data.exists():
        print(f"error: {args.data} is not here: no answers to break", file=sys.stderr)
        return 1
    found = list(answers(args.data))
    print(f"{len(found)} different answers: {dict(Counter(a.kind for a in found))}")
    texts = [a for a in found if a.kind != "value"]
    every = list(variants(texts, 4 * args.per_answer, args.seed))
    every += variants([a for a in found if a.kind == "value"], args.per_answer, args.seed)
    accepted = report(every)
    plain = sum(not v.right and v.answer.kind in ("integer", "text") for v in every)
    return int(accepted * 10_000 > plain)


if __name__ == "__main__":
    sys.exit(main())
