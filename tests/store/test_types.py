"""Moments as the store writes them."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from engine.store.types import instant_text

BERLIN = ZoneInfo("Europe/Berlin")


def test_the_hour_that_autumn_repeats_is_two_hours():
    """Python calls the two equal, as they show the same time in the same zone."""
    first = datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN)
    again = first.replace(fold=1)
    assert first == again
    assert [instant_text(first), instant_text(again)] == ["2026-10-25T00:30:00.000000Z", "2026-10-25T01:30:00.000000Z"]


def test_one_moment_has_one_text_in_every_zone():
    moment = datetime(2026, 11, 20, 8, 30, 0, 7, tzinfo=UTC)
    zones = (UTC, BERLIN, timezone.utc, timezone(timedelta(hours=-9, minutes=-30)))  # noqa: UP017 - that spelling, too, is a time zone
    assert {instant_text(moment.astimezone(zone)) for zone in zones} == {"2026-11-20T08:30:00.000007Z"}
