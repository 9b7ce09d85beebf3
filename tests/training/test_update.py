"""The update on hand-written answers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from training.config import TrainConfig
from training.data import TrainError
from training.rollout import Rollout

torch = pytest.importorskip("torch")
from training import update as update_module  # noqa: E402
from training.losses import token_logprobs  # noqa: E402
from training.update import (  # noqa: E402
    Updater,
    check_head,
    make_optimizer,
    micro_batches,
    score_rows,
)

pytestmark = pytest.mark.lm
PROMPT = tuple(range(5, 25))


def row(slot: int = 0, sample: int = 0, n: int = 6, advantage: float = 1.0, **values: Any) -> Any:
    """An answer of n ids; prompts differ by slot."""
    base = {
        "step": 1,
        "prompt_id": f"a/{slot}",
        "slot": slot,
        "sample": sample,
        "prompt_ids": (*PROMPT, 30 + slot),
        "completion_ids": tuple((7 * sample + 3 * slot + 11 * i) % 900 + 3 for i in range(n)),
        "text": "",
        "finish_reason": "stop",
        "temperature": 1.3,
        "max_new_tokens": 40,
        "reward": 1.0,
        "verdict": "accepted",
        "advantage": advantage,
        "mask_reason": "none",
        "weights_step": 0,
    }
    return Rollout(**{**base, **values})


def groups(*advantages: tuple[float, ...]) -> list[list[Rollout]]:
    """One group a tuple, answers of different lengths."""
    return [
        [row(slot, i, 4 + 3 * i, a) for i, a in enumerate(group)]
        for slot, group in enumerate(advantages)
    ]


@pytest.fixture
def model(tiny: Path) -> Any:
    from difficulty.samplers import load_model

    return load_model(tiny, dtype="float32")[0]


def updater(model: Any, config: TrainConfig, reference: Any = None) -> Updater:
    return Updater(model, make_optimizer(model, config), config, reference)


def weights(model: Any) -> list[Any]:
    return [p.detach().clone() for p in model.parameters()]


def gradients(model: Any, config: TrainConfig, some: list[list[Rollout]], **kw: Any) -> list[Any]:
    """The clipped gradient that the optimiser would have been given."""
    found: list[Any] = []
    up = updater(model, config, **kw)

    def step() -> None:
        found.extend(p.grad.clone() for p in model.parameters())

    up.optimizer.step = step  # type: ignore[method-assign]
    up.update(some)
    return found


def other_model(model: Any) -> Any:
    """The same architecture with other weights, the same in every run."""
    torch.manual_seed(1)
    return type(model)(model.config).eval()


def assert_same_gradient(a: list[Any], b: list[Any]) -> None:
    """As equal as float32 sums in another order are: measured against the largest gradient of
    all, since a small one may be what large terms left when they cancelled."""
    scale = max(float(x.abs().max()) for x in b)
    assert scale > 1e-3
    worst = max(float((x - y).abs().max()) for x, y in zip(a, b, strict=True))
    assert worst <= 1e-4 * scale, (worst, scale)


def test_logprobs_are_those_of_the_plain_model(model: Any) -> None:
    rows = [row(0, i, n) for i, n in enumerate((1, 9, 4))]
    logps, entropies = score_rows(model, rows)
    for r, logp, entropy in zip(rows, logps, entropies, strict=True):
        ids = torch.tensor([[*r.prompt_ids, *r.completion_ids]])
        logits = model(input_ids=ids).logits[0, len(r.prompt_ids) - 1 : -1]
        wanted = token_logprobs(logits, torch.tensor(r.completion_ids), 1.3)
        torch.testing.assert_close(logp, wanted, atol=1e-4, rtol=0)
        p = torch.softmax(logits / 1.3, -1)
        torch.testing.assert_close(entropy, -(p * p.log()).sum(-1), atol=1e-4, rtol=1e-4)


def test_logprobs_do_not_depend_on_the_batch(model: Any) -> None:
    rows = [row(0, i, n) for i, n in enumerate((2, 30, 7, 1))]
    together, _ = score_rows(model, rows)
    for r, logp in zip(rows, together, strict=True):
        alone, _ = score_rows(model, [r])
        torch.testing.assert_close(alone[0], logp, atol=1e-4, rtol=0)


def test_gradients_reach_the_prompt_as_without_the_cache(model: Any) -> None:
    r = row(0, 1, 8)
    score_rows(model, [r, row(0, 2, 5)])[0][0].sum().backward()
    ours = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    ids = torch.tensor([[*r.prompt_ids, *r.completion_ids]])
    logits = model(input_ids=ids).logits[0, len(r.prompt_ids) - 1 : -1]
    token_logprobs(logits, torch.tensor(r.completion_ids), 1.3).sum().backward()
    assert_same_gradient(ours, [p.grad for p in model.parameters()])


def test_micro_batches_hold_one_prompt_under_the_limit() -> None:
    rows = [row(s, i, n) for s in (1, 0) for i, n in enumerate((30, 4, 5, 6))]
    parts = micro_batches(rows, 21 + 15)
    assert sorted(i for part in parts for i in part) == list(range(8))
    for part in parts:
        assert len({rows[i].slot for i in part}) == 1
        longest = max(len(rows[i].completion_ids) for i in part)
        assert len(part) == 1 or 21 + longest * len(part) <= 36
    assert [len(p) for p in parts] == [2, 1, 1, 2, 1, 1]


@pytest.mark.parametrize("mode", ["token_mean", "seq_mean_token_mean", "sequence"])
@pytest.mark.parametrize("kl", [0.0, 0.1])
def test_micro_batches_add_up(make_config: Any, model: Any, mode: str, kl: float) -> None:
    some = groups((1.0, -0.5, 0.0), (0.3, -0.3, 0.7))
    reference = other_model(model)
    settings = {"aggregation": mode, "kl_coef": kl, "grad_clip": 1e9}
    small = gradients(
        model, make_config(micro_batch_tokens=1, **settings), some, reference=reference
    )
    large = gradients(
        model, make_config(micro_batch_tokens=10_000, **settings), some, reference=reference
    )
    assert_same_gradient(small, large)


@pytest.mark.parametrize("mode", ["token_mean", "seq_mean_token_mean", "seq_mean_token_sum"])
def test_rows_without_advantage_are_left_out_but_counted(
    make_config: Any, model: Any, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    some = groups((1.0, -1.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0))
    config = make_config(aggregation=mode, grad_clip=1e9)
    left_out = gradients(model, config, some)
    monkeypatch.setattr(Updater, "_trained", lambda self, gs: [r for g in gs for r in g])
    everything = gradients(model, config, some)
    assert_same_gradient(left_out, everything)


def test_a_masked_answer_stays_in_the_denominator(make_config: Any, model: Any) -> None:
    config = make_config(grad_clip=1e9)
    alone = gradients(model, config, [[row(0, 0, 5, 1.0)]])
    masked = gradients(model, config, [[row(0, 0, 5, 1.0), row(0, 1, 15, 0.0)]])
    assert_same_gradient(alone, [4 * b for b in masked])


def test_the_second_mini_batch_is_off_policy(
    make_config: Any, model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ratios: list[float] = []
    real = update_module.clipped_objective

    def spy(logp: Any, old: Any, *rest: Any) -> Any:
        ratios.append(float((logp - old).detach().abs().max()))
        return real(logp, old, *rest)

    monkeypatch.setattr(update_module, "clipped_objective", spy)
    stats = updater(model, make_config(mini_batch=1)).update(groups((1.0, -1.0), (1.0, -1.0)))
    assert ratios[:2] == [0, 0]
    assert min(ratios[2:]) > 1e-4
    assert len(stats.norms) == 2


def test_the_old_policy_is_that_before_the_first_update(make_config: Any, model: Any) -> None:
    some = groups((1.0, -1.0), (0.0, 0.0), (1.0, -1.0))
    before = [score_rows(model, [r])[0][0].detach() for r in some[2]]
    up = updater(model, make_config(mini_batch=1))
    seen: list[Any] = []
    real = up._loss
    up._loss = lambda rows, logps, olds, *rest: (  # type: ignore[method-assign]
        seen.append(list(zip(rows, olds, strict=True))),
        real(rows, logps, olds, *rest),
    )[1]
    stats = up.update(some)
    last = {r.sample: old for r, old in seen[-1]}
    for sample, wanted in enumerate(before):
        torch.testing.assert_close(last[sample], wanted, atol=1e-4, rtol=0)
    assert stats.no_signal == 1


def test_without_signal_the_weights_stay(make_config: Any, model: Any) -> None:
    before = weights(model)
    up = updater(model, make_config(weight_decay=0.1))
    up.update(groups((1.0, -1.0)))  # fills the optimiser's momentum
    assert any(not torch.equal(a, b) for a, b in zip(before, weights(model), strict=True))
    before = weights(model)
    stats = up.update(groups((0.0, 0.0), (0.0, 0.0)))
    assert all(torch.equal(a, b) for a, b in zip(before, weights(model), strict=True))
    metrics = stats.metrics()
    assert (metrics["skipped_updates"], metrics["grad_norm"], metrics["entropy"]) == (1, None, None)


def test_an_update_makes_good_answers_likelier(make_config: Any, model: Any) -> None:
    some = groups((1.0, -1.0))

    def likelihood() -> list[float]:
        return [float(p.detach().sum()) for p in score_rows(model, some[0])[0]]

    before = likelihood()
    stats = updater(model, make_config()).update(some)
    good, bad = (b - a for a, b in zip(before, likelihood(), strict=True))
    assert good > 0 > bad
    assert (stats.rows, stats.tokens) == (2, 11)


def test_the_kl_term_pulls_rows_without_advantage(make_config: Any, model: Any) -> None:
    config = make_config(kl_coef=0.5, grad_clip=1e9)
    same = gradients(model, config, groups((0.0, 0.0)), reference=model)
    assert max(float(g.abs().max()) for g in same) < 1e-4  # the reference is the model itself
    other = other_model(model)
    pulled = gradients(model, config, groups((0.0, 0.0)), reference=other)
    assert max(float(g.abs().max()) for g in pulled) > 1e-3


def test_kl_without_a_reference_is_a_mistake(make_config: Any, model: Any) -> None:
    with pytest.raises(ValueError, match="reference"):
        updater(model, make_config(kl_coef=0.1))


def test_gradients_that_are_not_finite(make_config: Any, model: Any) -> None:
    up = updater(model, make_config())
    before = weights(model)
    poisoned = groups((float("inf"), -1.0))
    for bad in (1, 2):
        stats = up.update(poisoned)
        assert (stats.nonfinite, up.bad) == (1, bad)
        assert stats.metrics()["grad_norm"] is None
    assert all(torch.equal(a, b) for a, b in zip(before, weights(model), strict=True))
    up.update(groups((1.0, -1.0)))
    assert up.bad == 0
    up.update(poisoned)
    up.update(poisoned)
    with pytest.raises(TrainError, match=r"3 updates in a row.*lower 'lr'"):
        up.update(poisoned)


def test_weights_that_break_between_two_updates_leave_metrics_that_can_be_written(
    make_config: Any, model: Any
) -> None:
    up = updater(model, make_config(mini_batch=1))
    real = up.optimizer.step

    def step() -> None:
        real()
        with torch.no_grad():
            model.model.norm.weight.fill_(float("nan"))

    up.optimizer.step = step  # type: ignore[method-assign]
    metrics = up.update(groups((1.0, -1.0), (1.0, -1.0))).metrics()
    assert (metrics["nonfinite_updates"], metrics["rows_trained"]) == (1, 2)
    assert metrics["entropy"] > 0
    json.dumps(metrics, allow_nan=False)


def test_dropout_is_off(make_config: Any, model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in model.modules():
        if hasattr(module, "attention_dropout"):
            module.attention_dropout = 0.5
    some = groups((1.0, -1.0), (1.0, -1.0))
    wanted = score_rows(model.eval(), some[1])[0]
    seen: list[Any] = []
    real = Updater._old
    monkeypatch.setattr(
        Updater, "_old", lambda self, rows: seen.append(real(self, rows)) or seen[-1]
    )
    model.train()
    assert not torch.allclose(score_rows(model, some[1])[0][1], wanted[1], atol=1e-3)  # it bites
    updater(model, make_config(mini_batch=1)).update(some)
    for i, logp in enumerate(wanted):
        torch.testing.assert_close(seen[0][i], logp.detach(), atol=1e-4, rtol=0)


def test_a_head_with_a_scale_is_refused(model: Any) -> None:
    check_head(model, PROMPT)
    real = model.forward

    def scaled(*args: Any, **kwargs: Any) -> Any:
        out = real(*args, **kwargs)
        out.logits = out.logits * 0.5
        return out

    model.forward = scaled
    with pytest.raises(TrainError, match=r"LlamaForCausalLM.*a scale"):
        check_head(model, PROMPT)


def test_temperatures_of_the_records_are_used(model: Any) -> None:
    warm, cold = row(0, 0, 6), replace(row(0, 0, 6), temperature=0.7)
    logps, _ = score_rows(model, [warm, cold])
    assert not torch.allclose(logps[0], logps[1])
    for r, logp in zip((warm, cold), logps, strict=True):
        torch.testing.assert_close(score_rows(model, [r])[0][0], logp, atol=1e-4, rtol=0)
