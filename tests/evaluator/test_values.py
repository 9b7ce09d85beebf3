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
from evaluator.values import EncodeError, ListNode, TreeNode, build, encode, linked_list, tree
from evaluator.values_match import compare_values, decode
from pipelines.problem import Checker


def through(value: Any, is_node: bool = False) -> Any:
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)  # as in the sandbox
    try:
        text = encode(value, is_node)
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
        ([1, 2, 3], linked_list([1, 2, 3])),
        ([1, None, 2], tree([1, None, 2])),
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
    assert compare_values([], through(None, is_node=True)).ok
    assert compare_values(None, through(None, is_node=True)).ok
    assert not compare_values([], through(None)).ok


@given(st.lists(st.none() | st.integers(0, 9), max_size=30))
def test_trees_survive_both_ways(values: list[int | None]) -> None:
    root = build(values, "Optional[TreeNode]", ListNode, TreeNode)
    again = through(root, is_node=True)["$node"]
    assert tree(again) is None if root is None else through(tree(again)) == through(root)


def test_build_by_annotation() -> None:
    assert build([1, 2], "ListNode", ListNode, TreeNode).next.val == 2
    assert build([], "Optional[ListNode]", ListNode, TreeNode) is None
    heads = build([[1], [2, 3]], "List[Optional[ListNode]]", ListNode, TreeNode)
    assert [h.val for h in heads] == [1, 2]
    assert build([1, 2], "List[int]", ListNode, TreeNode) == [1, 2]


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
    assert compare_values(parse_expected("9" * 6000), through(10**6000 - 1)).ok
    assert not compare_values(parse_expected("9" * 6000), through(10**6000)).ok
    assert not compare_values(parse_expected(f'"{"9" * 6000}"'), through(10**6000 - 1)).ok


def test_signature_hints() -> None:
    code = "class Solution:\n    def f(self, head: Optional[ListNode],\n k: int = 1) -> None:\n"
    hints = {"head": "Optional[ListNode]", "k": "int", "return": "None"}
    assert signature_hints(code, "Solution().f") == hints
    assert signature_hints("def g(x): pass", "f") == {}
    assert signature_hints("def f(x:: int):", "f") == {}
