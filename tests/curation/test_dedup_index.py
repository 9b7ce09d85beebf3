"""The index of earlier runs: extended, never computed again, and heeded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from curation_helpers import dropped, folder_bytes, kept, problem, prose

from curation import dedup_sign
from curation.dedup import DedupConfig, dedup
from pipelines.config import ConfigError
from pipelines.problem import Problem, TestCase
from pipelines.shards import ShardError, write_problems
from pipelines.stage import StageResult

BASE = prose(1, 150)
NEAR = BASE.replace("integer", "number", 1)


class Runs:
    """Runs of dedup that share an index; `signed`: rows that each had to sign."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.index, self.count = tmp_path, tmp_path / "index", 0
        self.signed: list[int] = []
        real = dedup_sign.sign_rows

        def counting(rows, facts, config):  # type: ignore[no-untyped-def]
            self.signed[-1] += len(rows)
            return real(rows, facts, config)

        monkeypatch.setattr(dedup_sign, "sign_rows", counting)

    def run(self, rows: list[Problem], **config: object) -> StageResult:
        self.count += 1
        self.signed.append(0)
        source = self.folder / f"in{self.count}"
        write_problems(rows, source)
        settings = DedupConfig.model_validate({"index": self.index, **config})
        return dedup([source], self.folder / f"out{self.count}", settings)


@pytest.fixture
def runs(tmp_path, monkeypatch) -> Runs:
    return Runs(tmp_path, monkeypatch)


OLD = [problem("a/1", BASE), problem("a/2", prose(2)), problem("b/2", prose(2))]


def test_new_rows_are_compared_with_those_kept_before(runs) -> None:
    first = runs.run(OLD)
    assert list(dropped(first.out)) == ["b/2"]
    many = tuple(TestCase(str(i), "x") for i in range(9))
    new = [
        problem("c/1", NEAR, tests=many),
        problem("c/2", prose(3)),
        problem("c/3", prose(3, 119)),
    ]
    second = runs.run(new)
    # a/1 was published already, so it stays although c/1 has more tests
    assert dropped(second.out)["c/1"][1]["of"] == "a/1"
    assert [p.id for p in kept(second.out)] == ["c/2", "c/3"]
    assert runs.signed == [3, 3]


def test_only_new_rows_are_signed_and_the_outcome_is_that_of_one_run(runs, tmp_path) -> None:
    runs.run(OLD)
    grown = [*OLD, problem("c/1", NEAR), problem("c/2", prose(4))]
    second = runs.run(grown)
    assert runs.signed == [3, 2]
    changed = [replace(OLD[0], statement=prose(5)), *grown[1:]]
    runs.run(changed)
    assert runs.signed == [3, 2, 1]
    write_problems(grown, tmp_path / "all")
    alone = dedup([tmp_path / "all"], tmp_path / "alone")
    assert kept(second.out) == kept(alone.out)
    assert dropped(second.out) == dropped(alone.out)


def test_a_row_dropped_before_is_no_reason_to_drop_its_original(runs) -> None:
    runs.run(OLD)
    runs.run([problem("z/1", prose(9))])
    third = runs.run(OLD)
    assert list(dropped(third.out)) == ["b/2"]
    assert runs.signed == [3, 1, 0]


def test_the_same_run_again_is_found_and_a_forgotten_one_gives_the_same_bytes(runs) -> None:
    rows = [*OLD, problem("c/1", NEAR)]
    write_problems(rows, runs.folder / "in")
    config = DedupConfig(index=runs.index)
    out = runs.folder / "out"
    runs.signed.append(0)
    dedup([runs.folder / "in"], out, config)
    before, index = folder_bytes(out), folder_bytes(runs.index)
    assert dedup([runs.folder / "in"], out, config).reused
    for path in sorted(out.rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    again = dedup([runs.folder / "in"], out, config)
    assert not again.reused
    assert folder_bytes(out) == before
    assert folder_bytes(runs.index) == index
    assert runs.signed == [4]


def test_an_index_of_another_config_is_refused(runs) -> None:
    runs.run(OLD)
    with pytest.raises(ConfigError, match="delete this one"):
        runs.run(OLD, seed=2)
    (runs.index / "notes").mkdir()
    with pytest.raises(ConfigError, match="notes is no generation"):
        runs.run(OLD)


def test_damage_in_the_index_is_named(runs) -> None:
    runs.run(OLD)
    (runs.index / "gen-00001" / "kept.parquet").write_bytes(b"PAR1")
    with pytest.raises(ShardError, match=r"kept\.parquet.*delete the index"):
        runs.run([problem("z/1", prose(9))])


def test_an_unfinished_generation_is_ignored(runs) -> None:
    runs.run(OLD)
    (runs.index / ".gen-00002").mkdir()
    (runs.index / ".gen-00002" / "000000.rows.parquet").write_bytes(b"half")
    assert runs.run([problem("z/1", prose(9))]).kept == 1
    assert sorted(p.name for p in runs.index.iterdir()) == ["gen-00001", "gen-00002"]
