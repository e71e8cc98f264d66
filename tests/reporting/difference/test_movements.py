"""What happened between two days is told by things: how many, since when, for which reason."""

from datetime import date

from engine.model.documents.movement import Movement, in_groups, main_movements
from engine.reporting.difference.movements import movements
from tests.factories import assessment_facts, rows

DAYS = date(2026, 11, 1), date(2026, 11, 20)
STALE = {"state": "stale", "state_since": date(2026, 11, 3), "change_invalidated": False}


def status(*given):
    return assessment_facts(*({"framework": "soc2", **row} for row in given))


def movement_words(before, after, families=None):
    return [one.words for one in in_groups(movements(before, after, DAYS, families or {}))]


def test_controls_that_went_stale_for_one_reason_are_told_together():
    before = status(*({"control_id": name} for name in ("CC6.1", "CC7.2", "CC8.1", "A1.2")))
    after = status(
        {"control_id": "CC6.1", **STALE},
        {"control_id": "CC8.1", **STALE},
        {"control_id": "CC7.2", **STALE, "state_since": date(2026, 11, 5)},
        {"control_id": "A1.2", **STALE, "last_evidence_id": "e2"},
    )
    assert movement_words(before, after, {"e1": "backup.completed", "e2": "access.review.completed"}) == [
        "3 controls went stale between 3 and 5 Nov 2026 when backup evidence stopped",
        "1 control went stale on 3 Nov 2026 when access review evidence stopped",
    ]


def test_reasons_that_hold_of_few_controls_are_told_together():
    before = status(*({"control_id": name} for name in ("CC6.1", "CC7.2")))
    after = status({"control_id": "CC6.1", **STALE}, {"control_id": "CC7.2", **STALE, "last_evidence_id": "e2"})
    assert movement_words(before, after, {"e1": "backup.completed", "e2": "access.review.completed"}) == [
        "2 controls went stale on 3 Nov 2026 for various reasons"
    ]


def test_a_day_that_is_not_between_the_two_is_not_told():
    after = status({"control_id": "CC6.1", **STALE, "state_since": date(2026, 9, 1)})
    assert movement_words(status({"control_id": "CC6.1"}), after) == ["1 control went stale"]


def test_of_a_control_that_became_effective_no_day_and_no_reason_is_known():
    evidence = {"last_evidence_id": "e1", "last_evidence_on": date(2026, 11, 19)}
    before, after = status({"control_id": "CC6.1", **STALE}), status({"control_id": "CC6.1", **evidence})
    assert movement_words(before, after, {"e1": "backup.completed"}) == ["1 control became effective"]


def test_incidents_are_open_until_they_are_resolved_or_closed():
    def incidents(**states):
        return {"incidents": rows("incidents", *({"id": name, "status": state} for name, state in states.items()))}

    before = incidents(a="open", b="acknowledged", c="resolved")
    after = incidents(a="mitigated", b="closed", c="closed", d="closed", e="acknowledged")
    found = in_groups(movements(before, after, DAYS, {}))
    assert [(one.words, one.things) for one in found] == [
        ("2 incidents were opened", ("d", "e")),
        ("2 incidents were resolved", ("b", "d")),
    ]


def test_of_an_incident_in_planned_maintenance_nothing_is_said_as_figures_count_none():
    planned = {"id": "a", "status": "closed", "maintenance_state": "planned"}
    late = {"id": "b", "status": "open", "maintenance_state": "declared_late"}
    found = in_groups(
        movements({"incidents": rows("incidents")}, {"incidents": rows("incidents", planned, late)}, DAYS, {})
    )
    assert [(one.words, one.things) for one in found] == [("1 incident was opened", ("b",))]


def test_attestations_that_lapsed_are_told():
    before = {"attestations": rows("attestations", {"id": "a", "framework": "soc2", "control_id": "CC6.1"})}
    after = {
        "attestations": rows(
            "attestations",
            {"id": "a", "framework": "soc2", "control_id": "CC6.1", "status": "overdue", "due_on": date(2026, 11, 3)},
        )
    }
    (movement,) = in_groups(movements(before, after, DAYS, {}))
    assert (movement.words, movement.things) == ("1 attestation lapsed on 3 Nov 2026", ("SOC 2 CC6.1",))


def test_a_control_that_came_into_scope_did_not_move():
    assert movement_words(status(), status({"control_id": "CC6.1", **STALE})) == []


def test_where_nothing_moved_nothing_is_told():
    same = status({"control_id": "CC6.1"})
    assert movement_words(same, same) == []
    assert movements({}, {}, DAYS, {}) == []
    assert main_movements([], None) == ""


def test_what_goes_the_other_way_is_left_out_where_that_is_asked():
    worse, better = Movement("control", "stale", "", ("a",), ()), Movement("control", "effective", "", ("b", "c"), ())
    assert main_movements([worse, better], better=False) == "1 control went stale"
    assert main_movements([worse, better], better=True) == "2 controls became effective"
    assert main_movements([worse, better], None) == "2 controls became effective; 1 control went stale"
    assert main_movements([better], better=False) == ""
