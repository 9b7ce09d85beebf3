"""What LeetCode asks for besides plain functions: nodes, results in place, classes to design."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judging import make_problem

from evaluator.judge import Judge
from evaluator.nodes import Builder, EncodeError, ListNode, TreeNode, form_of, kind, make, read
from evaluator.values import encode
from evaluator.values_match import compare_values, decode

NARY = [1, None, 3, 2, 4, None, 5, 6]
WIDE = [1, None, 2, 3, 4, 5, None, None, 6, 7, None, 8, None, 9, 10, None, None, 11, None, 12]
GRAPH = [[2, 4], [1, 3], [2, 4], [1, 3]]
RANDOM = [[7, None], [13, 0], [11, 4], [10, 2], [1, 0]]
LEVELS = [1, 2, 3, 4, 5, 6, None, None, None, 7, 8, 9, 10, None, None, 11, 12]
QUAD = [[0, 1], [1, 1], [0, 1], [1, 1], [1, 0], *[None] * 4, [1, 0], [1, 0], [1, 1], [1, 1]]


@pytest.mark.parametrize(
    ("form", "values"),
    [
        ("list", [1, 2, 3]),
        ("tree", [1, None, 2, 3]),
        ("nary", NARY),
        ("nary", WIDE),
        ("nary", [1]),
        ("graph", GRAPH),
        ("graph", [[]]),
        ("random", RANDOM),
        ("levels", LEVELS),
        ("levels", [1, None, 2, None, 3]),
        ("quad", QUAD),
        ("quad", [[1, 0]]),
    ],
)
def test_every_form_survives_both_ways(form: str, values: list[Any]) -> None:
    root = make(form, values)
    assert form_of(root) == form
    assert list(read(form, root)) == values
    assert compare_values(values, decode(encode(root).encode())).ok
    assert make(form, []) is None


@given(st.lists(st.none() | st.integers(0, 9), max_size=30), st.sampled_from(["tree", "nary"]))
def test_trees_survive(values: list[int | None], form: str) -> None:
    root = make(form, values)
    if root is not None:
        written = list(read(form, root))
        assert list(read(form, make(form, written))) == written
        assert compare_values(written, decode(encode(root).encode())).ok


@given(st.data(), st.integers(1, 8))
def test_graphs_and_random_pointers_survive(data: st.DataObject, n: int) -> None:
    links = data.draw(st.lists(st.none() | st.integers(0, n - 1), min_size=n, max_size=n))
    values = [[i, at] for i, at in enumerate(links)]
    assert list(read("random", make("random", values))) == values
    more = st.lists(st.integers(1, n), max_size=3)
    graph = [[min(i + 2, n), *data.draw(more)] for i in range(n)]  # all can be reached from 1
    assert list(read("graph", make("graph", graph))) == graph


@given(st.lists(st.integers(), min_size=1, max_size=30))
def test_linked_lists_survive(values: list[int]) -> None:
    head = Builder({}).build(values, "Optional[ListNode]")
    assert compare_values(values, decode(encode(head).encode())).ok


def test_annotations() -> None:
    assert kind("typing.List[typing.Optional[ForwardRef('Node')]]") == ("Node", 1)
    assert kind("list[list[ListNode | None]]") == ("ListNode", 2)
    assert kind("'TreeNode'") == ("TreeNode", 0)
    assert kind("TrieNode") == kind("List[int]") == ("", 0)
    build = Builder({}).build
    assert build([1, 2], "ListNode").next.val == 2
    assert build([], "Optional[ListNode]") is None
    assert [h and h.val for h in build([[1], [], [2, 3]], "List[ListNode]")] == [1, None, 2]
    assert build([[[1]], []], "List[List[TreeNode]]")[0][0].val == 1
    assert build([1, 2], "List[int]") == [1, 2]
    assert build([1, 2], "Node") == [1, 2]  # which Node is not known
    assert build(5, "TreeNode") == 5


def test_classes_of_every_shape_can_be_made() -> None:
    class Old:  # every argument is wanted
        def __init__(self, val: int, children: Any) -> None:
            self.val, self.children = val, children

    class Bare:
        val: int
        next: Any

    class Empty:
        def __init__(self) -> None:
            self.val, self.neighbors = 0, []

    for cls, values in ((Old, NARY), (Bare, [1, 2]), (Empty, GRAPH)):
        root = Builder({"Node": cls}).build(values, "Optional['Node']")
        assert type(root) is cls
        assert decode(encode(root).encode()) == {"$node": values}


def test_cycles_are_no_result() -> None:
    node, root, below = ListNode(1), TreeNode(1), make("nary", [1, None, 2])
    node.next, root.left = node, root
    below.children[0].children = [below]
    connected = make("connected", [1, 2, 3])
    connected.left.next = connected.left
    up = make("connected", [1, 2])
    up.left.left = up
    quad = make("quad", [[0, 1]])
    quad.topLeft = quad
    levels = make("levels", [1, 2])
    levels.next.child = levels
    random = make("random", [[1, None], [2, None]])
    random.next.next = random
    inside = ListNode([])
    inside.val.append(inside)
    for value in (node, root, below, connected, up, quad, levels, random, inside, [node]):
        with pytest.raises(EncodeError):
            encode(value)


def test_nodes_that_are_not_of_their_form_equal_nothing() -> None:
    numbered = make("graph", GRAPH)
    numbered.val = 7
    outside = make("random", RANDOM)
    outside.random = make("random", RANDOM)
    wrong = make("levels", [1, 2])
    wrong.next.prev = None
    for value, expected in ((numbered, GRAPH), (outside, RANDOM), (wrong, [1, 2])):
        match = compare_values(expected, decode(encode(value).encode()))
        assert not match.ok
        assert "found an object of type" in match.detail


def judged(judge: Judge, code: str, fn_name: str, *tests: tuple[str, str], **fields: Any) -> Any:
    result = judge.judge(make_problem(*tests, fn_name=fn_name, **fields), code)
    return "accepted" if result.passed else f"{result.verdict}: {result.detail}"


QUEUE = """
class MyQueue:
    def __init__(self):
        self.a = []
    def push(self, x: int) -> None:
        self.a.append(x)
        return "ignored"
    def peek(self):
        return self.a[0]
    def all(self):
        return self.a
"""


def test_a_class_design_problem(judge: Judge) -> None:
    ops = '["MyQueue","push","peek","all","push","all"]\n[[],[1],[],[],[2],[]]'
    named = 'ops = ["MyQueue","push","peek"], args = [[],[5],[]]'
    whole = '[["MyQueue","push","peek"],[[],[1],[]]]'
    tests = (ops, "[null,null,1,[1],null,[1,2]]"), (named, "[null,null,5]")
    assert judged(judge, QUEUE, "MyQueue", *tests, (whole, "[null,null,1]")) == "accepted"
    wrong = judged(judge, QUEUE, "MyQueue", (named, "[null,null,2]"))
    assert wrong == "wrong_answer: result[2]: expected 2, found 5"
    missing = '["MyQueue","pop"]\n[[],[]]'
    assert "no attribute 'pop'" in judged(judge, QUEUE, "MyQueue", (missing, "[null,1]"))


def test_a_design_problem_called_solution_with_nodes(judge: Judge) -> None:
    code = """
class Solution:
    def __init__(self, head):
        self.head = head
    def rest(self) -> 'Optional[ListNode]':
        return self.head.next
    def again(self, nodes: List[ListNode]):
        return [n.val for n in nodes]
"""
    starter = "class Solution:\n    def __init__(self, head: Optional[ListNode]):\n        \n"
    test = ('["Solution","rest","again"]\n[[[1,2]],[],[[[3],[4]]]]', "[null,[2],[3,4]]")
    empty = ('["Solution","rest"]\n[[[1]],[]]', "[null,[]]")
    assert judged(judge, code, "Solution", test, empty, starter_code=starter) == "accepted"


CLONE = """
class Solution:
    def cloneGraph(self, node: Optional['Node']) -> Optional['Node']:
        made = {}
        def copy(n):
            if n not in made:
                made[n] = Node(n.val)
                made[n].neighbors = [copy(x) for x in n.neighbors]
            return made[n]
        return node and copy(node)
"""


def test_a_copy_is_not_the_original(judge: Judge) -> None:
    tests = ("[[2,4],[1,3],[2,4],[1,3]]", "[[2,4],[1,3],[2,4],[1,3]]"), ("[]", "[]")
    assert judged(judge, CLONE, "cloneGraph", *tests) == "accepted"
    same = "class Solution:\n    def cloneGraph(self, node: 'Node') -> 'Node':\n"
    same += "        node.neighbors\n        return node\n"
    assert "in place of a copy" in judged(judge, same, "cloneGraph", *tests)
    deep = "import copy\nclass Solution:\n    def f(self, head: 'Node') -> 'Node':\n"
    deep += "        head.random, head.next\n        return copy.deepcopy(head)\n"
    assert judged(judge, deep, "f", ("[[7,null],[13,0]]", "[[7,null],[13,0]]")) == "accepted"


def test_nodes_of_the_programs_and_of_the_preludes_own_class(judge: Judge) -> None:
    depth = """
class Solution:
    def maxDepth(self, root: 'Node') -> int:
        return 1 + max(map(self.maxDepth, root.children), default=0) if root else 0
"""
    test = ("root = [1,null,3,2,4,null,5,6]", "3")
    tree = "def f(root: 'Node'):\n    return root.val\n"
    comment = "# class Node:\n#     def __init__(self, val: int = None, children: list = None):\n"
    assert judged(judge, tree, "f", ("[5,null,6]", "5"), starter_code=comment) == "accepted"
    own = "class Node:\n    def __init__(self, val, children):\n        self.val = val\n"
    own += "        self.children = children\n"
    assert judged(judge, depth, "maxDepth", test, ("[]", "0")) == "accepted"
    assert judged(judge, own + depth, "maxDepth", test) == "accepted"
    assert judged(judge, depth, "maxDepth", test, prelude=own) == "accepted"


NEXT = """
# Definition for a Node.
# class Node:
#     def __init__(self, val: int = 0, left: 'Node' = None, right: 'Node' = None, next = None):
#         self.val = val

class Solution:
    def connect(self, root: 'Optional[Node]') -> 'Optional[Node]':
"""


def test_next_pointers(judge: Judge) -> None:
    code = """
class Solution:
    def connect(self, root: 'Optional[Node]') -> 'Optional[Node]':
        level = [root] if root else []
        while level:
            for a, b in zip(level, level[1:]):
                a.next = b
            level = [c for n in level for c in (n.left, n.right) if c]
        return root
"""
    tests = ("[1,2,3,4,5,null,7]", "[1,#,2,3,#,4,5,7,#]"), ("[]", "[]")
    assert judged(judge, code, "connect", *tests) == "accepted"
    lazy = code.replace("a.next = b", "pass")
    assert "wrong_answer" in judged(judge, lazy, "connect", *tests, starter_code=NEXT)


def test_in_place(judge: Judge) -> None:
    code = (
        "class Solution:\n    def f(self, head):\n        if head:\n            head.next = None\n"
    )
    starter = "class Solution:\n    def f(self, head: Optional[ListNode]) -> None:"
    tests = ("[1,2,3]", "[1]"), ("[]", "[]")
    assert judged(judge, code, "f", *tests, starter_code=starter) == "accepted"
    copies = (
        "class Solution:\n    def f(self, nums: List[int]) -> None:\n        return nums[::-1]\n"
    )
    starter = "class Solution:\n    def f(self, nums: List[int]) -> None:"
    assert "wrong_answer" in judged(judge, copies, "f", ("[1,2]", "[2,1]"), starter_code=starter)


def test_what_the_problem_asks_for_decides(judge: Judge) -> None:
    listed = "class Solution:\n    def f(self, nums: List[int]) -> List[int]:"
    sort = "class Solution:\n    def f(self, nums) -> None:\n        nums.sort()\n"
    assert "wrong_answer" in judged(judge, sort, "f", ("[2,1]", "[1,2]"), starter_code=listed)
    bare = (
        'def f(nums):\n    """\n    Do not return anything, modify nums in-place instead.\n    """'
    )
    own = "def f(nums):\n    nums.sort()\n"
    assert judged(judge, own, "f", ("[2,1]", "[1,2]"), starter_code=bare) == "accepted"
    silent = "def f(nums):\n    pass"
    assert "wrong_answer" in judged(judge, sort, "f", ("[2,1]", "[1,2]"), starter_code=silent)
    # a linked list is no list of numbers
    node = "class Solution:\n    def f(self, nums) -> ListNode:\n        return ListNode(nums[0])\n"
    assert "wrong_answer" in judged(judge, node, "f", ("[1,2]", "[1]"), starter_code=listed)
    linked = listed.replace("-> List[int]", "-> Optional[ListNode]")
    assert judged(judge, node, "f", ("[1,2]", "[1]"), starter_code=linked) == "accepted"
    bag = "class Bag:\n    def __init__(self):\n        self.n = 0\n    def get(self) -> {}:\n"
    test = ('["Bag","get"]\n[[],[]]', "[null,[1]]")
    code = bag.format("ListNode") + "        return ListNode(1)\n"
    for kind_, verdict in (("List[int]", "wrong_answer"), ("ListNode", "accepted")):
        start = bag.format(kind_) + "        pass"
        assert verdict in judged(judge, code, "Bag", test, starter_code=start)


def test_arguments_by_name_and_through_decorators(judge: Judge) -> None:
    code = """
class Solution:
    @lru_cache(None)
    def f(self, a: Optional[ListNode], k=1, *, z=0) -> int:
        return a.val * k + z
"""
    tests = (
        ("a = [3], k = 2", "6"),
        ("[3]\n2", "6"),
        ("a = [1], z = 4", "5"),
        ("b = [3], c = 4", "12"),
    )
    assert judged(judge, code, "f", *tests) == "accepted"
    local = "def f(x):\n    n = x\n    return n\n"  # n is no parameter
    assert judged(judge, local, "f", ("n = 5", "5")) == "accepted"


def test_hostile_results_end_in_a_verdict(judge: Judge) -> None:
    cyclic = "class Solution:\n    def f(self, a: ListNode) -> ListNode:\n"
    cyclic += "        a.next = a\n        return a\n"
    assert "EncodeError: the linked list has a cycle" in judged(judge, cyclic, "f", ("[1]", "[1]"))
    large = "def f(n):\n    return ['x' * n] * 100\n"
    assert "EncodeError" in judged(judge, large, "f", ("1000000", "1"))
    deep = "def f(n):\n    a = {}\n    for i in range(n):\n        a = {i: a}\n    return a\n"
    assert "EncodeError" in judged(judge, deep, "f", ("100", "1"))
