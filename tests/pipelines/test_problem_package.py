"""Kattis/ICPC packages: both layouts, folders and zips, and every refusal."""

from __future__ import annotations

import os
import random
import stat
import struct
import tracemalloc
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pipelines.problem import Checker, Dropped, Problem, TestCase
from pipelines.sources import SourceError, package_files
from pipelines.sources.problem_package import read

Files = dict[str, str | bytes]
LEGACY: Files = {
    "problem.yaml": "name: Sum\nlicense: cc by-sa\nkeywords: maths sums\nlimits:\n  memory: 256\n",
    ".timelimit": "3\n",
    "problem_statement/problem.en.tex": "\\problemname{Tex {Sum}}\n\nAdd $a$ and $b$.\n",
    "problem_statement/problem.sv.tex": "\\problemname{Summa}\nAddera.\n",
    "data/sample/1.in": "1 2\n",
    "data/sample/1.ans": "3\n",
    "data/secret/10.in": "4 5\n",
    "data/secret/10.ans": "9\n",
    "data/secret/2.in": "2 2\r\n",
    "data/secret/2.ans": "4\r\n",
    "data/secret/group1/1.in": "0 0\n",
    "data/secret/group1/1.ans": "0\n",
    "data/secret/1.desc": "ignored",
    "submissions/accepted/a.py": "print(sum(map(int, input().split())))\n",
    "submissions/accepted/a.cpp": "int main() {}\n",
    "submissions/time_limit_exceeded/t.py": "while True: pass\n",
    "submissions/run_time_error/r.py": "1/0\n",
    "submissions/wrong_answer/w.py": "print(0)\n",
    "submissions/memory_limit_exceeded/m.py": "x = 'a' * 10**11\n",
    "submissions/rejected/j.py": "print()\n",
    "submissions/slow/s.py": "pass\n",
}
DRAFT: Files = {
    "problem.yaml": (
        "problem_format_version: 2023-07-draft\ntype: pass-fail\n"
        "name:\n  sv: Summa\n  en: Sum\nlicense: cc0\nkeywords: [maths, two words]\n"
        "limits:\n  time_limit: 1.5\n  memory: 512\n"
    ),
    "statement/problem.en.md": "Add them.\n",
    "statement/problem.en.tex": "no\n",
    "data/secret/1.in": "1 2\n",
    "data/secret/1.ans": "3\n",
    "microcoder.yaml": "difficulty: easy\nstyle: stdin\n",
}


def folder(path: Path, files: Files) -> Path:
    for name, content in files.items():
        file = path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    path.mkdir(exist_ok=True)
    return path


def zipped(path: Path, files: Files, prefix: str = "") -> Path:
    names = list(files)
    random.Random(7).shuffle(names)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(prefix + name, files[name])
    return path


def one(path: Path) -> Any:
    (row,) = read(path)
    return row


def test_legacy_package(tmp_path: Path) -> None:
    p = one(folder(tmp_path / "sum", LEGACY))
    assert isinstance(p, Problem)
    assert (p.id, p.title, p.licence, p.url) == ("package/sum", "Sum", "cc by-sa", "")
    assert p.statement == "Add $a$ and $b$.\n"
    assert (p.time_limit_s, p.memory_limit_mb, p.tags) == (3.0, 256, ("maths", "sums"))
    assert p.tests == (
        TestCase("1 2\n", "3\n", "sample", "sample/1"),
        TestCase("2 2\r\n", "4\r\n", "hidden", "secret/2"),
        TestCase("4 5\n", "9\n", "hidden", "secret/10"),
        TestCase("0 0\n", "0\n", "hidden", "secret/group1/1"),
    )
    assert {s.origin: s.expected for s in p.solutions} == {
        "submissions/accepted/a.py": "accepted",
        "submissions/memory_limit_exceeded/m.py": "memory_limit",
        "submissions/rejected/j.py": "rejected",
        "submissions/run_time_error/r.py": "runtime_error",
        "submissions/time_limit_exceeded/t.py": "time_limit",
        "submissions/wrong_answer/w.py": "wrong_answer",
    }
    assert p.checker == Checker()
    assert p.flags == ()
    assert p.provenance.origin == str(tmp_path / "sum")
    assert p.provenance.parser == "problem_package/1"


@pytest.mark.parametrize("version", ["2023-07-draft", "2025-09"])
def test_new_layouts(tmp_path: Path, version: str) -> None:
    yaml = str(DRAFT["problem.yaml"]).replace("2023-07-draft", version)
    p = one(folder(tmp_path / "sum", {**DRAFT, "problem.yaml": yaml}))
    assert isinstance(p, Problem)
    assert (p.title, p.statement, p.level) == ("Sum", "Add them.\n", "easy")
    assert (p.time_limit_s, p.memory_limit_mb) == (1.5, 512)
    assert p.tags == ("maths", "two words")


@pytest.mark.parametrize("prefix", ["", "sum/"])
@pytest.mark.parametrize("files", [LEGACY, DRAFT])
def test_a_zip_is_the_same_problem(tmp_path: Path, files: Files, prefix: str) -> None:
    a = one(folder(tmp_path / "sum", files))
    b = one(zipped(tmp_path / "sum.zip", files, prefix))
    assert a.provenance.sha256 == b.provenance.sha256
    assert a.to_row() | {"provenance": None} == b.to_row() | {"provenance": None}
    assert sorted(p.name for p in tmp_path.iterdir()) == ["sum", "sum.zip"]  # nothing unpacked


def test_the_hash_covers_names_and_bytes(tmp_path: Path) -> None:
    first = one(folder(tmp_path / "a", DRAFT)).provenance.sha256
    other = one(folder(tmp_path / "b", {**DRAFT, "notes.txt": ""})).provenance.sha256
    cached = {**DRAFT, "output/__pycache__/x.pyc": b"\0"}
    assert other != first
    assert one(folder(tmp_path / "c", cached)).provenance.sha256 == first


def test_a_folder_of_packages(tmp_path: Path) -> None:
    folder(tmp_path / "b", DRAFT)
    folder(tmp_path / "a" / "x" / "y", DRAFT)
    folder(tmp_path / "a" / "x" / "z" / "too-deep", DRAFT)
    folder(tmp_path / ".hidden", DRAFT)
    folder(tmp_path / "b2" / "data" / "sample", {"1.in": ""})
    zipped(tmp_path / "c.zip", DRAFT)
    folder(tmp_path, {"README.md": "x", "check.py": "x"})
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "out").symlink_to("/")
    rows = list(read(tmp_path))
    assert [r.id for r in rows] == [f"package/{n}" for n in ("a-x-y", "b", "b2", "c")]
    assert [r.reason for r in rows if isinstance(r, Dropped)] == ["no_problem_yaml"]


def test_two_packages_of_one_name(tmp_path: Path) -> None:
    folder(tmp_path / "a", DRAFT)
    zipped(tmp_path / "a.zip", DRAFT)
    first, second = read(tmp_path)
    assert isinstance(first, Problem)
    assert isinstance(second, Dropped)
    assert second.reason == "bad_package"


def test_other_files_are_no_source(tmp_path: Path) -> None:
    folder(tmp_path, {"problem.txt": ""})
    with pytest.raises(SourceError, match="package folder"):
        list(read(tmp_path / "problem.txt"))


def test_an_only_other_language_is_flagged(tmp_path: Path) -> None:
    files = {k: v for k, v in LEGACY.items() if ".en." not in k}
    p = one(folder(tmp_path / "p", files))
    assert p.statement == "Addera.\n"
    assert p.flags == ("not_english",)
    named = {**files, "problem.yaml": "license: cc0\n"}
    assert one(folder(tmp_path / "q", named)).title == "Summa"


def test_time_limit_of_domjudge_and_function_style(tmp_path: Path) -> None:
    files = {
        **DRAFT,
        "problem.yaml": "name: x\n",
        "domjudge-problem.ini": "short-name = x\ntimelimit='2.5'\n",
        "microcoder.yaml": "style: function\nfn_name: add\nstarter_code: |\n  def add(a, b):\n",
    }
    p = one(folder(tmp_path / "p", files))
    assert (p.time_limit_s, p.fn_name, p.starter_code) == (2.5, "add", "def add(a, b):\n")
    assert p.licence == "unknown"


def both(a: float, b: float) -> Checker:
    return Checker("float", (("abs_tol", a), ("rel_tol", b)))


@pytest.mark.parametrize(
    ("files", "checker"),
    [
        ({"data/testdata.yaml": "output_validator_flags: float_tolerance 1e-6"}, both(1e-6, 1e-6)),
        ({"data/test_group.yaml": 'output_validator_args: [float_tolerance, "1E-6"]'},
         both(1e-6, 1e-6)),
        ({"data/test_group.yaml": "output_validator_args: [float_tolerance, 0.5]"}, both(0.5, 0.5)),
        ({"data/secret/testdata.yaml": "validator_flags: float_absolute_tolerance 1e-4"},
         Checker("float", (("abs_tol", 1e-4),))),
        ({"data/secret/1.yaml": "output_validator_args: [float_relative_tolerance, 0]"},
         Checker("float", (("rel_tol", 0.0),))),
        ({"problem.yaml": "validator_flags: float_absolute_tolerance 1e-3 "
          "float_relative_tolerance 1e-4 case_sensitive"}, both(1e-3, 1e-4)),
        ({"problem.yaml": "validator_flags: float_tolerance 1",
          "data/secret/testdata.yaml": "validator_flags: case_sensitive"}, Checker("tokens")),
        ({"data/sample/testdata.yaml": "validator_flags: case_sensitive"}, Checker()),
        ({"problem.yaml": "validation: default", "output_validators/v.cpp": ""}, Checker()),
        ({"output_validator/v.py": "exit(42)"}, Checker("program", (), "exit(42)")),
        ({"problem.yaml": "validation: custom", "output_validators/v/v.py": "exit(43)"},
         Checker("program", (), "exit(43)")),
    ],
)  # fmt: skip
def test_checkers(tmp_path: Path, files: Files, checker: Checker) -> None:
    for path in (folder(tmp_path / "p", DRAFT | files), zipped(tmp_path / "p.zip", DRAFT | files)):
        assert one(path).checker == checker


def test_space_change_sensitive_is_flagged(tmp_path: Path) -> None:
    files = DRAFT | {"data/testdata.yaml": "validator_flags: space_change_sensitive"}
    p = one(folder(tmp_path / "p", files))
    assert p.flags == ("space_change_sensitive",)


BOMB = "a: &a [x]\n" + "".join(f"k{i}: &k{i} [*a, *a]\n" for i in range(20))
REFUSED: list[tuple[Files, str, str]] = [
    ({"problem.yaml": "name: [x"}, "bad_yaml", "problem.yaml: not YAML"),
    ({"problem.yaml": "- x"}, "bad_yaml", "expected a mapping"),
    ({"problem.yaml": "name: !!python/object/apply:os.system [x]"}, "bad_yaml", "not YAML"),
    ({"problem.yaml": "name: {en: 3}"}, "bad_yaml", "'name'"),
    ({"problem.yaml": "license: [a]"}, "bad_yaml", "'license'"),
    ({"problem.yaml": "keywords: {a: b}"}, "bad_yaml", "'keywords'"),
    ({"problem.yaml": "type: quiz"}, "bad_yaml", "one of pass-fail"),
    ({"problem.yaml": "limits: 3"}, "bad_yaml", "'limits'"),
    ({"problem.yaml": "limits: {time_limit: 0}"}, "bad_yaml", "'limits.time_limit'"),
    ({"problem.yaml": "limits: {time_limit: .inf}"}, "bad_yaml", "a positive number"),
    ({"problem.yaml": "limits: {memory: true}"}, "bad_yaml", "'limits.memory'"),
    ({"problem.yaml": "limits: {memory: 1.5}"}, "bad_yaml", "whole number"),
    ({"problem.yaml": "name: x", ".timelimit": "soon"}, "bad_yaml", ".timelimit"),
    ({"problem.yaml": BOMB}, "bad_yaml", "aliases"),
    ({"problem.yaml": "x: " + "a" * 2**18}, "bad_yaml", "bytes"),
    ({"problem.yaml": "[" * 5000}, "bad_yaml", "levels in one another"),
    ({"problem.yaml": "- " * 5000}, "bad_yaml", "levels in one another"),
    ({"problem.yaml": "x: [a"}, "bad_yaml", "not YAML"),
    ({"microcoder.yaml": "difficultly: easy"}, "bad_yaml", "key 'difficultly' is unknown"),
    ({"microcoder.yaml": "style: graphic"}, "bad_yaml", "stdin or function"),
    ({"microcoder.yaml": "style: function"}, "bad_yaml", "'fn_name'"),
    ({"microcoder.yaml": "fn_name: f"}, "bad_yaml", "'fn_name'"),
    ({"microcoder.yaml": "style: function\nfn_name: a b"}, "bad_yaml", "a Python name"),
    ({"microcoder.yaml": "difficulty: 3"}, "bad_yaml", "'difficulty'"),
    ({"data/testdata.yaml": "validator_flags: {a: 1}"}, "bad_yaml", "data/testdata.yaml"),
    ({"data/testdata.yaml": "validator_flags: float_tolerance x"}, "bad_yaml", "float_tolerance"),
    ({"data/testdata.yaml": "validator_flags: float_tolerance"}, "bad_yaml", "float_tolerance"),
    ({"data/testdata.yaml": "validator_flags: float_tolerance -1"}, "bad_yaml", "0 or more"),
    ({"problem.yaml": "type: interactive"}, "interactive", "interactive"),
    ({"problem.yaml": "type: [pass-fail, multi-pass]"}, "interactive", "multi-pass"),
    ({"problem.yaml": "validation: custom interactive"}, "interactive", "interactive"),
    ({"problem.yaml": "type: interactive", "data/secret/2.in": "x"}, "interactive", "interactive"),
    ({"problem.yaml": "type: submit-answer"}, "bad_package", "submit-answer"),
    ({"problem.yaml": "validation: custom"}, "unsupported_checker", "no validator"),
    ({"output_validator/v.cpp": ""}, "unsupported_checker", "v.cpp"),
    ({"output_validators/v/a.py": "", "output_validators/v/b.py": ""}, "unsupported_checker",
     "not one Python file"),
    ({"output_validator/v.py": "", "data/testdata.yaml": "validator_flags: x"},
     "unsupported_checker", "wants flags"),
    ({"data/testdata.yaml": "validator_flags: fuzzy"}, "unsupported_checker", "'fuzzy'"),
    ({"data/secret/g/1.in": "", "data/secret/g/1.ans": "",
      "data/secret/g/testdata.yaml": "validator_flags: case_sensitive"},
     "unsupported_checker", "different validator flags"),
    ({"data/secret/7.in": "x"}, "missing_answer", "data/secret/7.in"),
    ({"data/secret/1.in": b"\xff"}, "invalid_utf8", "data/secret/1.in"),
    ({"data/secret/1.ans": b"1\xff"}, "invalid_utf8", "data/secret/1.ans"),
    ({"problem.yaml": b"name: \xe9"}, "invalid_utf8", "problem.yaml"),
    ({"statement/problem.en.md": b"\xe9"}, "invalid_utf8", "statement/problem.en.md"),
    ({"submissions/accepted/a.py": b"# \xe9"}, "invalid_utf8", "submissions/accepted/a.py"),
]  # fmt: skip


@pytest.mark.parametrize("kind", ["folder", "zip"])
@pytest.mark.parametrize(("files", "reason", "says"), REFUSED)
def test_refusals(tmp_path: Path, files: Files, reason: str, says: str, kind: str) -> None:
    make = folder if kind == "folder" else zipped
    path = make(tmp_path / ("p" if kind == "folder" else "p.zip"), {**DRAFT, **files})
    row = one(path)
    assert isinstance(row, Dropped)
    assert (row.id, row.stage, row.reason) == ("package/p", "import", reason)
    assert says in row.evidence["error"]
    assert row.evidence["file"] == str(path)
    assert row.evidence["remedy"]


@pytest.mark.parametrize("layout", [LEGACY, DRAFT])
@pytest.mark.parametrize("make", [folder, zipped])
def test_missing_parts(tmp_path: Path, layout: Files, make: Any) -> None:
    bare = {k: v for k, v in layout.items() if not k.startswith("data/")}
    row = one(make(tmp_path / "none.zip", bare))
    assert row.reason == "no_tests"
    assert row.problem.title == "Sum"
    del bare["problem.yaml"]
    assert one(make(tmp_path / "no_yaml.zip", bare)).reason == "no_problem_yaml"


def test_damaged_zips(tmp_path: Path) -> None:
    good = zipped(tmp_path / "good.zip", LEGACY).read_bytes()
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "cut.zip").write_bytes(good[: len(good) // 2])
    (tmp_path / "bad" / "empty.zip").write_bytes(b"")
    middle = bytearray(good)
    middle[40:200] = bytes(160)
    (tmp_path / "bad" / "middle.zip").write_bytes(middle)
    rows = [r for r in read(tmp_path / "bad") if isinstance(r, Dropped)]
    assert [r.reason for r in rows] == ["broken_file"] * 3
    rng = random.Random(3)
    for _ in range(200):  # whatever the damage, a row and no exception
        damaged = bytearray(good)
        for _ in range(5):
            damaged[rng.randrange(len(good))] = rng.randrange(256)
        (tmp_path / "damaged.zip").write_bytes(damaged)
        assert len(list(read(tmp_path / "damaged.zip"))) == 1


def test_zips_stay_in_memory_and_in_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    climbing = zipped(tmp_path / "a.zip", {**DRAFT, "../../evil.py": "x"})
    assert isinstance(one(climbing), Problem)
    assert not (tmp_path.parent.parent / "evil.py").exists()
    two = zipped(tmp_path / "two.zip", {f"{d}/{n}": c for n, c in DRAFT.items() for d in "ab"})
    assert one(two).reason == "bad_package"
    monkeypatch.setattr(package_files, "MAX_BYTES", 1000)
    big = {**DRAFT, "data/secret/1.in": "1" * 2000}
    for path in (zipped(tmp_path / "big.zip", big), folder(tmp_path / "big", big)):
        row = one(path)
        assert row.reason == "bad_package"
        assert "over 1000" in row.evidence["error"]


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_that_is_not_deflated_is_refused(tmp_path: Path, method: int) -> None:
    with zipfile.ZipFile(tmp_path / "p.zip", "w", method) as archive:
        for name, content in DRAFT.items():
            archive.writestr(name, content)
    row = one(tmp_path / "p.zip")
    assert row.reason == "bad_package"
    assert "deflate" in row.evidence["error"]


def test_a_zip_that_lies_about_its_size(tmp_path: Path) -> None:
    size = 2**26
    path = tmp_path / "p.zip"
    zipped(path, {**DRAFT, "data/secret/1.in": b"1" * size})
    assert len(one(path).tests[0].input) == size
    raw = path.read_bytes()
    assert raw.count(struct.pack("<I", size)) == 2
    path.write_bytes(raw.replace(struct.pack("<I", size), struct.pack("<I", 10)))
    tracemalloc.start()
    row = one(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert row.reason == "broken_file"
    assert peak < size / 2


def test_a_zip_with_links(tmp_path: Path) -> None:
    for name, reason in (("data/secret/2.in", "bad_package"), ("notes/x", None)):
        path = zipped(tmp_path / "p.zip", DRAFT, "p/")
        link = zipfile.ZipInfo(f"p/{name}")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        with zipfile.ZipFile(path, "a") as archive:
            archive.writestr(link, "/etc/hostname")
        assert getattr(one(path), "reason", None) == reason


def test_an_unreadable_folder_costs_itself_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "z"):
        folder(tmp_path / name, DRAFT)
    folder(tmp_path / "locked" / "in", DRAFT)
    scandir, iterdir = os.scandir, Path.iterdir

    def denied(path: Any) -> Any:  # the tests may run as root, whom no mode keeps out
        if Path(path).name == "locked":
            raise PermissionError(13, "Permission denied", str(path))
        return path

    monkeypatch.setattr(os, "scandir", lambda p=".": scandir(denied(p)))
    monkeypatch.setattr(Path, "iterdir", lambda p: iterdir(denied(p)))
    a, locked, z = read(tmp_path)
    assert isinstance(a, Problem)
    assert isinstance(z, Problem)
    assert (locked.id, locked.reason) == ("package/locked", "bad_package")  # type: ignore[union-attr]
    assert "Permission denied" in locked.evidence["error"]  # type: ignore[union-attr]


def test_links(tmp_path: Path) -> None:
    package = folder(tmp_path / "p", DRAFT)
    outside = folder(tmp_path / "outside", {"2.in": "secret", "2.ans": "secret", "x.py": "secret"})
    (package / "submissions").symlink_to(outside)
    (package / "notes.txt").symlink_to(outside / "2.in")
    (package / "data/secret/4.in").symlink_to("1.in")
    (package / "data/secret/4.ans").symlink_to("1.ans")
    p = one(package)
    assert [t.name for t in p.tests] == ["secret/1", "secret/4"]
    assert p.solutions == ()
    without = p.provenance.sha256
    (outside / "2.in").write_text("changed")
    assert one(package).provenance.sha256 == without


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("data/secret/2.in", "../../../outside/2.in"),
        ("data/secret/group", "../../../outside"),
        ("data/secret/round", "round"),
        ("data/sample", "secret"),
        ("output_validator", "../outside"),
        ("output_validators/v.py", "../../outside/v.py"),
        ("microcoder.yaml", "nowhere"),
    ],
)
def test_a_link_that_verdicts_depend_on_is_refused(tmp_path: Path, name: str, target: str) -> None:
    package = folder(tmp_path / "p", {k: v for k, v in DRAFT.items() if k != "microcoder.yaml"})
    folder(tmp_path / "outside", {"2.in": "secret", "2.ans": "secret", "v.py": "exit(42)"})
    (package / name).parent.mkdir(exist_ok=True)
    (package / name).symlink_to(target)
    row = one(package)
    assert row.reason == "bad_package"
    assert name in row.evidence["error"]


def test_a_pipe_is_not_opened(tmp_path: Path) -> None:
    package = folder(tmp_path / "p", DRAFT)
    os.mkfifo(package / "pipe")
    assert isinstance(one(package), Problem)
    os.mkfifo(package / "data/secret/3.in")
    assert one(package).reason == "bad_package"


def test_the_example_packages_import() -> None:
    rows = list(read(Path(__file__).resolve().parents[2] / "examples" / "problems"))
    assert len(rows) >= 40
    for p in rows:
        assert isinstance(p, Problem), p
        assert p.title
        assert p.statement
        assert p.level in ("trivial", "easy", "medium", "hard")
        assert {"accepted", "wrong_answer"} <= {s.expected for s in p.solutions}
    assert sum(bool(p.fn_name) for p in rows if isinstance(p, Problem)) == 14


def test_real_packages(shared_data: Path) -> None:
    rows = list(read(shared_data / "problem_packages"))
    refused = {r.id: r.reason for r in rows if isinstance(r, Dropped)}
    assert refused == {
        "package/bapctools-boolfind": "interactive",
        "package/bapctools-divsort": "no_tests",
        "package/kattis_examples-different": "unsupported_checker",
        "package/kattis_examples-guess": "interactive",
    }
    tests = Counter({p.id: len(p.tests) for p in rows if isinstance(p, Problem)})
    assert tests == {
        "package/bapctools-different": 3,
        "package/bapctools-fltcmp": 3,
        "package/bapctools-hello": 1,
        "package/bapctools-identity": 5,
        "package/kattis_examples-hello": 1,
        "package/kattis_examples-oddecho": 18,
    }
