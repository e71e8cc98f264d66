"""AWS CloudWatch alarms: as an SNS notification (the alarm is JSON text in ``Message``), bare, or from EventBridge.

``INSUFFICIENT_DATA`` is no recovery. There is no severity: high, as a default. Other messages of a topic, and the
confirmation of a subscription, are accepted without effect.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime

from engine.intake.alerts.alert import Alert, compose
from engine.intake.keys import join_key
from engine.intake.refusals import MalformedRecord
from engine.intake.severity import SeverityRating
from engine.intake.values import as_list, first, mapping, plain
from engine.model.vocabulary import AlertState

SHAPE = "AWS CloudWatch: an SNS notification {Type, TopicArn, Message}, its bare alarm, or the EventBridge event"

KINDS = ("Notification", "SubscriptionConfirmation", "UnsubscribeConfirmation")
STATES: Mapping[str, AlertState] = {"ALARM": "firing", "OK": "resolved", "INSUFFICIENT_DATA": "update"}
EVENT = "CloudWatch Alarm State Change"
HOSTS = ("InstanceId", "DBInstanceIdentifier", "NodeId")
SERVICES = ("ServiceName", "FunctionName", "ApiName", "QueueName", "LoadBalancer")
ASSUMED = SeverityRating("high", None, False)


def matches(body: Mapping[str, object]) -> bool:
    notification = "TopicArn" in body and body.get("Type") in KINDS
    return notification or ("AlarmName" in body and "NewStateValue" in body) or body.get("detail-type") == EVENT


def records(body: Mapping[str, object]) -> Iterator[tuple[str, Mapping[str, object]]]:
    yield "", body


def read(body: Mapping[str, object], received_at: datetime) -> Alert:
    if "TopicArn" in body and body.get("Type") in KINDS:
        alarm = _message(body)
        if "AlarmName" not in alarm:
            return _ignored(body, received_at)
        return _alarm(alarm, body.get("MessageId"), ("Message.AlarmName", "Message.NewStateValue"), received_at)
    if body.get("detail-type") == EVENT:
        return _alarm(_from_event(body), body.get("id"), ("detail.alarmName", "detail.state.value"), received_at)
    return _alarm(body, None, ("AlarmName", "NewStateValue"), received_at)


def _alarm(alarm: Mapping[str, object], event_id: object, fields: tuple[str, str], received_at: datetime) -> Alert:
    name, state = plain(alarm.get("AlarmName")), STATES.get(plain(alarm.get("NewStateValue")) or "")
    if name is None:
        raise MalformedRecord(fields[0], "the name of the alarm", alarm.get("AlarmName"))
    if state is None:
        raise MalformedRecord(fields[1], "ALARM, OK or INSUFFICIENT_DATA", alarm.get("NewStateValue"))
    arn = plain(alarm.get("AlarmArn"))
    place = (alarm.get("AWSAccountId"), alarm.get("Region"))
    tags = _dimensions(alarm)
    when = alarm.get("StateChangeTime")
    return compose(
        source="cloudwatch",
        key=join_key("cloudwatch", arn) if arn else join_key("cloudwatch", *place, name),
        state=state,
        title=name,
        received_at=received_at,
        severity=ASSUMED,
        description=plain(alarm.get("NewStateReason")) or alarm.get("AlarmDescription"),
        tags={**tags, "account": place[0], "region": place[1]},
        service=first(tags, SERVICES),
        host=first(tags, HOSTS),
        started_at=when,
        ended_at=when,
        occurred_at=when,
        event_id=event_id,
        note="The alarm has insufficient data." if state == "update" else None,
    )


def _message(body: Mapping[str, object]) -> Mapping[str, object]:
    text = body.get("Message")
    if body["Type"] != "Notification" or not isinstance(text, str):
        return mapping(text)
    try:
        return mapping(json.loads(text))
    except (ValueError, RecursionError):
        return {}


def _from_event(body: Mapping[str, object]) -> dict[str, object]:
    """EventBridge's fields under the names of the notification."""
    detail = mapping(body.get("detail"))
    state, setup = mapping(detail.get("state")), mapping(detail.get("configuration"))
    metrics = [mapping(mapping(entry).get("metricStat")).get("metric") for entry in as_list(setup.get("metrics"))[:20]]
    return {
        "AlarmName": detail.get("alarmName"),
        "AlarmArn": next(iter(as_list(body.get("resources"))), None),
        "AWSAccountId": body.get("account"),
        "Region": body.get("region"),
        "NewStateValue": state.get("value"),
        "NewStateReason": state.get("reason"),
        "AlarmDescription": setup.get("description"),
        "StateChangeTime": state.get("timestamp") or body.get("time"),
        "Dimensions": {
            name: value for metric in metrics for name, value in mapping(mapping(metric).get("dimensions")).items()
        },
    }


def _dimensions(alarm: Mapping[str, object]) -> dict[str, object]:
    found = dict(mapping(alarm.get("Dimensions")))
    for entry in as_list(mapping(alarm.get("Trigger")).get("Dimensions"))[:50]:
        pair = mapping(entry)
        name = plain(pair.get("name") or pair.get("Name"))
        if name is not None:
            found[name] = pair.get("value") or pair.get("Value")
    return found


def _ignored(body: Mapping[str, object], received_at: datetime) -> Alert:
    kind = body["Type"]
    return compose(
        source="cloudwatch",
        key=join_key("cloudwatch", "message", body.get("MessageId")),
        state="ignored",
        title=body.get("Subject") or kind,
        received_at=received_at,
        occurred_at=body.get("Timestamp"),
        event_id=body.get("MessageId"),
        note="The message is not an alarm." if kind == "Notification" else f"{kind}: to be confirmed in AWS by hand.",
    )
