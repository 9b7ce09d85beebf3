"""Which problem of which judge a row is, as far as its id and URL say."""

from __future__ import annotations

import re

from pipelines.problem import Problem

_URLS = (
    ("leetcode", re.compile(r"leetcode(?:-cn)?\.(?:com|cn)/problems/([\w-]+)")),
    ("atcoder", re.compile(r"atcoder\.jp/contests/[^/]+/tasks/(\w+)")),
    ("codeforces", re.compile(r"codeforces\.com/(?:contest|gym)/(\d+)/problem/(\w+)")),
    ("codeforces", re.compile(r"codeforces\.com/problemset/problem/(\d+)/(\w+)")),
    ("kattis", re.compile(r"kattis\.com/problems/([\w-]+)")),
)
_CODEFORCES = re.compile(r"(\d+)[/_-]?([A-Za-z]\d?)")
_ATCODER = re.compile(r"[a-z][a-z0-9_]*_[a-z0-9]+")
#: Sources whose native ids are the judge's own names.
_JUDGES = {
    "leetcode": "leetcode", "leetcode_dataset": "leetcode", "codeforces": "codeforces",
    "atcoder": "atcoder", "kattis": "kattis", "livecodebench": "",
}  # fmt: skip


def native_identity(row_id: str, url: str = "") -> tuple[str, str]:
    """(judge, the judge's own id); where no judge is known, the row's source and native id.

    >>> native_identity("taco/17", "https://codeforces.com/problemset/problem/1873/A")
    ('codeforces', '1873/a')
    >>> native_identity("leetcode_dataset/two-sum"), native_identity("mbpp/3")
    (('leetcode', 'two-sum'), ('mbpp', '3'))
    """
    for judge, pattern in _URLS:
        if found := pattern.search(url):
            return judge, "/".join(found.groups()).lower()
    source, _, native = row_id.partition("/")
    if source not in _JUDGES:
        return source, native
    judge = _JUDGES[source]
    if judge in ("codeforces", "") and (cf := _CODEFORCES.fullmatch(native)):
        return "codeforces", f"{cf[1]}/{cf[2].lower()}"
    if judge == "" and _ATCODER.fullmatch(native):
        return "atcoder", native
    if judge == "leetcode" and native.isdigit():
        judge = ""  # a number is not the slug, and LeetCode has two kinds of numbers
    return (judge or source), native.lower()


def identity(problem: Problem) -> tuple[str, str]:
    """:func:`native_identity` of a problem."""
    return native_identity(problem.id, problem.url)
