"""Configuration: TOML files checked against typed models before any work starts."""

from __future__ import annotations

import difflib
import tomllib
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError


class ConfigError(ValueError):
    """A config that can't be used. The message names the file, the key and the remedy."""


class StageConfig(BaseModel):
    """Base of all config sections: immutable, unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, protected_namespaces=())


C = TypeVar("C", bound=BaseModel)


def parse_config(data: dict[str, Any], model: type[C], where: str) -> C:
    """`data` as a `model`, or ConfigError with one line a fault.

    >>> class Dedup(StageConfig):
    ...     threshold: float = 0.8
    >>> parse_config({"treshold": 0.9}, Dedup, "my.toml")
    Traceback (most recent call last):
    pipelines.config.ConfigError: my.toml: unknown key 'treshold'; did you mean 'threshold'?
    """
    try:
        return model.model_validate(data)
    except ValidationError as e:
        raise ConfigError("\n".join(_explain(err, model, where) for err in e.errors())) from None


def load_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file, or ConfigError naming the file and line."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such config file") from None
    except IsADirectoryError:
        raise ConfigError(f"{path}: is a folder; give a config file in it") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as e:
        raise ConfigError(f"{path}: not valid TOML: {e}") from None


def _explain(err: Any, model: type[BaseModel], where: str) -> str:
    loc = [p for p in err["loc"] if p != "function-after"]
    key = ".".join(str(p) for p in loc) or "(whole file)"
    if err["type"] == "extra_forbidden":
        near = difflib.get_close_matches(str(loc[-1]), _fields_at(model, loc[:-1]), n=1)
        known = ", ".join(_fields_at(model, loc[:-1]))
        hint = f"did you mean {near[0]!r}?" if near else f"known keys: {known}"
        return f"{where}: unknown key {key!r}; {hint}"
    if err["type"] == "missing":
        return f"{where}: key {key!r} is missing"
    return f"{where}: key {key!r}: {err['msg']} (found {err['input']!r:.80})"


def _fields_at(model: type[BaseModel], loc: list[Any]) -> list[str]:
    current: Any = model
    for part in loc:
        if isinstance(part, int):
            continue
        fields = getattr(current, "model_fields", {})
        if part not in fields:
            return []
        current = fields[part].annotation
        for arg in getattr(current, "__args__", ()):
            if isinstance(arg, type) and issubclass(arg, BaseModel):
                current = arg
    return list(getattr(current, "model_fields", {}))
