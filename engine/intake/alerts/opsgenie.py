"""Opsgenie: the body of its webhook integration, one action on one alert.

``createdAt`` is in milliseconds, ``updatedAt`` in nanoseconds; both are read by their size.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime

from engine.intake.alerts.alert import Alert, compose
from engine.intake.keys import join_key
from engine.intake.refusals import MalformedRecord
from engine.intake.severity import severity
from engine.intake.values import as_list, mapping, plain
from engine.model.vocabulary import AlertState, Severity

SHAPE = "Opsgenie: {action, alert: {alertId, message, priority, …}, integrationName, …}"

ACKNOWLEDGE = "acknowledge"
WORDS_OF = ("note", "owner", "escalationName", "addedTags")  # what an action says besides who did it
STATES: Mapping[str, AlertState] = {"create": "firing", "close": "resolved", "delete": "resolved"}
PRIORITIES: Mapping[str, Severity] = {"p1": "critical", "p2": "high", "p3": "medium", "p4": "low", "p5": "info"}


def matches(body: Mapping[str, object]) -> bool:
    alert = body.get("alert")
    return "action" in body and isinstance(alert, dict) and "alertId" in alert


def records(body: Mapping[str, object]) -> Iterator[tuple[str, Mapping[str, object]]]:
    yield "", body


def read(body: Mapping[str, object], received_at: datetime) -> Alert:
    alert = mapping(body.get("alert"))
    identity, action = plain(alert.get("alertId")), plain(body.get("action"))
    if identity is None:
        raise MalformedRecord("alert.alertId", "the identifier of the alert", alert.get("alertId"))
    if action is None:
        raise MalformedRecord("action", "what was done, such as Create or Close", body.get("action"))
    word = action.lower()
    state = STATES.get(word, "update")
    details = mapping(alert.get("details"))
    when = alert.get("createdAt") if state == "firing" else alert.get("updatedAt")
    who = plain(alert.get("username"))
    words = next((text for name in WORDS_OF if (text := plain(alert.get(name)))), None)
    sentence = f": {words}" if words else ""
    return compose(
        source="opsgenie",
        key=join_key("opsgenie", identity),
        state=state,
        title=alert.get("message") or f"Alert {identity}",
        received_at=received_at,
        severity=severity(alert.get("priority"), words=PRIORITIES),
        description=alert.get("description"),
        tags={"tags": ", ".join(text for one in as_list(alert.get("tags")) if (text := plain(one))) or None, **details},
        host=alert.get("entity"),
        started_at=alert.get("createdAt"),
        ended_at=alert.get("updatedAt"),
        occurred_at=when,
        links={"source": details.get("url")},
        origin=alert.get("source"),
        acknowledged=word == ACKNOWLEDGE,
        acknowledged_by=who,
        event_id=f"{identity}/{word}/{moment}" if (moment := plain(alert.get("updatedAt"))) else None,
        note=f"{action} by {who}{sentence}" if who else f"{action}{sentence}",
    )
