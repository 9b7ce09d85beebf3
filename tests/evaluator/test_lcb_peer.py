"""The harness around LiveCodeBench's evaluator that the benchmarks use."""

from __future__ import annotations

import json
import sys

import pytest

from benchmarks import lcb_peer
from pipelines.problem import Checker, Problem, TestCase

STDIN = Problem("a/s", tests=(TestCase("1\n", "2\n"), TestCase("5\n", "6\n")))
FUNCTION = Problem("a/f", fn_name="f", prelude="ONE = 1", tests=(TestCase("[1]\n2", "3"),))


def test_its_form() -> None:
    assert json.loads(lcb_peer.sample_of(FUNCTION)["input_output"]) == {
        "inputs": ["[1]\n2"],
        "outputs": ["3"],
        "fn_name": "f",
    }
    assert lcb_peer.program_of(FUNCTION, "x") == "ONE = 1\n\nx"
    assert lcb_peer.program_of(STDIN, "x") == "x"
    with pytest.raises(ValueError, match="a/x"):
        lcb_peer.sample_of(Problem("a/x", fn_name="f", checker=Checker("asserts")))


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lcb_peer.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(lcb_peer.PeerError, match="pip install --no-deps nvidia-livecodebench"):
        lcb_peer.judge_all([])


@pytest.mark.peer
def test_its_verdicts(capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("livecodebench")
    digits = sys.get_int_max_str_digits()
    with lcb_peer.Peer() as peer:
        found = peer.judge_all(
            [
                (STDIN, "print(int(input()) + 1)"),
                (STDIN, "print(2)"),
                (FUNCTION, "def f(a, b): return a[0] + ONE * b"),
                (FUNCTION, "def f(a, b): print('noise'); return 4"),
            ]
        )
        assert found == [True, False, True, False]
        assert peer.seconds > 0
        assert peer.results([(STDIN, "while True: pass")], timeout=1) == [[-3]]
        with pytest.raises(lcb_peer.PeerError, match="no answer within"):
            peer.judge_all([(STDIN, "while True: pass")], within=0.5)
        assert peer.judge_all([(STDIN, "print(int(input()) + 1)")]) == [True]
    assert sys.get_int_max_str_digits() == digits  # its import would have changed it
    assert capfd.readouterr() == ("", "")
