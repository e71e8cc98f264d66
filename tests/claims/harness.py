"""Claims that are less than they were, and what became of the figures."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

from engine.store.schema import IMPORTABLE
from engine.store.schema.kinds import KINDS
from tests.claims.exceptions import reason_of
from tests.claims.good_rows import good_rows
from tests.claims.mutations import Mutation, mutations, with_leaver
from tests.claims.organizations import Organization
from tests.claims.values import World, better, different, worlds

TOGETHER = 60  # states that are computed at once: more need memory, fewer time
DECIDING = ("ahead", "unapprove")
# days beside the one that the row stands or falls with: a shift of which the end is later is longer, not less
BESIDE = {("exceptions", "compensating_evidence_on"), ("on_call_shifts", "ends_at")}


T = TypeVar("T")
Pair = tuple[object, object]
Filed = dict[tuple[str, str], list[tuple[Mutation, object, object]]]  # by place and figure


@dataclass
class Findings:
    """What a run came to: improvements by place and figure, and which figures anything moved."""

    tried: int = 0
    by_way: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    improved: Filed = field(default_factory=lambda: defaultdict(list))  # against the record as it is
    beyond: Filed = field(default_factory=lambda: defaultdict(list))  # against the store without the row
    exempt: Filed = field(default_factory=lambda: defaultdict(list))
    moved: set[str] = field(default_factory=set)
    known: set[str] = field(default_factory=set)
    counted: set[str] = field(default_factory=set)  # figures that are not nought as it is

    def add(self, other: "Findings") -> None:
        """What another run over the same organization came to."""
        self.tried += other.tried
        self.moved |= other.moved
        self.known |= other.known
        self.counted |= other.counted
        for way, count in other.by_way.items():
            self.by_way[way] += count
        for mine, theirs in ((self.improved, other.improved), (self.beyond, other.beyond), (self.exempt, other.exempt)):
            for place, filed in theirs.items():
                mine[place] += filed

    def see(self, base: World) -> None:
        """The figures of the record as it is."""
        self.known |= {name for name, value in base.values.items() if value is not None}
        self.counted |= {name for name, value in base.values.items() if value}


def look(
    org: Organization,
    seed: int,
    each: int,
    most: int | None = None,
    only: Collection[str] = (),
    figures: Collection[str] = (),
) -> Findings:
    """Tries mutations of an organization against the record as it is, and against the store without the row.

    ``each`` rows of every place, or ``most`` mutations in all, drawn by the seed; ``only`` those of
    some tables and columns (``vendors``, ``vendors.owner``), ``figures`` some figures.
    """
    findings = Findings()
    org = with_leaver(org)
    (base,) = worlds([org.tables], org.day, org.zone, figures=figures)
    findings.see(base)
    tried = [
        one for one in mutations(org, seed, each) if not only or {one.table, f"{one.table}.{one.column}"} & {*only}
    ]
    if most is not None:
        tried = Random(seed).sample(tried, min(most, len(tried)))
    for some in batches(tried, TOGETHER):
        states = worlds([mutation.rows(org) for mutation in some], org.day, org.zone, base, figures)
        for mutation, world in zip(some, states, strict=True):
            _note(findings, mutation, base, world)
        deciding = [(m, w) for m, w in zip(some, states, strict=True) if _has_a_row_of_its_own(m)]
        rows = sorted({(m.table, m.row) for m, _ in deciding})
        gone = [Mutation(table, "", "withdraw", row).rows(org) for table, row in rows]
        without = dict(zip(rows, worlds(gone, org.day, org.zone, base, figures) if gone else [], strict=True))
        for mutation, world in deciding:
            less = without[mutation.table, mutation.row]
            for name, (old, new) in better(less.values, world.values).items():
                _file(
                    findings.beyond, findings, mutation, name, (old, new), reason_of(mutation.place, name, less, world)
                )
    return findings


def deteriorations(org: Organization, only: Collection[str] = ()) -> dict[tuple[str, str], Pair]:
    """By a good row that is added, each of them or ``only`` some, and figure: what got worse by it without a reason."""
    added = [(name, tables) for name, tables in good_rows(org) if not only or name in only]
    base, *states = worlds([org.tables, *(tables for _, tables in added)], org.day, org.zone)
    return {
        (name, figure): (before, after)
        for (name, _), state in zip(added, states, strict=True)
        for figure, (after, before) in better(state.values, base.values).items()
        if reason_of(f"{name} added", figure, base, state) is None
    }


def _has_a_row_of_its_own(mutation: Mutation) -> bool:
    keys = IMPORTABLE[mutation.table].info["primary"]
    if (mutation.table, mutation.column) in BESIDE:
        return False
    return mutation.way in DECIDING and KINDS[mutation.table][keys[0] if keys else "id"] == "claim"


def _note(findings: Findings, mutation: Mutation, before: World, after: World) -> None:
    findings.tried += 1
    findings.by_way[mutation.way] += 1
    findings.moved |= different(before.values, after.values)
    for name, (old, new) in better(before.values, after.values).items():
        _file(findings.improved, findings, mutation, name, (old, new), reason_of(mutation.place, name, before, after))


def _file(faults: Filed, findings: Findings, mutation: Mutation, name: str, values: Pair, reason: str | None) -> None:
    filed = faults if reason is None else findings.exempt
    filed[mutation.place, name].append((mutation, *values))


def batches(given: Iterable[T], size: int) -> Iterator[Sequence[T]]:
    some: list[T] = []
    for one in given:
        some.append(one)
        if len(some) == size:
            yield some
            some = []
    if some:
        yield some
