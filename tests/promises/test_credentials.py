"""Each kind of credential on each route of the table: it opens the doors that the interface names, and no other."""

from dataclasses import replace

import pytest

import api
from engine.web.admission.limits import Limiter
from engine.web.http import Response
from tests.conftest import NOW
from tests.promises.conftest import CRON, settings_of
from tests.web.admission.test_access import keep
from tests.web.client import Client
from tests.web.conftest import ROLES

ROLE_CODES = {"S(owner, admin)": ("owner", "admin"), "S(owner, admin, operator)": ("owner", "admin", "operator")}
SIGNATURES = {
    "x_signature": "0" * 64,
    "x_chat_signature": "v0=" + "0" * 64,
    "x_chat_request_timestamp": str(int(NOW.timestamp())),
}


def opens(code, credential):
    """Whether the interface lets this credential through a door with this code."""
    kind, _, role = credential.partition(" ")
    if code in ("none", "S or limited per address"):
        return True
    if code in ("S", "KEY") and kind == "session":
        return True
    if code in ROLE_CODES:
        return kind == "session" and role in ROLE_CODES[code]
    if code == "PADM":
        return credential == "session owner"
    kinds = {"ING": "ingest", "ASR": "assessor", "KEY": "api_key"}
    return credential.startswith("cron") if code.startswith("CRON") else kind == kinds.get(code)


@pytest.fixture
def headers_by_credential(with_people, console):
    """Headers by the credential that they carry."""
    credential = {"nothing": {}, "signature": dict(SIGNATURES), "cron": {"authorization": f"Bearer {CRON}"}}
    for role in ROLES:
        token = console.gate.sessions.issue(f"{role}@acme.example", "acme", now=NOW)
        credential[f"session {role}"] = {"session": token}
        if role == "owner":
            credential["token of a session as bearer"] = {"authorization": f"Bearer {token}"}
    for kind in ("api_key", "ingest", "assessor"):
        secret = keep(with_people, kind)
        credential[kind] = {"authorization": f"Bearer {secret}"}
        credential[f"session of {kind}"] = {"session": secret}
    credential["api_key in its header"] = {
        "x_svc_api_key": credential["api_key"]["authorization"].removeprefix("Bearer ")
    }
    return credential


@pytest.fixture
def environment(tmp_path):
    # without a language model: with one the copilot wants a session
    own = {"SVC_CHAT_SIGNING_SECRET": "chat", "SVC_LEMONSQUEEZY_SIGNING_SECRET": "lemon", "SVC_LLM_API_KEY": ""}
    return {**settings_of(tmp_path), **own}


def test_each_credential_opens_exactly_its_doors(headers_by_credential, console, clock, monkeypatch):
    """A handler is never reached: what is asked is only who is let in."""
    reached = []

    def handle(*_):
        reached.append(1)
        return Response(status=204)

    monkeypatch.setattr("engine.web.computing.Computing.handle", handle)
    wrong, asked = [], 0
    for route in api.ROUTES:
        path = route.path.replace("{id}", "workbook" if route.access.code == "ASR" else "some").replace("*", "some")
        for credential, headers in headers_by_credential.items():
            console.gate = replace(console.gate, limiter=Limiter("memory://"))
            headers = dict(headers)
            client = Client(console, headers.pop("session", None))
            client.declared = False
            reached.clear()
            answer = client.call(route.method, path, {} if route.method != "GET" else b"", **headers)
            let_in = bool(reached) or answer.status not in (401, 403)
            asked += 1
            if let_in != expected_status(route.access.code, credential):
                wrong.append((route.method, route.path, route.access.code, credential, answer.status))
    assert wrong == []
    assert asked == len(api.ROUTES) * len(headers_by_credential) == 172 * 15


def expected_status(code, credential):
    if credential in ("session of api_key", "session of ingest", "session of assessor", "token of a session as bearer"):
        credential = "nothing"
    return opens(code, credential)
