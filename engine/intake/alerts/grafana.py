"""Grafana unified alerting: Alertmanager's skeleton with Grafana's own fields.

The title is the name of the rule, which people chose; a summary is a template that differs from instance to instance.
"""

from collections.abc import Mapping
from datetime import datetime

from engine.intake.alerts import alertmanager as skeleton
from engine.intake.alerts.alert import Alert, compose
from engine.intake.keys import join_key
from engine.intake.values import line, link, plain

SHAPE = "Grafana unified alerting: the same with orgId and state, or alerts[].valueString"

# A rule that could not be evaluated raises an alert of this name; the rule's own name is in a label.
SYNTHETIC = ("DatasourceNoData", "DatasourceError")
DESCRIPTIONS = ("summary", "description", "message")
LINKS = ("panelURL", "dashboardURL", "generatorURL")

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
        started_at=alert.get("startsAt"),
        ended_at=alert.get("endsAt"),
        occurred_at=skeleton.event_time(group, alert, received_at),
        address=next((found for name in LINKS if (found := link(alert.get(name)))), None),
        note=skeleton.omission_note(group),
    )


def _title(tags: Mapping[str, object], notes: Mapping[str, object]) -> str | None:
    name = line(tags.get("alertname"))
    rule = line(tags.get("rulename"))
    return f"{name}: {rule}" if name in SYNTHETIC and rule else name or rule or skeleton.title(tags, notes)
