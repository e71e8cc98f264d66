"""The public contact form: JSON, or a form as browsers send it. Nothing that people write reaches the log.

Fields: ``name``, ``email``, ``message``, ``consent`` (true), optionally ``company``; ``website`` is the honeypot that
people do not see; ``duration_ms`` is the time from opening the form to sending it or, where a stamp secret is set,
``stamp`` when the form was opened. Other fields of a page are not read.
"""

from dataclasses import replace
from typing import Annotated

import msgspec

from engine.sales import enquiries
from engine.store import PLATFORM
from engine.web.answers.sales import EnquiryReceipt
from engine.web.http import Request, Response, answer

ACTOR = "public"
Text = Annotated[str, msgspec.Meta(max_length=100_000)]


class Form(msgspec.Struct):
    """The fields that are read."""

    name: Text
    email: Text
    message: Text
    consent: bool = False
    company: Text | None = None
    website: Text | None = None
    duration_ms: int | None = None
    stamp: Text | None = None


def submit(request: Request, form: Form) -> Response:
    """POST /api/contact: takes an enquiry, which is stored before its reference is answered."""
    rules = _rules(request)
    enquiry = enquiries.check_enquiry(form.name, form.email, form.company, form.message, consent=form.consent)
    suspicion = enquiries.suspicion(
        rules, request.now, honeypot=form.website, duration_ms=form.duration_ms, stamp=form.stamp
    )
    kept = replace(enquiry, suspicion=suspicion)
    store = request.services.store
    store.ensure_platform(request.now)
    reference = store.write(PLATFORM, ACTOR, lambda revision: enquiries.submit(revision, kept, rules), now=request.now)
    return answer(EnquiryReceipt(reference_id=reference, status="received"), status=201)


def _rules(request: Request) -> enquiries.FormRules:
    settings = request.services.settings
    return enquiries.FormRules(settings.contact_min_seconds, settings.contact_stamp_secret, settings.contact_per_email)
