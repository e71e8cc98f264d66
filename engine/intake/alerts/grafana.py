"""Grafana unified alerting: Alertmanager's skeleton with Grafana's own fields.

The title is the name of the rule, which people chose; a summary is a template that differs from instance to instance.
"""

from collections.abc import Mapping
from datetime import datetime

from engine.intake.alerts import alertmanager as skeleton
from engine.intake.alerts.alert import HEARTBEAT, Alert, compose
from engine.intake.keys import join_key
from engine.intake.values import line, mapping, plain

SHAPE = "Grafana unified alerting: the same with orgId and state, or alerts[].valueString"

# A rule that could not be evaluated raises an alert of this name; the rule's own name is in a label.
SYNTHETIC = ("DatasourceNoData", "DatasourceError")
DESCRIPTIONS = ("summary", "description", "message")
LINKS = {"panel": "panelURL", "dashboard": "dashboardURL", "source": "generatorURL"}
VALUES = 20

records = skeleton.records


def matches(body: Mapping[str, object]) -> bool:
    if not skeleton.matches(body):
        return False
    if "orgId" in body or plain(body.get("state")) in ("alerting", "ok"):
        return True
    return any("silenceURL" in alert or "valueString" in alert for alert in skeleton.members(body))


def read(record: skeleton.Member, received_at: datetime) -> Alert:
    group, alert = skeleton.open_record(record)
    tags, notes = skeleton.label_set(group, alert), skeleton.annotations(group, alert)
    organization = plain(group.get("orgId")) or plain(alert.get("orgId"))
    identity = plain(alert.get("fingerprint")) or f"labels-{skeleton.identity(tags)}"
    return compose(
        source="grafana",
        key=join_key("grafana", organization, identity),
        state=skeleton.state(group, alert, received_at),
        title=_title(tags, notes),
        received_at=received_at,
        severity=skeleton.stated_severity(tags, notes),
        description=next((notes[name] for name in DESCRIPTIONS if plain(notes.get(name))), alert.get("valueString")),
        tags=tags,
        annotations=notes,
        started_at=alert.get("startsAt"),
        ended_at=alert.get("endsAt"),
        occurred_at=skeleton.event_time(group, alert, received_at),
        dated_by_start=True,
        links=_links(group, alert),
        value=_value(alert),
        image=alert.get("imageURL"),
        note=HEARTBEAT if skeleton.is_heartbeat(tags) else skeleton.omission_note(group),
    )


def _title(tags: Mapping[str, object], notes: Mapping[str, object]) -> str | None:
    name = line(tags.get("alertname"))
    rule = line(tags.get("rulename"))
    return f"{name}: {rule}" if name in SYNTHETIC and rule else name or rule or skeleton.title(tags, notes)


def _links(group: Mapping[str, object], alert: Mapping[str, object]) -> dict[str, object]:
    """The most particular first: the first that is there is the way back."""
    own = {name: alert.get(field) for name, field in LINKS.items()}
    return {**own, "monitor": group.get("externalURL"), "silence": alert.get("silenceURL")}


def _value(alert: Mapping[str, object]) -> str | None:
    """``A=11, B=0.5``; else the sentence that Grafana makes of them."""
    values = sorted(mapping(alert.get("values")).items())[:VALUES]
    texts = [f"{name}={text}" for name, value in values if (text := plain(value)) is not None]
    return ", ".join(texts) or plain(alert.get("valueString"))
