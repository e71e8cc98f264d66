"""What went well or poorly, as far as the records show it."""

from datetime import date, timedelta

import pytest

from engine.incidents.review.lessons import Lesson, lessons
from engine.incidents.slo.impact import Impact
from tests.incidents.records import OPENED, record

TODAY = date(2026, 11, 20)
REPORTED = Lesson(True, "It was reported by alertmanager, not by a person.")


def action(action_id, **columns):
    return {"id": action_id, "status": "open", "owner": "ann@acme.example", "due_on": TODAY, **columns}


def execution(execution_id, status, dry_run_id=None):
    return {
        "id": execution_id,
        "playbook": "restart-service",
        "status": status,
        "executed_at": OPENED,
        "dry_run_id": dry_run_id,
    }


def dry_run(run_id, outcome):
    return {"id": run_id, "outcome": outcome, "ran_at": OPENED}


RESOLVED = {"resolved_at": OPENED + timedelta(minutes=30)}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, []),
        (
            {"executions": [execution("x1", "succeeded", "d1")], "dry_runs": [dry_run("d1", "succeeded")]},
            [Lesson(True, "1 execution succeeded, each after a dry-run that did.")],
        ),
        ({"executions": [execution("x1", "succeeded", "d1")], "dry_runs": [dry_run("d1", "failed")]}, []),
        (
            {"executions": [execution("x1", "failed"), execution("x2", "rolled_back")]},
            [
                Lesson(False, "Execution x1 of restart-service failed."),
                Lesson(False, "Execution x2 of restart-service was rolled back."),
            ],
        ),
        (
            {"dry_runs": [dry_run("d1", "blocked"), dry_run("d2", "blocked")]},
            [Lesson(False, "2 dry-runs blocked by policy during the incident.")],
        ),
        (
            {"impact": Impact(None, 30.0, True, used_pct=1234.5)},
            [Lesson(False, "The incident alone used more than the whole 30-day error budget (1,234.5 %).")],
        ),
        (
            {"earlier": [{"id": "inc-0"}, {"id": "inc-00"}]},
            [
                Lesson(
                    False, "It came back: 2 earlier incidents with the same key within a year, the last of them inc-0."
                )
            ],
        ),
        ({"incident": RESOLVED}, [Lesson(False, "It is resolved without an established cause.")]),
        ({"incident": {**RESOLVED, "root_cause": "A full disk"}}, []),
        (
            {"incident": {**RESOLVED, "root_cause": "A full disk", "severity": "high"}},
            [
                Lesson(False, "No communication is recorded for an incident of high severity."),
                Lesson(False, "No follow-up action is recorded."),
            ],
        ),
        (
            {"actions": [action("a1", due_on=TODAY - timedelta(days=1)), action("a2"), action("a3", owner=None)]},
            [Lesson(False, "1 follow-up action overdue: a1."), Lesson(False, "Without an owner or a date: a3.")],
        ),
        ({"actions": [action("a1", status="done")]}, [Lesson(True, "1 follow-up action done.")]),
    ],
)
def test_a_lesson_is_a_sentence_that_the_records_hold(given, expected):
    assert lessons(record(**given), TODAY) == [REPORTED, *expected]


def test_an_incident_that_a_person_reported_says_nothing_about_monitors():
    assert lessons(record(incident={"source": "ann@acme.example"}), TODAY) == []
    assert lessons(record(incident={"source": None}), TODAY) == [
        Lesson(False, "No monitor or scanner is recorded as its source.")
    ]
