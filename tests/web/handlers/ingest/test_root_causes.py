"""Causes that reach the store by the doors of a product in use: late, in another order, by name, by a scanner."""

from datetime import timedelta

import pytest

from engine.incidents.rootcause import rca_reads
from engine.store.chain.chain import EventRow
from engine.store.schema.services import deploys, findings, incidents, service_dependencies, services
from tests.conftest import NOW

ANN = "ann@acme.example"
ONSET = NOW - timedelta(hours=1)


def minutes(number):
    return ONSET + timedelta(minutes=number)


def incident(identifier, service_id, began, title, opened=None, severity="critical"):
    return incidents, {
        "id": identifier,
        "title": title,
        "severity": severity,
        "status": "open",
        "service_id": service_id,
        "started_at": minutes(began),
        "opened_at": minutes(began if opened is None else opened),
    }


@pytest.fixture
def causes(sign_in, with_people):
    """What an analysis of the incident on web finds, after rows were written; web needs api, api needs db."""
    needs = [{"service_id": one, "depends_on_id": two} for one, two in (("web", "api"), ("api", "db"))]
    with with_people.revision("acme", ANN, now=NOW) as revision:
        names = ("web", "api", "db", "vault", "wiki")
        revision.insert(services, [{"id": name, "name": name, "criticality": 3} for name in names])
        revision.insert(service_dependencies, needs)
        revision.record("import.completed")

    def root_causes(*rows, title="Pages do not load", events=()):
        with with_people.revision("acme", ANN, now=NOW) as revision:
            for table, row in (incident("INC", "web", 0, title), *rows):
                revision.insert(table, [row])
            revision.append_events(events)
            revision.record("import.completed")
        run = sign_in().post("/api/incidents/INC/rca/run", {}).json
        return run["conclusive"], [(one["kind"], one["evidence_ids"][0]) for one in run["candidates"]]

    return root_causes


def test_what_began_before_counts_however_late_its_alert_came(causes):
    assert causes(incident("late", "db", -9, "Feed handler stuck", opened=50)) == (
        True,
        [("upstream", "incidents:late")],
    )


def test_what_began_after_the_onset_does_not_count_however_early_it_was_read(causes):
    assert causes(incident("after", "db", 11, "Feed handler stuck")) == (False, [])


def test_a_storm_of_alerts_hides_no_cause(causes, monkeypatch):
    monkeypatch.setattr(rca_reads, "MOST", 3)
    storm = [incident(f"z{number}", "wiki", -number, "gone") for number in range(3)]
    echo = [incident(f"e{number}", "api", 1 + number, "gone") for number in range(3)]
    found = causes(*storm, *echo, incident("first", "db", -8, "Lost power"))
    assert found == (True, [("upstream", "incidents:first"), ("upstream", "incidents:e1")])


@pytest.mark.parametrize(
    ("title", "found"),
    [
        ("Sign-in fails: vault refuses connections", (True, [("upstream", "incidents:cause")])),
        ("Pages do not load", (False, [])),
    ],
)
def test_a_service_that_the_incident_names_is_on_the_way_without_a_recorded_dependency(title, found, causes):
    assert causes(incident("cause", "vault", -7, "Sealed after a restart"), title=title) == found


def test_a_release_of_a_service_that_is_only_named_is_not_sure(causes):
    release = {"id": "D", "service_id": "wiki", "deployed_at": minutes(-3), "actor": ANN}
    assert causes((deploys, release), title="Pages of the wiki do not load") == (False, [("deploy", "deploys:D")])


def test_a_service_that_needs_the_one_of_the_incident_is_not_its_cause_by_being_named(causes):
    with_web = (service_dependencies, {"service_id": "wiki", "depends_on_id": "web"})
    assert causes(with_web, incident("w", "wiki", -2, "fails"), title="Pages of the wiki fail") == (False, [])


@pytest.mark.parametrize(
    ("action", "found"),
    [
        ("tls.certificate.expired", [("certificate", "audit_log:EV")]),
        ("certificate.expired", [("certificate", "audit_log:EV")]),
        ("certificate.renewed", [("change", "audit_log:EV")]),
        ("dns.record.updated", [("change", "audit_log:EV")]),
        ("schema.migrated", [("change", "audit_log:EV")]),
        ("database.backup.completed", []),
    ],
)
def test_what_the_audit_log_says_of_a_service(action, found, causes):
    assert causes(events=[EventRow("EV", minutes(-1), "ci", action, "service", "db")])[1] == found


def test_a_certificate_that_a_scanner_finds_after_the_onset_ended_before_it(causes):
    finding = {
        "id": "F",
        "source": "scanner",
        "finding_key": "k",
        "title": "SSL certificate expired",
        "severity": "high",
        "status": "open",
        "service_id": "db",
        "first_seen_at": minutes(40),
        "last_seen_at": minutes(40),
    }
    assert causes((findings, finding)) == (True, [("certificate", "findings:F")])
