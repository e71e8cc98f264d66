"""Services with their objectives and error budgets, and what they need."""

import polars as pl

from engine.copilot.entities.entity import Entity, Records, RowState, flag, is_in, none, over, phrases
from engine.copilot.entities.operations import OWNER, UNOWNED

# verbs of a sender of alerts, whichever side of it is asked for
WATCH = phrases(
    "watches, watch, watched, watching, watched by, monitors, monitor, monitored, monitored by, covers, cover, "
    "covered, covered by, alerts for, alerts on"
)


def _budgets(records: Records) -> pl.DataFrame:
    """Services with their objective, what is left of their error budget, and what needs them."""
    needed = records.table("service_dependencies").group_by("depends_on_id").agg(dependents=pl.len().cast(pl.Int64))
    profiles = records.table("slo_profiles").select("service_id", "indicator", "objective_pct", "window_kind")
    sender = pl.format("{} / {}", "token", "source")
    watched = records.table("service_senders").group_by("service_id").agg(sender.sort().alias("watched_by"))
    frame = records.table("services").join(profiles, left_on="id", right_on="service_id", how="left")
    return (
        frame.join(records.budgets(), left_on="id", right_on="service_id", how="left")
        .join(needed, left_on="id", right_on="depends_on_id", how="left")
        .join(watched, left_on="id", right_on="service_id", how="left")
        .with_columns(dependents=pl.col("dependents").fill_null(0))
    )


def _dependencies(records: Records) -> pl.DataFrame:
    names = records.table("services").select("id", "name")
    frame = records.table("service_dependencies")
    return (
        frame.join(names.rename({"id": "service_id", "name": "service"}), on="service_id", how="left")
        .join(names.rename({"id": "depends_on_id", "name": "needs"}), on="depends_on_id", how="left")
        .with_columns(id=pl.format("{} → {}", "service", "needs"))
    )


SERVICE = Entity(
    "service",
    "services",
    phrases(
        "service, slo, error budget, service level objective, budget, component, application, app, microservice, "
        "slos, uptime, availability"
    ),
    _budgets,
    "id",
    "{name}: criticality {criticality}, objective {objective_pct} %, {left_30d_pct} % of its error budget of 30 days "
    "left, owner {owner}",
    names=("id", "name"),
    states=(
        RowState(
            "internet-facing",
            phrases(
                "internet facing, face the internet, facing the internet, public, exposed, on the internet, public "
                "facing, reachable from the internet, exposed to the internet, internet exposed"
            ),
            flag("internet_facing"),
        ),
        RowState(
            "without an objective",
            phrases(
                "without slo, without an slo, without slos, no slo, without objective, without an objective, no "
                "objective, have no slo, not have an slo"
            ),
            none("objective_pct"),
            after=True,
        ),
        RowState(
            "with an objective",
            phrases("with slo, with an slo, have an slo, have slos, with slos, with an objective, have an objective"),
            lambda _: pl.col("objective_pct").is_not_null(),
            after=True,
        ),
        RowState(
            "with customer data",
            phrases(
                "customer data, hold customer data, holds customer data, holding customer data, store customer "
                "data, personal data, patient data, hold patient data, holding patient data, user data"
            ),
            flag("holds_customer_data"),
            after=True,
        ),
        RowState(
            "with an exhausted error budget",
            phrases(
                "out of budget, out of error budget, exhausted, burned through, over budget, no budget left, blown, "
                "used up, burned more than their error budget, blew, breached, breaching, missed slo, missing their "
                "slo, missing slo, spent, overspent, breach, no error budget left, violating"
            ),
            over("used_30d_pct", 100),
            after=True,
        ),
        RowState(
            "burning their error budget too fast",
            phrases(
                "burning, burn, at risk, burning fast, in danger, critical budget, burning their error budget, "
                "burning budget"
            ),
            is_in("level", "critical", "warning"),
            after=True,
        ),
        RowState(
            "that nothing depends on",
            tuple(
                f"{what} {verb}"
                for what in phrases(
                    "nothing, nothing else, no other service, no service, no other services, no services, none"
                )
                for verb in phrases("depends on, depend on, relies on, rely on, needs, need")
            )
            + phrases("without dependents, no dependents, nobody depends on, nobody relies on, nobody needs"),
            lambda _: pl.col("dependents") == 0,
            after=True,
        ),
        RowState(
            "that nothing watches",
            tuple(
                f"{what} {verb}"
                for what in phrases("nothing, no sender, no senders, no monitor, nobody, no one")
                for verb in WATCH
            ),
            none("watched_by"),
            after=True,
        ),
        RowState(
            "watched by a sender",
            (
                *phrases("watched, monitored, covered"),
                *(
                    f"{what} {verb}"
                    for what in phrases("anything, anyone, anybody, something, any sender")
                    for verb in WATCH
                ),
                *(f"{verb} by {what}" for what in phrases("anything, any sender, a sender") for verb in WATCH),
            ),
            lambda _: pl.col("watched_by").is_not_null(),
            after=True,
        ),
        RowState("unowned", UNOWNED, none("owner"), aside=True),
    ),
    choices={
        "environment": {"prod": "production", "dev": "development"},
        "window_kind": {
            f"{said}{kind} {what}": kind
            for kind in ("calendar", "rolling")
            for said in ("", "over a ", "measured over a ")
            for what in ("window", "slo window")
        },
        "criticality": {f"{kind} {n}": str(n) for n in range(1, 6) for kind in ("tier", "criticality", "crit")}
        | {"most critical": "5", "critical": "5", "business critical": "5", "vital": "5", "top tier": "5"},
    },
    people={"owner": OWNER, "watched_by": WATCH},
    links={"service": "id", "sender": "watched_by"},
    attributes={
        "criticality": ("criticality", "tier", "important", "critical"),
        "environment": ("environment", "where"),
        "objective_pct": phrases(
            "slo, objective, target, service level objective, promise, promised, promising, targeting, aim for"
        ),
        "left_30d_pct": ("error budget", "budget", "left", "remain", "remaining", "error budget left"),
        "used_30d_pct": ("used", "burned", "consumed", "spent"),
        "burn_7d": ("burn rate", "burn"),
        "dependents": ("dependents", "blast radius"),
        "watched_by": phrases("sender, senders"),
        "indicator": phrases("indicator, sli, measure, measured"),
        "internet_facing": ("internet facing", "public", "exposed"),
        "holds_customer_data": ("customer data",),
        "level": ("health", "status", "state", "doing"),
    },
    size="criticality",
    row_route="/api/services/{id}/slo",
)

DEPENDENT = Entity(
    "dependent service",
    "dependent services",
    phrases(
        "depend on, depends on, rely on, relies on, rest on, rests on, lean on, leans on, built on, dependency on, "
        "dependencies on, downstream of, downstream, depending on, dependent, blast radius, "
        "affected if, break if, breaks if, break when, goes down with, what needs, which services need, who needs"
    ),
    _dependencies,
    "id",
    "{service} needs {needs}",
    links={"service": "depends_on_id", "vendor": "vendor_id"},
    row_route="/api/services/dependency-graph",
    fillers=("service", "fail", "goes", "down"),
)

DEPENDENCY = Entity(
    "dependency",
    "dependencies",
    ("dependency", "upstream of", "upstream", "does depend", "need"),
    _dependencies,
    "id",
    "{service} needs {needs}",
    links={"service": "service_id"},
    row_route="/api/services/dependency-graph",
    fillers=("service", "depend", "on", "rely"),
)
SERVICES = (SERVICE, DEPENDENT, DEPENDENCY)
