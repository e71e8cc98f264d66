"""Signatures of inbound messages, checked over the raw body before anything reads it."""

import hmac
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from hashlib import sha256

from engine.model.errors import Unauthorized

WINDOW_SECONDS = 300
# our own names, and those that Slack itself sends
CHAT_HEADERS = (
    ("x-chat-signature", "x-chat-request-timestamp"),
    ("x-slack-signature", "x-slack-request-timestamp"),
)


def check_chat(secrets: Sequence[str], headers: Mapping[str, str], body: Callable[[], bytes], *, now: datetime) -> None:
    """Slack's scheme v0: ``v0=`` and the hex HMAC-SHA256 of ``v0:timestamp:body``, at most five minutes off.

    Several secrets may be configured while one is rotated; none configured means that no signature is right.
    """
    refused = Unauthorized(
        "The signature is missing, wrong or too old: X-Chat-Signature must be v0=… over v0:timestamp:body.",
        word="invalid_signature",
    )
    names = next((pair for pair in CHAT_HEADERS if pair[0] in headers), CHAT_HEADERS[0])
    given, stamp = headers.get(names[0], ""), headers.get(names[1], "")
    if not secrets or not (stamp.isascii() and stamp.isdigit() and len(stamp) <= 12) or not given.isascii():
        raise refused
    if abs(now.timestamp() - int(stamp)) > WINDOW_SECONDS:
        raise refused
    signed = b"v0:" + stamp.encode() + b":" + body()
    right = [f"v0={hmac.new(secret.encode(), signed, sha256).hexdigest()}" for secret in secrets]
    if not any(hmac.compare_digest(one, given) for one in right):
        raise refused
