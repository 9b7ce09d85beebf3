"""dedup against brute force, against datasketch and rensa, and at a million rows.

    python benchmarks/dedup.py real [--data ../shared/data]
    python benchmarks/dedup.py speed [--rows 100000]
    python benchmarks/dedup.py scale [--rows 10000 100000 1000000]

`real`: on every real statement, the pairs that brute force (a sparse product of shingle sets)
finds at or over the threshold, and how many of them dedup's candidates hold; what the two rules
of siblings say of the pairs within LeetCode; and the merges of two sources whose ids are hidden,
where the slug is the truth. `speed`: raw text in a Parquet file to clusters, ours, datasketch's
loop and rensa, all with 128 permutations of word 5-grams of the same tokens; one run each, on the
same rows. datasketch's loop makes a MinHash a document (update_batch), queries the LSH and inserts.
`scale`: made-up problems (mean 300 words, one in ten a near copy of another) through the whole
stage, from shards to shards; peak memory is the sum over all processes.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
from decontamination import leetcode_rows

from curation.dedup import DedupConfig, dedup, find_duplicates
from curation.dedup_plan import Found
from curation.dedup_sign import sign_all, tasks
from curation.shingles import jaccard, shingle_sets, stored_form
from curation.text import dedup_tokens, sibling_titles, slug
from pipelines.problem import SCHEMA, Problem
from pipelines.shards import ShardInfo, Shards, sha256_file, write_manifest, write_problems
from pipelines.sources import read_source
from pipelines.sources.livecodebench import BenchmarkRow, iter_benchmark
from pipelines.stage import iter_dropped

DATA = Path(__file__).resolve().parents[2] / "shared/data"
LCB = "livecodebench/release_v5_submissions_o1_mini.jsonl.gz"
CORES = len(os.sched_getaffinity(0))


# --- real texts -----------------------------------------------------------------------------


def lcb_rows(data: Path) -> list[Problem]:
    """LiveCodeBench's rows as a source that has no ids of LeetCode's."""
    return [
        Problem(id=f"lcb/{i}", title=r.title, statement=r.statement)
        for i, r in enumerate(iter_benchmark(data / LCB))
        if isinstance(r, BenchmarkRow)
    ]


def real_rows(data: Path) -> list[Problem]:
    """Every real statement there is."""
    rows = [*leetcode_rows(data), *lcb_rows(data)]
    for source in ("humaneval", "mbpp"):
        path = next((data / source).glob("*.jsonl.gz"))
        rows += [r for r in read_source(source, path) if isinstance(r, Problem)]
    packages = sorted((data / "problem_packages").iterdir())
    for path in packages:
        for row in read_source("problem_package", path):
            problem = row if isinstance(row, Problem) else row.problem
            rows += [problem] if problem is not None else []
    return rows


def brute_force(rows: Sequence[Problem], threshold: float) -> dict[tuple[int, int], float]:
    """All pairs of rows with similar texts, from the counts of common shingles: the product of
    the (rows x shingles) matrix with its transpose."""
    from scipy.sparse import csr_array, triu

    sets = shingle_sets([stored_form(r.statement) for r in rows], 5)
    sizes = np.array([len(s) for s in sets])
    columns = np.unique(np.concatenate(sets), return_inverse=True)[1]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    table = csr_array((np.ones(len(columns), np.int32), columns, starts))
    common = triu(table @ table.T, k=1).tocoo()
    a, b = common.coords
    similarity = common.data / (sizes[a] + sizes[b] - common.data)
    found = similarity >= threshold
    pairs = zip(a[found].tolist(), b[found].tolist(), strict=True)
    return dict(zip(pairs, similarity[found].tolist(), strict=True))


def clusters_of(
    problems: Shards, work: Path, config: DedupConfig, workers: int
) -> tuple[Found, list[float]]:
    """From shards to clusters, without writing the rows out again; seconds of the two halves."""
    (work / "signed").mkdir(parents=True)
    began = time.perf_counter()
    todo = tasks(problems, 0, work / "signed", None)
    sign_all(todo, config.signing(), len(problems), workers)
    signed = time.perf_counter()
    alive = pa.table({"row": np.arange(len(problems)), "indexed": np.zeros(len(problems), bool)})
    found = find_duplicates([work / "signed"], alive, work / "db", config, workers)
    return found, [signed - began, time.perf_counter() - signed]


def proposed_pairs(rows: Sequence[Problem], config: DedupConfig) -> set[tuple[int, int]]:
    """The pairs of rows that dedup's LSH proposes, by position."""
    from curation.dedup_sign import sign_rows

    plain = [{**r.to_row(), "tests": [], "solutions": []} for r in rows]
    facts = [
        {"row": i, "digest": bytes(16), "id": r.id, "judge": "", "native": "", "title": ""}
        for i, r in enumerate(rows)
    ]
    table = sign_rows(plain, facts, config.signing())["bands"]
    buckets: dict[int, list[int]] = {}
    for key, row in zip(table["key"].to_pylist(), table["row"].to_pylist(), strict=True):
        buckets.setdefault(key, []).append(row)
    return {pair for held in buckets.values() for pair in combinations(sorted(held), 2)}


def real(data: Path) -> None:
    """Recall and precision of candidates, the rules of siblings, merges across sources."""
    rows = real_rows(data)
    print(f"{len(rows)} real statements: pairs at or over the threshold, texts alone")
    print("threshold  true pairs  proposed and true  recall  precision after the exact check")
    forms = shingle_sets([stored_form(r.statement) for r in rows], 5)
    everything = brute_force(rows, 0.5)
    for threshold in (0.5, 0.6, 0.7, 0.8, 0.9):
        truth = {pair for pair, j in everything.items() if j >= threshold}
        proposed = proposed_pairs(rows, DedupConfig(threshold=threshold))
        checked = {(a, b) for a, b in proposed if jaccard(forms[a], forms[b]) >= threshold}
        right = len(checked & truth)
        print(
            f"{threshold:>9}{len(truth):>12}{right:>19}{right / max(1, len(truth)):>8.4f}"
            f"{right / max(1, len(checked)):>33.4f}"
        )

    leetcode = leetcode_rows(data)
    pairs = brute_force(leetcode, 0.7)
    natives = [p.id.partition("/")[2] for p in leetcode]
    titled = [(a, b) for a, b in pairs if sibling_titles(natives[a], natives[b])]
    print(f"\n{len(leetcode)} LeetCodeDataset rows: {len(pairs)} pairs at Jaccard >= 0.7")
    with tempfile.TemporaryDirectory() as tmp:
        write_problems(leetcode, Path(tmp) / "in")
        result = dedup([Path(tmp) / "in"], Path(tmp) / "out", DedupConfig(threshold=0.7))
        table = pq.read_table(result.out / "vetoes.parquet").to_pylist()
    ids = {p.id: i for i, p in enumerate(leetcode)}
    vetoed = {tuple(sorted((ids[v["a"]], ids[v["b"]]))): v for v in table if v["sibling"]}
    by_text = sum(v["reason"] == "same_judge" for p, v in vetoed.items() if p in pairs)
    print(
        f"siblings by title {len(titled)}, by text of one judge {by_text}, labelled "
        f"{len(pairs.keys() & vetoed.keys())} of {len(pairs)}; merged {result.dropped}; rows with "
        f"the flag {result.extra['siblings']}"
    )

    lcb = lcb_rows(data)
    bare = {p.id: native for p, native in zip(leetcode, natives, strict=True)}
    slugs = bare | {p.id: slug(p.title) for p in lcb}
    truth_rows = len(set(natives) & {slugs[p.id] for p in lcb})
    print(f"\nLeetCodeDataset and LiveCodeBench without common ids: {truth_rows} true pairs")
    print("rows           threshold  merges  true  precision  recall  identity exact near tests")
    for name, rows in (
        ("with titles", [*leetcode, *lcb]),
        ("without titles", [replace(p, title="", url="") for p in [*leetcode, *lcb]]),
    ):
        for threshold in (0.5, 0.6, 0.7, 0.8, 0.9):
            found, kinds = merges(rows, DedupConfig(threshold=threshold))
            right = sum(slugs[a] == slugs[b] for a, b in found)
            print(
                f"{name:<15}{threshold:>9}{len(found):>8}{right:>6}"
                f"{right / max(1, len(found)):>11.4f}{right / truth_rows:>8.4f}  "
                f"{kinds['identity']:>8}{kinds['exact']:>6}{kinds['near']:>5}{kinds['tests']:>6}"
            )


def merges(rows: Sequence[Problem], config: DedupConfig) -> tuple[list[tuple[str, str]], Any]:
    """(dropped, kept) ids of a run of the stage, and its count by kind."""
    with tempfile.TemporaryDirectory() as tmp:
        write_problems(rows, Path(tmp) / "in")
        result = dedup([Path(tmp) / "in"], Path(tmp) / "out", config)
        found = [(r["id"], json.loads(r["evidence"])["of"]) for r in iter_dropped(result.out)]
    return found, result.extra["kinds"]


# No markup, and none of the headings of examples.
_HEADINGS = r"(?!(?:input|output|example|sample|explanation|constraint|note)s?\b)"
_NAME = re.compile(rf"(?<![\\<&/A-Za-z]){_HEADINGS}[A-Za-z]{{3,}}(?![A-Za-z>;])", re.I)
_NUMBER = re.compile(r"\d+")


# --- speed ----------------------------------------------------------------------------------


def datasketch_loop(texts: Sequence[str]) -> list[tuple[int, int]]:
    """The plain loop: tokens, a MinHash a document, query, insert."""
    from datasketch import MinHash, MinHashLSH

    lsh = MinHashLSH(threshold=0.8, num_perm=128)
    pairs = []
    for i, text in enumerate(texts):
        minhash = MinHash(num_perm=128, seed=1)
        minhash.update_batch({s.encode() for s in shingles_of(text)})
        pairs += [(int(j), i) for j in lsh.query(minhash)]
        lsh.insert(i, minhash)
    return pairs


def rensa_loop(texts: Sequence[str]) -> list[tuple[int, int]]:
    """rensa's bulk interface: digests of all documents, then an LSH of 16 bands of 8."""
    from rensa import RMinHash, RMinHashLSH

    hashes = RMinHash.from_token_sets([shingles_of(t) for t in texts], 128, 1)
    lsh = RMinHashLSH(threshold=0.8, num_perm=128, num_bands=16)
    lsh.insert_many(hashes)
    found = lsh.query_all(hashes)
    return [(j, i) for i, others in enumerate(found) for j in others if j < i]


def shingles_of(text: str) -> list[str]:
    """Word 5-grams as text, what the peers are given."""
    tokens = dedup_tokens(text)
    return [" ".join(tokens[i : i + 5]) for i in range(max(1, len(tokens) - 4))]


def speed(rows: int, data: Path) -> None:
    """One run of each on the same rows: real texts over and over with changed words, and
    made-up ones."""
    with tempfile.TemporaryDirectory() as tmp:
        folders = {"made up": Path(tmp) / "a", "made up, two tests a row": Path(tmp) / "b"}
        generate(folders["made up"], rows, tests=False)
        generate(folders["made up, two tests a row"], rows)
        if (data / LCB).is_file():
            folders["real"] = Path(tmp) / "real"
            write_problems(varied(real_rows(data), rows), folders["real"])
        for name, folder in folders.items():
            print(f"\n{rows} texts ({name}) to clusters: documents/s, pairs found")
            one_speed(folder, Path(tmp) / f"work-{name}", peers="tests" not in name)


def one_speed(folder: Path, work: Path, peers: bool) -> None:
    """The table of one folder; the peers read no tests."""
    problems = Shards([folder])
    total = len(problems)
    figures: list[tuple[str, float, float, str]] = []
    for workers in dict.fromkeys((1, CORES)):
        began, cpu = time.perf_counter(), cpu_seconds()
        found, halves = clusters_of(problems, work / str(workers), DedupConfig(), workers)
        took, cpu = time.perf_counter() - began, cpu_seconds() - cpu
        note = f"{len(found.drops)} dropped; signing {halves[0]:.1f} s, pairs {halves[1]:.1f} s"
        figures.append((f"microcoder, {workers} processes", took, cpu, note))
    for name, loop in (("datasketch", datasketch_loop), ("rensa", rensa_loop)) if peers else ():
        began, cpu = time.perf_counter(), cpu_seconds()
        try:
            pairs = loop([r["statement"] for r in problems.rows(["statement"])])
        except ImportError as e:
            print(f"{name}: skipped, {e}")
            continue
        took, cpu = time.perf_counter() - began, cpu_seconds() - cpu
        figures.append((f"{name}, 1 process", took, cpu, f"{len(pairs)} pairs"))
    ours = figures[len(dict.fromkeys((1, CORES))) - 1][1]
    for name, took, cpu, note in figures:
        print(
            f"{name:<26}{total / took:>9.0f}/s  ours is {took / ours:>6.2f}x as fast; "
            f"{cpu / total * 1e6:>5.0f} us CPU a document  ({note})",
            flush=True,
        )


def varied(problems: Sequence[Problem], rows: int) -> list[Problem]:
    """`rows` problems: the real ones, then again with every word and number renamed, so
    that rounds share nothing with each other but within a round all is as in the real one."""
    out = []
    for i in range(rows):
        p, turn = problems[i % len(problems)], i // len(problems)
        text = p.statement
        if turn:
            text = _NUMBER.sub(rf"\g<0>{turn}", text)
            text = _NAME.sub(rf"\g<0>{chr(97 + turn % 26) * (1 + turn // 26)}", text)
        bare = replace(p, url="", tests=(), solutions=())
        out.append(replace(bare, id=f"{p.source}{turn}/{i}", statement=text))
    return out


# --- scale ----------------------------------------------------------------------------------


def generate(folder: Path, rows: int, chunk: int = 10_000, tests: bool = True) -> None:
    """Made-up problems as shards: 60 to 800 words, 300 on average, of a vocabulary of 20,000
    with Zipf's frequencies, two tests each; every tenth is a copy of one before it with three
    words changed, from another source, half of them with its tests and half without any."""
    rng = np.random.default_rng(7)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = np.array(["".join(rng.choice(letters, rng.integers(2, 10))) for _ in range(20_000)])
    weights = 1 / np.arange(10, 20_010)
    cumulative = np.cumsum(weights / weights.sum())
    folder.mkdir(parents=True)
    infos: list[ShardInfo] = []
    for first in range(0, rows, chunk):
        count = min(chunk, rows - first)
        texts: list[list[str]] = []
        records: list[dict[str, Any]] = []
        for i in range(count):
            number = first + i
            given = [
                {
                    "input": f"{number} {k} {number * 7}",
                    "output": f"{k}",
                    "kind": "hidden",
                    "name": "",
                }
                for k in range(2 if tests else 0)
            ]
            source = "made"
            if i % 10 == 9:
                of = int(rng.integers(0, i // 10 * 9 + 9))
                of += of // 9  # not one of the copies
                source, text = f"copied{i % 1000 // 10}", list(texts[of])
                for at in rng.integers(0, len(text), 3):
                    text[at] = str(rng.choice(words))
                given = records[of]["tests"] if rng.random() < 0.5 else []
            else:
                length = int(np.clip(rng.normal(300, 100), 60, 800))
                text = words[np.searchsorted(cumulative, rng.random(length))].tolist()
            texts.append(text)
            statement = " ".join(text)
            row = Problem(id=f"{source}/{number}", title=f"T{number}", statement=statement).to_row()
            records.append({**row, "tests": given})
        path = folder / f"part-{first // chunk:05d}.parquet"
        pq.write_table(pa.Table.from_pylist(records, schema=SCHEMA), path, compression="zstd")
        infos.append(ShardInfo(path.name, count, path.stat().st_size, sha256_file(path)))
    write_manifest(folder, infos, [], {})


def cpu_seconds() -> float:
    """CPU time of this process and of its children that ended: other work on the machine
    stretches it less than wall time."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


@contextmanager
def peak_memory() -> Iterator[Callable[[], float]]:
    """GiB of resident memory, the most of this process and its children together."""
    me, most, stop = psutil.Process(), [0], threading.Event()

    def watch() -> None:
        while not stop.wait(0.1):
            total = 0
            for process in [me, *me.children(recursive=True)]:
                try:
                    total += process.memory_info().rss
                except psutil.Error:
                    continue
            most[0] = max(most[0], total)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield lambda: most[0] / 2**30
    finally:
        stop.set()
        thread.join()


def scale(sizes: Sequence[int], folder: Path | None) -> None:
    """The whole stage at several sizes."""
    print(f"{CORES} processes; seconds from shards to shards, and to clusters alone")
    print("     rows  dropped  copies  stage s   CPU s  clusters s   CPU s  CPU us/row  peak GiB")
    with tempfile.TemporaryDirectory(dir=folder) as tmp:
        for rows in sizes:
            source = (folder or Path(tmp)) / f"made-up-{rows}"
            if not (source / "manifest.json").is_file():
                shutil.rmtree(source, ignore_errors=True)
                generate(source, rows)
            problems = Shards([source])
            began, cpu = time.perf_counter(), cpu_seconds()
            clusters_of(problems, Path(tmp) / "work", DedupConfig(), CORES)
            clusters, clusters_cpu = time.perf_counter() - began, cpu_seconds() - cpu
            shutil.rmtree(Path(tmp) / "work")
            with peak_memory() as peak:
                began, cpu = time.perf_counter(), cpu_seconds()
                result = dedup([source], Path(tmp) / "out", DedupConfig())
                took, cpu = time.perf_counter() - began, cpu_seconds() - cpu
            copies = rows // 10
            print(
                f"{rows:>9}{result.dropped:>9}{copies:>8}{took:>9.1f}{cpu:>8.1f}{clusters:>12.1f}"
                f"{clusters_cpu:>8.1f}{cpu / rows * 1e6:>12.0f}{peak():>10.2f}",
                flush=True,
            )
            if folder is None:
                shutil.rmtree(source)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", choices=["real", "speed", "scale"])
    parser.add_argument("--data", type=Path, default=DATA, help="the shared data folder")
    parser.add_argument("--rows", type=int, nargs="+", default=[])
    parser.add_argument("--temp", type=Path, help="keep the made-up problems here")
    args = parser.parse_args()
    if args.part == "scale":
        scale(args.rows or [10_000, 100_000, 1_000_000], args.temp)
    elif args.part == "speed":
        speed((args.rows or [100_000])[0], args.data)
    elif (args.data / LCB).is_file():
        real(args.data)
    else:
        print(f"skipped: {args.data / LCB} is not there; give the folder that holds it with --data")


if __name__ == "__main__":
    main()
