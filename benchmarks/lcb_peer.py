"""LiveCodeBench's own evaluator as a peer: a small harness that the benchmarks import.

    pip install --no-deps nvidia-livecodebench     # its evaluator alone needs numpy and tqdm

    from lcb_peer import Peer                      # from a script beside this file
    with Peer() as peer:
        peer.judge_all([(problem, "print(input())")])

Its pool runs as it is (`evaluate_generations`: a process pool, and per program a manager and a
worker), but in a process of its own that has imported nothing else: forking costs what the parent
holds, and its import changes the interpreter (int digits, environment). Its prints go nowhere.

It is NOT a sandbox: the programs run as the user who starts it. Give it no hostile ones.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:  # the process of the peer is this file too, and shall stay small
    from pipelines.problem import Problem

INSTALL = "pip install --no-deps nvidia-livecodebench"
MODULE = "livecodebench.evaluation.compute_code_generation_metrics"


class PeerError(RuntimeError):
    """The peer is missing, died, or took longer than it was given."""


def sample_of(problem: Problem) -> dict[str, str]:
    """The problem in LiveCodeBench's form. Raises ValueError for tests that have none.

    >>> from pipelines.problem import Problem, TestCase
    >>> sample_of(Problem("a/b", tests=(TestCase("1", "2"),)))
    {'input_output': '{"inputs": ["1"], "outputs": ["2"], "fn_name": null}'}
    """
    if problem.checker.kind == "asserts":
        raise ValueError(f"{problem.id}: LiveCodeBench has no tests that are assert statements")
    tests = {
        "inputs": [t.input for t in problem.tests],
        "outputs": [t.output for t in problem.tests],
        "fn_name": problem.fn_name,
    }
    return {"input_output": json.dumps(tests)}


def program_of(problem: Problem, code: str) -> str:
    """The program with what the problem's source wants run before it."""
    return f"{problem.prelude}\n\n{code}" if problem.prelude else code


class Peer:
    """LiveCodeBench's evaluator in a process of its own; a context manager. `seconds` is what the
    pool took for the latest call, without the start of the process and the transfer. Raises
    PeerError when the package is not installed."""

    def __init__(self) -> None:
        if importlib.util.find_spec("livecodebench") is None:
            raise PeerError(f"LiveCodeBench's evaluator is not installed here: `{INSTALL}`")
        self.seconds = 0.0
        self._folder = tempfile.TemporaryDirectory(prefix="lcb-peer-")
        self._process: subprocess.Popen[str] | None = None
        self._start()

    def __enter__(self) -> Peer:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process and all that it started."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.communicate()
            self._process = None
        self._folder.cleanup()

    def judge_all(
        self,
        samples: Sequence[tuple[Problem, str]],
        workers: int = 2,
        timeout: int = 6,
        within: float | None = None,
    ) -> list[bool]:
        """Whether each (problem, program) passed, in order. `timeout`: seconds a test, the default
        is LiveCodeBench's. PeerError when it takes longer than `within` seconds in all (then the
        process is killed and a new one started) or dies.

        >>> Peer().judge_all([(problem, "print(1)")])                        # doctest: +SKIP
        [True]
        """
        return [all_passed(results) for results in self.results(samples, workers, timeout, within)]

    def results(
        self,
        samples: Sequence[tuple[Problem, str]],
        workers: int = 2,
        timeout: int = 6,
        within: float | None = None,
    ) -> list[list[float]]:
        """Its results as they are: per program, per test until the first refusal, 1 or a code
        (-2 wrong answer, -3 time, -4 error)."""
        request = {
            "samples": [sample_of(problem) for problem, _ in samples],
            "generations": [[program_of(problem, code)] for problem, code in samples],
            "workers": workers,
            "timeout": timeout,
        }
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        late = threading.Event()

        def kill() -> None:
            late.set()
            os.killpg(process.pid, signal.SIGKILL)

        timer = threading.Timer(within, kill) if within is not None else None
        if timer is not None:
            timer.start()
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            if timer is not None:
                timer.cancel()
        if not line:
            self.close()
            self._folder = tempfile.TemporaryDirectory(prefix="lcb-peer-")
            self._start()
            raise PeerError(f"no answer within {within} s" if late.is_set() else "it died")
        answer = json.loads(line)
        if "error" in answer:
            raise PeerError(answer["error"])
        self.seconds = answer["seconds"]
        found: list[list[float]] = answer["results"]
        return found

    def _start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).resolve()), "--serve"],
            cwd=self._folder.name,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        assert self._process.stdout is not None
        if not self._process.stdout.readline():  # says hello when the import is done
            raise PeerError(
                f"LiveCodeBench's evaluator does not import here; try `{sys.executable} -c "
                f"'import {MODULE}'`, or install it again: `{INSTALL}`"
            )


def judge_all(
    samples: Sequence[tuple[Problem, str]], workers: int = 2, timeout: int = 6
) -> list[bool]:
    """Whether each (problem, program) passed, by a Peer of its own.

    >>> judge_all([(problem, "print(1)")])                                   # doctest: +SKIP
    [True]
    """
    with Peer() as peer:
        return peer.judge_all(samples, workers, timeout)


def all_passed(results: Sequence[float]) -> bool:
    """As in its pass@k: `np.all(results > 0)`, so an empty list of tests passes.

    >>> all_passed([1, 1]), all_passed([1, -2]), all_passed([])
    (True, False, True)
    """
    return all(r > 0 for r in results)


def _serve() -> None:
    """Answer requests, one JSON object a line, until the input ends."""
    requests, answers = _private(0, "r"), _private(1, "w")
    lcb = importlib.import_module(MODULE)
    answers.write("ready\n")
    answers.flush()
    for line in requests:
        request = json.loads(line)
        started = time.perf_counter()
        answer: dict[str, Any]
        try:
            found, _ = lcb.evaluate_generations(
                request["samples"],
                request["generations"],
                num_process_evaluate=request["workers"],
                timeout=request["timeout"],
            )
            seconds = time.perf_counter() - started
            results = [[_number(r) for r in found[i][0]] for i in range(len(found))]
            answer = {"results": results, "seconds": seconds}
        except Exception as e:  # a broken pool, say
            answer = {"error": f"{type(e).__name__}: {e}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def _private(descriptor: int, mode: str) -> IO[str]:
    """A copy of a standard stream; the stream itself becomes /dev/null, for the programs."""
    copy = os.fdopen(os.dup(descriptor), mode, encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
    return copy


def _number(result: Any) -> float:
    try:
        return float(result)
    except Exception:  # `==` of the program's own object may give anything
        return -2.0


if __name__ == "__main__":
    if sys.argv[1:] == ["--serve"]:
        _serve()
    else:
        print(__doc__)
