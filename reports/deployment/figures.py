"""Figures of the deployment: its tier and region, how long records are kept, what holds them back."""

import polars as pl

from engine.model.figures.aggregates import Count, Distinct, First, Maximum, Minimum, Sum
from engine.model.figures.figure import Figure
from reports.deployment import residency, retention_rules

TENANCY = {
    "shared": "one store for several organizations, kept apart by the credential of every request",
    "dedicated": "an instance and a store of its own",
    "self-hosted": "an instance that the organization runs itself",
}
PROFILE = (
    Figure(
        "deployment_tier",
        "Deployment tier",
        "word",
        "neither",
        "Shared, dedicated or self-hosted, as the deployment profile says.",
        "deployment",
        First("tier"),
    ),
    Figure(
        "tenancy",
        "Tenancy",
        "text",
        "neither",
        "How the deployment tier keeps organizations apart.",
        "deployment",
        First(pl.col("tier").replace_strict(TENANCY, default=None, return_dtype=pl.String)),
        reason="tier {tier}",
    ),
    Figure("plan", "Plan", "word", "neither", "The plan of the deployment profile.", "deployment", First("plan")),
    Figure(
        "profile_version",
        "Version of the deployment profile",
        "count",
        "neither",
        "The revision in which the deployment profile last changed.",
        "deployment",
        First("version"),
    ),
    Figure(
        "profile_changed_on",
        "Last change of the deployment profile",
        "date",
        "neither",
        "The day on which the deployment profile last changed.",
        "deployment",
        First("changed_on"),
    ),
    Figure(
        "subprocessors",
        "Subprocessors",
        "count",
        "neither",
        "Vendors of the register that are not offboarded and handle a class of data; one whose classes nobody "
        "declared counts as well; the word none says that a vendor handles no data.",
        residency.subprocessors,
        Count(),
        reason="{data_classes}; in {region}",
    ),
    Figure(
        "residency_exceptions",
        "Residency exceptions",
        "count",
        "less",
        "Subprocessors and destinations of messages outside the data region, or whose region nobody has declared: "
        "unknown counts as outside until somebody says where it is.",
        residency.exceptions,
        Count(),
        reason="{kind}: {reason}",
    ),
    Figure(
        "residency_exceptions_outside",
        "Residency exceptions known to be outside",
        "count",
        "less",
        "Subprocessors and destinations of messages whose declared region is not the data region.",
        residency.exceptions,
        Count(),
        pl.col("reason") == residency.OUTSIDE,
        "{kind} in {region}",
    ),
    Figure(
        "residency_exceptions_with_data",
        "Places outside the region with data",
        "count",
        "neither",
        "Residency exceptions known to be outside that messages go to, or whose classes of data somebody has declared. "
        "Of the other ones nobody says whether they handle data.",
        residency.exceptions,
        Count(),
        residency.WITH_DATA,
        "{kind} in {region}: {data_classes}",
    ),
)

RETENTION = (
    *(
        Figure(
            f"{record_class}_days",
            f"Retention of {words}",
            "days",
            "neither",
            f"Days for which {words} are kept: the organization's override, else the default of its deployment tier.",
            "retention",
            First("days"),
            pl.col("record_class") == record_class,
            "{source}",
        )
        for record_class, words in {"audit_log": "audit events", "incidents": "closed incidents"}.items()
    ),
    Figure(
        "records_past_retention",
        "Records past their retention",
        "count",
        "less",
        "Records older than their retention: those that the next purge takes, those that a legal hold keeps (in the "
        "audit log also those behind the first held event) and those behind a younger event: only the oldest part "
        "of the chain can go.",
        "retention",
        Sum("eligible"),
        reason="{record_class}",
    ),
    Figure(
        "records_next_purge",
        "Records that the next purge takes",
        "count",
        "neither",
        "Records past their retention that nothing keeps.",
        "retention",
        Sum("purgeable"),
        reason="{record_class}",
    ),
    Figure(
        "records_held_back",
        "Records past their retention kept by legal holds",
        "count",
        "neither",
        "Records past their retention that a legal hold keeps, in the audit log also those behind the first held "
        "event.",
        "retention",
        Sum("held"),
        reason="{record_class}",
    ),
    Figure(
        "records_behind_younger",
        "Records behind younger events",
        "count",
        "neither",
        "Records past their retention that stay because a younger event stands before them in the chain.",
        "retention",
        Sum("waiting"),
        reason="{record_class}",
    ),
    Figure(
        "next_purge_on",
        "Next purge",
        "date",
        "neither",
        "The day on which the nightly job next removes something; none while there is nothing to remove, or while a "
        "legal hold keeps all of it.",
        "retention",
        Minimum("next_purge_on"),
        reason="{record_class}",
    ),
    Figure(
        "retention_conflicts",
        "Conflicts of retention with frameworks",
        "count",
        "less",
        "Demands of frameworks in scope that are not met: records kept for a shorter time than asked for, or for "
        "longer than any followed framework needs.",
        retention_rules.rules,
        Count(),
        pl.col("status") != "met",
        "{framework} {citation}, {record_class}: {status}, kept for {days} days",
    ),
)

_ACTIVE = pl.col("active")
HOLDS = (
    Figure(
        "holds_active",
        "Legal holds in force",
        "count",
        "neither",
        "Legal holds that were placed and not released.",
        "legal_holds",
        Count(),
        _ACTIVE,
        "{matter}, placed {age_days} days ago",
    ),
    Figure(
        "incidents_held",
        "Incidents under legal hold",
        "count",
        "neither",
        "Incidents that a legal hold in force names.",
        "legal_holds",
        Distinct("incident_id"),
        _ACTIVE,
        "incident {incident_id}",
    ),
    Figure(
        "held_events",
        "Audit events under legal hold",
        "count",
        "neither",
        "Events of the audit log under any legal hold in force: of its incident with the rehearsals, executions and "
        "analyses made for it, of the actions that its scope begins, or all. An event under two holds counts once.",
        "legal_holds",
        Maximum("flagged_by_any", empty=0),
        _ACTIVE,
        "{flagged} events under this hold, {flagged_by_any} under all holds together",
    ),
    Figure(
        "held_events_first_at",
        "First audit event under legal hold",
        "instant",
        "neither",
        "The moment (UTC) of the oldest audit event under a legal hold in force.",
        "legal_holds",
        Minimum("first_flagged_at"),
        _ACTIVE,
        "{matter}",
    ),
    Figure(
        "held_events_last_at",
        "Last audit event under legal hold",
        "instant",
        "neither",
        "The moment (UTC) of the newest audit event under a legal hold in force.",
        "legal_holds",
        Maximum("last_flagged_at"),
        _ACTIVE,
        "{matter}",
    ),
    Figure(
        "purges_blocked",
        "Purges stopped by legal holds",
        "count",
        "neither",
        "Runs of the retention job that would have removed something without a hold that is in force, counted for "
        "each hold.",
        "legal_holds",
        Sum("purges_blocked"),
        _ACTIVE,
        "{matter}",
    ),
    Figure(
        "holds_released",
        "Legal holds released",
        "count",
        "neither",
        "Legal holds that were placed and released.",
        "legal_holds",
        Count(),
        ~_ACTIVE,
        "{matter}, released on {released_on}",
    ),
)

FIGURES = (*PROFILE, *RETENTION, *HOLDS)
