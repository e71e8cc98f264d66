from datetime import date

import msgspec

from engine.model.documents.document import Coverage
from reports.programme.risk.gap_remediations import REPORT
from tests import factories
from tests.factories import ask, lead, rows
from tests.reports.explanations import values_follow

ACCESS = {
    **{"framework": "soc2", "control_id": "CC6.1", "gap_id": "soc2:CC6.1", "title": "Logical access", "priority": 37.5},
    **{"severity": "critical", "runbook": "mfa", "action": "Enforce MFA", "playbook": "mfa-enforce"},
    **{"effort_hours": 2.0, "leverage": 3, "requirements": ["soc2:CC6.1", "iso27001:A.8.5"], "quick_win": True},
    **{"owner": "ann@acme.example", "due_on": date(2026, 11, 19), "dry_run": True, "status": "open"},
}
BACKUP = {
    **{
        "framework": "iso27001",
        "control_id": "A.8.13",
        "gap_id": "iso27001:A.8.13",
        "title": "Backup",
        "priority": 1.0,
    },
    **{"due_on": date(2026, 11, 20), "requirements": ["iso27001:A.8.13"], "status": "blocked", "blocked_by": "vendor"},
}
SCOPE = {"framework": "soc2", "applicable": 10, "assessed": 8}


def document(*gaps, remediations=(), readiness=(SCOPE,), **asked):
    return factories.document(
        REPORT,
        ask(**asked),
        gaps=rows("gaps", *gaps),
        remediations=rows("remediations", *remediations),
        readiness=rows("readiness", *readiness),
    )


def test_the_summary_counts_what_there_is_to_do():
    held = document(BACKUP, ACCESS)
    assert held.summary == {
        "gaps_open": 2,
        "gaps_critical": 1,
        "gaps_high": 0,
        "gaps_medium": 1,
        "gaps_low": 0,
        "gaps_effort_hours": 10.0,
        "quick_wins": 1,
        "quick_wins_hours": 2.0,
        "remediations_overdue": 1,
        "gaps_without_owner": 1,
        "gaps_without_runbook": 1,
        "gaps_blocked": 1,
        "remediations_opened_in_period": 0,
        "remediations_closed_in_period": 0,
    }
    assert held.coverage == Coverage(8, 10)
    assert lead(held) == (
        "2 gaps are open, 1 critical; 1 quick win takes 2 hours.",
        "Start with SOC 2 CC6.1 Logical access: enforce MFA (2 hours, 3 requirements; with ann@acme.example, "
        "remediation due 19 Nov 2026), which gains most for its hours.",
    )


def test_gaps_stand_by_priority_then_identifier():
    same = {**BACKUP, "gap_id": "hipaa:1", "control_id": "1", "framework": "hipaa"}
    assert document(BACKUP, same, ACCESS).table("gaps").frame["gap_id"].to_list() == [
        "soc2:CC6.1",
        "hipaa:1",
        "iso27001:A.8.13",
    ]


def test_a_gap_carries_the_body_of_its_dry_run():
    bodies = document(ACCESS, BACKUP).table("gaps").frame["dry_run_body"].to_list()
    assert msgspec.json.decode(bodies[0]) == {
        "playbook": "mfa-enforce",
        "inputs": {"framework": "soc2", "control_id": "CC6.1", "gap_id": "soc2:CC6.1"},
    }
    assert bodies[1] is None


def test_a_gap_due_today_is_not_overdue():
    assert document(BACKUP).summary["remediations_overdue"] == 0


SIGNATURE = {
    **ACCESS,
    **{"control_id": "CC6.8", "gap_id": "soc2:CC6.8", "title": "Malware", "requirements": ["soc2:CC6.8", "hipaa:1"]},
    **{"action": "Sign", "kinds_to_renew": ["attestation"], "effort_hours": 0.5, "priority": 90.0},
}


def test_the_next_step_says_what_to_do_also_where_no_runbook_is_needed():
    assert document(SIGNATURE).next_step == (
        "Start with SOC 2 CC6.8 Malware: sign (0.5 hours, 3 requirements; with ann@acme.example, remediation due "
        "19 Nov 2026), which gains most for its hours."
    )


def test_runbooks_tell_what_they_would_close_and_sum_to_the_queue():
    other = {**ACCESS, "control_id": "CC6.2", "gap_id": "soc2:CC6.2", "requirements": ["soc2:CC6.2", "iso27001:A.8.5"]}
    held = document(ACCESS, other, BACKUP, SIGNATURE)
    assert held.table("runbooks").frame.to_dicts() == [
        {
            **{"action": "Enforce MFA", "runbook": "mfa", "gaps": 2, "severe": 2, "overdue": 2},
            **{"requirements_unlocked": 3, "effort_hours": 4.0},
        },
        {
            **{"action": "Sign", "runbook": None, "gaps": 1, "severe": 1, "overdue": 1},
            **{"requirements_unlocked": 2, "effort_hours": 0.5},
        },
        {
            **{"action": "Write a runbook: none fits", "runbook": None, "gaps": 1, "severe": 0, "overdue": 0},
            **{"requirements_unlocked": 1, "effort_hours": 8.0},
        },
    ]
    assert [held.table(name).frame["gaps"].sum() for name in ("runbooks", "owners")] == [4, 4]


def test_the_burn_up_covers_whole_weeks_of_the_period_and_counts_from_the_beginning():
    remediations = [
        {"id": "1", "opened_on": date(2026, 9, 1), "closed_on": date(2026, 11, 10)},
        {"id": "2", "opened_on": date(2026, 11, 9), "closed_on": None},
        {"id": "3", "opened_on": date(2026, 11, 6), "closed_on": date(2026, 11, 20)},
    ]
    held = document(remediations=remediations, period_days=14)
    assert held.table("burn_up").frame.rows() == [
        ("2026-W45", 1, 0, 2, 0, 2),
        ("2026-W46", 1, 1, 3, 1, 2),
        ("2026-W47", 0, 1, 3, 2, 1),
    ]


def test_the_burn_up_begins_with_the_first_remediation_on_record():
    remediations = [{"id": "1", "opened_on": date(2026, 11, 12), "closed_on": None}]
    held = document(remediations=remediations, period_days=14)
    assert held.table("burn_up").frame.rows() == [("2026-W46", 1, 0, 1, 0, 1), ("2026-W47", 0, 0, 1, 0, 1)]


def test_a_remediation_that_no_gap_is_open_for_is_said_beside_the_picture():
    """Remediations still open and gaps without one are not the gaps: a control can be effective before it is closed."""
    opened = {"opened_on": date(2026, 11, 9), "status": "open"}
    remediations = [
        {"id": "1", "framework": "soc2", "control_id": "CC6.1", **opened},
        {"id": "2", "framework": "soc2", "control_id": "CC7.1", **opened},
    ]
    (chart,) = document(ACCESS, {**BACKUP, "status": "unplanned"}, remediations=remediations).charts
    assert chart.alt.endswith(
        " 1 open remediation is of a control without an open gap. 1 open gap has no remediation yet and is not in it."
    )
    (chart,) = document(ACCESS, remediations=remediations[:1]).charts
    assert chart.alt.endswith("the distance between the lines is still open.")


def test_what_was_opened_and_closed_in_the_period_is_cut_to_it():
    remediations = [
        {"id": "1", "opened_on": date(2026, 11, 6), "closed_on": date(2026, 11, 7)},
        {"id": "2", "opened_on": date(2026, 11, 7), "closed_on": date(2026, 11, 21)},
    ]
    held = document(remediations=remediations, period_days=14)
    assert (held.summary["remediations_opened_in_period"], held.summary["remediations_closed_in_period"]) == (1, 1)


def test_without_gaps_every_control_is_effective():
    held = document()
    assert lead(held) == ("No gap is open: every applicable control is effective.", "")
    assert held.summary["gaps_open"] == 0
    assert [table.frame.height for table in held.tables] == [0, 0, 0, 0]
    assert held.charts == []


def test_without_controls_no_praise_is_given():
    held = document(readiness=())
    assert lead(held) == (
        "No control is in scope, so there are no gaps to close.",
        "Put a framework in scope: import organization_frameworks.csv with hq import.",
    )
    assert held.coverage == Coverage(0, 0)


def test_a_quick_win_is_defined_by_the_settings_that_count_it():
    quick = document(ACCESS).definitions["Quick wins"]
    assert quick == "Open gaps that at most 4 hours of work close and that unlock at least 3 requirements."


def test_the_rows_behind_a_figure_say_why_each_counts():
    frame = factories.explained_rows(REPORT, "gaps_blocked", gaps=rows("gaps", ACCESS, BACKUP))
    assert frame.select("gap_id", "reason", "flag").rows() == [("iso27001:A.8.13", "blocked by vendor", 1)]


def test_the_rows_that_explain_a_figure_give_its_value():
    values_follow(
        REPORT,
        gaps=rows("gaps", BACKUP, ACCESS),
        remediations=rows("remediations", {"id": "1", "opened_on": date(2026, 11, 6), "closed_on": date(2026, 11, 7)}),
    )
