"""Links between tests and controls over HTTP: once each, refused with a reason, on the audit log."""

import json
from datetime import date, timedelta

import pytest

from engine.store import rows
from engine.store.schema.audit import audit_log
from engine.store.schema.automation import dry_runs, test_links
from engine.store.schema.controls import test_runs, testing_schedules
from engine.store.schema.organizations import organizations
from engine.store.schema.outputs import bundles
from tests.conftest import NOW

ROUTE = "/api/governance/compliance/testing-evidence-linker"
HOUR = timedelta(hours=1)


def dry_run(identifier, at=NOW, outcome="succeeded"):
    return {
        "id": identifier,
        "playbook": "enforce-mfa",
        "inputs_hash": "0" * 64,
        "outcome": outcome,
        "actor": "ann@acme.example",
        "ran_at": at,
    }


def bundle(identifier, sealed_at):
    return {
        "id": identifier,
        "requested_window": "30d",
        "window_start_on": date(2026, 10, 20),
        "window_end_on": date(2026, 11, 19),
        "created_by": "ann@acme.example",
        "sealed_at": sealed_at,
        "sealed_seq": 1,
    }


def run(identifier, performed_on):
    return {
        "id": identifier,
        "schedule_id": "S1",
        "window_open_on": date(2026, 11, 1),
        "window_close_on": date(2026, 11, 30),
        "performed_on": performed_on,
    }


@pytest.fixture
def tested_store(with_people):
    """acme rehearsed ``dry`` an hour ago; a bundle was sealed before that, and one after. other has tests of its own."""
    with with_people.revision("acme", "setup", now=NOW) as revision:
        revision.insert(dry_runs, [dry_run("dry", NOW - HOUR), dry_run("bad", outcome="failed")])
        revision.insert(bundles, [bundle("before", NOW - 2 * HOUR), bundle("after", NOW)])
        schedule = {
            "id": "S1",
            "framework": "soc2",
            "control_id": "CC7.1",
            "procedure": "Look",
            "cadence": "monthly",
            "starts_on": date(2026, 1, 1),
        }
        revision.insert(testing_schedules, [schedule])
        revision.insert(test_runs, [run("done", date(2026, 11, 20)), run("planned", None)])
        revision.record("import.completed")
    with with_people.revision("other", "setup", now=NOW) as revision:
        revision.insert(dry_runs, [dry_run("theirs")])
        revision.insert(bundles, [bundle("their-bundle", NOW)])
        revision.record("import.completed")
    return with_people


@pytest.fixture
def client(tested_store, sign_in):
    return sign_in("member@acme.example")


def link_body(test_id="dry", control_id="CC7.1", **more):
    return {"test_id": test_id, "framework": "soc2", "control_id": control_id, **more}


def post(client, *links, query=""):
    return client.post(ROUTE + query, {"links": list(links)})


def counts(answer):
    return answer.status, *(answer.json[name] for name in ("created", "duplicate", "refused"))


def reasons(answer):
    return [row["reason"] for row in answer.json["links"]]


def stored_rows(store, table=test_links, org="acme", **where):
    with store.reader() as connection:
        return rows.many(connection, table, org, **where)


def test_a_link_is_stored_and_on_the_audit_log(client, tested_store):
    answer = post(client, link_body(bundle_id="after"))
    assert counts(answer) == (201, 1, 0, 0)
    (row,) = stored_rows(tested_store)
    assert answer.json["links"] == [
        {
            "test_id": "dry",
            "framework": "soc2",
            "control_id": "CC7.1",
            "bundle_id": "after",
            "outcome": "created",
            "link_id": row["id"],
            "supplement": False,
            "reason": None,
            "message": None,
        }
    ]
    assert (row["status"], row["supplement"], row["linked_by"], row["linked_at"]) == (
        "linked",
        False,
        "member@acme.example",
        NOW,
    )
    (event,) = stored_rows(tested_store, audit_log, action="evidence.linked")
    assert (event["object_type"], event["object_id"], event["controls"]) == ("test_link", row["id"], "soc2:CC7.1")
    assert event["details"] == {
        "test_id": "dry",
        "test": "dry_run",
        "outcome": "succeeded",
        "bundle_id": "after",
        "supplement": False,
    }
    assert tested_store.verify("acme").ok


def test_many_links_are_one_revision_with_an_event_each(client, tested_store):
    head = tested_store.head("acme").seq
    answer = post(client, link_body(), link_body(control_id="CC7.2"), link_body("done"), link_body("bad"))
    assert counts(answer) == (201, 4, 0, 0)
    assert {row["revision"] for row in stored_rows(tested_store)} == {head + 1}
    assert tested_store.head("acme").seq == head + 4


def test_the_same_link_again_changes_nothing(client, tested_store):
    made = post(client, link_body(), link_body())
    assert counts(made) == (201, 1, 1, 0)
    head = tested_store.head("acme")
    again = post(client, link_body())
    assert counts(again) == (200, 0, 1, 0)
    assert again.json["links"][0]["link_id"] == made.json["links"][0]["link_id"]
    assert tested_store.head("acme") == head


def test_another_bundle_or_control_is_another_link(client):
    post(client, link_body())
    assert counts(post(client, link_body(bundle_id="after"), link_body(control_id="CC7.2"))) == (201, 2, 0, 0)


def test_a_bundle_sealed_before_the_test_is_refused(client, tested_store):
    head = tested_store.head("acme")
    answer = post(client, link_body(bundle_id="before"))
    assert (counts(answer), reasons(answer)) == ((200, 0, 0, 1), ["sealed_before_test"])
    assert answer.json["links"][0]["message"] == (
        "The bundle 'before' was sealed before the test was performed; link it as a supplement."
    )
    assert (stored_rows(tested_store), tested_store.head("acme")) == ([], head)


@pytest.mark.parametrize("how", ["member", "query"])
def test_as_a_supplement_it_is_linked_and_marked(client, tested_store, how):
    if how == "query":
        answer = post(client, link_body(bundle_id="before"), query="?supplement=true")
    else:
        answer = post(client, link_body(bundle_id="before", supplement=True))
    assert counts(answer) == (201, 1, 0, 0)
    assert stored_rows(tested_store)[0]["supplement"] is True
    assert counts(post(client, link_body(bundle_id="before"))) == (200, 0, 1, 0)


def test_a_link_to_a_later_bundle_is_no_supplement_whatever_was_asked(client, tested_store):
    post(client, link_body(bundle_id="after", supplement=True))
    assert stored_rows(tested_store)[0]["supplement"] is False


@pytest.mark.parametrize(("zone", "reason"), [("UTC", None), ("Pacific/Auckland", None), ("Pacific/Honolulu", "late")])
def test_a_recurring_test_is_as_old_as_its_day_in_the_zone_of_the_organization(client, tested_store, zone, reason):
    """``before`` was sealed at 06:30 UTC on the day of the test, which is the evening before in Honolulu."""
    with tested_store.revision("acme", "setup", now=NOW) as revision:
        revision.update(organizations, {}, {"time_zone": zone})
        revision.record("settings.changed")
    answer = post(client, link_body("done", bundle_id="before"))
    assert reasons(answer) == [reason and "sealed_before_test"]


@pytest.mark.parametrize(
    ("link", "reason"),
    [
        (link_body("nobody"), "unknown_test"),
        (link_body("theirs"), "unknown_test"),
        (link_body("planned"), "not_performed"),
        (link_body(control_id="CC99"), "unknown_control"),
        (link_body(bundle_id="none"), "unknown_bundle"),
        (link_body(bundle_id="their-bundle"), "unknown_bundle"),
    ],
)
def test_what_is_not_here_is_refused_and_the_rest_recorded(client, tested_store, link, reason):
    answer = post(client, link, link_body())
    assert (counts(answer), reasons(answer)) == ((201, 1, 0, 1), [reason, None])
    assert len(stored_rows(tested_store)) == 1


def test_a_link_that_somebody_rejected_stays_rejected(client, tested_store):
    with tested_store.revision("acme", "setup", now=NOW) as revision:
        refused = {
            "id": "L1",
            "test_id": "dry",
            "framework": "soc2",
            "control_id": "CC7.1",
            "status": "rejected",
            "linked_by": "bob@acme.example",
            "linked_at": NOW,
        }
        revision.insert(test_links, [refused])
        revision.record("import.completed")
    answer = post(client, link_body())
    assert (reasons(answer), answer.json["links"][0]["message"]) == (
        ["rejected_before"],
        "This link was rejected by bob@acme.example.",
    )


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "body"),
        ({"links": []}, "links"),
        ({"links": [link_body()] * 501}, "links"),
        ({"links": [{"test_id": "dry"}]}, "links[0]"),
        ({"links": [link_body(test_id="")]}, "links[0].test_id"),
        ({"links": [link_body(note="x")]}, "links[0]"),
        ({"links": [link_body(supplement="yes")]}, "links[0].supplement"),
        ({"links": [link_body()], "all": True}, "body"),
    ],
)
def test_a_malformed_body_is_refused_and_nothing_is_written(client, tested_store, body, field):
    head = tested_store.head("acme")
    answer = client.post(ROUTE, body)
    assert (answer.status, answer.json["error"], answer.json["details"][0]["field"]) == (400, "invalid_body", field)
    assert tested_store.head("acme") == head


def test_an_unknown_parameter_is_refused(client):
    answer = post(client, link_body(), query="?supplement=perhaps")
    assert (answer.status, answer.json["error"]) == (400, "invalid_parameter")


def test_nobody_is_let_in_without_a_session(tested_store, sign_in):
    assert post(sign_in(None), link_body()).status == 401


@pytest.mark.real
def test_the_report_shows_the_link_at_once(client):
    assert client.get(ROUTE).json["summary"]["tests_unused"] == 1
    post(client, link_body())
    after = client.get(ROUTE).json
    assert (after["summary"]["tests_unused"], after["summary"]["controls_newly_evidenced"]) == (0, 1)
    assert [row["control_id"] for row in after["newly_evidenced"]] == ["CC7.1"]


def test_a_suggestion_can_be_posted_as_it_stands(client):
    suggested = client.get(ROUTE).json["suggestions"][0]
    answer = client.post(ROUTE, json.loads(suggested["link_body"]))
    assert counts(answer) == (201, 1, 0, 0)
    later = client.get(ROUTE).json["suggestions"]
    assert suggested["control_id"] not in [row["control_id"] for row in later]
