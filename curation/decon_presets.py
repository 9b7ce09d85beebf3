"""Decontamination rules of other projects, by name, to see what each would have thrown away.

Every rule is our reading of the project's source (named beside it), over a benchmark's statements;
`peer_rule(NAME, statements)` gives a function from a text to the benchmark row it hits, or None.
They need the benchmark's text: fingerprints hold other hashes.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from math import log

from curation.text import ngram_words

Rule = Callable[[str], int | None]


def peer_rule(name: str, statements: Sequence[str]) -> Rule:
    """The rule of that name over a benchmark. Raises ValueError naming the known ones.

    >>> rule = peer_rule("open-r1-8gram", ["Count all the peaks of the given array now."])
    >>> rule("count all THE peaks of the given array"), rule("Add two numbers")
    (0, None)
    """
    if name not in PEER_RULES:
        raise ValueError(f"unknown rule {name!r}; rules: {', '.join(PEER_RULES)}")
    return PEER_RULES[name](statements)


def _grams(words: Sequence[str], n: int) -> set[str]:
    return {" ".join(words[i : i + n]) for i in range(len(words) - n + 1)}


def open_r1(statements: Sequence[str]) -> Rule:
    """Any shared 8-gram of lower-cased words (huggingface/open-r1, scripts/decontaminate.py)."""
    lookup = _any_lookup([_grams(s.lower().split(), 8) for s in statements])
    return lambda text: _first(lookup, _grams(text.lower().split(), 8))


def datatrove(statements: Sequence[str]) -> Rule:
    """Any shared 12-gram (huggingface/datatrove, pipeline/decont/n_grams.py, with
    `find_query_ngrams=True`: by default it would not look at statements). Words are split at white
    space after its normalisation, which drops punctuation and maps numbers to 0; the original
    tokenises with spaCy."""
    lookup = _any_lookup([_grams(_simplified(s), 12) for s in statements])
    return lambda text: _first(lookup, _grams(_simplified(text), 12))


def containment(statements: Sequence[str], n: int, threshold: float) -> Rule:
    """Share of the benchmark statement's n-grams that the text has (words: `ngram_words`)."""
    texts = [_grams(ngram_words(s), n) for s in statements]
    lookup = _lookup(texts)

    def rule(text: str) -> int | None:
        shared = Counter(i for g in _grams(ngram_words(text), n) for i in lookup.get(g, ()))
        best = max(shared, key=lambda i: (shared[i] / len(texts[i]), -i), default=None)
        if best is None or shared[best] < threshold * len(texts[best]):
            return None
        return best

    return rule


def decon(statements: Sequence[str]) -> Rule:
    """IDF-weighted 5-gram overlap of the question (allenai/decon, config/default.yaml of 0.815:
    statements under 20 tokens are ignored, up to 25 must agree wholly, from 50 on by 0.815). Words
    stand for its cl100k tokens, and every gram is looked up where it samples every tenth."""
    texts = [_grams(words, 5) for words in map(_decon_words, statements)]
    lengths = [len(_decon_words(s)) for s in statements]
    lookup = _lookup(texts)
    idf = {g: log(len(texts) / len(rows)) for g, rows in lookup.items()}
    totals = [sum(idf[g] for g in grams) for grams in texts]

    def needed(length: int) -> float:
        return 1 - 0.185 * min(max((length - 25) / 25, 0.0), 1.0)

    def rule(text: str) -> int | None:
        score: defaultdict[int, float] = defaultdict(float)
        for g in sorted(_grams(_decon_words(text), 5)):
            for i in lookup.get(g, ()):
                score[i] += idf[g]
        hits = [
            (score[i] / totals[i], -i)
            for i in score
            if lengths[i] >= 20 and score[i] >= needed(lengths[i]) * totals[i] - 1e-9 > 0
        ]
        return -max(hits)[1] if hits else None

    return rule


PEER_RULES: dict[str, Callable[[Sequence[str]], Rule]] = {
    "open-r1-8gram": open_r1,
    "13gram-0.5": lambda statements: containment(statements, 13, 0.5),
    "datatrove-12gram": datatrove,
    "decon-5gram-0.815": decon,
    # MicroCoder's paper: "16-gram similarity, threshold 0.22"; containment is our reading
    "paper-16gram-0.22": lambda statements: containment(statements, 16, 0.22),
}


def _lookup(texts: Sequence[set[str]]) -> dict[str, list[int]]:
    found: defaultdict[str, list[int]] = defaultdict(list)
    for i, grams in enumerate(texts):
        for g in sorted(grams):
            found[g].append(i)
    return dict(found)


def _any_lookup(texts: Sequence[set[str]]) -> dict[str, int]:
    return {g: rows[0] for g, rows in _lookup(texts).items()}


def _first(lookup: dict[str, int], grams: set[str]) -> int | None:
    return min((lookup[g] for g in grams if g in lookup), default=None)


_MARKS = "!/—”:％１〈&(、━\\【#%「」，】；+^]~“《„';’{|∶´[=-`*．（–？！：$～«〉,><》)?）。…@_.\"}►»"
_PUNCTUATION = dict.fromkeys([*map(ord, _MARKS), *range(10), *range(11, 32), *range(127, 160)])


def _simplified(text: str) -> list[str]:
    """datatrove's `simplify_text` with its default config, split at blanks."""
    text = re.sub(r"\s+", " ", text.lower().strip()).translate(_PUNCTUATION)
    text = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")
    return re.sub(r"\d+", "0", text).split()


_DECON_PUNCTUATION = str.maketrans(dict.fromkeys("!’\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~”“‘", " "))


def _decon_words(text: str) -> list[str]:
    """decon's cleaning: lower case, punctuation to blanks."""
    return text.lower().translate(_DECON_PUNCTUATION).split()
