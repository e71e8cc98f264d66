"""Connections and deploy events over HTTP."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from engine.store.schema.audit import audit_log
from engine.store.schema.services import connections, deploys, services
from tests.conftest import NOW

CONNECTIONS = "/api/integrations/connections"
DEPLOYS = "/api/integrations/deploy-events"
KINDS = ["chat", "paging", "issue_tracker", "service_management", "source_host", "monitoring", "metrics"]


@pytest.fixture
def with_services(with_people):
    """acme has the services api and web, other has theirs."""
    for org, names in (("acme", ("api", "web")), ("other", ("theirs",))):
        with with_people.revision(org, "setup", now=NOW) as revision:
            rows = [{"id": f"svc-{name}", "name": name.title(), "criticality": 3} for name in names]
            revision.insert(services, rows)
            revision.record("import.completed")
    return with_people


def events(store):
    with store.reader() as connection:
        query = select(audit_log.c.action, audit_log.c.outcome).where(audit_log.c.org_id == "acme")
        return [tuple(row) for row in connection.execute(query.order_by(audit_log.c.seq))]


def count(store, table):
    with store.reader() as connection:
        return len(connection.execute(select(table.c.id)).all())


# -- connections -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_each_of_the_seven_kinds_can_be_recorded_as_a_placeholder(kind, sign_in, with_people):
    client = sign_in("operator@acme.example")
    answer = client.post(CONNECTIONS, {"kind": kind, "name": " Main ", "settings": {"channel": "#ops"}})
    assert answer.status == 201
    made = answer.json["connection"]
    assert made == {
        "id": made["id"],
        "kind": kind,
        "name": "Main",
        "status": "placeholder",
        "settings": {"channel": "#ops"},
        "created_by": "operator@acme.example",
        "created_at": "2026-11-20T08:30:00Z",
    }
    assert "Nothing is contacted" in answer.json["note"]
    listed = sign_in("member@acme.example").get(CONNECTIONS).json
    assert (listed["connections"], sorted(listed["kinds"])) == ([made], sorted(KINDS))
    assert sign_in("owner@other.example", "other").get(CONNECTIONS).json["connections"] == []
    assert events(with_people)[-1] == ("connection.created", "success")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": "x"}, "body"),
        ({"kind": "fax", "name": "x"}, "kind"),
        ({"kind": "chat"}, "body"),
        ({"kind": "chat", "name": ""}, "name"),
        ({"kind": "chat", "name": "  "}, "name"),
        ({"kind": "chat", "name": "a\nb"}, "name"),
        ({"kind": "chat", "name": "x" * 201}, "name"),
        ({"kind": "chat", "name": 3}, "name"),
        ({"kind": "chat", "name": "x", "settings": []}, "settings"),
        ({"kind": "chat", "name": "x", "token": "t"}, "body"),
        ({"kind": "chat", "name": "x", "settings": {"a": "x" * 20_000}}, "settings"),
        ({"kind": "chat", "name": "x", "settings": {"a": [[[[[1]]]]]}}, "settings.a.0.0.0.0.0"),
    ],
)
def test_a_malformed_connection_is_refused_and_nothing_is_written(body, field, sign_in, with_people):
    head = with_people.head("acme")
    answer = sign_in().post(CONNECTIONS, body)
    assert (answer.status, answer.json["error"], answer.json["details"][0]["field"]) == (400, "invalid_body", field)
    assert with_people.head("acme") == head


@pytest.mark.parametrize(
    "settings",
    [
        {"token": "x"},
        {"secret": ""},
        {"password": None},
        {"api_key": 1},
        {"API-Key": "x"},
        {"client_secret": "x"},
        {"auth": {"bot": [{"accessToken": "x"}]}},
        {"url": "https://ann:hunter2@chat.example"},
        {"note": "password=hunter2"},
        {"header": "Authorization: Bearer abcdefghijklmnopqrstuvwxyz"},
    ],
)
def test_secrets_are_refused_and_not_repeated(settings, sign_in, with_people):
    head = with_people.head("acme")
    answer = sign_in().post(CONNECTIONS, {"kind": "chat", "name": "Main", "settings": settings})
    assert (answer.status, answer.json["error"]) == (400, "secret_refused")
    assert b"hunter2" not in answer.body
    assert with_people.head("acme") == head


def test_a_second_connection_of_the_same_kind_and_name_is_a_conflict(sign_in, with_people):
    client, body = sign_in(), {"kind": "chat", "name": "Main"}
    assert client.post(CONNECTIONS, body).status == 201
    head = with_people.head("acme")
    answer = client.post(CONNECTIONS, body)
    assert (answer.status, answer.json["error"]) == (409, "connection_exists")
    assert with_people.head("acme") == head
    assert client.post(CONNECTIONS, {**body, "kind": "paging"}).status == 201
    assert sign_in("owner@other.example", "other").post(CONNECTIONS, body).status == 201


MEMBERS = {"U0123": "member@acme.example", "U-9_z": "Admin@acme.example"}


@pytest.mark.parametrize(
    ("settings", "field", "expected"),
    [
        ({"members": ["U1"]}, "settings.members", 'an object such as {"U0123": "ann@acme.example"}'),
        ({"members": None}, "settings.members", 'an object such as {"U0123": "ann@acme.example"}'),
        ({"members": "ann@acme.example"}, "settings.members", 'an object such as {"U0123": "ann@acme.example"}'),
        ({"members": {"U1": 5}}, "settings.members.U1", "the e-mail address of a member"),
        ({"members": {"U1": {"email": "a@b.c"}}}, "settings.members.U1", "the e-mail address of a member"),
        ({"members": {"U1": "ann"}}, "settings.members.U1", "the e-mail address of a member"),
        ({"members": {"ann@acme.example": "U1"}}, "settings.members", "chat users of 1 to 100 letters, digits, - or _"),
        ({"members": {"": "ann@acme.example"}}, "settings.members", "chat users of 1 to 100 letters, digits, - or _"),
        ({"team_id": 7, "members": {}}, "settings.team_id", "1 to 100 letters, digits, - or _"),
    ],
)
def test_members_of_another_shape_are_400_and_say_which_was_expected(settings, field, expected, sign_in, with_people):
    head = with_people.head("acme")
    answer = sign_in().post(CONNECTIONS, {"kind": "chat", "name": "Main", "settings": settings})
    assert (answer.status, answer.json["error"]) == (400, "invalid_body")
    (detail,) = answer.json["details"]
    assert detail["field"] == field
    assert detail["expected"].startswith(expected)
    assert f"{field} must be {expected}" in answer.json["message"]
    assert with_people.head("acme") == head


def test_members_of_a_chat_connection_are_changed_by_the_same_route(sign_in, with_people):
    body = {"kind": "chat", "name": "Main", "settings": {"team_id": "T1", "members": MEMBERS}}
    first = sign_in("operator@acme.example").post(CONNECTIONS, body)
    assert (first.status, first.json["result"]) == (201, "created")
    assert "do not count until an owner or administrator sends them" in first.json["note"]
    other = {"team_id": "T1", "members": {"U0123": "owner@acme.example", "U7": "later@acme.example"}}
    answer = sign_in("admin@acme.example").post(CONNECTIONS, {**body, "settings": other})
    assert (answer.status, answer.json["result"]) == (200, "changed")
    assert answer.json["connection"] == {
        **first.json["connection"],
        "settings": other,
        "created_by": "admin@acme.example",
    }
    assert answer.json["note"].endswith("No active member, so without effect for now: U7 (later@acme.example).")
    assert sign_in().get(CONNECTIONS).json["connections"] == [answer.json["connection"]]
    with with_people.reader() as connection:
        last = connection.execute(select(audit_log).order_by(audit_log.c.seq.desc()).limit(1)).one()
    assert (last.action, last.details) == (
        "connection.changed",
        {"kind": "chat", "name": "Main", "settings": ["members.U-9_z", "members.U0123", "members.U7"]},
    )


def test_an_operator_changes_no_names_and_other_kinds_are_recorded_once(sign_in, with_people):
    body = {"kind": "chat", "name": "Main", "settings": {"members": MEMBERS}}
    assert sign_in().post(CONNECTIONS, body).status == 201
    paging = {"kind": "paging", "name": "Main", "settings": {"members": ["whoever"]}}
    assert sign_in().post(CONNECTIONS, paging).status == 201
    head = with_people.head("acme")
    answer = sign_in("operator@acme.example").post(CONNECTIONS, body)
    assert (answer.status, answer.json["error"]) == (403, "role_required")
    assert sign_in().post(CONNECTIONS, paging).json["error"] == "connection_exists"
    assert with_people.head("acme") == head


def test_members_may_look_and_not_record(sign_in, with_people):
    head = with_people.head("acme")
    answer = sign_in("member@acme.example").post(CONNECTIONS, {"kind": "chat", "name": "Main"})
    assert (answer.status, answer.json["error"]) == (403, "role_required")
    assert sign_in(None).get(CONNECTIONS).status == 401
    assert (with_people.head("acme"), count(with_people, connections)) == (head, 0)


# -- deploy events -----------------------------------------------------------------------------------------------------

AT = (NOW - timedelta(minutes=5)).isoformat()
EVENT = {"service": "API", "version": "1.2.3", "deployed_at": AT, "change_ref": "CHG-1"}


def test_a_deploy_is_recorded_once_however_often_it_is_told(sign_in, with_services):
    client = sign_in("member@acme.example")
    answer = client.post(DEPLOYS, EVENT)
    assert (answer.status, answer.json["result"]) == (201, "created")
    deploy = answer.json["deploy"]
    assert deploy == {
        "id": deploy["id"],
        "service_id": "svc-api",
        "version": "1.2.3",
        "environment": "production",
        "deployed_at": "2026-11-20T08:25:00Z",
        "actor": "member@acme.example",
        "change_ref": "CHG-1",
        "status": "succeeded",
        "rolled_back_at": None,
    }
    head = with_services.head("acme")
    again = client.post(DEPLOYS, {**EVENT, "service_id": "svc-api"})
    assert (again.status, again.json) == (200, {"result": "duplicate", "deploy": deploy})
    assert (with_services.head("acme"), count(with_services, deploys)) == (head, 1)
    assert events(with_services)[-1] == ("deploy.recorded", "success")


@pytest.mark.parametrize(
    "changed",
    [{"service": "web"}, {"version": "1.2.4"}, {"version": None}, {"environment": "staging"}, {"deployed_at": None}],
)
def test_another_service_version_environment_or_time_is_another_deploy(changed, sign_in, with_services):
    client = sign_in()
    client.post(DEPLOYS, EVENT)
    assert client.post(DEPLOYS, {**EVENT, **changed}).json["result"] == "created"
    assert count(with_services, deploys) == 2


def test_a_rollback_that_is_told_later_changes_the_deploy(sign_in, with_services):
    client = sign_in()
    first = client.post(DEPLOYS, EVENT).json["deploy"]
    taken_back = {"status": "rolled_back", "rolled_back_at": "2026-11-20T08:30:00Z"}
    answer = client.post(DEPLOYS, {**EVENT, "status": "rolled_back"})
    assert (answer.status, answer.json) == (200, {"result": "updated", "deploy": {**first, **taken_back}})
    assert events(with_services)[-1] == ("change.rolled_back", "success")
    client.post(DEPLOYS, {**EVENT, "version": "2", "status": "failed"})
    assert events(with_services)[-1] == ("deploy.recorded", "failure")


def test_when_a_release_was_taken_back_is_what_the_sender_says_and_else_nobody_knows(sign_in, with_services):
    client = sign_in()
    event = {**EVENT, "status": "rolled_back"}
    assert client.post(DEPLOYS, event).json["deploy"]["rolled_back_at"] is None
    exact = {**event, "rolled_back_at": "2026-11-20T08:27:00Z"}
    answer = client.post(DEPLOYS, exact)
    assert (answer.json["result"], answer.json["deploy"]["rolled_back_at"]) == ("updated", "2026-11-20T08:27:00Z")
    assert client.post(DEPLOYS, event).json["result"] == client.post(DEPLOYS, exact).json["result"] == "duplicate"
    refused = client.post(DEPLOYS, {**exact, "rolled_back_at": "2026-11-20T08:20:00Z"})
    assert (refused.status, refused.json["details"][0]["field"]) == (400, "rolled_back_at")
    refused = client.post(DEPLOYS, {**exact, "status": "succeeded"})
    assert (refused.status, refused.json["details"][0]["field"]) == (400, "status")


def test_a_replay_of_what_came_before_takes_no_rollback_back(sign_in, with_services):
    client, event = sign_in(), {**EVENT, "id": "run-78"}
    client.post(DEPLOYS, event)
    exact = {**event, "status": "rolled_back", "rolled_back_at": "2026-11-20T08:27:00Z"}
    known = client.post(DEPLOYS, exact).json["deploy"]
    head = with_services.head("acme")
    late = {**event, "deployed_at": None}
    for again in (event, late, {**event, "status": "failed"}, exact, {**late, "status": "rolled_back"}):
        assert client.post(DEPLOYS, again).json == {"result": "duplicate", "deploy": known}, again
    assert with_services.head("acme") == head


def test_a_rollback_that_is_told_first_stays_and_how_it_ended_is_corrected(sign_in, with_services):
    client = sign_in()
    first = client.post(DEPLOYS, {**EVENT, "status": "rolled_back"}).json["deploy"]
    assert client.post(DEPLOYS, EVENT).json == {"result": "duplicate", "deploy": first}
    other = {**EVENT, "version": "2"}
    ended = [client.post(DEPLOYS, {**other, "status": status}).json for status in ("succeeded", "failed", "succeeded")]
    said = [(answer["result"], answer["deploy"]["status"]) for answer in ended]
    assert said == [("created", "succeeded"), ("updated", "failed"), ("updated", "succeeded")]
    taken_back = {**other, "status": "rolled_back"}
    times = [f"2026-11-20T08:{minute}:00Z" for minute in (29, 27)]
    told = [client.post(DEPLOYS, {**taken_back, "rolled_back_at": at}).json["deploy"]["rolled_back_at"] for at in times]
    assert told == times


def test_what_went_live_after_its_rollback_is_another_deploy(sign_in, with_services):
    client, event = sign_in(), {**EVENT, "id": "run-79"}
    client.post(DEPLOYS, event)
    taken_back = {"id": "run-79", "service": "API", "version": "1.2.3", "status": "rolled_back"}
    answer = client.post(DEPLOYS, {**taken_back, "rolled_back_at": "2026-11-20T08:27:00Z"})
    assert (answer.json["result"], answer.json["deploy"]["deployed_at"]) == ("updated", "2026-11-20T08:25:00Z")
    refused = client.post(DEPLOYS, {**event, "deployed_at": "2026-11-20T08:28:00Z"})
    assert (refused.status, refused.json["error"]) == (409, "deploy_conflict")
    assert refused.json["details"][0]["field"] == "deployed_at"
    assert client.post(DEPLOYS, {**event, "id": "run-80", "deployed_at": "2026-11-20T08:28:00Z"}).status == 201


def test_the_senders_own_id_is_the_key_where_it_is_given(sign_in, with_services):
    client, event = sign_in(), {**EVENT, "id": "run-77"}
    assert client.post(DEPLOYS, event).json["deploy"]["id"] == "run-77"
    assert client.post(DEPLOYS, {**event, "deployed_at": None}).json["result"] == "duplicate"
    head = with_services.head("acme")
    answer = client.post(DEPLOYS, {**event, "version": "9"})
    assert (answer.status, answer.json["error"]) == (409, "deploy_conflict")
    assert with_services.head("acme") == head


def test_a_link_stands_in_for_a_change_that_has_no_number(sign_in, with_services):
    url = "https://ci.example/runs/77"
    assert sign_in().post(DEPLOYS, {"service_id": "svc-web", "url": url}).json["deploy"]["change_ref"] == url
    with with_services.reader() as connection:
        details = connection.execute(select(audit_log.c.details).order_by(audit_log.c.seq.desc()).limit(1)).scalar()
    assert details["url"] == url


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"service": None}, "service"),
        ({"service": ""}, "service"),
        ({"service": "a\u0007"}, "service"),
        ({"service_id": 7}, "service_id"),
        ({"status": "done"}, "status"),
        ({"version": "x" * 201}, "version"),
        ({"deployed_at": "yesterday"}, "deployed_at"),
        ({"deployed_at": "2026-11-20T08:00:00"}, "deployed_at"),
        ({"deployed_at": "2026-11-20T09:00:00Z"}, "deployed_at"),
        ({"deployed_at": "1999-12-31T00:00:00Z"}, "deployed_at"),
        ({"deployed_at": "0001-01-01T00:00:00+23:59"}, "deployed_at"),
        ({"deployed_at": "9999-12-31T23:59:59-23:59"}, "deployed_at"),
        ({"url": "javascript:alert(1)"}, "url"),
        ({"url": "https://a:b@c.example"}, "url"),
        ({"url": "https://["}, "url"),
    ],
)
def test_a_malformed_event_is_refused_and_nothing_is_written(changed, field, sign_in, with_services):
    head = with_services.head("acme")
    answer = sign_in().post(DEPLOYS, {**EVENT, **changed})
    assert (answer.status, answer.json["error"], answer.json["details"][0]["field"]) == (400, "invalid_body", field)
    assert with_services.head("acme") == head


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"service":"a\\u0000"}', b'{"service":"\\ud800"}'])
def test_a_body_that_is_no_object_is_refused(body, sign_in, with_services):
    head = with_services.head("acme")
    for path in (CONNECTIONS, DEPLOYS):
        answer = sign_in().post(path, body)
        assert (answer.status, answer.json["error"]) == (400, "invalid_body")
    assert with_services.head("acme") == head


@pytest.mark.parametrize(
    ("named", "status", "error"),
    [
        ({"service": "Theirs"}, 404, "unknown_service"),
        ({"service_id": "svc-theirs"}, 404, "unknown_service"),
        ({"service_id": "api"}, 404, "unknown_service"),
        ({"service": "api", "service_id": "svc-web"}, 400, "invalid_body"),
    ],
)
def test_a_service_that_is_not_the_organizations_own_is_unknown(named, status, error, sign_in, with_services):
    heads = with_services.head("acme"), with_services.head("other")
    answer = sign_in().post(DEPLOYS, {"version": "1", **named})
    assert (answer.status, answer.json["error"]) == (status, error)
    assert (with_services.head("acme"), with_services.head("other"), count(with_services, deploys)) == (*heads, 0)


def test_a_name_that_two_services_have_asks_for_the_id(sign_in, with_services):
    with with_services.revision("acme", "setup", now=NOW) as revision:
        revision.insert(services, [{"id": "svc-api-2", "name": "api", "criticality": 1}])
        revision.record("import.completed")
    answer = sign_in().post(DEPLOYS, EVENT)
    assert (answer.status, answer.json["message"]) == (400, "2 services are called 'API'; send service_id.")
    assert sign_in().post(DEPLOYS, {**EVENT, "service_id": "svc-api-2"}).status == 201
