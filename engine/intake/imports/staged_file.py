"""One file from its cells to rows that hold, waiting on disk."""

from collections.abc import Callable, Sequence
from pathlib import Path

from sqlalchemy import Connection

from engine.intake.imports.batches import SheetRows
from engine.intake.imports.checks import CheckResult, Keys, report_missing
from engine.intake.imports.events import EventImport
from engine.intake.imports.files.headers import Header
from engine.intake.imports.files.spool import RowSpool
from engine.intake.imports.mapping import PLAIN, ColumnMapping
from engine.intake.imports.problems import Problems
from engine.intake.imports.recorded import check_matchers
from engine.intake.imports.rows import RowReader
from engine.intake.imports.tables import Importable, importable

Progress = Callable[[str, int], None]


def check_sheet(
    sheet: SheetRows,
    folder: Path,
    connection: Connection,
    org_id: str,
    problems: Problems,
    progress: Progress,
    *,
    once: bool = True,
    mapping: ColumnMapping = PLAIN,
) -> CheckResult:
    """Read the sheet twice: once for what its columns say as a whole, once for the values of its cells.

    ``once``: of each key there may be one row.
    """
    table = importable(sheet.table)
    header = Header(table, sheet.file, problems, mapping)
    text, typed = RowSpool(folder / f"{table.name}.text"), RowSpool(folder / f"{table.name}.typed")
    for frame in header.frames(sheet):
        text.append(frame)
        progress(f"reading {sheet.file}", text.rows)
    missing = _missing(table, header.given)
    always = [name for name in missing if missing[name]]
    report_missing(table, sheet.file, always if header.given else (), header.given, problems)
    keys, columns = Keys(table.key), header.given
    if not always:
        reader = RowReader(header, sheet.decimal, org_id, problems, once=once)
        columns = reader.columns
        recorded = EventImport(connection, org_id, text.rows) if table.name == "audit_log" else None
        for frame in text.drain():
            rows = reader.values(frame)
            keys.add(rows)
            if "matchers" in columns:
                check_matchers(sheet.file, rows, problems)
            typed.append(recorded.mark(rows, sheet.file, problems) if recorded else rows)
            progress(f"checking {sheet.file}", typed.rows)
        if once:
            keys.report(sheet.file, typed, problems)
    new_rows = tuple(missing) if not always else ()
    return CheckResult(table, sheet.file, sheet.sha256, columns, new_rows, typed, header.ignored, sheet.folder)


def _missing(table: Importable, given: Sequence[str]) -> dict[str, bool]:
    """Columns that a new row needs and the file has not; true for those without which no row can be told."""
    wanted = {name: name in table.key for name in table.required_columns}
    if "id" in table.key and "id" not in given:
        wanted |= dict.fromkeys(table.natural, True)
    if "control_id" in given:
        wanted["framework"] = True
    return {name: always for name, always in wanted.items() if name not in given}
