"""AWS CloudWatch, by SNS, bare and by EventBridge."""

import json

import pytest

from engine.intake.alerts import read_alerts
from engine.model.errors import BadRequest
from tests.intake.bodies import (
    RECEIVED,
    at,
    cloudwatch_alarm,
    cloudwatch_event,
)

KEY = "cloudwatch:arn:aws:cloudwatch:eu-west-1:123456789012:alarm:QueueDepth"


def sns(alarm, **changes):
    message = alarm if isinstance(alarm, str) else json.dumps(alarm)
    return {"Type": "Notification", "MessageId": "m1", "TopicArn": "arn:aws:sns:t", "Message": message, **changes}


def read(body):
    (alert,) = read_alerts(body, received_at=RECEIVED)
    return alert


@pytest.mark.parametrize(
    ("body", "event_id"),
    [
        (sns(cloudwatch_alarm()), "cloudwatch:m1"),
        (cloudwatch_alarm(), None),
        (cloudwatch_event(), "cloudwatch:c4c1c1c9-6542-e61b-6ef0-8c4d36933a92"),
    ],
)
def test_an_alarm_has_one_key_whichever_way_it_comes(body, event_id):
    alert = read(body)
    assert (alert.source, alert.dedupe_key, alert.state, alert.title) == ("cloudwatch", KEY, "firing", "QueueDepth")
    assert (alert.severity, alert.severity_given, alert.service) == ("high", False, "orders")
    assert (alert.event_id, alert.started_at.replace(microsecond=0)) == (event_id, at(8, 15))


@pytest.mark.parametrize(("value", "state"), [("OK", "resolved"), ("INSUFFICIENT_DATA", "update")])
def test_missing_data_is_no_recovery(value, state):
    assert read(sns(cloudwatch_alarm(NewStateValue=value))).state == state
    assert read(cloudwatch_event(value=value)).state == state


def test_without_an_arn_the_key_is_account_region_and_name():
    assert read(cloudwatch_alarm(AlarmArn=None)).dedupe_key == "cloudwatch:123456789012|EU (Ireland)|QueueDepth"


@pytest.mark.parametrize("message", ["A text", "[" * 100_000, "{}", "null", '{"a": 1}'])
def test_other_messages_of_the_topic_are_ignored(message):
    assert read(sns(message)).state == "ignored"


def test_a_subscription_to_confirm_is_ignored_and_its_token_not_kept():
    alert = read(
        sns("You have chosen", Type="SubscriptionConfirmation", Token="t0k3n", SubscribeURL="https://x/?t0k3n")
    )
    assert alert.state == "ignored"
    assert "t0k3n" not in repr(alert)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (sns(cloudwatch_alarm(NewStateValue="RED")), "Message.NewStateValue must be ALARM, OK .* got 'RED'"),
        (cloudwatch_event(value=None), "detail.state.value must be ALARM, OK or INSUFFICIENT_DATA; got nothing"),
        (cloudwatch_alarm(AlarmName=""), "AlarmName must be the name of the alarm; got ''"),
    ],
)
def test_a_broken_alarm_names_the_field(body, message):
    with pytest.raises(BadRequest, match=message):
        read(body)
