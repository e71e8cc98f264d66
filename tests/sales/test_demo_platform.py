"""The platform's organization in the demo: leads and pilots with their past, written once, the same each time."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from data.demo.cast import pilots as trials
from data.demo.cast.platform import PLATFORM_ADMIN, fill_platform
from data.demo.cast.prospects import PROSPECTS
from data.demo.history.diary import Diary, follow_up, meeting
from engine.cli.installation.demo import _settings
from engine.model.errors import NotFound
from engine.runtime.settings import Settings
from engine.sales import leads as worked
from engine.sales import pilots as kept
from engine.sales.prices import price_table
from engine.sales.proposals import proposal
from engine.sales.stages import LEAD_STEPS
from engine.store import PLATFORM, Store
from engine.store.queries.sales.commerce import LeadFilter, PilotFilter, page_of
from engine.store.rows import many
from engine.store.schema.commerce import activities, leads, pilots
from engine.store.schema.organizations import memberships
from tests.conftest import NOW
from tests.sales.factories import lead, stored_leads

SETTINGS = Settings()
# a Monday just after midnight, a Saturday, a leap day, a new year
OTHER_TIMES = (
    datetime(2026, 11, 23, 0, 5, tzinfo=UTC),
    datetime(2026, 11, 21, 12, 0, tzinfo=UTC),
    datetime(2028, 2, 29, 23, 59, tzinfo=UTC),
    datetime(2027, 1, 1, 8, 0, tzinfo=UTC),
)


def rows(store, table):
    with store.reader() as connection:
        return many(connection, table, PLATFORM)


def platform_rows(store, wanted):
    with store.reader() as connection:
        return page_of(connection, PLATFORM, wanted, 0, 100)[1]


@pytest.fixture
def platform_store(store):
    assert fill_platform(store, SETTINGS, NOW) is True
    return store


def test_leads_are_in_every_stage_and_some_are_spam_lost_or_overdue(any_store):
    fill_platform(any_store, SETTINGS, NOW)
    real = platform_rows(any_store, LeadFilter())
    assert Counter(row["stage"] for row in real) == {
        "new": 4,
        "contacted": 2,
        "qualified": 2,
        "discovery": 2,
        "proposal": 3,
        "won": 3,
        "lost": 3,
        "nurture": 2,
    }
    assert len(platform_rows(any_store, LeadFilter(spam=True))) == 3
    assert len(platform_rows(any_store, LeadFilter(overdue_on=NOW.date()))) == 6
    assert [row["name"] for row in real if row["stage"] == "lost" and not row["lost_reason"]] == []
    assert {"سلمى الحدّاد", "Jonas 🚲 Weidmann"} <= {row["name"] for row in real}
    assert any_store.verify(PLATFORM).problem is None


def test_four_pilots_are_in_four_stages_and_one_still_lacks_a_date(platform_store):
    found = {row["stage"]: row for row in platform_rows(platform_store, PilotFilter())}
    assert sorted(found) == ["active", "converted", "planned", "review"]
    missing = {}
    with platform_store.reader() as connection:
        for stage, row in found.items():
            detail = kept.detail(connection, PLATFORM, row["id"])
            facts = proposal(detail["pilot"], detail["lead"], price_table(None), "HQ", NOW.date())
            missing[stage] = facts["missing"]
        history = kept.detail(connection, PLATFORM, found["review"]["id"])["history"]
    assert missing == {"active": [], "converted": [], "planned": ["the date of the review"], "review": []}
    assert [row["sequence"] for row in kept.meetings(history)] == [0, 0, 1]


@pytest.mark.parametrize("now", OTHER_TIMES)
def test_on_any_day_all_of_it_is_past_in_order_and_not_older_than_120_days(store, now):
    fill_platform(store, SETTINGS, now)
    events = sorted(rows(store, activities), key=lambda row: row["id"])
    times = [row["happened_at"] for row in events]
    assert times == sorted(times)
    assert now - timedelta(days=120) <= times[0] <= times[-1] < now
    assert {row["stage"] for row in rows(store, leads)} == set(LEAD_STEPS)
    assert len(rows(store, leads)) == len(PROSPECTS) == 24
    assert len(rows(store, pilots)) == 4
    assert store.verify(PLATFORM).problem is None


def test_a_lead_that_was_won_has_its_whole_history(platform_store):
    (won,) = (row for row in rows(platform_store, leads) if row["company"] == "Mirador Pay")
    with platform_store.reader() as connection:
        history = worked.detail(connection, PLATFORM, won["id"])["history"]
    assert [row["details"]["to"] for row in history if row["action"] == "lead.stage.changed"] == [
        "contacted",
        "qualified",
        "discovery",
        "proposal",
        "won",
    ]
    letters = [row["details"]["template"] for row in history if row["action"] == "lead.email.prepared"]
    assert letters == ["first_response", "discovery_call", "proposal"]
    assert (history[0]["actor"], won["first_response_at"] > won["created_at"]) == ("public", True)


def test_the_second_time_changes_nothing(platform_store):
    before = platform_store.head(PLATFORM)
    assert fill_platform(platform_store, SETTINGS, NOW + timedelta(days=3)) is False
    assert platform_store.head(PLATFORM) == before


def test_leads_of_ones_own_are_not_mixed_with_invented_ones(store):
    stored_leads(store, lead("own"))
    assert fill_platform(store, SETTINGS, NOW) is False
    assert [row["id"] for row in rows(store, leads)] == ["own"]
    assert store.role(PLATFORM, PLATFORM_ADMIN) is None


def test_two_stores_hold_the_same(platform_store, sqlite_template, tmp_path):
    path = tmp_path / "second.db"
    path.write_bytes(sqlite_template.read_bytes())
    second = Store(f"sqlite:///{path}")
    fill_platform(second, SETTINGS, NOW)
    for table in (leads, pilots, activities, memberships):
        assert rows(platform_store, table) == rows(second, table)
    assert platform_store.head(PLATFORM) == second.head(PLATFORM)
    second.close()


def test_when_one_entry_fails_nothing_is_written(store, monkeypatch):
    broken = replace(trials.DEMO_PILOTS[0], email="nobody@company.example")
    monkeypatch.setattr(trials, "DEMO_PILOTS", (broken,))
    with pytest.raises(NotFound):
        fill_platform(store, SETTINGS, NOW)
    assert (rows(store, leads), rows(store, memberships)) == ([], [])


def test_no_e_mail_is_queued_even_where_a_mail_server_is_configured(store):
    from engine.store.schema.outputs import deliveries

    settings = Settings.of({"SVC_SMTP_URL": "smtp://mail.example", "SVC_SMTP_FROM": "hq@mail.example"})
    fill_platform(store, settings, NOW)
    assert rows(store, deliveries) == []


def test_people_work_on_working_days_and_what_would_be_later_has_not_happened():
    friday, saturday = date(2026, 11, 20), date(2026, 11, 21)
    assert follow_up(saturday, -1) == date(2026, 11, 23)
    assert follow_up(date(2026, 11, 23), 1) == friday
    assert meeting(saturday, 0, 9) == datetime(2026, 11, 23, 9, tzinfo=UTC)
    diary = Diary(NOW)
    diary.note(NOW, "somebody", lambda revision: revision.record("never"))
    assert list(diary.days()) == []


def test_the_demo_has_an_administrator_and_real_life_has_none(monkeypatch):
    monkeypatch.delenv("SVC_PLATFORM_ADMIN_EMAILS", raising=False)
    assert Settings.of_process().platform_admin_emails == ()
    assert _settings(PLATFORM_ADMIN).platform_admin_emails == (PLATFORM_ADMIN,)


def test_administrators_that_are_named_stay_the_only_ones(monkeypatch):
    monkeypatch.setenv("SVC_PLATFORM_ADMIN_EMAILS", "ops@company.example")
    assert _settings(PLATFORM_ADMIN).platform_admin_emails == ("ops@company.example",)
