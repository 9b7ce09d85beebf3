"""The funnel by source, and one problem's path, from real stage folders."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pipelines.config import StageConfig
from pipelines.funnel import SourceFunnel, funnel_by_source
from pipelines.problem import Dropped, Probe, Problem, TestCase, drop
from pipelines.publish import CardFacts, PublishConfig, publish
from pipelines.shards import Shards
from pipelines.stage import Decision, StageContext, run_rows, run_stage
from pipelines.trace import UnknownProblemError, trace

MICROCODER = Path(sys.executable).with_name("microcoder")


def _problem(name: str, tests: int, **facts: object) -> Problem:
    cases = tuple(TestCase(f"{i}\n", f"{i}\n", "hidden") for i in range(tests))
    return replace(Problem(name, title=name, statement="Echo.\nOld.", tests=cases), **facts)  # type: ignore[arg-type]


ROWS: list[Decision] = [
    _problem("cf/1", 1, rating=1250.0, released_at=dt.date(2024, 1, 2)),
    _problem("cf/2", 5, rating=800.0, released_at=dt.date(2023, 1, 2)),
    *(_problem(f"cf/copy{i}", 2, level="Hard") for i in range(4)),
    _problem("own/x|y", 3),
    Dropped("own/bad", "crawl", "no_tests", {"file": "a|b\n`c`"}, raw=b"?"),
]
PROBE = Probe("m", 8, 2, 0.25, 0.07, 0.59, 10.0, 0.6, 32, 1)


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    config = StageConfig()

    def crawl(ctx: StageContext) -> Iterator[Decision]:
        yield from ROWS

    def dedup(rows: Shards, ctx: StageContext) -> Iterator[Decision]:
        for p in rows:
            copy = p.id.startswith("cf/copy")
            yield drop(p, "dedup", "duplicate", of="cf/1", kind="near") if copy else p

    def probe(rows: Shards, ctx: StageContext) -> Iterator[Decision]:
        for p in rows:
            if p.id == "cf/2":
                yield drop(p, "probe", "unsolved", passed=0)
            else:
                new = {"statement": "Echo.\nNew.", "flags": ("seen",), "probes": (PROBE,)}
                yield replace(p, tests=p.tests[:1], **new)  # type: ignore[arg-type]

    one, two, three = (tmp_path / n for n in ("01-crawl", "02-dedup", "03-probe"))
    run_rows("crawl", one, config, crawl, inputs="x", n_in=None, rooms=())
    run_stage("dedup", [one], two, config, dedup, rooms=())
    run_stage("probe", [two], three, config, probe, rooms=())
    return [one, two, three]


def _by_name(folders: list[Path]) -> dict[str, SourceFunnel]:
    return {s.source: s for s in funnel_by_source(folders)}


def test_every_row_is_accounted_for(folders: list[Path]) -> None:
    sources = _by_name(folders)
    assert {n: (s.rows, s.kept, s.lost("dedup")) for n, s in sources.items()} == {
        "cf": (6, 1, 4),
        "own": (2, 1, 0),
    }
    cf = sources["cf"]
    assert [(x.stage, x.reason, x.count) for x in cf.losses] == [
        ("dedup", "duplicate", 4),
        ("probe", "unsolved", 1),
    ]
    # three examples, the first ones, with their evidence
    assert cf.losses[0].examples == tuple((f"cf/copy{i}", "kind near, of cf/1") for i in range(3))
    assert [(x.stage, x.reason) for x in sources["own"].losses] == [("crawl", "no_tests")]


def test_shapes_before_and_after(folders: list[Path]) -> None:
    cf = _by_name(folders)["cf"]
    assert cf.before.tests_text == "2 (1 to 5)"
    assert cf.after.tests_text == "1 (1 to 1)"
    assert cf.before.levels_text == "0800-1199 1, 1200-1599 1, Hard 4"
    assert cf.after.levels_text == "1200-1599 1"
    assert cf.before.dates_text == "2023-01-02 to 2024-01-02, 4 undated"
    assert _by_name(folders)["own"].after.dates_text == ""


def test_the_path_of_one_problem(folders: list[Path]) -> None:
    steps = trace(folders, "cf/1")
    assert [(s.folder, s.outcome, s.id) for s in steps] == [
        ("01-crawl", "kept", "cf/1"),
        ("02-dedup", "kept", "cf/1"),
        *(("02-dedup", "merged", f"cf/copy{i}") for i in range(4)),
        ("03-probe", "kept", "cf/1"),
    ]
    assert steps[1].changes == ()
    assert steps[-1].changes == (
        "statement: 10 -> 10 characters",
        "  -Old.",
        "  +New.",
        "flags: + seen",
        "probe by m: 2 of 8 passed (0.07 to 0.59), 1 truncated",
    )
    dropped = trace(folders, "cf/copy2")
    assert [(s.outcome, s.reason) for s in dropped] == [("kept", ""), ("dropped", "duplicate")]
    assert dropped[-1].evidence == {"of": "cf/1", "kind": "near"}
    assert [s.outcome for s in trace(folders, "own/bad")] == ["dropped"]


def test_an_unknown_id_names_its_neighbours(folders: list[Path]) -> None:
    with pytest.raises(UnknownProblemError, match=r"8 ids known.*cf/copy0, cf/copy1"):
        trace(folders, "copy")


def test_the_card_escapes_what_rows_say(folders: list[Path], tmp_path: Path) -> None:
    facts = CardFacts(sources=funnel_by_source(folders))
    publish([folders[-1]], tmp_path / "dataset", PublishConfig(), facts)
    card = (tmp_path / "dataset" / "README.md").read_text()
    assert "| own | crawl | no_tests | 1 | own/bad (file a\\|b \\`c\\`) |" in card
    assert "| cf | 6 | 1 | 0 | 4 | 2 (1 to 5) | 1 (1 to 1) |" in card


def test_the_command(folders: list[Path]) -> None:
    run = folders[0].parent
    (run / "funnel.json").write_text(json.dumps([{"out": f.name} for f in folders]))

    def inspect(*args: object) -> subprocess.CompletedProcess[str]:
        command = [MICROCODER, "inspect", *map(str, args)]
        return subprocess.run(command, capture_output=True, text=True)

    shown = inspect(run, "cf/copy1").stdout
    assert "02-dedup: dropped duplicate" in shown
    assert "of cf/1" in shown
    steps = json.loads(inspect(run, "cf/1", "--json").stdout)
    assert steps[-1]["changes"][-1].startswith("probe by m: 2 of 8")
    assert len(json.loads(inspect(folders[1], "cf/2", "--json").stdout)) == 1
    assert inspect(run, "nope").returncode == 1
    assert inspect(run.parent, "nope").returncode == 2
