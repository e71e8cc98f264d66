"""What the report on policy blocks says."""

from datetime import date, timedelta

from reports.deployment.policy_blocks import REPORT
from tests.factories import (
    DAY,
    ask,
    moment,
    rows,
)

ANN, BOB = "ann@acme.example", "bob@acme.example"
NOON = moment("2026-11-20 12:00")


def block(identifier, ago=0, **given):
    at = NOON - timedelta(days=ago)
    row = {"id": identifier, "playbook": "apply-patch", "policy_id": "p1", "policy": "Guardrail", "reason": "hours",
           "actor": ANN, "blocked_at": at, "blocked_on": at.date(), "overridden": False}  # fmt: skip
    return {**row, **given}


def run(identifier, ago=0.0, **given):
    at = NOON - timedelta(days=ago)
    row = {"id": identifier, "kind": "dry_run", "playbook": "apply-patch", "actor": ANN, "outcome": "succeeded",
           "ran_at": at, "ran_on": at.date()}  # fmt: skip
    return {**row, **given}


def report(blocks=(), runs=(), actor=ANN, window="7d"):
    return REPORT.build(
        rows("policy_blocks", *blocks), rows("automation_runs", *runs), ask(actor=actor, window=window)
    )  # fmt: skip


def table(document, name):
    return next(table.frame for table in document.tables if table.name == name)


def test_blocks_are_counted_against_what_was_let_through():
    document = report(
        [block("b1"), block("b2", 1, reason="max_targets", playbook="rotate-key", overridden=True), block("b3", 2)],
        [run("r1", 1.5), run("r2", 3)],
    )
    assert dict(document.summary) == {
        "window_days": 7, "window_start_on": date(2026, 11, 14), "blocks": 3, "playbooks": 2, "allowed_runs": 2,
        "block_rate_pct": 60.0, "overridden": 1, "without_compliant_run": 2, "median_minutes_to_run": 720.0,
        "blocks_before": 0, "blocks_change": 3, "blocks_change_pct": None,
    }  # fmt: skip
    assert table(document, "reasons").rows() == [("hours", 2, 0, 66.7, 2), ("max_targets", 1, 0, 33.3, 1)]
    assert table(document, "playbooks").rows() == [
        ("rotate-key", 1, 0, "max_targets", 100.0), ("apply-patch", 2, 2, "hours", 50.0)
    ]  # fmt: skip
    assert table(document, "repeat_offenders").select("actor", "playbook", "blocks").rows() == [(ANN, "apply-patch", 2)]
    assert table(document, "blocks")["id"].to_list() == ["b1", "b2", "b3"]
    assert document.headline == (
        "3 of 5 of your attempts were blocked in 7 days (60.0 %), 0 in the 7 days before; most often for hours."
    )


def test_a_window_has_its_first_day_and_the_one_before_the_rest():
    document = report([block("in", 6), block("before", 7), block("first", 13), block("out", 14)])
    assert (document.summary["blocks"], document.summary["blocks_before"]) == (1, 2)
    assert (document.summary["blocks_change"], document.summary["blocks_change_pct"]) == (-1, -50.0)
    longer = report([block("in", 29), block("before", 30), block("first", 59), block("out", 60)], window="30d")
    assert (longer.summary["blocks"], longer.summary["blocks_before"]) == (1, 2)


def test_a_change_from_nothing_has_no_percentage():
    (change,) = [row for row in table(report([block("b1")]), "comparison").rows() if row[0] == "blocks"]
    assert change == ("blocks", 1.0, 0.0, 1.0, None)


def test_what_others_did_is_neither_counted_nor_shown():
    document = report([block("mine"), block("theirs", actor=BOB)], [run("r1", 0.5, actor=BOB)])
    assert (document.summary["blocks"], document.summary["allowed_runs"]) == (1, 0)
    assert BOB not in str([frame.frame.rows() for frame in document.tables])


def test_without_an_actor_everybody_is_counted():
    document = report([block("mine"), block("theirs", actor=BOB)], actor="")
    assert document.summary["blocks"] == 2
    assert document.headline.startswith("2 of 2 attempts were blocked")


def test_the_compliant_run_is_the_next_one_of_the_same_person_and_playbook():
    later = [run("same", -0.001), run("equal", 0), run("theirs", -0.0005, actor=BOB), run("x", -0.0005, playbook="x")]
    assert report([block("b1")], later).summary["median_minutes_to_run"] == 1.4


def test_a_playbook_that_is_mostly_blocked_has_a_bad_policy():
    blocks = [block(f"b{i}") for i in range(3)]
    assert report(blocks, [run(f"r{i}", 1) for i in range(3)]).warnings == [
        "Blocked at least as often as let through, which usually means that the policy is wrong: apply-patch."
    ]
    assert report(blocks, [run(f"r{i}", 1) for i in range(4)]).warnings == []
    assert report(blocks[:2]).warnings == []


def test_nothing_attempted_is_not_good():
    document = report()
    assert document.headline == "Nothing was attempted in 7 days, so no policy had anything to refuse."
    assert (document.summary["block_rate_pct"], document.summary["median_minutes_to_run"]) == (None, None)
    assert all(frame.frame.is_empty() for frame in document.tables if frame.name != "comparison")
    assert document.charts == []
    assert document.summary["window_start_on"] == DAY - timedelta(days=6)


def test_only_allowed_runs_are_no_block():
    document = report(runs=[run("r1")])
    assert document.headline == "0 of 1 of your attempts were blocked in 7 days."
    assert document.summary["block_rate_pct"] == 0.0
