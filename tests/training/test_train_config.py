"""The training table over its preset."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import pytest

from pipelines.config import ConfigError
from training.config import (
    PRESETS,
    ConstantT,
    DiversityT,
    MaskConfig,
    StagedT,
    TrainConfig,
    load_train_config,
    preset_names,
)


def fault(**table: Any) -> str:
    with pytest.raises(ConfigError) as e:
        load_train_config(table, "my.toml [train]")
    assert str(e.value).startswith("my.toml [train]")
    return str(e.value)


def test_the_presets_load() -> None:
    assert preset_names() == ["dapo-lite", "grpo", "microcoder-grpo"]
    for name in preset_names():
        config = load_train_config({"preset": name}, "x")
        assert config.preset == name
        assert (config.group_size, config.lr, config.prompts_per_step) == (8, 1e-6, 64)


def test_what_sets_the_presets_apart() -> None:
    grpo, dapo, ours = (
        load_train_config({"preset": name}, "x")
        for name in ("grpo", "dapo-lite", "microcoder-grpo")
    )
    assert (grpo.kl_coef, grpo.eps_low, grpo.eps_high) == (0.001, 0.2, 0.2)
    assert (dapo.kl_coef, dapo.eps_low, dapo.eps_high) == (0.0, 0.2, 0.28)
    assert (ours.kl_coef, ours.eps_low, ours.eps_high) == (0.0, 0.2, 0.28)
    assert grpo.mask.mode == dapo.mask.mode == "none"
    assert ours.mask == MaskConfig(mode="correct_or_incomplete", rho=0.2, window=128)
    assert grpo.temperature == dapo.temperature == ConstantT(value=1.2)
    assert ours.temperature == DiversityT()


def test_every_preset_figure_names_its_origin() -> None:
    for name in preset_names():
        for line in (PRESETS / f"{name}.toml").read_text("utf-8").splitlines():
            if "=" in line and not line.startswith("#") and "constant" not in line:
                assert re.search(r"# (paper|our)", line), f"{name}: {line}"


def test_the_defaults_are_the_default_preset() -> None:
    assert load_train_config({}, "x") == TrainConfig()


def test_tables_merge_and_another_kind_replaces() -> None:
    config = load_train_config({"mask": {"rho": 0.1}, "temperature": {"target": 0.8}}, "x")
    assert config.mask == MaskConfig(mode="correct_or_incomplete", rho=0.1)
    assert config.temperature == DiversityT(target=0.8)
    other = {"kind": "staged", "stages": [[0, 0.6], [140, 1.8]]}
    assert load_train_config({"temperature": other}, "x").temperature == StagedT(
        stages=((0, 0.6), (140, 1.8))
    )
    same = load_train_config({"preset": "grpo", "temperature": {"value": 0.9}}, "x")
    assert same.temperature == ConstantT(value=0.9)
    assert load_train_config({"temperature": {"kind": "constant"}}, "x").temperature == ConstantT()


def test_the_given_table_is_left_as_it_is() -> None:
    table = {"mask": {"rho": 0.1}, "temperature": {"target": 0.8}}
    load_train_config(table, "x")
    assert table == {"mask": {"rho": 0.1}, "temperature": {"target": 0.8}}


def test_unknown_presets_and_keys_get_suggestions() -> None:
    message = fault(preset="microcoder_grpo")
    assert "did you mean 'microcoder-grpo'?" in message
    assert "dapo-lite, grpo, microcoder-grpo" in message
    assert "presets: " in fault(preset=3)
    assert "unknown key 'prompt_per_step'; did you mean 'prompts_per_step'?" in fault(
        prompt_per_step=4
    )
    assert "did you mean 'rho'?" in fault(mask={"rhos": 0.1})
    assert "unknown key 'targets'; did you mean 'target'?" in fault(temperature={"targets": 0.1})
    assert "'eval_top_p'" in fault(top_p=0.9)


def test_temperature_must_be_a_table_of_a_known_kind() -> None:
    assert "kinds: constant, staged, diversity" in fault(temperature={"kind": "ramp"})
    assert "must be a table" in fault(temperature=1.2)
    # a key of another kind needs that kind
    assert "'value'" in fault(temperature={"value": 1.2})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("seed", -1),
        ("steps", 0),
        ("prompts_per_step", 0),
        ("mini_batch", 0),
        ("mini_batch", 65),
        ("group_size", 1),
        ("max_new_tokens", 0),
        ("lr", 0.0),
        ("lr", float("inf")),
        ("weight_decay", -0.1),
        ("grad_clip", 0.0),
        ("eps_low", 1.0),
        ("eps_high", 0.0),
        ("kl_coef", -1.0),
        ("aggregation", "mean"),
        ("heldout", -1),
        ("eval_every", 0),
        ("eval_attempts", 0),
        ("eval_temperature", -0.1),
        ("eval_top_p", 0.0),
        ("eval_max_new_tokens", 0),
        ("checkpoint_every", 0),
        ("micro_batch_tokens", 0),
        ("batch_size", 0),
        ("threads", 0),
        ("judge_workers", 0),
        ("max_tests", 0),
        ("model", ""),
        ("few_shot", [{"problem": "x"}]),
    ],
)
def test_values_out_of_range(key: str, value: Any) -> None:
    assert f"key '{key}" in fault(**{key: value})


@pytest.mark.parametrize(
    ("mask", "temperature"),
    [
        ({"rho": 1.5}, {}),
        ({"window": 0}, {}),
        ({"mode": "all"}, {}),
        ({}, {"target": 0.0}),
        ({}, {"prompts": 0}),
        ({}, {"candidates": []}),
        ({}, {"candidates": [1.0, 0.5]}),
        ({}, {"guard": 1.5}),
        ({}, {"kind": "constant", "value": 0.0}),
        ({}, {"kind": "staged"}),
        ({}, {"kind": "staged", "stages": []}),
        ({}, {"kind": "staged", "stages": [[5, 0.6]]}),
        ({}, {"kind": "staged", "stages": [[0, 0.6], [9, 1.0], [9, 1.2]]}),
        ({}, {"kind": "staged", "stages": [[0, 0.0]]}),
    ],
)
def test_nested_values_out_of_range(mask: dict[str, Any], temperature: dict[str, Any]) -> None:
    fault(mask=mask, temperature=temperature)


def test_a_mini_batch_larger_than_the_step_says_why() -> None:
    assert "at most prompts_per_step, which is 8" in fault(prompts_per_step=8)
    assert load_train_config({"prompts_per_step": 8, "mini_batch": 8}, "x").mini_batch == 8


def test_few_shot() -> None:
    shot = {"problem": "p", "code": "c"}
    config = load_train_config({"few_shot": [shot]}, "x")
    assert config.few_shot is not None
    assert config.few_shot[0].style == "stdin"
    assert load_train_config({"few_shot": []}, "x").few_shot == ()
    assert load_train_config({}, "x").few_shot is None


def test_a_config_needs_no_torch() -> None:
    code = (
        "import sys, training.config, training.advantages, training.diversity, "
        "training.temperature; sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
