"""Publishing: a folder that `datasets` loads, and one commit on a Hub (a real HTTP server here)."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from pipelines.config import ConfigError, parse_config
from pipelines.problem import Problem, Solution, TestCase
from pipelines.publish import CardFacts, PublishConfig, publish, push
from pipelines.shards import ShardWriter, check_shards, write_problems
from pipelines.stage import StageResult


def _problems(n: int) -> list[Problem]:
    return [
        Problem(
            id=f"{'kattis' if i % 2 else 'jsonl'}/p{i}",
            title=f"Problem {i}",
            statement="Print the number twice." * 10,
            tests=(TestCase(f"{i}\n", f"{i} {i}\n", "sample"), TestCase("7\r\n", "7 7")),
            licence="cc0" if i % 2 else "MIT",
            solutions=(Solution("n = input()\nprint(n, n)"),),
        )
        for i in range(n)
    ]


@pytest.fixture
def shards(tmp_path: Path) -> Path:
    write_problems(_problems(7), tmp_path / "in")
    return tmp_path / "in"


FUNNEL = [StageResult("crawl", Path("x"), 9, 7, 2, {"no_tests": 2}, {}, 0.1, 10.0)]


def test_datasets_loads_the_folder(shards: Path, tmp_path: Path) -> None:
    from datasets import load_dataset

    out = tmp_path / "dataset"
    facts = CardFacts(FUNNEL, "Compared with lcb-v5.", 'name = "x"', "0.1.0")
    result = publish([shards], out, PublishConfig(), facts)

    assert (result.n_in, result.kept, result.dropped) == (7, 7, 0)
    rows = load_dataset(str(out), split="train", cache_dir=str(tmp_path / "cache"))
    assert rows["id"] == [p.id for p in _problems(7)]
    assert rows[3]["tests"][1] == {"input": "7\r\n", "output": "7 7", "kind": "hidden", "name": ""}
    card = (out / "README.md").read_text()
    assert "| crawl | 9 | 7 | 2 | no_tests 2 |" in card
    assert "| kattis | cc0 | 3 |" in card
    assert "| jsonl | MIT | 4 |" in card
    assert "Compared with lcb-v5." in card
    assert 'name = "x"' in card


def test_second_run_reuses_and_bytes_stay(shards: Path, tmp_path: Path) -> None:
    first = publish([shards], tmp_path / "a", PublishConfig())
    again = publish([shards], tmp_path / "a", PublishConfig())
    other = publish([shards], tmp_path / "b", PublishConfig())
    assert (first.reused, again.reused, other.reused) == (False, True, False)
    for file in (p for p in (tmp_path / "a").rglob("*") if p.is_file()):
        twin = tmp_path / "b" / file.relative_to(tmp_path / "a")
        assert file.read_bytes() == twin.read_bytes()


def test_shards_are_split_and_numbered_as_the_hub_expects(tmp_path: Path) -> None:
    with ShardWriter(tmp_path, prefix="train", shard_bytes=1, row_group_bytes=1) as writer:
        for p in _problems(3):
            writer.write(p.to_row())
    assert [i.rows for i in writer.infos] == [1, 1, 1]
    out = tmp_path / "dataset"
    write_problems(_problems(2), tmp_path / "in")
    publish([tmp_path / "in"], out, PublishConfig())
    assert [s["name"] for s in check_shards(out)["shards"]] == ["data/train-00000-of-00001.parquet"]


def test_repository_without_token_stops_before_work(
    shards: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setenv("HF_TOKEN_PATH", str(tmp_path / "none"))
    monkeypatch.setattr("huggingface_hub.constants.HF_TOKEN_PATH", str(tmp_path / "none"))
    with pytest.raises(ConfigError, match="no Hub token; set HF_TOKEN"):
        publish([shards], tmp_path / "dataset", PublishConfig(repo_id="me/data"))
    assert not (tmp_path / "dataset").exists()


def test_bad_repository_name_is_a_config_error() -> None:
    with pytest.raises(ConfigError, match=r"repo_id.*user-or-organisation/dataset-name"):
        parse_config({"repo_id": "no slash"}, PublishConfig, "c.toml [publish]")


class _Hub(BaseHTTPRequestHandler):
    """As much of the Hub's API as one upload needs."""

    calls: list[tuple[str, Any]]

    def _answer(self, data: Any) -> None:
        body = json.dumps(data).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        old = {"type": "file", "path": "data/old.parquet", "size": 1, "oid": "0" * 40}
        self._answer([old] if "/tree/main" in self.path else {})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        url = f"http://{self.headers['Host']}"
        assert self.headers["Authorization"] == "Bearer hf_test"
        if self.path.endswith("/preupload/main"):
            files = json.loads(body)["files"]
            self._answer(
                {"files": [f | {"uploadMode": "regular", "shouldIgnore": False} for f in files]}
            )
        elif "/commit/main" in self.path:
            self.calls.append((self.path, [json.loads(line) for line in body.splitlines()]))
            self._answer(
                {
                    "commitUrl": f"{url}/datasets/me/data/commit/{'a' * 40}",
                    "commitOid": "a" * 40,
                    "success": True,
                }
            )
        else:
            self.calls.append((self.path, json.loads(body)))
            self._answer({"url": f"{url}/datasets/me/data", "name": "me/data", "id": "0"})

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, Any]]]:
    _Hub.calls = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    endpoint = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setenv("HF_TOKEN", "hf_test")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_TELEMETRY", True)
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", endpoint)
    monkeypatch.setattr("huggingface_hub.hf_api.ENDPOINT", endpoint, raising=False)
    yield _Hub.calls
    server.shutdown()
    server.server_close()


def test_push_is_one_commit_with_card_and_shards(
    shards: Path, tmp_path: Path, hub: list[tuple[str, Any]]
) -> None:
    out = tmp_path / "dataset"
    publish([shards], out, PublishConfig())
    url = push(out, "me/data")

    assert url.endswith("/commit/" + "a" * 40)
    created = [b for path, b in hub if path == "/api/repos/create"]
    assert created[0]["type"] == "dataset"
    assert created[0]["visibility"] == "private"
    commits = [b for path, b in hub if "/commit/main" in path]
    assert len(commits) == 1
    operations = {line["value"]["path"]: line for line in commits[0] if line["key"] != "header"}
    assert operations["data/old.parquet"]["key"] == "deletedFile"
    for name in ("README.md", "data/train-00000-of-00001.parquet"):
        sent = base64.b64decode(operations[name]["value"]["content"])
        assert sent == (out / name).read_bytes()
