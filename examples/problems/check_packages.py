"""Checks the example packages: `python examples/problems/check_packages.py [NAME ...]`.

For every package: the files are there; the generator reproduces data/secret byte for byte;
accepted solutions pass every test within the time limit (CPU time), wrong_answer ones fail some
test, time_limit_exceeded ones exceed the limit on some test; an output validator refuses garbage.
It runs this repository's programs without a sandbox: never use it on a stranger's package.
"""

import contextlib
import itertools
import json
import math
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
#: Calls the function of a function-style solution: argv is the solution and the function's name.
CALL = """
import json, sys
args = [json.loads(line) for line in sys.stdin if line.strip()]
module = {"__name__": "solution"}
exec(compile(open(sys.argv[1], encoding="utf-8").read(), sys.argv[1], "exec"), module)
print(json.dumps(module[sys.argv[2]](*args)))
"""
GARBAGE = [b"", b"\xff\xfe\x00[", b"[[[" * 5000, b"lorem ipsum", b"9" * 6000, b'{"a": [1]}']
ENV = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}


@dataclass(frozen=True)
class Package:
    """What is needed to judge a solution of one package."""

    time_limit: float
    fn_name: str | None
    validator: Path | None
    validator_args: list[str]


def load(path: Path) -> Package:
    """Reads the package's YAML files."""
    problem = yaml.safe_load((path / "problem.yaml").read_text("utf-8"))
    extra = yaml.safe_load((path / "microcoder.yaml").read_text("utf-8"))
    if problem["problem_format_version"] != "2023-07-draft":
        raise ValueError("problem_format_version is not 2023-07-draft")
    group = path / "data" / "test_group.yaml"
    options = yaml.safe_load(group.read_text("utf-8")) if group.exists() else {}
    args = options.get("output_validator_args", [])
    validator = path / "output_validator/validate.py"
    return Package(
        time_limit=float(problem["limits"]["time_limit"]),
        fn_name=extra["fn_name"] if extra["style"] == "function" else None,
        validator=validator if validator.exists() else None,
        validator_args=args.split() if isinstance(args, str) else [str(arg) for arg in args],
    )


def run(command: list[str], stdin: bytes, limit: float) -> tuple[int, bytes, float]:
    """Exit status, output and CPU seconds; the kernel stops it at twice the limit."""
    ceiling = math.ceil(2 * limit)
    before = os.times()
    try:
        done = subprocess.run(
            command,
            input=stdin,
            capture_output=True,
            env=ENV,
            timeout=20 * limit,  # wall clock, for a program that sleeps; a busy machine is fine
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (ceiling, ceiling)),
        )
    except subprocess.TimeoutExpired:
        return -1, b"", math.inf
    after = os.times()
    cpu = after.children_user + after.children_system
    return done.returncode, done.stdout, cpu - before.children_user - before.children_system


def close(got: str, expected: str, absolute: float, relative: float) -> bool:
    """Whether two tokens are equal, or numbers within one of the tolerances."""
    with contextlib.suppress(ValueError):
        error = abs(float(got) - float(expected))
        return error <= absolute or error <= relative * abs(float(expected))
    return got == expected


def same(package: Package, output: bytes, answer: bytes) -> bool:
    """The comparison of a package without a validator."""
    try:
        got, expected = output.decode("utf-8"), answer.decode("utf-8")
        flags = package.validator_args
        options = dict(itertools.pairwise(flags))
        tolerance = float(options.get("float_tolerance", 0))
        absolute = float(options.get("float_absolute_tolerance", tolerance))
        relative = float(options.get("float_relative_tolerance", tolerance))
        if absolute or relative:
            pairs = zip(got.split(), expected.split(), strict=True)
            return all(close(a, b, absolute, relative) for a, b in pairs)
        if package.fn_name:
            canonical = [json.dumps(json.loads(text), sort_keys=True) for text in (got, expected)]
            return canonical[0] == canonical[1]
    except ValueError:  # not UTF-8, not JSON, or another number of tokens
        return False
    return got.split() == expected.split()


def validate(package: Package, test: Path, output: bytes) -> int:
    """The exit status of the package's validator: 42 accepts, 43 refuses."""
    with tempfile.TemporaryDirectory() as feedback:
        files = [str(package.validator), str(test), str(test.with_suffix(".ans")), feedback + "/"]
        return run([sys.executable, *files, *package.validator_args], output, 30)[0]


def judge(package: Package, solution: Path, test: Path) -> tuple[str, float]:
    """The verdict (AC, WA, RE, TL) of a solution on one test, and its CPU seconds."""
    command = [sys.executable, str(solution)]
    if package.fn_name:
        command = [sys.executable, "-c", CALL, str(solution), package.fn_name]
    status, output, cpu = run(command, test.read_bytes(), package.time_limit)
    if cpu > package.time_limit:
        return "TL", cpu
    if status != 0:
        return "RE", cpu
    if package.validator:
        exit_status = validate(package, test, output)
        if exit_status not in (42, 43):
            raise RuntimeError(f"validator crashed on {solution.name}, {test.name}")
        return "AC" if exit_status == 42 else "WA", cpu
    right = same(package, output, test.with_suffix(".ans").read_bytes())
    return "AC" if right else "WA", cpu


def contents(folder: Path) -> dict[str, bytes]:
    """The files below a folder."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def regenerates(path: Path) -> bool:
    """Whether the generator, run in a copy of the package, writes the same data/secret."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(shutil.copytree(path, Path(scratch) / path.name))
        command = [sys.executable, "generators/gen.py"]
        subprocess.run(command, cwd=copy, env=ENV, check=True, timeout=120)
        return contents(copy / "data" / "secret") == contents(path / "data" / "secret")


def check(path: Path) -> tuple[list[str], str]:
    """The problems of a package, and a summary of it."""
    package = load(path)
    tests = [t for kind in ("sample", "secret") for t in sorted(path.glob(f"data/{kind}/*.in"))]
    secret = [test for test in tests if test.parent.name == "secret"]
    problems = [f"no answer for {t.name}" for t in tests if not t.with_suffix(".ans").exists()]
    if not (path / "statement/problem.en.md").exists():
        problems.append("no statement")
    if len(secret) < 10 or len(secret) == len(tests):
        problems.append("needs a sample and 10 secret tests")
    if not regenerates(path):
        problems.append("generators/gen.py does not reproduce data/secret")
    if package.validator:
        bad = [text for text in GARBAGE if validate(package, secret[0], text) != 43]
        problems += [f"the validator does not refuse {text[:20]!r}" for text in bad]
    summary = [f"ok {len(tests)} tests"]
    for kind, least in [("accepted", 2), ("wrong_answer", 1), ("time_limit_exceeded", 0)]:
        solutions = sorted((path / "submissions" / kind).glob("*.py"))
        if len(solutions) < least:
            problems.append(f"needs {least} {kind} solutions")
        for solution in solutions:
            verdicts, seconds = zip(*(judge(package, solution, t) for t in tests), strict=True)
            counts = Counter(verdicts)
            as_said = {"accepted": counts["AC"] == len(tests), "time_limit_exceeded": counts["TL"]}
            if not as_said.get(kind, counts["AC"] < len(tests)):
                problems.append(f"{kind}/{solution.name} gets {dict(counts)}")
            words = " ".join(f"{v}:{n}" for v, n in sorted(counts.items()))
            summary.append(f"{solution.stem} {words} {max(seconds):.2f}s")
    return problems, "; ".join(summary)


def main() -> int:
    names = sys.argv[1:] or sorted(p.parent.name for p in HERE.glob("*/problem.yaml"))
    failed = False
    for name in names:
        try:
            problems, summary = check(HERE / name)
        except Exception as e:
            problems, summary = [f"{type(e).__name__}: {e}"], ""
        failed |= bool(problems)
        print(f"{name}: {'FAIL ' + '; '.join(problems) if problems else summary}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
