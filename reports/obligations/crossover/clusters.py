"""Duties that one collection of evidence can serve: who shares what, and which of them fall due close together."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from hashlib import sha256
from typing import Annotated, TypeAlias

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.figures.formulas import crossover_hours
from reports.shared import ledger
from reports.shared.wording import sentence

CLUSTER_ID_DIGITS = 16
SAME, ITEM, MAPPING = "same control", "same evidence", "full mapping"
BASES = {SAME: 0, ITEM: 1, MAPPING: 2}
SURE = 1.0
# what stands before the matter of a duty in its title: what is done, and to which control
_WHAT = re.compile(
    r"(?:Attest \S+ |Test \S+: (?:Inspect a sample for )?|Close weakness \S+: |(?:Answer|Get .*? on) request: )"
)


@dataclass(frozen=True)
class Duty:
    """A pending duty; ``on`` is its due date, or the day of the report when that has passed."""

    id: str
    title: str
    frameworks: tuple[str, ...]
    owner: str | None
    due_on: date
    on: date
    hours: float


@dataclass(frozen=True)
class Link:
    """Why two duties can share evidence, and how sure that is (0 to 1)."""

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
        return sorted({link.basis for link in self.links}, key=BASES.__getitem__)

    @property
    def shared_things(self) -> list[str]:
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
    """Duties that are one cluster so far, with what decides whether two groups may become one."""

    numbers: list[int]
    first: int
    last: int
    sources: set[int]
    links: list[Link] = field(default_factory=list)

    def take(self, other: "_Group", link: Link) -> None:
        """``other`` becomes part of this group through ``link``."""
        self.numbers += other.numbers
        self.links += [*other.links, link]
        self.first, self.last = min(self.first, other.first), max(self.last, other.last)
        self.sources |= other.sources


def clusters(duties: ledger.Pending, linked_evidence: pl.DataFrame, crosswalk: pl.DataFrame, ask: Ask) -> list[Cluster]:
    """Clusters of two or more pending duties up to the end of the horizon, largest saving first."""
    days = int(ask.settings["crossover_days"])
    numbered = (
        ledger.near(duties)
        .with_row_index("number")
        .with_columns(
            on=pl.max_horizontal("due_on", pl.lit(ask.as_of)),
            source=pl.coalesce("source_ref", "obligation_id").rank("dense"),
        )
    )
    tags = numbered.select("number", "on", "source", tag="controls").explode("tag", empty_as_null=False)
    ties = _ties(linked_evidence, crosswalk, tags)
    groups = _join_groups(numbered, _links(ties, tags, days), ties.unique("tie"), days)
    known = dict(_duties(numbered, [number for group in groups for number in group.numbers]))
    found = [
        Cluster(tuple(known[number] for number in sorted(group.numbers)), tuple(group.links), days, ask.as_of)
        for group in groups
    ]
    return sorted(found, key=lambda cluster: (-hours_to_save(cluster), cluster.window[1], cluster.id))


Clusters: TypeAlias = Annotated[list[Cluster], clusters]


def topic(titles: Sequence[str]) -> str:
    """What duties are about, by the control that is attested among them: ``Boundary Protection and 4 more``."""
    attested = [title for title in titles if title.startswith("Attest ")]
    about = sentence(_WHAT.sub("", min(attested or titles, key=len)))
    more = len(titles) - 1
    return f"{about} and {more:,} more" if more else about


def hours_to_save(*found: Cluster) -> float:
    """Hours that one collection for each cluster saves against one for each duty."""
    return round(sum(alone - together for alone, together in (cluster.hours for cluster in found)), 3)


def _duties(numbered: pl.DataFrame, numbers: Sequence[int]) -> Iterator[tuple[int, Duty]]:
    columns = ("number", "obligation_id", "title", "frameworks", "owner", "due_on", "on", "effort_hours")
    for number, name, title, frameworks, *rest in numbered.select(columns)[numbers].iter_rows():
        yield number, Duty(name, title, tuple(frameworks or ()), *rest)


def _ties(linked_evidence: pl.DataFrame, crosswalk: pl.DataFrame, tags: pl.DataFrame) -> pl.DataFrame:
    """What can be shared (``via``, numbered by ``tie`` from the most direct on) and each control that it serves."""
    control = pl.format("{}:{}", "framework", "control_id")
    edges = crosswalk.filter("full")
    reviewed = pl.coalesce(pl.format("reviewed by {}", "reviewer"), pl.lit("not reviewed"))
    source, target = (pl.format("{}:{}", f"{side}_framework", f"{side}_id") for side in ("source", "target"))
    via = pl.format("{} → {} ({} {}, {})", source, target, "relation", "strength", reviewed)
    parts = [
        tags.select(basis=pl.lit(SAME), via="tag", tag="tag", strength=pl.lit(SURE)).unique().drop_nulls(),
        linked_evidence.filter(pl.len().over("evidence_id") > 1).select(
            basis=pl.lit(ITEM), via="evidence_id", tag=control, strength=pl.lit(SURE)
        ),
        *(edges.select(basis=pl.lit(MAPPING), via=via, tag=side, strength="strength") for side in (source, target)),
    ]
    order = pl.struct(pl.col("basis").replace_strict(BASES, return_dtype=pl.Int64), "via").rank("dense")
    return pl.concat(parts, how="vertical_relaxed").with_columns(tie=order)


def _links(ties: pl.DataFrame, tags: pl.DataFrame, days: int) -> list[tuple[int, int, int]]:
    """Pairs of duties and the surest tie between them, surest and closest first.

    Each duty is paired with the one that falls due next among all that the tie serves, or, where that is another
    occurrence of the same duty, with the one after it. Later ones are paired with those.
    """
    lines = ties.select("tie", "tag", "strength").join(tags, on="tag").unique(["tie", "number"]).sort("tie", "number")
    follow = lines.with_columns(
        pl.col("tie", "number", "on", "source").shift(-step).name.suffix(f"_{step}") for step in (1, 2)
    )
    again = (pl.col("tie") == pl.col("tie_1")) & (pl.col("source") == pl.col("source_1"))
    columns = ("tie", "number", "on", "source")
    return (
        follow.with_columns(
            pl.when(again).then(f"{name}_2").otherwise(f"{name}_1").alias(f"{name}_two") for name in columns
        )
        .with_columns(apart=pl.col("on_two") - pl.col("on"))
        .filter(
            pl.col("tie") == pl.col("tie_two"),
            pl.col("source") != pl.col("source_two"),
            pl.col("apart") <= pl.duration(days=days),
        )
        .sort("strength", "apart", "number", "number_two", "tie", descending=[True] + [False] * 4)
        .unique(["number", "number_two"], keep="first", maintain_order=True)
        .select("number", "number_two", "tie")
        .rows()
    )


def _join_groups(
    numbered: pl.DataFrame, links: list[tuple[int, int, int]], ties: pl.DataFrame, days: int
) -> list[_Group]:
    """Union-find over the links in their order; a link that would leave no common window is not followed.

    Two occurrences of one recurring duty are never joined: each needs evidence of its own period.
    """
    due = numbered["on"].to_physical().to_list()
    sources = numbered["source"].to_list()
    why = dict(ties.select("tie", pl.struct("basis", "via", "strength")).rows())
    group_of = {number: _Group([number], due[number], due[number], {sources[number]}) for number in range(len(due))}
    for one, two, tie in links:
        left, right = group_of[one], group_of[two]
        if left is right or max(left.last, right.last) - min(left.first, right.first) > days:
            continue
        if not left.sources.isdisjoint(right.sources):
            continue
        large, small = (left, right) if len(left.numbers) >= len(right.numbers) else (right, left)
        large.take(small, Link(**why[tie]))
        group_of.update(dict.fromkeys(small.numbers, large))
    return list({group.numbers[0]: group for group in group_of.values() if len(group.numbers) > 1}.values())
