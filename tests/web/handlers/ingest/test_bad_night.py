"""A bad night over HTTP: whatever the network did, one family of six hours, by whom, and the same figures."""

import random
from datetime import timedelta

import pytest

from engine.incidents.families.proposals import propose_families
from engine.incidents.hands.steps import PersonStep, take_step
from engine.store.schema.services import incidents
from tests.conftest import NOW
from tests.web.handlers.ingest.test_ingest import ALERTS, send, stored_rows, token  # noqa: F401 - fixtures
from tests.whole_checks import assert_provable

MINUTE = timedelta(minutes=1)
MANY = 41
ENDED, SILENCED, MORNING = NOW + 360 * MINUTE, NOW + 120 * MINUTE, NOW + 480 * MINUTE
ACTOR = "owner@acme.example"
FIGURES = ("incident_median_hours_to_restore", "incident_families_opened_in_period", "incidents_opened_in_period")


def night():
    """(when it happened, alert) of one cause, silenced in the middle."""
    told = []
    for number in range(MANY):
        steps = [("firing", NOW + timedelta(seconds=12 * number)), ("resolved", ENDED)]
        if number % 4 == 0:
            steps += [("resolved", SILENCED), ("firing", SILENCED + 40 * MINUTE)]
        for status, at in steps:
            alert = {"title": "Down", "dedupe_key": f"a-{number}", "status": status, "occurred_at": at.isoformat()}
            told.append((at, alert))
    return sorted(told, key=lambda one: (one[0], one[1]["dedupe_key"]))


def deliveries(network):
    """(when it is heard, alerts of one body)."""
    told = night()
    if network == "broken":
        told += told
        random.Random(41).shuffle(told)
    for start in range(0, len(told), 20):
        part = told[start : start + 20]
        yield (MORNING if network == "broken" else part[-1][0]), [alert for _, alert in part]


@pytest.mark.real
@pytest.mark.parametrize("network", ["prompt", "broken"])
def test_a_bad_night_is_one_family_whatever_the_network_did(network, send, sign_in, with_people, clock):  # noqa: F811 - a fixture
    for heard, alerts in deliveries(network):
        clock.move_to(heard)
        assert send(ALERTS, {"alerts": alerts}).status == 200
    clock.move_to(MORNING)
    rows = sorted(stored_rows(with_people, incidents), key=lambda row: (row["opened_at"], row["id"]))
    assert len(rows) == MANY
    assert propose_families(with_people, "acme", now=MORNING) == MANY - 1
    first = rows[0]["id"]
    with with_people.revision("acme", ACTOR, now=MORNING) as revision:
        for row in rows[1:]:
            take_step(revision, row["id"], PersonStep("relate", MORNING, parent=first), "by command line")
        take_step(revision, first, PersonStep("acknowledge", NOW + 9 * MINUTE), "by command line")
        take_step(revision, first, PersonStep("close", MORNING, "replaced"), "by command line")
    assert_provable(with_people)
    text = sign_in().get(f"/api/incidents/{first}/export").body.decode()
    assert "41 incidents of one cause" in text
    assert "restored after 6 h" in text
    assert f"- **Acknowledged by:** {ACTOR}, 9 min after detection\n" in text
    assert f"- **Closed by:** {ACTOR}, 8 h after detection\n" in text
    summary = sign_in().get("/api/governance/compliance/executive-summary").json["summary"]
    assert [summary.get(name) for name in FIGURES] == [5.93, 1, MANY]
