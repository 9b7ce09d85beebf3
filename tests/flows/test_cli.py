"""The command line as a person meets it: a child process, its exit status, what it prints."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from flows.stages import STAGES, plan
from pipelines.config import ConfigError
from pipelines.shards import Shards, check_shards

COMMANDS = (
    *("build", "import", "dedup", "decontaminate", "judge", "evaluate"),
    *("probe", "train", "report", "doctor"),
)
REPO = Path(__file__).resolve().parents[2]
MICROCODER = Path(sys.executable).with_name("microcoder")

SMALL = f"""
name = "small"
seed = 1
[[source]]
name = "problem_package"
path = "{REPO}/examples/problems/doubled"
[[source]]
name = "problem_package"
path = "{REPO}/examples/problems/pairsum"
[[source]]
name = "jsonl"
path = "{REPO}/examples/problems.jsonl"
"""


def microcoder(*args: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [MICROCODER, *map(str, args)],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env=os.environ | {"COLUMNS": "200", "NO_COLOR": "1", "TERM": "dumb"},
    )


@pytest.fixture
def small(tmp_path: Path) -> Path:
    config = tmp_path / "small.toml"
    config.write_text(SMALL)
    return config


def bytes_of(run: Path, until: str) -> dict[str, bytes]:
    """Every file of the stages up to `until`, by relative path."""
    folders = [s.folder for s in plan(until=until)]
    files = [p for f in folders for p in (run / f).rglob("*") if p.is_file()]
    return {str(p.relative_to(run)): p.read_bytes() for p in files}


def test_help_lists_every_stable_command() -> None:
    out = microcoder("--help")
    assert out.returncode == 0
    for command in [
        "build",
        "import",
        "dedup",
        "decontaminate",
        "judge",
        "evaluate",
        "probe",
        "train",
        "report",
        "doctor",
    ]:
        assert command in out.stdout
        helped = microcoder(command, "--help")
        assert helped.returncode == 0
        if command != "doctor":
            assert "Example:" in helped.stdout


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; sys.argv = ['microcoder', '--help']\n"
        "import flows.cli\n"
        "try: flows.cli.main()\n"
        "except SystemExit: pass\n"
        "print('HEAVY', sorted({'torch', 'prefect', 'transformers', 'datasets', 'pyarrow'}"
        " & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.splitlines()[-1] == "HEAVY []"


def test_build_keeps_the_books(small: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    out = microcoder("build", "--config", small, "--run", run, "--until", "verify")
    assert out.returncode == 0, out.stderr
    funnel = json.loads((run / "funnel.json").read_text())
    assert [r["stage"] for r in funnel] == [s.name for s in STAGES[:5]]
    for before, after in itertools.pairwise(funnel):
        assert after["n_in"] == before["kept"]
    for row in funnel:
        assert row["kept"] + row["dropped"] == row["n_in"]
        assert row["seconds"] > 0
    by_stage = {r["stage"]: r["reasons"] for r in funnel}
    assert by_stage["crawl"] == {"no_tests": 1}
    assert by_stage["dedup"] == {"duplicate": 1}
    assert by_stage["verify"] == {"accepted_fails": 1}
    assert {p.id for p in Shards([run / "05-verify"])} == {
        "package/doubled",
        "package/pairsum",
        "jsonl/evenlength",
        "jsonl/plusten",
    }

    again = microcoder("build", "--config", small, "--run", run, "--until", "verify")
    assert again.stdout.count("reused") >= 5
    forced = microcoder(
        *("build", "--config", small, "--run", run, "--from", "dedup", "--until", "dedup")
    )
    assert forced.returncode == 0
    assert forced.stdout.count("(reused)") == 2
    assert not (run / "05-verify").exists()


def test_killed_anywhere_then_run_again_gives_the_same_bytes(small: Path, tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    started = time.monotonic()
    assert (
        microcoder("build", "--config", small, "--run", whole, "--until", "verify").returncode == 0
    )
    seconds = time.monotonic() - started
    run = tmp_path / "killed"
    args = [MICROCODER, "build", "--config", small, "--run", run, "--until", "verify"]
    for i in range(6):
        child = subprocess.Popen(
            args, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        time.sleep(seconds * (i + 1) / 7)
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    assert microcoder(*args[1:]).returncode == 0
    assert bytes_of(run, "verify") == bytes_of(whole, "verify")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seeed = 1", "unknown key 'seeed'; did you mean 'seed'?"),
        ("[dedup]\ntreshold = 0.8", "unknown key 'dedup.treshold'; did you mean 'threshold'?"),
        ("[dedup]\nthreshold = 8", "key 'dedup.threshold'"),
        ("[decontaminate]\nbenchmark = 'lcb-v9'", "lcb-v5"),
        ("[train]\npreset = 'microcoder-gpro'", "microcoder-grpo"),
        ("[train]\npreset = 'grpo'\nstepps = 3", "stepps"),
        ("[publish]\nrepo_id = 'nope'", "user-or-organisation/dataset-name"),
        ("= 3", "not valid TOML"),
    ],
)
def test_bad_config_stops_before_any_work(
    small: Path, tmp_path: Path, text: str, message: str
) -> None:
    # TOML tables end the top level, so plain keys go first
    small.write_text(text + SMALL if not text.startswith("[") else SMALL + text)
    out = microcoder("build", "--config", small, "--run", tmp_path / "run")
    assert out.returncode == 2, out.stderr
    assert message in out.stderr
    assert "Traceback" not in out.stderr
    assert not (tmp_path / "run" / "01-crawl").exists()


def test_missing_config_unknown_stage_and_source(tmp_path: Path, small: Path) -> None:
    missing = microcoder("build", "--config", tmp_path / "none.toml")
    assert (missing.returncode, "no such config file" in missing.stderr) == (2, True)
    stage = microcoder("build", "--config", small, "--until", "deduplicate")
    assert (stage.returncode, "stages: crawl, normalize" in stage.stderr) == (2, True)
    source = microcoder("import", "x", "--source", "kaggle", "--out", tmp_path / "o")
    assert (source.returncode, "known sources: apps" in source.stderr) == (2, True)
    path = microcoder("import", "nowhere", "--source", "jsonl", "--out", tmp_path / "o")
    assert (path.returncode, "no such file or folder" in path.stderr) == (2, True)
    usage = microcoder("import", "--nonsense")
    assert usage.returncode == 2


def test_from_after_until_is_refused() -> None:
    with pytest.raises(ConfigError, match="comes after"):
        plan("verify", "dedup")


def test_altered_shard_is_named_by_the_next_command(small: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    microcoder("build", "--config", small, "--run", run, "--until", "normalize")
    shard = run / "02-normalize" / "part-00000.parquet"
    shard.write_bytes(shard.read_bytes()[:-10])
    out = microcoder("dedup", "--input", run / "02-normalize", "--out", tmp_path / "o")
    assert out.returncode == 1
    assert str(shard) in out.stderr
    assert "truncated or altered" in out.stderr
    # a build notices by itself and makes the stage again
    assert microcoder("build", "--config", small, "--run", run, "--until", "dedup").returncode == 0
    check_shards(run / "02-normalize")


def test_two_processes_never_share_a_run_folder(small: Path, tmp_path: Path) -> None:
    import fcntl

    run = tmp_path / "run"
    run.mkdir()
    with (run / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        out = microcoder("build", "--config", small, "--run", run, "--until", "crawl")
    assert out.returncode == 1
    assert "another microcoder process" in out.stderr


def test_no_space_left_names_the_file_and_the_run_goes_on(small: Path, tmp_path: Path) -> None:
    """A real full disk: a 64 kB tmpfs in a mount namespace of its own."""
    full = tmp_path / "full"
    full.mkdir()
    command = (
        f"mount -t tmpfs -o size=64k tmpfs {full} && "
        f"{MICROCODER} build --config {small} --run {full}/run --until crawl; status=$?; "
        f"mount -o remount,size=64m {full} && "
        f"{MICROCODER} build --config {small} --run {full}/run --until crawl && exit $status"
    )
    out = subprocess.run(
        ["unshare", "-rm", "sh", "-c", command],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if "unshare failed" in out.stderr or "Operation not permitted" in out.stderr:
        pytest.skip(f"no mount namespace here: {out.stderr.strip()[:200]}")
    assert out.returncode == 1, out.stderr
    assert "no space left while writing" in out.stderr
    assert "part-00000.parquet" in out.stderr
    assert "crawl: 5 problems" in out.stdout.replace("\n", " ") or "crawl: 6 problems" in out.stdout


def test_judge_command(tmp_path: Path) -> None:
    problems, solutions, out = (tmp_path / n for n in ("p.jsonl", "s.jsonl", "v.jsonl"))
    problems.write_text(
        json.dumps({"id": "a", "fn_name": None, "tests": [{"input": "2\n", "output": "4\n"}]})
        + "\n"
        + json.dumps({"id": "f", "fn_name": "inc", "tests": [{"input": [1], "output": 2}]})
        + "\n"
    )
    codes = [
        ("a", "print(int(input()) ** 2)"),
        ("a", "print(5)"),
        ("f", "def inc(n): return n + 1"),
        ("a", "print("),
    ]
    solutions.write_text("".join(json.dumps({"problem_id": p, "code": c}) + "\n" for p, c in codes))
    done = microcoder("judge", "--problems", problems, "--solutions", solutions, "--out", out)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [r["verdict"] for r in rows] == [
        *("accepted", "wrong_answer", "accepted", "compile_error"),
    ]
    assert [r["problem_id"] for r in rows] == ["a", "a", "f", "a"]
    assert set(rows[0]) >= {"problem_id", "solution_id", "passed", "verdict", "tests"}
    assert set(rows[0]["tests"][0]) >= {"verdict", "seconds", "memory_mb", "matched_by", "detail"}

    solutions.write_text('{"problem_id": "zzz", "code": ""}\n')
    bad = microcoder("judge", "--problems", problems, "--solutions", solutions, "--out", out)
    assert bad.returncode == 1
    assert "s.jsonl: line 1: field 'problem_id': 'zzz' is not in the problems file" in bad.stderr


def test_report_of_something_else(tmp_path: Path) -> None:
    out = microcoder("report", tmp_path)
    assert out.returncode == 1
    assert "is this a run folder?" in out.stderr


def test_doctor_runs() -> None:
    out = microcoder("doctor")
    assert "sandbox" in out.stdout
    assert "Traceback" not in out.stderr


def test_outputs_never_destroy_what_is_not_theirs(small: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "diary.txt").write_text("mine")
    package = REPO / "examples" / "problems" / "doubled"
    rows = tmp_path / "rows.jsonl"
    rows.write_text((REPO / "examples" / "problems.jsonl").read_text())

    foreign = microcoder("import", rows, "--source", "jsonl", "--out", home)
    assert (foreign.returncode, "holds other files" in foreign.stderr) == (2, True)
    assert (home / "diary.txt").read_text() == "mine"

    copy = tmp_path / "copy"
    subprocess.run(["cp", "-r", package, copy], check=True)
    for out in (copy, copy / "data"):
        inside = microcoder("import", copy, "--source", "problem_package", "--out", out)
        assert (inside.returncode, "overlap" in inside.stderr) == (2, True)
    assert (copy / "problem.yaml").exists()

    shards = tmp_path / "shards"
    assert microcoder("import", rows, "--source", "jsonl", "--out", shards).returncode == 0
    before = (shards / "manifest.json").read_bytes()
    same = microcoder("dedup", "--input", shards, "--out", shards)
    assert (same.returncode, "overlap" in same.stderr) == (2, True)
    assert (shards / "manifest.json").read_bytes() == before

    a_file = microcoder("import", rows, "--source", "jsonl", "--out", rows)
    assert a_file.returncode == 2
    here = microcoder("import", rows, "--source", "jsonl", "--out", ".", cwd=tmp_path)
    assert here.returncode == 2
    run = microcoder("build", "--config", small, "--run", rows)
    assert (run.returncode, "can't be made" in run.stderr) == (2, True)
    assert rows.read_text() == (REPO / "examples" / "problems.jsonl").read_text()


def test_judge_output_is_checked_before_any_work(tmp_path: Path) -> None:
    problems, solutions = tmp_path / "p.jsonl", tmp_path / "s.jsonl"
    problems.write_text('{"id": "a", "tests": [{"input": "", "output": "1"}]}\n')
    solutions.write_text('{"problem_id": "a", "code": "print(1)"}\n')
    for out, status in ((solutions, 2), (tmp_path, 1), ("/dev/full", 1), (problems / "x", 1)):
        done = microcoder("judge", "--problems", problems, "--solutions", solutions, "--out", out)
        assert done.returncode == status, (out, done.stderr)
        assert "Traceback" not in done.stderr
    assert Path("/dev/full").is_char_device()
    assert "print(1)" in solutions.read_text()

    # a link is written through, not replaced
    target, link = tmp_path / "target.jsonl", tmp_path / "link.jsonl"
    link.symlink_to(target)
    done = microcoder("judge", "--problems", problems, "--solutions", solutions, "--out", link)
    assert done.returncode == 0, done.stderr
    assert link.is_symlink()
    assert json.loads(target.read_text())["passed"] is True

    solutions.write_text("[" * 100_000 + "\n")
    deep = microcoder("judge", "--problems", problems, "--solutions", solutions, "--out", link)
    assert (deep.returncode, "s.jsonl: line 1: JSON nested" in deep.stderr) == (1, True)
