"""What a check notices of rows that were broken, counted way by way, and what is counted when the time is up."""

from datetime import date

from engine.evidence.pulls import prove as proving
from engine.evidence.pulls.check_run import CheckQueries
from engine.evidence.pulls.declarations import DaySpan
from engine.evidence.pulls.prove import ProofSubject, prove
from engine.evidence.pulls.tables import SourceTable

SPAN = DaySpan(date(2026, 11, 1), date(2026, 11, 27))
LINES = b'{"login":"ann","mfa":true,"note":null}\n{"login":"ben","mfa":true,"note":null}\n'
ACCOUNTS = SourceTable((("login", "VARCHAR"), ("mfa", "BOOLEAN"), ("note", '"NULL"')), LINES, 2)


def subject(exceptions="select login from population where not coalesce(mfa, false)"):
    queries = CheckQueries("select * from accounts", exceptions, 0, 1)
    return ProofSubject("mfa", "0" * 64, queries, {"accounts": ACCOUNTS}, SPAN)


def counts_of(proof):
    return {
        (one.field, one.change): (one.tried, one.exceptions_changed, one.outcomes_changed, one.failures)
        for one in proof.counts
    }


def test_each_way_is_tried_on_each_row_and_undone_before_the_next():
    proof = prove(subject())
    assert counts_of(proof) == {
        ("*", "dropped"): (2, 0, 0, 0),
        ("*", "doubled"): (2, 0, 0, 0),
        ("login", "emptied"): (2, 0, 0, 0),
        ("login", "rekeyed"): (2, 0, 0, 0),
        ("login", "exchanged"): (2, 0, 0, 0),
        ("mfa", "emptied"): (2, 2, 2, 2),
        ("mfa", "turned"): (2, 2, 2, 2),
        ("note", "rekeyed"): (2, 0, 0, 0),
    }
    assert (proof.complete, proof.before.outcome, proof.is_blind) == (True, "passed", False)
    assert proof.unseen == ["accounts.login", "accounts.note"]


def test_a_query_that_fails_over_broken_rows_is_a_change_of_outcome_and_of_no_exception():
    proof = prove(subject("select login from population where case when login is null then error('no login') end"))
    assert counts_of(proof)["login", "emptied"] == (2, 0, 2, 0)
    assert (proof.complete, proof.is_blind) == (True, True)


def test_what_is_not_tried_in_time_is_not_counted(monkeypatch):
    monkeypatch.setattr(proving, "SECONDS", 0.0)
    proof = prove(subject())
    assert (proof.complete, proof.counts, proof.before.outcome) == (False, (), "passed")
