"""What there is of evidence, whatever it says: the audit log by action, and the items that are linked to controls."""

import polars as pl

from engine.catalogue import catalogue
from engine.facts.expressions import local_day, shape

_KEY = ["org_id", "framework", "control_id"]
_BOOKKEEPING = (pl.col("kind") == "admin") & (pl.col("controls_from") == "none")


def audit_actions(
    audit_by_action: pl.DataFrame, event_ids_rows: pl.DataFrame, own_rules: pl.DataFrame, controls: pl.DataFrame
) -> pl.DataFrame:
    """The audit log by action; tagged events lead to a control in scope by the map or by their own words.

    Bookkeeping are the product's own records of what was done with it, which no control could be about.
    """
    known = catalogue()
    wanted = controls.filter("assessable").select(_KEY)
    reach = (
        pl.concat(
            [
                known.action_controls.join(wanted, on=["framework", "control_id"]).select("org_id", "action"),
                own_rules.join(wanted, on=_KEY, how="semi").select("org_id", "action"),
            ]
        )
        .unique()
        .with_columns(mapped=pl.lit(True))
    )
    frame = (
        audit_by_action.filter(pl.col("last_seq").is_not_null())
        .join(known.actions.select("action", "title", bookkeeping=_BOOKKEEPING), on="action", how="left")
        .join(reach, on=["org_id", "action"], how="left")
        .join(event_ids_rows, left_on=["org_id", "last_seq"], right_on=["org_id", "seq"], how="left")
        .with_columns(pl.col("mapped", "bookkeeping").fill_null(False))
        .with_columns(tagged_events=pl.when("mapped").then(pl.col("events")).otherwise(pl.col("own_tagged")))
        .with_columns(tagged=pl.col("mapped") | (pl.col("tagged_events") > 0), last_id="event_id")
    )
    return shape("audit_actions", frame).sort("org_id", "action")


def wanted_event_ids(audit_by_action: pl.DataFrame, tagged_events: pl.DataFrame) -> pl.DataFrame:
    """Positions in the chain whose event identifiers the facts name."""
    return (
        pl.concat([audit_by_action.select("org_id", seq="last_seq"), tagged_events.select("org_id", "seq")])
        .drop_nulls()
        .unique()
        .sort("org_id", "seq")
    )


def evidence_counts(evidence_items_rows: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """Evidence items linked to each control; one captured later than the day is none yet."""
    ends = asked.select("org_id", "ends_at")
    past = evidence_items_rows.join(ends, on="org_id").filter(pl.col("captured_at") < pl.col("ends_at"))
    return past.group_by(_KEY).agg(items=pl.len().cast(pl.Int64)).sort(_KEY)


def evidence_files(linked_items_rows: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """Evidence items that are linked to a control: where each is, and what the last check found of held bytes.

    Held are the bytes that are here, whatever a check found of them; what was removed is told from then on.
    """
    held = pl.col("held_sha256").is_not_null() & pl.col("removed").is_null()
    frame = linked_items_rows.with_columns(
        evidence_on=local_day("captured_at", asked),
        evidence_place=pl.when(held).then(pl.lit("held")).otherwise(pl.lit("told")),
        held_state=pl.when(held).then(pl.col("held_state").fill_null("whole")).otherwise(pl.col("removed")),
        sha256=pl.coalesce("held_sha256", "sha256"),
        evidence_bytes="held_bytes",
        linked_controls="controls",
    )
    return shape("evidence_files", frame).sort("org_id", "id")
