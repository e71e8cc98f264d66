"""The platform's own organization: its people, who wrote to them, and the pilots that came of it."""

from datetime import datetime, timedelta

from data.demo.cast import enquiries, pilots
from data.demo.cast.prospects import IDRIS, MAREN, NOOR, PROSPECTS
from data.demo.history.diary import Diary
from engine.runtime.settings import Settings
from engine.store import PLATFORM, Revision, Store
from engine.store.queries.sales.commerce import LeadFilter, page_of
from engine.store.schema.organizations import memberships, users

PLATFORM_ADMIN = NOOR
DAYS = timedelta(days=120)
PEOPLE = (
    (NOOR, "Noor Adeyemi", "Head of Customer Operations", "admin"),
    (MAREN, "Maren Kjeldsen", "Solutions Consultant", "member"),
    (IDRIS, "Idris Obeng", "Solutions Consultant", "member"),
)


def fill_platform(store: Store, settings: Settings, now: datetime) -> bool:
    """Write it all, at the times at which it happened; False, and nothing written, where there are leads already."""
    store.ensure_platform(now - DAYS)
    with store.reader() as connection:
        there, _ = page_of(connection, PLATFORM, LeadFilter(spam=None), 0, 1)
    if there:
        return False
    diary = Diary(now)
    diary.note(now - DAYS, "demo", _people)
    for prospect in PROSPECTS:
        enquiries.record_enquiry(diary, prospect, settings)
    for trial in pilots.DEMO_PILOTS:
        pilots.record_pilot(diary, trial)
    store.write_in_order(PLATFORM, "demo", diary.days())
    return True


def _people(revision: Revision) -> None:
    since = revision.now.date()
    revision.upsert(users, [{"email": email, "name": name, "title": title} for email, name, title, _ in PEOPLE])
    members = [
        {"email": email, "role": role, "since_on": since, "display_name": name} for email, name, _, role in PEOPLE
    ]
    revision.upsert(memberships, members)
    for email, _, _, role in PEOPLE:
        revision.record("member.added", object_type="membership", object_id=email, details={"role": role})
