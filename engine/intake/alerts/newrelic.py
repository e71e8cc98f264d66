"""New Relic: workflows, whose body is a template around an issue, and the notification channels before them.

A template may name the issue ``id`` or ``issueId``, and where it hands a list over (titles, policies, entities) there
may be one text instead. The channels' body, which workflows that were migrated from them still send, may name the issue
alone (``issue_id``). Their test has the state ``test`` and the incident 0, and 0 may be a real one.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime

from engine.intake.alerts.alert import Alert, compose
from engine.intake.keys import join_key
from engine.intake.refusals import MalformedRecord
from engine.intake.severity import severity
from engine.intake.values import as_list, first, line, mapping, plain
from engine.model.vocabulary import AlertState

SHAPE = (
    "New Relic: a workflow's {id, issueUrl, title, priority, state}, or {incident_id, current_state} of old channels"
)

ADDRESSES = ("issueUrl", "issuePageUrl")
IDENTITIES = ("issueId", "id")
NUMBERS = ("incident_id", "issue_id")
ACKNOWLEDGED = "acknowledged"
STATES: Mapping[str, AlertState] = {
    "created": "firing",
    "activated": "firing",
    "open": "firing",
    ACKNOWLEDGED: "update",
    "closed": "resolved",
    "test": "ignored",
}
HOST_TYPES = ("HOST", "INFRASTRUCTURE_HOST")


def matches(body: Mapping[str, object]) -> bool:
    if "current_state" in body and any(name in body for name in NUMBERS):
        return True
    issue = any(name in body for name in (*ADDRESSES, "issueId"))
    return issue and "state" in body and ("priority" in body or "title" in body)


def records(body: Mapping[str, object]) -> Iterator[tuple[str, Mapping[str, object]]]:
    yield "", body


def read(body: Mapping[str, object], received_at: datetime) -> Alert:
    return _incident(body, received_at) if "current_state" in body else _issue(body, received_at)


def _issue(issue: Mapping[str, object], received_at: datetime) -> Alert:
    identity = first(issue, IDENTITIES)
    if identity is None:
        raise MalformedRecord("id", "the identifier of the issue", issue.get("id"))
    word, state = _state(issue, "state", "CREATED, ACTIVATED, ACKNOWLEDGED or CLOSED")
    conditions = _join(issue.get("alertConditionNames"))
    service, host = _entity(issue)
    tags = {
        "policy": _join(issue.get("alertPolicyNames")),
        "condition": conditions,
        "entities": _join(issue.get("impactedEntities")),
        "workflow": issue.get("workflowName"),
    }
    return compose(
        source="newrelic",
        key=join_key("newrelic", identity),
        state=state,
        title=_join(as_list(issue.get("title"))[:1]) or conditions or f"Issue {identity}",
        received_at=received_at,
        severity=severity(issue.get("priority")),
        description=_join(issue.get("description"), "\n"),
        tags=tags,
        service=service,
        host=host,
        started_at=issue.get("activatedAt") or issue.get("createdAt"),
        ended_at=issue.get("closedAt") or issue.get("updatedAt"),
        occurred_at=(issue.get("closedAt") if state == "resolved" else None) or issue.get("updatedAt"),
        links={"source": next((issue[name] for name in ADDRESSES if issue.get(name)), None)},
        runbook=next(iter(as_list(issue.get("runbookUrls") or issue.get("runbookUrl"))), None),
        image=next(iter(as_list(issue.get("chartUrl") or issue.get("violationChartUrl"))), None),
        acknowledged=word == ACKNOWLEDGED,
        note=f"The issue is {word}.",
    )


def _incident(incident: Mapping[str, object], received_at: datetime) -> Alert:
    identity = first(incident, NUMBERS)
    if identity is None:
        raise MalformedRecord("incident_id", "the number of the incident", incident.get("incident_id"))
    word, state = _state(incident, "current_state", "open, acknowledged or closed")
    condition, policy = plain(incident.get("condition_name")), plain(incident.get("policy_name"))
    named = [mapping(target).get("name") for target in as_list(incident.get("targets"))]
    when = incident.get("timestamp")
    return compose(
        source="newrelic",
        key=join_key("newrelic", identity),
        state=state,
        title=condition or policy or f"Incident {identity}",
        received_at=received_at,
        severity=severity(incident.get("severity")),
        description=incident.get("details"),
        tags={"policy": policy, "condition": condition, "entities": _join(named)},
        service=named[0] if len(named) == 1 else None,
        started_at=when if state == "firing" else None,
        ended_at=when,
        occurred_at=when,
        links={"source": incident.get("incident_url"), "policy": incident.get("policy_url")},
        runbook=incident.get("runbook_url"),
        image=incident.get("violation_chart_url"),
        acknowledged=word == ACKNOWLEDGED,
        note="A test of the notification channel." if word == "test" else f"The incident is {word}.",
    )


def _state(body: Mapping[str, object], name: str, expected: str) -> tuple[str, AlertState]:
    word = (plain(body.get(name)) or "").lower()
    if word not in STATES:
        raise MalformedRecord(name, expected, body.get(name))
    return word, STATES[word]


def _join(value: object, between: str = ", ") -> str | None:
    """The plain texts of a list, or of a single value, as one text."""
    texts = [text for entry in as_list(value)[:50] if (text := plain(entry))]
    return between.join(texts) or None


def _entity(issue: Mapping[str, object]) -> tuple[str | None, str | None]:
    """The one entity that an issue is about, as a service or, where the template says so, as a host."""
    entities = as_list(issue.get("impactedEntities"))
    name = line(entities[0]) if len(entities) == 1 else None
    kinds = {(plain(kind) or "").upper() for kind in as_list(issue.get("entityTypes"))}
    return (None, name) if kinds & set(HOST_TYPES) else (name, None)
