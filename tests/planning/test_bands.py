"""Readiness with its band: what nine of ten ways in which the hours may go reach."""

from datetime import timedelta

from engine.planning.verdict.bands import band
from engine.planning.verdict.likelihood import HoursSpread, ready_days
from tests.factories import DAY
from tests.facts.conftest import control, facts_with, memory, replica  # noqa: F401 - fixtures
from tests.planning.doing import noon
from tests.planning.test_law import plan_of
from tests.planning.test_promises import hours, organization, scope, work

__all__ = ["facts_with", "replica"]
BY = DAY + timedelta(days=30)
DAYS = [DAY, BY, BY + timedelta(days=60)]
NAMES = ("X1", "X2")


def drawn_band(facts_with, spread, *estimates):
    """Readiness as planned, and what nine of ten draws reach, on each of the days."""
    controls, records = organization(
        *(control(name, evidence_kinds=["operation"], cadence="annual", position=n) for n, name in enumerate(NAMES)),
        remediations=[work(name, estimate_hours=own) for name, own in zip(NAMES, estimates, strict=False)],
        owner_capacity=[hours(10.0)],
        organization_frameworks=scope("soc2", by=BY),
    )
    events = (
        [] if estimates else [("backup.completed", noon(DAY - timedelta(days=9)), {"controls": "soc2:X1; soc2:X2"})]
    )
    _, plan = plan_of(facts_with, (controls, events, records, BY, 100))
    planned = plan.with_plan.readiness(DAYS)["strict_pct"]
    series = band(plan, plan.goals[0], ready_days(plan, spread), DAYS)["low_strict_pct"]
    return list(zip(planned, series, strict=True))


def test_the_band_is_as_wide_as_the_hours_are_uncertain(facts_with):
    assert drawn_band(facts_with, HoursSpread(0.0, 0.0), 4.0, 16.0) == [(0.0, 0.0), (100.0, 100.0), (100.0, 100.0)]
    first, on_the_day, later = drawn_band(facts_with, HoursSpread(0.3, 1.2), 4.0, 16.0)
    assert first == (0.0, 0.0)
    assert on_the_day[1] < on_the_day[0] == 100.0
    assert on_the_day[1] <= later[1], "with time more of it is done"


def test_where_nothing_has_to_be_done_there_is_no_band(facts_with):
    assert drawn_band(facts_with, HoursSpread(0.0, 1.0)) == [(100.0, 100.0)] * 3
