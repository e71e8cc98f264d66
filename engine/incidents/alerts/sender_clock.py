"""The order of a sender's events: judged by the sender's own clock, never by when we received them.

A recovery ends what began no later than it; of two alerts of one key the one with the later time says how things
are. An event without a time counts in the order in which it came.

Alertmanager and Grafana date an alert by when the problem began and say that date again whenever they say that it
fires: also after they called it resolved because nothing was heard of it for a while. That is no old news.
"""

from datetime import datetime, timedelta

from engine.intake.alerts import Alert
from engine.model.vocabulary import LIVE_INCIDENTS
from engine.store.queries.operations.ingest import EarlyEvents, LastIncident

SKEW = timedelta(minutes=5)  # that clocks may differ by before it is worth a word


def is_late(alert: Alert, incident: LastIncident, *, replayed_from: datetime | None) -> bool:
    """Whether the state of the incident is newer than the event.

    ``replayed_from`` is when an event came that is applied only now: without a time of its own it counts from then.
    """
    if alert.occurred_at is None or incident.sender_at is None:
        known = incident.last_seen_at
        return alert.occurred_at is None and replayed_from is not None and known is not None and replayed_from < known
    if alert.state == "firing" and incident.status not in LIVE_INCIDENTS:
        return alert.occurred_at <= incident.sender_at
    return alert.occurred_at < incident.sender_at


def is_restated(
    alert: Alert, incident: LastIncident, early: EarlyEvents | None, *, replayed_from: datetime | None
) -> bool:
    """Whether a monitor that dates alerts by their beginning says of what it told before that it fires after all.

    Not of an episode before those of the incident, nor of one whose recovery came before its alert.
    """
    began, known = alert.occurred_at, incident.started_at
    if not alert.dated_by_start or began is None or known is None or began < known:
        return False
    if replayed_from is not None and incident.last_seen_at is not None and replayed_from < incident.last_seen_at:
        return False
    return began == known or not is_over(alert, early)


def is_unheard_of(recovery: Alert, incident: LastIncident) -> bool:
    """Whether a recovery ends an episode that began after all that was heard of it."""
    began, heard = recovery.started_at, incident.sender_at
    return recovery.dated_by_start and began is not None and heard is not None and began > heard


def is_over(alert: Alert, early: EarlyEvents | None) -> bool:
    """Whether the recovery of an alert came before the alert."""
    return bool(early and alert.occurred_at and early.recovered_at and alert.occurred_at <= early.recovered_at)


def was_acknowledged(alert: Alert, early: EarlyEvents | None) -> bool:
    """Whether somebody acknowledged an alert before it came."""
    return bool(early and alert.occurred_at and early.acknowledged_at and alert.occurred_at <= early.acknowledged_at)


def latest(one: datetime | None, other: datetime | None) -> datetime | None:
    """The later of two times that may be absent."""
    return max((time for time in (one, other) if time is not None), default=None)


def skew_note(alert: Alert, received_at: datetime) -> str | None:
    """What to say of a sender whose clock is ahead of ours."""
    ahead = alert.occurred_at - received_at if alert.occurred_at else timedelta()
    if ahead <= SKEW:
        return None
    minutes = round(ahead.total_seconds() / 60)
    return f"Clock skew: the sender dates this {alert.occurred_at:%Y-%m-%d %H:%M:%S} UTC, {minutes:,} min after it came"
