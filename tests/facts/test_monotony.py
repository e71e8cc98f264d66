"""Evidence never harms: fixing a control lowers nothing, and losing everything raises nothing."""

from datetime import timedelta

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.factories import DAY
from tests.facts.conftest import control, naming, on

KINDS = [["operation", "attestation"], ["operation", "test", "attestation"], ["policy", "attestation"]]
AGES = st.sampled_from([None, 3, 30, 50, 400])
few = settings(
    max_examples=6, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
# what there is on one control: its kind and weight, and how many days ago each piece of evidence arose
CONTROLS = st.lists(
    st.fixed_dictionaries(
        {
            "kinds": st.sampled_from(KINDS),
            "weight": st.integers(1, 5),
            "operated": AGES,
            "contradicted": AGES,
            "tested": st.sampled_from([None, "passed", "failed"]),
            "signed": AGES,
            "rejected": AGES,
            "accepted": AGES,
        }
    ),
    min_size=1,
    max_size=4,
)
FIXED = {"operated": 0, "tested": "passed", "signed": 0, "accepted": 0}


def at(age):
    return f"{DAY - timedelta(days=age)} {'12:00' if age else '20:00'}"


def world(known, drawn, fixed=(), as_of=DAY):
    """The facts of these controls; to those in ``fixed`` the evidence that they miss is added today."""
    events, duties, schedules, runs, policies, tags = [("page.viewed", at(0))], [], [], [], [], []
    for n, first in enumerate(drawn):
        name = f"X{n}"
        for step, row in enumerate([first, *([FIXED] if n in fixed else [])]):
            for action, age in (("backup.completed", row["operated"]), ("backup.failed", row.get("contradicted"))):
                if age is not None:
                    events.append((action, at(age), naming(name)))
            for outcome, age in (("attested", row["signed"]), ("rejected", row.get("rejected"))):
                if age is not None:
                    due = DAY - timedelta(days=age)
                    duties.append(
                        {
                            "id": f"{name}{outcome}{step}",
                            **on(name),
                            "owner": "ann",
                            "due_on": due,
                            "outcome": outcome,
                            "attested_at": at(age),
                        }
                    )
            if row["tested"]:
                runs.append(
                    {
                        "id": f"{name}r{step}",
                        "schedule_id": name,
                        "window_open_on": DAY - timedelta(days=10),
                        "window_close_on": DAY,
                        "performed_on": DAY - timedelta(days=1 - step),
                        "outcome": row["tested"],
                    }
                )
            if row["accepted"] is not None:
                policies.append(
                    {
                        "id": f"{name}p{step}",
                        "policy": name,
                        "version": step + 1,
                        "state": "active",
                        "accepted_at": at(row["accepted"]),
                    }
                )
                tags.append({"policy_id": f"{name}p{step}", **on(name)})
        schedules.append({"id": name, **on(name), "cadence": "monthly", "starts_on": DAY - timedelta(days=10)})
    return known(
        as_of=as_of,
        controls=controls(drawn),
        events=events,
        attestations=duties,
        testing_schedules=schedules,
        test_runs=runs,
        policies=policies,
        policy_controls=tags,
    )


def controls(drawn):
    return [
        control(f"X{n}", evidence_kinds=row["kinds"], weight=row["weight"], cadence="monthly", position=n)
        for n, row in enumerate(drawn)
    ]


def figures(facts):
    """Readiness and every component of the posture, by name; absent ones are left out."""
    ready = facts["readiness"].select("strict_pct", "weighted_pct", "fresh_pct", "coverage_pct").row(0, named=True)
    parts = facts["posture"].drop_nulls("value")
    values = dict(parts.select("component", "value").rows())
    return {**ready, **values, "score": round(parts["contribution"].sum(), 1)}


@few
@given(CONTROLS)
def test_fixing_a_control_lowers_no_figure(facts_with, drawn):
    broken = world(facts_with, drawn)
    fixed = world(facts_with, drawn, fixed=[0])
    assert fixed["control_status"]["state"][0] == "effective"
    before, after = figures(broken), figures(fixed)
    assert {name: (before[name], after[name]) for name in before if after[name] < before[name]} == {}
    assert fixed["gaps"].height == broken["gaps"].height - (broken["control_status"]["state"][0] != "effective")


@few
@given(CONTROLS)
def test_losing_all_evidence_raises_no_figure(facts_with, drawn):
    before, after = figures(world(facts_with, drawn)), figures(facts_with(controls=controls(drawn)))
    assert {name: (before[name], after[name]) for name in after if after[name] > before.get(name, 0)} == {}


@few
@given(CONTROLS)
def test_contributions_sum_to_the_score(facts_with, drawn):
    """Each is rounded by largest remainder, so that nothing is left over."""
    parts = world(facts_with, drawn)["posture"].drop_nulls("value")
    exact = (parts["weight"] * parts["value"]).sum() / parts["weight"].sum()
    assert round(parts["contribution"].sum(), 1) == round(exact, 1)


@few
@given(CONTROLS)
def test_gaps_are_the_applicable_controls_less_the_effective_ones(facts_with, drawn):
    facts = world(facts_with, drawn)
    (applicable, effective) = facts["readiness"].select("applicable", "effective").row(0)
    assert facts["gaps"].height == applicable - effective
