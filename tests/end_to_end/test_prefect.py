"""A real Prefect server and worker on free loopback ports run the shipped deployment."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from flows.stages import STAGES
from pipelines.shards import Shards, check_shards

REPO = Path(__file__).resolve().parents[2]
PREFECT = Path(sys.executable).with_name("prefect")

pytestmark = pytest.mark.prefect

CONFIG = """
name = "prefect-small"
seed = 3

[[source]]
name = "problem_package"
path = "{repo}/examples/problems/square"

[[source]]
name = "jsonl"
path = "{repo}/examples/problems.jsonl"
"""


def _free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


@pytest.fixture
def prefect_env(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment of a running server and worker with a database of their own."""
    port = _free_port()
    env = os.environ | {
        "PREFECT_HOME": str(tmp_path / "prefect"),
        "PREFECT_API_URL": f"http://127.0.0.1:{port}/api",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "DO_NOT_TRACK": "1",
        "PREFECT_CLI_COLORS": "false",
        "PREFECT_WORKER_QUERY_SECONDS": "1",
        "PYTHONUNBUFFERED": "1",
    }
    logs = {name: (tmp_path / f"{name}.log").open("w") for name in ("server", "worker")}
    children: list[subprocess.Popen[bytes]] = []

    def start(name: str, *args: str) -> None:
        children.append(
            subprocess.Popen(
                [PREFECT, *args],
                cwd=REPO,
                env=env,
                stdout=logs[name],
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        )

    try:
        start("server", "server", "start", "--host", "127.0.0.1", "--port", str(port))
        _wait_for(f"http://127.0.0.1:{port}/api/health", children[0], tmp_path / "server.log")
        _prefect(env, "work-pool", "create", "microcoder", "--type", "process")
        start("worker", "worker", "start", "--pool", "microcoder")
        yield env
    finally:
        for child in reversed(children):
            os.killpg(child.pid, signal.SIGTERM)
        for child in reversed(children):
            try:
                child.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
        for log in logs.values():
            log.close()


def _wait_for(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(600):
        assert server.poll() is None, f"the server ended: {log.read_text()[-2000:]}"
        try:
            if httpx.get(url, timeout=1).status_code == 200:
                return
        except httpx.HTTPError:
            pass
        time.sleep(0.2)
    pytest.fail(f"no Prefect server after two minutes: {log.read_text()[-2000:]}")


def _prefect(env: dict[str, str], *args: str) -> str:
    done = subprocess.run(
        [PREFECT, *args],
        cwd=REPO,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, f"prefect {' '.join(args)}:\n{done.stdout[-6000:]}"
    return done.stdout


def test_deployment_builds_the_dataset(prefect_env: dict[str, str], tmp_path: Path) -> None:
    config = tmp_path / "small.toml"
    config.write_text(CONFIG.format(repo=REPO))
    run = tmp_path / "run"

    _prefect(prefect_env, "--no-prompt", "deploy", "--all")
    listed = _prefect(prefect_env, "deployment", "ls")
    for name in ("build-dataset/build-dataset", "train/train", "retrain/retrain"):
        assert name in listed
    inspected = _prefect(prefect_env, "deployment", "schedule", "ls", "retrain/retrain")
    assert "0 3 * * 1" in inspected

    out = _prefect(
        prefect_env,
        *("deployment", "run", "build-dataset/build-dataset", "--watch"),
        *("--param", f"config={config}", "--param", f"run={run}"),
        *("--param", "until_stage=verify"),
    )

    assert "Completed" in out, out[-3000:]
    for stage in STAGES[:5]:
        manifest = check_shards(run / stage.folder)
        assert manifest["n_in"] == manifest["rows"] + manifest["dropped_rows"]
    assert "package/square" in {p.id for p in Shards([run / "05-verify"])}

    # the same stages without Prefect give the same bytes
    plain = tmp_path / "plain"
    microcoder = shutil.which("microcoder", path=str(PREFECT.parent))
    assert microcoder is not None
    subprocess.run(
        [microcoder, "build", "--config", config, "--run", plain, "--until", "verify"],
        check=True,
        capture_output=True,
        timeout=600,
    )
    ours = Shards([plain / "05-verify"]).fingerprint
    assert ours == Shards([run / "05-verify"]).fingerprint
