"""Scans of the audit log that go on where they stood: an event costs its own row, not a scan of all before it.

A log only grows, so what such a scan says of all events follows from what it said of the earlier ones and what it says
of those since.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import polars as pl

from engine.model.documents.document import Position

EVENT_COLUMNS = dict.fromkeys(("action", "object_id", "event_id", "controls"), pl.String)
EVENTS_SINCE = """
    SELECT action, object_id, event_id, controls FROM audit_log WHERE org_id = $1 AND seq > $2 LIMIT 1000
"""
MANY_EVENTS = 1_000  # that many are not looked through

Touched: TypeAlias = Callable[[pl.DataFrame, Sequence[pl.DataFrame]], bool]


def _names_controls(events: pl.DataFrame, over: Sequence[pl.DataFrame]) -> bool:
    return events["controls"].null_count() < events.height


def _names_criteria(events: pl.DataFrame, over: Sequence[pl.DataFrame]) -> bool:
    return bool(events["controls"].str.contains("soc2:", literal=True).any())


def _has_wanted_actions(events: pl.DataFrame, over: Sequence[pl.DataFrame]) -> bool:
    return bool(events["action"].is_in(over[0]["action"].implode()).any())


def _is_of_claims(events: pl.DataFrame, over: Sequence[pl.DataFrame]) -> bool:
    claimed = over[0]["evidence_id"].implode()
    return bool((events["object_id"].is_in(claimed) | events["event_id"].is_in(claimed)).any())


@dataclass(frozen=True)
class Continuation:
    """How the rows of two scans over different events become those of one over all: by ``keys``, column by column.

    ``first`` is of the earliest place in the chain. With ``newest``, the later pair of ``last_at`` and ``last_seq``
    stays; with ``daily``, the day of UTC of that instant is a key, too. ``touched`` says of events, and of the frames
    that the scan reads as tables, whether the scan may have a row of any of them: planning it would cost more.
    """

    keys: tuple[str, ...]
    sums: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    least: tuple[str, ...] = ()
    most: tuple[str, ...] = ()
    newest: bool = False
    daily: str = ""
    touched: Touched | None = None

    def continue_rows(self, before: pl.DataFrame, since: pl.DataFrame) -> pl.DataFrame:
        """The rows over all events, in the columns of the scan."""
        if since.is_empty():
            return before
        day = [pl.col(self.daily).dt.date().alias("day")] if self.daily else []
        pair = ["last_at", "last_seq"] if self.newest else []
        return (
            pl.concat([before, since])
            .group_by(*self.keys, *day, maintain_order=True)
            .agg(
                pl.col(self.sums).sum(),
                pl.col(self.first).first(),
                pl.col(self.least).min(),
                pl.col(self.most).max(),
                *(pl.col(name).sort_by(pair).last() for name in pair),
            )
            .select(before.columns)
        )


@dataclass(frozen=True)
class ScannedTo:
    """What a scan said of all events up to a place in the chain."""

    position: Position
    frame: pl.DataFrame


CONTINUATIONS: Mapping[str, Continuation] = {
    "audit_action_counts_rows": Continuation(
        ("org_id", "action", "outcome", "good", "tagged", "period"), sums=("events",), least=("first_at",), newest=True
    ),
    "audit_tag_counts_rows": Continuation(
        ("org_id", "action", "tag", "good", "tagged", "period"),
        sums=("events",),
        least=("first_at",),
        newest=True,
        touched=_names_controls,
    ),
    "audit_days_rows": Continuation(("org_id", "action"), least=("first_at",), most=("last_at",), daily="first_at"),
    "criteria_tag_days_rows": Continuation(
        ("org_id", "action", "tag"), least=("first_at",), most=("last_at",), daily="first_at", touched=_names_criteria
    ),
    "named_when_signed_rows": Continuation(("org_id", "id", "action"), most=("happened_at",), touched=_names_controls),
    "audit_spans_rows": Continuation(
        ("org_id", "action"), sums=("events",), least=("first_seq", "first_at"), most=("last_at",)
    ),
    "audit_ages_rows": Continuation(
        ("org_id",),
        sums=("rows", "eligible"),
        first=("first_at",),
        least=("oldest_at", "first_seq", "first_young"),
        most=("last_seq",),
    ),
    "held_events_rows": Continuation(("org_id", "id", "seq"), first=("action", "occurred_at")),
    "claim_events_rows": Continuation(("org_id", "evidence_id", "is_of_record"), most=("seq",), touched=_is_of_claims),
    "contradiction_starts_rows": Continuation(
        ("org_id", "action", "outcome", "tag", "since_at", "since_seq"),
        least=("first_at",),
        touched=_has_wanted_actions,
    ),
}
# scans of rows of the log by the keys that a table offers: those rows never change
LOOKUPS: Mapping[str, tuple[str, ...]] = {"event_ids_rows": ("org_id", "seq")}
