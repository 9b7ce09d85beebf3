"""Log-probabilities, the clipped objective and its aggregation."""

from __future__ import annotations

import math

import pytest

torch = pytest.importorskip("torch")

from training.losses import (  # noqa: E402
    aggregate,
    clipped_objective,
    hidden_logprobs,
    k3,
    sequence_objective,
    token_logprobs,
)


def tensor(*values: float):
    return torch.tensor(values, dtype=torch.float32)


def test_token_logprobs_by_hand() -> None:
    logits = tensor(math.log(4.0), 0.0).repeat(2, 1)
    ids = torch.tensor([0, 1])
    assert token_logprobs(logits, ids, 1.0).tolist() == pytest.approx(
        [math.log(0.8), math.log(0.2)]
    )
    # at T 2 the odds are the square root of 4
    assert token_logprobs(logits, ids, 2.0).tolist() == pytest.approx(
        [math.log(2 / 3), math.log(1 / 3)]
    )


def test_token_logprobs_leave_the_logits_and_return_float32() -> None:
    logits = torch.randn(5, 9, dtype=torch.bfloat16)
    before = logits.clone()
    assert token_logprobs(logits, torch.arange(5), 1.2).dtype == torch.float32
    assert torch.equal(logits, before)
    assert token_logprobs(logits[:0], torch.arange(0), 1.2).shape == (0,)


@pytest.mark.parametrize("chunk", [1, 7, 100])
def test_chunks_change_neither_values_nor_gradients(chunk: int) -> None:
    g = torch.Generator().manual_seed(0)
    hidden = torch.randn(23, 6, generator=g)
    weight = torch.randn(17, 6, generator=g)
    ids = torch.randint(17, (23,), generator=g)
    scale = torch.randn(23, generator=g)

    h, w = hidden.clone().requires_grad_(), weight.clone().requires_grad_()
    full = torch.log_softmax(h @ w.T / 1.2, -1)
    expected = full[torch.arange(23), ids]
    (expected * scale).sum().backward()

    h2, w2 = hidden.clone().requires_grad_(), weight.clone().requires_grad_()
    logp, entropy = hidden_logprobs(h2, w2, ids, 1.2, chunk)
    (logp * scale).sum().backward()
    torch.testing.assert_close(logp, expected, atol=1e-6, rtol=1e-6)
    torch.testing.assert_close(entropy, -(full.exp() * full).sum(-1), atol=1e-5, rtol=1e-5)
    assert not entropy.requires_grad
    torch.testing.assert_close(h2.grad, h.grad, atol=1e-6, rtol=1e-5)
    torch.testing.assert_close(w2.grad, w.grad, atol=1e-5, rtol=1e-5)
    plain = token_logprobs(hidden @ weight.T, ids, 1.2, chunk)
    torch.testing.assert_close(plain, expected.detach(), atol=1e-6, rtol=1e-6)


def test_hidden_logprobs_keep_no_logits_for_the_backward_pass() -> None:
    hidden = torch.randn(64, 4, requires_grad=True)
    weight = torch.randn(1000, 4, requires_grad=True)
    sizes: list[int] = []

    def pack(t):
        sizes.append(t.numel())
        return t

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        hidden_logprobs(hidden, weight, torch.zeros(64, dtype=torch.long), 1.0, chunk=8)
    assert max(sizes, default=0) <= weight.numel()  # the logits of a chunk would be 8000


def test_hidden_logprobs_of_nothing_and_without_gradient() -> None:
    weight = torch.randn(5, 3)
    for t in hidden_logprobs(torch.zeros(0, 3), weight, torch.zeros(0, dtype=torch.long), 1.0):
        assert t.shape == (0,)
    with torch.no_grad():
        logp, _ = hidden_logprobs(torch.randn(4, 3), weight, torch.arange(4), 1.0)
    assert not logp.requires_grad


@pytest.mark.parametrize(("temperature", "chunk"), [(0.0, 1), (1.0, 0)])
def test_bad_arguments(temperature: float, chunk: int) -> None:
    with pytest.raises(ValueError, match=r"must be|at least"):
        token_logprobs(torch.zeros(1, 2), torch.zeros(1, dtype=torch.long), temperature, chunk)


def test_the_wrong_temperature_gives_a_biased_gradient() -> None:
    """E[grad log pi] = 0 only under the distribution that was sampled from."""
    g = torch.Generator().manual_seed(1)
    logits = tensor(2.0, 0.5, 0.0, -1.0).requires_grad_()
    n = 20_000
    ids = torch.multinomial(torch.softmax(logits.detach() / 1.2, -1), n, True, generator=g)

    def gradient(temperature: float) -> float:
        logp = token_logprobs(logits.expand(n, 4), ids, temperature)
        loss, _ = clipped_objective(logp, logp.detach(), torch.ones(n), 0.2, 0.28)
        (grad,) = torch.autograd.grad(loss.mean(), logits)
        return float(grad.norm())

    assert gradient(1.2) < 0.01
    assert gradient(1.0) > 0.04


@pytest.mark.parametrize(
    ("ratio", "advantage", "eps_high", "loss", "clipped"),
    [
        (1.25, 1.0, 0.28, -1.25, False),
        (1.25, 1.0, 0.20, -1.20, True),
        (1.30, 2.0, 0.28, -2.56, True),
        (0.70, 1.0, 0.28, -0.70, False),  # the lower clip never holds back A > 0
        (0.70, -1.0, 0.28, 0.80, True),
        (0.85, -1.0, 0.28, 0.85, False),
        (1.50, -1.0, 0.28, 1.50, False),  # nor the upper one A < 0
        (1.50, 0.0, 0.28, 0.0, True),  # masked
    ],
)
def test_clip(ratio: float, advantage: float, eps_high: float, loss: float, clipped: bool) -> None:
    logp = tensor(math.log(ratio)).requires_grad_()
    got, stats = clipped_objective(logp, tensor(0.0), tensor(advantage), 0.2, eps_high)
    assert got.item() == pytest.approx(loss, abs=1e-6)
    got.sum().backward()
    assert (logp.grad.item() == 0) == clipped
    assert stats["clip_high"] == int(clipped and advantage > 0)
    assert stats["clip_low"] == int(clipped and advantage < 0)
    assert stats["tokens"] == 1
    assert stats["ratio_mean"] == pytest.approx(ratio, abs=1e-6)


@pytest.mark.parametrize("log_ratio", [30.0, -30.0, 500.0])
@pytest.mark.parametrize("advantage", [1.0, -1.0])
def test_huge_ratios_stay_finite(log_ratio: float, advantage: float) -> None:
    logp = torch.full((3,), log_ratio, requires_grad=True)
    loss, stats = clipped_objective(logp, torch.zeros(3), torch.full((3,), advantage), 0.2, 0.28)
    total = loss.sum() + k3(logp, torch.zeros(3)).sum()
    total = total + sequence_objective(logp, torch.zeros(3), advantage, 0.2, 0.28)
    total.backward()
    assert math.isfinite(total.item())
    assert math.isfinite(stats["ratio_mean"])
    assert torch.isfinite(logp.grad).all()


def test_k3() -> None:
    assert k3(tensor(-1.0, -2.0), tensor(-1.0, -1.0)).tolist() == pytest.approx([0.0, math.e - 2])
    x = torch.randn(100)
    assert (k3(x, torch.zeros(100)) >= 0).all()
    # its mean under pi is KL(pi || ref)
    pi, ref = torch.log(tensor(0.7, 0.3)), torch.log(tensor(0.4, 0.6))
    kl = (pi.exp() * (pi - ref)).sum()
    assert (pi.exp() * k3(pi, ref)).sum().item() == pytest.approx(kl.item(), abs=1e-6)


ROWS = [[1.0, 2.0, 3.0], [5.0]]


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("token_mean", 11 / 4),
        ("seq_mean_token_mean", (2 + 5) / 2),
        ("seq_mean_token_sum", (6 + 5) / 2),
    ],
)
def test_aggregate_by_hand(mode: str, expected: float) -> None:
    rows = [torch.tensor(row) for row in ROWS]
    got = aggregate(rows, mode, total_tokens=4, total_rows=2, limit=3)
    assert got.item() == pytest.approx(expected)


def test_masked_and_empty_rows_stay_in_the_denominator() -> None:
    rows = [tensor(2.0, 2.0), tensor(0.0, 0.0), torch.zeros(0)]
    assert aggregate(rows, "token_mean", total_tokens=4, total_rows=3, limit=9).item() == 1.0
    assert aggregate(rows, "seq_mean_token_sum", total_tokens=4, total_rows=3, limit=9).item() == (
        pytest.approx(4 / 3)
    )
    assert aggregate([], "token_mean", total_tokens=4, total_rows=3, limit=9).item() == 0


def test_aggregate_refuses() -> None:
    for mode in ("sequence", "mean"):
        with pytest.raises(ValueError, match="aggregation"):
            aggregate([tensor(1.0)], mode, total_tokens=1, total_rows=1, limit=1)
    with pytest.raises(ValueError, match="limit"):
        aggregate([tensor(1.0, 1.0)], "token_mean", total_tokens=2, total_rows=1, limit=1)
    with pytest.raises(ValueError, match="total_tokens"):
        aggregate([tensor(1.0)], "token_mean", total_tokens=0, total_rows=1, limit=1)


@pytest.mark.parametrize(
    "mode", ["token_mean", "seq_mean_token_mean", "seq_mean_token_sum", "sequence"]
)
def test_how_a_batch_is_cut_changes_no_gradient(mode: str) -> None:
    g = torch.Generator().manual_seed(2)
    lengths = [3, 9, 1, 5, 7, 2, 8, 4]
    ids = [torch.randint(6, (n,), generator=g) for n in lengths]
    states = [torch.randn(n, 5, generator=g) for n in lengths]
    advantages = torch.randn(8, generator=g).tolist()
    start = torch.randn(6, 5, generator=g)
    now = [token_logprobs(h @ start.T, i, 1.2) for h, i in zip(states, ids, strict=True)]
    old = [t + 0.1 * torch.randn(t.shape, generator=g) for t in now]

    def gradient(size: int):
        weight = start.clone().requires_grad_()
        for first in range(0, 8, size):
            rows = []
            for i in range(first, first + size):
                logp, _ = hidden_logprobs(states[i], weight, ids[i], 1.2, chunk=4)
                if mode == "sequence":
                    rows.append(sequence_objective(logp, old[i], advantages[i], 0.2, 0.28))
                    continue
                a = torch.full((lengths[i],), advantages[i])
                rows.append(clipped_objective(logp, old[i], a, 0.2, 0.28)[0])
            loss = (
                torch.stack(rows).sum() / 2  # two prompts
                if mode == "sequence"
                else aggregate(rows, mode, total_tokens=sum(lengths), total_rows=8, limit=9)
            )
            loss.backward()
        return weight.grad

    whole = gradient(8)
    assert whole.norm() > 1e-3
    for size in (4, 2, 1):
        torch.testing.assert_close(gradient(size), whole, atol=1e-6, rtol=1e-4)


def test_sequence_objective_by_hand() -> None:
    old = tensor(-1.0, -1.0)
    up = old + math.log(1.2)  # 1.44 for the answer
    assert sequence_objective(up, old, 1.0, 0.2, 0.5).item() == pytest.approx(-1.44)
    assert sequence_objective(up, old, 1.0, 0.2, 0.28).item() == pytest.approx(-1.28)
    assert sequence_objective(up, old, -1.0, 0.2, 0.28).item() == pytest.approx(1.44)


def learned(sign: float) -> float:
    """Probability of the rewarded one of four actions after training from 0.25."""
    from training.advantages import group_advantages

    g = torch.Generator().manual_seed(3)
    logits = torch.zeros(4, requires_grad=True)
    optimizer = torch.optim.SGD([logits], lr=1.0)
    for _ in range(60):
        ids = torch.multinomial(torch.softmax(logits.detach() / 1.2, -1), 8, True, generator=g)
        advantages = tensor(*group_advantages([float(i == 2) for i in ids.tolist()]))
        logp = token_logprobs(logits.expand(8, 4), ids, 1.2)
        loss, _ = clipped_objective(logp, logp.detach(), advantages, 0.2, 0.28)
        optimizer.zero_grad()
        total = aggregate(list(loss.split(1)), "token_mean", total_tokens=8, total_rows=8, limit=1)
        (sign * total).backward()
        optimizer.step()
    return torch.softmax(logits.detach(), -1)[2].item()


def test_minimising_the_loss_learns() -> None:
    assert learned(1.0) > 0.9
    assert learned(-1.0) < 0.1  # the test itself would notice a wrong sign
