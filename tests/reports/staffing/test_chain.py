"""From stored rows through the facts to the reports, and back: what a report sent is what the next one knows of."""

import json
from datetime import date

import pytest

from engine.model.documents.document import Edition, Organization, Position
from engine.render import RENDERERS
from reports.staffing import (
    cross_staffing_committee_escalation,
    staffing_action_reminders,
    staffing_completion_rollup,
    staffing_sla_breach_digest,
)
from tests.factories import ask
from tests.reports.staffing.actions import frame

MODULES = (
    staffing_action_reminders,
    staffing_completion_rollup,
    staffing_sla_breach_digest,
    cross_staffing_committee_escalation,
)
STORED = {
    "staffing_actions": [
        {
            "id": "x",
            "week": "2026-W45",
            "kind": "reassign",
            "owner": "ann",
            "relief_hours": 4.0,
            "status": "open",
            "proposed_on": "2026-10-20",
            "tracked_on": "2026-10-21",
        },
        {
            "id": "y",
            "week": "2026-W44",
            "kind": "borrow",
            "owner": "bob",
            "relief_hours": 2.0,
            "status": "completed",
            "proposed_on": "2026-10-20",
            "tracked_on": "2026-10-21",
            "completed_on": "2026-11-17",
        },
    ],
    "committees": [
        {
            "id": "B",
            "name": "Board",
            "chair": "cyd",
            "members": "ann; bob",
            "cadence": "monthly",
            "first_meeting_on": "2026-12-01",
        }
    ],
    "memberships": [{"email": "zoe", "role": "owner"}],
}


def build(facts_with, module, day, deliveries=()):
    facts = facts_with(as_of=day, deliveries=list(deliveries), **STORED)
    return module.REPORT.document({name: facts[name] for name in module.REPORT.facts}, ask(day))


def payload(module, made):
    """What a delivery carries: the report as JSON."""
    edition = Edition(
        module.REPORT.name, "T", "D", 1, Organization("acme", "Acme"), date(2026, 11, 20), Position(1, "h"), {}, 0, made
    )
    return RENDERERS["json"].render(edition).decode()


def digest_row(module, made, on):
    return {
        "id": f"{module.REPORT.name} {on}",
        "kind": module.REPORT.name,
        "period": str(on),
        "channel": "email",
        "recipient": "zoe",
        "status": "sent",
        "created_at": f"{on} 08:00:00",
        "sent_at": f"{on} 08:01:00",
        "payload": payload(module, made),
    }


@pytest.mark.real
def test_a_rollup_mail_starts_the_clock_of_the_escalation(facts_with):
    monday, wednesday = date(2026, 11, 16), date(2026, 11, 18)
    rollup = build(facts_with, staffing_completion_rollup, monday)
    assert frame(rollup, "actions")["action_id"].to_list() == ["y", "x"]
    mail = digest_row(staffing_completion_rollup, rollup, monday)
    early = build(facts_with, cross_staffing_committee_escalation, monday, [mail])
    assert frame(early, "actions").is_empty()
    made = build(facts_with, cross_staffing_committee_escalation, wednesday, [mail])
    assert frame(made, "actions").select("action_id", "chair", "breach_told_on").rows() == [("x", "cyd", monday)]
    assert frame(made, "notices").select("action_id", "notice").rows() == [("x", "Rollup")]


@pytest.mark.real
def test_a_reminder_that_was_sent_is_not_owed_again(facts_with):
    first = date(2026, 11, 9)
    made = build(facts_with, staffing_action_reminders, first)
    steps = dict(frame(made, "actions").select("action_id", "step").rows())
    assert steps == {"y": 3, "x": 1}
    mail = digest_row(staffing_action_reminders, made, first)
    assert frame(build(facts_with, staffing_action_reminders, first, [mail]), "actions").is_empty()
    later = build(facts_with, staffing_action_reminders, date(2026, 11, 11), [mail])
    assert frame(later, "actions").select("action_id", "step").rows() == [("x", 2)]


@pytest.mark.parametrize("module", MODULES)
def test_every_digest_lists_its_actions_under_one_name(facts_with, module):
    actions = json.loads(payload(module, build(facts_with, module, date(2026, 11, 18))))["actions"]
    assert all(row["action_id"] and isinstance(row["recipients"], list) for row in actions)
