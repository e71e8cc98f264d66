"""Webhooks of organizations, signed after Standard Webhooks: POST of the payload as JSON, to a public HTTPS address.

webhook-id: dlv_9f86d081884c7d65         the same on every attempt
webhook-timestamp: 1795161600            of this attempt
webhook-signature: v1,K5oZ…= v1,Zk1b…=   HMAC-SHA256 over id.timestamp.body; two while the secret is rotated
x-svc-signed-head: aHEvYWNtZQo4…         the newest signed head: base64 of a tlog-checkpoint
"""

import base64
import hmac
import http.client
import secrets
import ssl
from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256

from engine.delivery.addresses import AddressRefusal, WebhookTarget
from engine.delivery.backoff import retry_after
from engine.delivery.outcome import SENT, Outcome
from engine.delivery.outside import Outside
from engine.delivery.post import post
from engine.model.errors import Problem
from engine.model.records import DeliveryRow
from engine.runtime.heads.signed_heads import HEADER
from engine.store.queries.sending.deliveries import Endpoint
from engine.store.types import canonical_json

PREFIX = "whsec_"
SLOW_DOWN = (429, 502, 503, 504)


def new_secret() -> str:
    """A signing secret: the prefix and 256 random bits."""
    return PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def signatures(keys: Sequence[str], message_id: str, timestamp: int, body: bytes) -> str:
    """The header's value: one ``v1`` signature for each secret."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    made = (hmac.digest(base64.b64decode(key[len(PREFIX) :]), signed, sha256) for key in keys)
    return " ".join("v1," + base64.b64encode(one).decode() for one in made)


def send(
    outside: Outside, row: DeliveryRow, endpoint: Endpoint | None, *, now: datetime, head: str | None = None
) -> Outcome:
    """Post the payload to the organization's webhook as it is set now; what went to an earlier one is dropped."""
    if endpoint is None or endpoint.address != row["recipient"]:
        return Outcome("skipped", "The organization's webhook leads elsewhere now.")
    if endpoint.disabled:
        return Outcome("skipped", "The organization's webhook is switched off.")
    if not endpoint.secrets:
        return Outcome("skipped", "The organization's webhook has no signing secret.")
    try:
        keys = [outside.keys.open(endpoint.address, stored) for stored in endpoint.secrets]
    except Problem as lost:
        return Outcome("retry", lost.message)
    body = canonical_json(row["payload"]).encode()
    timestamp = int(now.timestamp())
    headers = {
        "Content-Type": "application/json",
        "webhook-id": row["id"],
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signatures(keys, row["id"], timestamp, body),
        **({} if head is None else {HEADER: head}),
    }
    try:
        answer = post(outside, WebhookTarget.of(endpoint.address), headers, body, public=True)
    except AddressRefusal as refused:
        return Outcome("retry", f"The webhook was not called: {refused}")
    except ssl.SSLCertVerificationError:
        return Outcome("retry", "The webhook's certificate is not valid for its name.")
    except TimeoutError:
        return Outcome("retry", "The webhook did not answer in time.")
    except (OSError, http.client.HTTPException) as error:
        return Outcome("retry", f"The webhook could not be reached ({type(error).__name__}).")
    if 200 <= answer.status < 300:
        return SENT
    if answer.status == 410:
        return Outcome("failed", "The webhook answered 410: it is gone and was switched off.", gone=True)
    if 300 <= answer.status < 400:
        return Outcome("retry", f"The webhook answered {answer.status}: redirects are not followed.")
    wait = retry_after(answer.headers.get("retry-after"), now) if answer.status in SLOW_DOWN else None
    return Outcome("retry", f"The webhook answered {answer.status}.", retry_after=wait)
