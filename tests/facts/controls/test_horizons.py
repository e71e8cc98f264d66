"""What will be if nothing is done: the state read off a horizon is the one that the facts of that day have."""

from datetime import datetime, time, timedelta

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.facts.controls.horizons import state_on
from tests.factories import DAY
from tests.facts.conftest import control, naming, on, only
from tests.laws import examples

KINDS = ["operation", "test", "policy", "attestation"]
ago = st.integers(0, 420)
maybe = st.one_of(st.none(), ago)


def day(number):
    return DAY - timedelta(days=number)


def noon(number):
    return datetime.combine(day(number), time(12))


@st.composite
def tables(draw):
    """The records of one control: none of them is dated after the day."""
    found = {"events": [], "attestations": [], "test_runs": [], "policies": [], "policy_controls": []}
    found["testing_schedules"] = [{"id": "s", **on(), "cadence": "monthly", "starts_on": day(400)}]
    for number in draw(st.lists(ago, max_size=3)):
        action = draw(st.sampled_from(("backup.completed", "backup.failed")))
        found["events"].append((action, noon(number), naming("X1")))
    for place, number in enumerate(draw(st.lists(ago, max_size=2))):
        outcome = draw(st.sampled_from(("passed", "failed")))
        window = {"window_open_on": day(number), "window_close_on": day(number - 7)}
        found["test_runs"].append(
            {"id": f"r{place}", "schedule_id": "s", **window, "performed_on": day(number), "outcome": outcome}
        )
    for place, number in enumerate(draw(st.lists(ago, max_size=3, unique=True))):
        signed = draw(st.sampled_from(("attested", "rejected", None)))
        done = {"outcome": signed, "attested_at": noon(number)} if signed else {}
        due = day(number - draw(st.integers(-30, 200)))
        found["attestations"].append({"id": f"a{place}", **on(), "owner": "ann", "due_on": due, **done})
    accepted = draw(maybe)
    if accepted is not None:
        review = draw(st.one_of(st.none(), st.integers(-200, 400)))
        found["policies"].append(
            {
                "id": "p",
                "policy": "p",
                "version": 1,
                "state": "active",
                "accepted_at": noon(accepted),
                "accepted_by": draw(st.sampled_from(("ann", None))),
                "review_due_on": None if review is None else day(review),
            }
        )
        found["policy_controls"].append({"policy_id": "p", **on()})
    changed, excluded = draw(maybe), draw(st.sampled_from((None, None, 3, -40)))
    profile = {"applicable": True, "changed_on": None if changed is None else day(changed)}
    if excluded is not None:
        profile |= {"applicable": False, "justification": "none", "approved_by": "ann", "approved_on": day(excluded)}
    found["control_profiles"] = [{**on(), **profile}]
    return found


@pytest.mark.real
@settings(deadline=None, max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    tables(),
    st.lists(st.sampled_from(KINDS), min_size=1, unique=True),
    st.sampled_from(("weekly", "monthly", "quarterly", "annual")),
    st.integers(0, 420),
)
def test_the_state_of_a_horizon_is_that_of_the_day_itself(facts_with, records, kinds, cadence, ahead):
    controls = [control(evidence_kinds=kinds, cadence=cadence)]
    later = DAY + timedelta(days=ahead)
    horizon = facts_with(controls=controls, **records)["control_horizons"]
    there = facts_with(controls=controls, as_of=later, **records)["control_status"]
    state = only(there, "state")
    assert only(horizon.with_columns(state=state_on(pl.lit(later))), "state") == state
    if kinds == ["attestation"] and state != "not_applicable":
        inside = only(there, "freshness") in ("fresh", "due_soon")
        assert inside == (state == "effective"), "a signature that is all that is needed is as fresh as its control"


def weekly(weeks, action="backup.completed", gap=7):
    return [(action, noon(gap * number)) for number in reversed(range(weeks))]


def test_evidence_that_comes_every_week_is_taken_to_go_on(facts_with):
    backed_up = {"framework": "soc2", "control_id": "A1.2"}
    controls = [control("A1.2", evidence_kinds=["operation"], cadence="monthly")]
    year = DAY + timedelta(days=300)

    def later(events):
        found = facts_with(controls=controls, events=events)["control_horizons"].filter(**backed_up)
        return only(found.with_columns(state=state_on(pl.lit(year))), "operation_recurs", "state")

    assert later(weekly(13)) == (True, "effective")
    assert later(weekly(4)) == (False, "stale"), "four times are no rate"
    assert later([(action, at - timedelta(days=50)) for action, at in weekly(20)]) == (False, "stale"), "it fell silent"
    failed = [*weekly(13), ("backup.failed", noon(0) + timedelta(hours=1))]
    assert later(failed)[1] == "ineffective", "what speaks against the control stays until somebody mends it"


def test_nothing_on_record_has_no_horizon(facts_with):
    control_horizons = facts_with(controls=[control(evidence_kinds=KINDS)])["control_horizons"]
    until = [f"{kind}_until" for kind in KINDS]
    assert only(control_horizons, *until) == (None, None, None, None)
    assert only(control_horizons.with_columns(state=state_on(pl.lit(DAY))), "state") == "no_data"
    assert facts_with(controls=[])["control_horizons"].is_empty()
