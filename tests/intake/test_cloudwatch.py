"""AWS CloudWatch, by SNS, bare and by EventBridge."""

import json

import pytest

from engine.intake.alerts import read_alerts
from engine.model.errors import BadRequest
from tests.intake.bodies import RECEIVED, at, cloudwatch_alarm, cloudwatch_event, sns_subscription

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


COMMAND = (
    "aws sns confirm-subscription --region eu-west-1 --topic-arn arn:aws:sns:eu-west-1:123456789012:alarms "
    "--token 2336412f37fb687f5d51e6e241d09c80"
)


def test_a_subscription_of_aws_is_ignored_and_its_note_says_how_to_confirm_it():
    alert = read(sns_subscription())
    assert (alert.state, alert.title, alert.link) == ("ignored", "SubscriptionConfirmation", None)
    assert alert.note == (
        "The subscription to arn:aws:sns:eu-west-1:123456789012:alarms waits for confirmation by whoever administers "
        f"it: {COMMAND}"
    )


@pytest.mark.parametrize(
    "address",
    [
        None,
        "",
        "https://sns.eu-west-1.amazonaws.com.evil.example/?Token=1",
        "https://evil.example/sns.eu-west-1.amazonaws.com",
        "https://evil.example@sns.eu-west-1.amazonaws.com/",
        "https://sns.eu-west-1.amazonaws.com:8443/",
        "http://sns.eu-west-1.amazonaws.com/",
        "https://sns.us-east-1.amazonaws.com/",
        "https://[",
    ],
)
def test_a_subscription_with_another_address_is_not_to_be_confirmed(address):
    alert = read(sns_subscription(SubscribeURL=address))
    assert alert.state == "ignored"
    assert alert.note == (
        "A message asks to confirm arn:aws:sns:eu-west-1:123456789012:alarms, but its token or its address is none of "
        "AWS: confirm nothing."
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"Token": "$(reboot)"},
        {"Token": "2336412f; reboot"},
        {"Token": None},
        {"TopicArn": "arn:aws:sns:eu-west-1:123456789012:alarms; reboot"},
        {"TopicArn": "arn:aws:sqs:eu-west-1:123456789012:alarms"},
        {"TopicArn": ["arn"]},
    ],
)
def test_what_an_operator_may_paste_holds_nothing_but_a_topic_and_a_token(changes):
    alert = read(sns_subscription(**changes))
    assert alert.state == "ignored"
    assert "confirm-subscription" not in alert.note
    assert "reboot" not in alert.note


def test_the_end_of_a_subscription_is_told():
    note = "The subscription to arn:aws:sns:eu-west-1:123456789012:alarms has ended: its alarms come here no more."
    assert read({**sns_subscription(), "Type": "UnsubscribeConfirmation"}).note == note


def test_an_event_brings_the_metric_its_dimensions_the_tags_and_a_way_back():
    event = cloudwatch_event()
    event["detail"]["previousState"] = {"value": "OK"}
    event["detail"]["alarmTags"] = {"severity": "P1", "service": "checkout"}
    event["detail"]["configuration"]["metrics"][0]["metricStat"]["metric"]["namespace"] = "AWS/SQS"
    event["detail"]["state"]["reasonData"] = (
        '{"version": "1.0", "recentDatapoints": [812.0, 640.5], "threshold": 100.0}'
    )
    alert = read(event)
    assert (alert.severity, alert.severity_given, alert.service) == ("critical", True, "checkout")
    assert alert.value == "812, 640.5"
    assert alert.note == "The alarm went from OK to ALARM."
    assert alert.link == (
        "https://eu-west-1.console.aws.amazon.com/cloudwatch/home?region=eu-west-1#alarmsV2:alarm/QueueDepth"
    )
    assert alert.labels == {
        "QueueName": "orders",
        "account": "123456789012",
        "metric": "Depth",
        "namespace": "AWS/SQS",
        "region": "eu-west-1",
        "service": "checkout",
        "severity": "P1",
    }


@pytest.mark.parametrize("data", ["{", "[1]", '{"recentDatapoints": {"a": 1}}', None, {"recentDatapoints": []}])
def test_datapoints_that_cannot_be_read_are_left_out(data):
    assert read(cloudwatch_event(reasonData=data)).value is None


@pytest.mark.parametrize(
    ("arn", "link"),
    [
        (
            "arn:aws-cn:cloudwatch:cn-north-1:1:alarm:A b",
            "https://cn-north-1.console.amazonaws.cn/cloudwatch/home?region=cn-north-1#alarmsV2:alarm/A%20%2F%23b",
        ),
        ("arn:aws-other:cloudwatch:x:1:alarm:A", None),
        ("arn:aws:cloudwatch:evil.example/:1:alarm:A", None),
        ("text", None),
    ],
)
def test_the_way_back_is_the_console_of_the_partition(arn, link):
    assert read(cloudwatch_alarm(AlarmArn=arn, AlarmName="A /#b")).link == link


def test_one_time_series_of_an_alarm_is_noted_on_it():
    event = cloudwatch_event()
    event["detail-type"] = "CloudWatch Alarm Contributor State Change"
    event["detail"]["alarmContributor"] = {"id": "6d44", "attributes": {"TableName": "orders", "Index": "all"}}
    alert = read(event)
    assert (alert.state, alert.dedupe_key, alert.note) == ("update", KEY, "TableName=orders, Index=all: ALARM")


def test_a_change_of_configuration_is_no_alarm():
    event = cloudwatch_event(value="ALARM")
    event["detail-type"] = "CloudWatch Alarm Configuration Change"
    alert = read(event)
    assert (alert.state, alert.title) == ("ignored", "CloudWatch Alarm Configuration Change")
    assert alert.event_id == "cloudwatch:c4c1c1c9-6542-e61b-6ef0-8c4d36933a92"


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
