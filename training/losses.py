"""The policy loss (arXiv 2603.07777, equations 1 and 2).

    J(theta) = E_q [ sum_i min(R_i A_i, clip(R_i, 1 - eps, 1 + eps_high) A_i)
                     - beta_0 KL(pi_theta || pi_theta_old) ]
    R_i = pi_theta^T(o_i | q) / pi_theta_old^T(o_i | q)

Both policies are taken at the sampling temperature T. The losses here are -J, to be minimised.
Letters in shapes: T tokens of a row, V vocabulary, d hidden width, N tokens of any rows.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

#: Log ratios are cut to +-20: e^20 is finite in every float type used, and far outside the clip.
MAX_LOG_RATIO = 20.0


def _check(temperature: float, chunk: int) -> None:
    if temperature <= 0:
        raise ValueError(f"temperature must be positive: {temperature}")
    if chunk < 1:
        raise ValueError(f"chunk must be at least 1: {chunk}")


def token_logprobs(logits: Tensor, ids: Tensor, temperature: float, chunk: int = 512) -> Tensor:
    """log pi^T(id_t | ...) = log softmax(logits_t / T)[id_t], float32.

    logits [T, V] (row t predicts ids[t]; left unchanged), ids [T] -> [T]. Works on `chunk` rows
    at a time.
    """
    _check(temperature, chunk)
    parts = []
    for start in range(0, logits.shape[0], chunk):
        scaled = logits[start : start + chunk].float() / temperature
        picked = scaled.gather(-1, ids[start : start + chunk, None]).squeeze(-1)
        parts.append(picked - torch.logsumexp(scaled, dim=-1))
    return torch.cat(parts) if parts else logits.new_zeros(0, dtype=torch.float32)


def _chunk_logprobs(
    hidden: Tensor, weight: Tensor, ids: Tensor, temperature: float
) -> tuple[Tensor, Tensor]:
    scaled = (hidden @ weight.T).float() / temperature
    norm = torch.logsumexp(scaled, dim=-1)
    logp = scaled.gather(-1, ids[:, None]).squeeze(-1) - norm
    with torch.no_grad():
        logs = scaled - norm[:, None]
        entropy = -(logs.exp() * logs.clamp_min(torch.finfo(logs.dtype).min)).sum(-1)
    return logp, entropy


def hidden_logprobs(
    hidden: Tensor, weight: Tensor, ids: Tensor, temperature: float, chunk: int = 512
) -> tuple[Tensor, Tensor]:
    """`token_logprobs` of the logits hidden @ weight.T, without ever holding them whole: each
    chunk's logits are thrown away and computed again for the gradient.

    hidden [T, d], weight [V, d], ids [T] -> log-probabilities [T] and entropies [T] of pi^T (no
    gradient), both float32.
    """
    _check(temperature, chunk)
    logps, entropies = [], []
    for start in range(0, hidden.shape[0], chunk):
        part = slice(start, start + chunk)
        logp, entropy = checkpoint(
            _chunk_logprobs,
            hidden[part],
            weight,
            ids[part],
            temperature,
            use_reentrant=False,
            preserve_rng_state=False,
        )
        logps.append(logp)
        entropies.append(entropy.detach())
    if not logps:
        empty = hidden.new_zeros(0, dtype=torch.float32)
        return empty, empty.clone()
    return torch.cat(logps), torch.cat(entropies)


def _ratio(log_ratio: Tensor) -> Tensor:
    return log_ratio.clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO).exp()


def clipped_objective(
    logp: Tensor, old_logp: Tensor, advantages: Tensor, eps_low: float, eps_high: float
) -> tuple[Tensor, dict[str, Any]]:
    """Equation 1's clipped term, token by token, as a loss:
    -min(R A, clip(R, 1 - eps_low, 1 + eps_high) A) with R = exp(logp - old_logp).

    logp, old_logp, advantages: [N] -> [N]. The dict counts `tokens`, those whose gradient the
    clip removed (`clip_low`: R too low with A < 0, `clip_high`: R too high with A > 0), and has
    `ratio_mean`. Counts of micro-batches add up.
    """
    ratio = _ratio(logp - old_logp)
    clipped = ratio.clamp(1 - eps_low, 1 + eps_high)
    loss = -torch.minimum(ratio * advantages, clipped * advantages)
    with torch.no_grad():
        stats = {
            "tokens": ratio.numel(),
            "clip_low": int(((ratio < 1 - eps_low) & (advantages < 0)).sum()),
            "clip_high": int(((ratio > 1 + eps_high) & (advantages > 0)).sum()),
            "ratio_mean": float(ratio.mean()) if ratio.numel() else 1.0,
        }
    return loss, stats


def k3(logp: Tensor, ref_logp: Tensor) -> Tensor:
    """The KL term of equation 1, estimated token by token from samples of pi_theta:
    e^x - x - 1 with x = ref_logp - logp. Never negative. [N], [N] -> [N].
    """
    x = (ref_logp - logp).clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO)
    return x.exp() - x - 1


def aggregate(
    token_losses: list[Tensor], mode: str, *, total_tokens: int, total_rows: int, limit: int
) -> Tensor:
    """The scalar loss of some rows, [T_i] each, of a mini-batch with `total_rows` rows and
    `total_tokens` tokens: the sums of its micro-batches add up to the loss of the whole.

    - token_mean: sum of all tokens / total_tokens
    - seq_mean_token_mean: sum over rows of the row's mean / total_rows
    - seq_mean_token_sum: sum over rows of the row's sum / total_rows

    Masked rows stay in the denominators. A row longer than `limit` (L_max) is an error: prompt
    tokens would be in it. The mode `sequence` is `sequence_objective`.
    """
    if mode == "sequence":
        raise ValueError("aggregation 'sequence' has no token losses; use sequence_objective")
    if mode not in ("token_mean", "seq_mean_token_mean", "seq_mean_token_sum"):
        raise ValueError(f"unknown aggregation {mode!r}")
    if total_tokens < 1 or total_rows < 1:
        raise ValueError("total_tokens and total_rows must be at least 1")
    rows = [row for row in token_losses if row.numel()]
    if any(row.numel() > limit for row in rows):
        raise ValueError(f"a row has more tokens than the limit of {limit}")
    if not rows:
        return token_losses[0].sum() if token_losses else torch.zeros(())
    reduced = [row.mean() if mode == "seq_mean_token_mean" else row.sum() for row in rows]
    total = torch.stack(reduced).sum()
    return total / (total_tokens if mode == "token_mean" else total_rows)


def sequence_objective(
    logp_row: Tensor,
    old_row: Tensor,
    advantage: float | Tensor,
    eps_low: float,
    eps_high: float,
) -> Tensor:
    """Equation 1's term of one answer to the letter, as a loss: R_i is the ratio of whole
    answers, exp(sum_t (logp_t - old_t)).

    logp_row, old_row [T] -> scalar. The caller sums over answers and divides by the number of
    prompts (E_q); the equation has no 1/G and no 1/|o_i|.
    """
    ratio = _ratio((logp_row - old_row).sum())
    clipped = ratio.clamp(1 - eps_low, 1 + eps_high)
    return -torch.minimum(ratio * advantage, clipped * advantage)
