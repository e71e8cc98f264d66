"""Columns about what monitors and scanners send, and who watches a service."""

from collections.abc import Mapping

from engine.model.columns.column import Column

SENDERS: Mapping[str, Column] = {
    "days_of_seven": Column(
        "Days of 7", "days", "Days with a message, of the seven up to the last one: five make a sender regular."
    ),
    "has_cause": Column("Cause on record", "flag", "Whether a cause of the incident is on record."),
    "is_monitored": Column("Any sender", "flag", "Whether the organization has a sender at all."),
    "last_alert_at": Column("Last alert (UTC)", "instant", "Moment of the newest alert that named it."),
    "last_message_at": Column("Last message (UTC)", "instant", "Moment of the newest message of the sender."),
    "messages": Column(
        "Messages",
        "count",
        "Messages of the period, as noted each quarter of an hour; since then those that changed something.",
    ),
    "sender_state": Column(
        "State",
        "word",
        "Live, silent (nothing for 24 hours), not heard in the period, retired (no token) or never heard.",
    ),
    "senders": Column("Senders", "texts", "Senders that are declared to watch the service: token and monitor."),
    "services": Column("Services", "count", "Services that the sender is declared to watch."),
    "silent_hours": Column("Silent (hours)", "hours", "Hours since the last message of a silent sender."),
    "token": Column("Token", "text", "Label of the ingest token."),
    "watch": Column(
        "Watch", "word", "State of the best of the senders that are declared for the service, or not declared."
    ),
}
