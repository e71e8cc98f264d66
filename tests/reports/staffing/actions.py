"""Staffing actions for tests: a row is open, three hours, of ann, whose peak week ended twelve days ago."""

from datetime import date

from tests.factories import rows

FIVE = {
    "action_id": "x", "week": "2026-W45", "week_start_on": date(2026, 11, 2), "week_end_on": date(2026, 11, 8),
    "kind": "reassign", "owner": "ann", "owner_left": False, "duties": [], "hard": False, "accountable": "bob",
    "committee": "Board", "chair": "cyd", "meets_on": date(2026, 12, 1), "relief_hours": 3.0, "status": "open",
    "standing": "breached", "proposed_on": date(2026, 10, 1), "tracked_on": date(2026, 10, 2), "days_past": 12,
    "business_days_past": 10, "sla_due_on": date(2026, 11, 13), "breach_days": 5, "reminder_step": 0, "rollups": 0,
    "escalations": 0,
}  # fmt: skip
DONE = {
    "status": "completed",
    "standing": "done_on_time",
    "breach_days": 0,
    "completed_on": date(2026, 11, 11),
    "relief_actual_hours": 2.0,
    "evidence": "minutes",
}
PROPOSED = {
    "status": "proposed",
    "standing": "proposed",
    "week": "2026-W52",
    "breach_days": 0,
    "days_past": 0,
    "business_days_past": 0,
    "week_start_on": date(2026, 12, 21),
    "week_end_on": date(2026, 12, 27),
    "tracked_on": None,
}
SOON = {
    "standing": "past_peak",
    "breach_days": 0,
    "week": "2026-W46",
    "week_start_on": date(2026, 11, 9),
    "week_end_on": date(2026, 11, 15),
    "days_past": 5,
    "business_days_past": 5,
    "sla_due_on": date(2026, 11, 20),
}


def actions(*given):
    return rows("staffing_actions", *({**FIVE, **row} for row in given))


def frame(made, name):
    return next(table.frame for table in made.tables if table.name == name)
