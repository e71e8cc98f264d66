"""Who is on call when, and when alerts are expected: shifts and maintenance windows."""

import polars as pl

from engine.copilot.entities.entity import Entity, Records, RowState, flag, phrases
from engine.copilot.entities.operations import OWNER


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
    fillers=_BEGAN,
    attributes={"service": ("service",), "rota": ("rota", "schedule")},
    measures={"hours": ("hours", "hours on call", "hours on duty")},
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
    until="ends_on",
    people={"created_by": ("declared", "created", "planned", *OWNER)},
    links={"service": "service_id", "incident": "begun_ids"},
    attributes={"service": ("service",), "reason": ("reason",)},
    measures={"hours": phrases("hours, long, last, take")},
    reason="reason",
    fillers=("window", *_BEGAN),
    loose=phrases("silence, silenced, change freeze"),
)
DUTY_TIMES = (SHIFT, MAINTENANCE)
