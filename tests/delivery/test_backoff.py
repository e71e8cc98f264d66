"""When to try again."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.delivery.backoff import next_attempt, retry_after
from tests.conftest import NOW


def test_the_same_delivery_waits_the_same_and_others_differ():
    assert next_attempt("dlv_1", 1, NOW, None) == next_attempt("dlv_1", 1, NOW, None)
    assert len({next_attempt(f"dlv_{number}", 1, NOW, None) for number in range(100)}) == 100


@given(st.text(), st.integers(1, 9))
def test_each_wait_is_within_a_quarter_of_the_usual(delivery_id, attempt):
    usual = min(60 * 4 ** (attempt - 1), 86_400)
    wait = (next_attempt(delivery_id, attempt, NOW, None) - NOW).total_seconds()
    assert 0.75 * usual <= wait <= 1.25 * usual


@given(st.text(), st.floats(0, 1e6))
def test_never_before_what_was_asked_and_never_after_a_day_and_a_tenth(delivery_id, seconds):
    wait = (next_attempt(delivery_id, 1, NOW, seconds) - NOW).total_seconds()
    assert min(seconds, 86_400) - 1e-6 <= wait <= 1.1 * 86_400


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 0 ", 0.0),
        ("99999999999999999999", 86_400.0),
        ("Fri, 20 Nov 2026 08:31:00 GMT", 60.0),
        ("Fri, 20 Nov 2026 08:31:00", 60.0),
        ("Fri, 20 Nov 2020 08:31:00 GMT", 0.0),
        ("soon", None),
        ("-1", None),
        ("", None),
        (None, None),
        ("٣", None),
    ],
)
def test_retry_after_is_a_number_or_a_date(value, seconds):
    assert retry_after(value, NOW) == seconds


def test_a_date_far_away_is_cut_to_a_day():
    asked = retry_after("Fri, 20 Nov 2099 08:31:00 GMT", NOW)
    assert next_attempt("dlv_1", 1, NOW, asked) <= NOW + timedelta(days=1.1)
