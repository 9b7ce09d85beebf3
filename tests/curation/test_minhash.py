"""Batches of tokens, shingles and signatures against the plain way, one text at a time."""

from __future__ import annotations

import numpy as np
import pytest
from curation_helpers import prose
from datasketch import MinHash
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.minhash import band_keys, bands, signatures
from curation.shingles import (
    Tokens,
    batch_shingles,
    batch_tokens,
    jaccard,
    shingle_sets,
    stored_form,
)
from curation.text import _COMMA_THOUSANDS, _THOUSANDS, _TOKEN, dedup_form, dedup_tokens

TEXTS = [
    prose(1, 200),
    "",
    "Sum 2 numbers",
    "1.5 1.2.3.4 .5 5. 1..2 10.20.30 a.b 1.x",
    "x[i][j] <= (a_1+b)**2 != {c} && d; e's 'f' \"g\" #h @i ~j $k$",
    "At most $10^{5}$ or 10<sup>5</sup>, 100,000 or 1{,}000{,}000 \\leq n",
    "Дано число n ≤ 10⁵, Übung ñandú ½ x² 你好 世界",
    "{}[]() {} _ __ a_b",
    " ",
    prose(2, 7),
]
#: Characters that meet every rule, with those rules' neighbours.
TEXT = st.lists(
    st.sampled_from(
        [*"aZé9½ .,,{}()[]<=>^*_\\&;#-\n\t01", "**", "^{", "&lt;", "\\le ", "²", "<b>"]
    ),
    max_size=60,
).map("".join)


def tokens_of(texts: list[str]) -> list[list[int]]:
    made = batch_tokens([stored_form(t) for t in texts])
    return [made.hashes[a:b].tolist() for a, b in zip(made.offsets, made.offsets[1:], strict=False)]


def check_tokens(texts: list[str]) -> None:
    """As many hashes as tokens, and two hashes are equal exactly where the tokens are."""
    names: dict[int, str] = {}
    for text, hashes in zip(texts, tokens_of(texts), strict=True):
        tokens = dedup_tokens(text)
        assert len(tokens) == len(hashes), text
        assert [names.setdefault(h, t) for t, h in zip(tokens, hashes, strict=True)] == tokens
    assert len(set(names.values())) == len(names)


def test_tokens_of_a_batch_are_dedup_tokens() -> None:
    check_tokens(TEXTS)
    check_tokens([])


@settings(max_examples=200, deadline=None)
@given(st.lists(TEXT, max_size=6))
def test_tokens_of_any_batch(texts: list[str]) -> None:
    check_tokens(texts)
    assert tokens_of(texts) == [tokens_of([t])[0] for t in texts]


def test_the_stored_form_gives_the_same_tokens_again() -> None:
    for text in TEXTS:
        form = stored_form(text)
        assert [t for t in _TOKEN.findall(form) if t not in "{}"] == dedup_tokens(text)
        assert stored_form(text).isascii() == dedup_form(text).isascii()


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="0123,, a", max_size=30))
def test_thousands_are_joined_by_both_patterns(text: str) -> None:
    assert _COMMA_THOUSANDS.sub("", text) == _THOUSANDS.sub("", text)


@pytest.mark.parametrize("n", [1, 3, 5, 8])
def test_shingles_are_those_of_tuples(n: int) -> None:
    texts = [
        *TEXTS,
        prose(1, 200).replace("array", "tree", 1),
        "a b c d e",
        "a b c d",
        "a b c d e f",
    ]
    sets = shingle_sets([stored_form(t) for t in texts], n)
    plain = []
    for text in texts:
        tokens = dedup_tokens(text)
        windows = range(max(1, len(tokens) - n + 1)) if tokens else range(0)
        plain.append({tuple(tokens[i : i + n]) for i in windows})
    for a, plain_a in zip(sets, plain, strict=True):
        assert len(a) == len(plain_a)
        for b, plain_b in zip(sets, plain, strict=True):
            both = len(plain_a & plain_b)
            assert jaccard(a, b) == both / max(1, len(plain_a) + len(plain_b) - both)


@pytest.mark.parametrize("scheme", ["affine32", "legacy"])
@pytest.mark.parametrize(("num_perm", "seed"), [(128, 1), (16, 7), (250, 2**32 - 1)])
def test_signatures_are_those_of_datasketch(scheme, num_perm: int, seed: int) -> None:
    texts = [*TEXTS, prose(3, 3000)]  # the last: more than one slice
    shingles = batch_shingles(batch_tokens([stored_form(t) for t in texts]), 5)
    got = signatures(shingles, num_perm, seed, scheme=scheme)
    for i in range(len(texts)):
        text = shingles.hashes[shingles.offsets[i] : shingles.offsets[i + 1]]
        peer = MinHash(num_perm=num_perm, seed=seed, hashfunc=int, scheme=scheme)
        peer.update_batch((text & np.uint64(0xFFFFFFFF)).tolist())
        assert got[i].tolist() == peer.hashvalues.tolist()
    assert (signatures(shingles, num_perm, seed, 12, scheme) == got[:, :12]).all()


def test_extreme_hashes_are_those_of_datasketch() -> None:
    edges = [0, 1, 2**31, 2**32 - 1, 2**32 - 2, 0xDEADBEEF]
    for scheme in ("affine32", "legacy"):
        got = signatures(
            Tokens(np.array(edges, np.uint64), np.array([0, 6])), 128, 1, scheme=scheme
        )
        peer = MinHash(num_perm=128, seed=1, hashfunc=int, scheme=scheme)
        peer.update_batch(edges)
        assert got[0].tolist() == peer.hashvalues.tolist()


@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.7, 0.8, 0.9, 1.0])
def test_bands_propose_pairs_at_the_threshold(threshold: float) -> None:
    count, rows = bands(threshold, 128)
    assert count * rows <= 128
    assert 1 - (1 - threshold**rows) ** count >= 0.995


def test_band_keys_are_equal_where_the_band_is() -> None:
    signature = np.arange(24, dtype=np.uint32).reshape(2, 12)
    signature[1] = signature[0]
    signature[1, 4] += 1  # the second of four bands of three
    keys = band_keys(signature, 4, 3)
    assert (keys[0] == keys[1]).tolist() == [True, False, True, True]
    same = np.zeros((1, 12), np.uint32)
    assert len(set(band_keys(same, 4, 3)[0].tolist())) == 4  # bands never meet each other
