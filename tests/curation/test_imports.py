from __future__ import annotations

import doctest
import importlib
import json
import pkgutil
import subprocess
import sys

import pytest

import curation

SCRIPT = """
import importlib, json, sys
for name in json.loads(sys.argv[1]):
    importlib.import_module(name)
print(json.dumps(sorted({m.partition(".")[0] for m in sys.modules})))
"""

NAMES = ["curation", *(f"curation.{m.name}" for m in pkgutil.iter_modules(curation.__path__))]


@pytest.mark.parametrize("name", NAMES)
def test_examples_in_docstrings(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_no_module_of_curation_loads_torch_or_prefect() -> None:
    assert {"curation.normalize", "curation.dedup", "curation.verify"} < set(NAMES)
    out = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps(NAMES)],
        capture_output=True,
        check=True,
        text=True,
    )
    heavy = {"torch", "prefect", "vllm", "transformers", "flows", "training", "difficulty"}
    assert not heavy & set(json.loads(out.stdout))
