"""What language a statement is written in: py3langid (naive Bayes over byte n-grams, 4 MB, offline,
BSD), asked about the prose only, for formulas, code and names look like no language.

Measured on every statement of the development data and on translations: docs/results-pages.md.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

#: Characters of prose below which the identifier isn't asked: at 60 it takes 2 of 3,019 English
#: beginnings for another language, at 80 none.
MIN_PROSE = 80
#: Least probability of the other language.
MIN_PROBABILITY = 0.4
_NOT_PROSE = re.compile(
    r"```.*?```|<pre\b.*?</pre>|`[^`\n]*`|\$[^$]*\$|\\[A-Za-z]+|https?://\S+|<[^<>]*>|"
    r"[^\W\d_]*[\d_]\w*|\b[^\W\d_]\b",
    re.S,
)


def language(text: str) -> tuple[str, float]:
    """(ISO 639-1 code, probability) of a statement's prose; ("", 0.0) when there are fewer than
    80 characters of it and most letters are Latin (then there is too little to tell).

    >>> language("Дан массив из n целых чисел. Выведите сумму.")[0]
    'ru'
    """
    # `\\w` splits words at combining marks, which some scripts need: only Latin letters are cut.
    prose = " ".join(_NOT_PROSE.sub(" ", text).split())
    letters = [c for c in prose if c.isalpha()]
    latin = sum(c < "\u0250" or "\u1e00" <= c < "\u1f00" for c in letters)
    foreign = latin < len(letters) / 2
    if not letters or (len(prose) < MIN_PROSE and not foreign):
        return "", 0.0
    code, probability = _identifier().classify(prose)
    if foreign and code == "en":  # Latin names in a text of another script
        return "und", 1.0
    return code, float(probability)


def not_english(text: str) -> tuple[str, float] | None:
    """The other language and its probability, or None for English and for too little prose.

    >>> not_english("Given a number n")
    """
    code, probability = language(text)
    return (
        (code, probability) if code not in ("", "en") and probability >= MIN_PROBABILITY else None
    )


@cache
def _identifier() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # 0.1 s; only when needed

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
