"""What people administer alone: keys, ingest tokens, preferences, their own data."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

from engine.accounts.preferences import DEFAULTS
from engine.accounts.tokens import digest, new_secret
from engine.store.schema.audit import access_log, audit_log
from engine.store.schema.organizations import memberships, users, workspaces
from engine.store.schema.outputs import credentials
from engine.store.schema.services import incidents
from tests.conftest import NOW
from tests.web.client import Client

KEYS = "/api/user/api-keys"
TOKENS = "/api/user/alert-ingest-tokens"
PREFERENCES = "/api/user/notification-preferences"
DELETION = "/api/user/account/delete-request"
PROXY = "/api/robot/x"
ALERTS = "/api/integrations/alerts"
MEMBER = "member@acme.example"


def word(answer):
    return answer.status, answer.json.get("error")


def rows(store, table):
    with store.reader() as connection:
        return [dict(row) for row in connection.execute(select(table)).mappings()]


def actions(store):
    with store.reader() as connection:
        query = select(audit_log.c.action, audit_log.c.actor).where(audit_log.c.org_id == "acme")
        return [tuple(row) for row in connection.execute(query.order_by(audit_log.c.seq))][2:]


def opens(client, secret):
    return client.get(PROXY, x_svc_api_key=secret).status != 401


# keys


def test_a_new_key_shows_its_secret_once_and_opens_its_door(sign_in, with_people):
    member = sign_in(MEMBER)
    made = member.post(KEYS, {"label": "build", "expires_in_days": 30})
    key = made.json
    secret = key.pop("secret")
    assert (made.status, made.headers["cache-control"]) == (201, "no-store")
    assert key == {
        "id": key["id"],
        "label": "build",
        "prefix": "svc_sk_",
        "last_four": secret[-4:],
        "created_at": "2026-11-20T08:30:00Z",
        "expires_at": "2026-12-20T08:30:00Z",
        "revoked_at": None,
        "last_used_at": None,
    }
    assert opens(sign_in(None), secret)
    assert member.get(KEYS).json == {"api_keys": [{**key, "last_used_at": "2026-11-20T08:30:00Z"}]}
    assert actions(with_people) == [("api_key.created", MEMBER)]


def test_a_revoked_key_is_refused_at_once(sign_in, with_people):
    member, nobody = sign_in(MEMBER), sign_in(None)
    key = member.post(KEYS, {}).json
    assert opens(nobody, key["secret"])
    gone = member.call("DELETE", f"{KEYS}/{key['id']}")
    assert (gone.status, gone.json["revoked_at"]) == (200, "2026-11-20T08:30:00Z")
    assert not opens(nobody, key["secret"])
    head = with_people.head("acme")
    assert member.call("DELETE", f"{KEYS}/{key['id']}").status == 200
    assert with_people.head("acme") == head
    assert actions(with_people) == [("api_key.created", MEMBER), ("api_key.revoked", MEMBER)]


def test_an_expired_key_is_refused(sign_in, clock):
    key = sign_in(MEMBER).post(KEYS, {"expires_in_days": 1}).json
    clock.tick(timedelta(days=1))
    assert not opens(sign_in(None), key["secret"])


@pytest.mark.parametrize("who", [("owner@acme.example", "acme"), ("owner@other.example", "other")])
def test_keys_of_others_do_not_exist(who, sign_in, with_people):
    key = sign_in(MEMBER).post(KEYS, {}).json
    heads = with_people.head("acme"), with_people.head("other")
    stranger = sign_in(*who)
    assert word(stranger.call("DELETE", f"{KEYS}/{key['id']}")) == (404, "not_found")
    assert stranger.get(KEYS).json == {"api_keys": []}
    assert opens(sign_in(None), key["secret"])
    assert (with_people.head("acme"), with_people.head("other")) == heads


def test_a_key_is_no_ingest_token_and_the_other_way_round(sign_in):
    owner = sign_in()
    key, token = owner.post(KEYS, {}).json, owner.post(TOKENS, {}).json
    assert word(owner.call("DELETE", f"{KEYS}/{token['id']}")) == (404, "not_found")
    assert word(owner.call("DELETE", f"{TOKENS}/{key['id']}")) == (404, "not_found")


def test_an_api_key_does_not_administer_keys(sign_in):
    secret = sign_in().post(KEYS, {}).json["secret"]
    assert word(sign_in(None).get(KEYS, authorization=f"Bearer {secret}")) == (401, "unauthorized")


def test_a_key_of_a_removed_member_opens_nothing(sign_in, with_people):
    secret = sign_in(MEMBER).post(KEYS, {}).json["secret"]
    with with_people.revision("acme", "owner@acme.example", now=NOW) as revision:
        revision.update(memberships, {"email": MEMBER}, {"status": "removed"})
        revision.record("member.removed")
    assert not opens(sign_in(None), secret)


BAD_BODIES = [
    b"",
    b"{",
    b"[]",
    b"null",
    b'{"label": "\\u0000"}',
    {"label": ""},
    {"label": "x" * 101},
    {"label": 7},
    {"label": "two\nlines"},
    {"label": "   "},
    {"expires_in_days": 0},
    {"expires_in_days": "soon"},
    {"expires_in_day": 30},
    b'{"label": "\\ud800"}',
]


@pytest.mark.parametrize("path", [KEYS, TOKENS])
@pytest.mark.parametrize("body", BAD_BODIES, ids=str)
def test_a_bad_body_makes_no_credential(path, body, sign_in, with_people):
    head = with_people.head("acme")
    assert word(sign_in().post(path, body)) == (400, "invalid_body")
    assert (with_people.head("acme"), rows(with_people, credentials)) == (head, [])


def test_making_credentials_is_limited(console):
    """Under the real clock: the counter's own thread does not see a frozen one."""
    client = Client(console, console.gate.sessions.issue(MEMBER, "acme", now=datetime.now(UTC)))
    assert [client.post(KEYS, {}).status for _ in range(31)] == [201] * 30 + [429]


def test_legacy_prefixes_are_accepted_where_configured(environment, with_people, request):
    environment["SVC_LEGACY_KEY_PREFIXES"] = "api_key=ak_live_"
    with with_people.revision("acme", "owner@acme.example", now=NOW) as revision:
        row = {
            "id": "old",
            "kind": "api_key",
            "label": "old",
            "owner": MEMBER,
            "prefix": "ak_live_",
            "last_four": "wxyz",
            "secret_sha256": digest("ak_live_wxyz"),
            "created_at": NOW,
        }
        revision.insert(credentials, [row])
        revision.record("api_key.created", object_id="old")
    nobody = request.getfixturevalue("sign_in")(None)
    assert opens(nobody, "ak_live_wxyz")
    assert not opens(nobody, "ak_live_other")
    assert word(nobody.post(ALERTS, {}, authorization="Bearer ak_live_wxyz")) == (401, "invalid_credential")


def test_without_the_setting_a_legacy_prefix_opens_nothing(sign_in, with_people):
    assert not opens(sign_in(None), "ak_live_wxyz")


# ingest tokens


def test_the_first_token_makes_the_default_workspace_and_the_second_uses_it(sign_in, with_people):
    member = sign_in(MEMBER)
    first, second = member.post(TOKENS, {"label": "prometheus"}).json, member.post(TOKENS, {}).json
    assert first["secret"].startswith("svc_ingest_")
    assert (first["workspace_id"], second["workspace_id"], first["owner"]) == ("default", "default", MEMBER)
    assert [(row["id"], row["name"]) for row in rows(with_people, workspaces)] == [("default", "Default")]
    assert actions(with_people) == [
        ("workspace.created", MEMBER),
        ("ingest_token.created", MEMBER),
        ("ingest_token.created", MEMBER),
    ]
    assert sign_in(None).post(ALERTS, {}, authorization=f"Bearer {first['secret']}").status != 401


def test_a_token_belongs_to_the_workspace_of_its_maker_or_the_one_named(sign_in, with_people):
    with with_people.revision("acme", "setup", now=NOW) as revision:
        revision.insert(workspaces, [{"id": "w1", "name": "One"}, {"id": "w2", "name": "Two"}])
        revision.update(memberships, {"email": MEMBER}, {"workspace_id": "w1"})
        revision.record("organization.prepared")
    member = sign_in(MEMBER)
    assert member.post(TOKENS, {}).json["workspace_id"] == "w1"
    assert member.post(TOKENS, {"workspace_id": "w2"}).json["workspace_id"] == "w2"


def test_a_workspace_of_another_organization_does_not_exist(sign_in, with_people):
    with with_people.revision("other", "setup", now=NOW) as revision:
        revision.insert(workspaces, [{"id": "theirs", "name": "Theirs"}])
        revision.record("organization.prepared")
    head = with_people.head("acme")
    assert word(sign_in().post(TOKENS, {"workspace_id": "theirs"})) == (404, "not_found")
    assert (with_people.head("acme"), rows(with_people, credentials)) == (head, [])


def test_everybody_sees_the_tokens_and_the_privileged_revoke_those_of_others(sign_in, with_people):
    token = sign_in().post(TOKENS, {}).json
    member, operator = sign_in(MEMBER), sign_in("operator@acme.example")
    (seen,) = member.get(TOKENS).json["alert_ingest_tokens"]
    assert seen == {name: value for name, value in token.items() if name != "secret"}
    head = with_people.head("acme")
    assert word(member.call("DELETE", f"{TOKENS}/{token['id']}")) == (403, "role_required")
    assert with_people.head("acme") == head
    assert operator.call("DELETE", f"{TOKENS}/{token['id']}").status == 200
    refused = sign_in(None).post(ALERTS, {}, authorization=f"Bearer {token['secret']}")
    assert word(refused) == (401, "invalid_credential")


def test_a_member_revokes_the_tokens_that_he_made(sign_in):
    member = sign_in(MEMBER)
    token = member.post(TOKENS, {}).json
    assert member.call("DELETE", f"{TOKENS}/{token['id']}").json["revoked_at"] == "2026-11-20T08:30:00Z"


def test_tokens_of_another_organization_do_not_exist(sign_in):
    token = sign_in().post(TOKENS, {}).json
    stranger = sign_in("owner@other.example", "other")
    assert word(stranger.call("DELETE", f"{TOKENS}/{token['id']}")) == (404, "not_found")
    assert stranger.get(TOKENS).json == {"alert_ingest_tokens": []}


# preferences


def test_preferences_are_defaults_until_they_are_set(sign_in, with_people):
    member = sign_in(MEMBER)
    assert member.get(PREFERENCES).json == {"preferences": dict(DEFAULTS)}
    changed = member.call("PUT", PREFERENCES, {"sla_reminders_chat": True, "committee_digest_email": False})
    wanted = {**DEFAULTS, "sla_reminders_chat": True, "committee_digest_email": False}
    assert (changed.status, changed.json) == (200, {"preferences": wanted})
    assert member.get(PREFERENCES).json == {"preferences": wanted}
    assert sign_in().get(PREFERENCES).json == {"preferences": dict(DEFAULTS)}
    assert actions(with_people) == [("notification.preferences.changed", MEMBER)]


def test_setting_what_is_set_changes_nothing(sign_in, with_people):
    head = with_people.head("acme")
    assert sign_in().call("PUT", PREFERENCES, {"committee_digest_email": True}).status == 200
    assert sign_in().call("PUT", PREFERENCES, {}).status == 200
    assert with_people.head("acme") == head


def test_imported_flags_of_other_names_survive_and_are_not_shown(sign_in, with_people):
    with with_people.revision("acme", "import", now=NOW) as revision:
        revision.insert(users, [{"email": MEMBER, "name": "Mem", "preferences": {"digest": True}}])
        revision.record("import.completed")
    preferences = sign_in(MEMBER).call("PUT", PREFERENCES, {"committee_digest_chat": True}).json["preferences"]
    assert set(preferences) == set(DEFAULTS)
    (row,) = rows(with_people, users)
    assert (row["name"], row["preferences"]) == ("Mem", {"committee_digest_chat": True, "digest": True})


@pytest.mark.parametrize(
    "body",
    [
        {"unknown": True},
        {"committee_digest_chat": "yes"},
        {"committee_digest_chat": 1},
        {"committee_digest_chat": None, "x": 1},
        b"[]",
        b"",
    ],
    ids=str,
)
def test_a_bad_preference_changes_nothing(body, sign_in, with_people):
    head = with_people.head("acme")
    assert word(sign_in().call("PUT", PREFERENCES, body)) == (400, "invalid_body")
    assert (with_people.head("acme"), rows(with_people, users)) == (head, [])


# one's own data


def test_a_deletion_request_is_noted_once_for_people_to_decide(sign_in, with_people, clock):
    member = sign_in(MEMBER)
    first = member.post(DELETION)
    assert (first.status, first.json) == (
        202,
        {"status": "awaiting_review", "deletion_requested_at": "2026-11-20T08:30:00Z"},
    )
    head = with_people.head("acme")
    clock.tick(timedelta(hours=1))
    assert (member.post(DELETION, {}).status, member.post(DELETION).json) == (202, first.json)
    assert with_people.head("acme") == head
    assert actions(with_people) == [("account.deletion.requested", MEMBER)]
    assert [(row["email"], row["active"]) for row in rows(with_people, users)] == [(MEMBER, True)]


def test_the_export_has_everything_of_the_caller_and_no_secret(sign_in, with_people):
    def incident(identifier, owner):
        return {
            "id": identifier,
            "title": "Down",
            "severity": "high",
            "status": "open",
            "owner": owner,
            "opened_at": NOW,
        }

    with with_people.revision("acme", MEMBER, now=NOW) as revision:
        revision.insert(incidents, [incident("mine", MEMBER), incident("opened", None), incident("theirs", "x@y.z")])
        revision.record("incident.opened", object_type="incident", object_id="opened")
    member = sign_in(MEMBER)
    key, token = member.post(KEYS, {}).json, member.post(TOKENS, {}).json
    sign_in().post(KEYS, {})
    answer = member.get("/api/user/export")
    content = answer.json
    assert answer.headers["content-disposition"] == 'attachment; filename="acme-user-export-2026-11-20.json"'
    assert content["profile"]["email"] == MEMBER
    assert content["memberships"] == [
        {
            "organization": "acme",
            "role": "member",
            "status": "active",
            "workspace_id": None,
            "since_on": None,
            "display_name": None,
        }
    ]
    assert [row["id"] for row in content["incidents"]] == ["mine", "opened"]
    assert [row["id"] for row in content["api_keys"]] == [key["id"]]
    assert [row["id"] for row in content["alert_ingest_tokens"]] == [token["id"]]
    assert content["notification_preferences"] == dict(DEFAULTS)
    assert content["audit_events"] == 4
    for secret in (key["secret"], token["secret"], digest(key["secret"])):
        assert secret.encode() not in answer.body
    (line,) = rows(with_people, access_log)
    assert (line["actor"], line["resource"]) == (MEMBER, "/api/user/export")


def test_the_export_of_a_person_without_anything_is_empty(sign_in):
    content = sign_in("admin@other.example", "other").get("/api/user/export").json
    assert (content["incidents"], content["api_keys"], content["audit_events"]) == ([], [], 0)


@pytest.mark.parametrize("path", [KEYS, TOKENS, PREFERENCES, "/api/user/export"])
def test_an_unknown_parameter_is_refused(path, sign_in):
    assert word(sign_in().get(f"{path}?email=owner@acme.example")) == (400, "invalid_parameter")


@pytest.mark.parametrize(
    "secret",
    ["", "svc_sk_short", new_secret("ingest"), new_secret("assessor")],
    ids=["none", "too short", "ingest token", "assessor token"],
)
def test_what_is_no_api_key_opens_nothing(secret, sign_in):
    assert not opens(sign_in(None), secret)
