"""Prometheus Alertmanager, webhook versions 3 and 4.

The state of a group is firing while any member fires, so each member has its own. Repeats every few hours are meant,
hence no event id. ``endsAt`` of a firing alert is year 1 or in the future.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime

from engine.intake.alerts.alert import HEARTBEAT, Alert, compose
from engine.intake.keys import join_key, label_digest
from engine.intake.refusals import MalformedRecord
from engine.intake.severity import SeverityRating, severity
from engine.intake.times import instant
from engine.intake.values import first, line, mapping, plain, whole_number
from engine.model.vocabulary import AlertState

SHAPE = "Prometheus Alertmanager: {alerts: [{status, labels, annotations, startsAt, fingerprint}], groupLabels, …}"

STATES: Mapping[str, AlertState] = {"firing": "firing", "alerting": "firing", "resolved": "resolved", "ok": "resolved"}
SEVERITY_NAMES = ("severity", "priority")
HEARTBEATS = ("Watchdog", "DeadMansSwitch")  # as the rules of kube-prometheus call it now, and called it before
VALUE_NAMES = ("value", "current_value", "currentValue")

Member = tuple[Mapping[str, object], object]


def matches(body: Mapping[str, object]) -> bool:
    """The skeleton that Alertmanager and Grafana share."""
    if "alerts" not in body:
        return False
    if any(name in body for name in ("groupLabels", "commonLabels", "commonAnnotations", "groupKey")):
        return True
    return any("startsAt" in alert or "annotations" in alert for alert in members(body))


def members(body: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """Those of its alerts that are objects."""
    alerts = body["alerts"]
    return (alert for alert in alerts if isinstance(alert, dict)) if isinstance(alerts, list) else iter(())


def records(body: Mapping[str, object]) -> Iterator[tuple[str, Member]]:
    """Path, and group with member, for each alert."""
    alerts = body["alerts"]
    if not isinstance(alerts, list):
        yield "", (body, None)
        return
    for index, alert in enumerate(alerts):
        yield f"alerts[{index}]", (body, alert)


def read(record: Member, received_at: datetime) -> Alert:
    group, alert = open_record(record)
    tags, notes = label_set(group, alert), annotations(group, alert)
    fingerprint = plain(alert.get("fingerprint"))
    return compose(
        source="alertmanager",
        key=join_key("alertmanager", fingerprint or f"labels-{identity(tags)}"),
        state=state(group, alert, received_at),
        title=title(tags, notes),
        received_at=received_at,
        severity=stated_severity(tags, notes),
        description=notes.get("description") or notes.get("message"),
        tags=tags,
        annotations=notes,
        started_at=alert.get("startsAt"),
        ended_at=alert.get("endsAt"),
        occurred_at=event_time(group, alert, received_at),
        dated_by_start=True,
        links={"source": alert.get("generatorURL"), "monitor": group.get("externalURL")},
        value=first(notes, VALUE_NAMES),
        note=HEARTBEAT if is_heartbeat(tags) else omission_note(group),
    )


def open_record(record: Member) -> tuple[Mapping[str, object], Mapping[str, object]]:
    """Group and member, or MalformedRecord where one of them is not an object."""
    group, alert = record
    if not isinstance(group.get("alerts"), list):
        raise MalformedRecord("alerts", "a list of alerts", group.get("alerts"))
    if not isinstance(alert, dict):
        raise MalformedRecord("", "an object with status and labels", alert)
    return group, alert


def label_set(group: Mapping[str, object], alert: Mapping[str, object]) -> Mapping[str, object]:
    return _object(alert, "labels") or mapping(group.get("commonLabels"))


def annotations(group: Mapping[str, object], alert: Mapping[str, object]) -> Mapping[str, object]:
    return _object(alert, "annotations") or mapping(group.get("commonAnnotations"))


def _object(alert: Mapping[str, object], name: str) -> Mapping[str, object]:
    value = alert.get(name)
    if value is None or isinstance(value, dict):
        return value or {}
    if plain(value) is None and not isinstance(value, list):
        return {}
    raise MalformedRecord(name, "an object of names and values", value)


def identity(tags: Mapping[str, object]) -> str:
    """The key of an alert without a fingerprint, whatever the order of its labels."""
    if not tags:
        raise MalformedRecord("labels", "there where the fingerprint is missing", None)
    return label_digest(tags)[:32]


def state(group: Mapping[str, object], alert: Mapping[str, object], received_at: datetime) -> AlertState:
    """The member's own state; else the group's; else by whether its end has come. What always fires is a heartbeat."""
    if is_heartbeat(label_set(group, alert)):
        return "ignored"
    for holder in (alert, group):
        text = plain(holder.get("status"))
        if text is not None:
            if text.lower() not in STATES:
                raise MalformedRecord("status", "firing or resolved", text)
            return STATES[text.lower()]
        if isinstance(holder.get("status"), dict | list):
            raise MalformedRecord("status", "firing or resolved", holder["status"])
    ended = instant(alert.get("endsAt"))
    return "resolved" if ended is not None and ended <= received_at else "firing"


def is_heartbeat(tags: Mapping[str, object]) -> bool:
    """Whether it is the alert that always fires, by which a chain of alerting is known to work."""
    return line(tags.get("alertname")) in HEARTBEATS


def event_time(group: Mapping[str, object], alert: Mapping[str, object], received_at: datetime) -> object:
    """An episode begins at ``startsAt``, its recovery is at ``endsAt``."""
    return alert.get("endsAt" if state(group, alert, received_at) == "resolved" else "startsAt")


def title(tags: Mapping[str, object], notes: Mapping[str, object]) -> str | None:
    return first(notes, ("summary", "title", "message")) or line(tags.get("alertname"))


def stated_severity(tags: Mapping[str, object], notes: Mapping[str, object]) -> SeverityRating:
    """Severity is a convention of each user: a label or an annotation."""
    return severity(*(held.get(name) for held in (tags, notes) for name in SEVERITY_NAMES))


def omission_note(group: Mapping[str, object]) -> str | None:
    """A cut list says nothing about the alerts that are missing from it."""
    count = whole_number(group.get("truncatedAlerts"))
    return f"The sender left {count:,} more alerts of this group out." if count else None
