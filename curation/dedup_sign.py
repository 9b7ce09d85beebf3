"""The first half of dedup: what is remembered of every row, written as Parquet by one or more
processes.

For each task (some thousand rows of an input file) `sign` writes three files: `rows` (who the row
is and what it is worth, with its text in a form that gives its shingles again), `bands` (MinHash
band keys) and `pairs` (test fingerprints). What they hold depends on the rows alone, not on how
they are dealt out.
"""

from __future__ import annotations

import datetime as dt
import gc
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from curation.identity import native_identity
from curation.minhash import band_keys, signatures
from curation.shingles import (
    HASH_VERSION,
    batch_shingles,
    batch_tokens,
    stored_form,
    text_hashes,
)
from curation.test_fingerprints import PAIRS_VERSION, row_pair_hashes
from curation.text import Hashes, sibling_stem, slug
from pipelines.shards import ShardError, Shards

#: Raise it when the meaning of a column changes: an older index is then refused.
INDEX_VERSION = f"1.{HASH_VERSION}.{PAIRS_VERSION}"
COLUMNS = [
    *("id", "title", "statement", "url", "tests", "checker"),
    *("released_at", "licence", "solutions"),
]
#: Rows handled at once: their tokens stay in the cache.
BATCH = 128
#: Rows a task: as many tasks as processes can share, whatever the row groups are.
TASK_ROWS = 40 * BATCH
#: Under this many rows, starting processes costs more than they save.
MIN_ROWS_FOR_PROCESSES = 5000
_UNKNOWN_LICENCES = {"", "unknown", "other", "none", "n/a"}

ROWS = pa.schema(
    [
        ("row", pa.int64()),
        ("digest", pa.binary(16)),  # of everything below
        ("id", pa.string()),
        ("judge", pa.string()),
        ("native", pa.string()),
        ("title", pa.string()),  # slug
        ("stem", pa.string()),  # the slug without a number at the end
        ("text", pa.uint64()),  # hash of the tokens; 0: none
        ("tests", pa.uint64()),  # hash of all tests; 0: none
        ("n_tests", pa.int64()),
        ("checker", pa.bool_()),
        ("licence", pa.bool_()),
        ("released", pa.date32()),
        ("solved", pa.bool_()),
        ("form", pa.string()),
    ]
)
BANDS = pa.schema([("key", pa.uint64()), ("row", pa.int64())])
PAIRS = pa.schema([("hash", pa.uint64()), ("row", pa.int64())])
SCHEMAS = {"rows": ROWS, "bands": BANDS, "pairs": PAIRS}


@dataclass(frozen=True, slots=True)
class SignConfig:
    """How signatures are made; an index holds rows of one such config."""

    ngram: int
    num_perm: int
    seed: int
    bands: int
    rows: int


@dataclass(frozen=True, slots=True)
class Task:
    """Rows `start` to `stop` of row group `group` of `path`; the first has number `first`. `known`
    names a file of 16-byte digests whose rows need no signature."""

    path: str
    group: int
    start: int
    stop: int
    first: int
    out: str
    known: str


def tasks(problems: Shards, first: int, out: Path, known: Path | None) -> list[Task]:
    """The rows of all files, in order, numbered on from `first`."""
    made: list[Task] = []
    for path in problems.files:
        metadata = pq.ParquetFile(path).metadata
        for group in range(metadata.num_row_groups):
            rows = metadata.row_group(group).num_rows
            for start in range(0, rows, TASK_ROWS):
                stop = min(start + TASK_ROWS, rows)
                name = str(out / f"{len(made):06d}")
                known_at = "" if known is None else str(known)
                made.append(Task(str(path), group, start, stop, first + start, name, known_at))
            first += rows
    return made


def sign(task: Task, config: SignConfig) -> bytes:
    """Write `rows`, `bands` and `pairs` of a task's unknown rows to `<out>.<name>.parquet`.
    Returns the digests of all rows, 16 bytes each, in order."""
    raw = Path(task.known).read_bytes() if task.known else b""
    known = frozenset(raw[i : i + 16] for i in range(0, len(raw), 16))
    digests: list[bytes] = []
    row = task.first
    with ExitStack() as stack:
        writers = {
            name: stack.enter_context(
                pq.ParquetWriter(
                    f"{task.out}.{name}.parquet",
                    schema,
                    compression="lz4" if name == "rows" else "none",  # hashes don't compress
                    use_dictionary=["judge"] if name == "rows" else False,
                    write_statistics=["row"],
                )
            )
            for name, schema in SCHEMAS.items()
        }
        waiting: dict[str, list[pa.RecordBatch]] = {name: [] for name in SCHEMAS}
        for batch in _batches(task):
            facts = [row_facts(r, row + i) for i, r in enumerate(batch)]
            row += len(batch)
            digests += [f["digest"] for f in facts]
            new = [i for i, f in enumerate(facts) if f["digest"] not in known]
            made = sign_rows([batch[i] for i in new], [facts[i] for i in new], config)
            for name, table in made.items():
                waiting[name].append(table)
                if sum(t.num_rows for t in waiting[name]) >= 1 << 14:
                    _flush(writers[name], waiting[name])
        for name in SCHEMAS:
            _flush(writers[name], waiting[name])
    return b"".join(digests)


def _flush(writer: pq.ParquetWriter, waiting: list[pa.RecordBatch]) -> None:
    if waiting:
        writer.write_table(pa.Table.from_batches(waiting))
    waiting.clear()


def _batches(task: Task) -> Iterator[list[dict[str, Any]]]:
    try:
        file = pq.ParquetFile(task.path)
        at = 0
        for batch in file.iter_batches(BATCH, row_groups=[task.group], columns=COLUMNS):
            low, high = (min(max(x - at, 0), len(batch)) for x in (task.start, task.stop))
            if high > low:
                yield batch.slice(low, high - low).to_pylist()
            at += len(batch)
            if at >= task.stop:
                return
    except (ValueError, OSError) as e:  # Arrow's errors are these, UnicodeDecodeError too
        raise ShardError(f"{task.path}: damaged; fetch or make it again ({e})") from e


def row_facts(row: dict[str, Any], number: int) -> dict[str, Any]:
    """The columns of `rows` that need no tokens."""
    judge, native = native_identity(row["id"], row["url"])
    title = slug(row["title"])
    checker = row["checker"]
    released: dt.date | None = row["released_at"]
    tests = _tests_hash(row["tests"])
    facts = {
        "row": number,
        "id": row["id"],
        "judge": judge,
        "native": native,
        "title": title,
        "stem": sibling_stem(title),
        "tests": tests,
        "n_tests": len(row["tests"]),
        "checker": checker["kind"] not in ("default", "tokens"),
        "licence": row["licence"].strip().lower() not in _UNKNOWN_LICENCES,
        "released": released,
        "solved": bool(row["solutions"]),
    }
    seen = [
        *(row["id"], row["url"], row["title"], row["licence"], str(released), tests),
        *(checker["kind"], checker["source"], facts["solved"], row["statement"]),
    ]
    text = "\0".join(map(str, seen)).encode()
    facts["digest"] = hashlib.blake2b(text, digest_size=16).digest()
    return facts


def _tests_hash(tests: Sequence[dict[str, str]]) -> int:
    """64-bit hash of the tests, whatever their order; 0 without tests."""
    if not tests:
        return 0
    total = hashlib.blake2b(digest_size=8)
    for pair in sorted(f"{len(t['input'])}\0{t['input']}\0{t['output']}" for t in tests):
        total.update(hashlib.blake2b(pair.encode(), digest_size=16).digest())
    return int.from_bytes(total.digest(), "little") or 1


def sign_rows(
    rows: Sequence[dict[str, Any]], facts: Sequence[dict[str, Any]], config: SignConfig
) -> dict[str, pa.RecordBatch]:
    """Batches of `rows`, `bands` and `pairs`."""
    forms = [stored_form(row["statement"]) for row in rows]
    tokens = batch_tokens(forms)
    shingles = batch_shingles(tokens, config.ngram)
    signature = signatures(shingles, config.num_perm, config.seed, config.bands * config.rows)
    keys = band_keys(signature, config.bands, config.rows)
    numbers = np.array([f["row"] for f in facts], np.int64)
    with_text = np.diff(tokens.offsets) > 0
    fingerprints = [row_pair_hashes(row) for row in rows]
    filled = [
        {**f, "text": t, "form": form}
        for f, t, form in zip(facts, text_hashes(tokens).tolist(), forms, strict=True)
    ]
    pair_rows = np.repeat(numbers, [len(h) for h in fingerprints])
    pairs: Hashes = np.concatenate([np.zeros(0, np.uint64), *fingerprints])
    return {
        "rows": pa.RecordBatch.from_pylist(filled, schema=ROWS),
        "bands": pa.record_batch(
            [keys[with_text].ravel(), np.repeat(numbers[with_text], config.bands)], schema=BANDS
        ),
        "pairs": pa.record_batch([pairs, pair_rows], schema=PAIRS),
    }


def sign_all(
    todo: Sequence[Task],
    config: SignConfig,
    rows: int,
    workers: int,
    progress: Callable[[int], None] = lambda done: None,
) -> list[bytes]:
    """:func:`sign` every task, in this process or, for many rows, in `workers` others. Returns
    the digests in the order of the tasks. `progress` gets the number of rows done."""
    done = 0
    results: list[bytes] = []
    if workers < 2 or rows < MIN_ROWS_FOR_PROCESSES or len(todo) < 2:
        for task in todo:
            results.append(sign(task, config))
            done += len(results[-1]) // 16
            progress(done)
        return results
    with ExitStack() as stack:
        idle: SimpleQueue[_Worker] = SimpleQueue()
        for _ in range(min(workers, len(todo))):
            idle.put(stack.enter_context(_Worker(config)))

        def work(task: Task) -> bytes:
            worker = idle.get()
            try:
                return worker.sign(task)
            finally:
                idle.put(worker)

        pool = stack.enter_context(ThreadPoolExecutor(min(workers, len(todo))))
        for digests in pool.map(work, todo):
            results.append(digests)
            done += len(digests) // 16
            progress(done)
    return results


class _Worker:
    """Another Python that signs the tasks it is sent, one JSON line each. Not multiprocessing:
    `spawn` would run the caller's script again, `fork` copies Arrow's threads' locks."""

    def __init__(self, config: SignConfig) -> None:
        self.config = config

    def __enter__(self) -> _Worker:
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
        env |= {"OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "curation.dedup_sign"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=env,
        )
        return self

    def __exit__(self, *_: Any) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.kill()  # what it had to write is written when it answers
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()

    def sign(self, task: Task) -> bytes:
        """The worker's answer; its ShardErrors are raised here."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        line = json.dumps({"task": asdict(task), "config": asdict(self.config)})
        self._process.stdin.write(line.encode() + b"\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise ShardError(
                f"{task.path}: a process that makes signatures ended with status "
                f"{self._process.wait()} (memory?); run again"
            )
        reply = json.loads(answer)
        if "error" in reply:
            raise ShardError(reply["error"])
        return bytes.fromhex(reply["digests"])


def main() -> None:
    """Answer tasks until standard input ends."""
    pa.set_cpu_count(1)
    gc.set_threshold(100_000)  # rows are trees of new objects without cycles
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            digests = sign(Task(**asked["task"]), SignConfig(**asked["config"]))
            reply = {"digests": digests.hex()}
        except (ShardError, OSError) as e:
            reply = {"error": str(e)}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
