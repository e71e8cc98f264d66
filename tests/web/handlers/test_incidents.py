"""Incidents over HTTP: the file, the evidence pack, the review, and the root-cause analysis."""

import hashlib
import json
from datetime import date, timedelta
from functools import partial

import pytest
from sqlalchemy import select

from engine.incidents.hands.steps import PersonStep, take_step
from engine.store.chain.chain import EventRow
from engine.store.schema.audit import access_log, audit_log, legal_holds
from engine.store.schema.automation import approvals, dry_runs, executions, policy_blocks
from engine.store.schema.controls import attestations
from engine.store.schema.organizations import organization_settings, organizations
from engine.store.schema.risk import vendors
from engine.store.schema.services import (
    deploys,
    findings,
    incident_actions,
    incident_timeline,
    incidents,
    rca_runs,
    service_dependencies,
    services,
    slo_buckets,
    slo_profiles,
)
from tests.conftest import NOW

ROUTES = [
    ("GET", "/api/incidents/{}/export"),
    ("GET", "/api/incidents/{}/evidence"),
    ("GET", "/api/incidents/{}/review"),
    ("POST", "/api/incidents/{}/rca/run"),
    ("GET", "/api/incidents/{}/rca/latest"),
]
OPENED = NOW - timedelta(days=2)
ANN = "ann@acme.example"


def minutes(number):
    return OPENED + timedelta(minutes=number)


def write(store, *rows, org="acme", action="import.completed", **event):
    """One revision with rows of (table, {column: value})."""
    with store.revision(org, ANN, now=NOW) as revision:
        for table, row in rows:
            revision.insert(table, [row])
        return revision.record(action, **event)


def incident(identifier="INC-1", **values):
    given = {
        "id": identifier,
        "title": "Error rate above objective",
        "severity": "high",
        "status": "open",
        "opened_at": OPENED,
        **values,
    }
    return incidents, given


def service(identifier="api", **values):
    return services, {"id": identifier, "name": identifier, "criticality": 5, **values}


def bad_answer(answer):
    return answer.status, answer.json["error"]


@pytest.fixture
def full_incident(with_people):
    """An incident with everything: service, history, automation, follow-ups, hold; returns the last revision."""
    write(
        with_people,
        service(holds_customer_data=True),
        (slo_profiles, {"service_id": "api", "objective_pct": 99.0}),
        *(
            (
                slo_buckets,
                {"service_id": "api", "bucket_at": minutes(5 * n), "total": 100, "bad": 50 if 0 <= n < 6 else 0},
            )
            for n in range(-900, 12)
        ),
        incident(
            status="closed",
            service_id="api",
            source="metrics",
            dedupe_key="k",
            alert_count=3,
            owner=ANN,
            started_at=minutes(-5),
            acknowledged_at=minutes(6),
            mitigated_at=minutes(30),
            resolved_at=minutes(128),
            closed_at=minutes(600),
            root_cause="release 42",
            impact_users=3008,
            summary="Half of all requests failed",
        ),
        (
            legal_holds,
            {
                "id": "H1",
                "matter": "Acme v. Other",
                "incident_id": "INC-1",
                "reason": "r",
                "placed_by": ANN,
                "placed_at": NOW,
            },
        ),
        (
            incident_actions,
            {
                "id": "ACT-1",
                "incident_id": "INC-1",
                "title": "Alert earlier",
                "owner": ANN,
                "due_on": date(2026, 11, 19),
            },
        ),
        (incident_actions, {"id": "ACT-2", "incident_id": "INC-1", "title": "Test the rollback", "kind": "process"}),
        (
            deploys,
            {
                "id": "DEP-1",
                "service_id": "api",
                "version": "42",
                "deployed_at": minutes(-15),
                "actor": ANN,
                "status": "rolled_back",
            },
        ),
    )
    write(
        with_people,
        (
            incident_timeline,
            {
                "id": "t1",
                "incident_id": "INC-1",
                "happened_at": minutes(6),
                "kind": "status",
                "actor": ANN,
                "body": "Looking | into it",
            },
        ),
        (
            incident_timeline,
            {
                "id": "t2",
                "incident_id": "INC-1",
                "happened_at": minutes(15),
                "kind": "communication",
                "actor": ANN,
                "body": "Customers informed",
            },
        ),
        (
            dry_runs,
            {
                "id": "DRY-1",
                "playbook": "rollback",
                "inputs_hash": "ab" * 32,
                "outcome": "succeeded",
                "incident_id": "INC-1",
                "actor": ANN,
                "ran_at": minutes(20),
            },
        ),
        (
            executions,
            {
                "id": "EXE-1",
                "playbook": "rollback",
                "dry_run_id": "DRY-1",
                "status": "succeeded",
                "approval_note": "go ahead",
                "rollback_plan": "roll forward",
                "actor": ANN,
                "executed_at": minutes(25),
            },
        ),
        (
            approvals,
            {
                "id": "APR-1",
                "kind": "execution",
                "subject": "EXE-1",
                "status": "approved",
                "requested_by": ANN,
                "requested_at": minutes(22),
                "decided_by": "bob@acme.example",
                "decided_at": minutes(24),
            },
        ),
        action="incident.opened",
        object_type="incident",
        object_id="INC-1",
    )
    write(with_people, action="automation.executed", object_type="execution", object_id="EXE-1")
    write(with_people, action="access.granted", object_type="user", object_id="INC-1")
    return with_people


@pytest.mark.parametrize(("method", "route"), ROUTES)
def test_an_incident_of_another_organization_does_not_exist(method, route, sign_in, with_people):
    write(with_people, incident("theirs"), org="other")
    heads = with_people.head("acme"), with_people.head("other")
    for identifier in ("theirs", "nothing", "%00"):
        assert bad_answer(sign_in().call(method, route.format(identifier))) == (404, "not_found")
    assert (with_people.head("acme"), with_people.head("other")) == heads


@pytest.mark.parametrize(("method", "route"), ROUTES)
def test_these_routes_need_a_session_and_know_no_parameters(method, route, sign_in, full_incident):
    head = full_incident.head("acme")
    assert sign_in(None).call(method, route.format("INC-1")).status == 401
    assert bad_answer(sign_in().call(method, f"{route.format('INC-1')}?format=pdf")) == (400, "invalid_parameter")
    assert full_incident.head("acme") == head


def test_the_file_tells_the_whole_story(sign_in, full_incident):
    answer = sign_in("member@acme.example").get("/api/incidents/INC-1/export")
    text = answer.body.decode()
    assert answer.headers["content-type"] == "text/markdown; charset=utf-8"
    assert answer.headers["content-disposition"] == 'attachment; filename="INC-1.md"'
    assert text.startswith("# INC-1: Error rate above objective\n")
    for line in (
        "> **Legal hold:** the records of this incident are held; nothing of it may be deleted.",
        "- **Users affected:** 3,008",
        "- **Effect lasted:** 35 min",
        "| Detected (TTD) | 5 min from the first sign |",
        "| Resolved (TTR) | 2 h 8 min from detection |",
        "| 2026-11-18 08:25:00 | -5 min | Trouble began | – | – | – |",
        "| 2026-11-18 08:30:00 | +0 min | Detected | – | – | – |",
        "| 2026-11-18 08:36:00 | +6 min | Acknowledged | status | ann@acme.example | Looking &#124; into it |",
        "| 2026-11-18 08:50:00 | +20 min | – | dry-run | ann@acme.example | Dry-run DRY-1 of rollback: succeeded |",
        "| ACT-2 | Test the rollback | process | no owner | no date | open | – |",
    ):
        assert f"\n{line}\n" in text, line
    assert "access.granted" not in text


@pytest.mark.parametrize("name", ["export", "review"])
def test_file_and_review_speak_in_the_time_zone_of_the_organization(name, sign_in, full_incident):
    with full_incident.revision("acme", ANN, now=NOW) as revision:
        revision.update(organizations, {}, {"time_zone": "America/New_York"})
        revision.record("organization.changed")
    text = sign_in().get(f"/api/incidents/INC-1/{name}").body.decode()
    assert "All times are in America/New_York." in text
    assert "\n| 2026-11-18 03:25:00 | -5 min | Trouble began | – | – | – |\n" in text
    assert "UTC" not in text


def test_same_records_same_bytes(sign_in, full_incident, clock):
    client = sign_in()
    first = [client.get(f"/api/incidents/INC-1/{name}").body for name in ("export", "evidence", "review")]
    clock.tick(timedelta(hours=3))
    assert [client.get(f"/api/incidents/INC-1/{name}").body for name in ("export", "evidence", "review")] == first


def test_downloads_are_in_the_access_log_and_move_no_revision(sign_in, full_incident):
    head = full_incident.head("acme")
    for name in ("export", "evidence", "review"):
        sign_in().get(f"/api/incidents/INC-1/{name}")
    with full_incident.reader() as connection:
        rows = connection.execute(select(access_log.c.resource, access_log.c.format)).all()
    assert sorted(map(tuple, rows)) == [
        ("/api/incidents/INC-1/evidence", "json"),
        ("/api/incidents/INC-1/export", "md"),
        ("/api/incidents/INC-1/review", "md"),
    ]
    assert full_incident.head("acme") == head


def test_the_name_of_a_download_cannot_break_the_header(sign_in, with_people):
    write(with_people, incident('a";b\u00e9'))
    answer = sign_in().get('/api/incidents/a";b\u00e9/export')
    assert answer.headers["content-disposition"] == 'attachment; filename="a-b.md"'


# -- the evidence pack -------------------------------------------------------------------------------------------------


def test_every_item_of_the_pack_has_its_place_in_the_chain(sign_in, full_incident):
    pack = sign_in().get("/api/incidents/INC-1/evidence").json
    with full_incident.reader() as connection:
        hashes = dict(
            connection.execute(select(audit_log.c.seq, audit_log.c.hash).where(audit_log.c.org_id == "acme")).all()
        )
    lists = ("timeline", "actions", "dry_runs", "executions", "approvals", "legal_holds", "audit_events")
    assert {name: len(pack[name]) for name in lists} == {
        "timeline": 2,
        "actions": 2,
        "dry_runs": 1,
        "executions": 1,
        "approvals": 1,
        "legal_holds": 1,
        "audit_events": 2,
    }
    items = [item for name in lists for item in pack[name]] + [pack["incident"], pack["service"]]
    assert all(hashes[item["audit"]["seq"]] == item["audit"]["hash"] for item in items)
    assert [event["action"] for event in pack["audit_events"]] == ["incident.opened", "automation.executed"]
    assert pack["chain"] == {"seq": full_incident.head("acme").seq, "hash": full_incident.head("acme").hash}
    assert all("org_id" not in item and "revision" not in item for item in pack["timeline"])


def test_the_hash_of_a_pack_can_be_recomputed_and_changes_with_the_incident_alone(sign_in, full_incident):
    client = sign_in()
    pack = client.get("/api/incidents/INC-1/evidence").json
    content = {name: value for name, value in pack.items() if name not in ("chain", "content_sha256")}
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert hashlib.sha256(canonical.encode()).hexdigest() == pack["content_sha256"]
    write(
        full_incident,
        (attestations, {"id": "a", "framework": "soc2", "control_id": "CC6.1", "owner": ANN, "due_on": NOW.date()}),
    )
    later = client.get("/api/incidents/INC-1/evidence").json
    assert (later["content_sha256"], later["chain"]["seq"]) == (pack["content_sha256"], pack["chain"]["seq"] + 1)
    assert pack["content_sha256"] in client.get("/api/incidents/INC-1/review").body.decode()
    write(
        full_incident,
        (
            incident_timeline,
            {"id": "t3", "incident_id": "INC-1", "happened_at": NOW, "kind": "note", "actor": ANN, "body": "b"},
        ),
    )
    assert client.get("/api/incidents/INC-1/evidence").json["content_sha256"] != pack["content_sha256"]


# -- the review --------------------------------------------------------------------------------------------------------


def review(client, identifier="INC-1"):
    answer = client.get(f"/api/incidents/{identifier}/review")
    assert answer.status == 200
    return answer.body.decode()


def test_the_review_knows_an_assessment_by_law(sign_in, full_incident, with_people):
    assert "no assessment is recorded" in review(sign_in())
    for law in ("dora", "gdpr"):
        step = PersonStep("assess", NOW, law=law)
        with_people.write(
            "acme", "ann@acme.example", partial(take_step, incident_id="INC-1", step=step, way=""), now=NOW
        )
        assert ("no assessment is recorded" in review(sign_in())) == (law == "dora")
    assert "**Assessed as a breach of personal data:** yes, on " in review(sign_in())


def test_the_review_has_its_sections_and_the_incidents_figures(sign_in, full_incident):
    text = review(sign_in())
    assert [line[3:] for line in text.splitlines() if line.startswith("## ")] == [
        "1. Summary",
        "2. Impact",
        "3. Timeline",
        "4. Detection",
        "5. Response",
        "6. What went well",
        "7. What went poorly",
        "8. Contributing factors",
        "9. Actions",
        "10. Execution evidence",
        "11. Audit snapshot",
    ]
    head = full_incident.head("acme")
    for sentence in (
        "> **Draft:** no completed review is recorded. **Legal hold:** Acme v. Other",
        "It was acknowledged after 6 min, mitigated after 30 min and resolved after 2 h 8 min.",
        "The effect lasted 35 min and reached 3,008 users.",
        # 6 buckets of 50 bad events; 906 buckets of 100 events in the 30 days before the end, of which 1 % may be bad
        "- **Error budget used:** 33.1 % of the 30 days that end with the incident: 300 bad of 700 events; "
        "the objective of 99 % allows 906.0 in that time",
        "- **Customer data on the service:** held",
        "- 1 execution succeeded, each after a dry-run that did.",
        "- The first communication is recorded 15 min after detection.",
        "- 1 follow-up action overdue: ACT-1.",
        "- Without an owner or a date: ACT-2.",
        "**Established cause:** release 42",
        "No root-cause analysis was run.",
        "| 2026-11-18 08:15:00 | 10 min | DEP-1 | api | the service | 42 | – | rolled back | ann@acme.example |",
        f"- **Audit chain head:** position {head.seq}, hash {head.hash}",
    ):
        assert sentence in text, sentence


def test_what_is_not_recorded_is_an_explicit_blank(sign_in, with_people):
    write(with_people, incident())
    text = review(sign_in())
    for said in (
        "> **Preliminary:** the incident is not resolved.",
        "When it was acknowledged, mitigated and resolved is not recorded.",
        "No cause is established.",
        "- **Users affected:** blank: not recorded",
        "- **Effect lasted:** blank: its end is not recorded",
        "- **Error budget used:** blank: no service is recorded",
        "| Detected (TTD) | blank: when the trouble began is not recorded |",
        "| Acknowledged (TTA) | blank: not acknowledged |",
        "| Mitigated (TTM) | blank: not mitigated |",
        "| Resolved (TTR) | blank: not resolved |",
        "Who led the response is not recorded.",
        "No communication is recorded.",
        "- No communication is recorded for an incident of high severity.",
        "- *To be filled in by the team:* what helped, and should be kept?",
        "No automation was rehearsed or executed for this incident.",
        "No audit event names this incident.",
    ):
        assert said in text, said
    assert "went well" not in text.split("## 6. What went well")[1].split("##")[0].lower()


@pytest.mark.parametrize(
    ("rows", "blank"),
    [
        ([], "the service has no service level objective"),
        ([(slo_profiles, {"service_id": "api", "objective_pct": 99.0})], "no events of the service are recorded"),
        (
            [
                (slo_profiles, {"service_id": "api", "objective_pct": 99.0}),
                (slo_buckets, {"service_id": "api", "bucket_at": OPENED, "total": 10, "bad": 10}),
            ],
            "the service has too little history (1 five-minute buckets in 30 days)",
        ),
    ],
)
def test_a_budget_that_is_not_known_is_never_good(rows, blank, sign_in, with_people):
    write(with_people, service(), incident(service_id="api", mitigated_at=minutes(10)), *rows)
    assert f"- **Error budget used:** blank: {blank}" in review(sign_in())


def test_speed_is_judged_against_the_organizations_own_year(sign_in, with_people):
    for days in range(1, 7):
        at = OPENED - timedelta(days=days)
        write(with_people, incident(f"P{days}", opened_at=at, acknowledged_at=at + timedelta(minutes=10)))
    write(with_people, incident("fast", acknowledged_at=minutes(4)), incident("slow", acknowledged_at=minutes(40)))
    of_them = "the median of 6 earlier high incidents in a year"
    assert f"- Acknowledgement took 4 min; {of_them} is 10 min." in review(sign_in(), "fast")
    assert f"- Acknowledgement took 40 min, longer than {of_them} (10 min)." in review(sign_in(), "slow")
    assert "earlier high incidents" not in review(sign_in(), "P6")


def test_text_of_users_never_becomes_markup(sign_in, with_people):
    nasty = "<script>alert(1)</script> | # [x](javascript:y) `z`\n## 99. Forged"
    line = {"id": "t", "incident_id": "INC-1", "happened_at": OPENED, "kind": "note", "actor": nasty, "body": nasty}
    write(with_people, incident(title=nasty, summary=nasty, source=nasty, root_cause=nasty), (incident_timeline, line))
    for name in ("export", "review"):
        text = sign_in().get(f"/api/incidents/INC-1/{name}").body.decode()
        assert "<script" not in text
        assert "[x](" not in text
        assert "\n## 99" not in text


# -- root-cause analysis -----------------------------------------------------------------------------------------------


def run(client, identifier="INC-1"):
    return client.post(f"/api/incidents/{identifier}/rca/run")


def test_a_run_is_kept_audited_and_told_in_the_timeline(sign_in, full_incident):
    client = sign_in("operator@acme.example")
    head = full_incident.head("acme")
    answer = run(client)
    found = answer.json
    assert answer.status == 201
    assert found["hypothesis"] == "A change went live: DEP-1, release 42 of api."
    assert (found["incident_id"], found["actor"], found["model_version"], found["conclusive"]) == (
        "INC-1",
        "operator@acme.example",
        "rca-3",
        True,
    )
    assert found["candidates"][0]["evidence_ids"] == ["deploys:DEP-1"]
    assert found["candidates"][0]["features"] == {"origin": 0.9, "temporal": 0.794, "topological": 1.0}
    assert found["candidates"][0]["supports"] == [
        "It went live 10 min before the onset.",
        "It is on the service itself.",
    ]
    assert client.get("/api/incidents/INC-1/rca/latest").json == found
    assert full_incident.head("acme").seq == head.seq + 1
    pack = client.get("/api/incidents/INC-1/evidence").json
    assert (pack["audit_events"][-1]["action"], pack["audit_events"][-1]["details"]["run"]) == (
        "rca.completed",
        found["id"],
    )
    assert pack["timeline"][-1]["kind"] == "rca"
    assert pack["timeline"][-1]["body"].startswith(f"Root-cause analysis {found['id']}: A change went live: DEP-1")
    assert "**Root-cause analysis**" in review(client)


def test_an_analysis_may_be_inconclusive_and_then_is_no_evidence_of_one(sign_in, with_people):
    write(with_people, incident())
    found = run(sign_in()).json
    assert (found["hypothesis"], found["conclusive"], found["candidates"], found["confidence"]) == (
        "inconclusive",
        False,
        [],
        0.0,
    )
    assert found["reason"] == "Nothing that could explain it was recorded around the onset."
    assert found["next_checks"]
    with with_people.reader() as connection:
        last = connection.execute(select(audit_log.c.action).order_by(audit_log.c.seq.desc()).limit(1)).scalar()
    assert last == "rca.inconclusive"
    assert "It found no candidate." in review(sign_in())


def test_a_run_of_an_earlier_version_is_shown_without_what_speaks_for_its_candidates(sign_in, full_incident):
    client = sign_in()
    kept = run(client).json
    with full_incident.reader() as connection:
        stored = connection.execute(select(rca_runs.c.candidates)).scalar_one()
    for candidate in stored["candidates"]:
        del candidate["supports"]
    write(
        full_incident,
        (
            rca_runs,
            {
                **{name: kept[name] for name in ("hypothesis", "confidence", "incident_id", "actor")},
                "id": "rca-old",
                "model_version": "rca-1",
                "run_at": NOW + timedelta(hours=1),
                "candidates": stored,
            },
        ),
    )
    found = client.get("/api/incidents/INC-1/rca/latest").json
    assert (found["id"], found["candidates"][0]["supports"]) == ("rca-old", [])


def test_candidates_come_from_whatever_is_on_the_way_and_may_have_begun_it(sign_in, with_people):
    near = minutes(-10)
    with with_people.revision("acme", ANN, now=NOW) as revision:
        for action, about in (("config.changed", "mail"), ("config.changed", "elsewhere"), ("login.failed", "api")):
            event = EventRow(f"EV-{action}-{about}", near, "ci", action, "service", about)
            revision.append_events([event])
    write(
        with_people,
        *(service(name) for name in ("api", "database", "mail", "elsewhere")),
        (service_dependencies, {"service_id": "api", "depends_on_id": "database"}),
        (vendors, {"id": "v1", "name": "Cloudcorp", "category": "cloud", "tier": "high"}),
        (
            vendors,
            {"id": "v2", "name": "Formerly", "category": "cloud", "tier": "low", "offboarded_on": date(2026, 1, 1)},
        ),
        (service_dependencies, {"service_id": "api", "depends_on_id": "mail", "vendor_id": "v1"}),
        (deploys, {"id": "D", "service_id": "mail", "deployed_at": near, "actor": ANN}),
        (deploys, {"id": "far", "service_id": "elsewhere", "deployed_at": near, "actor": ANN}),
        (
            dry_runs,
            {
                "id": "DRY",
                "playbook": "restart-service",
                "inputs": {"service": "database"},
                "actor": ANN,
                "inputs_hash": "ab" * 32,
                "outcome": "succeeded",
                "ran_at": near,
            },
        ),
        (
            executions,
            {
                "id": "EXE",
                "playbook": "restart-service",
                "dry_run_id": "DRY",
                "actor": ANN,
                "approval_note": "go ahead",
                "rollback_plan": "none",
                "executed_at": near,
            },
        ),
        (
            findings,
            {
                "id": "F",
                "finding_key": "k",
                "title": "Certificate expires 2026-11-18",
                "severity": "low",
                "status": "open",
                "source": "scanner",
                "service_id": "api",
                "first_seen_at": minutes(-9000),
                "last_seen_at": near,
            },
        ),
        (deploys, {"id": "old", "service_id": "api", "deployed_at": minutes(-60 * 25), "actor": ANN}),
        (
            policy_blocks,
            {
                "id": "B",
                "playbook": "apply-patch",
                "reason": "hours",
                "message": "not now on api",
                "actor": ANN,
                "blocked_at": near,
            },
        ),
        incident(service_id="api", dedupe_key="k"),
        incident("up", title="Replica lagging", service_id="database", opened_at=near),
        incident("full", title="Disk almost full", service_id="api", opened_at=near),
        incident("cloud", title="Cloudcorp is down", opened_at=near),
        incident("gone", title="Formerly is down", service_id="elsewhere", opened_at=near),
        incident(
            "past",
            dedupe_key="k",
            opened_at=OPENED - timedelta(days=9),
            resolved_at=OPENED - timedelta(days=8),
            root_cause="a query without an index",
        ),
    )
    found = run(sign_in()).json
    assert {(one["kind"], one["evidence_ids"][0]) for one in found["candidates"]} == {
        ("deploy", "deploys:D"),
        ("change", "executions:EXE"),
        ("certificate", "findings:F"),
        ("change", "audit_log:EV-config.changed-mail"),
        ("policy_block", "policy_blocks:B"),
        ("upstream", "incidents:up"),
        ("capacity", "incidents:full"),
        ("vendor_outage", "incidents:cloud"),
        ("recurrence", "incidents:past"),
    }
    assert found["similar_incident_ids"] == ["past"]
    vendor = next(one for one in found["candidates"] if one["kind"] == "vendor_outage")
    assert vendor["evidence_ids"] == ["incidents:cloud", "vendors:v1", "service_dependencies:api>mail"]
    assert vendor["supports"] == ["It began 10 min before the onset.", "api needs Cloudcorp."]
    assert [(one["sentence"], one["evidence_ids"]) for one in vendor["grounds_for"]] == [
        ("It began 10 min before the onset.", ["incidents:cloud"]),
        ("api needs Cloudcorp.", ["service_dependencies:api>mail"]),
    ]


@pytest.mark.parametrize(
    ("tier", "stops", "link", "said"),
    [
        ("critical", None, 0.5, "No dependency on Quorra is recorded."),
        ("critical", False, 0.5, "No dependency on Quorra is recorded."),
        (
            "low",
            True,
            0.75,
            "No dependency on Quorra is recorded; the register says that its outage stops the service.",
        ),
    ],
)
def test_the_register_says_that_an_outage_stops_the_service_in_its_own_column(
    tier, stops, link, said, sign_in, with_people
):
    vendor = {"id": "quorra", "name": "Quorra", "category": "dns", "tier": tier, "outage_stops_service": stops}
    write(
        with_people,
        service(),
        (vendors, {**vendor, "status": "assessed"}),
        incident("out", title="Quorra outage", opened_at=minutes(-4)),
        incident(service_id="api"),
    )
    found = run(sign_in()).json
    (candidate,) = [one for one in found["candidates"] if one["kind"] == "vendor_outage"]
    assert (candidate["features"]["link"], found["conclusive"]) == (link, link > 0.5)
    assert [one["evidence_ids"] for one in candidate["grounds_against"] if one["sentence"] == said] == [
        ["vendors:quorra"]
    ]


def test_the_deploys_before_an_incident_show_in_its_file_its_evidence_and_its_review(sign_in, with_people):
    client = sign_in("operator@acme.example")
    write(
        with_people,
        service(),
        service("database"),
        service("mail"),
        (service_dependencies, {"service_id": "api", "depends_on_id": "database"}),
        incident(service_id="api"),
    )
    for name, ago in (("database", 20), ("mail", 30), ("api", 60 * 25)):
        body = {"service": name, "version": "7", "deployed_at": minutes(-ago).isoformat(), "id": f"D-{name}"}
        assert client.post("/api/integrations/deploy-events", json.dumps(body).encode()).status == 201
    line = (
        "| 2026-11-18 08:10:00 | 20 min | D-database | database | needed | 7 | – | succeeded | operator@acme.example |"
    )
    for resource in ("export", "review"):
        text = client.get(f"/api/incidents/INC-1/{resource}").body.decode()
        assert line in text
        assert "1 more went live on other services." in text
    (found,) = client.get("/api/incidents/INC-1/evidence").json["deploys"]
    assert (found["id"], found["service_id"], found["hops"], found["audit"]["seq"] > 0) == (
        "D-database",
        "database",
        1,
        True,
    )


def test_the_organizations_own_threshold_decides_what_is_conclusive(sign_in, full_incident):
    assert run(sign_in()).json["conclusive"] is True
    write(full_incident, (organization_settings, {"name": "rca_confident", "value": 0.9}))
    assert run(sign_in()).json["conclusive"] is False


def test_the_latest_run_is_the_last_one(sign_in, full_incident):
    client = sign_in()
    assert bad_answer(client.get("/api/incidents/INC-1/rca/latest")) == (404, "no_rca_run")
    first, second = run(client).json["id"], run(client).json["id"]
    assert client.get("/api/incidents/INC-1/rca/latest").json["id"] == second != first
    with full_incident.reader() as connection:
        assert len(connection.execute(select(rca_runs.c.id)).all()) == 2


def test_a_body_that_is_no_object_runs_nothing(sign_in, full_incident):
    head = full_incident.head("acme")
    for body in (b"[]", b"{", b"\xff"):
        assert bad_answer(sign_in().post("/api/incidents/INC-1/rca/run", body)) == (400, "invalid_body")
    assert full_incident.head("acme") == head
