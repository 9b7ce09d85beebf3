"""Probe: how often does a model solve each problem?"""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from difficulty.intervals import wilson
from difficulty.models import model_hash, resolve_model
from difficulty.prompts import DEFAULT_FEW_SHOT, FewShot, build_messages, extract_code
from difficulty.samplers import Completion, Sampler, TransformersSampler, make_sampler
from evaluator.judge import Judge
from evaluator.layout import Tier
from pipelines.config import StageConfig
from pipelines.problem import Probe, Problem, drop
from pipelines.shards import Shards
from pipelines.stage import Decision, Progress, StageContext, StageResult, no_progress, run_stage


class ProbeConfig(StageConfig):
    """`k` samples a problem at `temperature`, at most `max_new_tokens` tokens long. `model` is
    'smollm2', a folder or a Hub name. `chunk` problems are sampled and journaled together; it and
    `batch_size` (answers at once) move the last digit of floats, and with it now and then a
    sample, so they count as config. `workers` (judge processes, None: one a core) and `threads`
    (torch's, None: its own choice) do not, nor does `weakest_tier`, the least isolation to run
    programs in (see evaluator.sandbox)."""

    model: str = "smollm2"
    backend: Literal["transformers", "vllm"] = "transformers"
    k: int = Field(default=8, ge=1)
    temperature: float = Field(default=0.8, ge=0)
    top_p: float = Field(default=1.0, gt=0, le=1)
    max_new_tokens: int = Field(default=512, ge=1)
    seed: int = 0
    few_shot: tuple[FewShot, ...] = DEFAULT_FEW_SHOT
    chunk: int = Field(default=8, ge=1)
    batch_size: int = Field(default=32, ge=1)
    workers: int | None = Field(default=None, ge=1, exclude=True)
    weakest_tier: Tier = Field(default="A", exclude=True)
    threads: int | None = Field(default=None, ge=1, exclude=True)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the samples of one problem came to. `verdicts` has one word a sample; "no_code" for
    an answer without a program. `tokens` are the answers' lengths."""

    verdicts: tuple[str, ...]
    tokens: tuple[int, ...]
    truncated: int

    @property
    def judged(self) -> list[str]:
        """Verdicts that say something about the sample; judge errors are the judge's fault."""
        return [v for v in self.verdicts if v != "judge_error"]


def probe(
    inputs: Sequence[Path],
    out: Path,
    config: ProbeConfig | None = None,
    progress: Progress = no_progress,
) -> StageResult:
    """Sample, judge, and append a :class:`pipelines.problem.Probe` to every problem. Samples that
    could not be judged are left out of its k. Drops: judge_error (more than half of the samples),
    no_tests, prompt_too_long (no room for `max_new_tokens` in the context: a rate from shorter
    answers would say less than it claims).

    Raises ModelError before any work when the model can't be had.

    >>> # probe([Path("runs/x/05-verify")], Path("out"), ProbeConfig(k=4))
    """
    settings = config or ProbeConfig()
    path = resolve_model(settings.model)

    def decide(problems: Shards, ctx: StageContext) -> Iterator[Decision]:
        runner = _Runner(settings, str(path))
        totals = _Totals()
        try:
            for chunk in _chunks(problems, settings.chunk):
                outcomes = runner.outcomes(chunk, ctx, len(problems))
                for problem, outcome in zip(chunk, outcomes, strict=True):
                    yield _decision(problem, outcome, settings, totals)
        finally:
            runner.close()
        ctx.extra.update(totals.report(settings.k))

    return run_stage(
        "probe",
        inputs,
        out,
        settings,
        decide,
        rooms=("difficulty", "evaluator"),
        progress=progress,
        key_extra=model_hash(path),
    )


@dataclass(slots=True)
class _Totals:
    """The probe's part of the report."""

    verdicts: Counter[str] = field(default_factory=Counter)
    passed: Counter[int] = field(default_factory=Counter)
    rates: list[float] = field(default_factory=list)
    tokens: int = 0
    truncated: int = 0

    def report(self, k: int) -> dict[str, Any]:
        """`solved_of_k`: problems by number of passed samples; the rest are sums over samples."""
        return {
            "samples": self.verdicts.total(),
            "verdicts": dict(sorted(self.verdicts.items())),
            "no_code": self.verdicts["no_code"],
            "judge_errors": self.verdicts["judge_error"],
            "tokens": self.tokens,
            "truncated": self.truncated,
            "solved_of_k": {str(i): self.passed[i] for i in range(k + 1)},
            "mean_pass_rate": sum(self.rates) / len(self.rates) if self.rates else None,
        }


def _chunks(problems: Shards, size: int) -> Iterator[tuple[Problem, ...]]:
    rows = iter(problems)
    while chunk := tuple(itertools.islice(rows, size)):
        yield chunk


class _Runner:
    """The model and the judge, loaded when the first chunk is not in the journal."""

    def __init__(self, config: ProbeConfig, model: str) -> None:
        self.config = config
        self.model = model
        self._sampler: Sampler | None = None
        self._judge: Judge | None = None
        self._tokens = 0
        self._seconds = 0.0
        self._done = 0
        self._shown = 0.0

    def outcomes(
        self, chunk: Sequence[Problem], ctx: StageContext, total: int
    ) -> list[Outcome | None]:
        """One outcome a problem (None: not sampled), from the journal if there. The journal
        belongs to this input and config, so a chunk's place names it."""
        key = str(self._done)
        stored = ctx.journal.get(key)
        if stored is None:
            results = self._run(chunk, ctx, total)
            if all("judge_error" not in r.verdicts for r in results if r):
                # a judge error may be gone in the next run, so it is never remembered
                ctx.journal.put(key, [asdict(r) if r else None for r in results])
        else:
            results = [_outcome(r) for r in stored]
        self._done += len(chunk)
        ctx.progress(ctx.stage, self._done, total, self._rate())
        return results

    def _rate(self) -> str:
        return f"{self._tokens / self._seconds:.0f} tokens/s" if self._seconds else "from journal"

    def _load(self) -> tuple[Sampler, Judge]:
        c = self.config
        if self._sampler is None:
            self._sampler = make_sampler(c.backend, self.model, c.batch_size, c.threads)
        if self._judge is None:
            self._judge = Judge(workers=c.workers, weakest_tier=c.weakest_tier)
        return self._sampler, self._judge

    def _run(self, chunk: Sequence[Problem], ctx: StageContext, total: int) -> list[Outcome | None]:
        c = self.config
        ctx.progress(ctx.stage, self._done, total, "loading the model" if not self._sampler else "")
        sampler, judge = self._load()
        prompts = [sampler.encode(build_messages(p, c.few_shot)) for p in chunk]
        longest = sampler.context_length - c.max_new_tokens
        fits = [i for i, p in enumerate(chunk) if p.tests and len(prompts[i]) <= longest]
        started = time.monotonic()
        drawn = 0

        def show(tokens: int) -> None:
            nonlocal drawn
            drawn += tokens
            now = time.monotonic()
            if now - self._shown >= 1:
                self._shown = now
                note = f"{drawn / (now - started):.0f} tokens/s, sampling {len(fits)} problems"
                ctx.progress(ctx.stage, self._done, total, note)

        if isinstance(sampler, TransformersSampler):
            sampler.on_tokens = show
        groups = sampler.generate(
            [prompts[i] for i in fits],
            c.k,
            temperature=c.temperature,
            max_new_tokens=c.max_new_tokens,
            seed=c.seed,
            keys=[chunk[i].id for i in fits],
            top_p=c.top_p,
        )
        self._seconds += time.monotonic() - started
        self._tokens += sum(len(s.token_ids) for g in groups for s in g)
        ctx.progress(ctx.stage, self._done, total, f"judging {len(groups) * c.k} answers")
        verdicts = judge_samples(judge, [chunk[i] for i in fits], groups)
        results: list[Outcome | None] = [None] * len(chunk)
        for i, group, words in zip(fits, groups, verdicts, strict=True):
            results[i] = Outcome(
                tuple(words),
                tuple(len(s.token_ids) for s in group),
                sum(s.finish_reason == "length" for s in group),
            )
        return results

    def close(self) -> None:
        if self._judge is not None:
            self._judge.close()
        if self._sampler is not None:
            self._sampler.close()


def judge_samples(
    judge: Judge, problems: Sequence[Problem], groups: Sequence[Sequence[Completion]]
) -> list[list[str]]:
    """A verdict for each completion: "no_code" without a program. A program that several samples
    of a problem share is judged once.

    >>> # judge_samples(judge, [problem], [[completion]])
    """
    codes = [[extract_code(s.text) for s in group] for group in groups]
    wanted = {
        (i, code): problem
        for i, (problem, row) in enumerate(zip(problems, codes, strict=True))
        for code in row
        if code is not None
    }
    order = list(wanted)
    found: dict[tuple[int, str], str] = {}
    for j, result in judge.map((wanted[key], key[1]) for key in order):
        found[order[j]] = result.verdict
    return [
        [found[i, code] if code is not None else "no_code" for code in row]
        for i, row in enumerate(codes)
    ]


def _outcome(stored: dict[str, Any] | None) -> Outcome | None:
    if stored is None:
        return None
    return Outcome(tuple(stored["verdicts"]), tuple(stored["tokens"]), stored["truncated"])


def _decision(
    problem: Problem,
    outcome: Outcome | None,
    config: ProbeConfig,
    totals: _Totals,
) -> Decision:
    if not problem.tests:
        return drop(problem, "probe", "no_tests", remedy="verify before probing")
    if outcome is None:
        remedy = "take a model with a longer context, or lower max_new_tokens"
        facts = {"model": config.model, "max_new_tokens": config.max_new_tokens}
        return drop(problem, "probe", "prompt_too_long", remedy=remedy, **facts)
    totals.verdicts.update(outcome.verdicts)
    totals.tokens += sum(outcome.tokens)
    totals.truncated += outcome.truncated
    judged = outcome.judged
    if 2 * len(judged) < len(outcome.verdicts) or not judged:
        return drop(problem, "probe", "judge_error", verdicts=list(outcome.verdicts))
    k, passed = len(judged), judged.count("accepted")
    totals.passed[passed] += 1
    totals.rates.append(passed / k)
    low, high = wilson(passed, k)
    return replace(
        problem,
        probes=(
            *problem.probes,
            Probe(
                model=config.model,
                k=k,
                passed=passed,
                pass_rate=passed / k,
                low=low,
                high=high,
                mean_tokens=sum(outcome.tokens) / len(outcome.tokens),
                temperature=config.temperature,
                max_new_tokens=config.max_new_tokens,
                truncated=outcome.truncated,
            ),
        ),
    )
