"""Decisions from the chat service: signed, mapped to a member, once; and suggestions that go into review."""

from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

import msgspec
import pytest

from engine.store import rows
from engine.store.schema.audit import audit_log
from engine.store.schema.automation import approvals, policies
from engine.store.schema.organizations import memberships
from engine.store.schema.services import connections
from tests.conftest import NOW

CHAT = "/api/integrations/slack/approvals"
PROMOTE = "/api/approvals/policy-suggestions/promote"
SECRET = "8f742231b10e8888abcd99yyyzzz85a5"
FREEZE = {
    "id": "freeze",
    "when": {"field": "time.date", "op": "ge", "value": "2026-12-18"},
    "effect": "deny",
    "message": "Frozen.",
}
SUGGESTION = {"playbook": "rotate-key", "title": "Freeze", "rules": [FREEZE], "rationale": "Three blocks last week."}
FORM = "application/x-www-form-urlencoded"


@pytest.fixture
def environment(environment):
    return {**environment, "SVC_CHAT_SIGNING_SECRET": f"older, {SECRET}"}


@pytest.fixture
def mapped_users(with_people):
    """The owner named the chat users of acme; other has a connection of its own."""
    for org in ("acme", "other"):
        with with_people.revision(org, f"owner@{org}.example", now=NOW) as revision:
            members = {f"U{role.upper()}": f"{role.title()}@{org}.example" for role in ("owner", "admin", "member")}
            row = {
                "id": "chat",
                "kind": "chat",
                "name": "Chat",
                "settings": {"team_id": "T1", "members": members},
                "created_by": f"owner@{org}.example",
                "created_at": NOW,
            }
            revision.insert(connections, [row])
            revision.record("import.completed")
    return with_people


@pytest.fixture
def pending(mapped_users, sign_in):
    answer = sign_in("operator@acme.example").post(PROMOTE, {"suggestion": SUGGESTION})
    assert answer.status == 201, answer.body
    return answer.json


def click(value, user="UOWNER", at="1.000100", workspace=None, **more):
    action = {"type": "button", "action_id": "decide", "action_ts": at, "value": value}
    payload = {
        "type": "block_actions",
        "user": {"id": user, "username": "x", "team_id": workspace},
        "team": {"id": "T1"},
        "trigger_id": "1.2.abc",
        "response_url": "https://hooks.slack.com/x",
        "actions": [action],
        **more,
    }
    return urlencode({"payload": msgspec.json.encode(payload).decode()}).encode()


def sign(body, secret=SECRET, now=NOW):
    verifier = pytest.importorskip("slack_sdk.signature").SignatureVerifier(secret)
    stamp = str(int(now.timestamp()))
    signature = verifier.generate_signature(timestamp=stamp, body=body)
    return {"x_chat_signature": signature, "x_chat_request_timestamp": stamp}


@pytest.fixture
def send(sign_in):
    def post(body, **headers):
        return sign_in(None).post(CHAT, body, **(headers or sign(body)))

    return post


def stored_rows(store, table, org="acme", **where):
    with store.reader() as connection:
        return rows.many(connection, table, org, **where)


def refused_clicks(store):
    found = stored_rows(store, audit_log, action="approval.decision.refused", order=("seq",))
    return [(row["actor"], row["outcome"], row["details"]["decision"], row["details"]["reason"]) for row in found]


def status_and_error(answer):
    return answer.status, answer.json["error"]


def test_a_click_signed_by_the_public_sdk_approves_and_the_draft_becomes_active(pending, mapped_users, send):
    answer = send(click(pending["approval"]["actions"]["approve"]))
    assert (answer.status, answer.body) == (200, b"")
    (row,) = stored_rows(mapped_users, approvals)
    assert (row["status"], row["decided_by"], row["decided_at"]) == ("approved", "owner@acme.example", NOW)
    (policy,) = stored_rows(mapped_users, policies)
    assert (policy["state"], policy["accepted_by"]) == ("active", "owner@acme.example")
    approved, published = stored_rows(mapped_users, audit_log, order=("seq",))[-2:]
    assert (approved["action"], approved["actor"], approved["object_id"]) == (
        "approval.approved",
        "owner@acme.example",
        row["id"],
    )
    assert approved["details"] == {"channel": "chat", "chat_user": "UOWNER", "kind": "policy", "subject": policy["id"]}
    assert published["action"] == "policy.published"
    assert mapped_users.verify("acme").ok


def test_a_rejection_leaves_the_draft_and_is_audited(pending, mapped_users, send):
    assert send(click(pending["approval"]["actions"]["reject"], user="UADMIN")).status == 200
    assert stored_rows(mapped_users, approvals)[0]["status"] == "rejected"
    assert stored_rows(mapped_users, policies)[0]["state"] == "draft"
    assert stored_rows(mapped_users, audit_log, order=("-seq",), limit=1)[0]["action"] == "approval.rejected"


def test_an_approval_is_decided_once_and_another_click_is_told_the_earlier_decision(pending, mapped_users, send):
    values = pending["approval"]["actions"]
    assert send(click(values["reject"])).status == 200
    answer = send(click(values["approve"], user="UADMIN", at="2.0"))
    assert (answer.status, answer.json) == (
        200,
        {
            "text": "The approval was rejected by owner@acme.example; it is decided once.",
            "response_type": "ephemeral",
            "replace_original": False,
            "approval": {
                "id": pending["approval"]["id"],
                "status": "rejected",
                "decided_by": "owner@acme.example",
                "decided_at": "2026-11-20T08:30:00Z",
            },
        },
    )
    assert refused_clicks(mapped_users) == [("admin@acme.example", "denied", "approve", "already_decided")]
    assert stored_rows(mapped_users, approvals)[0]["status"] == "rejected"


def test_the_same_message_again_changes_nothing_and_is_told_the_decision(pending, mapped_users, send):
    body = click(pending["approval"]["actions"]["approve"])
    assert send(body).status == 200
    before = mapped_users.head("acme")
    for again in (send(body), send(body, **sign(body, now=NOW + timedelta(seconds=30)))):
        assert (again.status, again.json["approval"]["status"]) == (200, "approved")
    assert mapped_users.head("acme") == before


def test_an_older_secret_still_counts_during_rotation(pending, send):
    body = click(pending["approval"]["actions"]["approve"])
    assert send(body, **sign(body, "older")).status == 200


def test_the_headers_of_slack_itself_are_understood(pending, send):
    body = click(pending["approval"]["actions"]["approve"])
    headers = {name.replace("chat", "slack"): value for name, value in sign(body).items()}
    assert send(body, **headers).status == 200


@pytest.mark.parametrize("seconds", [-300, 300])
def test_five_minutes_of_difference_are_allowed(seconds, pending, send):
    body = click(pending["approval"]["actions"]["approve"])
    assert send(body, **sign(body, now=NOW + timedelta(seconds=seconds))).status == 200


@pytest.mark.parametrize(
    "change",
    [
        {"x_chat_signature": ""},
        {"x_chat_signature": "v0=" + "0" * 64},
        {"x_chat_signature": "v0=é"},
        {"x_chat_request_timestamp": ""},
        {"x_chat_request_timestamp": "soon"},
        {"x_chat_request_timestamp": "²"},
        {"x_chat_request_timestamp": "9" * 400},
        {"x_chat_request_timestamp": str(int(NOW.timestamp()) + 1)},
    ],
)
def test_a_signature_that_does_not_hold_is_refused(change, pending, mapped_users, send):
    body, before = click(pending["approval"]["actions"]["approve"]), mapped_users.head("acme")
    assert status_and_error(send(body, **{**sign(body), **change})) == (401, "invalid_signature")
    assert mapped_users.head("acme") == before


@pytest.mark.parametrize("prefix", ["X-Chat", "X-Slack"])
@pytest.mark.parametrize(
    ("stamp", "said"),
    [
        (None, "The timestamp is missing"),
        ("soon", "The timestamp cannot be read"),
        (str(int(NOW.timestamp()) - 301), "it is 301 seconds ago"),
        (str(int(NOW.timestamp()) + 3600), "it is 3,600 seconds ahead"),
    ],
)
def test_a_timestamp_that_is_wrong_is_named_as_what_is_wrong(prefix, stamp, said, pending, send):
    body = click(pending["approval"]["actions"]["approve"])
    name = prefix.lower().replace("-", "_")
    given = (
        sign(body)
        if stamp is None
        else sign(body, now=datetime.fromtimestamp(int(stamp), UTC))
        if (stamp.isdigit())
        else {**sign(body), "x_chat_request_timestamp": stamp}
    )
    headers = {key.replace("x_chat", name): value for key, value in given.items()}
    if stamp is None:
        del headers[f"{name}_request_timestamp"]
    answer = send(body, **headers)
    assert status_and_error(answer) == (401, "invalid_signature")
    assert f"{prefix}-Request-Timestamp must be the time of sending" in answer.json["message"]
    assert said in answer.json["message"]


@pytest.mark.parametrize(
    ("signature", "said"),
    [("", "The signature is missing: X-Chat-Signature"), ("v0=00", "The signature is wrong: X-Chat-Signature")],
)
def test_a_signature_that_is_wrong_is_named_as_what_is_wrong(signature, said, pending, send):
    body = click(pending["approval"]["actions"]["approve"])
    message = send(body, **{**sign(body), "x_chat_signature": signature}).json["message"]
    assert said in message
    assert "of v0:X-Chat-Request-Timestamp:body" in message


def test_what_is_not_signed_at_all_is_told_both_headers(pending, sign_in):
    answer = sign_in(None).post(CHAT, click(pending["approval"]["actions"]["approve"]))
    assert (answer.status, answer.json["message"]) == (
        401,
        "The signature is missing: X-Chat-Signature must be v0= and the hex HMAC-SHA256 of "
        "v0:X-Chat-Request-Timestamp:body.",
    )


@pytest.mark.parametrize(("team_id", "status"), [("T1", 200), ("T9", 403), (None, 403)])
def test_an_app_of_several_workspaces_names_that_of_the_user(team_id, status, pending, send):
    body = click(pending["approval"]["actions"]["approve"], team=None)
    grid = click(pending["approval"]["actions"]["approve"], team=None, workspace=team_id)
    assert send(body).status == 403
    assert send(grid).status == status


def test_another_body_or_another_secret_is_refused(pending, send):
    body = click(pending["approval"]["actions"]["approve"])
    assert status_and_error(send(body + b"&x=1", **sign(body))) == (401, "invalid_signature")
    assert status_and_error(send(body, **sign(body, "guess"))) == (401, "invalid_signature")


def test_without_a_secret_nobody_is_let_in(environment, request):
    environment["SVC_CHAT_SIGNING_SECRET"] = ""
    client, body = request.getfixturevalue("sign_in")(None), click("acme:apr_1:approve")
    assert status_and_error(client.post(CHAT, body, **sign(body, "x"))) == (401, "invalid_signature")


def test_a_session_is_no_signature(sign_in):
    assert status_and_error(sign_in().post(CHAT, click("acme:apr_1:approve"))) == (401, "invalid_signature")


@pytest.mark.parametrize(
    ("user", "more", "error"),
    [
        ("USTRANGER", {}, "unknown_chat_user"),
        ("UOWNER", {"team": {"id": "T2"}}, "unknown_chat_user"),
        ("UOWNER", {"team": None}, "unknown_chat_user"),
        ("UMEMBER", {}, "role_required"),
    ],
)
def test_a_click_counts_for_named_members_with_the_role(user, more, error, pending, mapped_users, send):
    before = stored_rows(mapped_users, approvals)
    assert status_and_error(send(click(pending["approval"]["actions"]["approve"], user=user, **more))) == (403, error)
    assert refused_clicks(mapped_users) == [
        ("member@acme.example" if user == "UMEMBER" else f"chat:{user}", "denied", "approve", error)
    ]
    assert stored_rows(mapped_users, approvals) == before


def test_who_is_named_nowhere_is_told_how_one_is_named(pending, send):
    answer = send(click(pending["approval"]["actions"]["approve"], user="USTRANGER"))
    assert answer.json == {
        "error": "unknown_chat_user",
        "message": "The chat user USTRANGER of the team T1 is not named for a member; an owner or administrator sends "
        '{"USTRANGER": "<e-mail address>"} in settings.members of the chat connection to '
        "POST /api/integrations/connections.",
        "details": [{"field": "settings.members.USTRANGER", "expected": "the e-mail address of a member"}],
    }


def test_who_is_named_by_the_route_decides(pending, mapped_users, sign_in, send):
    body = {"kind": "chat", "name": "Chat", "settings": {"team_id": "T1", "members": {"UNEW": "Admin@acme.example"}}}
    assert sign_in().post("/api/integrations/connections", body).status == 200
    values = pending["approval"]["actions"]
    assert status_and_error(send(click(values["approve"]))) == (403, "unknown_chat_user"), (
        "the names from before are gone"
    )
    assert send(click(values["approve"], user="UNEW")).status == 200
    assert stored_rows(mapped_users, approvals)[0]["decided_by"] == "admin@acme.example"


def test_names_that_an_operator_gave_do_not_count(pending, mapped_users, send):
    with mapped_users.revision("acme", "setup", now=NOW) as revision:
        revision.update(connections, {"id": "chat"}, {"created_by": "operator@acme.example"})
        revision.record("import.completed")
    assert status_and_error(send(click(pending["approval"]["actions"]["approve"]))) == (403, "unknown_chat_user")


def test_a_removed_member_decides_nothing(pending, mapped_users, send):
    with mapped_users.revision("acme", "setup", now=NOW) as revision:
        revision.update(memberships, {"email": "admin@acme.example"}, {"status": "removed"})
        revision.record("member.removed")
    answer = send(click(pending["approval"]["actions"]["approve"], user="UADMIN"))
    assert status_and_error(answer) == (403, "unknown_chat_user")
    assert "is named for somebody who is no active member" in answer.json["message"]


def test_nobody_decides_what_they_asked_for(mapped_users, sign_in, send):
    made = sign_in("admin@acme.example").post(PROMOTE, {"suggestion": SUGGESTION}).json
    assert status_and_error(send(click(made["approval"]["actions"]["approve"], user="UADMIN"))) == (403, "own_request")
    assert refused_clicks(mapped_users) == [("admin@acme.example", "denied", "approve", "own_request")]
    assert stored_rows(mapped_users, approvals)[0]["status"] == "pending"


def test_unknown_approvals_and_those_of_another_organization_are_404(pending, mapped_users, send):
    name = pending["approval"]["id"]
    for value in ("acme:apr_0:approve", f"other:{name}:approve", f"nobody:{name}:approve"):
        assert status_and_error(send(click(value))) == (404, "not_found")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"payload=",
        b"payload=%ff",
        b"payload={}",
        b"payload=[]",
        b"payload=" + b"[" * 5000,
        b"payload={}&payload={}",
        b"other={}",
        click("acme:apr_1"),
        click("acme:apr_1:maybe"),
        click(":apr_1:approve"),
        click("acme:apr\u0000:approve"),
        click("acme:apr_1:approve", user="U\n"),
        click("x" * 3000),
        click("acme:apr_1:approve", actions="no"),
        click("acme:apr_1:approve", actions=[{"value": "a:b:approve"}, {"value": "a:c:approve"}]),
        click("acme:apr_1:approve", user={"name": "x"}),
    ],
)
def test_what_is_no_interaction_is_400_and_changes_nothing(body, mapped_users, send):
    before = mapped_users.head("acme")
    assert status_and_error(send(body)) == (400, "invalid_body")
    assert mapped_users.head("acme") == before


@pytest.mark.parametrize(
    "body",
    [
        urlencode({"payload": '{"type": "view_submission", "user": {"id": "U1"}}'}).encode(),
        click(None),
        click("x", actions=[]),
    ],
)
def test_other_interactions_are_accepted_and_change_nothing(body, mapped_users, send):
    before = mapped_users.head("acme")
    assert (send(body).status, send(body).body) == (200, b"")
    assert mapped_users.head("acme") == before


# suggestions


def test_a_suggestion_becomes_a_draft_a_pending_approval_and_evidence(pending, mapped_users):
    (policy,), (approval,) = stored_rows(mapped_users, policies), stored_rows(mapped_users, approvals)
    assert (policy["state"], policy["rules"], policy["accepted_by"]) == ("draft", [FREEZE], None)
    assert (approval["kind"], approval["subject"], approval["status"]) == ("policy", policy["id"], "pending")
    assert (pending["policy"]["id"], pending["approval"]["id"]) == (policy["id"], approval["id"])
    last = stored_rows(mapped_users, audit_log, order=("seq",))[-3:]
    assert [row["action"] for row in last] == ["policy.drafted", "policy.suggestion.promoted", "approval.requested"]
    assert last[1]["details"] == {
        "playbook": "rotate-key",
        "rationale": "Three blocks last week.",
        "source": "decision-intelligence",
    }


def test_the_same_suggestion_is_promoted_once_while_it_is_in_review(pending, mapped_users, sign_in, send):
    member = sign_in("member@acme.example")
    before = mapped_users.head("acme")
    assert status_and_error(member.post(PROMOTE, {"suggestion": SUGGESTION})) == (409, "already_in_review")
    assert mapped_users.head("acme") == before
    assert send(click(pending["approval"]["actions"]["reject"])).status == 200
    assert member.post(PROMOTE, {"suggestion": SUGGESTION}).json["policy"]["version"] == 2


def test_a_draft_that_was_overtaken_cannot_be_approved(pending, mapped_users, sign_in, send):
    newer = {"playbook": "rotate-key", "rules": [], "state": "active"}
    assert sign_in().post("/api/automations/policies", newer).status == 201
    assert status_and_error(send(click(pending["approval"]["actions"]["approve"]))) == (409, "policy_superseded")
    assert send(click(pending["approval"]["actions"]["reject"])).status == 200


@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        ({}, 400, "invalid_body"),
        ({"suggestion": []}, 400, "invalid_body"),
        ({"suggestion": {**SUGGESTION, "title": ""}}, 400, "invalid_body"),
        ({"suggestion": {**SUGGESTION, "mood": 1}}, 400, "invalid_body"),
        ({"suggestion": {**SUGGESTION, "rules": [{**FREEZE, "effect": "allow"}]}}, 400, "invalid_policy"),
        ({"suggestion": {**SUGGESTION, "playbook": "make-coffee"}}, 404, "unknown_playbook"),
    ],
)
def test_a_suggestion_that_does_not_hold_changes_nothing(body, status, error, sign_in, mapped_users):
    before = mapped_users.head("acme")
    assert status_and_error(sign_in().post(PROMOTE, body)) == (status, error)
    assert mapped_users.head("acme") == before
