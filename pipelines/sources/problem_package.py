"""Problem packages of Kattis, ICPC and DOMjudge: legacy, 2023-07-draft and 2025-09 layouts.

A package is a folder or a .zip with a problem.yaml. It is imported whole or refused whole: one
without some of its tests or its checker would judge wrong programs correct. The formats:
https://www.kattis.com/problem-package-format/

One difference on purpose. Kattis' default validator ignores case unless the flag case_sensitive
is there. Here a package without flags has the checker 'default', the evaluator's comparison,
which regards case except where all expected words are yes/no or true/false; `case_sensitive`
makes it 'tokens', a tolerance makes it 'float', and both regard case always. So a program that
prints `IMPOSSIBLE` for `Impossible` passes on Kattis and fails here. No checker compares white
space exactly; a package that wants that is flagged `space_change_sensitive`.
"""

from __future__ import annotations

import hashlib
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from pipelines.problem import (
    Checker,
    Dropped,
    Expected,
    Problem,
    ProblemError,
    Provenance,
    Solution,
    TestCase,
    decode_utf8,
)
from pipelines.sources import SourceError
from pipelines.sources.package_files import (
    Files,
    PackageError,
    find_packages,
    open_package,
    package_name,
)
from pipelines.sources.rows import refuse, with_tests
from pipelines.stage import Decision

PARSER = "problem_package/1"
#: Bounds of one YAML file: bytes, aliases (a few dozen can stand for gigabytes), and lists and
#: mappings in one another (PyYAML needs seconds for thousands).
MAX_YAML = 2**18
MAX_ALIASES = 20
MAX_NESTING = 50
_EXPECTED: dict[str, Expected] = {
    "accepted": "accepted",
    "wrong_answer": "wrong_answer",
    "time_limit_exceeded": "time_limit",
    "run_time_error": "runtime_error",
    "memory_limit_exceeded": "memory_limit",
    "output_limit_exceeded": "rejected",
    "rejected": "rejected",
}
_BAD_ZIP = (zipfile.BadZipFile, zlib.error, struct.error, OverflowError)
_REMEDIES = {
    "no_problem_yaml": "add problem.yaml, or give the folder that holds the packages",
    "bad_yaml": "correct the file named here and import again",
    "missing_answer": "add the .ans file, or remove the .in file",
    "unsupported_checker": "use an output validator that is one Python file without flags",
    "bad_package": "correct the package and import again",
    "broken_file": "make or fetch the zip again",
    "no_tests": "add pairs of .in and .ans files under data/sample or data/secret",
}
_OPENING = (
    yaml.BlockSequenceStartToken,
    yaml.BlockMappingStartToken,
    yaml.FlowSequenceStartToken,
    yaml.FlowMappingStartToken,
)
_CLOSING = (yaml.BlockEndToken, yaml.FlowSequenceEndToken, yaml.FlowMappingEndToken)
_FLAG_KEYS = ("output_validator_args", "output_validator_flags", "validator_flags")
_TOLERANCES = {
    "float_tolerance": ("abs_tol", "rel_tol"),
    "float_absolute_tolerance": ("abs_tol",),
    "float_relative_tolerance": ("rel_tol",),
}
_STATEMENT = re.compile(r"(?:problem_)?statement/problem(?:\.([A-Za-z]{2,3}(?:-\w+)?))?\.(md|tex)")
_TEX_NAME = re.compile(r"\\problemname\s*\{((?:[^{}]|\{[^{}]*\})*)\}[ \t]*\n?")
_INI_LIMIT = re.compile(r"^\s*timelimit\s*=\s*['\"]?([^'\"\s]+)", re.MULTILINE)


def read(path: Path | None) -> Iterator[Decision]:
    """Problems of one package (folder or .zip), or of all packages up to three folders down,
    sorted by path; e.g. `read(Path("examples/problems"))`."""
    assert path is not None  # the registry asks for one
    if path.is_file() and path.suffix.lower() != ".zip":
        raise SourceError(f"{path}: give a package folder, a .zip, or a folder of packages")
    seen: set[str] = set()
    for package in find_packages(path):
        name = package_name(package, path)
        if name in seen:
            error = f"another package in {path} is also called {name!r}"
            yield _refused(name, "bad_package", error, package)
            continue
        seen.add(name)
        yield _import(package, name)


def _import(package: Path, name: str) -> Decision:
    try:
        with open_package(package) as files:
            problem = _problem(files, name, str(package))
    except PackageError as e:
        return _refused(name, e.reason, str(e), package)
    except ProblemError as e:
        reason = "invalid_utf8" if "UTF-8" in str(e) else "bad_package"
        return _refused(name, reason, str(e), package)
    except (OSError, RuntimeError, ValueError, EOFError, LookupError, *_BAD_ZIP) as e:
        # RuntimeError: an encrypted zip
        reason = "broken_file" if package.is_file() else "bad_package"
        return _refused(name, reason, f"{type(e).__name__}: {e}", package)
    decision = with_tests(problem, package)
    if not isinstance(decision, Dropped):
        return decision
    refusal = _refused(name, "no_tests", "no .in file under data/sample or data/secret", package)
    return replace(refusal, problem=problem)


def _refused(name: str, reason: str, error: str, package: Path) -> Dropped:
    dropped = refuse("package", name, reason, error, package)
    remedy = _REMEDIES.get(reason, dropped.evidence["remedy"])
    return replace(dropped, evidence={**dropped.evidence, "package": name, "remedy": remedy})


def _problem(files: Files, name: str, origin: str) -> Problem:
    if "problem.yaml" not in files.names:
        raise PackageError("no_problem_yaml", "there is no problem.yaml")
    config = _yaml(files, "problem.yaml")
    types = _types(config)
    extra = _microcoder(files)
    title, statement, english = _statement(files)
    flags = [] if english else ["not_english"]
    if "scoring" in types:
        flags.append("scoring")
    pairs = _pairs(files)
    checker, exact_space = _checker(files, config, pairs)
    if exact_space:
        flags.append("space_change_sensitive")
    time_limit, memory = _limits(files, config)
    return Problem(
        id=f"package/{name}",
        title=_title(config) or title,
        statement=statement,
        starter_code=extra.get("starter_code", ""),
        fn_name=extra.get("fn_name"),
        tests=tuple(
            TestCase(
                files.text(f"{stem}.in"),
                files.text(f"{stem}.ans"),
                "sample" if stem.startswith("data/sample/") else "hidden",
                stem.removeprefix("data/"),
            )
            for stem in pairs
        ),
        checker=checker,
        time_limit_s=time_limit,
        memory_limit_mb=memory,
        level=extra.get("difficulty"),
        tags=_keywords(config),
        flags=tuple(flags),
        licence=_scalar(config, "license") or "unknown",
        provenance=Provenance(origin, None, _sha256(files), PARSER),
        solutions=_solutions(files),
    )


def _sha256(files: Files) -> str:
    digest = hashlib.sha256()
    for name in files.names:
        raw = files.get(name)
        digest.update(f"{name}\0{len(raw)}\0".encode("utf-8", "surrogateescape"))
        digest.update(raw)
    return digest.hexdigest()


def _yaml(files: Files, name: str) -> dict[str, Any]:
    """The mapping of a YAML file; an empty file is an empty mapping."""
    raw = files.get(name)
    if len(raw) > MAX_YAML:
        raise PackageError("bad_yaml", f"{name}: over {MAX_YAML} bytes")
    text = decode_utf8(raw, name)
    try:
        _check_yaml(text, name)
        data = yaml.safe_load(text)
    except PackageError:
        raise
    except (yaml.YAMLError, ValueError, RecursionError) as e:
        raise PackageError("bad_yaml", f"{name}: not YAML: {' '.join(str(e).split())}") from None
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise PackageError("bad_yaml", f"{name}: expected a mapping, found {type(data).__name__}")
    return data


def _check_yaml(text: str, name: str) -> None:
    aliases = depth = 0
    for token in yaml.scan(text, yaml.SafeLoader):
        aliases += isinstance(token, yaml.AliasToken)
        depth += isinstance(token, _OPENING) - isinstance(token, _CLOSING)
        if aliases > MAX_ALIASES:
            raise PackageError("bad_yaml", f"{name}: over {MAX_ALIASES} aliases; write them out")
        if depth > MAX_NESTING:
            raise PackageError("bad_yaml", f"{name}: over {MAX_NESTING} levels in one another")


def _bad(key: str, value: Any, allowed: str, file: str = "problem.yaml") -> PackageError:
    # a list or mapping is not shown: with YAML aliases, a small file can make an endless text
    shown = type(value).__name__ if isinstance(value, list | dict) else f"{str(value)[:60]!r}"
    return PackageError("bad_yaml", f"{file}: key {key!r}: {shown} is not {allowed}")


def _scalar(config: dict[str, Any], key: str) -> str:
    value = config.get(key)
    if value is None:
        return ""
    if isinstance(value, list | dict):
        raise _bad(key, value, "text")
    return str(value).strip()


def _words(config: dict[str, Any], key: str) -> list[str]:
    """A list of texts, or a text of words."""
    value = config.get(key)
    if value is None:
        return []
    if isinstance(value, str):
        parts = value.split(",") if "," in value else value.split()
        return [p.strip() for p in parts if p.strip()]
    if not isinstance(value, list) or any(isinstance(v, list | dict) for v in value):
        raise _bad(key, value, "text or a list of texts")
    return [str(v).strip() for v in value if v is not None]


def _keywords(config: dict[str, Any]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(w for w in _words(config, "keywords") if w))


def _types(config: dict[str, Any]) -> set[str]:
    """The package's types. Refuses those that one run per test can't judge."""
    types = set(_words(config, "type"))
    validation = set(_words(config, "validation"))
    both = types & {"interactive", "multi-pass"} or validation & {"interactive", "multipass"}
    if both:
        raise PackageError("interactive", f"problem.yaml: the problem is {', '.join(sorted(both))}")
    if "submit-answer" in types:
        raise PackageError("bad_package", "problem.yaml: type submit-answer asks for no program")
    if unknown := types - {"pass-fail", "scoring"}:
        allowed = "one of pass-fail, scoring, interactive, multi-pass, submit-answer"
        raise _bad("type", min(unknown), allowed)
    return types


def _title(config: dict[str, Any]) -> str:
    name = config.get("name")
    if isinstance(name, dict):
        names = {str(k): v for k, v in name.items() if isinstance(v, str)}
        if len(names) < len(name):
            raise _bad("name", name, "text or a mapping from language to text")
        languages = sorted(names, key=lambda k: (k != "en", not k.startswith("en"), k))
        return names[languages[0]].strip() if languages else ""
    return _scalar(config, "name")


def _statement(files: Files) -> tuple[str, str, bool]:
    """Title (of TeX), statement, and whether it is English: problem.en.md, problem.md,
    problem.en.tex, problem.tex, else the first other language."""
    found = []
    for name in files.names:
        if match := _STATEMENT.fullmatch(name):
            language, kind = match[1] or "", match[2]
            english = language in ("", "en") or language.startswith("en-")
            found.append((not english, kind if english else language, not language, kind, name))
    if not found:
        return "", "", True
    best = min(found)
    text = files.text(best[-1])
    title = ""
    if best[3] == "tex":
        if match := _TEX_NAME.search(text):
            title = " ".join(match[1].split())
        text = _TEX_NAME.sub("", text).lstrip("\n")
    return title, text, not best[0]


def _limits(files: Files, config: dict[str, Any]) -> tuple[float | None, int | None]:
    limits = config.get("limits")
    if limits is None:
        limits = {}
    if not isinstance(limits, dict):
        raise _bad("limits", limits, "a mapping")
    seconds = _number(limits.get("time_limit"), "limits.time_limit")
    memory = _number(limits.get("memory"), "limits.memory")
    if memory is not None and memory != int(memory):
        raise _bad("limits.memory", memory, "a whole number of MiB")
    if seconds is None and ".timelimit" in files.names:
        seconds = _number(files.text(".timelimit").strip(), "the number", ".timelimit")
    ini = "domjudge-problem.ini"
    if seconds is None and ini in files.names and (m := _INI_LIMIT.search(files.text(ini))):
        seconds = _number(m[1], "timelimit", ini)
    return seconds, None if memory is None else int(memory)


def _number(value: Any, key: str, file: str = "problem.yaml") -> float | None:
    """A positive number below 2**63; texts count, for YAML reads 1e-6 as one."""
    if value is None:
        return None
    try:
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            number = float(value)
            if math.isfinite(number) and 0 < number < 2**63:
                return number
    except (ValueError, OverflowError):
        pass
    raise _bad(key, value, "a positive number", file)


def _microcoder(files: Files) -> dict[str, Any]:
    """microcoder.yaml: what the package formats have no word for."""
    name = "microcoder.yaml"
    if name not in files.names:
        return {}
    data = _yaml(files, name)
    for key, value in data.items():
        if key not in ("difficulty", "style", "fn_name", "starter_code"):
            allowed = "difficulty, style, fn_name, starter_code"
            raise PackageError("bad_yaml", f"{name}: key {key!r} is unknown; allowed: {allowed}")
        if not isinstance(value, str):
            raise _bad(key, value, "text", name)
    style, fn_name = data.get("style", "stdin"), data.get("fn_name")
    if style not in ("stdin", "function"):
        raise _bad("style", style, "stdin or function", name)
    if (style == "function") != (fn_name is not None):
        raise PackageError("bad_yaml", f"{name}: key 'fn_name' goes with style function, only")
    if fn_name is not None and not fn_name.isidentifier():
        raise _bad("fn_name", fn_name, "a Python name", name)
    return data


def _pairs(files: Files) -> list[str]:
    """Tests as paths without .in: samples first, numbers in names in their order."""
    names = set(files.names)
    stems = []
    for part in ("sample", "secret"):
        found = [n.removesuffix(".in") for n in files.under(f"data/{part}") if n.endswith(".in")]
        stems += sorted(found, key=_natural)
    for stem in stems:
        if f"{stem}.ans" not in names:
            raise PackageError("missing_answer", f"{stem}.in has no {stem}.ans")
    return stems


def _natural(name: str) -> tuple[Any, ...]:
    parts = re.split(r"([0-9]+)", name)  # texts and digits in turn
    return tuple(int(p) if i % 2 else p for i, p in enumerate(parts)), name


def _solutions(files: Files) -> tuple[Solution, ...]:
    solutions = []
    for name in files.under("submissions"):
        parts = PurePosixPath(name).parts
        if len(parts) == 3 and name.endswith(".py") and parts[1] in _EXPECTED:
            solutions.append(Solution(files.text(name), _EXPECTED[parts[1]], "python", name))
    return tuple(solutions)


# -- checkers -------------------------------------------------------------------------------------


def _checker(files: Files, config: dict[str, Any], pairs: list[str]) -> tuple[Checker, bool]:
    """The one checker of all tests, and whether changes of white space are wrong answers."""
    flags = _flags_of_tests(files, config, pairs)
    validators = [
        n
        for folder in ("output_validator", "output_validators")
        for n in files.under(folder)
        if not PurePosixPath(n).name.startswith(".")
    ]
    validation = _words(config, "validation")
    if validation[:1] == ["custom"] and not validators:
        raise PackageError(
            "unsupported_checker", "problem.yaml says validation: custom, but no validator is here"
        )
    if not validators or validation[:1] == ["default"]:
        return _default_checker(flags)
    if len(validators) > 1 or not validators[0].endswith(".py"):
        shown = ", ".join(validators[:5])
        raise PackageError("unsupported_checker", f"the validator is not one Python file: {shown}")
    if flags:
        raise PackageError(
            "unsupported_checker", f"the validator {validators[0]} wants flags: {' '.join(flags)}"
        )
    return Checker("program", source=files.text(validators[0])), False


def _default_checker(flags: tuple[str, ...]) -> tuple[Checker, bool]:
    args: dict[str, float] = {}
    words = iter(flags)
    for word in words:
        if word in _TOLERANCES:
            value = next(words, "")
            args |= dict.fromkeys(_TOLERANCES[word], _tolerance(value, word))
        elif word not in ("case_sensitive", "space_change_sensitive"):
            raise PackageError(
                "unsupported_checker",
                f"validator flag {word!r} is unknown; known: {', '.join(_TOLERANCES)}, "
                "case_sensitive, space_change_sensitive",
            )
    exact_space = "space_change_sensitive" in flags
    if args:
        return Checker("float", tuple(sorted(args.items()))), exact_space
    return Checker("tokens" if "case_sensitive" in flags else "default"), exact_space


def _tolerance(value: str, flag: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not math.isfinite(number) or number < 0:
        raise _bad(flag, value, "a number of 0 or more", "validator flags")
    return number


def _flags_of_tests(files: Files, config: dict[str, Any], pairs: list[str]) -> tuple[str, ...]:
    """The validator flags of the secret tests (of the samples where there are no others): of the
    test's own YAML, else of the nearest test group's, else of problem.yaml."""
    top = _flags(config, "problem.yaml") or ()
    known: dict[str, tuple[str, ...] | None] = {}
    for name in files.under("data"):
        path = PurePosixPath(name)
        if path.name in ("testdata.yaml", "test_group.yaml"):
            known[str(path.parent)] = _flags(_yaml(files, name), name)
    own = {f"{stem}.yaml" for stem in pairs} & set(files.names)
    known |= {n.removesuffix(".yaml"): _flags(_yaml(files, n), n) for n in sorted(own)}
    secret = [s for s in pairs if s.startswith("data/secret/")] or pairs or ["data/secret/none"]
    found = set()
    for stem in secret:
        places = [stem, *map(str, PurePosixPath(stem).parents)]
        given = (known[p] for p in places if known.get(p) is not None)
        found.add(next(given, top))
    if len(found) > 1:
        shown = " | ".join(sorted(" ".join(f or ()) or "(none)" for f in found))
        raise PackageError(
            "unsupported_checker", f"test groups want different validator flags: {shown}"
        )
    return found.pop() or ()


def _flags(config: dict[str, Any], file: str) -> tuple[str, ...] | None:
    for key in _FLAG_KEYS:
        value = config.get(key)
        if isinstance(value, str):
            return tuple(value.split())
        if isinstance(value, list) and not any(isinstance(v, list | dict) for v in value):
            return tuple(str(v) for v in value)
        if value is not None:
            raise _bad(key, value, "text or a list", file)
    return None
