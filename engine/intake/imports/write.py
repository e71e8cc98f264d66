"""Checked files into one revision."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date

import msgspec
import polars as pl

from engine.evidence.store import EvidenceBytes
from engine.intake.imports.checks import CheckResult, existing_ids
from engine.intake.imports.events import event_rows
from engine.intake.imports.evidence_files import ITEMS, add_bytes
from engine.intake.imports.files.headers import ROW
from engine.intake.imports.recorded import SCOPES, stamp
from engine.intake.imports.staged_file import Progress
from engine.model.figures.formulas import business_days_after
from engine.model.thresholds import DEFAULTS, Thresholds, thresholds
from engine.store import Revision
from engine.store.schema import metadata


@dataclass(frozen=True)
class TableCounts:
    """What became of the rows of one table. ``sha256`` is that of the file, None for frames."""

    file: str
    sha256: str | None
    rows: int
    created: int
    updated: int
    unchanged: int

    @property
    def has_changes(self) -> bool:
        return bool(self.created or self.updated)


def write_table(
    revision: Revision, checked: CheckResult, progress: Progress, held: Mapping[str, EvidenceBytes]
) -> TableCounts:
    """Rows of an ordinary table: created, or changed in the columns that the file has. ``held``: what evidence is held
    of the files that rows name."""
    table = metadata.tables[checked.table.name]
    created = updated = unchanged = 0
    for rows in checked.spool:
        records = list(typed_records(checked, rows))
        if checked.table.name == "evidence_requests":
            _fill_due_dates(revision, records)
        if checked.table.name == ITEMS:
            add_bytes(revision, records, held, revision.now)
        if checked.table.name in SCOPES:
            stamp(revision, checked.table.name, records)
        counts = revision.upsert(table, records)
        created, updated, unchanged = created + counts.created, updated + counts.updated, unchanged + counts.unchanged
        progress(f"writing {checked.table.name}", created + updated + unchanged)
    return TableCounts(checked.file, checked.sha256, checked.spool.rows, created, updated, unchanged)


def write_events(revision: Revision, checked: CheckResult, progress: Progress) -> TableCounts:
    """Audit events, appended."""
    created = revision.append_events(event_rows(checked.spool, progress))
    return TableCounts(checked.file, checked.sha256, checked.spool.rows, created, 0, checked.spool.rows - created)


def typed_records(checked: CheckResult, rows: pl.DataFrame) -> Iterator[dict[str, object]]:
    """Rows as the store takes them."""
    structured = [name for name in checked.columns if checked.table.fields[name].kind == "json"]
    own_id = {"id"} if checked.table.name == "organizations" else set()
    table = metadata.tables[checked.table.name]
    filled = [name for name in checked.columns if not table.c[name].nullable]
    for record in rows.drop(ROW, *own_id, strict=False).iter_rows(named=True):
        for name in filled:
            if record.get(name, "") is None:
                del record[name]
        for name in structured:
            if record[name] is not None:
                record[name] = msgspec.json.decode(record[name])
        yield record


def organization_values(checked: CheckResult | None) -> dict[str, object] | None:
    """The row of ``organizations`` that a new organization is made from; None when the files have none."""
    if checked is None:
        return None
    return next((record for rows in checked.spool for record in typed_records(checked, rows)), None)


def _fill_due_dates(revision: Revision, records: list[dict[str, object]]) -> None:
    """A new request without a due date is due by its priority (F5); an old one keeps the date that it has."""
    open_ended = {str(record["id"]): record for record in records if record.get("due_on") is None}
    known = existing_ids(revision.connection, revision.org_id, "evidence_requests", list(open_ended))
    settings = _settings(revision)
    for request_id, record in open_ended.items():
        record.pop("due_on", None)
        opened_on = record.get("opened_on")
        if request_id not in known and isinstance(opened_on, date):
            record["due_on"] = _due_on(opened_on, str(record.get("priority") or "P3"), settings)


def _due_on(opened_on: date, priority: str, settings: Thresholds) -> date:
    return business_days_after(opened_on, int(settings[f"request_sla_{priority.lower()}_days"]))


def _settings(revision: Revision) -> Thresholds:
    table = metadata.tables["organization_settings"]
    query = table.select().where(table.c.org_id == revision.org_id)
    overrides = {row.name: row.value for row in revision.connection.execute(query) if row.name in DEFAULTS}
    return thresholds(0, overrides)
