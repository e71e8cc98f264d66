"""Prometheus Alertmanager, webhook versions 3 and 4.

The state of a group is firing while any member fires, so each member has its own. Repeats every few hours are meant,
hence no event id. ``endsAt`` of a firing alert is year 1 or in the future.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from engine.intake.alerts.alert import Alert, compose
from engine.intake.keys import join_key, label_digest
from engine.intake.refusals import MalformedRecord
from engine.intake.severity import Severity, severity
from engine.intake.times import instant
from engine.intake.values import (
    line,
    link,
    mapping,
    plain,
    whole,
)

SHAPE = "Prometheus Alertmanager: {alerts: [{status, labels, annotations, startsAt, fingerprint}], groupLabels, …}"

STATES = {"firing": "firing", "alerting": "firing", "resolved": "resolved", "ok": "resolved"}
SEVERITY_NAMES = ("severity", "priority")

Member = tuple[Mapping[str, Any], Any]


def matches(body: Mapping[str, Any]) -> bool:
    """The skeleton that Alertmanager and Grafana share."""
    if "alerts" not in body:
        return False
    if any(name in body for name in ("groupLabels", "commonLabels", "commonAnnotations", "groupKey")):
        return True
    alerts = body["alerts"] if isinstance(body["alerts"], list) else []
    return any(isinstance(alert, dict) and ("startsAt" in alert or "annotations" in alert) for alert in alerts)


def records(body: Mapping[str, Any]) -> Iterator[tuple[str, Member]]:
    """Path, and group with member, for each alert."""
    if not isinstance(body["alerts"], list):
        yield "", (body, None)
        return
    for index, alert in enumerate(body["alerts"]):
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
        started_at=alert.get("startsAt"),
        ended_at=alert.get("endsAt"),
        occurred_at=event_time(group, alert, received_at),
        address=link(alert.get("generatorURL")) or group.get("externalURL"),
        note=left_out(group),
    )


def open_record(record: Member) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Group and member, or Malformed where one of them is not an object."""
    group, alert = record
    if not isinstance(group.get("alerts"), list):
        raise MalformedRecord("alerts", "a list of alerts", group.get("alerts"))
    if not isinstance(alert, dict):
        raise MalformedRecord("", "an object with status and labels", alert)
    return group, alert


def label_set(group: Mapping[str, Any], alert: Mapping[str, Any]) -> Mapping[str, Any]:
    return _object(alert, "labels") or mapping(group.get("commonLabels"))


def annotations(group: Mapping[str, Any], alert: Mapping[str, Any]) -> Mapping[str, Any]:
    return _object(alert, "annotations") or mapping(group.get("commonAnnotations"))


def _object(alert: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = alert.get(name)
    if value is None or isinstance(value, dict):
        return value or {}
    if plain(value) is None and not isinstance(value, list):
        return {}
    raise MalformedRecord(name, "an object of names and values", value)


def identity(tags: Mapping[str, Any]) -> str:
    """The key of an alert without a fingerprint, whatever the order of its labels."""
    if not tags:
        raise MalformedRecord("labels", "there where the fingerprint is missing", None)
    return label_digest(tags)[:32]


def state(group: Mapping[str, Any], alert: Mapping[str, Any], received_at: datetime) -> str:
    """The member's own state; else the group's; else by whether its end has come."""
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


def event_time(group: Mapping[str, Any], alert: Mapping[str, Any], received_at: datetime) -> Any:
    """An episode begins at ``startsAt``, its recovery is at ``endsAt``."""
    return alert.get("endsAt" if state(group, alert, received_at) == "resolved" else "startsAt")


def title(tags: Mapping[str, Any], notes: Mapping[str, Any]) -> str | None:
    return line(notes.get("summary")) or line(notes.get("title")) or line(notes.get("message")) or line(
        tags.get("alertname")
    )  # fmt: skip


def stated_severity(tags: Mapping[str, Any], notes: Mapping[str, Any]) -> Severity:
    """Severity is a convention of each user: a label or an annotation."""
    return severity(*(held.get(name) for held in (tags, notes) for name in SEVERITY_NAMES))


def left_out(group: Mapping[str, Any]) -> str | None:
    """A cut list says nothing about the alerts that are missing from it."""
    count = whole(group.get("truncatedAlerts"))
    return f"The sender left {count:,} more alerts of this group out." if count else None
