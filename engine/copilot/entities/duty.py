"""Who is on call when, when alerts are expected, and who sends them: shifts, maintenance windows, senders."""

import polars as pl

from engine.copilot.entities.entity import Records, RowState, flag, is_in
from engine.copilot.entities.wordbook import thing


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


SHIFT = thing("on-call shift", _shifts, RowState("going on now", flag("now"), after=True))

MAINTENANCE = thing(
    "maintenance window",
    lambda records: _lasting(records, "maintenance_windows"),
    RowState("going on now", flag("now"), after=True),
    RowState("declared after the fact", flag("late"), after=True),
    RowState("declared beforehand", flag("late", False), after=True),
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


SENDER = thing(
    "sender",
    _senders,
    RowState("live", is_in("sender_state", "live")),
    RowState("silent", is_in("sender_state", "silent")),
    RowState("retired", is_in("sender_state", "retired")),
    RowState("never heard", is_in("sender_state", "never heard")),
)
DUTY_TIMES = (SHIFT, MAINTENANCE, SENDER)
