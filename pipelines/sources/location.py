"""Where a source's rows lie: a file or folder here, or a data set on the Hugging Face Hub."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

PREFIX = "hf://"
_HUB = re.compile(
    r"hf://(?P<repo>[\w.-]+/[\w.-]+?)"
    r"(?:@(?P<revision>[\w.-]+(?:/[\w.-]+)*?))?"
    r"(?:/(?P<file>[^:]+\.(?:jsonl|jsonl\.gz|parquet)))?"
    r"(?::(?P<config>[\w.-]+)(?:/(?P<split>\w+))?)?"
)
_SPLIT = re.compile(r"(?:^|[^a-z])(train|test|validation|valid|val)(?=[^a-z]|$)", re.IGNORECASE)


class SourceError(ValueError):
    """A source that can't be read at all: unknown name, missing path, wrong kind of file."""


@dataclass(frozen=True, slots=True)
class HubPath:
    """A data set on the Hub: `hf://org/name[@revision][:config[/split]]`, read by `datasets`
    streaming, or one file of it, `hf://org/name[@revision]/file.jsonl` (or .parquet).

    >>> HubPath.parse("hf://open-r1/codeforces@main:verifiable/train").config
    'verifiable'
    >>> str(HubPath.parse("hf://codeparrot/apps/train.jsonl"))
    'hf://codeparrot/apps/train.jsonl'
    """

    repo: str
    revision: str | None = None
    file: str | None = None
    config: str | None = None
    split: str | None = None

    @staticmethod
    def parse(text: str) -> HubPath:
        """The address in `text`; SourceError when it is none."""
        m = _HUB.fullmatch(text)
        if m is None or (m["file"] and m["config"]):
            raise SourceError(
                f"{text!r} is not a Hub address; expected hf://org/name[@revision][:config[/split]]"
                " or hf://org/name[@revision]/path/to/file.jsonl (.jsonl.gz, .parquet)"
            )
        return HubPath(m["repo"], m["revision"], m["file"], m["config"], m["split"])

    def __str__(self) -> str:
        at = f"@{self.revision}" if self.revision else ""
        file = f"/{self.file}" if self.file else ""
        config = f":{self.config}" if self.config else ""
        split = f"/{self.split}" if self.split else ""
        return f"{PREFIX}{self.repo}{at}{file}{config}{split}"

    def pinned(self) -> HubPath:
        """The same at the commit that the revision names now. Raises SourceError offline."""
        from huggingface_hub import HfApi

        with _explained(self):
            info = HfApi().dataset_info(self.repo, revision=self.revision)
        return replace(self, revision=info.sha)

    def open_file(self) -> Any:
        """The one file, as a seekable binary stream over the Hub. Raises SourceError offline."""
        from huggingface_hub import HfFileSystem

        at = f"@{self.revision}" if self.revision else ""
        with _explained(self):
            return HfFileSystem().open(f"datasets/{self.repo}{at}/{self.file}", "rb")

    def rows(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """(split, row) by `datasets` streaming: nothing is stored, and no code of the data set is
        run. Raises SourceError when the Hub can't be reached or the data set is a script."""
        import datasets

        with _explained(self):
            loaded = datasets.load_dataset(
                self.repo, self.config, split=self.split, revision=self.revision, streaming=True
            )
        splits = loaded.items() if isinstance(loaded, dict) else [(self.split or "", loaded)]
        for name, rows in splits:
            with _explained(self):
                for row in rows:
                    yield str(name), row


Location = Path | HubPath


def locate(text: str | Path, base: Path = Path()) -> Location:
    """The place a configuration or a command line names; relative paths are relative to `base`.
    SourceError for a malformed Hub address.

    >>> locate("a.jsonl", Path("data")).as_posix()
    'data/a.jsonl'
    """
    if isinstance(text, str) and text.startswith(PREFIX):
        return HubPath.parse(text)
    return base / Path(text).expanduser()


def split_of(path: str) -> str:
    """The split that a file's name, or else the nearest folder's, says; "" when none does.

    >>> split_of("ALL/train-00000-of-00009.parquet"), split_of("latest.jsonl"), split_of("a/test/b")
    ('train', '', 'test')
    """
    for part in reversed(Path(path).parts[-3:]):
        if m := _SPLIT.search(part):
            name = m[1].lower()
            return "validation" if name in ("valid", "val") else name
    return ""


class _explained:
    """Turns what the Hub's libraries raise into a SourceError that says what to do."""

    def __init__(self, path: HubPath) -> None:
        self.path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if not isinstance(error, Exception) or isinstance(error, SourceError):
            return
        said = " ".join(str(error).split())[:300]
        if "script" in said.lower() and not self.path.file:
            remedy = (
                "the data set is a script, which is never run; name one of its files instead, "
                f"such as {PREFIX}{self.path.repo}/train.jsonl"
            )
        else:
            remedy = (
                "check the name, the network, HF_HUB_OFFLINE and HF_TOKEN (gated sets need one), "
                "or download the files and give their folder"
            )
        raise SourceError(f"{self.path}: {type(error).__name__}: {said}; {remedy}") from error
