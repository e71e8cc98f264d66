"""`hq unsubscribe`: somebody who wrote gets no more of that mail, and of nothing else."""

import io
import json
import sys
from contextlib import closing
from datetime import UTC, datetime

import pytest

from engine.delivery import Message, enqueue
from engine.delivery.unsubscribe import Unsubscribing
from engine.store import Store
from engine.store.rows import many
from engine.store.schema.organizations import users


@pytest.fixture
def token(acme):
    """The token of a mail with two digests to Bob."""
    messages = [
        Message(kind, "2026-W47", "email", "bob@acme.example", "hash", "Title", {}, "Text")
        for kind in ("sla-reminders", "compliance-digest")
    ]
    with closing(Store(f"sqlite:///{acme / 'var' / 'hq.db'}")) as store:
        queued = store.write("acme", "t", lambda revision: enqueue(revision, messages), now=datetime.now(UTC))
    return Unsubscribing("", acme / "var" / "signing.key").token([row["id"] for row in queued])


def preferences(acme):
    with closing(Store(f"sqlite:///{acme / 'var' / 'hq.db'}")) as store, store.reader() as connection:
        return {row["email"]: row["preferences"] for row in many(connection, users, "acme")}


def test_a_token_switches_its_mails_off_for_whoever_got_them(acme, cli, token):
    code, out, _ = cli("unsubscribe", token)
    assert (code, out.splitlines()) == (
        0,
        [
            "bob@acme.example gets no more compliance-digest of acme by e-mail",
            "bob@acme.example gets no more sla-reminders of acme by e-mail",
        ],
    )
    off = {"compliance_digest_email": False, "sla_reminders_email": False}
    assert preferences(acme) == {"bob@acme.example": off}
    assert cli("unsubscribe", token)[0] == 0
    assert preferences(acme) == {"bob@acme.example": off}


def test_a_mail_on_standard_input_is_searched_for_tokens(acme, cli, token, monkeypatch):
    mail = f"From: bob@acme.example\nSubject: unsubscribe {token}\n\nthanks\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(mail))
    assert cli("unsubscribe", "-")[0] == 0
    assert list(preferences(acme)) == ["bob@acme.example"]


@pytest.mark.parametrize("change", [lambda text: text[:-1] + ("A" if text[-1] != "A" else "g"), lambda text: "hqu1.x"])
def test_what_we_did_not_sign_changes_nothing(acme, cli, token, change):
    code, out, err = cli("unsubscribe", token, change(token))
    assert (code, out, preferences(acme)) == (2, "", {})
    assert err.startswith("hq: ")


def test_a_mail_without_a_token_is_wrong_usage(acme, cli, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("Subject: hello\n"))
    assert cli("unsubscribe", "-")[0] == 2


def test_who_was_erased_meanwhile_gets_no_profile(acme, cli, token):
    assert cli("erase", "--org", "acme", "--person", "bob@acme.example")[0] == 0
    code, out, _ = cli("unsubscribe", token)
    assert (code, "nothing to switch off" in out) == (0, True)
    assert "bob@acme.example" not in json.dumps(preferences(acme))
