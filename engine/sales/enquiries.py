"""An enquiry from the public contact form: what it must hold, whether a person wrote it, and its receipt.

Whoever is judged a bot gets the same answer as anybody; the enquiry is kept as spam.
"""

import math
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from engine.model.errors import BadRequest, Problem, TooManyRequests
from engine.sales import stamps, texts
from engine.sales.history import note
from engine.store import Revision
from engine.store.ids import new_id
from engine.store.queries.sales.commerce import earliest_since, has_reference
from engine.store.schema.commerce import leads

PREFIX = "HQE"
LETTERS = "234679ACDEFGHJKMNPQRTVWXY"  # none that is taken for another: no 0 O, 1 I L, 2 Z, 5 S, 8 B, U V
LENGTH = 6
MOST_MESSAGE = 5_000
OLDEST_STAMP = timedelta(hours=24)
EMAIL_WINDOW = timedelta(hours=24)
LONGEST_MS = 7 * 24 * 3600 * 1000
DRAWS = 20


@dataclass(frozen=True)
class Enquiry:
    """A checked enquiry. ``suspicion`` is why it is taken for spam, if it is."""

    name: str
    email: str
    company: str | None
    message: str
    suspicion: str | None = None


@dataclass(frozen=True)
class FormRules:
    """What is asked of a form. With a secret the stamp counts, without one the duration that the client tells."""

    least_seconds: int
    stamp_secret: str
    per_email: int


def check_enquiry(name: str, email: str, company: str | None, message: str, *, consent: bool) -> Enquiry:
    """The enquiry as it is kept; BadRequest names the field at fault and repeats nothing that was written."""
    if not consent:
        raise BadRequest(
            "We may answer only with your consent: consent must be true.",
            word="consent_required",
            details=[{"field": "consent", "expected": "true"}],
        )
    return Enquiry(
        texts.line("name", name),
        texts.email("email", email),
        texts.line("company", company) if company and company.strip() else None,
        texts.prose("message", message, MOST_MESSAGE),
    )


def suspicion(
    rules: FormRules, now: datetime, *, honeypot: str | None, duration_ms: int | None, stamp: str | None
) -> str | None:
    """Why the sender is taken for a bot; None for a person. BadRequest where the form itself is incomplete."""
    wrong = _of_stamp(rules, now, stamp) if rules.stamp_secret else _of_duration(rules, duration_ms)
    return "honeypot" if honeypot and honeypot.strip() else wrong


def _of_stamp(rules: FormRules, now: datetime, stamp: str | None) -> str | None:
    if not stamp:
        raise texts.invalid("stamp", "the stamp that came with the form")
    age = stamps.age(rules.stamp_secret, stamp, now)
    if age is None:
        return "stamp"
    if age > OLDEST_STAMP:
        raise BadRequest("The form was opened too long ago; load it again and send it.", word="form_expired")
    return "too_fast" if age < timedelta(seconds=rules.least_seconds) else None


def _of_duration(rules: FormRules, duration_ms: int | None) -> str | None:
    if duration_ms is None or not 0 <= duration_ms <= LONGEST_MS:
        raise texts.invalid(
            "duration_ms", f"the milliseconds from opening the form to sending it, 0 to {LONGEST_MS}", duration_ms
        )
    return "too_fast" if duration_ms < rules.least_seconds * 1000 else None


def submit(
    revision: Revision,
    enquiry: Enquiry,
    rules: FormRules,
    draw: Callable[[str], str] = secrets.choice,
    *,
    identifier: str | None = None,
) -> str:
    """Keep the enquiry as a lead and return its reference. TooManyRequests when the address has sent its share."""
    _check_share(revision, enquiry.email, rules.per_email)
    reference = _free_reference(revision, draw)
    identifier = identifier or new_id("lead")
    revision.insert(
        leads,
        [
            {
                "id": identifier,
                "reference_id": reference,
                "name": enquiry.name,
                "email": enquiry.email,
                "company": enquiry.company,
                "message": enquiry.message,
                "spam": enquiry.suspicion is not None,
                "consent": True,
                "created_at": revision.now,
                "stage_changed_at": revision.now,
            }
        ],
    )
    told = {"reference_id": reference, "spam": enquiry.suspicion}
    note(revision, "lead", identifier, "lead.received", told, chained=told)
    return reference


def _check_share(revision: Revision, email: str, most: int) -> None:
    """Counted in the store, so that every process counts the same."""
    first = earliest_since(revision.connection, revision.org_id, email, revision.now - EMAIL_WINDOW, most)
    if first is None:
        return
    wait = max(1, math.ceil((first + EMAIL_WINDOW - revision.now).total_seconds()))
    raise TooManyRequests(
        f"This address has sent {most} enquiries within a day; we answer those first.",
        headers={"Retry-After": str(wait)},
    )


def _free_reference(revision: Revision, draw: Callable[[str], str]) -> str:
    for _ in range(DRAWS):
        reference = f"{PREFIX}-{''.join(draw(LETTERS) for _ in range(LENGTH))}"
        if not has_reference(revision.connection, revision.org_id, reference):
            return reference
    raise Problem(f"No free reference was found in {DRAWS} draws; nothing was stored.")
