"""What a form or a dropped file becomes: an import, with the person as actor, in one revision.

These functions run in a worker process, which has what reads cells; what they take and return can be pickled.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from engine.desk.queries.rows import active_role, find_row, has_owner, own_controls
from engine.desk.submissions import CHANGED, FORM, ITEMS, Author, Submission, Upload
from engine.evidence.items import add_item, byte_columns, must_show_something
from engine.intake.imports.preview_rows import ImportPreview
from engine.intake.imports.tables import importable
from engine.model.errors import Conflict, Forbidden, InvalidData, NotFound
from engine.model.rights import is_own, may
from engine.runtime.services import Services
from engine.store import Revision
from engine.store.log.part_heads import read_part_heads
from engine.store.schema.controls import evidence_links
from engine.store.writing.revisions import Note

if TYPE_CHECKING:  # what reads cells is loaded where it is called: in a worker
    from engine.intake.imports.batches import SheetRows

UNPACKED_BYTES = 256 << 20  # of a workbook or a Parquet file, which is read beside what the console serves


def submit(services: Services, form: Submission, now: datetime) -> bool:
    """Write a form; whether anything changed. InvalidData for bad cells, Conflict where the row is not as it was seen,
    Forbidden where the right is gone; then nothing is written."""
    from engine.evidence.store import measure, open_evidence
    from engine.incidents.hands.steps import PersonStep, take_step
    from engine.intake.imports.imports import import_sheets, silent
    from engine.intake.imports.preview import text_sheet

    author = form.author
    sheet_rows = [text_sheet(form.table, FORM, [form.cells], list(form.cells))]
    evidence = open_evidence(services.settings) if form.files or form.table == ITEMS else None
    for name, content in form.files:
        must_show_something(name, measure(BytesIO(content)))
    held = [
        (name, byte_columns(evidence.put(author.org_id, BytesIO(content), name), name, now))
        for name, content in form.files
        if evidence is not None
    ]

    was: dict[str, object] = {}

    def before(revision: Revision) -> None:
        row = None if form.key is None else find_row(revision.records, form.table, author.org_id, form.key)
        was.update(row or {})
        if form.key is not None and row is None:
            raise NotFound(f"There is no such row of {form.table} any more.")
        _check_right(services, revision, author, form.table, form.act, row or form.cells)
        _check_request(revision, form, row)
        _check_control(revision, form)
        if row is not None and row["revision"] != form.seen:
            raise Conflict("Somebody changed this record while you wrote.", word=CHANGED)
        if row is not None and form.step is not None:
            take_step(revision, str(row["id"]), PersonStep(form.step, now, form.why or None), "at the desk")

    def note(revision: Revision) -> Note:
        return _note(form, list(form.cells) if form.key is None else _differing_columns(revision, form, was))

    def after(revision: Revision, counts: Mapping[str, int]) -> None:
        if form.key is None and not counts[form.table]:
            raise Conflict("There is a record with that key already; open it to change it.", word="already_there")
        _check_owner_remains(revision, [form.table])
        if form.control is not None:
            framework, control = form.control
            item = {"evidence_id": form.cells["id"], "framework": framework, "control_id": control}
            revision.insert(evidence_links, [item])
        for name, columns in held:
            add_item(revision, {**_item(form, name, now), **columns}, _controls(form))

    result = import_sheets(
        services.store, sheet_rows, author.org_id, author.email, now, silent,
        evidence=evidence, handed_in=form.own_files, note=note, before=before, after=after,
    )  # fmt: skip
    if form.key is None and not result.has_changes:
        raise Conflict("There is a record with that key already, and it says the same.", word="already_there")
    return result.has_changes


def preview(services: Services, upload: Upload, now: datetime) -> ImportPreview:
    """What applying the files would do. InvalidData and Usage for files that are none."""
    from engine.evidence.store import open_evidence
    from engine.intake.imports.preview import preview_sheets

    evidence = open_evidence(services.settings)
    return preview_sheets(services.store, _sheets(upload, now), upload.author.org_id, evidence=evidence)


class ImportOutcome(NamedTuple):
    """What an import wrote: by table its file, and how many rows are new, changed and as they were; ``after`` is the
    new revision, ``left_out`` by file what of it was not imported, and why."""

    tables: Mapping[str, tuple[str, int, int, int]]
    after: int | None
    left_out: Mapping[str, Sequence[str]]


def apply(services: Services, upload: Upload, now: datetime) -> ImportOutcome:
    """Import the files: all of it or nothing, as ``preview`` showed it. Conflict where their tables changed since."""
    from engine.evidence.store import open_evidence
    from engine.incidents.hands.lines import FOLLOWED, follow_lines
    from engine.intake.imports.imports import FollowedLines, import_sheets, silent

    follow = FollowedLines("incident_timeline", FOLLOWED, follow_lines)
    author, sheet_rows = upload.author, _sheets(upload, now)

    def before(revision: Revision) -> None:
        for sheet in sheet_rows:
            _check_right(services, revision, author, sheet.table, "import", {})
        if upload.seen is not None:
            stands = read_part_heads(revision.connection, author.org_id)
            tables = {sheet.table for sheet in sheet_rows} & stands.keys()
            if any(stands[table].seq > upload.seen for table in tables):
                raise Conflict("Somebody changed these records since this was shown.", word=CHANGED)

    def after(revision: Revision, counts: Mapping[str, int]) -> None:
        _check_owner_remains(revision, list(counts))

    result = import_sheets(
        services.store, sheet_rows, author.org_id, author.email, now, silent,
        follow=follow, evidence=open_evidence(services.settings), before=before, after=after,
    )  # fmt: skip
    counts = {name: (one.file, one.created, one.updated, one.unchanged) for name, one in result.tables.items()}
    return ImportOutcome(counts, result.after, result.left_out)


def _sheets(upload: Upload, now: datetime) -> "list[SheetRows]":
    from engine.intake.imports.files.size_limits import SizeBounds
    from engine.intake.imports.files.sources import sheets
    from engine.intake.imports.preview import with_corrections

    bounds = SizeBounds(UNPACKED_BYTES, "split it, or use hq import where the console runs")
    return [with_corrections(sheet, upload.corrections) for sheet in sheets(upload.paths, now=now, bounds=bounds)]


def _check_right(
    services: Services, revision: Revision, author: Author, table: str, act: str, row: Mapping[str, object]
) -> None:
    """The right as of this very transaction, whatever was true when the form was filled."""
    role: str | None = author.role
    if not author.local:
        role = active_role(revision.records, author.org_id, author.email)
    own = is_own(table, row, author.email)
    if not may(role, table, act, own=own):
        raise Forbidden(f"You may not do this to {table}; your role is {role or 'none'}.", word="role_required")


def _check_request(revision: Revision, form: Submission, row: Mapping[str, object] | None) -> None:
    """InvalidData where evidence newly answers a request that is not there."""
    request = form.cells.get("request_id") if form.table == ITEMS else None
    if request is None or (row is not None and row["request_id"] == request):
        return
    if find_row(revision.records, "evidence_requests", revision.org_id, {"id": request}) is None:
        expected = "the id of a row of evidence_requests"
        cell = {"file": FORM, "column": "request_id", "expected": expected, "found": request}
        raise InvalidData("There is no such request.", details=[cell])


def _check_control(revision: Revision, form: Submission) -> None:
    """Forbidden where the control that evidence is for is the author's no more."""
    author = form.author
    if form.control is not None and form.control not in own_controls(revision.records, author.org_id, author.email):
        raise Forbidden(f"{':'.join(form.control)} is not yours.", word="role_required")


def _check_owner_remains(revision: Revision, tables: Sequence[str]) -> None:
    if "memberships" in tables and not has_owner(revision.records, revision.org_id):
        raise Conflict("An organization has at least one active owner.", word="last_owner")


def _item(form: Submission, name: str, now: datetime) -> dict[str, object]:
    """What the row of a held file says beside its bytes."""
    request = (form.key or {}).get("id") if form.table == "evidence_requests" else None
    who = form.author.email
    return {"title": name, "source": "desk", "owner": who, "captured_at": now, "request_id": request}


def _controls(form: Submission) -> list[tuple[str, str]]:
    framework, control = form.cells.get("framework"), form.cells.get("control_id")
    return [(framework, control)] if framework and control else []


def _differing_columns(revision: Revision, form: Submission, was: Mapping[str, object]) -> list[str]:
    """The columns in which the row is no longer as it was."""
    row = find_row(revision.records, form.table, revision.org_id, form.key or {}) or {}
    return [name for name in importable(form.table).fields if row.get(name) != was.get(name)]


def _note(form: Submission, columns: Sequence[str]) -> Note:
    framework, control = form.cells.get("framework"), form.cells.get("control_id")
    details: dict[str, object] = {"table": form.table, "act": form.act, "columns": [str(name) for name in columns]}
    if form.why:
        details["why"] = form.why
    if form.control is not None:
        details["controls"] = [":".join(form.control)]
    return Note(
        form.event,
        object_type=form.table,
        object_id=", ".join(str(part) for part in (form.key or {}).values())
        or form.cells.get("id")
        or form.cells.get("event_id"),
        controls=f"{framework}:{control}" if framework and control else None,
        details=details,
    )
