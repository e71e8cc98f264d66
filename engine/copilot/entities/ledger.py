"""What is kept beside the programme: changes of controls, mappings, capacity, the audit log, archives."""

import polars as pl

from engine.copilot.entities.entity import Records, RowState, flag, framework_name, is_in, none, over, phrases
from engine.copilot.entities.wordbook import thing

_STATES = ("effective", "partial", "stale", "ineffective", "no_data")  # from best to worst


def _changes(records: Records) -> pl.DataFrame:
    """Each day on which a control came into another state than it had."""
    titles = records.fact("control_status").select("framework", "control_id", "title", "owner")
    rank = {state: number for number, state in enumerate(_STATES)}
    step = pl.col("state").replace_strict(rank, default=None) - pl.col("previous").replace_strict(rank, default=None)
    return (
        records.fact("state_changes")
        .filter(pl.col("previous").is_not_null())
        .join(titles, on=["framework", "control_id"], how="left")
        .with_columns(
            id=pl.format("{}:{} on {}", "framework", "control_id", "observed_on"),
            control=pl.format("{}:{}", "framework", "control_id"),
            called=framework_name(records),
            step=step.cast(pl.Int64),
        )
    )


def _mappings(records: Records) -> pl.DataFrame:
    """What maps to what, in both directions: a control is asked from either end."""
    forth = records.fact("crosswalk")
    back = forth.rename(
        {
            f"{end}_{part}": f"{other}_{part}"
            for end, other in (("source", "target"), ("target", "source"))
            for part in ("framework", "id", "title")
        }
    )
    turned = pl.col("relation").replace({"subset": "superset", "superset": "subset"})
    return (
        pl.concat([forth, back.with_columns(turned).select(forth.columns)])
        .with_columns(
            id=pl.format("{}:{} to {}:{}", "source_framework", "source_id", "target_framework", "target_id"),
            control=pl.format("{}:{}", "source_framework", "source_id"),
            source_called=framework_name(records, "source_framework"),
            called=framework_name(records, "target_framework"),
        )
        .sort("strength", "id", descending=[True, False])
    )


def _weeks(records: Records) -> pl.DataFrame:
    """The weeks of everybody who has hours declared, from this one on."""
    return (
        records.fact("owner_weeks")
        .filter(pl.col("owner").is_not_null())
        .with_columns(
            id=pl.format("{} {}", "owner", "week"),
            week_end_on=pl.col("week_start_on") + pl.duration(days=6),
            free_hours=(pl.col("available_hours") - pl.col("demand_hours")),
        )
    )


def _events(records: Records) -> pl.DataFrame:
    names = records.table("services").select(object_id="id", service="name")
    events = records.table("audit_log").select(
        "event_id", "occurred_at", "actor", "action", "object_type", "object_id", "outcome"
    )
    return events.join(names, on="object_id", how="left")


def _classes(records: Records) -> pl.DataFrame:
    return records.fact("retention").with_columns(title=pl.col("record_class").str.replace_all("_", " "))


def _proofs(records: Records) -> pl.DataFrame:
    """Each evidence item once for every control that it is linked to."""
    items = records.table("evidence_items").select("id", "title", "source", "captured_at", item_owner="owner")
    return (
        records.fact("linked_evidence")
        .join(items, left_on="evidence_id", right_on="id", how="inner")
        .with_columns(
            id=pl.format("{} for {}:{}", "evidence_id", "framework", "control_id"),
            control=pl.format("{}:{}", "framework", "control_id"),
            called=framework_name(records),
        )
    )


def _items(records: Records) -> pl.DataFrame:
    """The evidence items, each with the number of controls that it is linked to."""
    links = records.fact("linked_evidence").group_by("evidence_id").agg(controls=pl.len().cast(pl.Int64))
    items = records.table("evidence_items").join(links, left_on="id", right_on="evidence_id", how="left")
    return items.with_columns(pl.col("controls").fill_null(0))


EVIDENCE = thing(
    "evidence item",
    _items,
    RowState("unowned", none("owner"), aside=True),
    RowState("linked to no control", lambda _: pl.col("controls") == 0, after=True),
    RowState("that nobody requested", none("request_id"), after=True, aside=True),
    RowState(
        "held here",
        lambda _: pl.col("held_sha256").is_not_null() & (pl.col("held_state").fill_null("whole") != "erased"),
        after=True,
    ),
)

CHANGE = thing(
    "change of a control",
    _changes,
    RowState("for the worse", over("step", 1), after=True),
    RowState("for the better", lambda _: pl.col("step") < 0, after=True),
    *(
        RowState(f"from {state}", is_in("previous", state.replace(" ", "_")), after=True)
        for state in phrases("effective, partial, stale, ineffective, no data")
    ),
)

MAPPING = thing("mapping", _mappings, RowState("full", flag("full")), RowState("partial", flag("full", False)))

WEEK = thing(
    "week of a person",
    _weeks,
    RowState("with more hours due than available", lambda _: pl.col("shortfall_hours") > 0, after=True),
    RowState("with absence", lambda _: pl.col("absence_hours") > 0, after=True),
    RowState(
        "with no hour of work", lambda _: (pl.col("absence_hours") > 0) & (pl.col("available_hours") <= 0), after=True
    ),
)

EVENT = thing(
    "audit event",
    _events,
    RowState("failed", is_in("outcome", "failure", "denied"), assumed="refused ones among them"),
    RowState("successful", is_in("outcome", "success")),
    RowState(
        "failed login",
        lambda _: (
            (pl.col("action") == "login.failed")
            | (pl.col("action").str.starts_with("login.") & (pl.col("outcome") == "failure"))
        ),
        assumed="by the action, or by what came of the attempt",
    ),
    RowState("login", lambda _: pl.col("action").str.starts_with("login.")),
)

BUNDLE = thing("evidence bundle", lambda records: records.fact("bundles"))

RETENTION = thing(
    "record class", _classes, RowState("with an override", lambda _: pl.col("override_days").is_not_null(), after=True)
)

PROOF = thing("linked evidence item", _proofs)
LEDGER = (EVIDENCE, CHANGE, MAPPING, WEEK, EVENT, BUNDLE, RETENTION, PROOF)
