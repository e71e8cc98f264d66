"""When a digest is due: the organization's own weekday and hour, on both sides of a change of the clock."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from engine.catalogue import catalogue
from engine.digests.calendar import is_owed, span
from engine.digests.deliver import key
from engine.model.declarations.digest import When, last_due, period_key, quiet_until
from engine.model.documents.document import Position
from engine.model.thresholds import Thresholds
from engine.store.queries.sending.digests import Clock
from reports.digests import DIGESTS
from tests.digests.registry import CHAIN, DIGEST

BERLIN = ZoneInfo("Europe/Berlin")
DEFAULTS = Thresholds()
OWN = Thresholds(3, {"digest_hour": 6, "digest_weekday": 4})


def at(text, zone=UTC):
    return datetime.fromisoformat(text).replace(tzinfo=zone)


@pytest.mark.parametrize(
    ("every", "now", "due"),
    [
        ("week", "2026-11-23 08:00", "2026-11-23 08:00"),
        ("week", "2026-11-23 07:59", "2026-11-16 08:00"),
        ("week", "2026-11-29 23:00", "2026-11-23 08:00"),
        ("day", "2026-11-22 09:00", "2026-11-22 08:00"),
        ("weekday", "2026-11-22 09:00", "2026-11-20 08:00"),
        ("quarter", "2026-12-07 07:59", "2026-09-07 08:00"),
        ("quarter", "2026-12-07 08:00", "2026-12-07 08:00"),
        ("quarter", "2027-02-28 12:00", "2026-12-07 08:00"),
    ],
)
def test_the_newest_moment_of_a_cadence(every, now, due):
    moment = last_due(When(every), at(now, BERLIN), BERLIN, DEFAULTS)
    assert moment.astimezone(BERLIN) == at(due, BERLIN)
    assert moment.tzinfo is UTC


def test_the_organization_chooses_hour_and_weekday():
    assert last_due(When("week"), at("2026-11-20 12:00"), BERLIN, OWN) == at("2026-11-19 06:00", BERLIN)
    fixed = When("week", hour=0, weekday=1)
    assert last_due(fixed, at("2026-11-20 12:00"), BERLIN, OWN) == at("2026-11-16 00:00", BERLIN)


def test_eight_in_the_morning_moves_with_the_clocks():
    before = last_due(When("day"), at("2026-10-24 12:00"), BERLIN, DEFAULTS)
    after = last_due(When("day"), at("2026-10-25 12:00"), BERLIN, DEFAULTS)
    assert (before.hour, after.hour, after - before) == (6, 7, timedelta(hours=25))


@pytest.mark.parametrize("hour", [2, 3])
def test_an_hour_that_does_not_exist_or_comes_twice_is_one_moment_a_day(hour):
    for day in ("2026-03-29", "2026-10-25"):
        settings = Thresholds(1, {"digest_hour": hour})
        start = at(f"{day} 00:00", BERLIN).astimezone(UTC)
        seen = {last_due(When("day"), start + timedelta(minutes=15 * n), BERLIN, settings) for n in range(24 * 4)}
        assert len({moment for moment in seen if moment >= start}) == 1


@pytest.mark.parametrize(
    ("period", "expected"), [("day", "2027-01-01"), ("week", "2026-W53"), ("quarter", "2027-Q1"), ("catalogue", "abc")]
)
def test_a_period_has_a_name(period, expected):
    assert period_key(period, date(2027, 1, 1), "abc") == expected


@pytest.mark.parametrize(
    ("now", "until"),
    [
        ("2026-11-20 18:59", None),
        ("2026-11-20 19:00", "2026-11-21 07:00"),
        ("2026-11-21 06:59", "2026-11-21 07:00"),
        ("2026-11-21 07:00", None),
    ],
)
def test_quiet_hours_end_in_the_morning(now, until):
    moment = quiet_until(at(now, BERLIN), BERLIN, DEFAULTS)
    assert moment == (None if until is None else at(until, BERLIN))


def test_quiet_hours_may_lie_within_a_day_or_not_be_at_all():
    noon = Thresholds(1, {"quiet_from_hour": 12, "quiet_until_hour": 14})
    assert quiet_until(at("2026-11-20 13:30", BERLIN), BERLIN, noon) == at("2026-11-20 14:00", BERLIN)
    assert quiet_until(at("2026-11-20 20:00", BERLIN), BERLIN, noon) is None
    never = Thresholds(1, {"quiet_from_hour": 7, "quiet_until_hour": 7})
    assert quiet_until(at("2026-11-20 07:30", BERLIN), BERLIN, never) is None


def calendar(when, clock, first, days, down=lambda moment: False):
    """The local moments at which something runs that is asked for every quarter of an hour."""
    runs, last = [], first - timedelta(minutes=1)
    for number in range(days * 96 + 1):
        now = first + timedelta(minutes=15 * number)
        since, until = span(when, now, clock)
        before = [{"started_at": last, "outcome": "succeeded"}] if since <= last < until else []
        if not down(now) and is_owed(now, before):
            runs.append(now.astimezone(clock.zone))
            last = now
    return runs


def expected_times(days):
    return [datetime.combine(day, datetime.min.time().replace(hour=8), BERLIN) for day in days]


@pytest.mark.real
def test_the_calendar_of_a_quarter_is_exactly_this_one():
    """October to December 2026 in Berlin: summer time ends on 25 October, and nothing ran in the week of 9 November."""
    clock, first, days = Clock(BERLIN, DEFAULTS), at("2026-10-01 00:00", BERLIN).astimezone(UTC), 92
    back = at("2026-11-16 10:30", BERLIN)

    def down(now):
        return at("2026-11-09 00:00", BERLIN) <= now < back

    every = [date(2026, 10, 1) + timedelta(days=number) for number in range(92)]
    awake = [day for day in every if not date(2026, 11, 9) <= day <= date(2026, 11, 16)]
    late = [back]

    def digest_times(wanted):
        return sorted(expected_times([day for day in awake if wanted(day)]) + late)

    calendars = {
        every: calendar(When(every), clock, first, days, down) for every in ("day", "weekday", "week", "quarter")
    }
    assert calendars["day"] == digest_times(lambda day: True)
    assert calendars["weekday"] == digest_times(lambda day: day.weekday() < 5)
    assert calendars["week"] == digest_times(lambda day: day.weekday() == 0)
    assert calendars["quarter"] == expected_times([date(2026, 12, 7)])
    assert [moment.utcoffset() for moment in calendars["week"][:4]] == [timedelta(hours=2)] * 3 + [timedelta(hours=1)]


def test_down_until_thursday_is_made_up_for_on_thursday_and_monday_stays_monday():
    clock, first = Clock(BERLIN, DEFAULTS), at("2026-11-02 00:00", BERLIN).astimezone(UTC)
    down = calendar(When("week"), clock, first, 9, lambda now: now < at("2026-11-05 09:00", BERLIN))
    assert down == [at("2026-11-05 09:00", BERLIN), at("2026-11-09 08:00", BERLIN)]


def test_what_failed_is_tried_again_after_half_an_hour():
    now = at("2026-11-20 12:00")
    failed = {"started_at": now - timedelta(minutes=29), "outcome": "failed"}
    assert is_owed(now, [])
    assert not is_owed(now, [failed])
    assert is_owed(now + timedelta(minutes=1), [failed])
    assert not is_owed(now + timedelta(minutes=1), [failed, {**failed, "outcome": "skipped"}])


def test_what_failed_later_than_now_by_a_clock_that_was_set_back_is_not_waited_for():
    now = at("2026-11-20 12:00")
    failed = {"started_at": now + timedelta(hours=6), "outcome": "failed"}
    assert is_owed(now, [failed])
    assert not is_owed(now, [failed, {"started_at": now, "outcome": "failed"}])
    assert not is_owed(now, [failed, {"started_at": now, "outcome": "succeeded"}])
    assert not is_owed(now, [{**failed, "outcome": "succeeded"}])


def test_every_digest_is_declared_once_with_a_period_of_its_own():
    assert len(DIGEST) == len(DIGESTS) == 12
    assert len({digest.route for digest in DIGESTS}) == len({digest.cron_setting for digest in DIGESTS}) == 12
    assert [digest.name for digest in CHAIN] == [
        "staffing-completion-rollup",
        "staffing-sla-breach-digest",
        "cross-staffing-committee-escalation",
    ]
    assert {digest.name: (digest.every, digest.period) for digest in DIGESTS} == {
        "evidence-request-sla": ("week", "week"),
        "mapping-digest": ("day", "catalogue"),
        "peak-week-staffing-digest": ("week", "week"),
        "staffing-action-reminders": ("day", "day"),
        "staffing-completion-rollup": ("week", "week"),
        "staffing-sla-breach-digest": ("weekday", "week"),
        "cross-staffing-committee-escalation": ("weekday", "week"),
        "committee-digest": ("quarter", "quarter"),
        "obligation-density-alerts": ("day", "day"),
        "attestation-renewal": ("weekday", "week"),
        "compliance-digest": ("week", "week"),
        "sla-reminders": ("day", "day"),
    }


def test_the_catalogue_of_an_organization_is_another_with_each_write_to_frameworks_of_its_own():
    digest, day = next(one for one in DIGESTS if one.name == "mapping-digest"), date(2026, 11, 20)
    ours = key(digest, day, {"controls": Position(9, "9")})
    assert ours == catalogue().version
    assert key(digest, day, {"own_frameworks": Position(3, "3"), "framework_controls": Position(7, "7")}) == f"{ours}+7"
