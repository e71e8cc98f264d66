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
from engine.intake.times import instant
from engine.intake.values import as_list, mapping, number, plain
from engine.model.vocabulary import AlertState, Severity

SHAPE = "AWS Health or GuardDuty: the EventBridge event {source: aws.health|aws.guardduty, detail-type, detail}"

HEALTH, GUARDDUTY = "aws.health", "aws.guardduty"
STATES: Mapping[str, AlertState] = {"open": "firing", "upcoming": "firing", "closed": "resolved"}
CATEGORIES: Mapping[str, Severity] = {"issue": "high", "investigation": "high", "scheduledchange": "low"}
# the bands of GuardDuty: low below 4, medium below 7, high below 9, critical from 9 on
BANDS: tuple[tuple[float, Severity], ...] = ((9.0, "critical"), (7.0, "high"), (4.0, "medium"), (0.0, "low"))
# what GuardDuty calls the resource of each kind: where its details lie, and its name in them
RESOURCES = (
    ("instanceDetails", "instanceId"),
    ("containerDetails", "name"),
    ("lambdaDetails", "functionName"),
    ("rdsDbInstanceDetails", "dbInstanceIdentifier"),
    ("eksClusterDetails", "name"),
    ("ecsClusterDetails", "name"),
    ("s3BucketDetails", "name"),
    ("accessKeyDetails", "userName"),
)


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
    category = plain(detail.get("eventTypeCategory")) or ""
    gets = [mapping(one).get("latestDescription") for one in as_list(detail.get("eventDescription"))]
    entities = [mapping(one) for one in as_list(detail.get("affectedEntities"))]
    resources = _texts(as_list(body.get("resources"))) or _texts([one.get("entityValue") for one in entities])
    ahead = _is_ahead(detail.get("startTime"), body.get("time"))
    began = None if ahead else detail.get("startTime")
    return compose(
        source="aws-health",
        key=join_key("aws-health", arn),
        state=state,
        title=code.replace("_", " ") if code else f"Event {arn}",
        received_at=received_at,
        severity=SeverityRating(CATEGORIES.get(category.lower(), "info"), category or None, True),
        description=next((text for one in gets if (text := plain(one))), None),
        tags={
            **{name: value for one in entities[:20] for name, value in mapping(one.get("tags")).items()},
            "aws_service": detail.get("service"),
            "region": detail.get("eventRegion") or body.get("region"),
            "account": detail.get("affectedAccount") or body.get("account"),
            "category": category or None,
            "resources": ", ".join(resources[:20]) or None,
            "begins": detail.get("startTime") if ahead else None,
        },
        host=resources[0] if len(resources) == 1 else None,
        started_at=began,
        ended_at=detail.get("endTime") or detail.get("lastUpdatedTime"),
        occurred_at=(detail.get("endTime") if state == "resolved" else began) or body.get("time"),
        sent_at=body.get("time"),
        event_id=_communication(body, detail, word) or body.get("id"),
    )


def _communication(body: Mapping[str, object], detail: Mapping[str, object], word: str) -> str | None:
    """What its pages, and its copy in the region that stands in, have in common."""
    identity = plain(detail.get("communicationId"))
    return (
        f"{plain(detail.get('affectedAccount')) or plain(body.get('account'))}/{identity}/{word}" if identity else None
    )


def _is_ahead(begins: object, told: object) -> bool:
    """What is announced has not begun, and its sender's clock is right."""
    start, sent = instant(begins), instant(told)
    return start is not None and sent is not None and start > sent


def _finding(body: Mapping[str, object], received_at: datetime) -> Alert:
    detail = mapping(body["detail"])
    identity, score = plain(detail.get("id")), number(detail.get("severity"))
    if identity is None:
        raise MalformedRecord("detail.id", "the identifier of the finding", detail.get("id"))
    if score is None or not 0 <= score <= 10:
        raise MalformedRecord("detail.severity", "a number from 0 to 10", detail.get("severity"))
    service, resource = mapping(detail.get("service")), mapping(detail.get("resource"))
    held = {kind: mapping(next(iter(as_list(resource.get(kind))), None)) for kind, _ in RESOURCES}
    names = _texts([held[kind].get(name) for kind, name in RESOURCES])
    pairs = [mapping(one) for inside in held.values() for one in as_list(inside.get("tags"))]
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
            **{name: one.get("value") for one in pairs if (name := plain(one.get("key"))) is not None},
            "type": detail.get("type"),
            "resource_type": resource.get("resourceType"),
            "resource": ", ".join(names) or None,
            "region": detail.get("region"),
            "account": detail.get("accountId"),
        },
        host=held["instanceDetails"].get("instanceId"),
        started_at=service.get("eventFirstSeen") or detail.get("createdAt"),
        ended_at=detail.get("updatedAt"),
        occurred_at=detail.get("updatedAt") or body.get("time"),
        sent_at=body.get("time"),
        value=service.get("count"),
        event_id=body.get("id"),
    )


def _texts(values: list[object]) -> list[str]:
    return [text for one in values if (text := plain(one))]
