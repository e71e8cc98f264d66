"""The public contact form: JSON, or a form as browsers send it. Nothing that people write reaches the log.

Fields: ``name``, ``email``, ``message``, ``consent`` (true), optionally ``company``; ``website`` is the honeypot that
people do not see; ``duration_ms`` is the time from opening the form to sending it or, where a stamp secret is set,
``stamp`` when the form was opened. Other fields of a page are not read.
"""

from dataclasses import replace
from typing import Annotated, Any

import msgspec

from engine.model.errors import BadRequest
from engine.sales import enquiries
from engine.store import PLATFORM
from engine.web import forms
from engine.web.http import Request, Response, answer
from engine.web.parameters import parameters

ACTOR = "public"
TRUE = ("true", "on", "yes", "1")
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


def submit(request: Request) -> Response:
    """POST /api/contact: the enquiry is stored before its reference is answered."""
    parameters(request)
    form = _form(request)
    rules = _rules(request)
    enquiry = enquiries.check_enquiry(form.name, form.email, form.company, form.message, consent=form.consent)
    suspicion = enquiries.suspicion(
        rules, request.now, honeypot=form.website, duration_ms=form.duration_ms, stamp=form.stamp
    )
    kept = replace(enquiry, suspicion=suspicion)
    store = request.services.store
    store.ensure_platform(request.now)
    reference = store.write(PLATFORM, ACTOR, lambda revision: enquiries.submit(revision, kept, rules), now=request.now)
    return answer({"referenceId": reference, "status": "received"}, status=201)


def _rules(request: Request) -> enquiries.FormRules:
    settings = request.services.settings
    return enquiries.FormRules(settings.contact_min_seconds, settings.contact_stamp_secret, settings.contact_per_email)


def _form(request: Request) -> Form:
    pairs = forms.pairs(request.headers.get("content-type", ""), request.body)
    return request.parsed(Form) if pairs is None else _from_pairs(pairs)


def _from_pairs(pairs: list[tuple[str, str]]) -> Form:
    """A form's texts as the members that JSON would have; a field that comes twice is refused."""
    given: dict[str, Any] = {}
    for name, text in pairs:
        if name in given and name in Form.__struct_fields__:
            raise forms.unreadable(f"each field once; {name} came twice")
        given[name] = text
    values = {name: given[name] for name in Form.__struct_fields__ if name in given}
    if "consent" in values:
        values["consent"] = values["consent"].strip().lower() in TRUE
    if "duration_ms" in values:
        digits = values["duration_ms"].strip()
        values["duration_ms"] = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 16 else digits
    return _converted(values)


def _converted(values: dict[str, Any]) -> Form:
    try:
        return msgspec.convert(values, Form)
    except msgspec.ValidationError as error:
        expected, _, place = str(error).partition(" - at `$.")
        field = place.rstrip("`") or expected.rpartition("field `")[2].rstrip("`")
        raise BadRequest(
            f"The form does not fit: {expected}" + (f" (at {field})." if place else "."),
            word="invalid_body",
            details=[{"field": field, "expected": expected}],
        ) from error
