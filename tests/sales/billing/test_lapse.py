"""The job ``billing``: cancelled plans end when their paid time is over, each organization for itself."""

from datetime import timedelta

import pytest

import scheduler
from engine.model.errors import Problem, Unavailable
from engine.runtime.jobs import Runner
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.sales.billing import ledger
from engine.sales.billing.instants import instant
from engine.sales.billing.ledger import RUN, SubscriptionState
from engine.store import PLATFORM
from engine.store.rows import many
from engine.store.schema.audit import audit_log
from engine.store.schema.organizations import organizations
from engine.store.schema.outputs import job_runs
from tests.conftest import NOW

UNTIL = NOW.replace(hour=0, minute=0) + timedelta(days=3)  # at midnight: paid time is over on that day
NIGHT = UNTIL + timedelta(minutes=15)  # SVC_BILLING_AT, as it comes
(BILLING,) = (job for job in scheduler.JOBS if job.name == "billing")


def cancel_plan(store, org="acme", *, until=UNTIL):
    """A plan that was bought, and cancelled within its paid time."""
    if store.head(org) is None:
        with store.revision(org, "setup", now=NOW, create={"name": org}) as revision:
            revision.record("organization.created")
    for status in ("active", "cancelled"):
        state = SubscriptionState("ord_1", "paypal", f"I-{org}", "pro", status, NOW, until)
        store.write(org, "provider:paypal", lambda revision, told=state: ledger.apply(revision, told), now=NOW)
    assert store.plan(org) == "pro"


def ran(store, job, org=PLATFORM):
    with store.reader() as connection:
        rows = many(connection, job_runs, org, job=job, order=("started_at",))
    return [(row["started_at"], row["outcome"], row["message"]) for row in rows]


def audit_actions(store, org="acme"):
    with store.reader() as connection:
        audit_log_rows = many(connection, audit_log, org, order=("seq",))
    return [(row["actor"], row["action"]) for row in audit_log_rows if row["occurred_at"] > NOW]


def night(store, at):
    """What the scheduler of a process does at a time."""
    runner = Runner(Services(Settings(), store, None, at), scheduler.JOBS, lambda: at)
    try:
        return runner.run(BILLING)
    finally:
        runner.resign()


def test_it_is_due_at_the_time_that_the_setting_names():
    assert BILLING.when.schedule_text(Settings()) == "daily at 00:15 UTC"
    assert BILLING.when.schedule_text(Settings.of({"SVC_BILLING_AT": "23:45"})) == "daily at 23:45 UTC"


def test_a_cancelled_plan_ends_on_the_day_on_which_its_paid_time_ends(any_store):
    cancel_plan(any_store)
    assert night(any_store, NIGHT - timedelta(days=1)) == "0 cancelled subscriptions ended"
    assert (any_store.plan("acme"), audit_actions(any_store)) == ("pro", [])
    assert night(any_store, NIGHT) == "1 cancelled subscriptions ended"
    assert any_store.plan("acme") == "free"
    assert audit_actions(any_store) == [
        ("system:billing", "billing.subscription.expired"),
        ("system:billing", "billing.plan.changed"),
    ]
    assert any_store.verify("acme").ok


def test_a_second_run_of_the_night_changes_nothing(any_store):
    cancel_plan(any_store)
    assert [night(any_store, NIGHT), night(any_store, NIGHT + timedelta(minutes=1))] == [
        "1 cancelled subscriptions ended",
        None,
    ]
    head = any_store.head("acme")
    assert ledger.lapse_all(any_store, now=NIGHT) == "0 cancelled subscriptions ended"
    assert any_store.head("acme") == head


@pytest.mark.parametrize(
    ("fault", "reason"),
    [(Unavailable("The disk is full."), "The disk is full."), (ValueError("ann@acme.example"), "ValueError")],
)
def test_one_organization_that_fails_keeps_no_other_from_its_end(any_store, monkeypatch, fault, reason):
    def lapse_of(store, org, *, now):
        if org == "broken":
            raise fault
        return done(store, org, now=now)

    done = ledger.lapse_of
    monkeypatch.setattr(ledger, "lapse_of", lapse_of)
    for org in ("acme", "broken", "zenith"):
        cancel_plan(any_store, org)
    with pytest.raises(Problem) as raised:
        night(any_store, NIGHT)
    text = f"2 cancelled subscriptions ended; failed for 1 of 3 organizations: broken: {reason}"
    assert (raised.value.message, raised.value.__cause__) == (text, fault)
    assert [any_store.plan(org) for org in ("acme", "broken", "zenith")] == ["free", "pro", "free"]
    assert ran(any_store, RUN, "broken") == [(NIGHT, "failed", reason)]
    assert (ran(any_store, RUN, "acme"), ran(any_store, RUN, "zenith")) == ([], [])
    assert ran(any_store, "billing") == [(NIGHT, "failed", text)]
    monkeypatch.undo()
    assert night(any_store, NIGHT + timedelta(days=1)) == "1 cancelled subscriptions ended"
    assert any_store.plan("broken") == "free"


@pytest.mark.parametrize(
    "until",
    [
        "2026-11-24T00:00:00+00:00",
        "2026-11-24T00:00:00+13:00",  # over on the 23rd at 11:00 UTC
        "2026-11-23T18:00:00-08:00",  # over on the 24th at 02:00 UTC
        "2026-11-24T00:00:00.000001+00:00",
    ],
)
def test_paid_time_ends_at_its_moment_whatever_zone_the_provider_names_it_in(until, any_store):
    """Never before, and with the next run of the job after it, in the zone that the provider and nobody else chose."""
    end = instant(until)
    cancel_plan(any_store, until=end)
    with any_store.revision("acme", "setup", now=NOW) as revision:
        revision.update(organizations, {}, {"time_zone": "Pacific/Auckland"})
        revision.record("organization.changed")
    assert night(any_store, end - timedelta(microseconds=1)) == "0 cancelled subscriptions ended"
    assert any_store.plan("acme") == "pro"
    assert ledger.lapse_all(any_store, now=end) == "1 cancelled subscriptions ended"
    assert any_store.plan("acme") == "free"


def test_a_failed_payment_has_its_grace_and_a_cancellation_within_it_ends_with_the_paid_time(any_store):
    """While a payment is chased the plan stays, however late it is; what was cancelled meanwhile gets no further day."""
    cancel_plan(any_store)
    chased = SubscriptionState("ord_1", "paypal", "I-acme", "pro", "past_due", NOW + timedelta(minutes=1), UNTIL)
    any_store.write("acme", "provider:paypal", lambda revision: ledger.apply(revision, chased), now=NOW)
    late = UNTIL + timedelta(days=9)
    assert night(any_store, late) == "0 cancelled subscriptions ended"
    assert any_store.plan("acme") == "pro"
    over = SubscriptionState("ord_1", "paypal", "I-acme", "pro", "cancelled", late)
    any_store.write("acme", "provider:paypal", lambda revision: ledger.apply(revision, over), now=late)
    assert any_store.plan("acme") == "free"


def test_a_night_that_was_missed_is_made_up_for(any_store):
    cancel_plan(any_store)
    assert night(any_store, NIGHT + timedelta(days=5)) == "1 cancelled subscriptions ended"
    assert any_store.plan("acme") == "free"
