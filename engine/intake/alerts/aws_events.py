"""AWS Health and GuardDuty: their events as EventBridge posts them, bare or as a notification of SNS.

A finding of GuardDuty opens an incident and is never resolved by AWS: a person closes it. An event of AWS Health ends
where its status is closed.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime

from engine.intake.alerts.alert import Alert, compose
from engine.intake.keys import join_key
from engine.intake.refusals import MalformedRecord
from engine.intake.severity import SeverityRating
from engine.intake.values import as_list, mapping, number, plain
from engine.model.vocabulary import AlertState, Severity

SHAPE = "AWS Health or GuardDuty: the EventBridge event {source: aws.health|aws.guardduty, detail-type, detail}"

HEALTH, GUARDDUTY = "aws.health", "aws.guardduty"
STATES: Mapping[str, AlertState] = {"open": "firing", "upcoming": "firing", "closed": "resolved"}
CATEGORIES: Mapping[str, Severity] = {"issue": "high", "investigation": "high", "scheduledchange": "low"}
# the bands of GuardDuty: low below 4, medium below 7, high below 9, critical from 9 on
BANDS: tuple[tuple[float, Severity], ...] = ((9.0, "critical"), (7.0, "high"), (4.0, "medium"), (0.0, "low"))


def matches(body: Mapping[str, object]) -> bool:
    return body.get("source") in (HEALTH, GUARDDUTY) and isinstance(body.get("detail"), dict)


def records(body: Mapping[str, object]) -> Iterator[tuple[str, Mapping[str, object]]]:
    yield "", body


def read(body: Mapping[str, object], received_at: datetime) -> Alert:
    return _health(body, received_at) if body.get("source") == HEALTH else _finding(body, received_at)


def _health(body: Mapping[str, object], received_at: datetime) -> Alert:
    detail = mapping(body["detail"])
    arn = plain(detail.get("eventArn"))
    if arn is None:
        raise MalformedRecord("detail.eventArn", "the name of the event", detail.get("eventArn"))
    word = (plain(detail.get("statusCode")) or "open").lower()
    if word not in STATES:
        raise MalformedRecord("detail.statusCode", "open, upcoming or closed", detail.get("statusCode"))
    state, code = STATES[word], plain(detail.get("eventTypeCode"))
    category = (plain(detail.get("eventTypeCategory")) or "").lower()
    said = [mapping(one).get("latestDescription") for one in as_list(detail.get("eventDescription"))]
    resources = [text for one in as_list(body.get("resources")) if (text := plain(one))]
    return compose(
        source="aws-health",
        key=join_key("aws-health", arn),
        state=state,
        title=code.replace("_", " ") if code else f"Event {arn}",
        received_at=received_at,
        severity=SeverityRating(CATEGORIES.get(category, "info"), category or None, True),
        description=next((text for one in said if (text := plain(one))), None),
        tags={
            "aws_service": detail.get("service"),
            "region": detail.get("eventRegion") or body.get("region"),
            "account": body.get("account"),
            "category": category or None,
            "resources": ", ".join(resources[:20]) or None,
        },
        started_at=detail.get("startTime"),
        ended_at=detail.get("endTime") or detail.get("lastUpdatedTime"),
        occurred_at=(detail.get("endTime") if state == "resolved" else detail.get("startTime")) or body.get("time"),
        sent_at=body.get("time"),
        event_id=body.get("id"),
    )


def _finding(body: Mapping[str, object], received_at: datetime) -> Alert:
    detail = mapping(body["detail"])
    identity, score = plain(detail.get("id")), number(detail.get("severity"))
    if identity is None:
        raise MalformedRecord("detail.id", "the identifier of the finding", detail.get("id"))
    if score is None or not 0 <= score <= 10:
        raise MalformedRecord("detail.severity", "a number from 0 to 10", detail.get("severity"))
    service, resource = mapping(detail.get("service")), mapping(detail.get("resource"))
    instance = mapping(resource.get("instanceDetails"))
    level = next(level for least, level in BANDS if score >= least)
    return compose(
        source="guardduty",
        key=join_key("guardduty", identity),
        state="resolved" if service.get("archived") is True else "firing",
        title=detail.get("title") or detail.get("type") or f"Finding {identity}",
        received_at=received_at,
        severity=SeverityRating(level, f"{score:g}", True),
        description=detail.get("description"),
        tags={
            "type": detail.get("type"),
            "resource_type": resource.get("resourceType"),
            "region": detail.get("region"),
            "account": detail.get("accountId"),
        },
        host=instance.get("instanceId"),
        started_at=service.get("eventFirstSeen") or detail.get("createdAt"),
        ended_at=detail.get("updatedAt"),
        occurred_at=detail.get("updatedAt") or body.get("time"),
        value=service.get("count"),
    )
