"""Every digest leaves through a real SMTP server, a chat service and a signed HTTPS webhook, each once."""

import socket
import ssl
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from standardwebhooks.webhooks import Webhook

from engine.delivery import drain
from engine.delivery.outside import Outside
from engine.delivery.webhook import new_secret
from engine.digests import deliver
from engine.runtime.settings import Settings
from engine.store.queries.sending.deliveries import set_endpoint
from engine.store.schema.organizations import organization_settings, users
from reports.digests import DIGESTS
from tests.conftest import NOW
from tests.delivery.conftest import authority, chat, hooks, mailbox  # noqa: F401 - fixtures
from tests.delivery.world import HOST, PUBLIC, URL
from tests.digests.conftest import action, evidence_requests, request, staffing_actions


@pytest.fixture
def outside(house, authority, chat, hooks, mailbox):  # noqa: F811 - fixtures
    house.environment |= {
        "SVC_SMTP_URL": f"smtp://127.0.0.1:{mailbox.port}",
        "SVC_CHAT_WEBHOOK_URL": f"{chat.url}/services/x",
    }
    plain = Outside.of(Settings.of(house.environment))
    return replace(
        plain,
        trust=lambda: ssl.create_default_context(cafile=authority[0]),
        resolve=lambda host, port: [PUBLIC if host == HOST else host],
        connect=lambda address, port: socket.create_connection(
            ("127.0.0.1", hooks.port) if address == PUBLIC else (address, port), timeout=5
        ),
    )


@pytest.mark.real
def test_every_digest_is_delivered_once(house, outside, chat, hooks, mailbox):  # noqa: F811 - fixtures
    secret, now = new_secret(), datetime.now(UTC)
    no_quiet = [{"name": f"quiet_{name}_hour", "value": 7} for name in ("from", "until")]
    for channel, address, secrets in (("chat", "#compliance", []), ("webhook", URL, [secret])):
        house.store.write("acme", "t", lambda r, c=channel, a=address, s=secrets: set_endpoint(r, c, a, s), now=now)
    house.write(
        (evidence_requests, [request(1, opened_on=now.date() - timedelta(days=10))]),
        (staffing_actions, [action(1)]),
        (organization_settings, no_quiet),
    )
    for _ in range(2):
        for digest in DIGESTS:
            deliver(house.services, digest, "acme", "t", now=now, send_empty=True)
    expected = Counter(row["channel"] for row in house.rows())
    assert (expected["chat"], expected["webhook"]) == (6, 12)
    told = sorted({row["recipient"] for row in house.rows(channel="email")})
    house.write((users, [{"email": email, "preferences": {"mails_apart": True}} for email in told]))
    assert drain(house.services, now=now, outside=outside).sent == expected.total()
    assert drain(house.services, now=now, outside=outside).attempts == 0
    kinds = {row["id"]: row["kind"] for row in house.rows(status="sent")}
    told = []
    for _, headers, body in hooks.requests:
        said = Webhook(secret).verify(body, headers)
        told.append((kinds[headers["webhook-id"]], said["report"], said["organization"]["id"]))
    assert sorted(told) == sorted((digest.name, digest.report.name, "acme") for digest in DIGESTS)
    assert len(mailbox.mails) == expected["email"] == len({mail["Message-ID"] for _, _, mail in mailbox.mails})
    mail = next(
        one
        for _, _, one in mailbox.mails
        if one["To"] == "ann@acme.example" and "Evidence request SLA" in one["Subject"]
    )
    text, html = mail.get_body(("plain",)).get_content(), mail.get_body(("html",)).get_content()
    assert "For you: 1 overdue. Begin with R1" in text
    assert "Sample 1" in html
    assert all(body["text"] and body["blocks"] for body in chat.bodies)


@pytest.mark.real
def test_what_is_owed_to_a_person_on_a_day_comes_as_one_mail(house, outside, mailbox):  # noqa: F811 - fixtures
    now = NOW
    house.write((evidence_requests, [request(1)]), (staffing_actions, [action(1)]))
    for digest in DIGESTS:
        deliver(house.services, digest, "acme", "scheduler", now=now, scheduled=True)
    expected = Counter(row["recipient"] for row in house.rows(channel="email"))
    assert expected["ann@acme.example"] > 1
    assert drain(house.services, now=now + timedelta(minutes=5), outside=outside).attempts == 0
    assert drain(house.services, now=now + timedelta(minutes=11), outside=outside).sent == expected.total()
    assert sorted(mail["To"] for _, _, mail in mailbox.mails) == sorted(expected)
    mail = next(one for _, _, one in mailbox.mails if one["To"] == "ann@acme.example")
    text, html = mail.get_body(("plain",)).get_content(), mail.get_body(("html",)).get_content()
    assert f"Today there are {expected['ann@acme.example']} messages for you:" in text
    assert "SLA reminders" in mail["Subject"]
    assert (html.count("<html"), html.count("Open the whole report")) == (1, expected["ann@acme.example"])
