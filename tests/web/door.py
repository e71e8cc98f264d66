"""A console behind which every caller has the right credential: what is asked of it is judged by its answers alone."""

import hmac
import io
from hashlib import sha256

from engine.store.schema.outputs import credentials
from engine.web.admission.credentials import digest, new_secret
from engine.web.handlers.evidence.assessors import EXPORTS
from tests.conftest import NOW
from tests.web.answers import route_of

CHAT_SECRET, LEMON_SECRET, CRON_SECRET = "chat-secret", "lemon-secret", "cron-secret"
PREFIXES = {"ingest": "svc_ingest_", "assessor": "svc_ca_"}


def issue_token(store, kind):
    """A token of acme that is valid for everything that its kind opens."""
    secret = new_secret(kind)
    with store.revision("acme", "setup", now=NOW) as revision:
        revision.insert(
            credentials,
            [
                {
                    "id": f"token-{kind}",
                    "kind": kind,
                    "label": kind,
                    "owner": "owner@acme.example",
                    "prefix": PREFIXES[kind],
                    "last_four": secret[-4:],
                    "secret_sha256": digest(secret),
                    "created_at": NOW,
                    "allowed": list(EXPORTS) if kind == "assessor" else None,
                }
            ],
        )
        revision.record("token.created")
    return secret


class Door:
    """A WSGI application: the console's, with the credential that the route asks for."""

    def __init__(self, console, cookie, bank):
        self.console, self.cookie, self.bank = console, cookie, bank
        self.tokens = {kind: issue_token(console.services.store, kind) for kind in PREFIXES}

    def __call__(self, environ, start_response):
        length = int(environ.get("CONTENT_LENGTH") or 0)
        body = environ["wsgi.input"].read(length)
        route = route_of(environ["REQUEST_METHOD"], environ["PATH_INFO"])
        given = self.credential(route.access.code, environ["PATH_INFO"], body) if route else {}
        sent = {
            name: value
            for name, value in environ.items()
            if name not in ("HTTP_AUTHORIZATION", "HTTP_COOKIE", "HTTP_X_SVC_API_KEY")
        }
        sent |= {f"HTTP_{name}": value for name, value in given.items()}
        answer = self.console.wsgi({**sent, "wsgi.input": io.BytesIO(body)}, start_response)
        whole = b"".join(answer)
        if hasattr(answer, "close"):
            answer.close()
        return [whole]

    def credential(self, code, path, body):
        """The headers that let in, by the route's kind of access."""
        if code == "ING":
            return {"AUTHORIZATION": f"Bearer {self.tokens['ingest']}"}
        if code == "ASR":
            return {"AUTHORIZATION": f"Bearer {self.tokens['assessor']}"}
        if code.startswith("CRON"):
            return {"AUTHORIZATION": f"Bearer {CRON_SECRET}"}
        if code == "SIG":
            return self.signature(path, body)
        return {} if code == "none" else {"COOKIE": f"svc_session={self.cookie}"}

    def signature(self, path, body):
        """What the provider of a webhook signs with."""
        if path.endswith("/paypal"):
            _, headers = self.bank.webhook("any", {}, body=body)
            return {name.upper(): value for name, value in headers.items()}
        if path.endswith("/lemonsqueezy"):
            return {"X_SIGNATURE": hmac.new(LEMON_SECRET.encode(), body, sha256).hexdigest()}
        stamp = str(int(NOW.timestamp()))
        signed = hmac.new(CHAT_SECRET.encode(), f"v0:{stamp}:".encode() + body, sha256).hexdigest()
        return {"X_CHAT_SIGNATURE": f"v0={signed}", "X_CHAT_REQUEST_TIMESTAMP": stamp}
