"""What verify asks beyond 'does it pass': which comparison, how steady, how strong the tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from curation.checker_inference import candidates
from curation.strength import Strength, judge_of_mutants, measure
from curation.tests_kept import truncate_tests
from curation.verify import VerifyConfig, chosen, is_python, summary, with_limit
from evaluator.judge import DEFAULT_TIME_LIMIT_S, Judge, JudgeResult
from pipelines.problem import Checker, Problem, drop
from pipelines.stage import Decision, StageContext

#: Tests that kill under half of the mutants are flagged, whatever the floor.
WEAK = 0.5
#: A test that takes over this share of the limit fails on a slower machine.
NEAR_LIMIT = 0.5
_WEAKEST = 20


class Trust:
    """Examines the problems of one verify stage; every answer that took time is journaled."""

    def __init__(self, config: VerifyConfig, judge: Judge, ctx: StageContext) -> None:
        self.config, self.judge, self.ctx = config, judge, ctx
        self.rates: list[tuple[float, str, list[str]]] = []
        self.inferred_checkers: dict[str, str] = {}
        self.flags: Counter[str] = Counter()
        self.tests = {"before": 0, "after": 0}

    def inferred(
        self, row: int, p: Problem, verdicts: dict[int, dict[str, Any]]
    ) -> tuple[Problem, dict[int, dict[str, Any]]]:
        """The problem with another comparison, and the verdicts under it, where that tells right
        from wrong and its own does not: a looser one where accepted programs get wrong answers,
        the exact one where the any-order one (see :func:`by_wording`) passes a wrong program."""
        judged = [(p.solutions[i].expected == "accepted", v) for i, v in verdicts.items()]
        tried: tuple[tuple[Checker, str], ...] = ()
        if any(accepted and v["verdict"] == "wrong_answer" for accepted, v in judged):
            tried = tuple((checker, "checker_inferred") for checker in candidates(p))
        elif "any_order" in p.flags and any(v["passed"] and not a for a, v in judged):
            tried = ((Checker(), ""),)
        for number, (checker, flag) in enumerate(tried):
            key = f"{row}:{p.id}:checker:{number}"
            found = self.ctx.journal.get(key)
            if found is None:
                found = self._under(p, checker)
                self.ctx.journal.put(key, found)
            again = {int(i): v for i, v in found.items()}
            right = [
                v["passed"] == (p.solutions[i].expected == "accepted") for i, v in again.items()
            ]
            if right and all(right):
                self.inferred_checkers[p.id] = _named(checker)
                flags = [f for f in p.flags if f not in ("any_order", flag)]
                return replace(p, checker=checker, flags=(*flags, *filter(None, [flag]))), again
        return p, verdicts

    def _under(self, p: Problem, checker: Checker) -> dict[str, dict[str, Any]]:
        loose = replace(p, checker=checker)
        positions = chosen(p, self.config.max_solutions)
        pairs = [
            (with_limit(loose, p.solutions[i], self.config), p.solutions[i].code) for i in positions
        ]
        return {str(positions[at]): summary(p, r) for at, r in self.judge.map(pairs)}

    def examined(self, rows: Sequence[int], decided: Sequence[Decision]) -> Iterator[Decision]:
        """The decisions again, with flags for flaky, near-limit and weak tests, tests cut, and
        those dropped that the config drops."""
        wanted = {row: d for row, d in zip(rows, decided, strict=True) if isinstance(d, Problem)}
        codes = {row: _reference(p) for row, p in wanted.items()}
        steadiness = self._steadiness(wanted, codes)
        strengths = self._strengths(wanted, codes, steadiness)
        for row, decision in zip(rows, decided, strict=True):
            if not isinstance(decision, Problem):
                yield decision
                continue
            yield self._decide(decision, steadiness.get(row), strengths.get(row))

    def _decide(
        self, p: Problem, steady: dict[str, Any] | None, strength: Strength | None
    ) -> Decision:
        flags = [f for f in p.flags if f not in ("flaky", "near_limit", "weak_tests")]
        config, stage = self.config, self.ctx.stage
        if steady and steady["verdicts"] != ["accepted"]:
            self.flags["flaky"] += 1
            flags.append("flaky")
            if config.drop_flaky:
                return drop(p, stage, "flaky", verdicts=steady["verdicts"])
        if steady and steady["share_of_limit"] > NEAR_LIMIT:
            self.flags["near_limit"] += 1
            flags.append("near_limit")
        rate = strength.rate if strength else None
        if strength is not None and rate is not None:
            self.rates.append((rate, p.id, list(strength.survivors)))
            about = {
                "killed": strength.killed,
                "mutants": strength.made,
                "survivors": list(strength.survivors),
            }
            if config.min_kill_rate is not None and rate < config.min_kill_rate:
                return drop(p, stage, "weak_tests", floor=config.min_kill_rate, **about)
            if rate < WEAK:
                self.flags["weak_tests"] += 1
                flags.append("weak_tests")
        self.tests["before"] += len(p.tests)
        if config.cuts:
            kills = strength.kills if strength else ()
            most = config.max_tests or max(1, len(p.tests))
            p = truncate_tests(p, most, config.test_rule, config.max_test_bytes, kills)
        self.tests["after"] += len(p.tests)
        return replace(p, flags=tuple(flags))

    def _steadiness(
        self, problems: dict[int, Problem], codes: dict[int, str]
    ) -> dict[int, dict[str, Any]]:
        """Verdicts of the further runs of each first accepted program, and the largest share of
        the time limit that a test took."""
        found: dict[int, dict[str, Any]] = {}
        todo: list[int] = []
        if self.config.repeats < 2:
            return found
        for row in codes:
            if not codes[row]:
                continue
            known = self.ctx.journal.get(f"{row}:{problems[row].id}:steady")
            if known is None:
                todo.append(row)
            else:
                found[row] = known
        runs = self.config.repeats - 1
        pairs = (
            (_limited(problems[row], self.config), codes[row]) for row in todo for _ in range(runs)
        )
        results: dict[int, list[JudgeResult]] = {row: [] for row in todo}
        for at, result in self.judge.map(pairs):
            row = todo[at // runs]
            results[row].append(result)
            if len(results[row]) < runs:
                continue
            p = problems[row]
            limit = _limited(p, self.config).time_limit_s or DEFAULT_TIME_LIMIT_S
            slowest = max((t.seconds for r in results[row] for t in r.tests), default=0.0)
            # a judge_error is the machine's fault and says nothing of the program
            verdicts = sorted({r.verdict for r in results[row]} - {"judge_error"}) or ["accepted"]
            found[row] = {
                "verdicts": verdicts,
                "share_of_limit": round(slowest / limit, 3),
                "slowest_s": round(slowest, 3),
            }
            self.ctx.journal.put(f"{row}:{p.id}:steady", found[row])
        return found

    def _strengths(
        self,
        problems: dict[int, Problem],
        codes: dict[int, str],
        steadiness: dict[int, dict[str, Any]],
    ) -> dict[int, Strength]:
        found: dict[int, Strength] = {}
        todo: list[int] = []
        for row, code in codes.items():
            known = self.ctx.journal.get(f"{row}:{problems[row].id}:strength")
            if known is not None:
                found[row] = Strength.from_json(known)
            elif code and self.config.mutants:
                todo.append(row)
        if not todo:
            return found
        items = [(problems[row], codes[row]) for row in todo]
        slowest = [steadiness.get(row, {}).get("slowest_s", 0.0) for row in todo]
        every = self.config.cuts and self.config.test_rule == "by_kill_power"
        judge = self.judge
        if every:
            judge = judge_of_mutants(self.config.workers, self.config.weakest_tier)
        try:
            for at, strength in measure(judge, items, self.config.mutants, slowest):
                row = todo[at]
                found[row] = strength
                self.ctx.journal.put(f"{row}:{problems[row].id}:strength", strength.to_json())
        finally:
            if every:
                judge.close()
        return found

    def report(self) -> dict[str, Any]:
        """For the stage's manifest: kill rates by tenths, the weakest problems with what their
        tests missed, flags, checkers inferred, tests before and after."""
        tenths = Counter(min(9, int(rate * 10)) for rate, _, _ in self.rates)
        weakest = sorted(self.rates, key=lambda r: (r[0], r[1]))[:_WEAKEST]
        return {
            "kill_rates": {f"{t / 10:.1f}": tenths[t] for t in range(10) if tenths[t]},
            "weakest": [[i, round(rate, 3), survivors] for rate, i, survivors in weakest],
            "trust_flags": dict(sorted(self.flags.items())),
            "inferred_checkers": dict(sorted(self.inferred_checkers.items())),
            "tests": self.tests,
        }


def _reference(p: Problem) -> str:
    """The first accepted Python program; empty without one."""
    return next((s.code for s in p.solutions if s.expected == "accepted" and is_python(s)), "")


def _limited(p: Problem, config: VerifyConfig) -> Problem:
    reference = next(s for s in p.solutions if s.expected == "accepted" and is_python(s))
    return with_limit(p, reference, config)


def _named(checker: Checker) -> str:
    args = ", ".join(f"{name} {value:g}" for name, value in checker.args)
    return f"{checker.kind} ({args})" if args else checker.kind
