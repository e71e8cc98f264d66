"""Grafana's legacy panel alerts (before unified alerting): one rule a request."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from engine.intake.alerts.alert import Alert, compose
from engine.intake.keys import join_key
from engine.intake.refusals import MalformedRecord
from engine.intake.severity import severity
from engine.intake.values import as_list, line, mapping, plain
from engine.model.vocabulary import AlertState

SHAPE = "Grafana panel alerts: {ruleId, ruleName, state, title, evalMatches}"

VALUES = 20

STATES: Mapping[str, AlertState] = {
    "alerting": "firing",
    "no_data": "firing",
    "ok": "resolved",
    "paused": "update",
    "pending": "ignored",
}


def matches(body: Mapping[str, object]) -> bool:
    return "ruleId" in body and "evalMatches" in body


def records(body: Mapping[str, object]) -> Iterator[tuple[str, Mapping[str, object]]]:
    yield "", body


def read(body: Mapping[str, object], received_at: datetime) -> Alert:
    rule = plain(body.get("ruleId"))
    if rule is None:
        raise MalformedRecord("ruleId", "the number of the rule", body.get("ruleId"))
    word = (plain(body.get("state")) or "").lower()
    if word not in STATES:
        raise MalformedRecord("state", "alerting, no_data, ok, paused or pending", body.get("state"))
    tags = mapping(body.get("tags"))
    return compose(
        source="grafana",
        key=join_key("grafana", plain(body.get("orgId")), f"rule-{rule}"),
        state=STATES[word],
        title=plain(body.get("ruleName")) or plain(body.get("title")),
        received_at=received_at,
        severity=severity(tags.get("severity"), tags.get("priority")),
        description=body.get("message"),
        tags=tags,
        links={"source": body.get("ruleUrl")},
        value=_value(body),
        image=body.get("imageUrl"),
        note={"no_data": "The rule has no data.", "paused": "The rule was paused."}.get(word),
    )


def _value(body: Mapping[str, object]) -> str | None:
    """``cpu=97, disk=81``: what was measured when the rule matched."""
    matches = [mapping(match) for match in as_list(body.get("evalMatches"))[:VALUES]]
    texts = [(line(match.get("metric"), 100), plain(match.get("value"))) for match in matches]
    return ", ".join(f"{metric}={value}" for metric, value in texts if metric and value) or None
