"""The vendor register's writing door."""

from datetime import date, timedelta
from typing import Annotated

import msgspec
from msgspec import Meta

from engine.model.days import local_day
from engine.model.errors import BadRequest
from engine.model.vocabulary import VendorTier
from engine.programme import vendors
from engine.web.http import Request, Response, answer

Short = Annotated[str, Meta(min_length=1, max_length=200)]
Scale = Annotated[int, Meta(ge=1, le=5)]
FIRST_DAY = date(2000, 1, 1)
YEAR = timedelta(days=366)


class NewVendorBody(msgspec.Struct, forbid_unknown_fields=True):
    """A vendor to add. A member that is not known is refused: a mistyped answer would change the tier."""

    name: Short
    category: Short
    tier: VendorTier | None = None
    service: Short | None = None
    owner: Short | None = None
    data_classes: Annotated[list[Short], Meta(max_length=20)] = []
    stores_customer_data: bool | None = None
    privileged_access: bool | None = None
    outage_stops_service: bool | None = None
    handles_phi: bool | None = None
    likelihood: Scale | None = None
    impact: Scale | None = None
    region: Short | None = None
    onboarded_on: date | None = None
    next_review_on: date | None = None


def create(request: Request, body: NewVendorBody) -> Response:
    """POST /api/governance/third-party/vendors: registers a vendor, which inherits controls by tier and category."""
    caller, store = request.caller, request.services.store
    today = local_day(request.now, store.time_zone(caller.org_id))
    vendor = _check_body(body, today)
    vendors.tier_of(vendor)  # says what is missing before anything waits for the writer
    made = store.write(
        caller.org_id, caller.actor, lambda revision: vendors.create(revision, vendor, today), now=request.now
    )
    return answer(made, status=201)


def _check_body(body: NewVendorBody, today: date) -> vendors.NewVendor:
    from engine.intake.imports.values.names import slug

    texts = {name: _text(name, getattr(body, name)) for name in ("name", "service", "region")}
    if not slug(texts["name"] or ""):
        raise _invalid("name", "a name with letters or digits", body.name)
    if body.category not in vendors.categories():
        raise _invalid("category", f"one of {', '.join(vendors.categories())}", body.category)
    owner = _text("owner", body.owner)
    if owner is not None and (owner.count("@") != 1 or " " in owner or owner[0] == "@" or owner[-1] == "@"):
        raise _invalid("owner", "an e-mail address", owner)
    classes = [_text("data_classes", part) or "" for part in body.data_classes]
    for part in classes:
        if ";" in part:
            raise _invalid("data_classes", "a list of classes without semicolons", part)
    _check_day("onboarded_on", body.onboarded_on, FIRST_DAY, today + YEAR)
    _check_day("next_review_on", body.next_review_on, today, today + YEAR)
    return vendors.NewVendor(
        name=texts["name"] or "",
        category=body.category,
        answers={question: getattr(body, question) for question in vendors.QUESTIONS},
        tier=body.tier,
        service=texts["service"],
        owner=None if owner is None else owner.lower(),
        data_classes=tuple(dict.fromkeys(classes)),
        handles_phi=body.handles_phi,
        likelihood=body.likelihood,
        impact=body.impact,
        region=texts["region"],
        onboarded_on=body.onboarded_on,
        next_review_on=body.next_review_on,
    )


def _text(name: str, text: str | None) -> str | None:
    """Text with single spaces and none around it."""
    if text is None:
        return None
    if not text.strip() or not text.isprintable():
        raise _invalid(name, "1 to 200 printable characters", text)
    return " ".join(text.split())


def _check_day(name: str, day: date | None, first: date, last: date) -> None:
    if day is not None and not first <= day <= last:
        raise _invalid(name, f"a date from {first} to {last}", day.isoformat())


def _invalid(field: str, expected: str, got: str) -> BadRequest:
    return BadRequest(
        f"The body does not fit: {field} must be {expected}; got {got[:80]!r}.",
        word="invalid_body",
        details=[{"field": field, "expected": expected, "got": got[:80]}],
    )
