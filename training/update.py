"""The policy update: log-probabilities of stored answers, losses, gradients, optimiser steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from training.config import TrainConfig
from training.data import TrainError
from training.losses import (
    aggregate,
    clipped_objective,
    hidden_logprobs,
    k3,
    sequence_objective,
    token_logprobs,
)
from training.rollout import Rollout

#: Updates in a row without a finite gradient that end a run.
MAX_NONFINITE = 3


@dataclass(slots=True)
class UpdateStats:
    """Sums over the mini-batches of a step."""

    rows: int = 0
    tokens: int = 0
    entropy_sum: float = 0.0
    clip_units: int = 0
    clip_low: int = 0
    clip_high: int = 0
    norms: list[float] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    no_signal: int = 0
    nonfinite: int = 0

    def metrics(self) -> dict[str, Any]:
        """The update's part of a metrics line. Entropy (at the sampling temperature) and clip
        shares are over the tokens that were trained on; None where there were none. Rows, tokens
        and entropy of an update that was skipped do not count."""
        units = max(1, self.clip_units)
        return {
            "entropy": self.entropy_sum / self.tokens if self.tokens else None,
            "grad_norm": sum(self.norms) / len(self.norms) if self.norms else None,
            "clip_low_share": self.clip_low / units,
            "clip_high_share": self.clip_high / units,
            "rows_trained": self.rows,
            "skipped_updates": self.no_signal + self.nonfinite,
            "nonfinite_updates": self.nonfinite,
            "loss": sum(self.losses) / len(self.losses) if self.losses else None,
        }


def make_optimizer(model: Any, config: TrainConfig) -> torch.optim.AdamW:
    """AdamW with betas 0.9 and 0.999, eps 1e-8, and a constant learning rate. The fused form goes
    through memory once, which halves its time on a CPU."""
    return torch.optim.AdamW(
        model.parameters(),
        lr=config.lr,
        betas=(0.9, 0.999),
        weight_decay=config.weight_decay,
        fused=True,
    )


def micro_batches(rows: Sequence[Rollout], max_tokens: int) -> list[list[int]]:
    """Indices of rows in parts of one prompt each, answers of similar length together. A part has
    at most `max_tokens`: its prompt once and its answers with padding. A row longer than that
    stands alone."""
    order = sorted(range(len(rows)), key=lambda i: (rows[i].slot, len(rows[i].completion_ids), i))
    parts: list[list[int]] = []
    for i in order:
        row = rows[i]
        if parts and rows[parts[-1][0]].prompt_ids == row.prompt_ids:
            answers = (len(parts[-1]) + 1) * len(row.completion_ids)
            if len(row.prompt_ids) + answers <= max_tokens:
                parts[-1].append(i)
                continue
        parts.append([i])
    return parts


def score_rows(model: Any, rows: Sequence[Rollout]) -> tuple[list[Tensor], list[Tensor]]:
    """Log-probability and entropy of every answer token at its row's temperature: one float32
    tensor [answer tokens] a row, each. The rows answer one prompt, which is run once; gradients
    flow into it through the key-value cache. With eight answers that are shorter than their
    prompt this saves most of the work."""
    device, prompt = model.device, rows[0].prompt_ids
    if any(r.prompt_ids != prompt for r in rows):
        raise ValueError("the rows must answer one prompt")
    start = model.base_model(input_ids=torch.tensor([prompt], device=device), use_cache=True)
    lengths = [len(r.completion_ids) for r in rows]
    # padding stands on the right, where causal attention keeps it from every real token
    ids = torch.zeros(len(rows), max(lengths), dtype=torch.long, device=device)
    for i, r in enumerate(rows):
        ids[i, : lengths[i]] = torch.tensor(r.completion_ids, device=device)
    # the state before a token predicts it: the first one needs the prompt's last state only
    hidden = start.last_hidden_state[:, -1:].expand(len(rows), 1, -1)
    if ids.shape[1] > 1:
        cache = start.past_key_values
        cache.batch_repeat_interleave(len(rows))
        positions = torch.arange(len(prompt), len(prompt) + ids.shape[1] - 1, device=device)
        rest = model.base_model(
            input_ids=ids[:, :-1],
            position_ids=positions.expand(len(rows), -1),
            past_key_values=cache,
            use_cache=True,
        )
        hidden = torch.cat([hidden, rest.last_hidden_state], dim=1)
    weight = model.get_output_embeddings().weight
    logps: list[Tensor] = [ids] * len(rows)
    entropies: list[Tensor] = [ids] * len(rows)
    for temperature in sorted({r.temperature for r in rows}):
        members = [i for i, r in enumerate(rows) if r.temperature == temperature]
        states = torch.cat([hidden[i, : lengths[i]] for i in members])
        targets = torch.cat([ids[i, : lengths[i]] for i in members])
        logp, entropy = hidden_logprobs(states, weight, targets, temperature)
        sizes = [lengths[i] for i in members]
        for i, a, b in zip(members, logp.split(sizes), entropy.split(sizes), strict=True):
            logps[i], entropies[i] = a, b
    return logps, entropies


def check_head(model: Any, prompt: Sequence[int]) -> None:
    """Raises TrainError for a model whose logits are not its last hidden state times its output
    embeddings (a bias, a scale, a cap): its log-probabilities would be wrong in silence."""
    ids = torch.tensor([list(prompt[:16])], device=model.device)
    with torch.no_grad():
        hidden = model.base_model(input_ids=ids, use_cache=False).last_hidden_state[0]
        ours, _ = hidden_logprobs(hidden, model.get_output_embeddings().weight, ids[0], 1.0)
        theirs = token_logprobs(model(input_ids=ids, use_cache=False).logits[0], ids[0], 1.0)
    if not torch.allclose(ours, theirs, atol=1e-3):
        raise TrainError(
            f"{type(model).__name__}: the logits are not hidden state times output embeddings "
            "(a bias, a scale or a cap), which training does not support; take another model"
        )


class Updater:
    """Optimiser steps of `model` from rollouts. `reference` is the frozen start model, for the KL
    term only. `bad` counts the updates in a row whose gradient was not finite."""

    def __init__(
        self, model: Any, optimizer: torch.optim.Optimizer, config: TrainConfig, reference: Any
    ) -> None:
        if config.kl_coef > 0 and reference is None:
            raise ValueError("kl_coef > 0 needs the reference model")
        self.model, self.optimizer, self.config = model, optimizer, config
        self.reference = reference
        self.bad = 0

    def update(self, groups: Sequence[Sequence[Rollout]]) -> UpdateStats:
        """One step: an optimiser step for every `mini_batch` groups. The first one's old policy
        is the model itself; for the others it is scored before anything changes."""
        stats = UpdateStats()
        size = self.config.mini_batch
        batches = [groups[i : i + size] for i in range(0, len(groups), size)]
        self.model.eval()  # no dropout: the ratio of an unchanged policy is 1
        old: list[dict[int, Tensor] | None] = [None]
        old += [self._old(self._trained(batch)) for batch in batches[1:]]
        for batch, logps in zip(batches, old, strict=True):
            self._mini_batch(batch, logps, stats)
        return stats

    def _trained(self, groups: Sequence[Sequence[Rollout]]) -> list[Rollout]:
        """The rows that can have a gradient."""
        keep_all = self.config.kl_coef > 0
        return [r for group in groups for r in group if keep_all or r.advantage != 0]

    def _old(self, rows: list[Rollout]) -> dict[int, Tensor]:
        found: dict[int, Tensor] = {}
        with torch.no_grad():
            for part in micro_batches(rows, self.config.micro_batch_tokens):
                logps, _ = score_rows(self.model, [rows[i] for i in part])
                found.update(zip(part, logps, strict=True))
        return found

    def _mini_batch(
        self,
        groups: Sequence[Sequence[Rollout]],
        old: dict[int, Tensor] | None,
        stats: UpdateStats,
    ) -> None:
        rows = self._trained(groups)
        if not rows:
            stats.no_signal += 1
            return
        everything = [r for group in groups for r in group]
        self.optimizer.zero_grad(set_to_none=True)
        loss_sum = entropy_sum = 0.0
        tokens = 0
        for part in micro_batches(rows, self.config.micro_batch_tokens):
            some = [rows[i] for i in part]
            logps, entropies = score_rows(self.model, some)
            olds = [p.detach() for p in logps] if old is None else [old[i] for i in part]
            loss = self._loss(some, logps, olds, everything, len(groups), stats)
            loss.backward()
            loss_sum += float(loss.detach())
            entropy_sum += sum(float(e.sum()) for e in entropies)
            tokens += sum(len(p) for p in logps)
        norm = float(torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.config.grad_clip))
        if all(map(math.isfinite, (norm, loss_sum, entropy_sum))):
            self.optimizer.step()
            self.bad = 0
            stats.norms.append(norm)
            stats.losses.append(loss_sum)
            stats.rows += len(rows)
            stats.tokens += tokens
            stats.entropy_sum += entropy_sum
        else:
            self.bad += 1
            stats.nonfinite += 1
        self.optimizer.zero_grad(set_to_none=True)  # sampling needs the memory
        if self.bad >= MAX_NONFINITE:
            raise TrainError(
                f"{self.bad} updates in a row had a gradient that is not finite; lower 'lr', or "
                "look at the model's weights and the last rollouts"
            )

    def _loss(
        self,
        rows: Sequence[Rollout],
        logps: Sequence[Tensor],
        olds: Sequence[Tensor],
        everything: Sequence[Rollout],
        prompts: int,
        stats: UpdateStats,
    ) -> Tensor:
        """The part of the mini-batch's loss that some of its rows make up."""
        c = self.config
        penalties: list[Tensor] | None = None
        if c.kl_coef > 0:
            with torch.no_grad():
                reference, _ = score_rows(self.reference, rows)
            penalties = [c.kl_coef * k3(p, q) for p, q in zip(logps, reference, strict=True)]
        if c.aggregation == "sequence":
            terms = []
            for r, logp, old in zip(rows, logps, olds, strict=True):
                terms.append(sequence_objective(logp, old, r.advantage, c.eps_low, c.eps_high))
                ours, theirs = (t.detach().sum().view(1) for t in (logp, old))
                advantage = torch.full_like(ours, r.advantage)
                _, counts = clipped_objective(ours, theirs, advantage, c.eps_low, c.eps_high)
                _count(stats, counts)
            loss = torch.stack(terms).sum() / prompts
            if penalties is not None:  # KL of whole answers: the mean over a group's answers
                loss = loss + torch.cat(penalties).sum() / len(everything)
            return loss
        losses = []
        for i, (r, logp, old) in enumerate(zip(rows, logps, olds, strict=True)):
            token_loss, counts = clipped_objective(
                logp, old, torch.full_like(logp, r.advantage), c.eps_low, c.eps_high
            )
            _count(stats, counts)
            losses.append(token_loss if penalties is None else token_loss + penalties[i])
        return aggregate(
            losses,
            c.aggregation,
            total_tokens=sum(len(r.completion_ids) for r in everything),
            total_rows=len(everything),
            limit=max(r.max_new_tokens for r in rows),
        )


def _count(stats: UpdateStats, counts: dict[str, Any]) -> None:
    stats.clip_units += counts["tokens"]
    stats.clip_low += counts["clip_low"]
    stats.clip_high += counts["clip_high"]
