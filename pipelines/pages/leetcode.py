"""LeetCode's GraphQL question data: `content` (HTML), `exampleTestcases`, `metaData`.

Expected outputs of the examples stand in `content` only, inputs in both places; a pair counts
when both agree. LeetCode's terms forbid scraping: this is for answers people saved with permission.
"""

from __future__ import annotations

import json
import re
from typing import Any

from bs4 import Tag

from pipelines.pages import PageError, StatementPage
from pipelines.pages.dom import images, not_latin, parse_html, pre_text, require_whole, squeeze
from pipelines.pages.markdown import to_markdown

PARSER = "leetcode_page/1"

#: 'Input:' ... 'Output:' ... up to 'Explanation:', the next example or the end, as plain lines.
_COLON = r"[ \t]*(?:[:：]|\n)"  # old design problems have a line of its own instead
_EXAMPLE = re.compile(
    rf"(?:^|\n)\s*inputs?{_COLON}\s*(?P<input>.{{0,4000}}?)\n?\s*"
    rf"outputs?{_COLON}\s*(?P<output>.{{0,4000}}?)\s*"
    rf"(?=\n\s*(?:explanations?|constraints?|notes?|follow[ -]?up|example\s*\d*|inputs?){_COLON}"
    r"|\n\s*\n|\Z)",
    re.I | re.S,
)
#: Characters of `content`: real ones have some ten thousand.
MAX_CONTENT = 300_000
_PLACEHOLDER = re.compile(r"English description is not available", re.I)


def parse_question(data: dict[str, Any], url: str = "") -> StatementPage:
    """The question of a GraphQL answer (`{"data": {"question": {...}}}`, or the inner object).
    `fn_name` is the method, or the class of a design problem. Raises PageError: `paid` for a
    question behind payment, `no_python` for one without Python (SQL, shell, JavaScript).

    >>> parse_question({"title": "X", "isPaidOnly": True, "content": None})
    Traceback (most recent call last):
    pipelines.pages.PageError: the question is for paying members (isPaidOnly)
    """
    q = _question(data)
    title = _text(q, "title") or _text(q, "questionTitle")
    if not title:
        raise PageError("no_title", "field 'title' is missing or empty")
    if q.get("isPaidOnly") or q.get("paidOnly"):
        raise PageError("paid", "the question is for paying members (isPaidOnly)")
    content = _text(q, "content")
    if not content.strip() or _PLACEHOLDER.search(content[:200]):
        raise PageError("no_statement", "field 'content' is empty: ask for it in English")
    if len(content) > MAX_CONTENT:
        raise PageError(
            "too_large", f"field 'content' has {len(content):,} characters, over {MAX_CONTENT:,}"
        )
    starter = _starter(q)
    meta = _json_object(q, "metaData")
    fn_name, arguments = _signature(meta)
    require_whole(content)
    soup = parse_html(content)
    pictures = images(soup, url)
    flags: dict[str, None] = {}
    if pictures:
        flags["needs_image"] = None
    if meta.get("manual"):
        # LeetCode builds the input or compares the output with code of its own.
        flags["custom_judge"] = None
    samples, unreadable = _samples(q, meta, arguments, parse_html(content))
    if unreadable:
        flags["unreadable_sample"] = None
    statement = to_markdown(soup)
    if not_latin(statement):
        flags["not_english"] = None
    return StatementPage(
        title=squeeze(title),
        statement=statement,
        samples=samples,
        flags=tuple(flags),
        images=pictures,
        starter_code=starter,
        fn_name=fn_name,
        level=_text(q, "difficulty") or None,
        tags=tuple(str(t.get("slug") or t.get("name")) for t in q.get("topicTags") or [] if t),
        slug=_text(q, "titleSlug"),
        native_id=_text(q, "questionId"),
        shown_id=_text(q, "questionFrontendId") or _text(q, "frontendQuestionId"),
    )


def _question(data: Any) -> dict[str, Any]:
    for key in ("data", "question"):
        if isinstance(data, dict) and isinstance(data.get(key), dict):
            data = data[key]
    if not isinstance(data, dict) or not ({"content", "title"} & data.keys()):
        errors = data.get("errors") if isinstance(data, dict) else None
        raise PageError(
            "no_statement", f"no question in the answer{f': {errors!r:.100}' if errors else ''}"
        )
    return data


def _text(q: dict[str, Any], name: str) -> str:
    value = q.get(name)
    return "" if value is None else str(value)


def _json_object(q: dict[str, Any], name: str) -> dict[str, Any]:
    """metaData is JSON inside a string."""
    value = q.get(name)
    try:
        value = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError) as e:
        raise PageError("bad_metadata", f"field {name!r} is not JSON: {e}") from e
    if not isinstance(value, dict):
        raise PageError("bad_metadata", f"field {name!r} is missing: ask the API for it")
    return value


def _starter(q: dict[str, Any]) -> str:
    codes = {
        str(s.get("langSlug") or s.get("lang")).lower(): s.get("code")
        for s in q.get("codeSnippets") or []
        if isinstance(s, dict)
    }
    code = codes.get("python3") or codes.get("python")
    if not code:
        have = ", ".join(sorted(codes)) or "none"
        raise PageError(
            "no_python", f"field 'codeSnippets' has no Python starter code (has {have})"
        )
    return str(code)


def _signature(meta: dict[str, Any]) -> tuple[str, int]:
    """Function or class name, and how many lines one example has."""
    if meta.get("classname"):
        return str(meta["classname"]), 2  # the operations, their arguments
    name, params = meta.get("name"), meta.get("params")
    if not name or not isinstance(params, list) or not params:
        raise PageError("bad_metadata", "field 'metaData' has no function name and parameters")
    return str(name), len(params)


def _samples(
    q: dict[str, Any], meta: dict[str, Any], arguments: int, content: Tag
) -> tuple[tuple[tuple[str, str], ...], bool]:
    """The samples, and whether one was left out for an output that can't be read as a value."""
    shown = _examples(content)
    given = _inputs(q, arguments)
    if given is None:
        given = [" ".join(i.split()) for i, _ in shown]
    elif len(given) != len(shown):
        raise PageError(
            "sample_mismatch",
            f"{len(given)} example inputs but {len(shown)} examples with an output in 'content'",
        )
    else:
        for number, (lines, (text, _)) in enumerate(zip(given, shown, strict=True), 1):
            for line in lines.splitlines():
                if _bare(line) not in _bare(text):
                    raise PageError(
                        "sample_mismatch",
                        f"example {number}: the test case has {line!r:.60}, "
                        f"'content' shows {text!r:.60}",
                    )
    if not given:
        raise PageError("no_samples", "no examples in 'exampleTestcases' and 'content'")
    kind = str((meta.get("return") or {}).get("type", ""))
    pairs = [(i, _value(output, kind)) for i, (_, output) in zip(given, shown, strict=True)]
    kept = tuple((i, o) for i, o in pairs if o is not None)
    return kept, len(kept) < len(pairs)


def _bare(text: str) -> str:
    return re.sub(r"[\s\"']", "", text)


def _inputs(q: dict[str, Any], arguments: int) -> list[str] | None:
    """The test cases, one JSON value a line; None where the answer has none."""
    cases = q.get("exampleTestcaseList")
    if isinstance(cases, list) and cases:
        texts = [str(c).replace("\r\n", "\n").strip("\n") for c in cases]
    else:
        text = _text(q, "exampleTestcases").replace("\r\n", "\n").strip("\n")
        if not text.strip():
            return None
        lines = text.split("\n")
        if len(lines) % arguments:
            raise PageError(
                "sample_mismatch",
                f"'exampleTestcases' has {len(lines)} lines, not a multiple of the "
                f"{arguments} that one case needs",
            )
        texts = ["\n".join(lines[i : i + arguments]) for i in range(0, len(lines), arguments)]
    for text in texts:
        if text.count("\n") + 1 != arguments:
            raise PageError(
                "sample_mismatch", f"example input {text!r:.60} has not {arguments} lines"
            )
    return texts


def _examples(content: Tag) -> list[tuple[str, str]]:
    """(input, output) as written in the examples: old ones are <pre>, newer ones
    div.example-block with a paragraph each."""
    every = content.select("pre, div.example-block")
    blocks = [b for b in every if not b.find_parent(class_="example-block")]
    found = []
    for block in blocks:
        if block.name == "pre":
            text = pre_text(block)
        else:
            for paragraph in block.find_all(["p", "pre", "li"]):
                paragraph.append("\n")
            text = block.get_text().replace("\u00a0", " ")
        found += [(m["input"].strip(), m["output"].strip()) for m in _EXAMPLE.finditer(text)]
    return found


def _value(output: str, kind: str) -> str | None:
    """The output as one JSON value; None when it is none ('2, nums = [2,2,_,_]')."""
    text = " ".join(output.split())
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        quoted = re.fullmatch(r"'([^'\"\\]*)'", text)
        if kind in ("string", "character") and (quoted or not re.search(r"[\"\\]", text)):
            return json.dumps(quoted[1] if quoted else text, ensure_ascii=False)
        return None
    return (
        json.dumps(text) if kind in ("string", "character") and not text.startswith('"') else text
    )
