"""The polite fetcher against a real server on loopback."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from judge_server import JudgeServer, problem_page, task_page

from pipelines.config import ConfigError
from pipelines.fetch import FetchConfig, Fetcher, FetchError, Request, retry_after
from pipelines.web.address import AddressError, check_public, host_of
from pipelines.web.challenge import challenge
from pipelines.web.store import Store, StoreError

Make = Callable[..., Fetcher]


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    server = JudgeServer()
    yield server
    server.close()


@pytest.fixture
def make(server: JudgeServer, tmp_path: Path) -> Iterator[Make]:
    opened: list[Fetcher] = []

    def build(folder: str = "crawl", **config: Any) -> Fetcher:
        for fetcher in opened:
            fetcher.close()
        given = {"allow_hosts": ("127.0.0.1",), "backoff_s": 0.01, **config}
        opened[:] = [Fetcher(tmp_path / folder, FetchConfig(**given))]
        return opened[0]

    yield build
    for fetcher in opened:
        fetcher.close()


def page(server: JudgeServer, i: int = 0) -> Request:
    return Request(server.url + server.task(i))


def kind(fetcher: Fetcher, request: Request, **options: Any) -> str:
    with pytest.raises(FetchError) as e:
        fetcher.get(request, **options)
    return e.value.kind


def test_a_page_is_asked_for_once(server: JudgeServer, make: Make) -> None:
    first = make().get(page(server))
    assert first.new
    assert "Task abc000_a" in first.body.decode()
    again = make().get(page(server))  # a new process
    assert (again.sha256, again.new) == (first.sha256, False)
    assert server.paths() == [server.task(0)]
    assert "MicroCoder/" in server.asked[-1].headers["user-agent"]


def test_refresh_asks_whether_it_changed(server: JudgeServer, make: Make) -> None:
    fetcher = make()
    first = fetcher.get(page(server))
    same = fetcher.get(page(server), refresh=True)
    assert (same.sha256, same.new) == (first.sha256, False)
    assert server.asked[-1].headers["if-none-match"]
    server.versions[server.task(0)] = 2
    changed = fetcher.get(page(server), refresh=True)
    assert changed.new
    assert [sha for _, sha, _ in fetcher.store.revisions(changed.key)] == [
        first.sha256,
        changed.sha256,
    ]
    assert fetcher.store.raw(first.sha256) == first.body  # the old text is still there


@pytest.mark.parametrize("fault", [429, 500, 503, "cut", "short", ("429", 0), "slow"])
def test_what_may_pass_is_tried_again(server: JudgeServer, make: Make, fault: Any) -> None:
    server.faults[server.task(0)] = [fault]
    found = make(timeout_s=0.5).get(page(server))
    assert found.body == task_page("abc000_a").encode()
    assert len(server.paths()) == 2


def test_retry_after_is_waited_for(server: JudgeServer, tmp_path: Path) -> None:
    slept: list[float] = []
    now = [1e9]

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds

    server.faults[server.task(0)] = [("429", 7), ("503", 50)]
    config = FetchConfig(allow_hosts=("127.0.0.1",), backoff_s=0.5)
    with Fetcher(tmp_path / "c", config, clock=lambda: now[0], sleep=sleep) as fetcher:
        fetcher.get(page(server))
    assert slept == [7.0, 50.0]
    assert retry_after("soon", 0) is None


def test_a_long_retry_after_pauses_the_host(server: JudgeServer, make: Make) -> None:
    server.faults[server.task(0)] = [("429", 4000)]
    assert kind(make(), page(server)) == "paused"
    assert kind(make(), page(server, 1)) == "paused"  # and another process keeps to it
    assert len(server.paths()) == 1


def test_given_up_after_the_last_try(server: JudgeServer, make: Make) -> None:
    server.faults[server.task(0)] = [500] * 9
    assert kind(make(retries=2), page(server)) == "failed"
    assert len(server.paths()) == 3
    assert kind(make(), page(server)) == "failed"  # remembered for a while
    assert len(server.paths()) == 3


def test_missing_pages_are_remembered_and_expire(server: JudgeServer, tmp_path: Path) -> None:
    now = [1e9]
    config = FetchConfig(allow_hosts=("127.0.0.1",))
    with Fetcher(tmp_path / "c", config, clock=lambda: now[0], sleep=lambda s: None) as fetcher:
        assert kind(fetcher, Request(server.url + "/nothing")) == "missing"
        assert kind(fetcher, Request(server.url + "/nothing")) == "missing"
        assert server.paths() == ["/nothing"]
        now[0] += 8 * 86_400
        assert kind(fetcher, Request(server.url + "/nothing")) == "missing"
    assert server.paths() == ["/nothing"] * 2


@pytest.mark.parametrize("fault", ["login", "challenge"])
def test_a_wall_pauses_the_host(server: JudgeServer, make: Make, fault: str) -> None:
    server.faults[server.task(0)] = [fault]
    fetcher = make()
    assert kind(fetcher, page(server)) == "challenge"
    assert kind(make(), page(server, 1)) == "paused"
    assert len(server.paths()) == 1
    assert fetcher.config.retries  # it was not tried again
    assert make().known(page(server)) is None  # and is not kept as a page


def test_robots_txt_is_obeyed(server: JudgeServer, make: Make) -> None:
    server.robots = "User-agent: *\nDisallow: /contests/abc000\nCrawl-delay: 0.2\n"
    fetcher = make()
    assert kind(fetcher, page(server)) == "robots"
    assert server.paths() == []
    fetcher.get(page(server, 1))
    fetcher.get(page(server, 2))
    times = [a.at for a in server.asked]
    assert all(b - a >= 0.199 for a, b in itertools.pairwise(times))
    assert [a.path for a in server.asked].count("/robots.txt") == 1


def test_without_robots_txt_for_an_error_nothing_is_fetched(
    server: JudgeServer, make: Make
) -> None:
    server.faults["/robots.txt"] = [500] * 9
    assert kind(make(retries=1), page(server)) == "failed"
    assert server.paths() == []


def test_redirects(server: JudgeServer, make: Make) -> None:
    server.faults[server.task(0)] = ["loop"]
    server.faults[server.task(1)] = ["away", "away"]
    assert kind(make(), page(server)) == "failed"
    with pytest.raises(ConfigError, match="contact"):  # not our host, and nobody to complain to
        make().get(page(server, 1))
    assert kind(make(contact="me@lab.example"), page(server, 1)) in ("address", "failed")


def test_sizes_and_encodings(server: JudgeServer, make: Make) -> None:
    server.faults[server.task(0)] = ["bomb"]
    assert kind(make(max_mb=1), page(server)) == "too_large"
    server.zipped = True
    assert make().get(page(server, 1)).body == task_page("abc001_a").encode()


def test_only_public_addresses(tmp_path: Path, server: JudgeServer) -> None:
    with Fetcher(tmp_path / "c", FetchConfig(contact="me@lab.example")) as fetcher:
        for url in (
            server.url + "/x",
            "http://localhost/",
            "http://[::1]/",
            "http://169.254.169.254/latest",
            "http://[::ffff:10.0.0.1]/",
            "file:///etc/passwd",
            "ftp://a.example/",
            "http://user@a.example/",
            "http://0/",
        ):
            with pytest.raises(FetchError) as e:
                fetcher.get(Request(url))
            assert e.value.kind == "address", url
    assert server.asked == []
    check_public("a.example", ["1.1.1.1", "2606:4700::1111"], ())
    with pytest.raises(AddressError):
        check_public("a.example", ["1.1.1.1", "10.0.0.1"], ())
    with pytest.raises(AddressError):
        host_of("http://a.example:99999/")


def test_one_crawl_a_folder(tmp_path: Path) -> None:
    with Store(tmp_path / "c"), pytest.raises(StoreError, match="another crawl"):
        Store(tmp_path / "c")


def test_damage_is_named(server: JudgeServer, make: Make, tmp_path: Path) -> None:
    sha = make().get(page(server)).sha256
    path = tmp_path / "crawl" / "raw" / sha[:2] / f"{sha}.gz"
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(StoreError, match=sha):
        make().get(page(server))
    make().close()
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "crawl.sqlite").write_bytes(b"no database" * 100)
    with pytest.raises(StoreError, match=r"crawl\.sqlite"):
        Store(tmp_path / "bad")


@pytest.mark.parametrize(
    ("status", "headers", "body", "url"),
    [
        (403, {"cf-mitigated": "challenge"}, "", ""),
        (200, {}, "<p>Please wait. Your browser is being checked.</p>", ""),
        (503, {}, "<h1>Checking your browser before accessing</h1>", ""),
        (200, {}, 'var a=toNumbers("e9df592a0909bfa5fcff1ce7958e598b")', ""),
        (200, {}, "<title>Access denied</title>", ""),
        (200, {}, "<h1>Welcome</h1>", "https://codeforces.com/enter?back=%2F"),
        (401, {}, "", ""),
    ],
)
def test_walls(status: int, headers: dict[str, str], body: str, url: str) -> None:
    assert challenge(status, headers, body, url)


def test_statements_about_captchas_are_no_walls() -> None:
    text = "Just a moment: solve the captcha. Checking your browser. <input type='password'>"
    assert challenge(200, {}, problem_page("x").replace("An integer.", text)) is None
    assert challenge(200, {}, task_page("x").replace("version", text)) is None
