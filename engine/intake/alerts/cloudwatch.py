"""AWS CloudWatch alarms: as EventBridge's event, as an SNS notification (the alarm is JSON text in ``Message``), bare.

``INSUFFICIENT_DATA`` is no recovery. There is no severity but in a tag of the alarm: high, as a default. What one time
series contributes to an alarm is noted on it. Changes of configuration, other messages of a topic and the confirmation
of a subscription are accepted without effect.
"""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from urllib.parse import quote

from engine.intake.alerts.alert import Alert, compose
from engine.intake.alerts.sns import is_message, task
from engine.intake.keys import join_key
from engine.intake.refusals import MalformedRecord
from engine.intake.severity import SeverityRating, severity
from engine.intake.values import as_list, first, mapping, plain
from engine.model.vocabulary import AlertState

SHAPE = "AWS CloudWatch: the EventBridge event {source, detail-type, detail}, an SNS notification, or its bare alarm"

STATES: Mapping[str, AlertState] = {"ALARM": "firing", "OK": "resolved", "INSUFFICIENT_DATA": "update"}
EVENTS = "CloudWatch Alarm "
CHANGED = "CloudWatch Alarm State Change"
CONTRIBUTED = "CloudWatch Alarm Contributor State Change"
HOSTS = ("InstanceId", "DBInstanceIdentifier", "NodeId")
SERVICES = ("ServiceName", "FunctionName", "ApiName", "QueueName", "LoadBalancer")
POINTS = 10
ASSUMED = SeverityRating("high", None, False)
CONSOLES = {
    "aws": "console.aws.amazon.com",
    "aws-cn": "console.amazonaws.cn",
    "aws-us-gov": "console.amazonaws-us-gov.com",
}

_REGION = re.compile(r"[a-z0-9-]{1,30}")


def matches(body: Mapping[str, object]) -> bool:
    bare = "AlarmName" in body and "NewStateValue" in body
    return is_message(body) or bare or (plain(body.get("detail-type")) or "").startswith(EVENTS)


def records(body: Mapping[str, object]) -> Iterator[tuple[str, Mapping[str, object]]]:
    yield "", body


def read(body: Mapping[str, object], received_at: datetime) -> Alert:
    if is_message(body):
        alarm = _message(body)
        if "AlarmName" not in alarm:
            return _ignored_alert(body["Type"], task(body), body.get("MessageId"), body.get("Timestamp"), received_at)
        return _alarm(alarm, body.get("MessageId"), ("Message.AlarmName", "Message.NewStateValue"), received_at)
    kind = plain(body.get("detail-type"))
    if kind in (CHANGED, CONTRIBUTED):
        return _alarm(_from_event(body), body.get("id"), ("detail.alarmName", "detail.state.value"), received_at)
    if kind is not None and kind.startswith(EVENTS):
        return _ignored_alert(
            kind, "The event is about no alarm's state.", body.get("id"), body.get("time"), received_at
        )
    return _alarm(body, None, ("AlarmName", "NewStateValue"), received_at)


def _alarm(alarm: Mapping[str, object], event_id: object, fields: tuple[str, str], received_at: datetime) -> Alert:
    name, value = plain(alarm.get("AlarmName")), plain(alarm.get("NewStateValue"))
    if name is None:
        raise MalformedRecord(fields[0], "the name of the alarm", alarm.get("AlarmName"))
    if value is None or value not in STATES:
        raise MalformedRecord(fields[1], "ALARM, OK or INSUFFICIENT_DATA", alarm.get("NewStateValue"))
    arn, contributor = plain(alarm.get("AlarmArn")), plain(alarm.get("Contributor"))
    place = (alarm.get("AWSAccountId"), alarm.get("Region"))
    tags = _tags(alarm)
    rated = severity(tags.get("severity"), tags.get("priority"))
    when = alarm.get("StateChangeTime")
    return compose(
        source="cloudwatch",
        key=join_key("cloudwatch", arn) if arn else join_key("cloudwatch", *place, name),
        state="update" if contributor else STATES[value],
        title=name,
        received_at=received_at,
        severity=rated if rated.given else ASSUMED,
        description=plain(alarm.get("NewStateReason")) or alarm.get("AlarmDescription"),
        tags={**tags, "account": place[0], "region": place[1]},
        service=first(tags, ("service", *SERVICES)),
        host=first(tags, HOSTS),
        started_at=when,
        ended_at=when,
        occurred_at=when,
        links={"source": _console(arn, name)},
        value=_datapoints(alarm.get("ReasonData")),
        event_id=event_id,
        note=f"{contributor}: {value}" if contributor else _note(plain(alarm.get("OldStateValue")), value),
    )


def _note(before: str | None, value: str) -> str | None:
    if value == "INSUFFICIENT_DATA":
        return "The alarm has insufficient data."
    return f"The alarm went from {before} to {value}." if before else None


def _console(arn: str | None, name: str) -> str | None:
    """The page of an alarm in the console of its partition and region."""
    parts = (arn or "").split(":")
    if len(parts) < 7 or parts[1] not in CONSOLES or _REGION.fullmatch(parts[3]) is None:
        return None
    home = f"https://{parts[3]}.{CONSOLES[parts[1]]}/cloudwatch/home?region={parts[3]}"
    return f"{home}#alarmsV2:alarm/{quote(name, safe='')}"


def _datapoints(data: object) -> str | None:
    """The datapoints that decided, in the sender's order, out of the JSON text beside the reason."""
    points = [plain(point) for point in as_list(_json(data).get("recentDatapoints"))[:POINTS]]
    return ", ".join(point for point in points if point) or None


def _message(body: Mapping[str, object]) -> Mapping[str, object]:
    text = body.get("Message")
    return _json(text) if body["Type"] == "Notification" else mapping(text)


def _json(text: object) -> Mapping[str, object]:
    """The object that a text holds, or that was unpacked on the way here; empty for anything else."""
    if not isinstance(text, str):
        return mapping(text)
    try:
        return mapping(json.loads(text))
    except (ValueError, RecursionError):
        return {}


def _from_event(body: Mapping[str, object]) -> dict[str, object]:
    """EventBridge's fields under the names of the notification."""
    detail = mapping(body.get("detail"))
    state, setup = mapping(detail.get("state")), mapping(detail.get("configuration"))
    measured = [mapping(mapping(entry).get("metricStat")) for entry in as_list(setup.get("metrics"))[:20]]
    metrics = [mapping(entry.get("metric")) for entry in measured]
    source = next((metric for metric in metrics if metric), {})
    return {
        "AlarmName": detail.get("alarmName"),
        "AlarmArn": next(iter(as_list(body.get("resources"))), None),
        "AWSAccountId": body.get("account"),
        "Region": body.get("region"),
        "NewStateValue": state.get("value"),
        "OldStateValue": mapping(detail.get("previousState")).get("value"),
        "NewStateReason": state.get("reason"),
        "ReasonData": state.get("reasonData"),
        "AlarmDescription": setup.get("description"),
        "StateChangeTime": state.get("timestamp") or body.get("time"),
        "Tags": detail.get("alarmTags"),
        "Trigger": {"MetricName": source.get("name"), "Namespace": source.get("namespace")},
        "Dimensions": {name: value for metric in metrics for name, value in mapping(metric.get("dimensions")).items()},
        "Contributor": _contributor(mapping(detail.get("alarmContributor"))),
    }


def _contributor(contributor: Mapping[str, object]) -> str | None:
    """The time series that an event is about, by its attributes."""
    attributes = mapping(contributor.get("attributes"))
    named = ", ".join(f"{name}={text}" for name, value in attributes.items() if (text := plain(value)))
    return named or plain(contributor.get("id"))


def _tags(alarm: Mapping[str, object]) -> dict[str, object]:
    """Tags of the alarm, its metric, and the dimensions of that."""
    trigger = mapping(alarm.get("Trigger"))
    found = {**mapping(alarm.get("Tags")), **mapping(alarm.get("Dimensions"))}
    for entry in as_list(trigger.get("Dimensions"))[:50]:
        pair = mapping(entry)
        name = plain(pair.get("name") or pair.get("Name"))
        if name is not None:
            found[name] = pair.get("value") or pair.get("Value")
    return {**found, "metric": trigger.get("MetricName"), "namespace": trigger.get("Namespace")}


def _ignored_alert(kind: object, note: str, event_id: object, when: object, received_at: datetime) -> Alert:
    return compose(
        source="cloudwatch",
        key=join_key("cloudwatch", "message", event_id),
        state="ignored",
        title=kind,
        received_at=received_at,
        occurred_at=when,
        event_id=event_id,
        note=note,
    )
