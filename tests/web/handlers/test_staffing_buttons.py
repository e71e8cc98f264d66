"""Buttons that take a staffing action up, or decline it: by whom, once, and what the store says afterwards."""

from datetime import UTC, date, datetime, timedelta

import pytest

from engine.automation.approvals import DECISIONS
from engine.programme import staffing
from engine.programme.staffing import COMPLETION, TAKE_UP, approval_id
from engine.store.queries.sending.deliveries import set_endpoint
from engine.store.schema.audit import audit_log
from engine.store.schema.automation import approvals
from engine.store.schema.controls import attestations
from engine.store.schema.organizations import organizations
from engine.store.schema.outputs import delivery_contents
from engine.store.schema.services import connections
from engine.store.schema.work import staffing_actions
from tests.conftest import NOW
from tests.digests.conftest import CONTROLS, TODAY, renewals
from tests.web.client import Client
from tests.web.handlers.test_approvals import CHAT, SECRET, click, sign, status_and_error, stored_rows

BASE = "/api/governance/compliance"
UNCHANGED = {"status": "proposed", "tracked_on": None}
TAKEN = {"status": "tracked", "tracked_on": TODAY}


@pytest.fixture
def environment(environment):
    mail = {"SVC_SMTP_URL": "smtp://127.0.0.1:2525", "SVC_SMTP_FROM": "hq@acme.example"}
    return {**environment, **mail, "SVC_CHAT_WEBHOOK_URL": "http://127.0.0.1:2526/x", "SVC_CHAT_SIGNING_SECRET": SECRET}


@pytest.fixture
def offer_in_chat(with_people):
    """In acme and other, whose chat users are named: a proposal for a member that the chat offers."""
    for org in ("acme", "other"):
        with with_people.revision(org, f"owner@{org}.example", now=NOW) as revision:
            names = {f"U{role.upper()}": f"{role}@{org}.example" for role in ("owner", "admin", "operator", "member")}
            revision.insert(
                connections,
                [
                    {
                        "id": "chat",
                        "kind": "chat",
                        "name": "Chat",
                        "settings": {"team_id": "T1", "members": names},
                        "created_by": f"owner@{org}.example",
                        "created_at": NOW,
                    }
                ],
            )
            revision.insert(
                staffing_actions,
                [
                    {
                        "id": "a1",
                        "week": "2026-W49",
                        "kind": "borrow",
                        "owner": f"member@{org}.example",
                        "relief_hours": 4.0,
                        "status": "proposed",
                        "proposed_on": date(2026, 11, 13),
                    }
                ],
            )
            staffing.ask(revision, TAKE_UP, ["a1"])
    return with_people


@pytest.fixture
def press(sign_in):
    """Press a button of the action in the chat; ``body`` sends what was pressed before."""

    def send(decision="approve", org="acme", kind=TAKE_UP, body=None, now=NOW, **more):
        body = body or click(f"{org}:{approval_id('acme', 'a1', kind)}:{decision}", **{"user": "UMEMBER", **more})
        return sign_in(None).post(CHAT, body, **sign(body, now=now))

    return send


def action(store, *names, org="acme"):
    (row,) = stored_rows(store, staffing_actions, org)
    return {name: row[name] for name in names or UNCHANGED}


def change(store, table, key, **values):
    with store.revision("acme", "t", now=NOW) as revision:
        assert revision.update(table, key, values)
        revision.record("records.changed")


@pytest.mark.parametrize("user", ["UMEMBER", "UOWNER", "UADMIN", "UOPERATOR"])
def test_a_proposal_is_taken_up_by_whoever_may_say_so(user, offer_in_chat, press):
    """The member owns the action; the others may decide anyhow."""
    answer = press(user=user)
    assert (answer.status, answer.body) == (200, b"")
    assert action(offer_in_chat) == TAKEN
    who, (approval,) = f"{user[1:].lower()}@acme.example", stored_rows(offer_in_chat, approvals)
    assert (approval["status"], approval["decided_by"], approval["decided_at"]) == ("approved", who, NOW)
    decided, taken = stored_rows(offer_in_chat, audit_log, order=("seq",))[-2:]
    assert (decided["action"], decided["actor"], decided["details"]) == (
        "approval.approved",
        who,
        {"channel": "chat", "chat_user": user, "kind": TAKE_UP, "subject": "a1"},
    )
    assert (taken["action"], taken["actor"], taken["object_id"]) == ("staffing.taken_up", who, "a1")
    assert offer_in_chat.verify("acme").ok


def test_a_declined_proposal_stays_one_and_that_is_in_the_audit(offer_in_chat, press):
    assert press("reject").status == 200
    assert action(offer_in_chat) == UNCHANGED
    (approval,) = stored_rows(offer_in_chat, approvals)
    assert (approval["status"], approval["decided_by"]) == ("rejected", "member@acme.example")
    (last,) = stored_rows(offer_in_chat, audit_log, order=("-seq",), limit=1)
    assert (last["action"], last["actor"], last["details"]["subject"]) == (
        "approval.rejected",
        "member@acme.example",
        "a1",
    )


@pytest.mark.parametrize(("first", "second"), [("approve", "reject"), ("reject", "approve"), ("approve", "approve")])
def test_it_is_decided_once(first, second, offer_in_chat, press):
    assert press(first).status == 200
    row = action(offer_in_chat)
    again = press(second, user="UOWNER", at="2.0")
    assert (again.status, again.json["approval"]["status"]) == (200, DECISIONS[first])
    assert action(offer_in_chat) == row


def test_a_replayed_button_changes_nothing(offer_in_chat, press):
    body = click(f"acme:{approval_id('acme', 'a1', TAKE_UP)}:approve", user="UMEMBER")
    assert press(body=body).status == 200
    head = offer_in_chat.head("acme")
    assert press(body=body).json["approval"]["status"] == "approved"
    assert press(body=body, now=NOW + timedelta(seconds=30)).json["approval"]["status"] == "approved"
    assert offer_in_chat.head("acme") == head


def test_a_member_may_not_take_up_what_is_somebody_elses(offer_in_chat, press):
    change(offer_in_chat, staffing_actions, {"id": "a1"}, owner="eve@acme.example")
    assert [status_and_error(press(word, at=word)) for word in ("approve", "reject")] == [(403, "role_required")] * 2
    assert action(offer_in_chat) == UNCHANGED


def test_who_helps_may_take_it_up(offer_in_chat, press):
    change(
        offer_in_chat,
        staffing_actions,
        {"id": "a1"},
        owner="eve@acme.example",
        assignee="bob@acme.example; Member@acme.example",
    )
    assert press().status == 200
    assert action(offer_in_chat) == TAKEN


def test_a_chat_user_whom_nobody_named_may_not(offer_in_chat, press):
    assert status_and_error(press(user="USTRANGER")) == (403, "unknown_chat_user")
    assert action(offer_in_chat) == UNCHANGED


@pytest.mark.parametrize("status", ["tracked", "open", "completed"])
def test_an_action_that_is_no_proposal_any_more_is_not_taken_up_again(status, offer_in_chat, press):
    change(offer_in_chat, staffing_actions, {"id": "a1"}, status=status, tracked_on=date(2026, 11, 16))
    assert status_and_error(press()) == (409, "not_proposed")
    assert action(offer_in_chat) == {"status": status, "tracked_on": date(2026, 11, 16)}
    assert stored_rows(offer_in_chat, approvals)[0]["status"] == "pending"


def test_an_action_that_is_gone_is_404(offer_in_chat, press):
    with offer_in_chat.revision("acme", "t", now=NOW) as revision:
        staffing.ask(revision, TAKE_UP, ["a2"])
    body = click(f"acme:{approval_id('acme', 'a2', TAKE_UP)}:approve", user="UOWNER")
    assert status_and_error(press(body=body)) == (404, "not_found")


def test_the_button_of_one_organization_decides_nothing_in_another(offer_in_chat, press):
    """The same action there has an approval of its own, and acme's is not known to it."""
    heads = [offer_in_chat.head(org) for org in ("acme", "other")]
    assert status_and_error(press(org="other", user="UOWNER")) == (404, "not_found")
    assert [offer_in_chat.head(org) for org in ("acme", "other")] == heads
    assert press().status == 200
    assert (action(offer_in_chat), action(offer_in_chat, org="other")) == (TAKEN, UNCHANGED)


@pytest.mark.parametrize(
    ("zone", "at", "expected"),
    [
        ("UTC", datetime(2026, 12, 6, 23, 59, tzinfo=UTC), (200, date(2026, 12, 6))),  # the Sunday that ends W49
        ("UTC", datetime(2026, 12, 7, 0, 0, tzinfo=UTC), (409, None)),
        ("Pacific/Auckland", datetime(2026, 12, 6, 10, 59, tzinfo=UTC), (200, date(2026, 12, 6))),
        ("Pacific/Auckland", datetime(2026, 12, 6, 11, 0, tzinfo=UTC), (409, None)),
        ("America/New_York", datetime(2026, 12, 7, 4, 59, tzinfo=UTC), (200, date(2026, 12, 6))),
        ("America/New_York", datetime(2026, 12, 7, 5, 0, tzinfo=UTC), (409, None)),
    ],
)
def test_it_is_taken_up_on_the_business_day_until_its_peak_week_is_over(
    zone, at, expected, offer_in_chat, press, clock
):
    change(offer_in_chat, organizations, {}, time_zone=zone)
    clock.move_to(at)
    answer = press(now=at)
    assert (answer.status, action(offer_in_chat)["tracked_on"]) == expected
    assert (answer.status == 200) == (action(offer_in_chat)["status"] == "tracked")
    if answer.status == 409:
        assert status_and_error(answer) == (409, "week_over")
        assert stored_rows(offer_in_chat, approvals)[0]["status"] == "pending"


def test_a_proposal_is_not_completed_before_it_is_taken_up(offer_in_chat, press):
    with offer_in_chat.revision("acme", "t", now=NOW) as revision:
        staffing.ask(revision, COMPLETION, ["a1"])
    assert status_and_error(press(kind=COMPLETION)) == (409, "not_under_way")
    assert press().status == 200
    assert press(kind=COMPLETION, at="3.0").status == 200
    assert action(offer_in_chat, "status", "tracked_on", "completed_on", "evidence") == {
        "status": "completed",
        "tracked_on": TODAY,
        "completed_on": TODAY,
        "evidence": f"approval {approval_id('acme', 'a1')}",
    }


@pytest.mark.real
def test_from_the_digest_to_the_archive(offer_in_chat, press, console, clock):
    """Proposed by the digest, taken up in the chat, open with its week, reminded of, completed in the chat."""
    offer_in_chat.write("acme", "t", lambda revision: set_endpoint(revision, "chat", "#compliance", []), now=NOW)
    with offer_in_chat.revision("acme", "t", now=NOW) as revision:
        people = ("ann",) * 20 + ("bob", "eve")
        revision.insert(
            attestations,
            [
                {**renewals(1, f"{name}@acme.example")[0], **CONTROLS[number], "id": f"d{number}"}
                for number, name in enumerate(people)
            ],
        )
        revision.record("records.prepared")
    said = []

    def owner():
        return Client(console, console.gate.sessions.issue("owner@acme.example", "acme", now=datetime.now(UTC)))

    def status():
        rows = owner().get(f"{BASE}/staffing-actions").json["actions"]
        return {row["action_id"]: (row["status"], row["standing"]) for row in rows if row["action_id"] != "a1"}

    def button(text):
        blocks = [block for row in stored_rows(offer_in_chat, delivery_contents) for block in row["blocks"] or ()]
        parts = [part for block in blocks if block["type"] == "actions" for part in block["elements"]]
        (value,) = {part["value"] for part in parts if part["text"]["text"] == text}
        return click(value, user="UADMIN", at=text)

    assert owner().post(f"{BASE}/peak-week-staffing-digest").json["outcome"] == "delivered"
    said.append(status())
    assert press(body=button("Take it up")).status == 200
    said.append(status())
    clock.move_to(monday := datetime(2026, 11, 30, 9, 0, tzinfo=UTC))
    said.append(status())
    assert owner().post(f"{BASE}/staffing-completion-rollup").json["outcome"] == "delivered"
    (key,) = said[0]
    assert {row["id"]: row["status"] for row in stored_rows(offer_in_chat, staffing_actions)} == {
        "a1": "proposed",
        key: "open",
    }
    clock.move_to(later := monday + timedelta(days=8))
    assert owner().post(f"{BASE}/staffing-action-reminders").json["outcome"] == "delivered"
    assert press(body=button("Mark as completed"), now=later).status == 200
    said.append(status())
    assert [one[key] for one in said] == [
        ("proposed", "proposed"),
        ("tracked", "under_way"),
        ("open", "under_way"),
        ("completed", "done_on_time"),
    ]
    archive = owner().get(f"{BASE}/staffing-completion-rollup").json["archive"]
    assert [(row["action_id"], row["completed_on"]) for row in archive] == [(key, "2026-12-08")]
