"""A bad night: 41 alerts of one cause, late, doubled, out of order, silenced in the middle, are one family of six hours."""

import random
import shutil
from datetime import timedelta
from functools import partial

import polars as pl
import pytest

from engine.facts.governance.operations import incidents as incidents_fact
from engine.incidents.alerts.alert_rows import Receipt
from engine.incidents.alerts.alerts import ingest_alerts
from engine.incidents.families.proposals import propose_families
from engine.incidents.hands.steps import PersonStep, take_step
from engine.incidents.review.export import export
from engine.incidents.review.records import read_incident
from engine.intake.alerts import Alert
from engine.store import Store
from engine.store.rows import many
from engine.store.schema.services import incidents, services
from reports.programme.activity.incident_families import incident_families
from tests.conftest import NOW

MINUTE = timedelta(minutes=1)
ALERTS = 41
BEGAN = NOW - timedelta(hours=8)  # of the first; the others follow in eight minutes
ENDED = BEGAN + timedelta(hours=6)
SILENCED = BEGAN + timedelta(hours=2)  # sent as a recovery, and it fires again when the silence is over
ACTOR = "ann@acme.example"


@pytest.fixture
def second_store(acme_template, tmp_path):
    path = tmp_path / "second.db"
    shutil.copy(acme_template, path)
    opened = Store(f"sqlite:///{path}")
    yield opened
    opened.close()


def night():
    """(when it happened, alert) in order of time."""
    alerts = []
    for number in range(ALERTS):
        steps = [("firing", BEGAN + number * 12 * timedelta(seconds=1)), ("resolved", ENDED)]
        if number % 4 == 0:
            steps += [("resolved", SILENCED), ("firing", SILENCED + 40 * MINUTE)]
        service = f"s{number % 3}"
        for state, at in steps:
            alerts.append(Alert("pagerduty", f"alert-{number}", state, "Down", service=service, occurred_at=at))
    return sorted(alerts, key=lambda alert: alert.occurred_at)


def deliver(store, alerts, heard):
    """Each alert when it was heard, a dozen in a write."""
    for start in range(0, len(alerts), 12):
        part = alerts[start : start + 12]
        at = max(heard(alert) for alert in part)
        store.write("acme", "monitor", partial(ingest_alerts, alerts=part, receipt=Receipt(at)), now=at)


def confirm(store):
    """Hands: the proposals of the storm are confirmed, the first incident is taken, and closed when it is over."""
    with store.reader() as connection:
        rows = many(connection, incidents, "acme", order=("opened_at", "id"))
    first, *others = [row["id"] for row in rows]
    assert {row["parent_id"] for row in rows} == {None, first}
    assert [row["parent_state"] for row in rows].count("proposed") == ALERTS - 1
    steps = [(one, PersonStep("relate", NOW, "the same switch", parent=first)) for one in others]
    steps += [(first, PersonStep("acknowledge", BEGAN + 9 * MINUTE)), (first, PersonStep("close", NOW, "replaced"))]
    with store.revision("acme", ACTOR, now=NOW) as revision:
        for identifier, step in steps:
            take_step(revision, identifier, step, "by command line")
    return first


def store_durations(store):
    """The durations of all incidents, and the families."""
    with store.reader() as connection:
        rows = many(connection, incidents, "acme", order=("dedupe_key",))
    names = ("org_id", "id", "title", "severity", "status", "service_id", "owner", "opened_at", "acknowledged_at")
    names += ("mitigated_at", "resolved_at", "opened_heard_at", "parent_id", "parent_state", "acknowledged_by")
    frame = pl.DataFrame({name: [row[name] for row in rows] for name in names}, strict=False)
    times = [name for name in names if name.endswith("_at")]
    frame = frame.with_columns(pl.col(times).cast(pl.Datetime("us", "UTC")).dt.replace_time_zone(None))
    texts = ("labels", "owner", "root_cause", "source")
    frame = frame.with_columns(pl.lit(None, dtype=pl.String).alias(name) for name in texts)
    end = (NOW + timedelta(days=1)).replace(tzinfo=None)
    asked = pl.DataFrame({"org_id": ["acme"], "ends_at": [end], "acknowledge_minutes": [15.0]})
    nothing = {"org_id": pl.String, "starts_at": pl.Datetime("us"), "ends_at": pl.Datetime("us")}
    fact = incidents_fact(frame, pl.DataFrame(schema=nothing), pl.DataFrame(schema=nothing), asked)
    keyed = fact.join(frame.select("id", key=pl.Series([row["dedupe_key"] for row in rows])), on="id").sort("key")
    zone = pl.DataFrame({"time_zone": ["UTC"]})
    return keyed["minutes_to_resolve"].to_list(), incident_families(fact, zone)


def prepare(store):
    with store.revision("acme", "setup", now=BEGAN) as revision:
        revision.insert(services, [{"id": f"s{number}", "name": f"S{number}", "criticality": 3} for number in range(3)])
        revision.record("import.completed")


def test_a_bad_night_is_one_family_of_six_hours_whatever_the_network_did(store, second_store):
    alerts, late = night(), night() * 2
    random.Random(41).shuffle(late)
    network = {
        "prompt": (store, alerts, lambda alert: alert.occurred_at),
        "broken": (second_store, late, lambda _: NOW),
    }
    durations = {}
    for name, (target, sent, heard) in network.items():
        prepare(target)
        deliver(target, sent, heard)
        assert propose_families(target, "acme", now=NOW) == ALERTS - 1
        first = confirm(target)
        durations[name], families = store_durations(target)
        (family,) = families.select("members", "minutes_to_resolve", "opened_at", "resolved_at").rows()
        assert family == (ALERTS, 360.0, BEGAN.replace(tzinfo=None), ENDED.replace(tzinfo=None))
        assert (target.verify("acme").ok, target.verify_rows("acme").ok) == (True, True)
        with target.reader() as connection:
            text = export(read_incident(connection, "acme", first)).decode()
        assert "- **Acknowledged by:** ann@acme.example, 9 min after detection\n" in text
        assert "- **Closed by:** ann@acme.example, 8 h after detection\n" in text
        assert "41 incidents of one cause, medium: restored after 6 h. Services: s0, s1, s2." in text
    assert durations["prompt"] == durations["broken"] == [round(360 - number * 0.2, 1) for number in ORDER]


ORDER = [int(key.removeprefix("alert-")) for key in sorted(f"alert-{number}" for number in range(ALERTS))]
