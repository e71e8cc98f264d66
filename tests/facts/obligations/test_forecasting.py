"""What forecasts are made from, read from the replica."""

from datetime import date

import msgspec
import pytest

SOC2 = {"organization_frameworks": [{"framework": "soc2", "in_scope": True}]}


def text(value):
    return msgspec.json.encode(value).decode()


def test_weeks_are_read_as_they_were_recorded(facts_with):
    week = {"planned": 9, "planned_hours": 20.5, "completed": 7, "slipped": 2, "forecast": 8}
    facts = facts_with(obligation_snapshots=[{"week": "2026-W46", **week}, {"week": "2026-W47", "planned": 3}])
    assert facts["obligation_weeks"].rows(named=True) == [
        {"org_id": "acme", "week": "2026-W46", "week_start_on": date(2026, 11, 9), **week}
    ]


@pytest.mark.parametrize("steps", ['{"note": "x"}', '["x", 7, null]', '"x"', "7", "[]"])
def test_steps_that_are_none_are_none(facts_with, steps):
    play = {"id": "p1", "status": "proposed", "steps": steps}
    assert facts_with(plays=[play])["plays"].select("play_id", "step").rows() == [("p1", None)]


def test_plays_keep_their_steps(facts_with):
    steps = [
        {"step": "confirm shared evidence", "status": "done", "by": "ann", "at": "2026-11-02T09:00:00Z"},
        {"step": "confirm mapping", "status": "doing", "by": None, "at": None},
    ]
    play = {"id": "c1", "status": "active", "owner": "ann", "steps": text(steps), "started_on": "2026-11-01"}
    rows = facts_with(plays=[play])["plays"]
    assert rows.select("play_id", "status", "number", "step_status", "step_on").rows() == [
        ("c1", "active", 1, "done", date(2026, 11, 2)),
        ("c1", "active", 2, "doing", None),
    ]


def test_alerts_are_what_deliveries_carried(facts_with):
    sent = {
        "id": "d1",
        "kind": "obligation-density-alerts",
        "period": "2026-W45",
        "channel": "email",
        "recipient": "ann",
        "status": "sent",
        "attempts": 1,
        "created_at": "2026-11-02 08:00",
        "sent_at": "2026-11-02 08:01",
        "payload": text({"breaches": [{"alert_id": "x", "week": "2026-W46", "level": "warning", "known": 7}]}),
    }
    rows = facts_with(deliveries=[sent])["density_alerts"]
    assert rows.select("alert_id", "week", "level", "created_on", "sent_on").rows() == [
        ("x", "2026-W46", "warning", date(2026, 11, 2), date(2026, 11, 2))
    ]


def test_evidence_of_controls_in_scope_and_committees_with_their_chair(facts_with):
    links = [{"evidence_id": "e1", "framework": name, "control_id": "C1"} for name in ("soc2", "hipaa")]
    board = {"id": "b", "name": "Board", "chair": "cyd", "members": "bob; ann", "cadence": "quarterly"}
    facts = facts_with(
        **SOC2, evidence_links=links, committees=[board], controls=[{"framework": "soc2", "control_id": "C1"}]
    )
    assert facts["linked_evidence"].rows() == [("acme", "soc2", "C1", "e1")]
    assert facts["committees"]["members"].to_list() == [["ann", "bob", "cyd"]]
