"""What the report on policy blocks says."""

from datetime import date, timedelta

import pytest

from reports.deployment.policy_blocks import REPORT
from tests.factories import DAY, ask, document, explained_rows, lead, moment, rows
from tests.reports.explanations import values_follow

ANN, BOB = "ann@acme.example", "bob@acme.example"
NOON = moment("2026-11-20 12:00")


def block(identifier, ago=0, **given):
    at = NOON - timedelta(days=ago)
    row = {
        "id": identifier,
        "playbook": "apply-patch",
        "policy_id": "p1",
        "policy": "Guardrail",
        "reason": "hours",
        "actor": ANN,
        "blocked_at": at,
        "blocked_on": at.date(),
        "overridden": False,
    }
    return {**row, **given}


def run(identifier, ago=0.0, **given):
    at = NOON - timedelta(days=ago)
    row = {
        "id": identifier,
        "kind": "dry_run",
        "playbook": "apply-patch",
        "actor": ANN,
        "outcome": "succeeded",
        "ran_at": at,
        "ran_on": at.date(),
    }
    return {**row, **given}


def facts(blocks=(), runs=(), known=date(2026, 1, 1)):
    return {
        "organization": rows("organization", {"time_zone": "America/New_York"}),
        "policy_blocks": rows("policy_blocks", *blocks),
        "automation_runs": rows("automation_runs", *runs),
        "records_since": rows("records_since", {"known_since": known}),
    }


def report(blocks=(), runs=(), actor=ANN, window="7d", known=date(2026, 1, 1)):
    return document(REPORT, ask(actor=actor, window=window), **facts(blocks, runs, known))


def table(held, name):
    return next(table.frame for table in held.tables if table.name == name)


def test_blocks_are_counted_against_what_was_let_through():
    held = report(
        [block("b1"), block("b2", 1, reason="max_targets", playbook="rotate-key", overridden=True), block("b3", 2)],
        [run("r1", 1.5), run("r2", 3)],
    )
    assert dict(held.summary) == {
        "policy_blocks": 3,
        "policy_blocks_playbooks": 2,
        "policy_runs_allowed": 2,
        "policy_block_rate_pct": 60.0,
        "policy_blocks_overridden": 1,
        "policy_blocks_without_compliant_run": 2,
        "policy_blocks_minutes_to_run": 720.0,
        "policy_blocks_before": 0,
        "policy_blocks_change": 3,
        "policy_blocks_change_pct": None,
        "window_start_on": date(2026, 11, 14),
    }
    assert table(held, "reasons").rows() == [("hours", None, 2, 0, 66.7, 2), ("max_targets", None, 1, 0, 33.3, 1)]
    assert table(held, "playbooks").rows() == [
        ("rotate-key", 1, 0, "max_targets", "max_targets", 100.0),
        ("apply-patch", 2, 2, "hours", "hours", 50.0),
    ]
    assert table(held, "repeat_offenders").select("actor", "playbook", "blocks").rows() == [(ANN, "apply-patch", 2)]
    assert table(held, "blocks")["id"].to_list() == ["b1", "b2", "b3"]
    assert lead(held) == (
        f"3 of 5 attempts of {ANN} to run an automation were blocked in 7 days (60.0 %), 0 in the 7 days before.",
        f"Ask {ANN} first, who was blocked most often: 2 "
        "times with “apply-patch”, last on 20 Nov 2026, because of: hours.",
    )


def test_who_was_blocked_most_often_is_asked_whatever_the_reasons():
    other = {"reason": "max_targets", "message": "Too many at a time."}
    held = report(
        [block("a", 1), block("b", 2, **other), block("c", 3, **other), block("d", 1, actor="bo@acme.example")]
    )
    assert lead(held)[1] == (
        f"Ask {ANN} first, who was blocked most often: 3 times with “apply-patch”, last on 19 Nov 2026, "
        "mostly because of: Too many at a time."
    )
    assert table(held, "playbooks").select("playbook", "why").rows() == [("apply-patch", "Too many at a time")]


def test_a_window_has_its_first_day_and_the_one_before_the_rest():
    held = report([block("in", 6), block("before", 7), block("first", 13), block("out", 14)])
    assert (held.summary["policy_blocks"], held.summary["policy_blocks_before"]) == (1, 2)
    assert (held.summary["policy_blocks_change"], held.summary["policy_blocks_change_pct"]) == (-1, -50.0)
    longer = report([block("in", 29), block("before", 30), block("first", 59), block("out", 60)], window="30d")
    assert (longer.summary["policy_blocks"], longer.summary["policy_blocks_before"]) == (1, 2)


def test_a_change_from_nothing_has_no_percentage():
    (change,) = [row for row in table(report([block("b1")]), "comparison").rows() if row[0] == "blocks"]
    assert change == ("blocks", "Policy blocks", 1.0, 0.0, 1.0, None)


def test_what_others_did_is_neither_counted_nor_shown():
    held = report([block("mine"), block("theirs", actor=BOB)], [run("r1", 0.5, actor=BOB)])
    assert (held.summary["policy_blocks"], held.summary["policy_runs_allowed"]) == (1, 0)
    assert BOB not in str([frame.frame.rows() for frame in held.tables])


def test_without_an_actor_everybody_is_counted():
    held = report([block("mine"), block("theirs", actor=BOB)], actor="")
    assert held.summary["policy_blocks"] == 2
    assert held.headline.startswith("2 of 2 attempts to run an automation were blocked")


def test_the_compliant_run_is_the_next_one_of_the_same_person_and_playbook():
    later = [run("same", -0.001), run("equal", 0), run("theirs", -0.0005, actor=BOB), run("x", -0.0005, playbook="x")]
    assert report([block("b1")], later).summary["policy_blocks_minutes_to_run"] == 1.4


def test_a_playbook_that_is_mostly_blocked_has_a_bad_policy():
    blocks = [block(f"b{i}") for i in range(3)]
    assert report(blocks, [run(f"r{i}", 1) for i in range(3)]).warnings == [
        "Blocked 3 times or more, and at least as often as let through: “apply-patch”. Whoever owns the policy checks "
        "whether it asks too much."
    ]
    assert report(blocks, [run(f"r{i}", 1) for i in range(4)]).warnings == []
    assert report(blocks[:2]).warnings == []


def test_nothing_attempted_is_not_good():
    held = report()
    assert lead(report(actor=""))[0] == "Nothing was attempted in 7 days, so no policy had anything to refuse."
    assert lead(held) == (
        f"Nothing was attempted by {ANN} in 7 days, so no policy had anything to refuse.",
        "Rehearse an automation to fill this report: post it to /api/automations/dry-run.",
    )
    assert (held.summary["policy_block_rate_pct"], held.summary["policy_blocks_minutes_to_run"]) == (None, None)
    assert all(frame.frame.is_empty() for frame in held.tables if frame.name != "comparison")
    assert held.charts == []
    assert held.summary["window_start_on"] == DAY - timedelta(days=6)


def test_only_allowed_runs_are_no_block():
    held = report(runs=[run("r1")])
    assert lead(held) == (f"0 of 1 attempts of {ANN} to run an automation were blocked in 7 days.", "")
    assert held.summary["policy_block_rate_pct"] == 0.0


@pytest.mark.parametrize(("known", "change"), [(date(2026, 11, 7), 1), (date(2026, 11, 8), None), (None, None)])
def test_nothing_is_compared_with_a_window_before_the_records(known, change):
    held = report([block("b1"), block("b2", 1)], known=known)
    assert held.summary["policy_blocks"] == 2
    if change is None:
        names = ("policy_blocks_before", "policy_blocks_change", "policy_blocks_change_pct")
        assert [held.summary[name] for name in names] == [None, None, None]
        assert table(held, "comparison").select("before", "change", "change_pct").null_count().row(0) == (7, 7, 7)
        assert table(held, "reasons").select("before", "change").rows() == [(None, None)]
        text = f"Records begin on {known}" if known else "Nothing was recorded up to this day"
        assert held.warnings == [f"{text}, so there is nothing to compare with{' before' if known else ''}."]
        assert "before" not in held.headline
    else:
        assert (held.summary["policy_blocks_before"], held.warnings) == (0, [])


def test_every_figure_is_what_its_rows_give():
    given = facts(
        [block("b1"), block("b2", 1, overridden=True), block("b3", 9)], [run("r1", 0.5), run("r2", 1.5), run("r3", 8)]
    )
    values_follow(REPORT, ask(window="7d"), **given)
    values_follow(REPORT)
    assert explained_rows(REPORT, "policy_block_rate_pct", ask(window="7d"), **given).select("id", "flag").rows() == [
        ("r2", 0),
        ("b2", 1),
        ("r1", 0),
        ("b1", 1),
    ]
    assert explained_rows(REPORT, "policy_blocks_change", ask(window="7d"), **given).select(
        "reason", "value"
    ).rows() == [("2 blocks now, 1 before", 1)]


def test_the_median_is_a_time_that_occurred():
    runs = [run("r1", -1 / 24), run("r2", 1 - 3 / 24)]
    assert report([block("b1"), block("b2", 1)], runs).summary["policy_blocks_minutes_to_run"] == 60.0


def test_without_any_facts_nothing_was_attempted():
    held = document(REPORT)
    assert lead(held) == (
        "Nothing was attempted in 30 days, so no policy had anything to refuse.",
        "Rehearse an automation to fill this report: post it to /api/automations/dry-run.",
    )
    full = report([block("b1")], [run("r1", 0.5)])
    assert [table.frame.schema for table in held.tables] == [table.frame.schema for table in full.tables]


def test_people_read_when_it_was_by_the_clock_that_the_rule_means():
    held = report([block("b1"), block("b2")])
    assert table(held, "blocks")["blocked_local"].to_list() == ["2026-11-20 07:00 EST"] * 2
    assert table(held, "repeat_offenders")["last_local"].to_list() == ["2026-11-20 07:00 EST"]
