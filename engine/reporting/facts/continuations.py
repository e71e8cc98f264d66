"""Scans of the audit log that go on where they stood: an event costs its own row, not a scan of all before it.

A log only grows, so what such a scan says of all events follows from what it said of the earlier ones and what it says
of those since.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from engine.model.document import Position

OUTCOMES = ("", "good_", "bad_")  # prefixes of what is counted by outcome


@dataclass(frozen=True)
class Continuation:
    """How the rows of two scans over different events become those of one over all: by ``keys``, column by column.

    ``first`` is of the earliest place in the chain, ``newest`` are prefixes of ``last_at`` and ``last_seq``, of which
    the later pair stays; null is none. With ``daily``, the day of UTC of that instant is a key, too.
    """

    keys: tuple[str, ...]
    sums: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    least: tuple[str, ...] = ()
    most: tuple[str, ...] = ()
    newest: tuple[str, ...] = ()
    daily: str = ""

    def joined(self, before: pl.DataFrame, since: pl.DataFrame) -> pl.DataFrame:
        """The rows over all events, in the columns of the scan."""
        if since.is_empty():
            return before
        day = [pl.col(self.daily).dt.date().alias("day")] if self.daily else []
        pairs = [[f"{prefix}last_at", f"{prefix}last_seq"] for prefix in self.newest]
        return (
            pl.concat([before, since])
            .group_by(*self.keys, *day, maintain_order=True)
            .agg(
                pl.col(self.sums).sum(),
                pl.col(self.first).first(),
                pl.col(self.least).min(),
                pl.col(self.most).max(),
                *(pl.col(name).sort_by(pair, nulls_last=False).last() for pair in pairs for name in pair),
            )
            .select(before.columns)
        )


@dataclass(frozen=True)
class ScannedTo:
    """What a scan said of all events up to a place in the chain."""

    position: Position
    frame: pl.DataFrame


_BY_OUTCOME = tuple(
    prefix + name for prefix in OUTCOMES for name in ("events", "events_before", "events_future", "events_ever")
)
CONTINUATIONS: Mapping[str, Continuation] = {
    "audit_by_action_rows": Continuation(
        ("org_id", "action"), sums=(*_BY_OUTCOME, "own_tagged"), least=("first_at",), newest=OUTCOMES
    ),
    "audit_by_tag_rows": Continuation(
        ("org_id", "action", "tag"), sums=_BY_OUTCOME, least=("first_at",), newest=OUTCOMES
    ),
    "audit_days_rows": Continuation(("org_id", "action"), least=("first_at",), most=("last_at",), daily="first_at"),
    "criteria_tag_days_rows": Continuation(
        ("org_id", "action", "tag"), least=("first_at",), most=("last_at",), daily="first_at"
    ),
    "named_when_signed_rows": Continuation(("org_id", "id", "action"), most=("happened_at",)),
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
    "claim_events_rows": Continuation(("org_id", "evidence_id", "is_of_record"), most=("seq",)),
    "contradiction_starts_rows": Continuation(
        ("org_id", "action", "tag", "since_at", "since_seq"), least=("first_at",)
    ),
}
