"""What to begin with for a framework is what its plan begins with, and the page of the plan says the same."""

from datetime import timedelta

import pytest

from reports.programme.plans.plan_starts import begin_with, plan_starts
from reports.programme.plans.plan_words import work_text
from reports.programme.plans.readiness_plan import REPORT as PLAN
from reports.shared.packs import first_gap
from tests.factories import DAY, ask, rows
from tests.facts.conftest import facts_with, memory, replica  # noqa: F401 - fixtures
from tests.planning.test_plan import CONTROLS, FRAMEWORKS, RECORDS

__all__ = ["facts_with", "replica"]
TAKEN = (
    *("control_horizons", "gaps", "owner_weeks", "days_away", "load", "signature_duties", "accepted_plans"),
    *("awaited_work", "state_changes", "framework_targets"),
)
WAITS = {"framework": "soc2", "opened_on": DAY, "status": "blocked", "owner": "ann", "blocked_by": "the migration"}


def start_of(facts, question=None):
    question = question or ask()
    starts = plan_starts(**{name: facts[name] for name in TAKEN}, ask=question)
    return begin_with("soc2", facts["gaps"], starts, question)


def test_a_framework_begins_with_what_the_page_of_its_plan_begins_with(facts_with):
    facts = facts_with(controls=CONTROLS, **RECORDS)
    question = ask(framework="soc2", target=100)
    page = PLAN.document({name: facts[name] for name in PLAN.facts}, question)
    first = page.next_step.removesuffix(". The plan has work on 5 controls.")
    assert start_of(facts) == f"{first}, first in the plan for 28 Feb 2027"
    assert first.startswith("Begin with SOC 2 X"), first


def test_without_a_day_the_gap_that_gains_most_comes_first(facts_with):
    facts = facts_with(
        controls=CONTROLS, **{**RECORDS, "organization_frameworks": [FRAMEWORKS[0] | {"target_on": None}]}
    )
    assert start_of(facts).startswith("Close first SOC 2 X")
    assert start_of(facts).endswith(", which gains most for its hours")


def test_what_waits_is_not_begun_with(facts_with):
    """Each control of the plan but X3 waits for something that no plan knows the end of."""
    waiting = [{**WAITS, "id": f"R-{one}", "control_id": one} for one in ("X1", "X2", "X4", "X5")]
    facts = facts_with(controls=CONTROLS, **RECORDS, remediations=waiting)
    assert start_of(facts).startswith("Begin with SOC 2 X3 ")


GAP = {"framework": "soc2", "title": "Backups", "state": "partial", "action": "Sign", "due_on": None, "owner": "ann"}
FREE = {**GAP, "gap_id": "soc2:CC6.1", "control_id": "CC6.1", "title": "Access", "priority": 1.0}
FIRST = {**GAP, "gap_id": "soc2:A1.2", "control_id": "A1.2", "priority": 9.0, "blocked_by": "the migration"}


@pytest.mark.parametrize(
    ("gaps", "text"),
    [
        ([FREE], "SOC 2 CC6.1 Access (sign; with ann, not planned yet)"),
        (
            [FREE, FIRST],
            "SOC 2 A1.2 Backups (sign; with ann, not planned yet, waits for the migration); until then begin with SOC 2 CC6.1 "
            "Access (sign; with ann, not planned yet)",
        ),
        ([FIRST], "SOC 2 A1.2 Backups (sign; with ann, not planned yet, waits for the migration)"),
        ([], ""),
    ],
)
def test_a_gap_that_waits_is_named_with_the_one_that_can_begin(gaps, text):
    assert first_gap(rows("gaps", *gaps), ask()) == text


WORK = {
    "framework": "soc2",
    "control_id": "CC6.1",
    "title": "Access",
    "action": "Sign",
    "owner": "ann",
    "done_by": DAY + timedelta(days=5),
    "waits_for": None,
}


@pytest.mark.parametrize(
    ("due_on", "against_due", "text"),
    [
        (None, None, "sign by 25 Nov 2026 (with ann)"),
        (DAY + timedelta(days=9), None, "sign by 25 Nov 2026 (with ann)"),
        (DAY + timedelta(days=2), "late", "sign by 22 Nov 2026 (with ann)"),
        (DAY - timedelta(days=1), "late", "sign by 25 Nov 2026 (with ann, overdue since 19 Nov 2026)"),
    ],
)
def test_work_is_done_by_the_earlier_of_the_days_of_plan_and_record(due_on, against_due, text):
    assert work_text({**WORK, "due_on": due_on, "against_due": against_due}, ask()) == f"SOC 2 CC6.1 Access: {text}"


def test_a_plan_says_why_it_does_not_begin_with_its_first_row(facts_with):
    waiting = [{**WAITS, "id": f"R-{one}", "control_id": one} for one in ("X1", "X2", "X4", "X5")]
    facts = facts_with(controls=CONTROLS, **RECORDS, remediations=waiting)
    page = PLAN.document({name: facts[name] for name in PLAN.facts}, ask(framework="soc2", target=100))
    first = page.tables[0].frame.row(0, named=True)
    assert f", as {first['control_id']} waits for the migration" in page.next_step
