"""Duties that one collection of evidence can serve: who shares what, and which of them fall due close together."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, timedelta
from hashlib import sha256

import polars as pl

from engine.formulas import crossover_hours
from engine.report import Ask
from reports.obligations import ledger

CLUSTER_ID_DIGITS = 16
SAME, ITEM, MAPPING = "same control", "same evidence", "full mapping"
SURE = 1.0


@dataclass(frozen=True)
class Duty:
    """A pending duty; ``on`` is its due date, or the day of the report when that has passed."""

    id: str
    title: str
    kind: str
    frameworks: tuple[str, ...]
    owner: str | None
    due_on: date
    on: date
    hours: float
    source_ref: str
    hard: bool


@dataclass(frozen=True)
class Link:
    """Why two duties can share evidence, and how sure that is (0 to 1)."""

    one: str
    two: str
    basis: str
    via: str
    strength: float


@dataclass(frozen=True)
class Cluster:
    """Duties with a common time in which evidence serves all of them, in order of their due dates."""

    members: tuple[Duty, ...]
    links: tuple[Link, ...]
    days: int
    as_of: date

    @property
    def id(self) -> str:
        """The same duties are the same cluster, whatever the day."""
        return sha256("\n".join(sorted(duty.id for duty in self.members)).encode()).hexdigest()[:CLUSTER_ID_DIGITS]

    @property
    def window(self) -> tuple[date, date]:
        """First and last day on which collected evidence is in the due window of every member."""
        first = max(duty.on for duty in self.members) - timedelta(days=self.days)
        return max(first, self.as_of), min(duty.on for duty in self.members)

    @property
    def hours(self) -> tuple[float, float]:
        """Hours alone and together."""
        return crossover_hours([duty.hours for duty in self.members])

    @property
    def frameworks(self) -> list[str]:
        return sorted({name for duty in self.members for name in duty.frameworks})

    @property
    def confidence(self) -> float:
        """The weakest link that holds the cluster together."""
        return min(link.strength for link in self.links)

    @property
    def bases(self) -> list[str]:
        return sorted({link.basis for link in self.links}, key=(SAME, ITEM, MAPPING).index)

    @property
    def shared(self) -> list[str]:
        """What is shared: controls, evidence items, mapped pairs with their relation, strength and reviewer."""
        return sorted({link.via for link in self.links})

    @property
    def lead(self) -> str | None:
        """Who does most of the work now, and so should own the collection; ties go by the alphabet."""
        hours: dict[str, float] = {}
        for duty in self.members:
            if duty.owner:
                hours[duty.owner] = hours.get(duty.owner, 0.0) + duty.hours
        return min(hours, key=lambda name: (-hours[name], name)) if hours else None


@dataclass
class _Group:
    """A part of the union-find forest, with what decides whether two parts may be joined."""

    ids: list[str]
    first: date
    last: date
    sources: set[str]
    links: list[Link] = field(default_factory=list)


def clusters(
    obligations: pl.DataFrame, linked_evidence: pl.DataFrame, crosswalk: pl.DataFrame, ask: Ask
) -> list[Cluster]:
    """Clusters of two or more duties up to the horizon, largest saving first."""
    days = int(ask.settings["crossover_days"])
    near = ledger.pending(obligations, ask).filter(pl.col("place") != "beyond")
    duties = {duty.id: duty for duty in _duties(near, ask.as_of)}
    groups = _joined(duties, _links(near, duties, _control_pairs(linked_evidence, crosswalk), days), days)
    found = [
        Cluster(
            tuple(sorted((duties[name] for name in group.ids), key=lambda duty: (duty.due_on, duty.id))),
            tuple(group.links), days, ask.as_of,
        )
        for group in groups
    ]  # fmt: skip
    return sorted(found, key=lambda cluster: (-saved(cluster), cluster.window[1], cluster.id))


def saved(cluster: Cluster) -> float:
    """Hours that one collection saves against one for each duty."""
    alone, together = cluster.hours
    return round(alone - together, 3)


def _duties(near: pl.DataFrame, as_of: date) -> Iterable[Duty]:
    columns = ("obligation_id", "title", "kind", "frameworks", "owner", "due_on", "effort_hours", "source_ref", "hard")
    for name, title, kind, frameworks, owner, due, hours, source, hard in near.select(columns).iter_rows():
        names = tuple(frameworks or ())
        yield Duty(name, title, kind, names, owner, due, max(due, as_of), hours, source or name, bool(hard))


def _control_pairs(linked_evidence: pl.DataFrame, crosswalk: pl.DataFrame) -> pl.DataFrame:
    """Different controls that one piece of evidence serves, in both directions."""
    items = linked_evidence.select("evidence_id", tag=pl.format("{}:{}", "framework", "control_id"))
    by_item = items.join(items, on="evidence_id", suffix="_two").select(
        one="tag", two="tag_two", basis=pl.lit(ITEM), via="evidence_id", strength=pl.lit(SURE)
    )
    edges = crosswalk.filter("full").select(
        one=pl.format("{}:{}", "source_framework", "source_id"),
        two=pl.format("{}:{}", "target_framework", "target_id"),
        basis=pl.lit(MAPPING),
        via=pl.format(
            "{}:{} → {}:{} ({} {}, {})",
            "source_framework",
            "source_id",
            "target_framework",
            "target_id",
            "relation",
            "strength",
            pl.coalesce(pl.format("reviewed by {}", "reviewer"), pl.lit("not reviewed")),
        ),
        strength="strength",
    )
    back = edges.rename({"one": "two", "two": "one"}).select(edges.columns)
    return pl.concat([by_item, edges, back], how="vertical_relaxed").filter(pl.col("one") != pl.col("two"))


def _links(near: pl.DataFrame, duties: dict[str, Duty], pairs: pl.DataFrame, days: int) -> list[Link]:
    """The surest link of each pair of duties whose due dates are at most ``days`` apart; surest and closest first."""
    tags = near.select("obligation_id", tag="controls").explode("tag", empty_as_null=False).drop_nulls("tag").unique()
    same = tags.select("tag").unique().select(
        one="tag", two="tag", basis=pl.lit(SAME), via="tag", strength=pl.lit(SURE)
    )  # fmt: skip
    found = (
        pl.concat([same, pairs])
        .join(tags.rename({"obligation_id": "a"}), left_on="one", right_on="tag")
        .join(tags.rename({"obligation_id": "b"}), left_on="two", right_on="tag")
        .filter(pl.col("a") < pl.col("b"))
        .with_columns(order=pl.col("basis").replace_strict({SAME: 0, ITEM: 1, MAPPING: 2}, return_dtype=pl.Int64))
        .sort("a", "b", "strength", "order", "via", descending=[False, False, True, False, False])
        .unique(["a", "b"], keep="first", maintain_order=True)
    )
    links = [
        Link(one, two, basis, via, strength)
        for one, two, basis, via, strength in found.select("a", "b", "basis", "via", "strength").iter_rows()
        if abs(_gap(duties, one, two)) <= days
    ]
    return sorted(links, key=lambda link: (-link.strength, abs(_gap(duties, link.one, link.two)), link.one, link.two))


def _gap(duties: dict[str, Duty], one: str, two: str) -> int:
    return (duties[one].on - duties[two].on).days


def _joined(duties: dict[str, Duty], links: list[Link], days: int) -> list[_Group]:
    """Union-find over the links, surest first; a link that would leave no common window is not followed.

    Two occurrences of one recurring duty are never joined: each needs evidence of its own period.
    """
    parent = {name: name for name in duties}
    groups = {name: _Group([name], duty.on, duty.on, {duty.source_ref}) for name, duty in duties.items()}

    def root(name: str) -> str:
        while parent[name] != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    for link in links:
        one, two = sorted((root(link.one), root(link.two)))
        if one == two:
            continue
        left, right = groups[one], groups[two]
        first, last = min(left.first, right.first), max(left.last, right.last)
        if (last - first).days > days or left.sources & right.sources:
            continue
        parent[two] = one
        groups[one] = _Group(
            left.ids + right.ids, first, last, left.sources | right.sources, [*left.links, *right.links, link]
        )
        del groups[two]
    return [group for group in groups.values() if len(group.ids) > 1]
