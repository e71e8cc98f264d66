"""Archives over HTTP: sealed bundles, the workbook, the evidence pack, the committee meeting pack."""

import os
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import msgspec

from engine.archives.contents import packs
from engine.archives.contents.windows import Days, days
from engine.archives.sealing import bundles
from engine.archives.sealing.announcement import ROUTE
from engine.archives.verification.bundle_check import sound_archive, verify_bundle
from engine.digests import each
from engine.model.declarations.ask import PERIOD_DAYS, Parameter
from engine.model.errors import NotFound
from engine.model.file_errors import file_problem
from engine.model.vocabulary import ArchiveKind
from engine.render import RENDERERS, dated_stem, download_name
from engine.runtime.services import Services
from engine.store import PLATFORM
from engine.web.admission.access_log import note_access
from engine.web.handlers.reports import not_changed
from engine.web.http import REVALIDATE, Request, Response, answer
from engine.web.lanes import ARCHIVES

ZIP = "application/zip"
WORKBOOK = (
    PERIOD_DAYS,
    Parameter("format", "zip", "an archive, or its tables in one spreadsheet", choices=("zip", "xlsx")),
)
MEETING_PACK = (PERIOD_DAYS, Parameter("format", "zip", "an archive, or its pages on paper", choices=("zip", "pdf")))
Text = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


class BundleBody(msgspec.Struct, forbid_unknown_fields=True):
    """Body of POST /api/governance/compliance/bundles."""

    window: Text = "30d"


class ScheduledBundle(msgspec.Struct, forbid_unknown_fields=True, rename={"org_id": "orgId"}):
    """Body of POST /api/governance/compliance/bundles/scheduled."""

    org_id: Text | None = None
    window: Text = "30d"


def list_bundles(request: Request) -> Response:
    """GET /api/governance/compliance/bundles: every evidence bundle's metadata, newest first."""
    return answer({"bundles": bundles.list_bundles(request.services, request.caller.org_id)})


def create_bundle(request: Request, body: BundleBody) -> Response:
    """POST /api/governance/compliance/bundles: seals an evidence bundle; the same window again is a new one."""
    caller = request.caller
    return _create(request, caller.org_id, caller.actor, days(body.window))


def scheduled_bundle(request: Request, body: ScheduledBundle) -> Response:
    """POST /api/governance/compliance/bundles/scheduled: seals one bundle a day and window, by cron.

    For the organization that the body names, else for each that has bundles.
    """
    services, window = request.services, days(body.window)

    def run(org_id: str) -> dict[str, object]:
        made = bundles.create_scheduled(services, org_id, bundles.CRON, window, now=request.now)
        row, before = bundles.one(services, org_id, made.row["id"])
        outcome = "already_sealed" if made.again else "sealed"
        return {
            "org_id": org_id,
            "outcome": outcome,
            "bundle": bundles.metadata(row, before),
            "delivery": made.delivery,
        }

    if body.org_id is not None:
        if body.org_id == PLATFORM or not services.store.organization_exists(body.org_id):
            raise NotFound(f"There is no organization {body.org_id!r}.", word="unknown_organization")
        return answer(run(body.org_id))
    every = [org_id for org_id, _ in services.store.organizations()]
    return answer({"runs": each("bundles", every, run, wanted=partial(bundles.any_of, services))})


def _create(request: Request, org_id: str, actor: str, window: Days) -> Response:
    made = bundles.create(request.services, org_id, actor, window, now=request.now)
    row, before = bundles.one(request.services, org_id, made.row["id"])
    location = f"{ROUTE}/{row['id']}"
    return answer(
        {"bundle": bundles.metadata(row, before), "delivery": made.delivery}, status=201, headers={"Location": location}
    )


def bundle(request: Request) -> Response:
    """GET /api/governance/compliance/bundles/{id}: a bundle's metadata and manifest, and whether it holds."""
    services = request.services
    row, before = bundles.one(services, request.caller.org_id, request.arguments["id"])
    return answer({"bundle": bundles.metadata(row, before), **verify_bundle(services, row, before, now=request.now)})


def download(request: Request) -> Response:
    """GET /api/governance/compliance/bundles/{id}/download: the ZIP archive as it was sealed."""
    row, _ = bundles.one(request.services, request.caller.org_id, request.arguments["id"])
    path = sound_archive(request.services, row)
    name = f"{dated_stem(row['org_id'], 'bundle', row['window_end_on'])}-{row['id'].removeprefix('bnd_')}.zip"
    return _file(request, path, name, row["archive_sha256"] or "")


def workbook(request: Request) -> Response:
    """GET /api/governance/compliance/workbook: a ZIP of evidence, crosswalk and every assessment, or a spreadsheet."""
    return _of_kind(request, "workbook")


def committee_meeting_pack(request: Request) -> Response:
    """GET /api/governance/compliance/committee-meeting-pack: a ZIP with what a committee needs to meet, or a PDF."""
    return _of_kind(request, "committee-meeting-pack")


def _of_kind(request: Request, kind: ArchiveKind) -> Response:
    period, form = request.options[PERIOD_DAYS.name], request.options["format"]
    return archive(request, kind, Days(f"{period}d", period)) if form == "zip" else _single(request, kind, form, period)


def _single(request: Request, kind: ArchiveKind, form: str, period: int) -> Response:
    org_id, renderer = request.caller.org_id, RENDERERS[form]
    from engine.archives.contents import single_files  # which knows every page of a pack, and what draws it

    wanted = single_files.file_name(request.services, org_id, kind, form, period, now=request.now).key
    headers = {"ETag": f'"{wanted}"'}
    if not_changed(request.headers.get("if-none-match", ""), wanted):
        return Response(status=304, headers=headers, content_type=renderer.content_type, cache=REVALIDATE)
    arguments = (org_id, kind, form, period, request.now)
    made = request.computing.call(request, single_files.single_file, arguments, ARCHIVES)
    file = download_name(org_id, kind, made.name.as_of, form)
    headers = {"ETag": f'"{made.name.key}"', "Content-Disposition": f'attachment; filename="{file}"'}
    return Response(made.data, renderer.content_type, headers=headers | note_access(request, form), cache=REVALIDATE)


def archive(request: Request, kind: ArchiveKind, window: Days, *, framework: str | None = None) -> Response:
    """The archive of that kind as the organization stands, an evidence pack for one framework where it is named."""
    arguments = (request.caller.org_id, kind, window, framework, request.now)
    made = request.computing.call(request, make_pack, arguments, ARCHIVES)
    name = f"{dated_stem(request.caller.org_id, kind, made.as_of)}.zip"
    try:
        return _file(request, made.path, name, made.etag)
    finally:
        if made.passing:
            made.path.unlink(missing_ok=True)


def make_pack(
    services: Services, org_id: str, kind: ArchiveKind, window: Days, framework: str | None, now: datetime
) -> packs.ArchiveFile:
    """The archive of an organization as it stands."""
    return packs.pack(services, org_id, kind, window, now=now, framework=framework)


def _file(request: Request, path: Path, name: str, etag: str) -> Response:
    headers = {"ETag": f'"{etag}"'}
    if not_changed(request.headers.get("if-none-match", ""), etag):
        return Response(status=304, headers=headers, content_type=ZIP, cache=REVALIDATE)
    try:
        file = path.open("rb")
    except OSError as error:
        raise file_problem("The archive cannot be read", error) from error
    headers |= note_access(request, "zip")
    size = os.fstat(file.fileno()).st_size
    headers |= {"Content-Disposition": f'attachment; filename="{name}"', "Content-Length": str(size)}
    return Response(file, ZIP, headers=headers, cache=REVALIDATE)
