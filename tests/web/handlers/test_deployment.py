"""Deployment, retention, legal holds and policy blocks over HTTP."""

from datetime import timedelta

import pytest

from engine.store.schema.audit import legal_holds
from engine.store.schema.automation import dry_runs, policy_blocks
from engine.store.schema.organizations import organizations
from engine.store.schema.outputs import deliveries
from engine.store.schema.services import connections, incidents
from tests.conftest import NOW

PROFILE, RETENTION = "/api/deployment/profile", "/api/deployment/retention"
HOLDS, BLOCKS = "/api/governance/legal-holds", "/api/governance/policy-blocks/summary"
PATHS = (PROFILE, RETENTION, HOLDS, BLOCKS)
MEMBER, OWNER = "member@acme.example", "owner@acme.example"


def word(answer):
    return answer.status, answer.json.get("error")


def write(store, *tables, org="acme", **organization):
    with store.revision(org, "setup", now=NOW) as revision:
        for table, rows in tables:
            revision.insert(table, rows)
        if organization:
            revision.update(organizations, {}, organization)
        revision.record("records.prepared", object_type="incident", object_id="i1")


def block(identifier, actor, **values):
    row = {"id": identifier, "playbook": "apply-patch", "reason": "hours", "actor": actor, "blocked_at": NOW}
    return {**row, **values}


@pytest.mark.parametrize("path", PATHS)
def test_they_come_in_every_format_even_without_records(path, sign_in):
    client = sign_in(MEMBER)
    for form in ("json", "csv", "html", "md"):
        answer = client.get(f"{path}?format={form}")
        assert (answer.status, bool(answer.body)) == (200, True), answer.body[:300]
    assert client.get(path).json["organization"]["id"] == "acme"


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("query", ["format=ics", "x=1", "window=90d"])
def test_a_malformed_question_is_refused(path, query, sign_in):
    assert sign_in(MEMBER).get(f"{path}?{query}").status == 400


def test_the_profile_names_places_without_persons(sign_in, with_people):
    def delivery_row(identifier, channel, recipient):
        return {
            "id": identifier,
            "kind": "digest",
            "period": "2026-W47",
            "channel": channel,
            "recipient": recipient,
            "status": "sent",
            "attempts": 1,
            "created_at": NOW,
        }

    chat = {
        "id": "c1",
        "kind": "chat",
        "name": "Team chat",
        "settings": {"region": "us-east"},
        "created_by": OWNER,
        "created_at": NOW,
    }
    write(
        with_people,
        (
            deliveries,
            [
                delivery_row("d1", "email", "ann@Board.example"),
                delivery_row("d2", "email", "bob@board.example"),
                delivery_row("d3", "webhook", "https://hooks.example/secret/path"),
            ],
        ),
        (connections, [chat]),
        data_region="eu-west",
        modules=["slo"],
    )
    content = sign_in(MEMBER).get(PROFILE)
    found = [
        (row["kind"], row["name"], row["region"], row["reason"], row["deliveries"])
        for row in content.json["residency_exceptions"]
    ]
    assert found == [
        ("chat", "Team chat", "us-east", "outside the region", 0),
        ("email", "board.example", None, "region unknown", 2),
        ("webhook", "hooks.example", None, "region unknown", 1),
    ]
    for secret in (b"ann@", b"bob@", b"secret"):
        assert secret not in content.body
    assert content.json["summary"]["profile_version"] == with_people.head("acme").seq


def test_holds_name_what_they_keep(sign_in, with_people):
    row = {
        "id": "h1",
        "matter": "Acme v. Doe",
        "reason": "evidence",
        "placed_by": OWNER,
        "placed_at": NOW - timedelta(days=3),
        "incident_id": "i1",
        "scope": "incident",
    }
    down = {"id": "i1", "title": "Down", "severity": "high", "status": "open", "opened_at": NOW}
    write(with_people, (legal_holds, [row]), (incidents, [down]))
    content = sign_in(MEMBER).get(HOLDS).json
    assert [(hold["id"], hold["flagged"], hold["age_days"]) for hold in content["holds"]] == [("h1", 1, 3)]
    assert (content["summary"]["holds_active"], content["summary"]["held_events"]) == (1, 1)
    assert sign_in("owner@other.example", "other").get(HOLDS).json["holds"] == []


def test_retention_follows_the_tier(sign_in, with_people):
    write(with_people, deployment_tier="dedicated")
    summary = sign_in(MEMBER).get(RETENTION).json["summary"]
    assert (summary["deployment_tier"], summary["audit_log_days"], summary["incidents_days"]) == (
        "dedicated",
        730,
        1095,
    )


def test_everybody_sees_his_own_blocks(sign_in, with_people):
    run = {
        "id": "d1",
        "playbook": "apply-patch",
        "inputs_hash": "x",
        "outcome": "succeeded",
        "actor": OWNER,
        "ran_at": NOW,
    }
    write(
        with_people, (policy_blocks, [block("b1", MEMBER), block("b2", OWNER), block("b3", OWNER)]), (dry_runs, [run])
    )
    mine, theirs = sign_in(MEMBER).get(BLOCKS), sign_in(OWNER).get(BLOCKS)
    assert (mine.json["summary"]["policy_blocks"], mine.json["summary"]["policy_runs_allowed"]) == (1, 0)
    assert (theirs.json["summary"]["policy_blocks"], theirs.json["summary"]["policy_runs_allowed"]) == (2, 1)
    assert [row["id"] for row in mine.json["blocks"]] == ["b1"]
    assert OWNER.encode() not in mine.body


def test_an_answer_about_one_person_is_never_that_of_another(sign_in, with_people):
    write(with_people, (policy_blocks, [block("b1", MEMBER)]))
    mine, theirs = sign_in(MEMBER), sign_in(OWNER)
    first = mine.get(BLOCKS)
    assert mine.get(BLOCKS, if_none_match=first.headers["etag"]).status == 304
    other = theirs.get(BLOCKS, if_none_match=first.headers["etag"])
    assert (other.status, other.json["summary"]["policy_blocks"]) == (200, 0)
    assert (first.headers["cache-control"], "Cookie" in first.headers["vary"]) == ("private, no-cache", True)


@pytest.mark.parametrize("actor", [OWNER, MEMBER, ""])
def test_nobody_asks_about_somebody(actor, sign_in):
    assert word(sign_in(MEMBER).get(f"{BLOCKS}?actor={actor}")) == (400, "invalid_parameter")


def test_the_window_may_be_7_or_30_days(sign_in, with_people):
    write(with_people, (policy_blocks, [block("b1", MEMBER, blocked_at=NOW - timedelta(days=10))]))
    blocks = {
        window: sign_in(MEMBER).get(f"{BLOCKS}?window={window}").json["summary"]["policy_blocks"]
        for window in ("7d", "30d")
    }
    assert blocks == {"7d": 0, "30d": 1}
