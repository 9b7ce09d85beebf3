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
from pipelines.web.address import AddressError, check_public, host_of, is_public
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


@pytest.mark.parametrize(
    "fault", [429, 500, 503, 520, "cut", "short", "half_gzip", ("429", 0), "slow"]
)
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


@pytest.mark.parametrize(
    ("fault", "expected"),
    [(404, ""), (403, "robots"), (500, "paused"), ("challenge", "challenge"),
     (("429", 1000000), "paused"), ("bomb", "robots"), ("loop", "paused")],
)  # fmt: skip
def test_robots_txt_that_can_not_be_had(
    server: JudgeServer, make: Make, fault: Any, expected: str
) -> None:
    server.robots = ""
    server.faults["/robots.txt"] = [fault] * 9
    if expected:
        assert kind(make(retries=1), page(server)) == expected
        assert server.paths() == []
    else:
        assert make().get(page(server)).new


def test_robots_txt_of_yesterday_counts_while_there_is_none(
    server: JudgeServer, tmp_path: Path
) -> None:
    now = [1e9]
    server.robots = "User-agent: *\nDisallow: /contests/abc000\n"
    config = FetchConfig(allow_hosts=("127.0.0.1",), retries=0)

    def sleep(seconds: float) -> None:
        now[0] += seconds

    def fetcher() -> Fetcher:
        return Fetcher(tmp_path / "c", config, clock=lambda: now[0], sleep=sleep)

    with fetcher() as one:
        one.get(page(server, 1))
    now[0] += 2 * 86_400
    server.faults["/robots.txt"] = [500]
    with fetcher() as two:
        assert kind(two, page(server)) == "robots"
        assert two.get(page(server, 2)).new


def test_a_restart_is_no_way_around_retry_after(server: JudgeServer, tmp_path: Path) -> None:
    server.faults[server.task(0)] = [("429", 40)]
    now, slept = [1e9], list[float]()

    def killed(seconds: float) -> None:
        raise KeyboardInterrupt

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds

    config = FetchConfig(allow_hosts=("127.0.0.1",))
    with (
        Fetcher(tmp_path / "c", config, clock=lambda: now[0], sleep=killed) as one,
        pytest.raises(KeyboardInterrupt),
    ):
        one.get(page(server))
    with Fetcher(tmp_path / "c", config, clock=lambda: now[0], sleep=sleep) as two:
        two.get(page(server, 1))
    assert slept == [40.0]


def test_a_request_of_a_killed_process_may_have_gone_out_just_now(
    server: JudgeServer, tmp_path: Path
) -> None:
    now, slept = [1e9], list[float]()

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds

    config = FetchConfig(allow_hosts=("127.0.0.1",), interval_s={"127.0.0.1": 10})
    with Fetcher(tmp_path / "c", config, clock=lambda: now[0], sleep=sleep) as fetcher:
        fetcher.store.mark_asked(server.host, 1e9 - 9, "killed")
        fetcher.get(page(server))
        assert slept == [10.0, 10.0]  # before robots.txt and before the page
        fetcher.store.mark_asked(server.host, 2e9, "")  # the clock was set back
        fetcher.get(page(server, 1))
    assert slept[2:] == [10.0]


def test_429_without_end_pauses_the_host(server: JudgeServer, make: Make) -> None:
    server.faults[server.task(0)] = [429] * 9
    assert kind(make(retries=1), page(server)) == "paused"
    assert len(server.paths()) == 2


def test_a_host_that_fails_page_after_page_is_left_alone(server: JudgeServer, make: Make) -> None:
    fetcher = make(retries=0)
    for i, fault in enumerate([500, 403, 404, 500, 403, 503, 500, 403, 500]):
        server.faults[f"/{i}"] = [fault]
    kinds = [kind(fetcher, Request(f"{server.url}/{i}")) for i in range(9)]
    assert kinds == ["failed", "failed", "missing", *["failed"] * 4, "paused", "paused"]
    assert len(server.paths()) == 8


def test_what_reads_the_same_is_the_same(server: JudgeServer, make: Make) -> None:
    """`read` decides what a page is and whether it changed."""
    url = server.url + "/x"

    def read(body: bytes) -> bytes:
        if not body.startswith(b"page "):
            raise ValueError("no page")
        return body.split(b"#")[0]

    def get(*bodies: bytes, **options: Any) -> Any:
        server.faults["/x"] = [("body", b) for b in bodies]
        return fetcher.get(Request(url), read=read, **options)

    fetcher = make()
    assert get(b"half", b"page 1#a").body == b"page 1#a"
    same = get(b"page 1#b", refresh=True)
    assert (same.body, same.new) == (b"page 1#a", False)
    assert get(b"page 2", refresh=True).new
    with pytest.raises(FetchError) as e:
        get(b"broken", b"broken", refresh=True)
    assert e.value.kind == "unreadable"
    state = fetcher.store.page(url)
    assert fetcher.store.raw(state.sha256) == b"page 2"
    assert fetcher.store.raw(state.bad_sha256) == b"broken"
    assert len(fetcher.store.revisions(url)) == 2


def test_redirects(server: JudgeServer, make: Make) -> None:
    server.faults[server.task(0)] = ["loop"]
    server.faults[server.task(1)] = ["away", "away"]
    assert kind(make(), page(server)) == "failed"
    with pytest.raises(ConfigError, match="contact"):  # not our host, and nobody to complain to
        make().get(page(server, 1))
    for i, to in enumerate(["http://127.0.0.2:9/x", "file:///etc/passwd", "//u@h/", "http://[::1"]):
        server.faults[f"/{i}"] = [("to", to)] * 2
        found = kind(make(contact="me@lab.example", retries=1), Request(f"{server.url}/{i}"))
        assert found == ("failed" if "[" in to else "address"), to  # the last is no URL at all
    server.faults["/query"] = [("to", "/elsewhere")]
    assert kind(make(), Request(server.url + "/query", {})) == "failed"
    assert "/elsewhere" not in server.paths()


def test_a_host_named_with_its_port_is_that_port_only(server: JudgeServer, tmp_path: Path) -> None:
    other = JudgeServer()
    config = FetchConfig(allow_hosts=(server.host,), contact="me@lab.example")
    try:
        with Fetcher(tmp_path / "c", config) as fetcher:
            assert fetcher.get(page(server)).new
            assert kind(fetcher, page(other)) == "address"
        assert other.asked == []
    finally:
        other.close()


def test_sizes_and_encodings(server: JudgeServer, make: Make) -> None:
    server.faults[server.task(0)] = ["bomb"]
    assert kind(make(max_mb=1), page(server)) == "too_large"
    server.zipped = True
    assert make().get(page(server, 1)).body == task_page("abc001_a").encode()
    server.faults[server.task(2)] = ["brotli"]
    assert kind(make(), page(server, 2)) == "failed"


@pytest.mark.parametrize(
    "address",
    ["10.1.2.3", "169.254.169.254", "0.0.0.0", "224.0.0.1", "100.64.0.1", "fe80::1", "fd00::1",
     "::ffff:10.0.0.1", "2002:7f00:1::", "64:ff9b::10.0.0.1", "::127.0.0.1"],
)  # fmt: skip
def test_addresses_that_lead_inside(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    ("url", "host"),
    [("https://A.example:443/x", "a.example"), ("http://a.example.:80", "a.example"),
     ("http://a.example:443/", "a.example:443"), ("http://[2606:4700::1]:8/", "[2606:4700::1]:8")],
)  # fmt: skip
def test_one_name_for_one_host(url: str, host: str) -> None:
    assert host_of(url) == host


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
        (405, {"x-amzn-waf-action": "captcha"}, "", ""),
        (200, {}, "<script src='/_Incapsula_Resource?x=1'></script>", ""),
        (403, {}, "<script src='https://ct.captcha-delivery.com/c.js'></script>", ""),
        (200, {}, "<h2>Verify you are human</h2>", ""),
        (200, {}, "<b>Please   complete the <i>CAPTCHA</i></b>", ""),
        (200, {}, "<p>You must be logged in to see this</p>", ""),
        (200, {}, "<p>Please log in.</p>", ""),
    ],
)
def test_walls(status: int, headers: dict[str, str], body: str, url: str) -> None:
    assert challenge(status, headers, body, url)


def test_statements_about_captchas_are_no_walls() -> None:
    text = "Just a moment: solve the captcha. Checking your browser. <input type='password'>"
    assert challenge(200, {}, problem_page("x").replace("An integer.", text)) is None
    assert challenge(200, {}, task_page("x").replace("version", text)) is None
    listing = '[{"id": "x_a", "name": "Checking your browser", "html": "<input type=password>"}]'
    assert challenge(200, {}, listing) is None
    form = "<p>No such page</p><form><input type='password'></form>"  # in the head of every page
    script = "<script src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'></script>"
    assert challenge(404, {}, form + script) is None
