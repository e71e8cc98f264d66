"""What is kept beside the programme: changes of controls, mappings, capacity, the audit log, archives."""

import polars as pl

from engine.copilot.entities.entity import (
    Entity,
    Records,
    RowState,
    flag,
    framework_name,
    is_in,
    meanings,
    none,
    over,
    phrases,
)
from engine.copilot.entities.operations import OWNER, UNOWNED

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


EVIDENCE = Entity(
    "evidence item", "evidence items", ("evidence item", "evidence", "artefact", "artifact", "document of evidence"),
    _items, "id", "{id} {title}: captured on {captured_on}, source {source}, owner {owner}", names=("id",),
    states=(
        RowState("unowned", UNOWNED, none("owner"), aside=True),
        RowState(
            "linked to no control",
            phrases(
                "not linked to a control, not linked to any control, not linked to any, not linked, unlinked, "
                "without a control, without control, that support no control, that supports no control, for no "
                "control, orphan, orphaned"
            ),
            lambda _: pl.col("controls") == 0, after=True
        ),
        RowState(
            "held here",
            phrases("held, held here, with bytes, with a file, with the file, stored here, in the evidence store"),
            lambda _: pl.col("held_sha256").is_not_null() & (pl.col("held_state").fill_null("whole") != "erased"),
            after=True
        )
    ),
    choices={"source": {}}, dates={"captured_on": ("captured", "collected", "uploaded", "added", "gathered", "new")},
    people={"owner": (*OWNER, "uploaded", "collected")}, fillers=("new",),
)  # fmt: skip

CHANGE = Entity(
    "change of a control", "changes of controls",
    phrases(
        "control change, state change, change of state, change state, changed state, control changed, controls "
        "change, became, become, turned, turn, went from, degraded, got worse, got better, recovered, "
        "deteriorated, lost effectiveness, moved to, control that changed, go red, went red"
    ),
    _changes, "id",
    "{called} {control_id} {title}: {previous} to {state} on {observed_on} ({trigger_event}), owner {owner}",
    names=("control_id",),
    states=(
        RowState(
            "for the worse",
            phrases(
                "got worse, worse, degraded, deteriorated, lost effectiveness, declined, go red, went red, red, bad"
            ),
            over("step", 1), after=True
        ),
        RowState(
            "for the better", phrases("got better, better, recovered, improved, restored"),
            lambda _: pl.col("step") < 0, after=True
        ),
        *(
            RowState(
                f"from {state}",
                tuple(f"{said} {state}" for said in phrases("previous, previously, formerly, no longer, out of")),
                is_in("previous", state.replace(" ", "_")),
                after=True,
            )
            for state in phrases("effective, partial, stale, ineffective, no data")
        )
    ),
    choices={"state": {"no data": "no_data"}},
    dates={
        "observed_on": phrases(
            "changed, change, became, become, turned, turn, when, since, observed, degraded, recovered, went, got, "
            "lost"
        )
    },
    people={"owner": OWNER}, links={"framework": "framework", "control": "control"},
    attributes={"trigger_event": ("cause", "caused", "trigger", "reason", "why"), "previous": ("before", "previous")},
    reason="trigger_event", size="observed_on", fillers=("control", "state", "went", "to", "from"),
)  # fmt: skip

MAPPING = Entity(
    "mapping", "mappings (each in both directions)",
    phrases(
        "mapping, crosswalk, map, mapped, maps to, map to, mapped to, equivalent, corresponds, correspond, "
        "counterpart, overlap, same as, covers the same"
    ),
    _mappings, "id",
    "{source_called} {source_id} {source_title} to {called} {target_id} {target_title}: {relation}, strength "
    "{strength}",
    states=(
        RowState("full", ("complete", "fully"), flag("full")),
        RowState("partial", ("partly", "partially"), flag("full", False))
    ),
    choices={"relation": {}}, links={"control": "control", "framework": "target_framework"},
    attributes={"strength": ("strength", "strong", "strongly"), "rationale": ("rationale", "reason")},
    reason="rationale", size="strength", report="crosswalk", closed=False,
    fillers=("control", "requirement", "to", "which"),
)  # fmt: skip

_LACKING = phrases("hour missing, missing hour, hour short, hour lacking, hour too few, hour does lack, missing")
WEEK = Entity(
    "week of a person", "weeks of people",
    phrases(
        "capacity, many hours does, many hours do, utilisation, utilization, overloaded, overload, overbooked, "
        "overcommitted, free hour, available hour, spare hour, hour available, hour free, booked, absence, absent, "
        "away, vacation, holiday, on leave, bandwidth, busy, too much work, enough time, time available, spare "
        "time, most overloaded, most overbooked, most overcommitted, shortfall"
    ),
    _weeks, "id",
    "{owner} in {week}: {demand_hours} h due of {available_hours} h available ({utilisation_pct} %), absent "
    "{absence_hours} h, short of {shortfall_hours} h",
    states=(
        RowState(
            "with more hours due than available",
            phrases(
                "overloaded, overload, overbooked, overcommitted, too much work, over capacity, short, above "
                "capacity, shortfall"
            ),
            lambda _: pl.col("shortfall_hours") > 0, after=True
        ),
        RowState(
            "with absence", phrases("absent, absence, away, vacation, holiday, on leave"),
            lambda _: pl.col("absence_hours") > 0, after=True
        )
    ),
    dates={"week_start_on": ("week", "in")}, until="week_end_on", people={"owner": OWNER},
    attributes={
        "utilisation_pct": ("utilisation", "utilization", "busy", "booked"),
        "shortfall_hours": ("shortfall", "short", *_LACKING), "absence_hours": ("absence", "absent", "away"),
        "available_hours": ("available", "capacity", "available hour", "hour available"),
        "free_hours": ("free", "spare", "left", "free hour", "spare hour", "hour free")
    },
    measures={
        "demand_hours": ("hour due", "due hour", "demand"), "shortfall_hours": _LACKING,
        "free_hours": ("free hour", "spare hour", "hour free", "free", "spare"),
        "available_hours": ("available hour", "hour available", "capacity", "available", "hour", "many hours does"),
        "absence_hours": ("absence", "absent", "absence hour", "away", "on leave", "on holiday")
    },
    fillers=("week", "person", "people", "owner"), hints=("hours",), size="utilisation_pct",
)  # fmt: skip

EVENT = Entity(
    "audit event", "audit events",
    phrases(
        "audit event, audit log, audit log entry, audit trail, log entry, audit entry, log event, attempt, access "
        "attempt, failed login, failed logon, login attempt, login, logon, access denied, export, exported, locked "
        "out, lockout, mfa disabled, mfa found disabled, disabled mfa"
    ),
    _events, "event_id", "{event_id} {action} by {actor}: {object_type} {object_id}, {outcome}", names=("event_id",),
    states=(
        RowState(
            "failed", ("unsuccessful",), is_in("outcome", "failure", "denied"), assumed="refused ones among them"
        ),
        RowState("successful", ("succeeded",), is_in("outcome", "success")),
        RowState(
            "failed login",
            phrases("failed login, failed logon, failed log in"),
            lambda _: (
                (pl.col("action") == "login.failed")
                | (pl.col("action").str.starts_with("login.") & (pl.col("outcome") == "failure"))
            ),
            assumed="by the action, or by what came of the attempt",
        ),
        RowState("login", ("login attempt", "logon"), lambda _: pl.col("action").str.starts_with("login."))
    ),
    choices={
        "action": meanings(
            "export.completed: export, exported, exports; login.locked_out: locked out, lockout, locked out of "
            "their account, locked out of an account, account locked, account lockout; mfa.disabled: mfa disabled, "
            "mfa found disabled, disabled mfa, mfa off, mfa switched off, mfa turned off"
        ),
        "object_type": {},
        "outcome": {
            "refused": "denied", "access denied": "denied", "failed outcome": "failure", "outcome failed": "failure"
        }
    },
    dates={"occurred_on": ("occurred", "happened", "recorded", "logged")},
    people={"actor": ("actor", "did", "made", "caused", *OWNER)}, links={"service": "object_id"}, size="occurred_at",
    attributes={"action": ("action",), "actor": ("actor",), "outcome": ("outcome",), "service": ("service",)},
    fillers=phrases("event, entry, account"),
    loose=phrases("attempt, access attempt, export, exported, locked out, lockout"),
)  # fmt: skip

BUNDLE = Entity(
    "evidence bundle", "evidence bundles",
    ("bundle", "evidence bundle", "archive", "sealed bundle", "sealed archive", "evidence archive", "evidence pack"),
    lambda records: records.fact("bundles"), "id",
    "{id}: {window_start_on} to {window_end_on}, sealed on {sealed_on} by {created_by}", names=("id",),
    dates={"sealed_on": ("sealed", "seal", "created", "made", "built", "new")},
    people={"created_by": ("created", "made", "sealed", "built", *OWNER)},
    attributes={"size_bytes": ("size", "big", "large"), "requested_window": ("window",)}, size="size_bytes",
    fillers=("evidence",),
)  # fmt: skip

RETENTION = Entity(
    "record class", "record classes",
    phrases(
        "retention, retention period, override, record class, kept, keep, retain, retained, purge, purged, "
        "deleted, store how long"
    ),
    _classes, "record_class",
    "{title}: kept {days} days ({source}; the default is {default_days}), next purge on {next_purge_on}; {reason}",
    names=("title",), choices={"record_class": {"audit logs": "audit_log", "logs": "audit_log", "log": "audit_log"}},
    states=(
        RowState(
            "with an override", ("override", "overridden", "changed"),
            lambda _: pl.col("override_days").is_not_null(), after=True
        ),
    ),
    dates={"next_purge_on": ("purge", "purged", "deleted", "next purge"), "approved_on": ("approved",)},
    due="next_purge_on", people={"approved_by": ("approved", "approver", *OWNER)}, reason="reason",
    attributes={
        "days": ("long", "how long", "retention", "kept", "keep", "retain", "days", "retention period"),
        "rows": ("rows", "many"), "oldest_on": ("oldest",)
    },
    report="deployment-retention", fillers=("record", "data", "for", "class", "longer"),
    loose=("deleted", "purged", "purge", "kept", "keep", "retain", "retained"),
)  # fmt: skip

PROOF = Entity(
    "linked evidence item", "linked evidence items",
    ("linked evidence", "evidence linked", "linked evidence item", "evidence item"), _proofs, "id",
    "{evidence_id} {title} for {called} {control_id}: captured on {captured_on}, source {source}, owner {item_owner}",
    choices={"source": {}}, dates={"captured_on": ("captured", "collected", "uploaded", "added")},
    people={"item_owner": (*OWNER, "uploaded", "collected")}, links={"control": "control"},
    fillers=("control", "item", "support", "supporting", "back"),
)  # fmt: skip
LEDGER = (EVIDENCE, CHANGE, MAPPING, WEEK, EVENT, BUNDLE, RETENTION, PROOF)
