"""Since when something is wrong: days that records bear, on whatever day one asks."""

from datetime import date, timedelta

import pytest
from hypothesis import given, settings

from tests.factories import DAY
from tests.facts.conftest import control, naming, on, only
from tests.facts.test_monotony import CONTROLS, few, world

DONE, WRONG = "backup.completed", "backup.failed"
BEGAN = ("page.viewed", "2026-01-05 09:00")  # the first event of the organization, which names no control
MONTHLY = {"cadence": "monthly", "evidence_kinds": ["operation"]}


def since(known, kinds=("operation",), events=(), **tables):
    """State, since when, and since when the gap is there."""
    facts = known(controls=[control(cadence="monthly", evidence_kinds=list(kinds))], events=[BEGAN, *events], **tables)
    return only(facts["control_status"], "state", "state_since", "detected_on")


def event(action, at, **more):
    return (action, at, naming("X1") | more)


def test_records_of_a_framework_begin_with_its_first_event_signature_or_snapshot(facts_with):
    def known_since_rows(*events, **tables):
        facts = facts_with(controls=[control(), {**control("A"), "framework": "iso27001"}], events=events, **tables)
        return facts["known_since"].select("framework", "known_since").rows()

    first = ("page.viewed", "2026-02-01 09:00")
    assert known_since_rows() == [("iso27001", None), ("soc2", None)]
    both = [("iso27001", date(2026, 2, 1)), ("soc2", date(2026, 2, 1))]
    assert known_since_rows(first) == both
    old = {
        "evidence_items": [{"id": "i", "captured_at": "2025-01-01"}],
        "evidence_links": [{"evidence_id": "i", **on()}],
    }
    assert known_since_rows(first, **old) == both
    assert known_since_rows(first, event("made.up", "2026-03-01 09:00")) == [both[0], ("soc2", date(2026, 3, 1))]
    signed = {
        "attestations": [
            {"id": "a", **on(), "due_on": "2026-01-01", "outcome": "attested", "attested_at": "2026-01-09 10:00"}
        ]
    }
    assert known_since_rows(first, **signed) == [both[0], ("soc2", date(2026, 1, 9))]
    taken = {"readiness_snapshots": [{"framework": "soc2", "taken_on": "2026-01-08"}]}
    assert known_since_rows(first, **signed, **taken) == [both[0], ("soc2", date(2026, 1, 8))]
    kept = [{"framework": "soc2", "since_on": "2025-05-05"}, {"framework": "*", "since_on": "2025-04-04"}]
    assert known_since_rows(first, **signed, record_starts=kept) == [
        ("iso27001", date(2025, 4, 4)),
        ("soc2", date(2025, 5, 5)),
    ]


def test_records_since_is_the_day_of_the_first_event_on_the_wall(facts_with):
    facts = facts_with(zone="Pacific/Auckland", events=[("page.viewed", "2026-02-01 11:30")])
    assert only(facts["records_since"], "known_since") == date(2026, 2, 2)
    assert only(facts_with()["records_since"], "known_since") is None
    assert only(facts_with(as_of=date(2026, 1, 1), events=[BEGAN])["records_since"], "known_since") is None


def test_what_was_never_given_is_missing_since_records_began(facts_with):
    began = date(2026, 1, 5)
    assert since(facts_with) == ("no_data", began, began)
    own = event(DONE, "2026-11-01 09:00")
    assert since(facts_with, kinds=["operation", "test"], events=[own]) == (
        "partial",
        date(2026, 11, 1),
        date(2026, 11, 1),
    )


def test_a_lapse_is_the_day_after_the_window_of_the_last_evidence(facts_with):
    assert since(facts_with, events=[event(DONE, "2026-10-01 12:00")]) == (
        "stale",
        date(2026, 11, 6),
        date(2026, 11, 6),
    )
    policy = {
        "id": "p",
        "policy": "p",
        "version": 1,
        "state": "active",
        "accepted_at": "2026-02-01 10:00",
        "review_due_on": "2026-08-01",
    }
    reviewed = {"policies": [policy], "policy_controls": [{"policy_id": "p", **on()}]}
    assert since(facts_with, ["policy"], **reviewed) == ("stale", date(2026, 8, 2), date(2026, 8, 2))


@pytest.mark.parametrize(
    ("more", "day"),
    [
        ([], "2026-10-17"),  # 2025-10-01 and 381 days
        ([{"id": "b", "due_on": "2026-09-01"}], "2026-09-02"),
        ([{"id": "b", "due_on": "2026-08-01", "outcome": "rejected", "attested_at": "2026-08-03 10:00"}], "2026-08-03"),
        ([{"id": "b", "due_on": "2026-12-01"}], "2026-10-17"),
    ],
)
def test_a_control_is_unsigned_since_its_signature_lapsed_was_refused_or_its_next_duty_was_missed(
    facts_with, more, day
):
    signed = {"id": "a", "due_on": "2025-10-01", "outcome": "attested", "attested_at": "2025-10-01 10:00"}
    wanted = date.fromisoformat(day)
    duties = [{**on(), "owner": "ann", **row} for row in (signed, *more)]
    assert since(facts_with, ["attestation"], attestations=duties) == ("stale", wanted, wanted)


def test_a_change_after_the_evidence_is_its_own_day(facts_with):
    changed = {"control_profiles": [{**on(), "applicable": True, "changed_on": "2026-11-12"}]}
    found = since(facts_with, events=[event(DONE, "2026-11-10 12:00")], **changed)
    assert found == ("stale", date(2026, 11, 12), date(2026, 11, 12))


def test_a_contradiction_is_as_old_as_the_first_event_that_no_support_outweighs(facts_with):
    good, bad, worse = (
        event(DONE, "2026-11-02 09:00"),
        event(WRONG, "2026-11-03 09:00"),
        event(WRONG, "2026-11-09 09:00"),
    )
    before = event(WRONG, "2026-11-01 09:00")
    third = date(2026, 11, 3)
    assert since(facts_with, events=[before, good, bad, worse]) == ("ineffective", third, third)
    refused = event(DONE, "2026-11-04 09:00", outcome="denied")
    assert since(facts_with, events=[before, good, refused, worse])[1] == date(2026, 11, 4)
    assert since(facts_with, events=[before, bad, worse])[1] == date(2026, 11, 1)


def test_a_contradiction_through_the_map_has_its_first_day_too(facts_with):
    facts = facts_with(
        organization_frameworks=[{"framework": "soc2", "in_scope": True}],
        events=[
            ("access.granted", "2026-11-01 09:00"),
            *(("access.granted", f"2026-11-0{day} 09:00", {"outcome": "denied"}) for day in (3, 5)),
        ],
    )
    found = facts["control_status"].filter(control_id="CC6.2").select("state", "state_since")
    assert found.rows() == [("ineffective", date(2026, 11, 3))]


def test_a_failing_test_is_as_old_as_the_first_failure_after_the_last_pass(facts_with):
    schedule = {"id": "s", **on(), "cadence": "monthly", "starts_on": "2026-11-01"}
    runs = [
        {
            "id": f"r{n}",
            "schedule_id": "s",
            "window_open_on": f"2026-{month}-01",
            "window_close_on": day,
            "performed_on": day,
            "outcome": outcome,
        }
        for n, (month, day, outcome) in enumerate(
            [
                ("07", "2026-07-05", "failed"),
                ("08", "2026-08-05", "passed"),
                ("09", "2026-09-05", "failed"),
                ("10", "2026-10-05", "failed"),
            ]
        )
    ]
    tested = {"testing_schedules": [schedule], "test_runs": runs}
    # the evidence of the passed test ran out in between: the gap is as old as the first of its reasons
    assert since(facts_with, ["test"], **tested) == ("ineffective", date(2026, 9, 5), date(2026, 9, 5))


def test_nothing_was_detected_before_records_began(facts_with):
    old = {
        "evidence_items": [{"id": "i", "captured_at": "2020-01-01"}],
        "evidence_links": [{"evidence_id": "i", **on()}],
    }
    assert since(facts_with, **old) == ("stale", date(2026, 1, 5), date(2026, 1, 5))


def test_an_effective_control_has_no_gap_and_is_so_since_a_snapshot_saw_it(facts_with):
    fresh = event(DONE, "2026-11-10 12:00")
    assert since(facts_with, events=[fresh]) == ("effective", None, None)
    seen = [{**on(), "observed_on": "2026-11-12", "state": "effective"}]
    assert since(facts_with, events=[fresh], control_state_changes=seen) == ("effective", date(2026, 11, 12), None)


def test_a_remediation_that_was_opened_earlier_dates_the_gap(facts_with):
    facts = facts_with(
        controls=[control(**MONTHLY)],
        events=[BEGAN],
        remediations=[{"id": "r", **on(), "opened_on": "2026-01-02", "status": "open"}],
    )
    assert only(facts["gaps"], "detected_on", "age_days") == (date(2026, 1, 2), 322)
    facts = facts_with(controls=[control(**MONTHLY)], events=[BEGAN])
    assert only(facts["gaps"], "detected_on", "age_days") == (date(2026, 1, 5), 319)


@pytest.mark.real
@settings(few, max_examples=6)
@given(CONTROLS)
def test_no_detection_date_moves_however_late_one_asks(facts_with, drawn):
    """The clock goes on and nothing else happens: new gaps appear, none gets another date."""
    key = ("framework", "control_id")

    def gaps(day):
        facts = world(facts_with, drawn, as_of=day)
        return {row[:2]: row[2] for row in facts["gaps"].select(*key, "detected_on").rows()}

    seen = gaps(DAY)
    assert None not in seen.values()
    for days in (1, 500):
        day = DAY + timedelta(days=days)
        later = gaps(day)
        assert {name: later.get(name) for name in seen} == seen
        assert all(DAY < found <= day for name, found in later.items() if name not in seen)
        seen = later


def test_a_gap_of_an_adopted_framework_is_as_old_as_the_adoption_whatever_event_is_older(facts_with):
    """One good event of long ago makes no gap older."""
    adopted = date(2026, 6, 1)
    scope = {"organization_frameworks": [{"framework": "soc2", "in_scope": True, "adopted_on": adopted}]}
    old = event(DONE, "2024-02-01 09:00", controls="soc2:X9")
    for events in ([], [old]):
        assert since(facts_with, events=events, **scope) == ("no_data", adopted, adopted)
    ahead = {"organization_frameworks": [{"framework": "soc2", "in_scope": True, "adopted_on": "2026-11-21"}]}
    assert since(facts_with, **ahead) == ("no_data", date(2026, 1, 5), date(2026, 1, 5))


ADOPTED = {"organization_frameworks": [{"framework": "soc2", "in_scope": True, "adopted_on": "2026-01-01"}]}


def change_rows(*states, control_id="X1"):
    return [{**on(control_id), "observed_on": day, "state": state} for day, state in states]


def test_a_state_begins_after_the_day_on_which_the_control_was_last_seen_in_another(facts_with):
    kinds = ("operation", "attestation")
    changes = [
        *change_rows(("2026-10-05", "no_data"), ("2026-11-02", "partial")),
        *change_rows(("2026-10-26", "effective"), control_id="X9"),  # a day on which X1 was still seen without data
    ]
    events = [event("backup.completed", "2026-10-28 09:00")]
    assert since(facts_with, kinds, events, control_state_changes=changes, **ADOPTED) == (
        "partial",
        date(2026, 10, 27),
        date(2026, 1, 1),
    ), "what is missing was always missing, and the gap is as old; it is partial since there is some"


def test_a_state_that_nobody_has_noted_yet_begins_after_the_last_day_that_noted_another(facts_with):
    changes = change_rows(("2026-10-05", "no_data"))
    events = [event("backup.completed", "2026-10-28 09:00")]
    kinds = ("operation", "attestation")
    assert since(facts_with, kinds, events, control_state_changes=changes, **ADOPTED)[:2] == (
        "partial",
        date(2026, 10, 6),
    )
