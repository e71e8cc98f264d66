"""Leads, for the platform's own people: lists, changes, conversion, e-mails, export, dashboard."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from engine.model.declarations.ask import Parameter
from engine.model.errors import BadRequest
from engine.model.vocabulary import LEAD_STAGES, PRIORITIES, LeadStage, Priority
from engine.sales import dashboard as computed
from engine.sales import leads as worked
from engine.sales import letters, texts
from engine.sales.templates import TEMPLATES
from engine.store.queries.sales import commerce as queries
from engine.store.queries.sales.commerce import Row
from engine.store.schema.commerce import leads
from engine.web.handlers.sales.administration import PAGE, PER_PAGE, check_day, day, download, frame, page, write
from engine.web.handlers.sales.pilots import NewFields, pilot_fields
from engine.web.http import Request, Response, answer

Long = Annotated[str, Meta(max_length=20_000)]
Short = Annotated[str, Meta(max_length=2_000)]
Value = Annotated[float, Meta(ge=0, le=1e12)]
NOBODY = "none"
FILTERS = (
    Parameter("stage", None, "stage", choices=LEAD_STAGES),
    Parameter("owner", None, "who follows up; none for leads without"),
    Parameter("priority", None, "priority", choices=PRIORITIES),
    Parameter("spam", "no", "whether spam is shown", choices=("no", "only", "all")),
    Parameter("q", None, "part of a name, address, company or reference"),
    Parameter("receivedFrom", None, "first day, YYYY-MM-DD"),
    Parameter("receivedTo", None, "last day, YYYY-MM-DD"),
    Parameter("followUp", None, "follow-ups that are overdue", choices=("overdue",)),
)
PERIOD = Parameter("periodDays", 90, "days in which leads came in", 1, 730)
LISTED = (*FILTERS, PAGE, PER_PAGE)
COLUMNS = tuple(str(column.name) for column in leads.columns if column.name not in ("org_id", "revision"))

CHANGEABLE = ("stage", "owner", "priority", "follow_up_on", "notes", "lost_reason", "value", "spam")
CLEANED: dict[str, Callable[[str, str], str]] = {
    "owner": texts.email,
    "notes": lambda name, text: texts.prose(name, text, 10_000),
    "lost_reason": lambda name, text: texts.line(name, text, 500),
}


class LeadChanges(msgspec.Struct, forbid_unknown_fields=True):
    """What may be changed. ``status`` is another word for stage, ``assigned_to`` for owner; null clears."""

    stage: LeadStage | UnsetType = UNSET
    status: LeadStage | UnsetType = UNSET
    owner: Short | UnsetType | None = UNSET
    assigned_to: Short | UnsetType | None = UNSET
    priority: Priority | UnsetType = UNSET
    follow_up_on: date | UnsetType | None = UNSET
    notes: Long | UnsetType | None = UNSET
    lost_reason: Short | UnsetType | None = UNSET
    value: Value | UnsetType | None = UNSET
    spam: bool | UnsetType = UNSET


class Several(LeadChanges, forbid_unknown_fields=True):
    """The same changes to several leads: ``ids``, or ``id`` for one."""

    id: Annotated[str, Meta(min_length=1, max_length=200)] | None = None
    ids: Annotated[list[Annotated[str, Meta(min_length=1, max_length=200)]], Meta(max_length=200)] = []


class Letter(msgspec.Struct, forbid_unknown_fields=True):
    """A follow-up e-mail to prepare, or with ``send`` to send; ``note`` is a paragraph of one's own."""

    template: str
    send: bool = False
    note: Short | None = None


def list_leads(request: Request) -> Response:
    """GET /api/admin/leads: the leads that the filters choose, newest first, a page at a time."""
    return page(request, "leads", _filter(request), request.options)


def change_several(request: Request, body: Several) -> Response:
    """PATCH /api/admin/leads: makes the same change to the leads that are named, to all or to none."""
    ids = list(dict.fromkeys([*([body.id] if body.id else []), *body.ids]))
    if not ids:
        raise texts.invalid("ids", "the identifiers of 1 to 200 leads (or id for one)")
    wanted = _changes(request, body)
    changed = write(request, lambda revision: worked.change_all(revision, ids, wanted))
    return answer({"leads": changed})


def detail(request: Request) -> Response:
    """GET /api/admin/leads/{id}: one lead with its history and the e-mails that may be sent."""
    with request.services.store.reader() as connection:
        found = worked.detail(connection, request.caller.org_id, request.arguments["id"])
    return answer({**found, "email_templates": {name: one.purpose for name, one in TEMPLATES.items()}})


def change(request: Request, body: LeadChanges) -> Response:
    """PATCH /api/admin/leads/{id}: changes stage, owner, follow-up or priority of a lead."""
    wanted = _changes(request, body)
    return answer({"lead": write(request, lambda revision: worked.change(revision, request.arguments["id"], wanted))})


def convert(request: Request, body: NewFields) -> Response:
    """POST /api/admin/leads/{id}/convert-pilot: makes a lead a pilot, with whatever a new pilot may hold."""
    fields = pilot_fields(request, body)
    made = write(request, lambda revision: worked.convert(revision, request.arguments["id"], fields))
    return answer({"pilot": made}, status=201)


def email(request: Request, body: Letter) -> Response:
    """POST /api/admin/leads/{id}/email: prepares a follow-up e-mail, or sends it where a mail server is set."""
    if body.template not in TEMPLATES:
        raise texts.invalid("template", f"one of {', '.join(TEMPLATES)}", body.template)
    note = None if body.note is None else texts.prose("note", body.note, 2_000)
    lead_id, settings = request.arguments["id"], request.services.settings
    result = write(
        request, lambda revision: letters.write(revision, lead_id, body.template, note, settings, send=body.send)
    )
    return answer(result, status=202 if result["status"] == "queued" else 200)


def export(request: Request) -> Response:
    """GET /api/admin/leads/export: the leads that the filters choose as CSV."""
    import polars as pl

    wanted = _filter(request)
    pages = queries.pages(request.services.store, request.caller.org_id, wanted)
    types = {"value": pl.Float64, "spam": pl.Boolean, "consent": pl.Boolean, "follow_up_on": pl.Date}
    return download(request, "leads", (frame(rows, COLUMNS, types) for rows in pages))


def dashboard(request: Request) -> Response:
    """GET /api/admin/dashboard: the figures of leads and pilots as they are now."""
    period = request.options["periodDays"]
    org_id = request.caller.org_id
    with request.services.store.reader() as connection:
        pipeline = computed.Pipeline(
            leads=queries.all_leads(connection, org_id),
            moves=queries.stage_moves(connection, org_id, "lead"),
            touched=queries.last_touches(connection, org_id),
            pilots=queries.pilot_counts(connection, org_id),
            now=request.now,
            today=request.now.date(),
            period_days=period,
        )
    return answer(computed.figures(pipeline))


def _filter(request: Request) -> queries.LeadFilter:
    given = request.options
    owner = given["owner"]
    first, last = (day(name, given[name]) if given[name] else None for name in ("receivedFrom", "receivedTo"))
    if first and last and last < first:
        raise BadRequest(
            f"The parameter receivedTo must not be before receivedFrom ({first}); got {last}.",
            word="invalid_parameter",
            details=[{"parameter": "receivedTo", "expected": f"{first} or later", "got": last.isoformat()}],
        )
    return queries.LeadFilter(
        stages=(given["stage"],) if given["stage"] else (),
        owner=None if owner in (None, NOBODY) else owner.lower(),
        unassigned=owner == NOBODY,
        priority=given["priority"],
        spam={"no": False, "only": True, "all": None}[given["spam"]],
        text=given["q"],
        since=_midnight(first) if first else None,
        before=_midnight(last + timedelta(days=1)) if last else None,
        overdue_on=request.now.date() if given["followUp"] else None,
    )


def _midnight(on: date) -> datetime:
    return datetime(on.year, on.month, on.day, tzinfo=UTC)


def _changes(request: Request, body: LeadChanges) -> Row:
    """The columns to set, checked and cleaned."""
    given = {name: getattr(body, name) for name in (*COLUMNS, "status", "assigned_to") if hasattr(body, name)}
    wanted = {name: value for name, value in given.items() if value is not UNSET and name != "id"}
    for other, name in (("status", "stage"), ("assigned_to", "owner")):
        if other in wanted:
            value = wanted.pop(other)
            if wanted.setdefault(name, value) != value:
                raise texts.invalid(other, f"the same as {name}, or left out", value)
    if not wanted:
        raise texts.invalid("body", f"at least one of {', '.join(CHANGEABLE)}")
    for name, clean in CLEANED.items():
        if wanted.get(name) is not None:
            wanted[name] = clean(name, wanted[name])
    check_day("follow_up_on", wanted.get("follow_up_on"), request.now.date())
    return wanted
