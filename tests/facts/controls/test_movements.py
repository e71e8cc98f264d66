"""What moved in the period, as facts tell it: the state seen before it against the state now, what lapsed in it."""

from datetime import date

import polars as pl

from engine.facts.controls.movements import movements
from tests.factories import DAY, rows

ASKED = pl.DataFrame({"org_id": ["acme"], "period_start": [date(2026, 10, 22)], "as_of": [DAY]})
CONTROL = {"framework": "soc2", "control_id": "CC6.1", "previous_state": "effective", "change_invalidated": False}
BACKUP = {"action": "backup.completed", "last_id": "e1"}


def movement_rows(status=(), attestations=(), vendors=(), actions=(), own=()):
    frame = movements(
        rows("control_assessments", *status),
        rows("attestations", *attestations),
        rows("vendors", *vendors),
        rows("audit_actions", *actions),
        rows("own_frameworks", *own),
        ASKED,
    )
    return frame.drop("org_id").rows()


def test_a_control_that_went_stale_says_which_evidence_stopped():
    stale = {**CONTROL, "state": "stale", "state_since": date(2026, 11, 3), "last_evidence_id": "e1"}
    assert movement_rows([stale], actions=[BACKUP]) == [
        ("control", "soc2", "SOC 2 CC6.1", "stale", date(2026, 11, 3), "when backup evidence stopped")
    ]


def test_a_framework_of_ones_own_is_called_by_its_title():
    stale = {**CONTROL, "framework": "annex", "state": "stale", "state_since": date(2026, 11, 3)}
    found = movement_rows([stale], own=[{"framework": "annex", "name": "Acme Security Annex"}])
    assert found == [("control", "annex", "Acme Security Annex CC6.1", "stale", date(2026, 11, 3), "")]


def test_a_day_outside_the_period_is_not_told():
    stale = {**CONTROL, "state": "stale", "state_since": date(2026, 9, 3), "last_evidence_id": "e9"}
    assert movement_rows([stale]) == [("control", "soc2", "SOC 2 CC6.1", "stale", None, "")]


def test_a_control_in_the_state_that_was_seen_before_or_never_seen_did_not_move():
    assert (
        movement_rows([{**CONTROL, "state": "effective"}, {**CONTROL, "state": "stale", "previous_state": None}]) == []
    )


def test_attestations_and_assurance_that_ended_in_the_period_are_told():
    attestation = {"id": "a", "framework": "soc2", "control_id": "CC6.1", "status": "overdue"}
    vendor = {"vendor_id": "v1", "name": "Northwind", "assurance": "lapsed"}
    assert movement_rows(
        attestations=[{**attestation, "due_on": date(2026, 11, 3)}, {**attestation, "due_on": date(2026, 10, 3)}],
        vendors=[{**vendor, "assured_until": date(2026, 11, 5)}, {**vendor, "assured_until": date(2026, 1, 5)}],
    ) == [
        ("attestation", "soc2", "SOC 2 CC6.1", "overdue", date(2026, 11, 3), ""),
        ("third_party", None, "Northwind", "lapsed", date(2026, 11, 5), ""),
    ]


def test_where_nothing_is_nothing_moved():
    assert movement_rows() == []
