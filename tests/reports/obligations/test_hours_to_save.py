"""Crossover, consolidation and the quarterly digest promise the same hours, of the same clusters of pending duties."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.capacity import committee_digest
from reports.obligations.crossover import obligation_consolidation, obligation_crossover
from tests.factories import ask, document
from tests.laws import examples
from tests.reports.obligations.ledgers import duty, ledger, ledgers, work
from tests.reports.staffing.actions import actions, frame


def documents(obligations, **options):
    question = ask(**options)
    return (
        document(obligation_crossover.REPORT, question, obligations=obligations),
        document(obligation_consolidation.REPORT, question, obligations=obligations),
        document(
            committee_digest.REPORT,
            question,
            obligations=obligations,
            owner_weeks=work(obligations)[0],
            staffing_actions=actions(),
        ),
    )


def shared_duty(key, days, **more):
    return duty(key, days, controls=["soc2:CC6.1"], frameworks=["soc2"], effort_hours=4.0, **more)


@pytest.mark.real
@settings(max_examples=examples(25), deadline=None)
@given(ledgers(), st.sampled_from([None, 2, 13, 26]))
def test_three_reports_promise_the_same_hours(obligations, weeks):
    crossover, consolidation, digest = documents(obligations, weeks=weeks)
    hours = crossover.summary["hours_to_save"]
    assert (consolidation.summary["hours_to_save"], digest.summary["hours_to_save"]) == (hours, hours)
    assert crossover.summary["crossover_clusters"] == consolidation.summary["plays"]
    for name in ("cluster_id", "best_on", "hours_to_save"):
        best = frame(crossover, "clusters")[name].head(committee_digest.SHOWN)
        assert frame(digest, "crossovers")[name].to_list() == best.to_list()


@pytest.mark.parametrize("past", ["done", "late", "cancelled"])
def test_duties_that_nobody_has_to_do_any_more_save_nothing(past):
    obligations = ledger(shared_duty("a", 3, state=past), shared_duty("b", 4))
    for made in documents(obligations):
        assert made.summary["hours_to_save"] == 0.0
    assert frame(documents(obligations)[2], "decisions").is_empty()


def test_duties_beyond_the_horizon_save_nothing_yet():
    obligations = ledger(shared_duty("a", 60), shared_duty("b", 61))
    assert [made.summary["hours_to_save"] for made in documents(obligations)] == [3.0, 3.0, 3.0]
    assert [made.summary["hours_to_save"] for made in documents(obligations, weeks=4)] == [0.0, 0.0, 0.0]


def test_without_duties_there_are_no_hours_to_save():
    assert [made.summary["hours_to_save"] for made in documents(ledger())] == [0.0, 0.0, 0.0]
