"""Figures of what arrived from monitors, and of what did not."""

import polars as pl

from engine.model.figures.aggregates import Count, Share, Sum
from engine.model.figures.figure import Figure
from reports.shared.arrivals import missing, scope

_SENDER = "{token} / {source}"


def _of_kind(identifier: str, title: str, kind: str, definition: str) -> Figure:
    return Figure(
        *(identifier, title, "count", "less", definition, missing, Count()), pl.col("kind") == kind, "{name}: {detail}"
    )


FIGURES = (
    Figure(
        "monitoring_coverage_pct",
        "Monitoring coverage",
        "percent",
        "more",
        "Services of systems in scope, by the frameworks of the system, for which a sender is declared that was heard "
        "from {period_start} to {as_of} and is not silent, as a share of all of them. A sender that says nothing but "
        "heartbeats covers a healthy service. Not known without any sender.",
        scope,
        Share(pl.col("watch") == "live"),
        None,
        "{service}: {watch}",
    ),
    Figure(
        "senders_live",
        "Senders that are heard",
        "count",
        "more",
        "Ingest tokens, by the monitor that sends with each, of which a message or heartbeat came from {period_start} "
        "to {as_of} and that are not silent.",
        "senders",
        Count(),
        pl.col("sender_state") == "live",
        _SENDER,
    ),
    Figure(
        "senders_silent",
        "Silent senders",
        "count",
        "less",
        "Senders that were heard on at least five of the seven days up to their last message, and then not for 24 "
        "hours. One of whose label every token was revoked since is none.",
        "senders",
        Count(),
        pl.col("sender_state") == "silent",
        _SENDER + ", for {silent_hours} hours",
    ),
    Figure(
        "senders_not_heard",
        "Declared senders that were not heard",
        "count",
        "less",
        "Senders that are declared for a service and of which nothing came from {period_start} to {as_of}; silent ones "
        "are counted apart.",
        "senders",
        Count(),
        pl.col("sender_state").is_in(["not_heard", "never_heard"]) & (pl.col("services") > 0),
        _SENDER,
    ),
    Figure(
        "messages_unread",
        "Messages that could not be read",
        "count",
        "less",
        "Dead letters: messages of monitors and scanners from {period_start} to {as_of} that could not be read, and "
        "were not read later. The same body again counts once.",
        "dead_letters",
        Sum("messages"),
        None,
        "{token}: {reason}",
    ),
    _of_kind(
        "unknown_services_in_alerts",
        "Unknown services that alerts name",
        "unknown_service",
        "Names of services that alerts gave from {period_start} to {as_of} and that no service has.",
    ),
    _of_kind(
        "alerts_without_owner",
        "Alerts without owner",
        "alert_without_owner",
        "Incidents that a monitor opened from {period_start} to {as_of} and that nobody owns, nor their service.",
    ),
    _of_kind(
        "incidents_without_cause",
        "Incidents without cause",
        "incident_without_cause",
        "Incidents that were resolved from {period_start} to {as_of} and of which no cause is on record, nor of the "
        "one at the top of their confirmed family.",
    ),
)
