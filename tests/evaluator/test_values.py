"""Function results and arguments: encoding, decoding, comparing, reading the inputs."""

from __future__ import annotations

import sys
from array import array
from collections import deque
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.inputs import InputError, parse_expected, readings, signature_hints
from evaluator.nodes import EncodeError, ListNode, TreeNode, make
from evaluator.values import encode
from evaluator.values_match import MAX_BYTES, MAX_DEPTH, compare_values, decode
from pipelines.literals import LiteralError, parse_literal
from pipelines.problem import Checker


def through(value: Any, returns: str = "") -> Any:
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)  # as in the sandbox
    try:
        text = encode(value, returns)
    finally:
        sys.set_int_max_str_digits(limit)
    return decode(text.encode())


class Liar(int):
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = int.__hash__

    def __repr__(self) -> str:
        return "42"


@pytest.mark.parametrize(
    ("expected", "result"),
    [
        (3, 3),
        (2.0, 2),
        (2, 2.0),
        (0.3, 0.1 + 0.2),
        ([0.3, 1.0], [0.1 + 0.2, 1]),
        (1.333335333334e18, 1333335333334000000),
        (True, True),
        (True, 1),
        (0, False),
        (None, None),
        ([[1, 2], [3]], [(1, 2), (3,)]),
        ([1, 2], deque([1, 2])),
        ([0, 1, 2], range(3)),
        ([1, 2], array("i", [1, 2])),
        (["a"], {"a": 1}.keys()),
        ({"1": "a", "2": [1]}, {1: "a", 2: (1,)}),
        ({"a": 1}, {"a": 1}),
        ({(1, 2): 3}, {(1, 2): 3}),
        ({1, 2}, {2, 1}),
        (0.1, Decimal("0.1")),
        (3, Decimal("3")),
        ([1, 2, 3], make("list", [1, 2, 3])),
        ([1, None, 2], make("tree", [1, None, 2])),
        (float("nan"), float("nan")),
        (float("inf"), float("inf")),
        ("é\ud800\n", "é\ud800\n"),
    ],
)
def test_equal(expected: Any, result: Any) -> None:
    match = compare_values(expected, through(result))
    assert match.ok, match.detail


@pytest.mark.parametrize(
    ("expected", "result"),
    [
        (42, Liar(0)),
        (5 * 10**16, 5 * 10**16 + 1),
        (5 * 10**16 + 1, 5e16),
        ("5", 5),
        (5, "5"),
        (True, "true"),
        (1.0, True),
        (0.5, float("nan")),
        (1e308, float("inf")),
        (0.5, 0.51),
        ([2, 1], {1, 2}),
        ([1, 2], [2, 1]),
        ([1], [1, 1]),
        ([3, 4], 3),
        (None, []),
        ([], None),
        ({"a": 1}, {"a": 1, "b": 2}),
        ("x", b"x"),
        ({}, object()),
        ([1], iter([1])),
        ({"$set": [1]}, {1}),
    ],
)
def test_different(expected: Any, result: Any) -> None:
    match = compare_values(expected, through(result))
    assert not match.ok
    assert match.detail


def test_checkers() -> None:
    unordered = Checker("unordered")
    assert compare_values([1, 2, 2], through([2, 1, 2]), unordered).matched_by == "unordered"
    assert compare_values([[1, 2], [3]], through([(3,), (1, 2)]), unordered).ok
    assert compare_values([0.3, 1], through({1, 0.1 + 0.2}), unordered).ok
    assert not compare_values([1, 2, 2], through([1, 1, 2]), unordered).ok
    assert not compare_values([[1, 2]], through([[2, 1]]), unordered).ok
    long = parse_expected("1" + "0" * 5000)
    assert compare_values([long, 1], through([1, 10**5000]), unordered).ok
    loose = Checker("float", (("abs_tol", 0.5),))
    assert compare_values([1, 2.0], through([1.4, 2.4]), loose).ok
    assert not compare_values([1], through([1.6]), loose).ok


def test_strict_knows_no_tolerance() -> None:
    assert not compare_values(0.3, 0.1 + 0.2, policy="strict").ok
    assert compare_values([1, 2], (1, 2), policy="strict").ok


def test_what_cannot_be_a_result() -> None:
    cyclic: list[Any] = []
    cyclic.append(cyclic)
    deep: list[Any] = []
    for _ in range(10_000):
        deep = [deep]
    node = ListNode(1)
    node.next = node
    root = TreeNode(1)
    root.left = root
    for value in (cyclic, deep, node, root):
        with pytest.raises(EncodeError):
            encode(value)
    shared = [1]
    assert through([shared, shared]) == [[1], [1]]


def test_an_empty_list_may_be_none_for_nodes_only() -> None:
    assert compare_values([], through(None, "Optional[ListNode]")).ok
    assert compare_values(None, through(None, "Node")).ok
    assert compare_values([[1], []], through([ListNode(1), None], "List[ListNode]")).ok
    assert not compare_values([], through(None)).ok
    assert not compare_values([], through(None, "List[ListNode]")).ok


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
hashable = st.recursive(
    st.integers() | st.text() | st.none(),
    lambda inner: st.tuples(inner, inner) | st.lists(inner).map(tuple),
    max_leaves=8,
)


@given(plain)
def test_plain_values_survive(value: Any) -> None:
    assert compare_values(value, through(value)).ok
    assert compare_values(value, through(value), policy="strict").ok
    assert not compare_values([value], through(value)).ok


@given(st.sets(hashable), st.dictionaries(hashable, plain))
def test_sets_and_maps_survive(items: Any, mapping: Any) -> None:
    assert compare_values(items, through(items)).ok
    assert compare_values(list(items), through(items), Checker("unordered")).ok
    assert not compare_values(items | {(0, "new")}, through(items)).ok or (0, "new") in items
    assert compare_values(mapping, through(mapping)).ok or len(set(map(str, mapping))) != len(
        mapping
    )


@given(st.lists(st.integers() | st.floats(-1e6, 1e6), max_size=20), st.randoms())
def test_any_order_is_the_same_multiset(values: list[Any], random: Any) -> None:
    mixed = random.sample(values, len(values))
    assert compare_values(values, through(mixed), Checker("unordered")).ok
    assert not compare_values([*values, 1], through(mixed), Checker("unordered")).ok


@given(st.binary(max_size=60) | st.text('[]{}"\\\\:,$1ae ', max_size=60).map(str.encode))
def test_any_bytes_are_a_value_or_a_value_error(text: bytes) -> None:
    try:
        got = decode(text)
    except ValueError:
        return
    compare_values([1], got)
    compare_values({1: 2}, got)
    compare_values({1}, got, Checker("unordered"))


def test_bounds_of_what_is_read() -> None:
    with pytest.raises(ValueError, match="bytes"):
        decode(b"1" * (MAX_BYTES + 1))
    for text in (b"[" + b"{}," * 2_000_000 + b"1]", b"[" + b"[],"[:3] * 4_000_000 + b"1]"):
        with pytest.raises(ValueError, match="too many elements"):
            decode(text)
    for opening, closing in ((b"[", b"]"), (b'{"]":', b"}"), (b'[{"$set":[', b"]}]")):
        n = (MAX_DEPTH + 3) // (opening.count(b"[") + opening.count(b"{"))
        with pytest.raises(ValueError, match="deep"):
            decode(opening * (n + 1) + b"1" + closing * (n + 1))
        with pytest.raises(ValueError, match=r"deep|too many"):
            decode(opening * 1_000_000)
    assert decode(b'"' + b"[{,:" * 2_000_000 + b'"') == "[{,:" * 2_000_000
    assert len(decode(b"[" + b"[1]," * 300_000 + b"1]")) == 300_001
    with pytest.raises(ValueError, match=r"Unterminated|Invalid"):
        decode(b'"' + b'\\"[' * 3_000_000)  # quadratic for a careless expression


def test_the_deepest_result_can_be_compared() -> None:
    deep: Any = 1
    for _ in range(MAX_DEPTH):
        deep = [deep]
    assert compare_values(deep, through(deep)).ok
    assert compare_values([deep[0]], through([deep[0]]), Checker("unordered")).ok
    keyed: Any = 1
    for _ in range(MAX_DEPTH // 4 - 1):
        keyed = {1: keyed}
    assert compare_values([keyed], through([keyed]), Checker("unordered")).ok
    text = b"[" * 90 + b'{"\\"":' * 100 + b"1" + b"}" * 100 + b"]" * 90  # quoted again: 2**100
    assert not compare_values([0], [decode(text)], Checker("unordered")).ok
    with pytest.raises(EncodeError):
        encode([deep])


P = 2**61 - 1


@pytest.mark.parametrize(
    "keys",
    [
        [str(i * P) for i in range(60_000)],
        [f"({i * P}, 'a')" for i in range(60_000)],
        [str(tuple(-1 - (i >> b & 1) for b in range(16))) for i in range(60_000)],
    ],
)
def test_keys_of_one_hash_are_refused(keys: list[str]) -> None:
    """Hours for a dict, if it came to one."""
    for text in (f"{{{', '.join(keys)}}}", f"{{{': 1, '.join(keys)}: 1}}"):
        with pytest.raises(LiteralError, match="keys of one hash"):
            parse_literal(text)
    assert len(parse_literal(f"{{{', '.join(keys[:60])}}}")) == 60
    assert len(parse_literal(f"{{{', '.join(map(str, range(60_000)))}}}")) == 60_000


def test_results_of_one_hash_are_compared() -> None:
    numbers = [i * P for i in range(60_000)]
    got = decode(f'{{"$set":{numbers}}}'.encode())
    assert compare_values(numbers, got, Checker("unordered")).ok
    assert not compare_values([*numbers[1:], 1], got, Checker("unordered")).ok
    pairs = ",".join(f"[{n},1]" for n in numbers)
    got = decode(f'{{"$map":[{pairs}]}}'.encode())
    assert not compare_values({1: 1}, got).ok


def test_hostile_items_are_not_paired_for_hours() -> None:
    row = [0.5] * 500
    want = [[*row, i] for i in range(2000)]
    got = [[*row, -1] for i in range(2000)]
    match = compare_values(want, through(got), Checker("unordered"))
    assert match.detail == "not the same items"


def test_keys_that_read_the_same_are_not_one() -> None:
    assert not compare_values({"1": 2}, through({1: 2, "1": 2})).ok
    assert not compare_values({1: 2}, through({1: 3, "1": 2})).ok
    assert not compare_values({1: 2}, decode(b'{"$map":[[1,3],[1,2]]}')).ok
    assert compare_values({(1, 2): 3}, through({(1, 2): 3})).ok
    assert not compare_values({"[1,2]": 3}, through({(1, 2): 3})).ok
    assert not compare_values({(1, 2): 3}, through({"[1,2]": 3})).ok
    with pytest.raises(LiteralError, match="a key twice"):
        parse_literal("{1: 2, 1: 3}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1\n2", [([1, 2], {})]),
        ("[1, 2]\n3\n", [([[1, 2], 3], {})]),
        ("[1, 2]", [([[1, 2]], {}), ([1, 2], {})]),
        ("nums = [1,2], k = 3", [([], {"nums": [1, 2], "k": 3})]),
        ('s = "a, b = 1", t = true', [([], {"s": "a, b = 1", "t": True})]),
        ("'a'\n(1, 2)", [(["a", (1, 2)], {})]),
        ("[\n1,\n2\n]", [([[1, 2]], {}), ([1, 2], {})]),
        ("[1, 2], 'x'", [([[1, 2], "x"], {})]),
        ("", [([], {})]),
    ],
)
def test_readings(text: str, expected: Any) -> None:
    assert readings(text) == expected


def test_unreadable_input_says_so() -> None:
    with pytest.raises(InputError, match="neither one JSON value a line"):
        readings("hello there")


def test_expected_values() -> None:
    assert parse_expected("[1, true]") == [1, True]
    assert parse_expected("(1, 'a')") == (1, "a")
    assert parse_expected(" plain text \n") == "plain text"
    assert parse_expected("[1,#,2,3,#]") == [1, "#", 2, 3, "#"]
    assert parse_expected("a # b, #") == "a # b, #"
    assert compare_values(parse_expected("9" * 6000), through(10**6000 - 1)).ok
    assert not compare_values(parse_expected("9" * 6000), through(10**6000)).ok
    assert not compare_values(parse_expected(f'"{"9" * 6000}"'), through(10**6000 - 1)).ok


def test_signature_hints() -> None:
    code = "class Solution:\n    def f(self, head: Optional[ListNode],\n k: int = 1) -> None:\n"
    hints = {"head": "Optional[ListNode]", "k": "int", "return": "None", "def": ""}
    assert signature_hints(code, "Solution().f") == hints
    assert signature_hints("def g(x): pass", "f") == {}
    code = "class Other:\n  def a(self, x: int): pass\n"
    code += "class Bag:\n\n    def __init__(self, n: int):\n        \n\n"
    code += "    def top(self) -> Optional[ListNode]:\n        \n\nclass Z:\n  def b() -> int:"
    assert signature_hints(code, "Bag") == {
        "__init__.n": "int",
        "top.return": "Optional[ListNode]",
    }
    assert signature_hints("def f(x:: int):", "f") == {"def": ""}
