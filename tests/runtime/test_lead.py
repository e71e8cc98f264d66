"""The lead: one process at a time has it, by no clock but each one's own that nobody sets."""

from datetime import timedelta

import pytest

from engine.runtime.lead import LEASE, LEASE_SECONDS, RENEW_SECONDS, Lead
from engine.store.writing import leases
from engine.store.writing.leases import Lease
from tests.conftest import NOW


class Machine:
    """A machine with a clock on the wall, which anybody sets, and seconds since it was switched on."""

    def __init__(self, store, wall=NOW):
        self.wall = wall
        self.seconds = 1000.0
        self.lead = Lead(store, lambda: self.wall, lambda: self.seconds)

    def after(self, seconds):
        """Whether it leads, that much later."""
        self.seconds += seconds
        self.wall += timedelta(seconds=seconds)
        return self.lead.take()


@pytest.fixture
def machine(any_store):
    return lambda **values: Machine(any_store, **values)


def test_of_two_one_leads_for_as_long_as_it_renews(machine):
    one, two = machine(), machine()
    assert [(one.after(RENEW_SECONDS), two.after(RENEW_SECONDS)) for _ in range(9)] == [(True, False)] * 9
    assert (one.lead.terms, two.lead.terms) == (1, 0)


def test_another_leads_after_silence_and_the_first_learns_it(machine):
    one, two, three = machine(), machine(), machine()
    assert [one.after(0), two.after(0), three.after(0)] == [True, False, False]
    assert [two.after(LEASE_SECONDS - 1), two.after(1)] == [False, True]
    assert [three.after(LEASE_SECONDS), three.after(LEASE_SECONDS - 1)] == [False, False]
    assert [one.after(3600), one.lead.terms, two.lead.terms] == [False, 1, 1]


def test_who_resigns_is_followed_at_once(machine):
    one, two = machine(), machine()
    assert [one.after(0), two.after(0)] == [True, False]
    one.lead.resign()
    assert [two.after(0), one.after(0)] == [True, False]
    one.lead.resign()  # it has nothing to give up
    assert [two.after(RENEW_SECONDS), one.after(0)] == [True, False]


@pytest.mark.parametrize("off", [timedelta(days=-400), timedelta(days=-1), timedelta(days=1), timedelta(days=400)])
def test_machines_whose_clocks_differ_have_one_lead(machine, off):
    one, two = machine(), machine(wall=NOW + off)
    assert [(one.after(5), two.after(5)) for _ in range(20)] == [(True, False)] * 20
    assert [two.after(LEASE_SECONDS), one.after(RENEW_SECONDS)] == [True, False]


@pytest.mark.parametrize("step", [timedelta(days=-1), timedelta(days=1)])
def test_a_clock_that_is_set_neither_loses_the_lead_nor_keeps_it(machine, step):
    one, two = machine(), machine()
    assert [one.after(0), two.after(0)] == [True, False]
    one.wall += step
    two.wall -= step
    assert [(one.after(RENEW_SECONDS), two.after(RENEW_SECONDS)) for _ in range(9)] == [(True, False)] * 9
    assert [two.after(LEASE_SECONDS - 1), two.after(1)] == [False, True]


def test_a_lease_from_a_year_that_has_not_come_is_watched_like_any_other(machine, any_store):
    assert leases.take(any_store, LEASE, Lease("of a wrong clock", NOW + timedelta(days=9999)), after=None)
    one = machine()
    assert [one.after(0), one.after(LEASE_SECONDS - 1), one.after(1)] == [False, False, True]


def test_a_machine_that_was_suspended_does_not_take_the_lead_from_one_that_renewed(machine):
    one, two = machine(), machine()
    assert [one.after(0), two.after(0)] == [True, False]
    for _ in range(100):
        assert one.after(RENEW_SECONDS)
    two.wall += timedelta(hours=8)  # its seconds stood still
    assert [two.after(LEASE_SECONDS), two.after(LEASE_SECONDS - 1)] == [False, False]


def test_of_several_that_saw_the_same_silence_one_takes_the_lead(any_store):
    seen = Lease("gone", NOW)
    assert leases.take(any_store, LEASE, seen, after=None)
    takers = [Lease(name, NOW + timedelta(seconds=1)) for name in "abc"]
    assert [leases.take(any_store, LEASE, one, after=seen) for one in takers] == [True, False, False]
    assert leases.look(any_store, LEASE) == takers[0]
    assert [leases.renew(any_store, LEASE, one) for one in takers] == [True, False, False]
    leases.release(any_store, LEASE, "b")
    assert leases.look(any_store, LEASE) == takers[0]
    leases.release(any_store, LEASE, "a")
    assert leases.look(any_store, LEASE) is None
