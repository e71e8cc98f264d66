"""The bulk door: everything is checked before anything is written, and all of it is written in one revision."""

import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path

import polars as pl

from engine.evidence.store import EvidenceBytes, EvidenceStore
from engine.intake.imports.batches import Batch, SheetRows, frame_batches
from engine.intake.imports.checks import CheckResult, check_fixed, check_new_rows, check_references, existing_ids
from engine.intake.imports.contradictions import check_contradictions
from engine.intake.imports.events import KNOWN, EventImport
from engine.intake.imports.evidence_files import ITEMS, check_files, opener, put_files
from engine.intake.imports.files.sources import sheets
from engine.intake.imports.files.spool import BATCH_ROWS, RowSpool
from engine.intake.imports.held_rows import check_written_rows
from engine.intake.imports.mapping import PLAIN, ColumnMapping
from engine.intake.imports.problems import Problems
from engine.intake.imports.staged_file import Progress, check_sheet
from engine.intake.imports.strangers import Stranger, strangers
from engine.intake.imports.tables import find_table, importable
from engine.intake.imports.values.controls import with_own_controls
from engine.intake.imports.write import TableCounts, organization_values, typed_records, write_events, write_table
from engine.model.documents.document import Position
from engine.model.errors import Usage
from engine.model.suggestions import suggestion
from engine.store import PLATFORM, Revision, Store
from engine.store.queries.own_frameworks import own_control_ids
from engine.store.schema import IMPORTABLE
from engine.store.writing.revisions import Note

FIRST = ("organizations", "organization_settings")
EVENTS = "audit_log"


@dataclass(frozen=True)
class FollowedLines:
    """A table whose new rows of some kinds bring something about, and what does that once all tables are written."""

    table: str
    kinds: tuple[str, ...]
    act: Callable[[Revision, Sequence[Mapping[str, object]]], None]

    def new_lines(self, revision: Revision, checked: CheckResult) -> list[dict[str, object]]:
        """Rows of these kinds that are not there yet."""
        found = [row for rows in checked.spool for row in typed_records(checked, rows) if row.get("kind") in self.kinds]
        known = existing_ids(revision.connection, revision.org_id, self.table, [str(row["id"]) for row in found])
        return [row for row in found if row["id"] not in known]


@dataclass(frozen=True)
class ImportResult:
    """``tables`` in the order of the schema; ``after`` is the new head, None when nothing changed or was to be.

    ``ignored``: by file the headers that were left out, each with the column that is nearest in name; ``strangers``:
    owners whom nobody of the organization goes by; ``left_out``: by file what of it was not imported, and why.
    """

    tables: Mapping[str, TableCounts]
    before: int
    after: int | None
    ignored: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)
    strangers: Sequence[Stranger] = ()
    left_out: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def has_changes(self) -> bool:
        return self.after is not None


@dataclass(frozen=True)
class _Steps:
    """What a caller adds to the revision of an import."""

    note: Callable[[Revision], Note] | None = None
    before: Callable[[Revision], None] | None = None
    after: Callable[[Revision, Mapping[str, int]], None] | None = None


class _Rehearsal(Exception):
    """The way out of a revision that is not to be."""

    def __init__(self, result: ImportResult) -> None:
        super().__init__()
        self.result = result


def import_paths(
    store: Store,
    paths: Sequence[Path],
    *,
    org_id: str,
    actor: str,
    now: datetime,
    progress: Progress | None = None,
    mapping: ColumnMapping = PLAIN,
    rehearsed: bool = False,
    follow: FollowedLines | None = None,
    evidence: EvidenceStore | None = None,
) -> ImportResult:
    """Import files, and the files of folders, into one organization.

    An organization that does not exist is made when the files have its row of ``organizations``. ``progress`` gets
    what is being done and the rows so far. Usage for wrong paths and names; InvalidData, with ``details``, for bad
    cells. Nothing is written unless everything holds; ``rehearsed``, all is checked and nothing is written at all.
    ``follow`` does what new lines of incidents' histories bring about. ``evidence`` holds the files that evidence items
    name; without it the name alone is written.
    """
    sheet_rows, doing = sheets(paths, mapping, now=now), progress or silent
    return import_sheets(
        store,
        sheet_rows,
        org_id,
        actor,
        now,
        doing,
        mapping=mapping,
        rehearsed=rehearsed,
        follow=follow,
        evidence=evidence,
    )


def frame_sheets(frames: Mapping[str, pl.DataFrame]) -> list[SheetRows]:
    """Frames by table name as sheets; rows count from 2, as below a header."""
    return [
        SheetRows(
            find_table(name, "frames"),
            name,
            partial(_frame_rows, frame, importable(find_table(name, "frames")).headers("json")),
        )
        for name, frame in frames.items()
    ]


def import_sheets(
    store: Store,
    sheet_rows: Sequence[SheetRows],
    org_id: str,
    actor: str,
    now: datetime,
    progress: Progress,
    *,
    mapping: ColumnMapping = PLAIN,
    rehearsed: bool = False,
    follow: FollowedLines | None = None,
    evidence: EvidenceStore | None = None,
    handed_in: Mapping[str, bytes] | None = None,
    note: Callable[[Revision], Note] | None = None,
    before: Callable[[Revision], None] | None = None,
    after: Callable[[Revision, Mapping[str, int]], None] | None = None,
) -> ImportResult:
    """Import sheets into one organization, as ``import_paths`` does.

    ``handed_in``: the files that evidence items name, by name, where they do not lie beside the rows.
    What ``note`` makes, once all is written, is recorded in place of the import's own event. ``before`` and ``after``
    are called within the revision, before anything is written and, with the new rows of each table, once all is: what
    they raise undoes it.
    """
    head = store.head(org_id)
    if head is None:
        check_new_organization(org_id, sheet_rows, [known for known, _ in store.organizations()])
    problems = Problems()
    with tempfile.TemporaryDirectory(prefix="hq-import-") as folder:
        files = check_sheets(store, sheet_rows, Path(folder), org_id, problems, progress, mapping=mapping)
        problems.raise_any()
        held: Mapping[str, EvidenceBytes] = {}
        items = files.get(ITEMS)
        open_named = opener(items, evidence.most, handed_in) if evidence is not None and items is not None else None
        if evidence is not None and items is not None and open_named is not None:
            held = check_files(items, open_named, problems)
            problems.raise_any()
            evidence.must_fit(org_id, list(held.items()))
            if not rehearsed:
                held = put_files(evidence, org_id, open_named, list(held))
        try:
            steps = _Steps(note, before, after)
            result = _write(store, files, org_id, actor, now, head, progress, rehearsed, follow, held, steps)
        except _Rehearsal as end:
            result = end.result
        return replace(result, left_out=problems.left_out)


def check_new_organization(org_id: str, sheet_rows: Sequence[SheetRows], known: Sequence[str] = ()) -> None:
    """Usage where an organization of that name cannot be made from the sheets."""
    if "organizations" not in {sheet.table for sheet in sheet_rows}:
        near = suggestion(org_id, known)
        text = f"There is no organization {org_id!r}; import a file organizations with its row to make it."
        raise Usage(f"{text} {near}" if near else text)
    if org_id == PLATFORM or not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,62}", org_id):
        raise Usage(f"An organization's name is lower case letters, digits and hyphens; got {org_id!r}.")


def check_sheets(
    store: Store,
    sheet_rows: Sequence[SheetRows],
    folder: Path,
    org_id: str,
    problems: Problems,
    progress: Progress,
    *,
    once: bool = True,
    mapping: ColumnMapping = PLAIN,
) -> dict[str, CheckResult]:
    """The sheets in the order in which they are written, checked; ``once`` as for ``check_sheet``."""
    with store.reader() as connection, with_own_controls(own_control_ids(connection, org_id)):
        files = {}
        for sheet in sorted(sheet_rows, key=lambda sheet: _order(sheet.table)):
            files[sheet.table] = check_sheet(
                sheet, folder, connection, org_id, problems, progress, once=once, mapping=mapping
            )
        check_references(connection, org_id, files, problems)
        for checked in files.values():
            check_new_rows(connection, org_id, checked, problems)
            check_fixed(connection, org_id, checked, problems)
            check_written_rows(connection, org_id, checked, problems)
            check_contradictions(connection, org_id, checked, problems)
    return files


def _order(table: str) -> tuple[bool, int]:
    return table not in FIRST, list(IMPORTABLE).index(table)


def _write(
    store: Store,
    files: Mapping[str, CheckResult],
    org_id: str,
    actor: str,
    now: datetime,
    head: Position | None,
    progress: Progress,
    rehearsed: bool,
    follow: FollowedLines | None,
    held: Mapping[str, EvidenceBytes],
    steps: _Steps,
) -> ImportResult:
    create = organization_values(files.get("organizations")) if head is None else None
    with store.revision(org_id, actor, now=now, create=create) as revision:
        if steps.before is not None:
            steps.before(revision)
        counts = {}
        lines = follow.new_lines(revision, files[follow.table]) if follow and follow.table in files else []
        for name, checked in files.items():
            if name == EVENTS:
                current = _recheck(revision, checked) if revision.start[0] != (head.seq if head else 0) else checked
                counts[name] = write_events(revision, current, progress)
            else:
                counts[name] = write_table(revision, checked, progress, held)
        if create is not None:
            counts["organizations"] = replace(counts["organizations"], created=1, updated=0, unchanged=0)
        if follow is not None:
            follow.act(revision, lines)
        ignored = {checked.file: checked.ignored for checked in files.values() if checked.ignored}
        unknown = strangers(revision.records, org_id, files)
        if rehearsed:  # the revision is undone by the way out of it
            raise _Rehearsal(ImportResult(counts, revision.start[0], None, ignored, unknown))
        if any(count.has_changes for count in counts.values()):
            imported = {"files": [_summary(name, count) for name, count in counts.items()]}
            own = Note("import.completed", details=imported) if steps.note is None else steps.note(revision)
            revision.record_all([own])
            if steps.after is not None:
                steps.after(revision, {name: count.created for name, count in counts.items()})
        after = revision.last_seq if revision.touched else None
        return ImportResult(counts, revision.start[0], after, ignored, unknown)


def _recheck(revision: Revision, checked: CheckResult) -> CheckResult:
    """Somebody wrote between the check and the lock: look once more which events are recorded already."""
    problems = Problems()
    spool = RowSpool(checked.spool.folder.with_name("again"))
    recorded = EventImport(revision.connection, revision.org_id, checked.spool.rows)
    for rows in checked.spool.drain():
        spool.append(recorded.mark(rows.drop(KNOWN), checked.file, problems))
    problems.raise_any()
    return replace(checked, spool=spool)


def _summary(table: str, counts: TableCounts) -> dict[str, object]:
    return {
        "name": counts.file,
        "sha256": counts.sha256,
        "table": table,
        "rows": counts.rows,
        "created": counts.created,
        "updated": counts.updated,
    }


def _frame_rows(frame: pl.DataFrame, structured: frozenset[str], problems: Problems) -> Iterator[Batch]:
    return frame_batches(frame.iter_slices(BATCH_ROWS) if frame.height else iter([frame]), structured)


def silent(doing: str, rows: int) -> None:
    """No progress."""
