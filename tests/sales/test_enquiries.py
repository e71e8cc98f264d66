"""Keeping an enquiry: on each engine, its reference unique, its sender's share counted."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import select

from engine.model.errors import Problem, TooManyRequests
from engine.sales import enquiries, stamps
from engine.sales.enquiries import DRAWS, LETTERS, FormRules
from engine.store import PLATFORM
from engine.store.schema.commerce import leads
from tests.conftest import NOW
from tests.sales import factories

RULES = FormRules(least_seconds=3, stamp_secret="", per_email=2)


def submit(store, email="ana@company.example", now=NOW, **options):
    store.ensure_platform(now)
    enquiry = enquiries.check_enquiry("Ana", email, None, "Hello", consent=True)
    return store.write(
        PLATFORM, "public", lambda revision: enquiries.submit(revision, enquiry, RULES, **options), now=now
    )


def test_the_share_of_an_address_is_counted_in_the_store(any_store):
    for hours in (0, 1):
        submit(any_store, now=NOW + timedelta(hours=hours))
    head = any_store.head(PLATFORM)
    with pytest.raises(TooManyRequests) as caught:
        submit(any_store, now=NOW + timedelta(hours=2))
    assert caught.value.headers == {"Retry-After": str(22 * 3600)}
    assert any_store.head(PLATFORM) == head
    submit(any_store, "ben@company.example", now=NOW + timedelta(hours=2))
    submit(any_store, now=NOW + timedelta(hours=24))
    with any_store.reader() as connection:
        assert len(connection.execute(select(leads.c.id)).all()) == 4


def test_a_reference_that_is_taken_is_drawn_again(any_store):
    drawn = iter("222222" + "222222" + "333333")
    assert submit(any_store, draw=lambda letters: next(drawn)) == "HQE-222222"
    assert submit(any_store, draw=lambda letters: next(drawn)) == "HQE-333333"


def test_without_a_free_reference_nothing_is_kept(store):
    submit(store, draw=lambda letters: "2")
    with pytest.raises(Problem, match=f"{DRAWS} draws"):
        submit(store, draw=lambda letters: "2")
    with store.reader() as connection:
        assert len(connection.execute(select(leads.c.id)).all()) == 1


def test_the_letters_are_none_that_are_taken_for_another():
    assert len(set(LETTERS)) == len(LETTERS) == 25
    assert set("7K3M9Q") <= set(LETTERS)
    assert set("0O1IL5S8B2Z") & set(LETTERS) == {"2"}


def test_the_platform_is_made_once(any_store):
    any_store.ensure_platform(NOW)
    any_store.ensure_platform(NOW)
    assert any_store.head(PLATFORM).seq == 1
    assert PLATFORM not in dict(any_store.organizations())


def test_a_stamp_tells_its_age_to_whoever_has_the_secret():
    stamp = factories.stamp("secret", NOW)
    assert stamps.age("secret", stamp, NOW + timedelta(seconds=5)) == timedelta(seconds=5)
    assert stamps.age("another", stamp, NOW) is None
    assert stamps.age("secret", stamp.replace(".", ".0"), NOW) is None
    assert stamps.age("secret", str(int(stamp[:10]) - 60) + stamp[10:], NOW) is None


def test_many_at_once_are_each_kept_and_the_share_holds(any_store):
    any_store.ensure_platform(NOW)

    def send(number):
        try:
            return submit(any_store, "ana@company.example" if number % 2 else f"a{number}@company.example")
        except TooManyRequests:
            return None

    with ThreadPoolExecutor(8) as senders:
        references = [reference for reference in senders.map(send, range(24)) if reference]
    assert len(set(references)) == len(references) == 12 + RULES.per_email
    with any_store.reader() as connection:
        assert set(connection.execute(select(leads.c.reference_id)).scalars()) == set(references)
    assert any_store.verify(PLATFORM).ok
