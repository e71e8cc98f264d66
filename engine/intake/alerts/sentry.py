"""Sentry's integration platform: issues, issue alerts and metric alerts.

An issue and the alert rules about it share the issue's id as key; a metric alert has the id of its incident. Installed
applications, comments and single errors are not about an alert. The body does not say when an action happened, except
for what a rule saw and when a metric alert began and ended.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime

from engine.intake.alerts.alert import Alert, compose
from engine.intake.keys import join_key
from engine.intake.refusals import MalformedRecord
from engine.intake.severity import SeverityRating, severity
from engine.intake.values import as_list, first, line, mapping, plain
from engine.model.vocabulary import AlertState, Severity

SHAPE = "Sentry's integration platform: {action, data: {issue, event or metric_alert}, installation}"

ISSUE_STATES: Mapping[str, AlertState] = {
    "created": "firing",
    "unresolved": "firing",
    "triggered": "firing",
    "resolved": "resolved",
}
METRIC_STATES: Mapping[str, AlertState] = {
    "critical": "firing",
    "warning": "firing",
    "open": "firing",
    "resolved": "resolved",
}
METRIC_LEVELS = ("critical", "warning")
LEVELS: Mapping[str, Severity] = {
    "fatal": "critical",
    "error": "high",
    "warning": "medium",
    "info": "info",
    "debug": "info",
}
HOSTS = ("server_name", "host", "hostname")
OTHERS = ("installation", "comment", "error")

_PROJECT = re.compile(r"/projects/[^/]{1,100}/([^/]{1,100})/")


def matches(body: Mapping[str, object]) -> bool:
    return isinstance(body.get("action"), str) and isinstance(body.get("data"), dict) and "installation" in body


def records(body: Mapping[str, object]) -> Iterator[tuple[str, Mapping[str, object]]]:
    yield "", body


def read(body: Mapping[str, object], received_at: datetime) -> Alert:
    data, action = mapping(body["data"]), (plain(body["action"]) or "").lower()
    if "metric_alert" in data:
        return _metric(action, data, received_at)
    if "event" in data:
        return _event(action, data, received_at)
    if "issue" in data:
        return _issue(action, mapping(data["issue"]), body, received_at)
    return _ignored_alert(action, data, received_at)


def _issue(action: str, issue: Mapping[str, object], body: Mapping[str, object], received_at: datetime) -> Alert:
    identity = _identity(issue.get("id"), "data.issue.id")
    project = mapping(issue.get("project"))
    who = line(mapping(body.get("actor")).get("name"))
    return compose(
        source="sentry",
        key=join_key("sentry", identity),
        state=ISSUE_STATES.get(action, "update"),
        title=issue.get("title") or f"Issue {identity}",
        received_at=received_at,
        severity=_level(issue.get("level")),
        description=issue.get("culprit"),
        tags={
            "issue": issue.get("shortId"),
            "project": project.get("slug"),
            "platform": issue.get("platform"),
            "substatus": issue.get("substatus"),
        },
        service=first(project, ("slug", "name")),
        started_at=issue.get("firstSeen") if action == "created" else None,
        occurred_at=issue.get("firstSeen") if action == "created" else None,
        links={"source": first(issue, ("web_url", "permalink"), 2000)},
        note=f"issue.{action} by {who}" if who else f"issue.{action}",
    )


def _event(action: str, data: Mapping[str, object], received_at: datetime) -> Alert:
    event = mapping(data["event"])
    identity = _identity(event.get("issue_id"), "data.event.issue_id")
    tags = _pairs(event.get("tags"))
    rule, seen = line(data.get("triggered_rule")), plain(event.get("event_id"))
    match = _PROJECT.search(plain(event.get("url")) or "")
    return compose(
        source="sentry",
        key=join_key("sentry", identity),
        state=ISSUE_STATES.get(action, "update"),
        title=event.get("title") or event.get("message") or f"Issue {identity}",
        received_at=received_at,
        severity=_level(event.get("level")),
        description=event.get("culprit"),
        tags={**tags, "rule": rule, "release": event.get("release"), "environment": event.get("environment")},
        service=match[1] if match else None,
        host=first(tags, HOSTS),
        started_at=event.get("datetime"),
        occurred_at=event.get("datetime"),
        links={"source": event.get("web_url")},
        event_id=f"{seen}|{rule or ''}" if seen else None,
        note=f"The rule {rule} triggered." if rule else "An alert rule triggered.",
    )


def _metric(action: str, data: Mapping[str, object], received_at: datetime) -> Alert:
    alert = mapping(data["metric_alert"])
    identity = _identity(alert.get("id"), "data.metric_alert.id")
    if action not in METRIC_STATES:
        raise MalformedRecord("action", "critical, warning or resolved", action)
    projects = as_list(alert.get("projects"))
    rule = mapping(alert.get("alert_rule"))
    ended = alert.get("date_closed")
    return compose(
        source="sentry",
        key=join_key("sentry", "metric", identity),
        state=METRIC_STATES[action],
        title=rule.get("name") or alert.get("title") or data.get("description_title"),
        received_at=received_at,
        severity=severity(action if action in METRIC_LEVELS else None),
        description=data.get("description_text"),
        tags={
            "aggregate": rule.get("aggregate"),
            "query": rule.get("query"),
            "environment": rule.get("environment"),
            "projects": ", ".join(text for project in projects[:50] if (text := plain(project))),
        },
        service=projects[0] if len(projects) == 1 else None,
        started_at=alert.get("date_started"),
        ended_at=ended,
        occurred_at=ended if action == "resolved" else alert.get("date_detected") or alert.get("date_started"),
        links={"source": data.get("web_url")},
        value=data.get("description_text"),
        note=data.get("description_title"),
    )


def _ignored_alert(action: str, data: Mapping[str, object], received_at: datetime) -> Alert:
    about = next((name for name in OTHERS if name in data), "event")
    return compose(
        source="sentry",
        key=join_key("sentry", "other", about, action),
        state="ignored",
        title=f"{about}.{action}",
        received_at=received_at,
        note=f"{about}.{action} is not about an alert",
    )


def _identity(value: object, path: str) -> str:
    text = plain(value)
    if text is None:
        raise MalformedRecord(path, "the identifier", value)
    return text


def _level(value: object) -> SeverityRating:
    return severity(value, words=LEVELS)


def _pairs(value: object) -> dict[str, object]:
    """Sentry's tags: a list of [name, value]."""
    pairs = [entry for entry in as_list(value)[:100] if isinstance(entry, list) and len(entry) == 2]
    return {name: held for key, held in pairs if (name := plain(key)) and plain(held)}
