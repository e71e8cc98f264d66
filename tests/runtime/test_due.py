"""When jobs and tasks are due: once each, whatever a calendar does, in every time zone."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model.days import local_day
from engine.model.declarations.digest import When, last_due, next_due, period_key
from engine.model.thresholds import Thresholds
from engine.runtime.jobs import Daily, Every
from engine.runtime.settings import Settings
from tests.laws import examples

HOUR = timedelta(hours=1)
ZONES = st.sampled_from(sorted(available_timezones()))
INSTANTS = st.datetimes(datetime(1990, 1, 1), datetime(2099, 12, 1), timezones=st.just(UTC))  # noqa: DTZ001 - bounds
few = settings(max_examples=examples(150), deadline=None, derandomize=True)


def clock_shows(zone, day, clock):
    """Whether the clocks of a zone show a time on a day."""
    local = datetime.combine(day, clock, zone)
    return local.astimezone(UTC).astimezone(zone).replace(tzinfo=None) == local.replace(tzinfo=None)


def check_daily(zone, at, now):
    """What is true of a daily job in any zone at any time."""
    found = Settings.of({"SVC_TIME_ZONE": zone, "SVC_BUILD_AT": f"{at:%H:%M}"})
    due = Daily(lambda settings: settings.build_at)
    span = due.due(found, now)
    assert span.since <= now < span.until
    assert due.due(found, span.since) == due.due(found, span.until - timedelta(microseconds=1)) == span
    assert due.due(found, span.until).since == span.until
    assert 20 * HOUR <= span.until - span.since <= 28 * HOUR
    local = span.since.astimezone(ZoneInfo(zone))
    assert (
        local.time() == at
        or not clock_shows(ZoneInfo(zone), local.date(), at)
        or not clock_shows(ZoneInfo(zone), local.date() - timedelta(days=1), at)
    )


@given(ZONES, st.times().map(lambda at: at.replace(second=0, microsecond=0)), INSTANTS)
@few
def test_every_instant_belongs_to_one_due_instant_of_a_daily_job(zone, at, now):
    check_daily(zone, at, now)


@pytest.mark.parametrize(
    ("zone", "around"),
    [
        ("Pacific/Apia", "2011-12-30T10:10"),  # 30 December was left out
        ("America/Nuuk", "2027-03-28T00:10"),  # from eleven at night to midnight
        ("America/Havana", "2027-11-07T04:30"),  # from one in the morning back to midnight
        ("Antarctica/Troll", "2027-03-28T01:00"),  # two hours at once
        ("Australia/Lord_Howe", "2027-04-03T15:00"),  # half an hour
        ("Europe/Berlin", "2028-02-29T12:00"),
        ("Asia/Kathmandu", "2026-12-31T18:15"),
    ],
)
def test_so_it_is_around_the_strangest_changes(zone, around):
    now = datetime.fromisoformat(around).replace(tzinfo=UTC)
    for hours in range(-36, 37):
        for at in (time(0, 0), time(0, 30), time(2, 30), time(23, 30)):
            check_daily(zone, at, now + hours * HOUR)


@given(st.sampled_from([1, 5, 15, 60]), INSTANTS)
@few
def test_every_instant_belongs_to_one_span_of_minutes(minutes, now):
    span = Every(minutes).due(Settings(), now)
    assert span.since <= now < span.until == span.since + timedelta(minutes=minutes)
    assert Every(minutes).due(Settings(), span.until).since == span.until


@given(
    ZONES,
    INSTANTS,
    st.sampled_from(["day", "weekday", "week", "month", "quarter"]),
    st.integers(0, 23),
    st.integers(1, 7),
)
@few
def test_every_instant_belongs_to_one_due_instant_of_a_cadence(zone, now, every, hour, weekday):
    asked = When(every), ZoneInfo(zone), Thresholds(1, {"digest_hour": hour, "digest_weekday": weekday})

    def ask(which, moment):
        when, there, own = asked
        return which(when, moment, there, own)

    since, until = ask(last_due, now), ask(next_due, now)
    assert since <= now < until
    assert (ask(last_due, until), ask(next_due, since), ask(last_due, since)) == (until, until, since)
    longest = {"day": 1, "weekday": 3, "week": 7, "month": 31, "quarter": 98}[every]
    assert until - since <= timedelta(days=longest) + 24 * HOUR


def days(every, first, count):
    """The days in Berlin on which something is due, from the first on."""
    zone, now, found = ZoneInfo("Europe/Berlin"), datetime.combine(first, time(), UTC), []
    for _ in range(count):
        now = next_due(When(every), now, zone, Thresholds())
        found.append(local_day(now, zone))
    return found


def test_the_leap_day_is_a_day_like_any_other():
    assert days("day", date(2028, 2, 28), 3) == [date(2028, 2, 28), date(2028, 2, 29), date(2028, 3, 1)]
    assert days("day", date(2027, 2, 28), 2) == [date(2027, 2, 28), date(2027, 3, 1)]
    assert days("month", date(2028, 2, 2), 1) == [date(2028, 3, 1)]


def test_the_year_ends_without_a_week_lost_or_doubled():
    weeks = days("week", date(2026, 12, 21), 4)
    assert weeks == [date(2026, 12, 21), date(2026, 12, 28), date(2027, 1, 4), date(2027, 1, 11)]
    assert [period_key("week", day, "1") for day in weeks] == ["2026-W52", "2026-W53", "2027-W01", "2027-W02"]
    assert days("weekday", date(2026, 12, 31), 3) == [date(2026, 12, 31), date(2027, 1, 1), date(2027, 1, 4)]
