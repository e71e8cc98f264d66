"""Signatures over alerts: our own scheme, and those of the monitors that sign what they send.

Each is the hex HMAC-SHA256 of the raw body, behind a time where there is one. Only ours always has a time: a body that
was signed without one can be sent again by whoever holds it and the token.
"""

import hmac
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

from engine.model.errors import Unauthorized
from engine.web.admission.signatures import WINDOW_SECONDS

GRAFANA_TIME = "x-grafana-alerting-timestamp"


class SignatureClaim(NamedTuple):
    """What a header claims: one of ``given`` signs ``before`` and the body; ``stamp`` is its time, None without one."""

    given: Sequence[str]
    before: str
    stamp: str | None


def _ours(header: str, headers: Mapping[str, str]) -> SignatureClaim:
    """``t=<seconds since 1970>,v1=<hex>``; several ``v1`` while a secret is rotated, and one time."""
    parts = [part.strip().partition("=") for part in header.split(",")]
    stamps = [value for name, _, value in parts if name == "t"]
    stamp = stamps[0] if len(stamps) == 1 else ""
    return SignatureClaim([value for name, _, value in parts if name == "v1"], f"{stamp}.", stamp)


def _pagerduty(header: str, headers: Mapping[str, str]) -> SignatureClaim:
    """``v1=<hex>,v1=<hex>``, one for each secret that is valid."""
    parts = [part.strip().partition("=") for part in header.split(",")]
    return SignatureClaim([value for name, _, value in parts if name == "v1"], "", None)


def _grafana(header: str, headers: Mapping[str, str]) -> SignatureClaim:
    """The hex alone; where a header for the time is configured, it stands before the body with a colon."""
    stamp = headers.get(GRAFANA_TIME)
    return SignatureClaim([header.strip()], "" if stamp is None else f"{stamp}:", stamp)


def _sentry(header: str, headers: Mapping[str, str]) -> SignatureClaim:
    """The hex alone."""
    return SignatureClaim([header.strip()], "", None)


# the first that is there counts
SCHEMES: Mapping[str, Callable[[str, Mapping[str, str]], SignatureClaim]] = {
    "x-svc-signature": _ours,
    "x-pagerduty-signature": _pagerduty,
    "x-grafana-alerting-signature": _grafana,
    "sentry-hook-signature": _sentry,
}


def check_alert(secrets: Sequence[str], headers: Mapping[str, str], body: bytes, *, now: datetime) -> None:
    """Unauthorized unless one of the secrets signed the body; nothing is checked where none is configured."""
    if not secrets:
        return
    name = next((name for name in SCHEMES if name in headers), None)
    if name is None or not _is_signed(SCHEMES[name](headers[name], headers), secrets, body, now):
        raise Unauthorized(
            "The signature of the alert is missing, wrong or too old: X-Svc-Signature must be t=…,v1=… over the raw "
            "body, or there must be that of PagerDuty, Grafana or Sentry, whose secret is configured here.",
            word="invalid_signature",
        )


def _is_signed(claim: SignatureClaim, secrets: Sequence[str], body: bytes, now: datetime) -> bool:
    if claim.stamp is not None and not _is_now(claim.stamp, now):
        return False
    signed = claim.before.encode() + body
    right = [hmac.new(secret.encode(), signed, sha256).hexdigest() for secret in secrets]
    return any(hmac.compare_digest(one, other) for one in right for other in claim.given if other.isascii())


def _is_now(stamp: str, now: datetime) -> bool:
    known = stamp.isascii() and stamp.isdigit() and len(stamp) <= 12
    return known and abs(now.timestamp() - int(stamp)) <= WINDOW_SECONDS
