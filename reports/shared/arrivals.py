"""What did not arrive, or says too little: silent senders, unknown services, messages that nobody could read."""

from collections.abc import Mapping

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.documents.document import Table
from engine.model.figures.figure import Figures
from reports.shared.maintenance import PLANNED
from reports.shared.ordering import rank
from reports.shared.wording import count_of, percent, titled_first

# kind: what to do, most urgent first
KINDS: Mapping[str, str] = {
    "silent_sender": "Look whether the monitor still runs and reaches us; revoke its tokens if it has gone for good.",
    "sender_not_heard": "Have it send a heartbeat, or declare who watches these services instead.",
    "dead_letter": "Mend the sender's template, then read what is kept again.",
    "unknown_service": "Declare the service, or correct the name that the alert gives.",
    "alert_without_owner": "Assign it, and name an owner of the service.",
    "incident_without_cause": "Write down what caused it.",
}
IDS = (
    *("monitoring_coverage_pct", "senders_live", "senders_silent", "senders_not_heard", "messages_unread"),
    *("unknown_services_in_alerts", "alerts_without_owner", "incidents_without_cause"),
)
_COLUMNS = ("kind", "subject", "name", "owner", "messages", "last_at", "detail")
_NOTHING = pl.lit(None, dtype=pl.String)
_SENDER = pl.format("{} / {}", "token", "source")
SERVICE_COLUMNS = ("service_id", "service", "owner", "criticality", "frameworks", "watch", "senders")
SENDER_COLUMNS = (
    *("token", "source", "sender_state", "first_on", "last_message_at", "messages", "days_of_seven", "silent_hours"),
    "services",
)


def scope(service_watch: pl.DataFrame) -> pl.DataFrame:
    """The services in scope, where any sender is known: else nothing is known of monitoring."""
    return service_watch.filter("is_monitored")


def missing(
    senders: pl.DataFrame,
    dead_letters: pl.DataFrame,
    observations: pl.DataFrame,
    incidents: pl.DataFrame,
    organization: pl.DataFrame,
    ask: Ask,
) -> pl.DataFrame:
    """A row for each thing that did not arrive or says too little, most urgent first."""
    zone = organization["time_zone"][0] if organization.height else "UTC"

    def in_period(instant: str) -> pl.Expr:
        day = pl.col(instant).dt.replace_time_zone("UTC").dt.convert_time_zone(zone).dt.date()
        return day.is_between(ask.period_start, ask.as_of).fill_null(False)

    silent = senders.filter(pl.col("sender_state") == "silent")
    unheard = senders.filter(pl.col("sender_state").is_in(["not_heard", "never_heard"]), pl.col("services") > 0)
    strangers = observations.filter(
        pl.col("service_id").is_null(), pl.col("seen_in").list.contains("alerts"), in_period("last_alert_at")
    )
    counted = incidents.filter(~PLANNED)
    owners = observations.filter(~_empty("owner")).select("service_id").drop_nulls().unique()
    opened = counted.filter(in_period("opened_at"), pl.col("source").is_not_null(), _empty("owner")).join(
        owners, on="service_id", how="anti"
    )
    explained = incidents.filter("has_cause")["id"].to_list()  # a confirmed family has the cause of its first
    ended = counted.filter(
        in_period("resolved_at"), ~pl.col("has_cause"), ~pl.col("family_id").is_in(explained).fill_null(False)
    )
    parts = [
        _rows(
            "silent_sender",
            silent,
            subject=_SENDER,
            name=pl.col("source"),
            messages=pl.col("messages"),
            last_at=pl.col("last_message_at"),
            detail=pl.format(
                "on {} of 7 days, then nothing for {} hours; services that it watches: {}",
                *("days_of_seven", pl.col("silent_hours").floor().cast(pl.Int64), "services"),
            ),
        ),
        _rows(
            "sender_not_heard",
            unheard,
            subject=_SENDER,
            name=pl.col("source"),
            last_at=pl.col("last_message_at"),
            detail=pl.format("no message in the period; services that it is declared for: {}", "services"),
        ),
        _rows(
            "dead_letter",
            dead_letters,
            subject=pl.col("token"),
            name=pl.col("last_id"),
            messages=pl.col("messages"),
            last_at=pl.col("last_at"),
            detail=pl.col("reason"),
        ),
        _rows(
            "unknown_service",
            strangers,
            subject=pl.col("name"),
            name=pl.col("name"),
            messages=pl.col("alerts"),
            last_at=pl.col("last_alert_at"),
            detail=pl.lit("named by alerts, no such service is declared"),
        ),
        _rows(
            "alert_without_owner",
            opened,
            subject=pl.col("id"),
            name=pl.col("title"),
            last_at=pl.col("opened_at"),
            detail=pl.format("{}, sent by {}; neither it nor its service has an owner", "severity", "source"),
        ),
        _rows(
            "incident_without_cause",
            ended,
            subject=pl.col("id"),
            name=pl.col("title"),
            owner=pl.col("owner"),
            last_at=pl.col("resolved_at"),
            detail=pl.format("{}, {}, no cause on record", "severity", "status"),
        ),
    ]
    todo = pl.col("kind").replace_strict(dict(KINDS), default=None, return_dtype=pl.String)
    return (
        pl.concat(parts)
        .with_columns(todo=todo)
        .sort(rank("kind", list(KINDS)), "last_at", "subject", "detail", descending=[False, True, False, False])
    )


def _empty(column: str) -> pl.Expr:
    return pl.col(column).fill_null("").str.strip_chars() == ""


def _rows(kind: str, frame: pl.DataFrame, **cells: pl.Expr) -> pl.DataFrame:
    defaults: dict[str, pl.Expr] = {
        **dict.fromkeys(("name", "owner", "detail"), _NOTHING),
        "messages": pl.lit(None, dtype=pl.Int64),
        "last_at": pl.lit(None, dtype=pl.Datetime("us")),
    }
    return frame.select(kind=pl.lit(kind), **{**defaults, **cells}).select(_COLUMNS)


def sentence(figures: Figures) -> str:
    """Whether monitoring worked, in a sentence."""
    coverage = figures["monitoring_coverage_pct"]
    known = figures["senders_live"] + figures["senders_silent"] + figures["senders_not_heard"]
    if coverage is None and not known:
        return "No sender is known, so nothing can be said of whether monitoring worked."
    if coverage is None:
        covered = "No service belongs to a system in scope, so there is nothing to cover"
    else:
        services = figures.rows(scope)
        live = services.filter(pl.col("watch") == "live").height
        share = percent(coverage)
        covered = f"{live:,} of {count_of(services.height, 'service')} in scope have a sender that is heard ({share})"
    silent, unheard = count_of(figures["senders_silent"], "sender"), figures["senders_not_heard"]
    unread = count_of(figures["messages_unread"], "message")
    return f"{covered}; {silent} silent, {unheard:,} declared and not heard, {unread} not readable."


def first_missing(figures: Figures, most: int, footnote: str) -> Table:
    """The first of what did not arrive, for a page that leads to the whole."""
    frame = figures.rows(missing)
    return Table(
        "arrivals",
        titled_first("What did not arrive", frame.height, "first", most),
        frame.head(most).select(pl.exclude("todo"), pl.lit(footnote).alias("footnote")),
        note=sentence(figures),
        words=("kind",),
    )


def tables(figures: Figures, senders: pl.DataFrame) -> tuple[Table, ...]:
    """The whole section: what did not arrive, every sender, every service in scope with who watches it."""
    services = figures.rows(scope)
    return (
        Table(
            "arrivals",
            "What did not arrive",
            figures.rows(missing),
            note=sentence(figures),
            words=("kind",),
            hidden=("subject", "messages"),
        ),
        Table(
            "senders",
            "Senders, by token and monitor",
            senders.select(SENDER_COLUMNS).sort("token", "source"),
            state=("sender_state",),
            hidden=("first_on",),
        ),
        Table(
            "monitoring",
            "Services in scope and who watches them",
            services.select(SERVICE_COLUMNS).sort(pl.col("watch") == "live", "service", "service_id"),
            state=("watch",),
            hidden=("frameworks",),
        ),
    )
