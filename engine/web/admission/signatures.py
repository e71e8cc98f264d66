"""Signatures of inbound messages, checked over the raw body before anything reads it."""

import hmac
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from hashlib import sha256

from engine.model.errors import Unauthorized

WINDOW_SECONDS = 300
# our own names, and those that Slack itself sends
CHAT_HEADERS = (("X-Chat-Signature", "X-Chat-Request-Timestamp"), ("X-Slack-Signature", "X-Slack-Request-Timestamp"))


def check_chat(secrets: Sequence[str], headers: Mapping[str, str], body: Callable[[], bytes], *, now: datetime) -> None:
    """Slack's scheme v0: ``v0=`` and the hex HMAC-SHA256 of ``v0:timestamp:body``, at most five minutes off.

    Several secrets may be configured while one is rotated; none configured means that no signature is right.
    """
    signature, timestamp = next(
        (pair for pair in CHAT_HEADERS if any(name.lower() in headers for name in pair)), CHAT_HEADERS[0]
    )
    given, stamp = headers.get(signature.lower(), ""), headers.get(timestamp.lower(), "")
    expected = f"{signature} must be v0= and the hex HMAC-SHA256 of v0:{timestamp}:body"
    if not given:
        raise _refusal(f"The signature is missing: {expected}.")
    _check_time(timestamp, stamp, now)
    signed = b"v0:" + stamp.encode() + b":" + body()
    right = [f"v0={hmac.new(secret.encode(), signed, sha256).hexdigest()}" for secret in secrets]
    if not given.isascii() or not any(hmac.compare_digest(one, given) for one in right):
        raise _refusal(f"The signature is wrong: {expected}, with the timestamp that came and the secret set here.")


def _check_time(name: str, stamp: str, now: datetime) -> None:
    """Unauthorized, naming the header, for a timestamp that is missing, unreadable or too far from now."""
    expected = f"{name} must be the time of sending in seconds since 1970, at most {WINDOW_SECONDS} seconds from now"
    if not stamp:
        raise _refusal(f"The timestamp is missing: {expected}.")
    if not (stamp.isascii() and stamp.isdigit() and len(stamp) <= 12):
        raise _refusal(f"The timestamp cannot be read: {expected}; got {stamp[:20]!r}.")
    off = int(stamp) - int(now.timestamp())
    if abs(off) > WINDOW_SECONDS:
        way = "ahead" if off > 0 else "ago"
        raise _refusal(f"The timestamp is out of its time: {expected}; it is {abs(off):,} seconds {way}.")


def _refusal(text: str) -> Unauthorized:
    return Unauthorized(text, word="invalid_signature")
