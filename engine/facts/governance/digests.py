"""What digests compare with: what was sent before, and the catalogue as an organization last saw it."""

import polars as pl

from engine.catalogue import catalogue
from engine.catalogue.snapshot import CONTENT
from engine.facts.expressions import shape
from engine.facts.governance.deliveries import payload_of

# kinds of deliveries that remind people of single things, and the lists of their payload that name these things
REMINDING = ("attestation-renewal", "sla-reminders")
_LISTS = ("renewals", "due_soon", "overdue", "regressed")
_PAYLOAD = payload_of(*_LISTS, rows=("reminder_id", "owed"))
_SEEN = ["org_id", "taken_on"]


def reminders(deliveries_rows: pl.DataFrame) -> pl.DataFrame:
    """Each thing that a delivery reminded somebody of; failed ones reminded nobody.

    The lists of the payload are the tables of the report, each row with its ``reminder_id``; a row that says that it
    is not owed was carried along and reminded nobody.
    """
    sent = deliveries_rows.filter(pl.col("kind").is_in(REMINDING), pl.col("status").is_in(["pending", "sent"]))
    named = sent.with_columns(pl.col("payload").str.json_decode(_PAYLOAD)).unnest("payload")
    frame = (
        named.with_columns(reminder_id=pl.concat_list(pl.col(name).fill_null([]) for name in _LISTS))
        .explode("reminder_id", empty_as_null=False)
        .with_columns(pl.col("reminder_id").struct.unnest(), delivery_id="id")
        .filter(pl.col("owed").fill_null(True))
        .drop_nulls("reminder_id")
    )
    return shape("reminders", frame).sort("org_id", "reminder_id", "created_at", "delivery_id")


def digest_days(deliveries_rows: pl.DataFrame) -> pl.DataFrame:
    """The day on which each kind of digest was last decided on; skipped rows are notes, no digests."""
    frame = (
        deliveries_rows.filter(pl.col("status") != "skipped")
        .group_by("org_id", "kind")
        .agg(last_on=pl.col("created_on").max())
    )
    return shape("digest_days", frame).sort("org_id", "kind")


def catalogue_entries(own_controls: pl.DataFrame, own_version: pl.DataFrame) -> pl.DataFrame:
    """Every requirement of the program's catalogue and of one's own frameworks, whatever is in scope.

    Those of the program have no organization. The version is that of the program; of rows of one's own it is that and
    what the organization brought along.
    """
    known = catalogue()
    ours = known.controls.with_columns(version=pl.lit(known.version), org_id=pl.lit(None, dtype=pl.String))
    frame = shape("catalogue_entries", ours)
    if not own_controls.is_empty():
        version = pl.format("{}+{}", pl.lit(known.version), "own_version")
        own = own_controls.join(own_version, on="org_id").with_columns(version=version)
        frame = pl.concat([frame, shape("catalogue_entries", own)])
    return frame.sort("framework", "position", "org_id")


def catalogue_seen(catalogue_snapshots_rows: pl.DataFrame) -> pl.DataFrame:
    """The last snapshot of the catalogue that was stored for the organization."""
    frame = _last(catalogue_snapshots_rows).with_columns(version="catalogue_version")
    return shape("catalogue_seen", frame).sort("org_id")


def requirements_seen(catalogue_snapshots_rows: pl.DataFrame) -> pl.DataFrame:
    """The requirements of that snapshot."""
    frame = shape("requirements_seen", _rows(catalogue_snapshots_rows, "requirements"))
    return frame.sort("org_id", "framework", "control_id")


def edges_seen(catalogue_snapshots_rows: pl.DataFrame) -> pl.DataFrame:
    """The crosswalk edges of that snapshot."""
    frame = shape("edges_seen", _rows(catalogue_snapshots_rows, "edges"))
    return frame.sort("org_id", "source_framework", "source_id", "target_framework", "target_id")


def _last(snapshots: pl.DataFrame) -> pl.DataFrame:
    return snapshots.sort(_SEEN).group_by("org_id", maintain_order=True).last()


def _rows(snapshots: pl.DataFrame, part: str) -> pl.DataFrame:
    content = pl.col("content").str.json_decode(CONTENT).struct.field(part)
    return _last(snapshots).select("org_id", rows=content).explode("rows", empty_as_null=False).unnest("rows")
