"""Our own payload, for everything that is not a monitor we know: one alert, or several as ``{"alerts": [...]}``.

An example with every field; only ``title`` is needed::

    {
      "title": "Checkout fails for one user in ten",
      "status": "firing",                       firing, resolved, a usual word for one, or heartbeat; else firing
      "severity": "high",                       critical, high, medium, low, info, or a word such as P2, 2 or warning
      "dedupe_key": "checkout-5xx",             the same for every message about one problem, its recovery included
      "service": "checkout",                    name or identifier of a service
      "source": "synthetic-checks",             who noticed
      "host": "web-3",
      "description": "5xx rate 11 % for ten minutes",
      "started_at": "2026-11-20T08:12:00Z",     ISO 8601 with offset, or epoch seconds or milliseconds
      "occurred_at": "2026-11-20T08:14:00Z",    when the monitor noticed; else started_at, or ended_at of a resolved one
      "ended_at": null,                         for a resolved alert
      "sent_at": "2026-11-20T08:14:03Z",        when this message was sent: a clock that is ahead of it is corrected
      "labels": {"region": "eu-west-1"},        plain values by name, at most 50 are kept
      "annotations": {"team_note": "Payments are first"},  texts for people by name, at most 50 are kept
      "link": "https://status.example.com/1",   http or https, as the following ones
      "runbook_url": "https://wiki.example.com/checkout",
      "image_url": "https://grafana.example.com/render/1.png",
      "value": "11 %",                          what was measured
      "event_id": "7c1f"                        the same for every delivery of one message
    }

Without ``dedupe_key`` the key is a hash of source, service and title. Absent, null and "" mean the same. Unlike a
monitor's free text, a value that is here and wrong is refused; so is a body that tells its state in a field of another
name, since taking a recovery for a problem would be worse. Usual words, in any case: alerting, triggered, open, problem
and active are firing; ok, closed, recovered and cleared are resolved; severities P0 to P5, sev0 to sev5, and 1 to 5, of
which 1 is the worst. A heartbeat opens nothing and says that its sender lives.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime

from engine.intake.alerts.alert import HEARTBEAT, Alert, compose
from engine.intake.keys import digest, join_key, normalise
from engine.intake.refusals import MalformedRecord, expect
from engine.intake.severity import EXPECTED_SEVERITY, WORDS, severity
from engine.intake.times import EXPECTED_TIME, instant
from engine.intake.values import link, mapping, plain
from engine.model.vocabulary import AlertState, Severity

SHAPE = "normalized: {title, status?: firing|resolved, severity?, dedupe_key?, service?, …} or {alerts: [those]}"

STATED = "firing or resolved, or a usual word for one"
ELSEWHERE = ("state", "current_state", "alert_state", "alert_status", "event_type", "action")
STATES: Mapping[str, AlertState] = {
    **dict.fromkeys(("firing", "alerting", "triggered", "open", "problem", "active"), "firing"),
    **dict.fromkeys(("resolved", "ok", "closed", "recovered", "cleared"), "resolved"),
    "heartbeat": "ignored",
}
# a bare number is a priority here, 1 the worst; vendors count in both directions, and have tables of their own
PRIORITIES: Mapping[str, Severity] = {"1": "critical", "2": "high", "3": "medium", "4": "low", "5": "info"}
SEVERITY_WORDS: Mapping[str, Severity] = {**WORDS, **PRIORITIES}
TEXTS = ("description", "service", "source", "host", "dedupe_key", "event_id", "value")
LINKS = ("link", "runbook_url", "image_url")
TIMES = ("started_at", "ended_at", "occurred_at", "sent_at")


def matches(body: Mapping[str, object]) -> bool:
    if "alerts" in body:
        return "groupLabels" not in body and "commonLabels" not in body
    return "dedupe_key" in body or "title" in body


def records(body: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    alerts = body.get("alerts")
    if not isinstance(alerts, list):
        yield "", body
        return
    for index, alert in enumerate(alerts):
        yield f"alerts[{index}]", alert


def read(alert: object, received_at: datetime) -> Alert:
    if not isinstance(alert, dict):
        raise MalformedRecord("", "an object with a title", alert)
    if "alerts" in alert:
        raise MalformedRecord("alerts", "a list of alerts, none of which holds others", alert["alerts"])
    title, state = plain(alert.get("title")), _state(alert)
    if title is None:
        raise MalformedRecord("title", "a text", alert.get("title"))
    _check(alert)
    return compose(
        source="normalized",
        key=join_key("normalized", plain(alert.get("dedupe_key")) or _hash_key(alert, title)),
        state=state,
        title=title,
        received_at=received_at,
        severity=severity(alert.get("severity"), words=SEVERITY_WORDS),
        description=alert.get("description"),
        tags=mapping(alert.get("labels")),
        annotations=mapping(alert.get("annotations")),
        service=alert.get("service"),
        host=alert.get("host"),
        started_at=alert.get("started_at"),
        ended_at=alert.get("ended_at"),
        occurred_at=_event_time(alert, state),
        sent_at=alert.get("sent_at"),
        links={"source": alert.get("link")},
        runbook=alert.get("runbook_url"),
        value=alert.get("value"),
        image=alert.get("image_url"),
        event_id=alert.get("event_id"),
        origin=alert.get("source"),
        note=HEARTBEAT if state == "ignored" else None,
    )


def _event_time(alert: Mapping[str, object], state: AlertState) -> object:
    """A recovery is dated by its end, an alert by when it was noticed."""
    names = ("ended_at", "occurred_at") if state == "resolved" else ("occurred_at", "started_at")
    return next((alert[name] for name in names if alert.get(name) not in (None, "")), None)


def _state(alert: Mapping[str, object]) -> AlertState:
    expect(alert, "status", STATED, lambda value: (plain(value) or "").lower() in STATES)
    word = plain(alert.get("status"))
    if word is not None:
        return STATES[word.lower()]
    elsewhere = next((name for name in ELSEWHERE if plain(alert.get(name)) is not None), None)
    if elsewhere is not None:
        raise MalformedRecord("status", f"{STATED}, which {elsewhere} is not read for", alert.get("status"))
    return "firing"


def _hash_key(alert: Mapping[str, object], title: str) -> str:
    return f"hash-{digest(alert.get('source'), alert.get('service'), normalise(title))[:32]}"


def _check(alert: Mapping[str, object]) -> None:
    for name in TEXTS:
        expect(alert, name, "a text", _scalar)
    expect(alert, "severity", EXPECTED_SEVERITY, lambda value: severity(value, words=SEVERITY_WORDS).given)
    for name in TIMES:
        expect(alert, name, EXPECTED_TIME, lambda value: instant(value) is not None)
    for name in LINKS:
        expect(alert, name, "an http or https address", lambda value: link(value) is not None)
    for name in ("labels", "annotations"):
        expect(alert, name, "an object of plain values", _flat)


def _scalar(value: object) -> bool:
    return not isinstance(value, dict | list)


def _flat(value: object) -> bool:
    return isinstance(value, dict) and all(map(_scalar, value.values()))
