"""A console behind its server while clients try to occupy it: health answers, and alerts are taken."""

import json

import pytest

from tests.web import attacks
from tests.web.conftest import NOW

pytestmark = pytest.mark.real

COOKIE = "svc_session="
REPORT = "/api/governance/compliance/executive-summary"


@pytest.fixture
def token(sign_in):
    return sign_in().post("/api/user/alert-ingest-tokens", {"label": "monitor"}).json["secret"]


@pytest.fixture
def cookie(console):
    return COOKIE + console.gate.sessions.issue("owner@acme.example", "acme", now=NOW)


@pytest.mark.parametrize(
    "attack",
    [
        lambda port, cookie: attacks.half_headers(port, 300),
        lambda port, cookie: attacks.half_bodies(port, 110),
        lambda port, cookie: attacks.slow_streams(port, 16),
        lambda port, cookie: attacks.reports_with_changing_parameters(port, cookie, 6),
        lambda port, cookie: attacks.readers_that_do_not_read(port, REPORT, cookie, 20),
    ],
    ids=["half-sent", "half-bodies", "slow-streams", "changing-parameters", "not-reading"],
)
def test_nobody_occupies_the_console(attack, server_port, token, cookie):
    alert = json.dumps({"title": "Disk full", "dedupe_key": "disk"}).encode()
    headers = (f"Authorization: Bearer {token}", "Content-Type: application/json")
    with attack(server_port, cookie):
        for _ in range(3):
            assert attacks.ask_once(server_port)[0] == 200
            status, _, body = attacks.ask_once(
                server_port, "/api/integrations/alerts", method="POST", headers=headers, body=alert
            )
            assert (status, json.loads(body)["received"]) == (200, 1)
