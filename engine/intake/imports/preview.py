"""What an import would do, cell by cell: rows that are new, rows that change and from what, cells that are refused."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import polars as pl
from sqlalchemy import Connection, select, tuple_

from engine.evidence.store import EvidenceStore
from engine.intake.imports.batches import Batch, SheetRows
from engine.intake.imports.checks import CheckResult
from engine.intake.imports.events import KNOWN
from engine.intake.imports.evidence_files import ITEMS, check_files, opener
from engine.intake.imports.files.headers import ROW
from engine.intake.imports.imports import EVENTS, check_sheets, silent
from engine.intake.imports.mapping import PLAIN, ColumnMapping
from engine.intake.imports.preview_rows import LISTED_ROWS, CellChange, ImportPreview, PreviewRow, TablePreview
from engine.intake.imports.problems import Problems
from engine.intake.imports.values.names import squash
from engine.intake.imports.write import typed_records
from engine.model.errors import InvalidData
from engine.store import Store
from engine.store.schema import metadata
from engine.store.types import canonical_json

CHUNK = 500


def preview_sheets(
    store: Store,
    sheet_rows: Sequence[SheetRows],
    org_id: str,
    *,
    mapping: ColumnMapping = PLAIN,
    evidence: EvidenceStore | None = None,
) -> ImportPreview:
    """What importing the sheets into an organization that exists would do now; nothing is written.

    ``evidence`` is where files that evidence items name would be held.
    """
    problems = Problems()
    with tempfile.TemporaryDirectory(prefix="hq-preview-") as folder:
        files = check_sheets(store, sheet_rows, Path(folder), org_id, problems, silent, mapping=mapping)
        items = files.get(ITEMS)
        open_named = opener(items, evidence.most, None) if evidence is not None and items is not None else None
        if items is not None and open_named is not None:
            check_files(items, open_named, problems)
        refused, problem = _refusals(problems)
        with store.reader() as connection:
            tables = tuple(_table(connection, org_id, checked, refused) for checked in files.values())
    ignored = {checked.file: list(checked.ignored) for checked in files.values() if checked.ignored}
    return ImportPreview(tables, tuple(refused), problem, ignored, problems.left_out)


def _refusals(problems: Problems) -> tuple[Sequence[Mapping[str, str | int]], str]:
    try:
        problems.raise_any()
    except InvalidData as error:
        return error.details, error.message
    return (), ""


def _table(
    connection: Connection, org_id: str, checked: CheckResult, refused: Sequence[Mapping[str, str | int]]
) -> TablePreview:
    bad = {int(cell["row"]) for cell in refused if cell["file"] == checked.file}
    created = updated = unchanged = 0
    listed: list[PreviewRow] = []
    for row, record, old in _pairs(connection, org_id, checked):
        if row in bad:
            continue
        differing = _differing(record, old)
        created, updated = created + (old is None), updated + (old is not None and bool(differing))
        unchanged += old is not None and not differing
        if (old is None or differing) and len(listed) < LISTED_ROWS:
            key = ", ".join(_text(record.get(name)) for name in checked.table.key)
            listed.append(PreviewRow(row, key, old is None, tuple(differing)))
    return TablePreview(checked.table.name, checked.file, created, updated, unchanged, len(bad), tuple(listed))


def _pairs(
    connection: Connection, org_id: str, checked: CheckResult
) -> Iterator[tuple[int, Mapping[str, object], Mapping[str, object] | None]]:
    """Each row of a sheet with its record, and the row of the store that it would change."""
    for rows in checked.spool:
        if checked.table.name == EVENTS:
            for known, row, record in zip(
                rows[KNOWN], rows[ROW], rows.drop(ROW, KNOWN).iter_rows(named=True), strict=True
            ):
                yield row, record, record if known else None
            continue
        for part in rows.iter_slices(CHUNK):
            whole = part.drop_nulls([name for name in checked.table.key if name in part.columns])
            records = list(typed_records(checked, whole))
            known_rows = _existing(connection, org_id, checked, records)
            for row, record in zip(whole[ROW], records, strict=True):
                yield row, record, known_rows.get(_key(checked, record, org_id))


def _existing(
    connection: Connection, org_id: str, checked: CheckResult, records: Sequence[Mapping[str, object]]
) -> dict[tuple[object, ...], Mapping[str, object]]:
    table = metadata.tables[checked.table.name]
    keys = [_key(checked, record, org_id) for record in records]
    owner = table.c.id if table.name == "organizations" else table.c.org_id
    columns = [table.c[name] for name in checked.table.key]
    query = select(table).where(owner == org_id, tuple_(*columns).in_(keys))
    return {tuple(row[name] for name in checked.table.key): dict(row) for row in connection.execute(query).mappings()}


def _key(checked: CheckResult, record: Mapping[str, object], org_id: str) -> tuple[object, ...]:
    if checked.table.name == "organizations":
        return (org_id,)
    return tuple(record[name] for name in checked.table.key)


def _differing(record: Mapping[str, object], old: Mapping[str, object] | None) -> list[CellChange]:
    if old is None:
        return [CellChange(name, "", _text(value)) for name, value in record.items() if value is not None]
    return [
        CellChange(name, _text(old.get(name)), _text(value))
        for name, value in record.items()
        if name in old and old[name] != value
    ]


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, dict | list):
        return canonical_json(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else str(msgspec.to_builtins(value, builtin_types=()))


def text_sheet(table: str, file: str, rows: Sequence[Mapping[str, str | None]], columns: Sequence[str]) -> SheetRows:
    """Rows of text cells as a sheet of the table, counted from 2."""
    series = [pl.Series(name, [row.get(name) for row in rows], dtype=pl.String) for name in columns]
    return SheetRows(table, file, lambda problems: iter([Batch(tuple(columns), series, 2)]))


def with_corrections(sheet: SheetRows, corrections: Mapping[tuple[str, int, str], str]) -> SheetRows:
    """The sheet with other text in some cells, by file, row and column as the refusals name them."""
    mine = {(row, squash(column)): text for (file, row, column), text in corrections.items() if file == sheet.file}
    if not mine:
        return sheet

    def read(problems: Problems) -> Iterator[Batch]:
        for batch in sheet.read(problems):
            columns = list(batch.columns)
            for (row, column), text in mine.items():
                for position, header in enumerate(batch.header):
                    at = row - batch.first_row
                    if squash(header) == column and 0 <= at < columns[position].len():
                        columns[position] = columns[position].scatter(at, text or None)
            yield replace(batch, columns=columns)

    return replace(sheet, read=read)
