"""Messages of AWS SNS: which bodies are one, and what those that carry no alarm ask of an operator.

Nothing is ever fetched on behalf of a message. A subscription is confirmed by an operator, with a command whose parts
were checked: topic and token have their form, and the address in the message is AWS's own in the topic's region.
"""

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from engine.intake.values import plain

KINDS = ("Notification", "SubscriptionConfirmation", "UnsubscribeConfirmation")
DOMAINS = {"aws": "amazonaws.com", "aws-us-gov": "amazonaws.com", "aws-cn": "amazonaws.com.cn"}

_TOPIC = re.compile(r"arn:(aws|aws-us-gov|aws-cn):sns:([a-z0-9-]{1,30}):\d{12}:[\w.-]{1,256}", re.ASCII)
_TOKEN = re.compile(r"[0-9A-Fa-f]{8,640}")


def is_message(body: Mapping[str, object]) -> bool:
    return "TopicArn" in body and body.get("Type") in KINDS


def task(body: Mapping[str, object]) -> str:
    """What an operator should know or do about a message that is no alarm."""
    topic = _TOPIC.fullmatch(plain(body["TopicArn"]) or "")
    if body["Type"] == "Notification":
        return "The message is not an alarm."
    if topic is None:
        return "The topic is none of AWS: there is nothing to confirm."
    if body["Type"] == "UnsubscribeConfirmation":
        return f"The subscription to {topic[0]} has ended: its alarms come here no more."
    token = _TOKEN.fullmatch(plain(body.get("Token")) or "")
    if token is None or not _is_aws(body.get("SubscribeURL"), DOMAINS[topic[1]], topic[2]):
        return f"A message asks to confirm {topic[0]}, but its token or its address is none of AWS: confirm nothing."
    return (
        f"The subscription to {topic[0]} waits for confirmation by whoever administers it: "
        f"aws sns confirm-subscription --region {topic[2]} --topic-arn {topic[0]} --token {token[0]}"
    )


def _is_aws(address: object, domain: str, region: str) -> bool:
    try:
        parts = urlsplit(plain(address) or "")
        return (parts.scheme, parts.netloc) == ("https", f"sns.{region}.{domain}")
    except ValueError:
        return False
