"""What services are operated by: incidents, deploys, findings, follow-ups."""

from collections.abc import Callable
from datetime import date

import polars as pl

from engine.copilot.entities.entity import Entity, Records, RowState, flag, is_in, meanings, none, past, phrases
from engine.model.vocabulary import LIVE_INCIDENTS

SEVERITY = meanings(
    "critical: crit, sev1, sev 1, sev-1, p0; high: sev2, sev-2; medium: moderate, sev3; info: informational"
)
UNOWNED = phrases(
    "without owner, without an owner, unowned, unassigned, nobody on, nobody owns, no owner, no one on, not "
    "assigned, have no owner, nobody is on, nobody assigned, nobody took, nobody has taken, "
    "without assignee, without an assignee, nobody works on, nobody is working on, nobody looks after"
)  # fmt: skip
OWNER = phrases(
    "owner, owned, own, owns, owning, assigned, assignee, responsible, on the hook, looks after, look after, takes "
    "care, handling, handle, handled, working on, in charge, belongs, belong, run by, took, takes, taking, picked up, "
    "contact, lead, leading, deals with, dealing with, owe, owes, sitting on, carries, carrying"
)  # fmt: skip


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
    RowState(
        label,
        tuple(f"{way}{text}" for way in ("services that ", "services ", "on ", "") for text in words),
        where,
        True,
        True,
    )
    for label, words, where in (
        (
            "on services with customer data",
            phrases("hold customer data, with customer data, holding customer data, store customer data"),
            flag("service_holds_data"),
        ),
        (
            "on services without customer data",
            phrases("without customer data, hold no customer data, not holding customer data"),
            flag("service_holds_data", False),
        ),
        (
            "on internet-facing services",
            phrases(
                "internet facing services, internet facing, facing the internet, public services, public facing "
                "services"
            ),
            flag("service_facing"),
        ),
        (
            "on critical services",
            phrases("our most critical services, critical services, business critical services, tier 1 services"),
            lambda _: pl.col("service_criticality") >= 4,
        ),
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
    again = (
        records.table("incident_timeline")
        .filter(pl.col("kind") == "reopen")
        .group_by(id="incident_id")
        .agg(reopened_at=pl.col("happened_at").max())
    )
    frame = records.fact("incidents").join(more, on="id", how="left").join(held, on="id", how="left")
    frame = frame.join(again, on="id", how="left")
    return frame.join(_services(records), on="service_id", how="left").with_columns(
        pl.col("severity").replace_strict({"critical": 5, "high": 4, "medium": 3, "low": 2}, default=1).alias("rank"),
        hours_to_resolve=pl.col("minutes_to_resolve") / 60,
        hours_to_acknowledge=pl.col("minutes_to_acknowledge") / 60,
        hours_to_mitigate=pl.col("minutes_to_mitigate") / 60,
        hours_to_close=(pl.col("closed_at") - pl.col("opened_at")).dt.total_seconds() / 3600,
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
            days_to_fix=(pl.col("fixed_at") - pl.col("first_seen_at")).dt.total_seconds() / 86_400,
        )
    )


RELEASES = ("release", "deploy", "deployment", "change", "rollout")
SUPPLIERS = ("vendor", "supplier", "third party", "provider")


def _caused_by(*things: str) -> tuple[str, ...]:
    """The ways to say that one of these things was the cause."""
    verbs = ("caused by", "due to", "because of", "triggered by", "came from", "blamed on", "down to", "came after")
    some = [f"{one}s" if not one.endswith("y") else f"{one[:-1]}ies" for one in things]
    given = [f"{a} {one}" for one in things for a in ("a", "a bad", "a failed", "the", "one", "our")]
    return tuple(f"{verb} {one}" for verb in verbs for one in (*given, *some, *(f"bad {each}" for each in some)))


def _cause(pattern: str) -> Callable[[date], pl.Expr]:
    """Incidents whose established cause names it."""
    return lambda _: pl.col("root_cause").str.to_lowercase().str.contains(pattern)


INCIDENT = Entity(
    "incident",
    "incidents",
    phrases(
        "incident, outage, ticket, alert, page, disruption, downtime, security event, broke, went down, broken, "
        "went wrong"
    ),
    _incidents,
    "id",
    "{id} {title}: {severity}, {status}, opened on {opened_on}, service {service}, owner {owner}",
    names=("id", "title"),
    states=(
        RowState(
            "open",
            phrases(
                "open, active, ongoing, going on, live, unresolved, not resolved, still open, current, outstanding, "
                "happening, firing, burning, on fire"
            ),
            is_in("status", *LIVE_INCIDENTS),
        ),
        RowState(
            "unacknowledged",
            (
                *("unacknowledged", "not acknowledged", "unacked", "not acked"),
                *(f"nobody {said}" for said in ("acknowledged", "has acknowledged", "acked", "has acked")),
            ),
            lambda _: pl.col("acknowledged_at").is_null() & pl.col("status").is_in(LIVE_INCIDENTS),
        ),
        RowState("not closed", ("unclosed",), lambda _: pl.col("status") != "closed"),
        RowState("unowned", UNOWNED, none("owner"), aside=True),
        RowState("resolved", ("fixed", "solved", "over"), is_in("status", "resolved", "closed")),
        RowState(
            "under legal hold",
            phrases("on legal hold, on hold, under hold, legal hold, held"),
            lambda _: pl.col("hold").is_not_null(),
            after=True,
        ),
        RowState(
            "without a root cause",
            ("without root cause", "no root cause", "unknown cause", "unexplained"),
            none("root_cause"),
            after=True,
            aside=True,
        ),
        RowState(
            "that hit nobody",
            phrases("where nobody was hit, without users hit, without impact, no impact, hit no users"),
            lambda _: pl.col("impact_users").fill_null(0) == 0,
            after=True,
            aside=True,
        ),
        RowState("caused by a release", _caused_by(*RELEASES), _cause(r"\b(?:release|deploy)"), after=True),
        RowState("caused by a vendor", _caused_by(*SUPPLIERS), _cause(r"\b(?:vendor|supplier|provider)"), after=True),
        *ON_SERVICES,
        RowState(
            "in planned maintenance",
            phrases(
                "during maintenance, in maintenance, in a maintenance window, during a maintenance window, during "
                "planned maintenance, planned maintenance"
            ),
            lambda _: pl.col("maintenance_state") == "planned",
            after=True,
            aside=True,
        ),
        RowState(
            "acknowledged in time by somebody on duty",
            phrases(
                "acknowledged in time by somebody on duty, acknowledged by somebody on duty in time, acknowledged in "
                "time by the on call, acknowledged in time, acknowledged by somebody on duty, acknowledged by the on "
                "call"
            ),
            is_in("on_call", "in_time"),
            after=True,
        ),
        RowState(
            "reopened",
            ("opened again", "re-opened", "reopen", "came back"),
            lambda _: pl.col("reopened_at").is_not_null(),
        ),
    ),
    choices={"severity": SEVERITY, "status": {"acked": "acknowledged"}, "source": {}, "workspace": {}},
    dates={
        "opened_on": phrases(
            "open, opened, start, started, begin, began, happen, happened, occur, occurred, raised, reported, "
            "created, new"
        ),
        "resolved_on": phrases(
            "resolve, resolved, fix, fixed, solve, solved, restored, restore, ended, resolved by, fixed by"
        ),
        "closed_on": ("close", "closed", "closed by"),
        "acknowledged_on": ("acknowledge", "acknowledged", "ack", "acked"),
        "mitigated_on": ("mitigate", "mitigated"),
        "reopened_on": ("reopened", "reopen", "opened again"),
    },
    people={
        "owner": (*OWNER, "handled", "resolved by", "fixed by", "closed by"),
        "service_owner": ("service owner",),
        "acknowledged_by": ("acknowledged", "acknowledge", "acked", "ack", "acknowledged by"),
    },
    links={"service": "service_id", "incident": "id"},
    attributes={
        "severity": ("severity", "severe", "serious", "priority", "bad"),
        "status": ("status", "state"),
        "service": ("service", "affect"),
        "impact_users": phrases(
            "user, users, customer, impact, hit, affecting, affected, affecting users, affecting customers"
        ),
        "summary": ("summary", "about", "story"),
        "source": ("source", "monitor", "reported by"),
        "alert_count": ("alerts", "how many alerts"),
        "root_cause": ("root cause", "cause", "caused"),
        "hold": ("hold", "legal hold"),
        "workspace": ("workspace", "area"),
        "title": ("title",),
    },
    measures={
        "hours_to_resolve": phrases(
            "time to resolve, time to restore, time to fix, resolution time, take to resolve, long, last, lasted, "
            "duration, take, time to recover, mttr"
        ),
        "hours_to_acknowledge": phrases(
            "time to acknowledge, time to ack, ack time, mtta, acknowledgement time, take to acknowledge"
        ),
        "hours_to_close": ("time to close", "hours to close"),
        "hours_to_mitigate": ("time to mitigate", "mttm", "mitigation time", "to mitigate", "take to mitigate"),
        "impact_users": phrases(
            "users hit, users affected, affected users, impacted users, users impacted, customers hit, customers "
            "affected, affected customers, people hit, people affected, users were hit, users were affected, "
            "customers were hit, customers were affected, people were hit, people were affected, users were "
            "affected by, customers were affected by, users were hit by"
        ),
    },
    hints=phrases(
        "cause, caused, unacked, unacknowledged, burning, fire, sev1, sev2, sev3, sev4, mttr, mtta, mttm, ack, "
        "acknowledge, acknowledgement"
    ),
    reason="root_cause",
    size="rank",
    presumed="open",
    row_route="/api/incidents/{id}/evidence",
    fillers=("opening",),
    loose=("alert", "page", "ticket", "security event", "downtime"),
    figures={frozenset({"under legal hold"}): "incidents_held"},
    period_figures={
        ("opened_on", frozenset()): "incidents_opened_in_period",
        **{
            ("opened_on", frozenset({word})): f"incidents_{word}_in_period"
            for word in ("critical", "high", "medium", "low", "info")
        },
        ("resolved_on", frozenset()): "incidents_resolved_in_period",
    },
)

DEPLOY = Entity(
    "deploy",
    "deploys",
    phrases(
        "deploy, deployment, release, rollout, change, rollback, shipped, ship, deployed, released, pushed, "
        "changed, roll back, rolled back, went live, push, went out, went to production"
    ),
    _deploys,
    "id",
    "{id} {service} {version}: {status} on {deployed_on} in {environment}, by {actor}, "
    "incident within a day after {incident_id}",
    names=("id", "version", "change_ref"),
    states=(
        RowState("failed", phrases("fail, failing, broken, unsuccessful, failure"), is_in("status", "failed")),
        RowState("rolled back", ("rollback", "roll back", "reverted", "undone"), is_in("status", "rolled_back")),
        RowState(
            "bad", ("went wrong", "failed or rolled back", "gone wrong"), is_in("status", "failed", "rolled_back")
        ),
        RowState("successful", ("succeeded", "succeed", "success", "worked"), is_in("status", "succeeded")),
        RowState(
            "followed by an incident within a day",
            phrases(
                "followed by an incident, followed by incident, caused an incident, caused incident, led to an "
                "incident, led to incident, broke something, broke things, caused an outage, caused outage, caused "
                "trouble, cause an incident, cause incident"
            ),
            lambda _: pl.col("incident_id").is_not_null(),
            after=True,
        ),
        *ON_SERVICES,
    ),
    choices={"environment": {"prod": "production", "dev": "development"}, "status": {}},
    dates={"deployed_on": ("deploy", "deployed", "ship", "shipped", "release", "released", "pushed", "live")},
    people={"actor": ("deployed", "shipped", "released", "pushed", "ship", "deploy", *OWNER)},
    links={"service": "service_id", "incident": "incident_id"},
    attributes={
        "status": ("status", "state", "outcome"),
        "version": ("version", "build"),
        "service": ("service",),
        "environment": ("environment",),
        "change_ref": ("change", "reference", "change ticket"),
    },
    size="deployed_at",
    fillers=("to", "went", "out", "before", "around", "caused", "led", "trigger", "triggered", "preceded"),
)

FINDING = Entity(
    "finding",
    "findings",
    phrases(
        "finding, vulnerability, vuln, cve, kev, weakness, scan result, security hole, scanner finding, exploit, "
        "exposure, patch, vulnerable"
    ),
    _findings,
    "id",
    "{id} {title}: {severity}, {status}, service {service}, {cve}, first seen {first_seen_on}, due {due_on}, "
    "owner {owner}",
    names=("id", "cve", "title"),
    states=(
        RowState(
            "open",
            phrases(
                "open, unfixed, unpatched, not fixed, unresolved, outstanding, active, remaining, still there, current"
            ),
            is_in("status", "open"),
        ),
        RowState(
            "known-exploited",
            phrases(
                "known exploited, kev, kevs, exploited, actively exploited, exploited in the wild, being exploited, "
                "known to be exploited"
            ),
            flag("known_exploited"),
            aside=True,
        ),
        RowState(
            "overdue",
            phrases(
                "overdue, past due, late, past their date, past its date, missed, out of sla, breached, past their "
                "due date"
            ),
            past("due_on", "open"),
        ),
        RowState(
            "reachable from the internet",
            phrases(
                "reachable from the internet, internet reachable, internet facing, exposed to the internet, "
                "internet exposed, public facing, exposed, on the internet, from outside, internet"
            ),
            flag("internet_reachable"),
            after=True,
            aside=True,
        ),
        RowState("fixed", ("patched", "closed", "remediated", "resolved"), is_in("status", "fixed")),
        RowState(
            "with a CVE",
            ("with cve", "with a cve", "have a cve", "has a cve"),
            lambda _: pl.col("cve").is_not_null(),
            after=True,
        ),
        *ON_SERVICES[::2],
        RowState("without a CVE", ("without cve", "without a cve", "no cve"), none("cve"), after=True, aside=True),
        RowState("unowned", UNOWNED, none("owner"), aside=True),
    ),
    choices={
        "severity": SEVERITY,
        "status": meanings("accepted: risk accepted, accepted as risk, accepted as a risk; false_positive: dismiss"),
        "source": meanings("scanner-net: network scanner, network scan; scanner-image: container scanner"),
    },
    dates={
        "first_seen_on": phrases(
            "detect, detected, found, seen, discovered, reported, new, first seen, appeared, opened, came in"
        ),
        "fixed_on": ("fix", "fixed", "patch", "patched", "close", "closed", "remediate", "remediated", "resolved"),
        "due_on": ("due", "deadline"),
        "last_seen_on": ("last seen",),
    },
    due="due_on",
    done="fixed_on",
    people={"owner": OWNER},
    links={"service": "service_id", "incident": "incident_id"},
    attributes={
        "severity": ("severity", "severe", "serious", "bad"),
        "status": ("status", "state", "fixed", "open"),
        "service": ("service", "affected", "affect"),
        "cvss": ("cvss", "score"),
        "epss": ("epss",),
        "cve": ("cve", "cve number"),
        "asset": ("asset", "host", "machine"),
        "title": ("title",),
        "source": phrases("scanner, source, found by, detected by, reported by, discovered by, seen by"),
        "known_exploited": ("exploited", "kev", "known exploited"),
    },
    size="rank",
    scale="cvss",
    presumed="open",
    fillers=("scanner", "scan", "report", "left", "box", "boxes", "machines", "hosts"),
    hints=("cvss", "epss", "exploited", "patched", "unpatched", "cves", "positives"),
    loose=("exposure", "patch", "exploit", "vulnerable"),
    measures={"days_to_fix": phrases("days to fix, time to fix, days to patch, time to patch, stay open, remain open")},
)

ACTION = Entity(
    "follow-up",
    "follow-ups",
    phrases(
        "follow up, followup, action item, incident action, postmortem action, post mortem action, corrective "
        "action, review action, actions from incidents, follow ups from incidents, action"
    ),
    lambda records: records.table("incident_actions"),
    "id",
    "{id} {title}: {status}, due {due_on}, incident {incident_id}, owner {owner}",
    names=("id",),
    states=(
        RowState("open", phrases("outstanding, not done, pending, unfinished, undone"), is_in("status", "open")),
        RowState("overdue", ("late", "past due", "missed", "behind"), past("due_on", "open")),
        RowState("done", ("finished", "completed", "closed"), is_in("status", "done")),
        RowState("unowned", UNOWNED, none("owner"), aside=True),
    ),
    choices={"kind": {}},
    dates={"due_on": ("due",), "closed_on": ("closed", "done", "finished", "completed")},
    due="due_on",
    done="closed_on",
    people={"owner": OWNER},
    links={"incident": "incident_id"},
    attributes={"status": ("status", "state"), "incident_id": ("incident",)},
    presumed="open",
    fillers=("incident", "from", "incidents", "review", "reviews", "postmortem", "retro", "post", "mortem"),
)
OPERATIONS = (INCIDENT, DEPLOY, FINDING, ACTION)
