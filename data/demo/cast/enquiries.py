"""Enquiries as they came in, and what the platform's people did with each."""

from collections.abc import Mapping
from datetime import date
from functools import partial
from random import Random

from data.demo.cast.prospects import NOOR, Prospect
from data.demo.draws import draws
from data.demo.history.diary import Diary, Hours, follow_up
from engine.runtime.settings import Settings
from engine.sales import enquiries, leads, letters
from engine.store import Revision

PUBLIC = "public"
RULES = enquiries.FormRules(least_seconds=3, stamp_secret="", per_email=5)
LETTERS: Mapping[str, str] = {
    "contacted": "first_response",
    "discovery": "discovery_call",
    "proposal": "proposal",
    "nurture": "follow_up",
}


def lead_id(email: str) -> str:
    return f"lead_{_rng(email).getrandbits(64):016x}"


def record_enquiry(diary: Diary, prospect: Prospect, settings: Settings) -> None:
    """The enquiry, who took it on, each step with its e-mail, and what was noted in the end."""
    rng, identifier = _rng(prospect.email), lead_id(prospect.email)
    hours = Hours(diary.today, rng)
    diary.note(hours.any(prospect.received), PUBLIC, partial(_submit, prospect=prospect, rng=rng))
    if prospect.owner or prospect.priority != "normal":
        taken: dict[str, object] = {"owner": prospect.owner, "priority": prospect.priority}
        if not prospect.path:
            taken["follow_up_on"] = _day(diary, prospect.follow_up)
        diary.note(hours.response(), NOOR, partial(_change, lead=identifier, wanted=taken))
    if prospect.spam_found is not None:
        found = {"spam": True, "follow_up_on": None}
        diary.note(hours.office(prospect.spam_found), NOOR, partial(_change, lead=identifier, wanted=found))
    owner = prospect.owner or NOOR
    for number, (stage, ago) in enumerate(prospect.path):
        at = hours.office(ago)
        if stage in LETTERS:
            diary.note(at, owner, partial(_wrote, lead=identifier, template=LETTERS[stage], settings=settings))
        last = number == len(prospect.path) - 1
        ahead = prospect.follow_up if last else prospect.path[number + 1][1]
        wanted: dict[str, object] = {"stage": stage, "follow_up_on": _day(diary, ahead)}
        if stage == "qualified":
            wanted["value"] = prospect.value
        if stage == "lost":
            wanted["lost_reason"] = prospect.lost_reason
        diary.note(hours.next_moment(), owner, partial(_change, lead=identifier, wanted=wanted))
    if prospect.notes:
        diary.note(hours.next_moment(), owner, partial(_change, lead=identifier, wanted={"notes": prospect.notes}))


def _submit(revision: Revision, prospect: Prospect, rng: Random) -> None:
    checked = enquiries.check_enquiry(prospect.name, prospect.email, prospect.company, prospect.message, consent=True)
    wrong = enquiries.suspicion(
        RULES, revision.now, honeypot=prospect.website, duration_ms=prospect.seconds * 1000, stamp=None
    )
    kept = enquiries.Enquiry(checked.name, checked.email, checked.company, checked.message, wrong)
    enquiries.submit(revision, kept, RULES, rng.choice, identifier=lead_id(prospect.email))


def _change(revision: Revision, lead: str, wanted: Mapping[str, object]) -> None:
    leads.change(revision, lead, wanted)


def _wrote(revision: Revision, lead: str, template: str, settings: Settings) -> None:
    """Prepared, never sent: nobody is behind these addresses."""
    letters.write(revision, lead, template, None, settings, send=False)


def _day(diary: Diary, ago: int | None) -> date | None:
    return None if ago is None else follow_up(diary.today, ago)


def _rng(email: str) -> Random:
    return draws(f"platform/{email}")
