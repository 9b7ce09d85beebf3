"""Crawling a site: what becomes of every target, again and again, killed and resumed."""

from __future__ import annotations

import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from judge_server import CHALLENGE, JudgeServer, problem_page, question, task_page

from pipelines.config import ConfigError
from pipelines.crawl import import_source
from pipelines.crawl_web import CrawlReport, WebCrawlConfig, crawl_site, load_site
from pipelines.fetch import FetchConfig, Fetcher, FetchError, Request
from pipelines.funnel import dropped_rows
from pipelines.pages import StatementPage
from pipelines.problem import Problem, TestCase
from pipelines.shards import Shards
from pipelines.sources import SourceError, atcoder
from pipelines.web.site import ListingError, Target, problem

MICROCODER = Path(sys.executable).with_name("microcoder")
BASES = {
    "atcoder": {"listings": "/resources", "pages": ""},
    "codeforces": {"listings": "/api", "pages": ""},
    "leetcode": {"listings": "/graphql", "pages": ""},
}


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    server = JudgeServer()
    yield server
    server.close()


def run(server: JudgeServer, out: Path, site: str = "atcoder", **options: Any) -> CrawlReport:
    fetching = FetchConfig(allow_hosts=("127.0.0.1",), backoff_s=0.01)
    crawling = {k: options.pop(k) for k in ("limit", "pages", "permission") if k in options}
    bases = {name: server.url + path for name, path in BASES[site].items()}
    with Fetcher(out, fetching) as fetcher:
        config = WebCrawlConfig(site=site, bases=bases, **crawling)
        return crawl_site(fetcher, config, **options)


def problems(out: Path) -> dict[str, Problem]:
    rows = (Problem.from_row(r) for r in Shards([out / "problems"]).rows())
    return {p.id: p for p in rows}


def dropped(out: Path) -> dict[str, str]:
    return {r["id"]: r["reason"] for r in dropped_rows(out / "problems", ["id", "reason"])}


def test_atcoder(server: JudgeServer, tmp_path: Path) -> None:
    report = run(server, tmp_path)
    assert (report.result.kept, report.result.dropped, report.new_pages) == (5, 0, 5)
    p = problems(tmp_path)["atcoder/abc001_a"]
    assert p.statement.startswith("## Problem Statement\n\nPrint twice the number $N$ of task")
    assert p.tests == (TestCase("8\n", "16\n", "sample", "sample-1"),)
    assert (p.time_limit_s, p.memory_limit_mb, p.rating) == (2.0, 1024, -299.0)
    assert str(p.released_at) == "2023-11-14"
    assert p.url == f"{server.url}/contests/abc001/tasks/abc001_a"
    assert p.licence
    assert p.provenance.parser == "atcoder_page/1"
    assert p.provenance.fetched_at is not None
    assert p.provenance.sha256


def test_the_next_run_fetches_what_is_new(server: JudgeServer, tmp_path: Path) -> None:
    run(server, tmp_path)
    server.asked.clear()
    before = (tmp_path / "problems" / "part-00000.parquet").read_bytes()
    assert run(server, tmp_path).result.reused
    assert [p for p in server.paths() if "/tasks/" in p] == []
    assert (tmp_path / "problems" / "part-00000.parquet").read_bytes() == before
    server.tasks = 7
    report = run(server, tmp_path)
    assert report.new_pages == 2
    assert len([p for p in server.paths() if "/tasks/" in p]) == 2
    assert len(problems(tmp_path)) == 7


def test_a_changed_statement_is_a_new_revision(server: JudgeServer, tmp_path: Path) -> None:
    run(server, tmp_path)
    old = problems(tmp_path)["atcoder/abc002_a"]
    server.versions[server.task(2)] = 2
    report = run(server, tmp_path, refresh=True)
    assert (report.new_pages, report.changed_pages) == (0, 1)
    new = problems(tmp_path)["atcoder/abc002_a"]
    assert "version 2" in new.statement
    assert report.result.extra["revisions"] == {
        "abc002_a": [old.provenance.sha256, new.provenance.sha256]
    }


def test_offline_parses_again_without_a_request(server: JudgeServer, tmp_path: Path) -> None:
    run(server, tmp_path)
    server.asked.clear()
    (tmp_path / "problems" / "manifest.json").unlink()
    for file in (tmp_path / "problems").glob("*.parquet"):
        file.unlink()
    (tmp_path / "problems").rename(tmp_path / "gone")
    assert run(server, tmp_path, offline=True).result.kept == 5
    assert server.asked == []


def test_every_target_has_its_reason(server: JudgeServer, tmp_path: Path) -> None:
    server.faults[server.task(0)] = [404]
    server.faults[server.task(1)] = ["empty", "empty"]
    server.faults[server.task(2)] = ["empty"]  # reads the second time
    server.faults[server.task(3)] = [500] * 9
    report = run(server, tmp_path)
    assert dropped(tmp_path) == {
        "atcoder/abc000_a": "missing",
        "atcoder/abc001_a": "no_statement",
        "atcoder/abc003_a": "failed",
    }
    assert report.result.n_in == 5
    assert Counter(server.paths())[server.task(1)] == 2
    raw = {r["id"]: r["raw"] for r in dropped_rows(tmp_path / "problems", ["id", "raw"])}
    assert raw["atcoder/abc001_a"] == b"<html><body></body></html>"
    # what failed is left alone for a while
    server.asked.clear()
    run(server, tmp_path)
    assert [p for p in server.paths() if "/tasks/" in p] == []


def test_a_wall_pauses_and_keeps_what_is_there(server: JudgeServer, tmp_path: Path) -> None:
    server.faults[server.task(2)] = ["challenge"]
    report = run(server, tmp_path)
    assert "bot check" in report.paused
    assert "--from-archive" in report.paused
    assert report.result.kept == 2
    assert set(dropped(tmp_path).values()) == {"not_fetched"}
    server.asked.clear()
    assert run(server, tmp_path).paused
    assert server.asked == []  # and nobody is asked again today
    saved = tmp_path.parent / f"{tmp_path.name}-saved"
    saved.mkdir()
    (saved / "abc002_a.html").write_text(task_page("abc002_a"))
    report = run(server, tmp_path, archive=saved)
    assert (report.saved_pages, report.result.kept) == (1, 3)
    assert server.asked == []


def test_codeforces_has_metadata_and_saved_pages(server: JudgeServer, tmp_path: Path) -> None:
    out, saved = tmp_path / "cf", tmp_path / "saved"
    report = run(server, out, "codeforces")
    assert [p for p in server.paths() if "/problem/" in p] == []
    assert dropped(out) == {
        "codeforces/1873/A": "not_fetched",
        "codeforces/1873/B": "not_fetched",
        "codeforces/1873/Q": "not_programming",
    }
    assert report.result.n_in == 3
    saved.mkdir()
    (saved / "any name.html").write_text(
        "<!-- saved from url=(0044)https://codeforces.com/contest/1873/problem/A -->"
        + problem_page("A")
    )
    (saved / "1_B.htm").write_text(problem_page("B"))
    (saved / "notes.txt").write_text("mine")
    (saved / "wall").mkdir()
    (saved / "wall" / "1873_B.html").write_text(CHALLENGE)
    report = run(server, out, "codeforces", archive=saved)
    found = problems(out)
    assert sorted(found) == ["codeforces/1/B", "codeforces/1873/A"]
    a = found["codeforces/1873/A"]
    assert (a.rating, a.tags, str(a.released_at)) == (800.0, ("math",), "2023-09-18")
    assert (a.time_limit_s, a.memory_limit_mb) == (1.5, 256)
    assert "$2n$" in a.statement
    assert dropped(out)["codeforces/1873/B"] == "not_fetched"
    told = [u.removeprefix(f"{saved}/") for u in report.unmatched]
    assert told[0] == "notes.txt: names no problem of codeforces"
    assert told[1].startswith("wall/1873_B.html: a bot check")
    # the next run still knows them
    assert run(server, out, "codeforces").result.kept == 2
    with pytest.raises(SourceError, match="no saved page"):
        run(server, out, "codeforces", archive=saved / "notes.txt")
    with pytest.raises(SourceError, match="no such folder"):
        run(server, out, "codeforces", archive=saved / "nothing")


def test_warc(server: JudgeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

    with (tmp_path / "x.warc.gz").open("wb") as f:
        writer = WARCWriter(f, gzip=True)
        for status, name in (("200 OK", "abc001_a"), ("404 Not Found", "abc002_a")):
            http = StatusAndHeaders(status, [("Content-Type", "text/html")], protocol="HTTP/1.1")
            url = f"https://atcoder.jp/contests/abc001/tasks/{name}"
            body = io.BytesIO(task_page(name).encode())
            record = writer.create_warc_record(url, "response", payload=body, http_headers=http)
            record.rec_headers.replace_header("WARC-Date", "2024-01-02T03:04:05Z")
            writer.write_record(record)
    monkeypatch.setenv("TZ", "Asia/Tokyo")  # WARC times are UTC wherever they are read
    time.tzset()
    report = run(server, tmp_path / "out", archive=tmp_path / "x.warc.gz")
    monkeypatch.undo()
    time.tzset()
    (p,) = problems(tmp_path / "out").values()
    assert (p.id, str(p.provenance.fetched_at)) == ("atcoder/abc001_a", "2024-01-02 03:04:05+00:00")
    assert report.saved_pages == 1
    (tmp_path / "bad.warc").write_bytes(b"no warc at all\r\n\r\n")
    with pytest.raises(SourceError, match="not a readable WARC"):
        run(server, tmp_path / "out", archive=tmp_path / "bad.warc")


def test_leetcode_needs_permission(server: JudgeServer, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="permission"):
        run(server, tmp_path / "a", "leetcode")
    assert server.asked == []
    run(server, tmp_path / "a", "leetcode", permission=True)
    p = problems(tmp_path / "a")["leetcode/twice"]
    assert (p.fn_name, p.level, p.tags) == ("twice", "Easy", ("math",))
    assert p.tests[0].output.strip() == "4"
    assert dropped(tmp_path / "a") == {"leetcode/paid-one": "paid"}
    saved = tmp_path / "saved"
    saved.mkdir()
    (saved / "thrice.json").write_text(json.dumps(question("thrice")))
    (saved / "gold.json").write_text(json.dumps(question("gold", paid=True)))
    run(server, tmp_path / "b", "leetcode", archive=saved)
    assert list(problems(tmp_path / "b")) == ["leetcode/thrice"]
    assert dropped(tmp_path / "b") == {"leetcode/gold": "paid"}


@pytest.mark.parametrize("body", [b"<html>", b"{}", b"[1]", b'{"status": "FAILED"}'])
def test_listings_that_do_not_read(tmp_path: Path, body: bytes) -> None:
    server = JudgeServer()
    server.content = lambda path, sent: None if "robots" in path else body  # type: ignore[method-assign]
    try:
        for site in ("atcoder", "codeforces"):
            with pytest.raises(ListingError, match="127"):
                run(server, tmp_path / site, site)
    finally:
        server.close()


def test_a_page_that_breaks_does_not_take_the_place_of_a_good_one(
    server: JudgeServer, tmp_path: Path
) -> None:
    run(server, tmp_path)
    before = problems(tmp_path)
    server.faults[server.task(1)] = ["empty", "empty"]
    server.faults[server.task(2)] = ["empty"]  # reads the second time, and is the same
    server.faults[server.task(3)] = [404]
    report = run(server, tmp_path, refresh=True)
    assert (report.result.kept, report.changed_pages) == (5, 0)
    assert problems(tmp_path) == before
    assert report.result.extra["revisions"] == {}
    assert report.failed == ["abc001_a", "abc003_a"]


def test_another_token_in_a_page_is_no_revision(server: JudgeServer, tmp_path: Path) -> None:
    server.tokens = True
    run(server, tmp_path)
    report = run(server, tmp_path, refresh=True)
    assert (report.new_pages, report.changed_pages, report.result.reused) == (0, 0, True)
    server.versions[server.task(1)] = 2
    report = run(server, tmp_path, refresh=True)
    assert report.changed_pages == 1
    assert list(report.result.extra["revisions"]) == ["abc001_a"]


@pytest.mark.parametrize(
    "fault", [("body", b"<html>"), ("body", b'[{"id": '), ("body", b'{"a": 1}'), 404, "cut"]
)
def test_a_listing_that_breaks_does_not_take_the_place_of_a_good_one(
    server: JudgeServer, tmp_path: Path, fault: Any
) -> None:
    run(server, tmp_path)
    server.tasks = 6
    server.faults["/resources/problems.json"] = [fault] * 5
    report = run(server, tmp_path)
    assert report.stale_listings.startswith("the listings of the last run were used: http")
    assert report.result.kept == 5
    assert run(server, tmp_path, offline=True).result.kept == 5
    server.faults.clear()
    assert run(server, tmp_path).result.kept == 6  # at once: nobody has to wait for it


def test_pages_are_parsed_once_for_each_parser(
    server: JudgeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parse, calls = atcoder.page, list[str]()

    def counted(body: bytes, target: Target) -> StatementPage:
        calls.append(target.native)
        return parse(body, target)

    monkeypatch.setattr(atcoder, "page", counted)
    server.faults[server.task(1)] = ["empty", "empty"]
    run(server, tmp_path)
    assert Counter(calls) == {f"abc00{i}_a": 1 for i in range(5)}
    before, reasons = problems(tmp_path), dropped(tmp_path)
    server.tasks = 6
    run(server, tmp_path)
    assert calls[5:] == ["abc005_a"]
    assert {k: v for k, v in problems(tmp_path).items() if k in before} == before
    assert dropped(tmp_path) == reasons == {"atcoder/abc001_a": "no_statement"}
    monkeypatch.setattr("pipelines.web.parsed.parser_hash", lambda: "another")
    monkeypatch.setattr(atcoder, "page", lambda body, t: replace(counted(body, t), title="new"))
    shutil.rmtree(tmp_path / "problems")
    run(server, tmp_path, offline=True)
    assert len(calls) == 12
    assert {p.title for p in problems(tmp_path).values()} == {"new"}


def test_what_is_no_longer_listed_stays(server: JudgeServer, tmp_path: Path) -> None:
    run(server, tmp_path)
    server.first = 2
    assert run(server, tmp_path).result.kept == 5
    found = problems(tmp_path)
    assert [p for p, q in found.items() if "delisted" in q.flags] == [
        "atcoder/abc000_a",
        "atcoder/abc001_a",
    ]
    assert found["atcoder/abc001_a"].rating == -299.0
    server.first = 0
    run(server, tmp_path)
    assert not any(p.flags for p in problems(tmp_path).values())


def test_a_dead_site_is_not_asked_for_everything(tmp_path: Path) -> None:
    server = JudgeServer(tasks=40)
    try:
        for i in range(1, 40):
            server.faults[server.task(i)] = [500] * 9
        report = run(server, tmp_path)
    finally:
        server.close()
    assert "5 pages in a row gave nothing" in report.paused
    pages = Counter(p for p in server.paths() if "/tasks/" in p)
    assert len(pages) == 6
    assert Counter(dropped(tmp_path).values()) == {"failed": 4, "not_fetched": 35}


def test_saved_pages_that_are_not_taken(server: JudgeServer, tmp_path: Path) -> None:
    out, saved = tmp_path / "out", tmp_path / "saved"
    run(server, out)
    before = problems(out)
    saved.mkdir()
    new = task_page("abc000_a", version=7)
    for name, text in (("abc000_a.html", new), ("abc001_a.html", new), ("abc002_a.html", "<p>")):
        (saved / name).write_text(text)
    os.utime(saved / "abc001_a.html", (1e9, 1e9))
    (saved / "abc003_a.html.gz").write_bytes(b"\x1f\x8b no gzip")
    (saved / "abc004_a.html").write_bytes(b"x" * (17 << 20))
    (saved / "bad.warc").write_bytes(b"no warc at all\r\n\r\n")
    (saved / "contests.json").write_text('{"not": "a list"}')
    report = run(server, out, archive=saved)
    said = {Path(u.partition(": ")[0]).name: u.partition(": ")[2] for u in report.unmatched}
    assert said["abc001_a.html"] == "not taken: older than what the folder has"
    assert "over 16 MiB" in said["abc004_a.html"]
    assert "can't be read" in said["abc003_a.html.gz"]
    assert "not a readable WARC" in said["bad.warc"]
    assert set(said) == {p.name for p in saved.iterdir()} - {"abc000_a.html"}
    now = problems(out)
    changed = [k for k, p in now.items() if p != before[k]]
    assert changed == ["atcoder/abc000_a"]
    assert "version 7" in now["atcoder/abc000_a"].statement
    assert run(server, out, archive=saved).changed_pages == 0


def test_codeforces_api_answers_that_were_saved(shared_data: Path, tmp_path: Path) -> None:
    """A real answer of problemset.problems, without contest.list: metadata of every problem."""
    with Fetcher(tmp_path / "out", FetchConfig()) as fetcher:
        config = WebCrawlConfig(site="codeforces")
        report = crawl_site(fetcher, config, archive=shared_data / "codeforces")
    assert (report.requests, report.saved_pages) == (0, 1)
    assert report.result.reasons == {"not_fetched": 1331}
    rows = list(dropped_rows(tmp_path / "out" / "problems", ["id", "problem"]))
    assert len({r["id"] for r in rows}) == 1331
    assert sum(r["problem"]["rating"] is None for r in rows) == 20


@pytest.mark.parametrize("name", ["atcoder", "codeforces", "leetcode"])
def test_fields_of_a_listing_may_be_anything(name: str) -> None:
    """2,000 listings with values changed at random: targets that can be written, or an error."""
    server, site, dice = JudgeServer(tasks=3), load_site(name), random.Random(7)
    server.close()
    odd: list[Any] = [None, [], {}, "", 5, -1, 1e400, True, "\ud800", 10**400, [[]], {"a": []}]

    def changed(value: Any) -> Any:
        if dice.random() < 0.06:
            return dice.choice(odd)
        if isinstance(value, dict):
            return {k: changed(v) for k, v in value.items() if dice.random() > 0.03}
        return [changed(v) for v in value] if isinstance(value, list) else value

    def get(request: Request) -> bytes:
        body = server.content(urlsplit(request.url).path, json.dumps(request.json).encode())
        assert body is not None
        return json.dumps(changed(json.loads(body))).encode()

    read = 0
    bases = {base: f"https://x{path}" for base, path in BASES[name].items()}
    for _ in range(2000):
        try:
            targets = site.targets(get, bases)
        except ListingError:
            continue
        read += 1
        for target in targets:
            assert Target.from_json(target.native, target.to_json()) == target
            made = problem(site, target, None, "", None)
            assert made.rating is None or made.rating == made.rating
            made.to_row()
    assert 500 < read < 2000


def test_limit_and_unknown_names(server: JudgeServer, tmp_path: Path) -> None:
    assert run(server, tmp_path, limit=2).result.kept == 2
    with pytest.raises(ConfigError, match="atcoder, codeforces, leetcode"):
        _unknown(tmp_path)
    server.faults["/resources/problems.json"] = [404]
    with pytest.raises(FetchError):
        run(server, tmp_path / "new")


def _unknown(out: Path) -> None:
    with Fetcher(out / "x", FetchConfig()) as fetcher:
        crawl_site(fetcher, WebCrawlConfig(site="kattis"))


def test_the_command_and_the_source(server: JudgeServer, tmp_path: Path) -> None:
    out = tmp_path / "at"
    command: list[Any] = [MICROCODER, "crawl", "--source", "atcoder", "--out", out]
    for name, path in BASES["atcoder"].items():
        command += ["--base", f"{name}={server.url}{path}"]

    def call(*more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*map(str, command), *more], capture_output=True, text=True)

    refused = call("--allow-host", "localhost")
    assert refused.returncode == 2
    assert "contact" in refused.stderr
    done = call("--allow-host", "127.0.0.1", "--limit", "3")
    assert done.returncode == 0, done.stderr
    assert "new pages 3" in done.stdout
    result = import_source("shards", str(out), tmp_path / "imported")
    assert result.kept == 3
    server.faults[server.task(3)] = ["login"]
    paused = call("--allow-host", "127.0.0.1")
    assert (paused.returncode, "paused: " in paused.stdout) == (1, True)


SCRIPT = """
import sys
from pathlib import Path
from pipelines.crawl_web import WebCrawlConfig, crawl_site
from pipelines.fetch import FetchConfig, Fetcher
url, out, interval = sys.argv[1:]
fetching = FetchConfig(allow_hosts=("127.0.0.1",), interval_s={"127.0.0.1": float(interval)})
config = WebCrawlConfig(site="atcoder", bases={"listings": url + "/resources", "pages": url})
with Fetcher(Path(out), fetching) as fetcher:
    print(crawl_site(fetcher, config).result.kept)
"""


def test_killed_twenty_times(tmp_path: Path) -> None:
    """Every page once in the output, at most one page a kill asked for twice, and the spacing held
    from process to process."""
    server, interval, kills = JudgeServer(tasks=60), 0.02, 20
    moment = random.Random(5)
    command = [sys.executable, "-c", SCRIPT, server.url, str(tmp_path / "c"), str(interval)]
    try:
        for _ in range(kills):
            child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            seen, wanted = len(server.asked), moment.randint(1, 8)
            while len(server.asked) < seen + wanted and child.poll() is None:
                time.sleep(0.001)
            time.sleep(moment.uniform(0, interval))
            os.kill(child.pid, signal.SIGKILL)
            child.wait()
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.stdout.strip() == "60", done.stderr
    finally:
        server.close()
    rows = list(Shards([tmp_path / "c" / "problems"]).rows(["id"]))
    assert len(rows) == len({r["id"] for r in rows}) == 60
    pages = Counter(p for p in server.paths() if "/tasks/" in p)
    assert len(pages) == 60
    assert pages.total() <= 60 + kills
    assert max(pages.values()) <= 3
    times = [a.at for a in server.asked]
    assert min(b - a for a, b in itertools.pairwise(times)) >= interval
