"""What services are operated by: incidents, deploys, findings, follow-ups."""

from collections.abc import Callable
from datetime import date

import polars as pl

from engine.copilot.entities.entity import Records, RowState, flag, is_in, none, past, phrases
from engine.copilot.entities.wordbook import thing
from engine.facts.expressions import time_between
from engine.model.vocabulary import LIVE_INCIDENTS


def _services(records: Records) -> pl.DataFrame:
    """The services, as columns of what hangs on them."""
    return records.table("services").select(
        service_id="id",
        service="name",
        service_owner="owner",
        service_criticality="criticality",
        service_facing="internet_facing",
        service_holds_data="holds_customer_data",
    )


# what kind of service a thing is on
ON_SERVICES = tuple(
    RowState(label, where, after=True, aside=True)
    for label, where in (
        ("on services with customer data", flag("service_holds_data")),
        ("on services without customer data", flag("service_holds_data", False)),
        ("on internet-facing services", flag("service_facing")),
        ("on critical services", lambda _: pl.col("service_criticality") >= 4),
    )
)


def _incidents(records: Records) -> pl.DataFrame:
    more = records.table("incidents").select(
        phrases(
            "id, source, acknowledged_at, mitigated_at, closed_at, root_cause, summary, impact_users, alert_count, "
            "related_to, workspace_id"
        )
    )
    spaces = records.table("workspaces").select(workspace_id="id", workspace="name")
    more = more.join(spaces, on="workspace_id", how="left")
    held = records.fact("legal_holds").filter("active").select(id="incident_id", hold="id").unique("id")
    happened = records.table("incident_timeline").group_by(id="incident_id")
    again = happened.agg(
        reopened_at=pl.col("happened_at").filter(pl.col("kind") == "reopen").max(),
        communicated_at=pl.col("happened_at").filter(pl.col("kind") == "communication").min(),
    )
    frame = records.fact("incidents").join(more, on="id", how="left").join(held, on="id", how="left")
    frame = frame.join(again, on="id", how="left")
    return frame.join(_services(records), on="service_id", how="left").with_columns(
        pl.col("severity").replace_strict({"critical": 5, "high": 4, "medium": 3, "low": 2}, default=1).alias("rank"),
        hours_to_resolve=pl.col("minutes_to_resolve") / 60,
        hours_to_acknowledge=pl.col("minutes_to_acknowledge") / 60,
        hours_to_mitigate=pl.col("minutes_to_mitigate") / 60,
        hours_to_close=time_between("closed_at", "opened_at").dt.total_seconds() / 3600,
    )


def _deploys(records: Records) -> pl.DataFrame:
    """Deploys, each with the first incident on its service that opened within a day of it."""
    opened = records.table("incidents").select("service_id", incident_id="id", at="opened_at").drop_nulls().sort("at")
    frame = records.table("deploys").join(_services(records), on="service_id", how="left").sort("deployed_at")
    followed = frame.drop_nulls("service_id").join_asof(
        opened,
        left_on="deployed_at",
        right_on="at",
        by="service_id",
        strategy="forward",
        tolerance="24h",
        check_sortedness=False,
    )
    return pl.concat([followed.drop("at"), frame.filter(pl.col("service_id").is_null())], how="diagonal").sort("id")


def _findings(records: Records) -> pl.DataFrame:
    linked = records.table("findings").select("id", "service_id", "incident_id", "first_seen_at", "fixed_at")
    return (
        records.fact("findings")
        .join(linked, on="id", how="left")
        .join(_services(records).drop("service"), on="service_id", how="left")
        .with_columns(
            pl.col("severity")
            .replace_strict({"critical": 5, "high": 4, "medium": 3, "low": 2}, default=1)
            .alias("rank"),
            days_to_fix=time_between("fixed_at", "first_seen_at").dt.total_seconds() / 86_400,
        )
    )


def _cause(pattern: str) -> Callable[[date], pl.Expr]:
    """Incidents whose established cause names it."""
    return lambda _: pl.col("root_cause").str.to_lowercase().str.contains(pattern)


INCIDENT = thing(
    "incident",
    _incidents,
    RowState("open", is_in("status", *LIVE_INCIDENTS)),
    RowState("unacknowledged", lambda _: pl.col("acknowledged_at").is_null() & pl.col("status").is_in(LIVE_INCIDENTS)),
    RowState("not closed", lambda _: pl.col("status") != "closed"),
    RowState("unowned", none("owner"), aside=True),
    RowState("resolved", is_in("status", "resolved", "closed")),
    RowState("under legal hold", lambda _: pl.col("hold").is_not_null(), after=True),
    RowState("without a root cause", none("root_cause"), after=True, aside=True),
    RowState("that hit nobody", lambda _: pl.col("impact_users").fill_null(0) == 0, after=True, aside=True),
    RowState("caused by a release", _cause(r"\b(?:release|deploy)"), after=True),
    RowState("caused by a vendor", _cause(r"\b(?:vendor|supplier|provider)"), after=True),
    *ON_SERVICES,
    RowState("in planned maintenance", lambda _: pl.col("maintenance_state") == "planned", after=True, aside=True),
    RowState("acknowledged in time by somebody on duty", is_in("on_call", "in_time"), after=True),
    RowState("reopened", lambda _: pl.col("reopened_at").is_not_null()),
)

DEPLOY = thing(
    "deploy",
    _deploys,
    RowState("failed", is_in("status", "failed")),
    RowState("rolled back", is_in("status", "rolled_back")),
    RowState("bad", is_in("status", "failed", "rolled_back")),
    RowState("successful", is_in("status", "succeeded")),
    RowState("followed by an incident within a day", lambda _: pl.col("incident_id").is_not_null(), after=True),
    *ON_SERVICES,
)

FINDING = thing(
    "finding",
    _findings,
    RowState("open", is_in("status", "open")),
    RowState("known-exploited", flag("known_exploited"), aside=True),
    RowState("overdue", past("due_on", "open")),
    RowState("reachable from the internet", flag("internet_reachable"), after=True, aside=True),
    RowState("fixed", is_in("status", "fixed")),
    RowState("with a CVE", lambda _: pl.col("cve").is_not_null(), after=True),
    *ON_SERVICES[::2],
    RowState("without a CVE", none("cve"), after=True, aside=True),
    RowState("unowned", none("owner"), aside=True),
)

ACTION = thing(
    "follow-up",
    lambda records: records.table("incident_actions"),
    RowState("open", is_in("status", "open")),
    RowState("overdue", past("due_on", "open")),
    RowState("done", is_in("status", "done")),
    RowState("unowned", none("owner"), aside=True),
)
OPERATIONS = (INCIDENT, DEPLOY, FINDING, ACTION)
