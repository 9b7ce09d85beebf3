"""Text forms of a statement: cleaned for readers, tokens for dedup, words for decontamination.

The two matching forms differ on purpose. Dedup must tell siblings apart, so numbers, exponents and
comparison signs stay. Decontamination must find the same text after a source has mangled it (lost
superscripts, LaTeX or HTML), so everything that mangling changes is taken out.
"""

from __future__ import annotations

import hashlib
import html
import re
import unicodedata

import numpy as np
import numpy.typing as npt

Hashes = npt.NDArray[np.uint64]

#: Raise it when `ngram_words` or `slug` changes: older fingerprints then don't match.
WORDS_VERSION = 1

_CODE = re.compile(r"(```.*?```|<pre\b.*?</pre>)", re.S | re.I)
# Only with the semicolon: `&lt` alone occurs in code and `&copy` in LaTeX tables.
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_ZERO_WIDTH = re.compile("[\u200b-\u200f\u2060\ufeff\u00ad]")
_INVISIBLE = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\u00ad]")
# Joiners carry meaning between letters of some scripts and in emoji, never next to ASCII.
_JOINER = re.compile("[\u200c\u200d]+(?=[\x00-\x7f]|$)|(?:(?<=[\x00-\x7f])|^)[\u200c\u200d]+")
_SPACES = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def clean(text: str) -> str:
    """A statement as people read it: LF line ends, NFC, plain spaces, no HTML entities, no
    zero-width characters, no trailing blanks, at most one blank line in a row. Fenced code and
    <pre> blocks keep everything but their line ends; LaTeX is never touched.

    >>> clean("a&nbsp;&le; b  \\r\\n\\r\\n\\r\\nc")
    'a ≤ b\\n\\nc'
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    # A statement about HTML entities (LeetCode's html-entity-parser) loses its point unescaped.
    entities = re.search(r"\bentit(y|ies)\b", text, re.I) is None
    parts = _CODE.split(text)
    parts[::2] = [_clean_prose(part, entities) for part in parts[::2]]
    return "".join(parts).strip()


def _clean_prose(text: str, entities: bool) -> str:
    if entities:
        while (plain := _ENTITY.sub(lambda m: html.unescape(m[0]), text)) != text:
            text = plain  # again for doubly escaped &amp;lt;
        text = text.replace("\r\n", "\n").replace("\r", "\n")  # &#13;
    text = _JOINER.sub("", _INVISIBLE.sub("", _SPACES.sub(" ", text)))
    text = unicodedata.normalize("NFC", text)
    text = re.sub(r"[ \t]+(?=\n|\Z)", "", text)
    return re.sub(r"\n{3,}", "\n\n", text)


_LATEX_SIGNS = {
    "leq": "<=", "le": "<=", "leqslant": "<=", "geq": ">=", "ge": ">=", "geqslant": ">=",
    "neq": "!=", "ne": "!=", "lt": "<", "gt": ">", "times": "*", "cdot": "*", "ldots": "...",
    "dots": "...", "cdots": "...", "lfloor": "floor", "rfloor": "", "lceil": "ceil", "rceil": "",
}  # fmt: skip
_SIGNS = {"≤": "<=", "≥": ">=", "≠": "!=", "×": "*", "·": "*", "−": "-", "–": "-", "…": "..."}
_LATEX = re.compile(r"\\([A-Za-z]+)")
_TAG = re.compile(r"</?[a-z][a-z0-9]*(?:\s[^<>]*)?/?>")  # of lower-cased text
_THOUSANDS = re.compile(r"(?<=\d)(?:,|\{,\})(?=\d{3}(?!\d))")
# The same where {,} doesn't occur, six times faster: it begins with a letter to look for.
_COMMA_THOUSANDS = re.compile(r",(?<=\d,)(?=\d{3}(?!\d))")
_EXPONENT_MARKS = str.maketrans("", "", "^{}_")
_BRACED = re.compile(r"\^\s*\{([^{}]*)\}")
_TOKEN = re.compile(r"\d+(?:\.\d+)?|[^\W\d_]+|[<>=!+\-*/%^&|~#@]+|[\[\](){}]")


def dedup_tokens(text: str) -> list[str]:
    """Tokens that decide whether two statements are one problem: lower-case words, numbers as
    they are, operators and brackets; sentence punctuation and markup are left out. Spellings of
    one thing agree: `10^5`, `10^{5}`, `10**5`, `10⁵`, `10<sup>5</sup>`; `\\leq`, `≤`, `<=`.

    >>> dedup_tokens("It holds that $1 \\\\leq n \\\\leq 10^{5}$.")
    ['it', 'holds', 'that', '1', '<=', 'n', '<=', '10', '^', '5']
    """
    return [t for t in _TOKEN.findall(dedup_form(text)) if t not in "{}"]


def dedup_form(text: str) -> str:
    """The text whose tokens :func:`dedup_tokens` takes: lower case, one spelling of exponents and
    signs, no markup. `curation.shingles` reads the tokens of whole batches from it."""
    if "&" in text:
        text = html.unescape(text)
    if not text.isascii():
        text = re.sub("([⁰¹²³⁴-⁹⁻]+)", lambda m: "^" + m[1].translate(_SUPERSCRIPTS), text)
        text = _ZERO_WIDTH.sub("", text)
        for sign, spelt in _SIGNS.items():  # str.translate takes ten times as long
            text = text.replace(sign, spelt)
        text = unicodedata.normalize("NFKC", text)
    text = text.lower()
    if "<" in text:
        text = re.sub(r"<sup>(.*?)</sup>", r"^\1", text, flags=re.S)
        text = _TAG.sub(" ", text)
    if "\\" in text:
        text = _LATEX.sub(lambda m: f" {_LATEX_SIGNS.get(m[1], '')} ", text).replace("\\", "")
    if "," in text:
        text = (_THOUSANDS if "{,}" in text else _COMMA_THOUSANDS).sub("", text)
    text = text.replace("**", "^")
    return _BRACED.sub(r"^\1", text) if "^" in text else text


_WORD = re.compile(r"[^\W_]+")
#: Signs that are in no word: gone before one asks whether a text is ASCII.
_LONE_MARKS = "≤≥≠×−–—’‘“”•→"
_TO_BLANK = bytes(c if chr(c).isalnum() and c < 128 else 32 for c in range(256))


def ngram_words(text: str) -> list[str]:
    """Words for n-gram matching against a benchmark: whatever differs between copies of a text
    (case, punctuation, LaTeX and HTML markup, how exponents and indices are set) is dropped, so
    `10^5`, `10⁵` and the `105` of sources that lost their superscripts are one word.

    >>> ngram_words("At most $2 \\\\cdot 10^{5}$ items a_1, <b>a_2</b>")
    ['at', 'most', '2', '105', 'items', 'a1', 'a2']
    """
    return _WORD.findall(_unmarked(text).replace("**", "").translate(_EXPONENT_MARKS))


def ngram_words_utf8(text: str) -> list[bytes]:
    """The same words as UTF-8: three times as fast where the words are ASCII.

    >>> ngram_words_utf8("At most $2 \\\\cdot 10^{5}$ items")
    [b'at', b'most', b'2', b'105', b'items']
    """
    text = _unmarked(text).replace("**", "")
    if not text.isascii():
        for mark in _LONE_MARKS:
            text = text.replace(mark, "~")
    if text.isascii():
        return text.encode().translate(_TO_BLANK, b"^{}_").split()
    return [w.encode() for w in _WORD.findall(text.translate(_EXPONENT_MARKS))]


def _unmarked(text: str) -> str:
    """Lower case, without markup and thousands separators."""
    if "&" in text:
        text = html.unescape(text)
    if not text.isascii():
        text = text.replace("\xa0", " ")  # most often the only one, and slow to normalise
        if not text.isascii():
            text = unicodedata.normalize("NFKC", _ZERO_WIDTH.sub("", text))
    text = text.lower()
    if "<" in text:
        text = _TAG.sub("", text)
    if "\\" in text:
        text = _LATEX.sub(" ", text).replace("\\", "")
    if "," in text:
        text = (_THOUSANDS if "{,}" in text else _COMMA_THOUSANDS).sub("", text)
    return text


_INDEX = re.compile(r"^(?:\d+_)?[A-Z]\d?(?:\.\s+|\s+-\s+)(?=\S)")
_NO_WORD = re.compile(r"[\W_]+")


def slug(title: str) -> str:
    """A title as LeetCode's slugs read: lower case, runs of other characters -> '-'. An index in
    front (Codeforces 'A. ', AtCoder 'A - ', CodeContests '76_B. ') is left out.

    >>> slug("76_B. Mice"), slug("Find X-Sum II"), slug("C - Sowing Stones")
    ('mice', 'find-x-sum-ii', 'sowing-stones')
    """
    if not title.isascii():
        title = unicodedata.normalize("NFKC", title)
    title = _INDEX.sub("", title.strip())
    return _NO_WORD.sub("-", title.lower()).strip("-")


_SIBLING = re.compile(r"-(?:[ivx]+|\d+|easy|medium|hard)(?:-version)?$")


def sibling_titles(a: str, b: str) -> bool:
    """True for slugs that differ only in a number or level at the end: different problems
    however alike their texts are.

    >>> sibling_titles("fruits-into-baskets-ii", "fruits-into-baskets-iii")
    True
    """
    return bool(a) and bool(b) and a != b and sibling_stem(a) == sibling_stem(b)


def sibling_stem(slug: str) -> str:
    """A slug without the number or level at its end.

    >>> sibling_stem("fruits-into-baskets-iii"), sibling_stem("walk")
    ('fruits-into-baskets', 'walk')
    """
    return _SIBLING.sub("", slug)


def digest64(text: str) -> int:
    """64-bit blake2b of a text: the hash in fingerprints."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def ngram_hashes(words: list[str], n: int) -> Hashes:
    """Sorted distinct 64-bit hashes of all word n-grams; a shorter text is one gram."""
    if not words:
        return np.zeros(0, np.uint64)
    last = max(1, len(words) - n + 1)
    grams = (" ".join(words[i : i + n]) for i in range(last))
    return np.unique(np.fromiter(map(digest64, grams), np.uint64, last))
