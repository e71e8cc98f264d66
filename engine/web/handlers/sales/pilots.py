"""Pilots, for the platform's own people: lists, changes, proposal, calendar, export."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from engine.model.declarations.ask import Parameter
from engine.model.errors import Conflict
from engine.model.vocabulary import PILOT_STAGES, PilotStage
from engine.render import CONTENT_SECURITY_POLICY, RENDERERS, download_name
from engine.sales import leads as worked
from engine.sales import pilots as kept
from engine.sales import texts
from engine.sales.prices import price_table
from engine.sales.proposals import framework_names, proposal
from engine.store.queries.sales import commerce as queries
from engine.store.queries.sales.commerce import Row
from engine.store.schema.commerce import pilots
from engine.web.admission.access_log import note_access
from engine.web.handlers.sales.administration import PAGE, PER_PAGE, check_day, day, download, frame, page, write
from engine.web.http import Request, Response, answer
from engine.web.negotiation import preferred_format

if TYPE_CHECKING:
    from engine.render.calendar import meetings

Moment = Annotated[datetime, Meta(tz=True)]
Short = Annotated[str, Meta(max_length=2_000)]
Long = Annotated[str, Meta(max_length=20_000)]
Points = Annotated[list[Short], Meta(max_length=20)]
FILTERS = (
    Parameter("stage", None, "stage", choices=PILOT_STAGES),
    Parameter("owner", None, "who runs it"),
    Parameter("leadId", None, "lead"),
)
LISTED = (*FILTERS, PAGE, PER_PAGE)
COLUMNS = tuple(str(column.name) for column in pilots.columns if column.name not in ("org_id", "revision"))
FORMATS = ("json", "html", "md", "pdf")
PROPOSAL = (
    Parameter("format", None, "json, html, md or pdf", choices=FORMATS),
    Parameter("asOf", None, "day of the proposal, YYYY-MM-DD"),
)
MEETING = Parameter("event", "all", "which meeting", choices=(*kept.MEETINGS, "all"))
LISTS = ("included", "excluded", "success_criteria", "assumptions")


class Scope(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What a pilot is about; what is left out, the proposal takes from its own texts."""

    goal: Short | None = None
    frameworks: Annotated[list[Short], Meta(max_length=20)] = []
    weeks: Annotated[int, Meta(ge=1, le=52)] | None = None
    included: Points = []
    excluded: Points = []
    success_criteria: Points = []
    assumptions: Points = []


class NewFields(msgspec.Struct, forbid_unknown_fields=True):
    """What a new pilot may hold beside its lead; null clears."""

    name: Short | UnsetType = UNSET
    owner: Short | UnsetType | None = UNSET
    scope: Scope | UnsetType | None = UNSET
    discovery_at: Moment | UnsetType | None = UNSET
    kickoff_at: Moment | UnsetType | None = UNSET
    review_at: Moment | UnsetType | None = UNSET
    notes: Long | UnsetType | None = UNSET


class NewPilot(NewFields, forbid_unknown_fields=True, kw_only=True):
    """A pilot of a lead."""

    lead_id: Annotated[str, Meta(min_length=1, max_length=200)]


class PilotChanges(NewFields, forbid_unknown_fields=True):
    """What may be changed; ``status`` is another word for stage."""

    stage: PilotStage | UnsetType = UNSET
    status: PilotStage | UnsetType = UNSET


def list_pilots(request: Request) -> Response:
    """GET /api/admin/pilots: the pilots that the filters choose, newest first, a page at a time."""
    return page(request, "pilots", _filter(request), request.options)


def create(request: Request, body: NewPilot) -> Response:
    """POST /api/admin/pilots: makes the one pilot of a lead."""
    fields = pilot_fields(request, body)
    made = write(request, lambda revision: worked.convert(revision, body.lead_id, fields))
    return answer({"pilot": made}, status=201)


def detail(request: Request) -> Response:
    """GET /api/admin/pilots/{id}: one pilot with its lead and its history."""
    return answer(_detail(request))


def change(request: Request, body: PilotChanges) -> Response:
    """PATCH /api/admin/pilots/{id}: changes fields and stage of a pilot."""
    wanted = pilot_fields(request, body)
    for name in ("stage", "status"):
        value = getattr(body, name)
        if value is not UNSET and wanted.setdefault("stage", value) != value:
            raise texts.invalid(name, "the same as stage, or left out", value)
    if not wanted:
        raise texts.invalid("body", f"at least one of {', '.join(PilotChanges.__struct_fields__)}")
    return answer({"pilot": write(request, lambda revision: kept.change(revision, request.arguments["id"], wanted))})


def get_proposal(request: Request) -> Response:
    """GET /api/admin/pilots/{id}/proposal: a pilot's proposal, the same for the same inputs.

    For the day ``asOf``, today without.
    """
    from engine.render.text import proposal as pages

    given = request.options
    form = given["format"] or preferred_format(request.headers.get("accept", ""), FORMATS) or "json"
    as_of = day("asOf", given["asOf"]) if given["asOf"] else request.now.date()
    check_day("asOf", as_of, request.now.date())
    found, settings = _detail(request), request.services.settings
    facts = proposal(found["pilot"], found["lead"], price_table(settings.pilot_prices), settings.brand, as_of)
    if form == "json":
        return answer(facts)
    renderer = RENDERERS[form]
    name = download_name(facts["number"], "proposal", as_of, form)
    kind = "attachment" if renderer.attachment else "inline"
    headers = {"Content-Disposition": f'{kind}; filename="{name}"'}
    if form == "html":
        return Response(
            pages.html(facts),
            renderer.content_type,
            headers={**headers, "Content-Security-Policy": CONTENT_SECURITY_POLICY},
        )
    if form == "pdf":
        from engine.render.html.pdf import of_pages

        data = of_pages([pages.html(facts)])
    else:
        data = pages.markdown(facts)
    headers |= note_access(request, form)
    return Response(data, renderer.content_type, headers=headers)


def calendar(request: Request) -> Response:
    """GET /api/admin/pilots/{id}/calendar: the agreed meetings of a pilot as a calendar file."""
    from engine.render.calendar import meetings

    wanted = request.options["event"]
    found = _detail(request)
    pilot = found["pilot"]
    agreed = [row for row in kept.meetings(found["history"]) if wanted in ("all", row["meeting"])]
    if not agreed:
        what = "meeting" if wanted == "all" else wanted
        raise Conflict(f"No date is agreed for the {what} of this pilot yet; set one first.", word="no_date")
    brand = request.services.settings.brand
    content = meetings.render(f"{brand}: {pilot['name']}", [_meeting(pilot, found["lead"], row) for row in agreed])
    left_with = note_access(request, "ics")
    name = download_name(found["lead"]["reference_id"], f"pilot-{wanted}", request.now.date(), "ics")
    headers = {"Content-Disposition": f'attachment; filename="{name}"', **left_with}
    return Response(content, RENDERERS["ics"].content_type, headers=headers)


def export(request: Request) -> Response:
    """GET /api/admin/pilots/export: the pilots that the filters choose as CSV."""
    wanted = _filter(request)
    pages = queries.pages(request.services.store, request.caller.org_id, wanted)
    return download(request, "pilots", (frame(rows, COLUMNS, {}) for rows in pages))


def pilot_fields(request: Request, body: NewFields) -> Row:
    """The columns of a pilot that were given, checked and cleaned."""
    given = {name: getattr(body, name) for name in NewFields.__struct_fields__}
    wanted: Row = {name: value for name, value in given.items() if value is not UNSET}
    if "name" in wanted:
        wanted["name"] = texts.line("name", wanted["name"])
    if wanted.get("owner") is not None:
        wanted["owner"] = texts.email("owner", wanted["owner"])
    if wanted.get("notes") is not None:
        wanted["notes"] = texts.prose("notes", wanted["notes"], 10_000)
    if wanted.get("scope") is not None:
        wanted["scope"] = _scope(wanted["scope"])
    for name in kept.DATES:
        if wanted.get(name) is not None:
            check_day(name, wanted[name].date(), request.now.date())
            wanted[name] = wanted[name].astimezone(UTC).replace(second=0, microsecond=0)
    return wanted


def _scope(scope: Scope) -> Row:
    known = framework_names()
    for name in scope.frameworks:
        if name not in known:
            raise texts.invalid("scope.frameworks", f"names among {', '.join(known)}", name)
    cleaned: Row = {"frameworks": list(dict.fromkeys(scope.frameworks)), "weeks": scope.weeks}
    cleaned["goal"] = None if scope.goal is None else texts.prose("scope.goal", scope.goal, 1_000)
    for name in LISTS:
        cleaned[name] = [texts.line(f"scope.{name}", text, 300) for text in getattr(scope, name)]
    return {name: value for name, value in cleaned.items() if value}


def _filter(request: Request) -> queries.PilotFilter:
    given = request.options
    owner = given["owner"]
    return queries.PilotFilter(
        (given["stage"],) if given["stage"] else (), None if owner is None else owner.lower(), given["leadId"]
    )


def _detail(request: Request) -> Row:
    with request.services.store.reader() as connection:
        return kept.detail(connection, request.caller.org_id, request.arguments["id"])


def _meeting(pilot: Row, lead: Row, row: kept.AgreedMeeting) -> "meetings.Meeting":
    from engine.render.calendar import meetings

    name = row["meeting"]
    return meetings.Meeting(
        uid=f"{pilot['id']}-{name}@hq-console",
        title=f"{name.capitalize()}: {pilot['name']}",
        description=f"{kept.ABOUT[name]}\nReference {lead['reference_id']}",
        at=row["at"],
        duration=kept.DURATIONS[name],
        sequence=row["sequence"],
        changed_at=row["changed_at"],
        cancelled=row["cancelled"],
    )
