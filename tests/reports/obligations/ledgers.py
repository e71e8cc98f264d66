"""Random ledgers, and the facts that follow from a ledger, computed as in production."""

from datetime import timedelta

import polars as pl
from hypothesis import strategies as st

from engine.facts.obligations.workload import load, owner_weeks
from engine.facts.question import FactQuestion, question_frame
from engine.model.thresholds import Thresholds
from reports.shared.ledger import KINDS
from tests.factories import DAY, ORG, rows

CAPACITY = {
    "org_id": pl.String,
    "email": pl.String,
    "week": pl.String,
    "hours": pl.Float64,
    "absence_hours": pl.Float64,
}
USERS = {"org_id": pl.String, "email": pl.String, "active": pl.Boolean}
PEOPLE = ("ann", "bob", "cyd", "dan")
STATES = ("open", "overdue", "done", "late", "cancelled")


def duty(key, days, **given):
    """A pending duty that is due so many days from the day of the report."""
    state = "open" if days >= 0 else "overdue"
    due = DAY + timedelta(days=days)
    return {
        "obligation_id": key,
        "title": f"Duty {key}",
        "due_on": due,
        "week": due.strftime("%G-W%V"),
        "days_left": days,
        "state": state,
        "owner": "ann",
        "source_ref": key,
        **given,
    }


def ledger(*duties):
    return rows("obligations", *duties)


def work(obligations, *capacity, day=DAY, left=()):
    """The facts ``owner_weeks`` and ``load`` of a ledger; ``capacity`` is (owner, week or 'default', hours).

    ``left`` names people who are no longer there.
    """
    question = question_frame([FactQuestion(ORG, "UTC", day, 30, Thresholds())])
    given = [{"org_id": ORG, "email": who, "week": week, "hours": hours} for who, week, hours in capacity]
    held = pl.DataFrame(given, schema=CAPACITY, orient="row")
    users = pl.DataFrame([(ORG, who, False) for who in left], schema=USERS, orient="row")
    shares = load(obligations, rows("planned_load"), question)
    return owner_weeks(shares, held, rows("days_away"), users, question), shares


@st.composite
def ledgers(draw):
    """Up to 25 duties of all kinds and states, some paused, some without owner, framework or vendor."""
    count = draw(st.integers(0, 25))
    duties = []
    for number in range(count):
        days = draw(st.integers(-200, 300))
        state = draw(st.sampled_from(STATES))
        state = (
            {"open": "overdue", "overdue": "overdue"}.get(state, state)
            if days < 0
            else state.replace("overdue", "open")
        )
        paused = state == "overdue" and draw(st.booleans())
        frameworks = draw(st.lists(st.sampled_from(["soc2", "iso27001", "pci-dss"]), unique=True, max_size=2))
        vendor = draw(st.sampled_from([None, "V1", "V2"]))
        duties.append(
            duty(
                f"d{number:02d}",
                days,
                kind=draw(st.sampled_from(KINDS)),
                state="open" if paused else state,
                paused=paused,
                done_on=DAY - timedelta(days=3) if state in ("done", "late") else None,
                owner=draw(st.sampled_from([None, *PEOPLE])),
                accountable=draw(st.sampled_from([None, *PEOPLE])),
                effort_hours=draw(st.sampled_from([0.5, 1.0, 2.0, 3.0, 6.0])),
                frameworks=frameworks,
                controls=[f"{name}:C{draw(st.integers(1, 3))}" for name in frameworks],
                vendor_id=vendor,
                vendor_tier=draw(st.sampled_from([None, "high", "low"])) if vendor else None,
                hard=draw(st.booleans()),
            )
        )
    return ledger(*duties)
