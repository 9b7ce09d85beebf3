"""LeetCode by its GraphQL answers: for those with permission, and for saved answers.

LeetCode's terms forbid scraping and it checks robots, so nothing is asked unless the crawl is told
that there is permission (`--i-have-permission`). Paid questions are skipped, with the reason.
"""

from __future__ import annotations

import json
import re
from typing import Any

from pipelines.fetch import Request
from pipelines.pages import PageError, StatementPage, leetcode
from pipelines.web.site import Get, Target, decoded, listing, number, rows, text, words

NAME = "leetcode"
PARSER = leetcode.PARSER
LICENCE = "unknown (LeetCode; terms forbid scraping)"
PAGES = True
WHY_NOT = ""
LISTINGS: dict[str, str] = {}  # its list comes in pages that a file name does not tell apart
BASES = {"listings": "https://leetcode.com/graphql", "pages": "https://leetcode.com"}
_PAGE = 100
_LIST = (
    "query problemsetQuestionList($categorySlug: String, $limit: Int, $skip: Int, "
    "$filters: QuestionListFilterInput) { problemsetQuestionList: questionList(categorySlug: "
    "$categorySlug limit: $limit skip: $skip filters: $filters) { total: totalNum questions: data "
    "{ difficulty frontendQuestionId: questionFrontendId paidOnly: isPaidOnly title titleSlug "
    "topicTags { slug } } } }"
)
_QUESTION = (
    "query question($titleSlug: String!) { question(titleSlug: $titleSlug) { questionId "
    "questionFrontendId title titleSlug content isPaidOnly difficulty exampleTestcases metaData "
    "topicTags { slug } codeSnippets { langSlug code } } }"
)


def targets(get: Get, bases: dict[str, str]) -> list[Target]:
    """All questions of the list, by pages of a hundred, in its order."""
    found: list[Target] = []
    total = None
    while total is None or len(found) < total:
        variables = {"categorySlug": "", "skip": len(found), "limit": _PAGE, "filters": {}}
        request = Request(bases["listings"], {"query": _LIST, "variables": variables})
        data = listing(get, request)
        questions = rows(data, request, "data", "problemsetQuestionList", "questions")
        total = number(data["data"]["problemsetQuestionList"].get("total")) or 0
        found += [_listed(q, bases) for q in questions]
        if not questions:
            break
    return [t for t in found if t.native]


def _listed(q: dict[str, Any], bases: dict[str, str]) -> Target:
    slug, topics = text(q.get("titleSlug")), q.get("topicTags")
    tags = (
        [t.get("slug") for t in topics if isinstance(t, dict)] if isinstance(topics, list) else []
    )
    return _target(
        slug if re.fullmatch(r"[\w-]+", slug, re.A) else "",
        bases,
        title=text(q.get("title")),
        level=text(q.get("difficulty")) or None,
        tags=words(
            [t.get("slug") for t in tags if isinstance(t, dict)] if isinstance(tags, list) else ()
        ),
        refused="paid" if q.get("paidOnly") else "",
    )


def _target(native: str, bases: dict[str, str], **facts: Any) -> Target:
    request = Request(bases["listings"], {"query": _QUESTION, "variables": {"titleSlug": native}})
    return Target(native, request, f"{bases['pages']}/problems/{native}/", **facts)


def native_id(address: str) -> str | None:
    """The question of an address or a file's name.

    >>> native_id("https://leetcode.com/problems/two-sum/description/"), native_id("two-sum")
    ('two-sum', 'two-sum')
    """
    if found := re.search(r"/problems/([\w-]+)", address):
        return found[1]
    return address if re.fullmatch(r"[a-z0-9][a-z0-9-]*", address) else None


def target(native: str, bases: dict[str, str]) -> Target:
    """A question by its slug alone."""
    return _target(native, bases)


def page(body: bytes, target: Target) -> StatementPage:
    """The question of a GraphQL answer."""
    try:
        data = json.loads(decoded(body))
    except ValueError as e:
        raise PageError("no_statement", f"the answer is not JSON: {e}") from None
    if not isinstance(data, dict):
        raise PageError("no_statement", "the answer is no JSON object")
    return leetcode.parse_question(data, target.url)
