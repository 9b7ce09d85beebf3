"""Which rows are one problem: the rules, the clusters, and who stays.

A pair is judged by its evidence alone (:func:`judge_pair`): merge, or veto, or nothing. Merges
join clusters from the strongest to the weakest, unless a cluster would then hold a vetoed pair, or
two problems of one judge that no direct evidence makes one (:func:`cluster`). In a cluster the
worthiest row stays, and what it is dropped for is itself like it: a chain A~B~C doesn't drop C for
A (:func:`choose`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from curation.dedup_pairs import Facts, Pair
from curation.text import sibling_titles

Kind = Literal["identity", "exact", "near", "tests"]
#: Strongest first. `identity`: the judge's own id or URL. `exact`: equal normalised texts.
#: `near`: Jaccard of the texts. `tests`: test pairs in common, with some likeness of the texts.
KINDS: tuple[Kind, ...] = ("identity", "exact", "near", "tests")
#: Why a pair that text or tests speak for is not merged.
REASONS = ("same_judge", "title", "tests_differ", "text_differs", "cluster")


@dataclass(frozen=True, slots=True)
class Rules:
    """`threshold`: least Jaccard of near texts. `tests_jaccard`: least Jaccard at which common
    tests make two texts one problem. `within_source`: merge near texts of one judge too."""

    threshold: float
    tests_jaccard: float
    within_source: bool = False


@dataclass(frozen=True, slots=True)
class Merge:
    """Two rows are one problem, and why."""

    pair: Pair
    kind: Kind
    both: bool  # text and tests agree

    def strength(self, facts: Mapping[int, Facts]) -> tuple[object, ...]:
        """A sort key, strongest first, that doesn't depend on the numbers of rows."""
        ranks = sorted((facts[self.pair.a].rank, facts[self.pair.b].rank))
        kind = KINDS.index(self.kind)
        return (kind, not self.both, -self.pair.jaccard, -self.pair.shared_tests, *ranks)


@dataclass(frozen=True, slots=True)
class Veto:
    """Two rows are not one problem, though text or tests speak for it. `sibling`: they are two
    of a series, or one text with two sets of tests. `detail`: for `cluster`, what stood against
    it."""

    pair: Pair
    reason: str
    sibling: bool
    detail: str = ""


def judge_pair(a: Facts, b: Facts, pair: Pair, rules: Rules) -> Merge | Veto | None:
    """What the evidence says of two rows."""
    if (a.judge, a.native) == (b.judge, b.native):
        return Merge(pair, "identity", both=pair.shared_tests >= 2)
    equal = a.text != 0 and a.text == b.text
    near = equal or pair.jaccard >= rules.threshold
    series = sibling_titles(a.title, b.title)
    common = pair.shared_tests >= 2
    if a.judge == b.judge and not rules.within_source:
        same_tests = common or (a.tests != 0 and a.tests == b.tests)
        if equal and same_tests and not series:
            return Merge(pair, "exact", both=True)
        if series or near:
            return Veto(pair, "title" if series else "same_judge", sibling=True)
        return Veto(pair, "same_judge", sibling=False) if common else None
    if series:
        speaks = near or common or a.judge == b.judge
        return Veto(pair, "title", sibling=True) if speaks else None
    if equal:
        return Merge(pair, "exact", both=common)
    if near:
        if pair.shared_tests == 0 and min(a.pairs, b.pairs) >= 2:
            return Veto(pair, "tests_differ", sibling=True)
        return Merge(pair, "near", both=common)
    if not common:
        return None
    # Two tests in common of many are chance or a shared example; and some likeness is asked for,
    # because siblings share their examples.
    many = pair.shared_tests * 2 >= min(a.pairs, b.pairs)
    if many and pair.jaccard >= rules.tests_jaccard:
        return Merge(pair, "tests", both=False)
    return Veto(pair, "text_differs", sibling=False)


class UnionFind:
    """Disjoint sets over hashable things; the least member by insertion is no promise."""

    def __init__(self) -> None:
        self._parent: dict[object, object] = {}

    def find(self, x: object) -> object:
        """The set that `x` is in, as one of its members."""
        root = x
        while (up := self._parent.get(root, root)) != root:
            root = up
        while x != root:
            self._parent[x], x = root, self._parent.get(x, x)
        return root

    def union(self, a: object, b: object) -> object:
        """Join two sets; returns the root, that of `a`."""
        a, b = self.find(a), self.find(b)
        if a != b:
            self._parent[b] = a
        return a


def identity_of(facts: Facts) -> tuple[str, str]:
    """The judge and its id."""
    return facts.judge, facts.native


@dataclass(frozen=True, slots=True)
class Clusters:
    """Per row in a merge its cluster and its problem (rows that are one by identity, or by direct
    evidence within a judge), each named by one of its rows or identities; the merges that hold;
    the merges that were refused."""

    cluster: dict[int, object]
    problem: dict[int, object]
    merges: list[Merge]
    refused: list[Veto]


def cluster(
    facts: Mapping[int, Facts], merges: Iterable[Merge], vetoes: Sequence[Veto]
) -> Clusters:
    """Union-find with vetoes, over merges from the strongest to the weakest."""
    ordered = sorted(merges, key=lambda m: m.strength(facts))
    problems = UnionFind()
    for m in ordered:
        one, other = identity_of(facts[m.pair.a]), identity_of(facts[m.pair.b])
        if one[0] == other[0]:
            problems.union(one, other)

    against: dict[int, set[int]] = defaultdict(set)
    for v in vetoes:
        against[v.pair.a].add(v.pair.b)
        against[v.pair.b].add(v.pair.a)
    rows = sorted({r for m in ordered for r in (m.pair.a, m.pair.b)}, key=lambda r: facts[r].rank)
    problem = {r: problems.find(identity_of(facts[r])) for r in rows}
    sets = UnionFind()
    members = {r: [r] for r in rows}
    judges: dict[int, dict[str, object]] = {r: {facts[r].judge: problem[r]} for r in rows}
    held: list[Merge] = []
    refused: list[Veto] = []
    for m in ordered:
        a, b = sets.find(m.pair.a), sets.find(m.pair.b)
        assert isinstance(a, int)
        assert isinstance(b, int)
        if a == b:
            held.append(m)
            continue
        if len(members[a]) < len(members[b]):
            a, b = b, a
        if m.kind != "identity" and (
            detail := _conflict(facts, judges[a], judges[b], members[a], members[b], against)
        ):
            refused.append(Veto(m.pair, "cluster", sibling=False, detail=detail))
            continue
        sets.union(a, b)
        members[a] += members.pop(b)
        judges[a] |= judges.pop(b)
        held.append(m)
    return Clusters({r: sets.find(r) for r in rows}, problem, held, refused)


def _conflict(
    facts: Mapping[int, Facts],
    judges_a: Mapping[str, object],
    judges_b: Mapping[str, object],
    members_a: Sequence[int],
    members_b: Sequence[int],
    against: Mapping[int, set[int]],
) -> str:
    """Why two clusters can't be one, or ''."""
    for judge in sorted(judges_b):
        if judge in judges_a and judges_a[judge] != judges_b[judge]:
            one, other = (
                min((facts[r] for r in members if facts[r].judge == judge), key=lambda f: f.rank)
                for members in (members_a, members_b)
            )
            ids = " and ".join(sorted((one.id, other.id)))
            return f"{ids} are two problems of {judge}"
    inside = set(members_a)
    clashes = [(r, s) for r in members_b if r in against for s in against[r] if s in inside]
    if clashes:
        first = min(sorted((facts[r].rank, facts[s].rank)) for r, s in clashes)
        by_rank = {facts[r].rank: facts[r].id for pair in clashes for r in pair}
        return " and ".join(sorted(by_rank[rank] for rank in first)) + " are vetoed"
    return ""


@dataclass(frozen=True, slots=True)
class Drop:
    """Row `row` goes because `of` stays. `merge` is the direct evidence: on the two rows, or on
    rows that are the same problems as theirs (`via`, their ids)."""

    row: int
    of: int
    merge: Merge
    via: tuple[str, ...] = ()


def choose(facts: Mapping[int, Facts], clusters: Clusters) -> list[Drop]:
    """Who goes, and for whom. Problems are taken by their best row; one that has direct evidence
    with a problem that stays goes for it, the others stay."""
    rows: dict[object, list[int]] = defaultdict(list)
    for r in sorted(clusters.cluster, key=lambda r: facts[r].rank):
        rows[(clusters.cluster[r], clusters.problem[r])].append(r)
    inside: dict[object, list[Merge]] = defaultdict(list)
    between: dict[object, list[tuple[object, Merge]]] = defaultdict(list)
    for m in clusters.merges:  # strongest first
        a, b = ((clusters.cluster[r], clusters.problem[r]) for r in (m.pair.a, m.pair.b))
        if a == b:
            inside[a].append(m)
        else:
            between[a].append((b, m))
            between[b].append((a, m))
    drops: list[Drop] = []
    stays: set[object] = set()
    for name, group in rows.items():  # by the best row
        target = next(((other, m) for other, m in between[name] if other in stays), None)
        if target is None:
            stays.add(name)
            best = group[0]
            drops += [_drop(facts, r, best, inside[name]) for r in group[1:]]
        else:
            other, m = target
            options = [x for o, x in between[name] if o == other]
            drops += [_drop(facts, r, rows[other][0], options) for r in group]
    return drops


def _drop(facts: Mapping[int, Facts], row: int, of: int, merges: Sequence[Merge]) -> Drop:
    """With the most direct of the evidence: on both rows, on one of them, on neither."""

    def distance(m: Merge) -> int:
        return len({row, of} - {m.pair.a, m.pair.b})

    merge = min(merges, key=distance)  # min keeps the strongest of equals
    via = tuple(facts[r].id for r in (merge.pair.a, merge.pair.b) if r not in (row, of))
    return Drop(row, of, merge, via)
