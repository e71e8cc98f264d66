"""Checks of pulls as tests of controls: one stands for all its controls, fails until it passes, and grows old."""

from datetime import timedelta

import pytest

from tests.facts.conftest import DAY


def schedule(name="check-a", **more):
    return {
        **{"id": name, "framework": "soc2", "control_id": "CC6.2", "procedure": "Look", "cadence": "weekly"},
        **{"starts_on": DAY - timedelta(days=30), "check_id": "a", "query_sha256": "1", **more},
    }


def run(name, outcome, sequence, *, schedule="check-a", days=1, **more):
    on = DAY - timedelta(days=days)
    return {
        **{"id": name, "schedule_id": schedule, "window_open_on": on, "window_close_on": on, "outcome": outcome},
        **{"performed_on": None if outcome == "not_tested" else on, "sequence": sequence, "population": 2, "tested": 2},
        **more,
    }


def both(*names):
    return [
        {"schedule_id": name, "framework": "soc2", "control_id": control}
        for name in names
        for control in ("CC6.2", "CC6.3")
    ]


def states(facts):
    frame = facts["control_status"].filter(facts["control_status"]["control_id"].is_in(["CC6.2", "CC6.3"]))
    return [row[:2] for row in frame.select("state", "failing_test").rows()]


def facts_of(facts_with, *runs, schedules=None, **more):
    schedules = schedules or [schedule()]
    return facts_with(
        testing_schedules=schedules,
        schedule_controls=both(*(row["id"] for row in schedules)),
        test_runs=list(runs),
        organization_frameworks=[{"framework": "soc2", "in_scope": True}],
        **more,
    )


def test_a_run_stands_for_all_controls_and_is_one_test(facts_with):
    facts = facts_of(facts_with, run("r1", "failed", 5))
    assert states(facts) == [("ineffective", "r1"), ("ineffective", "r1")]
    assert facts["tests"].height == 1
    assert facts["control_tests"].filter(facts["control_tests"]["run_id"] == "r1").height == 2


def test_the_order_is_that_of_revisions(facts_with):
    facts = facts_of(facts_with, run("r2", "failed", 5), run("r1", "passed", 6))
    assert [failing for _, failing in states(facts)] == [None, None]
    facts = facts_of(facts_with, run("r2", "passed", 5), run("r1", "failed", 6))
    assert [failing for _, failing in states(facts)] == ["r1", "r1"]
    facts = facts_of(facts_with, run("r2", "passed", 5, days=1), run("r1", "failed", 6, days=5))  # a clock set back
    assert [failing for _, failing in states(facts)] == ["r1", "r1"]


def test_a_pass_about_an_older_window_ends_no_failure_of_a_later_one(facts_with):
    week = {"window_close_on": DAY - timedelta(days=1)}
    older = {"window_close_on": DAY - timedelta(days=8)}
    failed = run("r1", "failed", 5, days=7, **week)
    back = run("r2", "passed", 6, days=14, **older)
    assert [failing for _, failing in states(facts_of(facts_with, failed, back))] == ["r1", "r1"]
    mended = facts_of(facts_with, failed, back, run("r3", "passed", 7, days=7, **week))
    assert [failing for _, failing in states(mended)] == [None, None]
    # the other way about: what failed about an older window is over when the check passes for a later one
    old_failure = run("r1", "failed", 5, days=14, **older)
    assert [f for _, f in states(facts_of(facts_with, old_failure, run("r2", "passed", 6, days=7, **week)))] == [
        None
    ] * 2


@pytest.mark.parametrize(
    ("passes", "ends"),
    [
        ([(None, 2)], False),  # up to an earlier day of the same window
        ([(None, 0)], True),
        ([(2, 0)], False),  # from a later day on
        ([(None, 2), (2, 0)], False),  # neither asked about all of them
        ([(None, 0), (2, 2)], True),  # what comes later takes nothing back
        ([(None, None)], True),  # a run of before, whose days nobody kept
    ],
)
def test_a_pass_about_fewer_days_ends_no_failure(facts_with, passes, ends):
    def about(name, outcome, sequence, since, until):
        days = {
            key: None if back is None else DAY - timedelta(days=back)
            for key, back in (("since_on", since), ("until_on", until))
        }
        return run(name, outcome, sequence, days=6, window_close_on=DAY, **days)

    runs = [about(f"p{number}", "passed", 6 + number, *days) for number, days in enumerate(passes)]
    facts = facts_of(facts_with, about("r1", "failed", 5, None, 0), *runs)
    assert [failing for _, failing in states(facts)] == [None if ends else "r1"] * 2


def test_a_pass_about_the_days_of_a_failure_ends_it(facts_with):
    days = {"since_on": DAY - timedelta(days=3), "until_on": DAY - timedelta(days=2)}
    for fewer, failing in (({}, None), ({"since_on": DAY - timedelta(days=2)}, "r1")):
        runs = [run("r1", "failed", 5, **days), run("r2", "passed", 6, **{**days, **fewer})]
        assert [found for _, found in states(facts_of(facts_with, *runs))] == [failing] * 2


def test_what_failed_stands_against_controls_that_the_check_names_no_longer(facts_with):
    old = schedule(superseded_on=DAY, ends_on=DAY)
    new = schedule("check-a-2", query_sha256="2", starts_on=DAY)
    runs = [run("r1", "failed", 5), run("r2", "failed", 7, schedule="check-a-2", days=0)]
    facts = facts_with(
        testing_schedules=[old, new],
        schedule_controls=[*both("check-a"), *both("check-a-2")[:1]],
        test_runs=runs,
        organization_frameworks=[{"framework": "soc2", "in_scope": True}],
    )
    assert [failing for _, failing in states(facts)] == ["r2", "r1"]


def test_what_was_not_tested_ends_no_failure_and_performs_no_window(facts_with):
    facts = facts_of(facts_with, run("r1", "failed", 5), run("r2", "not_tested", 6, reason="the population is empty"))
    assert [failing for _, failing in states(facts)] == ["r1", "r1"]
    assert facts["test_windows"].filter(facts["test_windows"]["run_id"] == "r2").is_empty()
    (idle,) = facts["idle_checks"].iter_rows(named=True)
    assert (idle["check_id"], idle["reason"], idle["controls"]) == (
        "a",
        "the population is empty",
        ["soc2:CC6.2", "soc2:CC6.3"],
    )


def test_another_query_ends_no_failure_and_takes_the_pass_away(facts_with):
    old = schedule(superseded_on=DAY, ends_on=DAY)
    new = schedule("check-a-2", query_sha256="2", starts_on=DAY)
    passed = facts_of(facts_with, run("r1", "passed", 5), schedules=[old, new])
    assert [
        row["tests_passed"] for row in passed["control_status"].iter_rows(named=True) if row["control_id"] == "CC6.2"
    ] == [0]
    failed = facts_of(facts_with, run("r1", "failed", 5), schedules=[old, new])
    assert [failing for _, failing in states(failed)] == ["r1", "r1"]
    mended = facts_of(
        facts_with, run("r1", "failed", 5), run("r2", "passed", 7, schedule="check-a-2", days=0), schedules=[old, new]
    )
    assert [failing for _, failing in states(mended)] == [None, None]


def test_rows_count_as_evidence_only_while_their_run_passed(facts_with):
    items = [
        {"id": f"{name}-run", "title": "run", "captured_at": "2026-11-20 09:00", "run_id": name}
        for name in ("r1", "r2")
    ]
    links = [{"evidence_id": row["id"], "framework": "soc2", "control_id": "CC6.2"} for row in items]
    facts = facts_of(
        facts_with, run("r1", "passed", 5), run("r2", "failed", 6), evidence_items=items, evidence_links=links
    )
    counted = facts["control_records"].filter(facts["control_records"]["source"] == "item")
    assert counted["last_id"].to_list() == ["r1-run"]


def test_a_proof_of_another_query_proves_nothing(facts_with):
    proof = {
        **{"check_id": "a", "source": "people", "field": "login", "change": "emptied", "tried": 3},
        **{"exceptions_changed": 0, "outcomes_changed": 0, "failures": 0, "looked_at": True},
        "proved_at": "2026-11-01 09:00",
    }
    blind = facts_of(facts_with, check_proofs=[{**proof, "query_sha256": "1"}])
    assert blind["check_sights"].select("sight", "unseen").rows() == [("blind", "people.login")]
    other = facts_of(facts_with, check_proofs=[{**proof, "query_sha256": "0"}])
    assert other["check_sights"]["sight"].to_list() == ["not_proved"]
