"""Alerts that share a transaction do what they would do one after the other."""

from contextlib import closing
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from engine.incidents.alerts.alert_rows import Receipt
from engine.incidents.alerts.alerts import ingest_alerts, prefetch_keys
from engine.intake.alerts import Alert
from engine.store import Store
from engine.store.schema.audit import audit_log
from engine.store.schema.services import incident_timeline, incidents, services
from tests.conftest import NOW
from tests.laws import examples
from tests.store.together import together

alerts = st.builds(
    Alert,
    source=st.just("normalized"),
    dedupe_key=st.sampled_from(["disk", "cpu"]),
    state=st.sampled_from(["firing", "firing", "resolved", "update", "ignored"]),
    title=st.sampled_from(["Disk full", "Hot"]),
    severity=st.sampled_from(["low", "high", "critical"]),
    severity_given=st.booleans(),
    service=st.sampled_from([None, "db", "Database", "unheard of"]),
    occurred_at=st.sampled_from([None, NOW - timedelta(hours=1), NOW]),
    event_id=st.sampled_from([None, None, "normalized:e1"]),
    acknowledged=st.booleans(),
)


AGAIN = Alert(source="normalized", dedupe_key="cpu", state="firing", title="Hot")  # after an incident of the future


def open_store(path, template):
    path.mkdir()
    (path / "hq.db").write_bytes(template.read_bytes())
    store = Store(f"sqlite:///{path / 'hq.db'}")
    with store.revision("acme", "setup", now=NOW, create={}) as revision:
        revision.insert(services, [{"id": "db", "name": "Database", "criticality": 5}])
        revision.insert(
            incidents,
            [
                {
                    "id": "inc-to-come",
                    "title": "Clocks differ",
                    "severity": "low",
                    "status": "closed",
                    "dedupe_key": "cpu",
                    "opened_at": NOW + timedelta(hours=1),
                }
            ],
        )
        revision.record("organization.created")
    return store


def all_rows(store):
    """Every row as text; for a random identifier of an incident stands its place in the audit log."""
    with store.reader() as connection:
        found = [
            (table.name, dict(row))
            for table in (audit_log, incidents, incident_timeline)
            for row in connection.execute(select(table)).mappings()
        ]
    names = {}
    for table, row in found:
        if table == "audit_log":
            row["hash"] = row["changes"] = None
            names.setdefault(str(row["object_id"]), f"incident {len(names)}")
        elif table == "incident_timeline":
            row["id"] = None
    texts = []
    for table, row in found:
        text = repr(sorted(row.items()))
        for identifier, name in names.items():
            text = text.replace(repr(identifier), name)
        texts.append((table, text))
    return sorted(texts)


@pytest.mark.real
@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(alerts, min_size=1, max_size=3), min_size=1, max_size=6))
@example([[AGAIN], [AGAIN]])
def test_together_is_one_after_the_other(sqlite_template, tmp_path_factory, bodies):
    folder = tmp_path_factory.mktemp("alerts")
    one, other = open_store(folder / "one", sqlite_template), open_store(folder / "other", sqlite_template)

    def change(body):
        return lambda revision: ingest_alerts(revision, body, Receipt(NOW))

    alone = []
    for place, body in enumerate(bodies):  # each in a process of its own, so to say: nothing is remembered
        with closing(Store(one.url)) as fresh:
            alone.append(fresh.write("acme", f"w{place}", change(body), now=NOW))
    shared = together(other, *((change(body), prefetch_keys(body)) for body in bodies))
    assert [[each["outcome"] for each in answer] for answer in shared] == [
        [each["outcome"] for each in answer] for answer in alone
    ]
    assert all_rows(other) == all_rows(one)
    assert other.verify("acme").problem is None
    one.close()
    other.close()


def test_a_service_is_found_by_name_or_identifier_whoever_else_asks(any_store):
    """In one transaction with an alert that names its identifier, an alert that names nothing known stays without."""
    with any_store.revision("acme", "setup", now=NOW) as revision:
        revision.insert(services, [{"id": "X1", "name": "Data Base", "criticality": 5}])
        revision.record("import.completed")

    def firing(key, service):
        body = [Alert(source="normalized", dedupe_key=key, state="firing", title="Hot", service=service)]
        return (lambda revision: ingest_alerts(revision, body, Receipt(NOW))), prefetch_keys(body)

    together(any_store, firing("a", "x1"), firing("b", "data base"), firing("c", "DATA BASE"), firing("d", "X"))
    with any_store.reader() as connection:
        found = connection.execute(
            select(incidents.c.dedupe_key, incidents.c.service_id).order_by(incidents.c.dedupe_key)
        )
        assert [tuple(row) for row in found] == [("a", "X1"), ("b", "X1"), ("c", "X1"), ("d", None)]


def test_events_of_an_organization_with_a_long_name_are_its_own(any_store):
    """Two names that are the same for their first sixty characters."""
    body = [Alert(source="pagerduty", dedupe_key="a", state="firing", title="Hot", event_id="pagerduty:e1")]
    found = []
    for org in ("o" * 80 + "1", "o" * 80 + "2"):
        with any_store.revision(org, "setup", now=NOW, create={}) as revision:
            revision.record("organization.created")
        for _ in range(2):
            (outcome,) = any_store.write(
                org, "w", lambda revision: ingest_alerts(revision, body, Receipt(NOW)), now=NOW
            )
            found.append(outcome["outcome"])
    assert found == ["created", "replayed", "created", "replayed"]
