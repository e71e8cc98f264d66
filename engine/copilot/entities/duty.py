"""Who is on call when, when alerts are expected, and who sends them: shifts, maintenance windows, senders."""

import polars as pl

from engine.copilot.entities.entity import Entity, Records, RowState, flag, is_in, phrases
from engine.copilot.entities.operations import OWNER
from engine.copilot.entities.services import WATCH


def _lasting(records: Records, table: str) -> pl.DataFrame:
    """The rows of a table of spans, each with its service and whether it lasts now."""
    names = records.table("services").select(service_id="id", service="name")
    now = pl.lit(records.now.replace(tzinfo=None))
    opened = records.table("incidents").select("opened_at", incident="id", on="service_id")
    begun = (  # the incidents that began meanwhile, on its service where it has one
        records.table(table)
        .join_where(opened, pl.col("opened_at") >= pl.col("starts_at"), pl.col("opened_at") < pl.col("ends_at"))
        .filter(pl.col("service_id").is_null() | (pl.col("service_id") == pl.col("on")).fill_null(False))
        .group_by("id")
        .agg(begun_ids="incident")
    )
    return (
        records.table(table)
        .join(names, on="service_id", how="left")
        .join(begun, on="id", how="left")
        .with_columns(
            now=now.is_between("starts_at", "ends_at", closed="left"),
            late=pl.col("recorded_at") > pl.col("starts_at"),
            hours=(pl.col("ends_at") - pl.col("starts_at")).dt.total_seconds() / 3600,
        )
    )


def _shifts(records: Records) -> pl.DataFrame:
    """The shifts; one that names no service is for all of them."""
    every = records.table("services")["id"].to_list()
    covered = pl.when(pl.col("service_id").is_null()).then(pl.lit(every)).otherwise(pl.concat_list("service_id"))
    return _lasting(records, "on_call_shifts").with_columns(covered_ids=covered)


_BEGAN = phrases("opened, open, happened, occurred, raised, incident, incidents, when, while, it")
_NOW = phrases("now, current, currently, at the moment, right now, this minute")

SHIFT = Entity(
    "on-call shift",
    "on-call shifts",
    phrases(
        "on call shift, on call, oncall, on duty, shift, rota, roster, duty roster, pager, standby, first responder, "
        "takes over, take over, taking over, hands over, hand over"
    ),
    _shifts,
    "id",
    "{id} {person}: rota {rota}, {starts_at} to {ends_at}, service {service}",
    names=("id",),
    states=(RowState("going on now", _NOW, flag("now"), after=True),),
    choices={"rota": {}},
    dates={
        "starts_on": phrases("start, starts, started, begins, takes over, take over, taking over"),
        "ends_on": phrases("end, ends, over, handover, hand over, hands over"),
    },
    due="starts_on",
    until="ends_on",
    people={"person": ("on call", "oncall", "on duty", "pager", "holds", "carries", *OWNER)},
    links={"service": "covered_ids", "incident": "begun_ids"},
    fillers=(*_BEGAN, "week", "weeks"),
    attributes={"service": ("service",), "rota": ("rota", "schedule")},
    measures={"hours": phrases("hours, hours on call, hours on duty, long, last, take")},
    presumed="going on now",
)

MAINTENANCE = Entity(
    "maintenance window",
    "maintenance windows",
    phrases("maintenance window, maintenance, planned work, silence, silenced, change freeze, planned downtime"),
    lambda records: _lasting(records, "maintenance_windows"),
    "id",
    "{id} {reason}: {starts_at} to {ends_at}, service {service}, declared by {created_by}",
    names=("id", "reason"),
    states=(
        RowState("going on now", (*_NOW, "active", "open"), flag("now"), after=True),
        RowState(
            "declared after the fact",
            (
                *("after the fact", "late"),
                *(
                    f"{verb} {only}{when}"
                    for verb in phrases("declared, recorded, announced, entered, registered, added, planned")
                    for only in ("", "only ")
                    for when in phrases(
                        "after the fact, late, too late, afterwards, afterward, after it began, after they "
                        "began, after it started, after the start, later, retroactively, in retrospect"
                    )
                ),
            ),
            flag("late"),
            after=True,
        ),
        RowState(
            "declared beforehand",
            phrases("declared beforehand, planned, announced, declared in advance, in advance"),
            flag("late", False),
            after=True,
        ),
    ),
    dates={"starts_on": phrases("start, starts, started, begins"), "ends_on": phrases("end, ends, over")},
    due="starts_on",
    until="ends_on",
    people={"created_by": ("declared", "created", "planned", *OWNER)},
    links={"service": "service_id", "incident": "begun_ids"},
    attributes={"service": ("service",), "reason": ("reason",)},
    measures={"hours": phrases("hours, long, last, take")},
    reason="reason",
    fillers=("window", *_BEGAN),
    loose=phrases("silence, silenced, change freeze"),
)


def _senders(records: Records) -> pl.DataFrame:
    """Every sender with the services that it is declared to watch."""
    declared = records.table("service_senders").group_by("token", "source").agg(watched_ids="service_id")
    names = records.table("services").select(service_id="id", service="name")
    watched = records.table("service_senders").join(names, on="service_id").group_by("token", "source")
    return (
        records.fact("senders")
        .join(declared, on=["token", "source"], how="left", maintain_order="left")
        .join(watched.agg(watches=pl.col("service").sort().str.join(", ")), on=["token", "source"], how="left")
        .with_columns(
            id=pl.format("{} / {}", "token", "source"),
            last_message_on=pl.col("last_message_at").dt.date(),
            sender_state=pl.col("sender_state").str.replace_all("_", " "),
        )
        .sort("id")
    )


SENDER = Entity(
    "sender",
    "senders",
    phrases("sender, sender of alerts, alert source, source of alerts, alert sender, monitoring source"),
    _senders,
    "id",
    "{id}: {sender_state}, last heard at {last_message_at}, {messages} messages, watches {watches}",
    names=("id", "token", "source"),
    states=(
        RowState("live", phrases("alive, heard, sending, working, up, reporting, ok"), is_in("sender_state", "live")),
        RowState(
            "silent",
            phrases(
                "quiet, dark, dead, went quiet, went silent, gone quiet, gone silent, went dark, stopped, stopped "
                "sending, stopped reporting, down, missing, lost"
            ),
            is_in("sender_state", "silent"),
        ),
        RowState("retired", phrases("revoked, switched off"), is_in("sender_state", "retired")),
        RowState("never heard", phrases("never heard of, never sent anything"), is_in("sender_state", "never heard")),
    ),
    choices={"token": {}, "source": {}},
    dates={
        "last_message_on": phrases(
            "last heard, last heard from, last message, last sent, last send, heard from, sent, send"
        ),
        "first_on": phrases("first heard, first message"),
    },
    links={"service": "watched_ids", "sender": "id"},
    attributes={
        "sender_state": ("state", "status"),
        "watches": (*WATCH, "services"),
        "source": ("source",),
        "token": ("token",),
    },
    measures={"silent_hours": ("hours silent",), "messages": ("messages",)},
    size="silent_hours",
    fillers=phrases("service, services, alerts, of, for, from"),
    dated=False,
)
DUTY_TIMES = (SHIFT, MAINTENANCE, SENDER)
