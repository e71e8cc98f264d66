"""The kinds of credential, in the order of the interface. One of a kind never opens another's door."""

from collections.abc import Mapping

from engine.web.admission.access import Access
from engine.web.admission.sessions import COOKIE

SCHEMES: Mapping[str, Mapping[str, str]] = {
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": COOKIE,
        "description": "A browser session: a signed token with organization and expiry. Membership and role are "
        "read at each request. Platform administration asks that the address is on the configured list, too.",
    },
    "apiKey": {
        "type": "http",
        "scheme": "bearer",
        "description": "A user's API key, `svc_sk_…`: for the connectors alone.",
    },
    "apiKeyHeader": {
        "type": "apiKey",
        "in": "header",
        "name": "X-Svc-Api-Key",
        "description": "The same key in a header of its own.",
    },
    "ingestToken": {"type": "http", "scheme": "bearer", "description": "A workspace's ingest token, `svc_ingest_…`."},
    "ingestPassword": {
        "type": "http",
        "scheme": "basic",
        "description": "The ingest token as a password, for senders that know no bearer tokens, such as AWS SNS.",
    },
    "assessorToken": {
        "type": "http",
        "scheme": "bearer",
        "description": "An assessor's token, `svc_ca_…`: opens the exports that it names.",
    },
    "assessorPassword": {
        "type": "http",
        "scheme": "basic",
        "description": "The assessor's token as a password, for calendar clients: obligation-ics alone.",
    },
    "cronSecret": {
        "type": "http",
        "scheme": "bearer",
        "description": "The secret that is configured for this very route; where none is, nobody is let in.",
    },
    "chatSignature": {
        "type": "apiKey",
        "in": "header",
        "name": "X-Chat-Signature",
        "description": "`v0=` and the hex HMAC-SHA256 of `v0:timestamp:body`, with the timestamp in "
        "`X-Chat-Request-Timestamp`; Slack's own header names are read, too.",
    },
    "paypalSignature": {
        "type": "apiKey",
        "in": "header",
        "name": "PayPal-Transmission-Sig",
        "description": "PayPal's signature over transmission id, time, webhook id and checksum of the body.",
    },
    "lemonSqueezySignature": {
        "type": "apiKey",
        "in": "header",
        "name": "X-Signature",
        "description": "The hex HMAC-SHA256 of the body.",
    },
}


def security(access: Access) -> list[dict[str, list[str]]]:
    """The alternatives, any one of which lets in; an empty object is nobody in particular."""
    alternatives: list[dict[str, list[str]]] = [{}] if access.optional else []
    for name in access.credentials:
        alternatives.append({name: []})
    return alternatives
