"""The parts of difficulty that need no model: intervals, prompts, code extraction, selection."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from difficulty.intervals import pass_at_k, wilson
from difficulty.models import ModelError, model_hash, resolve_model
from difficulty.prompts import FewShot, build_messages, extract_code, is_incomplete
from difficulty.samplers import SamplerError, draw_seed, make_sampler, room
from difficulty.select import SelectConfig, select
from pipelines.config import ConfigError, parse_config
from pipelines.problem import Probe, Problem, TestCase
from pipelines.shards import Shards, write_problems
from pipelines.stage import iter_dropped


def test_imports_no_torch() -> None:
    code = (
        "import sys, difficulty, difficulty.select, difficulty.intervals, difficulty.prompts\n"
        "import difficulty.samplers, difficulty.probe, difficulty.models\n"
        "print(sorted({'torch', 'transformers', 'vllm', 'prefect'} & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


# -- intervals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("passed", "k", "low", "high"),
    [  # by hand from Wilson's formula, z = 1.95996
        (0, 4, 0.0, 0.4899),
        (1, 4, 0.0456, 0.6994),
        (4, 4, 0.5101, 1.0),
        (5, 10, 0.2366, 0.7634),
        (15, 148, 0.0624, 0.1605),
    ],
)
def test_wilson_known_values(passed: int, k: int, low: float, high: float) -> None:
    assert wilson(passed, k) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


@given(st.integers(1, 500).flatmap(lambda k: st.tuples(st.integers(0, k), st.just(k))))
def test_wilson_holds_the_rate_and_mirrors(case: tuple[int, int]) -> None:
    passed, k = case
    low, high = wilson(passed, k)
    assert 0 <= low <= passed / k <= high <= 1
    mirrored = wilson(k - passed, k)
    assert mirrored == (pytest.approx(1 - high), pytest.approx(1 - low))


def test_wilson_without_samples_and_with_nonsense() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    with pytest.raises(ValueError, match=r"0\.\.k"):
        wilson(5, 4)


def test_pass_at_k_is_the_share_of_subsets_with_a_pass() -> None:
    from itertools import combinations

    samples = [1, 1, 0, 0, 0]
    for k in range(1, 6):
        subsets = list(combinations(samples, k))
        assert pass_at_k(5, 2, k) == pytest.approx(sum(map(any, subsets)) / len(subsets))


# -- prompts and answers --------------------------------------------------------------------------

STDIN = Problem(
    id="a/b",
    statement="Print n.\n\n## Input\n\nOne line.",
    tests=(TestCase("3\n", "3\n", "sample"), TestCase("4\n", "4\n")),
)
FUNCTION = Problem(
    id="a/f", statement="Return n.", fn_name="f", starter_code="def f(n: int) -> int:\n    pass\n"
)


def test_prompt_shows_samples_but_never_hidden_tests() -> None:
    text = build_messages(STDIN, [])[-1]["content"]
    assert "Example input:\n3\nExample output:\n3" in text
    assert "4" not in text
    assert "standard input" in text


def test_function_prompt_shows_the_signature() -> None:
    text = build_messages(FUNCTION, [])[-1]["content"]
    assert "def f(n: int) -> int:" in text
    assert "standard input" not in text


def test_few_shot_pairs_are_those_of_the_style() -> None:
    shots = [
        FewShot(style="stdin", problem="S", code="print(1)"),
        FewShot(style="function", problem="F", code="def g(): ..."),
    ]
    messages = build_messages(FUNCTION, shots)
    assert [m["role"] for m in messages] == ["user", "assistant", "user"]
    assert messages[1]["content"] == "```python\ndef g(): ...\n```"
    assert "F" in messages[0]["content"]


def test_long_samples_stay_out_of_the_prompt() -> None:
    p = Problem(id="a/b", statement="x", tests=(TestCase("9" * 500, "1", "sample"),))
    assert "999" not in build_messages(p, [])[-1]["content"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("```python\nprint(1)\n```", "print(1)\n"),
        ("```py\nprint(1)\n```", "print(1)\n"),
        ("a\n```python\nx\n```\nb\n```python\ny\n```\nc", "y\n"),
        ("```python\nx\n```\n```text\noutput\n```", "x\n"),
        ("```\nprint(2)\n```", "print(2)\n"),
        ("```\nno\n```\n```python\nyes\n```\n```\nlast\n```", "yes\n"),
        ("```python\nx = 1\n", None),
        ("```python\nx\n```\nthen\n```python\ny = ", None),  # its answer was to come
        ("print(1)", None),
        ("", None),
        ("```python\nprint('''```''')\n```", "print('''```''')\n"),
        ("```python\ns = '`'\n```", "s = '`'\n"),
        ("````python\nx\n````", "x\n"),
        ("  ```python\n  x\n  ```", "  x\n"),
        ("```python\r\nx\r\n```\r\n", "x\r\n"),
        ("```c++\nint main;\n```", None),
    ],
)
def test_extract_code(text: str, code: str | None) -> None:
    assert extract_code(text) == code


@given(st.text(alphabet="`python \n\r(x", max_size=60))
def test_extract_code_takes_any_text(text: str) -> None:
    code = extract_code(text)
    assert code is None or code in text


@pytest.mark.parametrize(
    ("text", "limit", "incomplete"),
    [
        ("thinking ...", True, True),
        ("thinking ...", False, False),
        ("```python\nprint(1", True, True),
        ("```python\nprint(1)\n```\nIt prints", True, False),
        ("```python\nprint(\n```\nIt prints", True, True),
        ("```python\nx\n```\nBetter:\n```python\ny = [", True, True),
        ("```python\nx = 1\n```", False, False),
    ],
)
def test_is_incomplete(text: str, limit: bool, incomplete: bool) -> None:
    assert is_incomplete(text, limit) is incomplete


# -- models and samplers --------------------------------------------------------------------------


def test_missing_model_folder_says_what_to_give(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"does not exist; give a folder with config.json"):
        resolve_model(str(tmp_path / "none"))
    with pytest.raises(ModelError, match=r"has no config\.json"):
        resolve_model(str(tmp_path))


def test_hub_name_without_a_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(ModelError, match="could not be fetched from the Hub"):
        resolve_model("nobody/no-such-model-here")


def test_model_hash_changes_with_any_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MICROCODER_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "m"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(b"0" * 2**21)
    first = model_hash(folder)
    assert model_hash(folder) == first
    (folder / "model.safetensors").write_bytes(b"0" * (2**21 - 1) + b"1")
    second = model_hash(folder)
    (folder / "config.json").write_text('{"a": 1}')
    assert len({first, second, model_hash(folder)}) == 3


def test_unknown_backend_is_named() -> None:
    with pytest.raises(SamplerError, match="known: transformers, vllm"):
        make_sampler("sglang", "smollm2")


def test_room_is_the_limit_or_what_the_context_leaves() -> None:
    assert room("a", 10, 100, 50) == 50
    assert room("a", 80, 100, 50) == 20
    with pytest.raises(SamplerError, match="prompt 'a/b' has 100 tokens"):
        room("a/b", 100, 100, 50)


def test_draw_seeds_differ_by_each_part() -> None:
    seeds = {draw_seed(s, k, i) for s in range(4) for k in ("a", "b", "a\0") for i in range(4)}
    assert len(seeds) == 48
    assert all(0 <= s < 2**63 for s in seeds)


# -- select ---------------------------------------------------------------------------------------


def probed(name: str, passed: int, k: int = 10, flags: tuple[str, ...] = ()) -> Problem:
    low, high = wilson(passed, k)
    probe = Probe("m", k, passed, passed / k, low, high, 40.0, 0.8, 96, 0)
    return Problem(id=f"t/{name}", flags=flags, probes=(probe,))


def test_select_keeps_the_band_and_says_why_not(tmp_path: Path) -> None:
    problems = [
        *(probed("zero", 0), probed("one", 1), probed("eight", 8), probed("nine", 9)),
        Problem(id="t/bare"),
    ]
    write_problems(problems, tmp_path / "in")
    result = select([tmp_path / "in"], tmp_path / "out")
    assert [p.id for p in Shards([tmp_path / "out"])] == ["t/one", "t/eight"]
    assert result.reasons == {"not_probed": 1, "too_easy": 1, "unsolved": 1}
    evidence = {d["id"]: d["evidence"] for d in iter_dropped(tmp_path / "out")}
    assert '"pass_rate": 0.9' in evidence["t/nine"]


def test_select_judges_by_the_newest_probe(tmp_path: Path) -> None:
    p = probed("two", 9)
    newer = Probe("m2", 10, 5, 0.5, 0.2, 0.8, 40.0, 0.8, 96, 0)
    write_problems([Problem(id=p.id, probes=(*p.probes, newer))], tmp_path / "in")
    assert select([tmp_path / "in"], tmp_path / "out").kept == 1


def test_keep_unsolved_wants_a_verified_reference(tmp_path: Path) -> None:
    problems = [probed("known", 0, flags=("verified",)), probed("unknown", 0)]
    write_problems(problems, tmp_path / "in")
    config = SelectConfig(keep_unsolved=True)
    select([tmp_path / "in"], tmp_path / "out", config)
    assert [p.id for p in Shards([tmp_path / "out"])] == ["t/known"]


def test_band_must_be_a_band() -> None:
    with pytest.raises(ConfigError, match="must be below max_rate"):
        parse_config({"min_rate": 0.8, "max_rate": 0.5}, SelectConfig, "c.toml [select]")
