"""A judge of our own on loopback: listings and pages in the shapes of the real ones, written for
this project, with faults on demand."""

from __future__ import annotations

import gzip
import hashlib
import json
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

CHALLENGE = "<html><head><title>Just a moment...</title></head><body>cf-chl-widget</body></html>"
LOGIN = '<html><title>Sign in</title><form action="/login"><input type="password"></form></html>'


def task_page(name: str, version: int = 1) -> str:
    """A task in AtCoder's template."""
    return f"""<!doctype html><html><head><title>A - {name}</title></head><body>
<span class="h2">A - Task {name} <a class="btn">Editorial</a></span>
<p>Time Limit: 2 sec / Memory Limit: 1024 MiB</p>
<div id="task-statement"><span class="lang"><span class="lang-ja"><p>日本語</p></span>
<span class="lang-en"><div class="part"><section><h3>Problem Statement</h3>
<p>Print twice the number <var>N</var> of task {name}, version {version}.</p></section></div>
<div class="part"><section><h3>Constraints</h3><ul><li><var>1 \\leq N \\leq 10^9</var></li></ul>
</section></div>
<div class="part"><section><h3>Sample Input 1</h3><pre>{len(name)}
</pre></section></div><div class="part"><section><h3>Sample Output 1</h3><pre>{2 * len(name)}
</pre></section></div></span></span></div></body></html>"""


def problem_page(name: str) -> str:
    """A problem in Codeforces' template."""
    return f"""<html><body><div class="problem-statement"><div class="header">
<div class="title">A. Problem {name}</div><div class="time-limit"><div class="property-title">time
limit per test</div>1.5 seconds</div><div class="memory-limit"><div class="property-title">memory
limit per test</div>256 megabytes</div></div><div><p>Print $$$2n$$$.</p></div>
<div class="input-specification"><div class="section-title">Input</div><p>An integer.</p></div>
<div class="output-specification"><div class="section-title">Output</div><p>One integer.</p></div>
<div class="sample-tests"><div class="section-title">Example</div><div class="sample-test">
<div class="input"><div class="title">Input</div><pre>4
</pre></div><div class="output"><div class="title">Output</div><pre>8
</pre></div></div></div></div></body></html>"""


def question(slug: str, paid: bool = False) -> dict[str, Any]:
    """A question in LeetCode's GraphQL answer."""
    content = (
        "<p>Return twice <code>n</code>.</p><p><strong>Example 1:</strong></p>"
        "<pre><strong>Input:</strong> n = 2\n<strong>Output:</strong> 4\n</pre>"
    )
    meta = {"name": "twice", "params": [{"name": "n", "type": "integer"}]}
    meta["return"] = {"type": "integer"}
    code = "class Solution:\n    def twice(self, n: int) -> int:\n        "
    inner = {
        "questionId": "7",
        "questionFrontendId": "9",
        "title": slug.title(),
        "titleSlug": slug,
        "content": None if paid else content,
        "isPaidOnly": paid,
        "difficulty": "Easy",
        "exampleTestcases": "2",
        "metaData": json.dumps(meta),
        "topicTags": [{"slug": "math"}],
        "codeSnippets": [{"langSlug": "python3", "code": code}],
    }
    return {"data": {"question": inner}}


@dataclass
class Asked:
    """A request as it arrived."""

    at: float
    path: str
    headers: dict[str, str]


@dataclass
class JudgeServer:
    """`tasks`: how many AtCoder tasks. `faults[path]`: what to do for the next requests of a path,
    in order: a status, "cut", "short", "login", "challenge", "loop", "empty", "slow", "bomb",
    "half_gzip", "brotli", ("429", seconds), ("to", location), ("body", bytes). `robots`:
    robots.txt, None for 404. `versions[path]`: the page's version. `tokens`: pages carry another
    token at every request, as forms do. Tasks before `first` are not listed."""

    tasks: int = 5
    robots: str | None = None
    faults: dict[str, list[Any]] = field(default_factory=lambda: defaultdict(list))
    versions: dict[str, int] = field(default_factory=dict)
    zipped: bool = False
    tokens: bool = False
    first: int = 0
    asked: list[Asked] = field(default_factory=list)

    def __post_init__(self) -> None:
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = 1 << 16  # one packet an answer, else Nagle adds 40 ms to each

            def do_GET(self) -> None:
                owner.answer(self, b"")

            def do_POST(self) -> None:
                owner.answer(self, self.rfile.read(int(self.headers["content-length"])))

            def log_message(self, *args: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.host = f"127.0.0.1:{self.http.server_port}"
        self.url = f"http://{self.host}"
        threading.Thread(target=self.http.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()

    def paths(self) -> list[str]:
        """What was asked for, in order, without robots.txt."""
        return [a.path for a in self.asked if a.path != "/robots.txt"]

    def task(self, i: int) -> str:
        return f"/contests/abc{i:03d}/tasks/abc{i:03d}_a?lang=en"

    def answer(self, h: BaseHTTPRequestHandler, sent: bytes) -> None:
        self.asked.append(Asked(time.time(), h.path, {k.lower(): v for k, v in h.headers.items()}))
        fault = self.faults[h.path].pop(0) if self.faults[h.path] else None
        if isinstance(fault, tuple) and fault[0] == "to":
            return self._send(h, 302, b"", {"Location": fault[1]})
        if isinstance(fault, tuple) and fault[0] == "body":
            return self._send(h, 200, fault[1])
        if isinstance(fault, tuple):
            return self._send(h, int(fault[0]), b"later", {"Retry-After": str(fault[1])})
        if isinstance(fault, int):
            return self._send(h, fault, b"no")
        if fault == "loop":
            return self._send(h, 302, b"", {"Location": h.path})
        if fault == "away":
            return self._send(h, 302, b"", {"Location": "http://127.0.0.2:9/x"})
        if fault == "slow":
            time.sleep(1.5)
        body = self.content(h.path, sent)
        if fault in ("login", "challenge", "empty", "bomb"):
            pages = {"login": LOGIN, "challenge": CHALLENGE, "empty": "<html><body></body></html>"}
            body = pages.get(fault, "0" * 40_000_000).encode()
        if body is None:
            return self._send(h, 404, b"not found")
        if self.tokens and body.endswith(b"</html>"):
            body = body[:-7] + b"<!-- token %d --></html>" % len(self.asked)
        etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        if h.headers.get("if-none-match") == etag:
            return self._send(h, 304, b"", {"ETag": etag})
        headers = {"ETag": etag}
        if self.zipped or fault == "bomb":
            body, headers["Content-Encoding"] = gzip.compress(body), "gzip"
        if fault == "half_gzip":  # its length is right, the stream inside ends early
            packed = gzip.compress(body)
            body, headers["Content-Encoding"] = packed[: len(packed) // 2], "gzip"
        if fault == "brotli":
            headers["Content-Encoding"] = "br"
        if fault in ("cut", "short"):  # fewer bytes than announced
            headers["Content-Length"] = str(len(body) + (100 if fault == "short" else 0))
            body = body[: len(body) // 2]
        return self._send(h, 200, body, headers, close=fault in ("cut", "short"))

    def _send(
        self,
        h: BaseHTTPRequestHandler,
        status: int,
        body: bytes,
        headers: dict[str, str] | None = None,
        close: bool = False,
    ) -> None:
        try:
            h.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
                h.send_header(name, value)
            h.end_headers()
            h.wfile.write(body)
            h.close_connection = h.close_connection or close
        except OSError:
            pass

    def content(self, path: str, sent: bytes) -> bytes | None:
        """The page of a path as it is now."""
        name = urlsplit(path).path
        if name == "/robots.txt":
            return None if self.robots is None else self.robots.encode()
        if name.startswith("/resources/"):
            return json.dumps(self._listing(name.rpartition("/")[2])).encode()
        if name.startswith("/api/"):
            return json.dumps({"status": "OK", "result": self._api(name)}).encode()
        if name == "/graphql":
            return json.dumps(self._graphql(json.loads(sent)["variables"])).encode()
        if "/tasks/" in name:
            return task_page(name.rpartition("/")[2], self.versions.get(path, 1)).encode()
        if name.startswith("/problemset/problem/"):
            return problem_page(name).encode()
        return None

    def _listing(self, name: str) -> Any:
        ids = [f"abc{i:03d}" for i in range(self.first, self.tasks)]
        if name == "contests.json":
            return [{"id": c, "start_epoch_second": 1_700_000_000} for c in ids]
        if name == "problem-models.json":
            return {
                f"{c}_a": {"difficulty": -300 + i} for i, c in enumerate(ids, self.first) if i % 2
            }
        rows = [
            {"id": f"{c}_a", "contest_id": c, "problem_index": "A", "name": f"Task {c}"}
            for c in ids
        ]
        return rows[1:] if name == "merged-problems.json" else rows

    def _api(self, name: str) -> Any:
        if name == "/api/contest.list":
            return [{"id": 1873, "startTimeSeconds": 1_695_000_000}]
        common = {"contestId": 1873, "type": "PROGRAMMING", "tags": ["math"]}
        rows = [{**common, "index": i, "name": f"Problem {i}", "rating": 800} for i in "AB"]
        quiz = {**common, "index": "Q", "name": "Quiz", "type": "QUESTION"}
        return {"problems": [*rows, quiz, {"name": "of a set", "index": "1"}]}

    def _graphql(self, variables: dict[str, Any]) -> Any:
        if "titleSlug" in variables:
            return question(variables["titleSlug"])
        names = [("twice", False), ("paid-one", True)]
        rows = [
            {"titleSlug": s, "title": s.title(), "paidOnly": p, "difficulty": "Easy"}
            for s, p in names
        ]
        found = rows[variables["skip"] :]
        return {"data": {"problemsetQuestionList": {"total": len(rows), "questions": found}}}
