"""Rows that a pull wrote of its checks: an import may say more of them, and may not say otherwise.

What a check came to is held with the rows that it saw. A run that somebody tells would end its failure, so only the
check's own runs may; causes, responses and owners are people's to write.
"""

from collections.abc import Mapping
from datetime import UTC, datetime

from sqlalchemy import Connection

from engine.intake.imports.checks import CheckResult
from engine.intake.imports.files.headers import ROW
from engine.intake.imports.problems import Problems
from engine.store.schema.controls import evidence_items, schedule_controls, test_runs, testing_schedules

# of each table: what says that a pull wrote a row, and the columns that stay as it wrote them
_RUN = """
    schedule_id window_open_on window_close_on performed_on outcome population tested deviations evidence_expected
    evidence_received reason
"""
WRITTEN = {
    "testing_schedules": (testing_schedules.c.check_id, ("framework", "control_id", "cadence", "starts_on", "ends_on")),
    "test_runs": (test_runs.c.sequence, tuple(_RUN.split())),
    "evidence_items": (evidence_items.c.run_id, ("captured_at", "source", "file", "sha256")),
}


def check_written_rows(connection: Connection, org_id: str, checked: CheckResult, problems: Problems) -> None:
    """A problem for each cell that says otherwise than a pull did, and for each row that is a pull's to write."""
    name = checked.table.name
    if name in ("test_runs", "schedule_controls"):
        _refuse_new(connection, org_id, checked, problems)
    if name not in WRITTEN or "id" not in checked.columns:
        return
    mark, columns = WRITTEN[name]
    rows = connection.execute(mark.table.select().where(mark.table.c.org_id == org_id, mark.is_not(None)))
    written = {row["id"]: dict(row) for row in rows.mappings()}
    given = [column for column in columns if column in checked.columns]
    for frame in checked.spool if written else ():
        for row in frame.select(ROW, "id", *given).iter_rows(named=True):
            before = written.get(row["id"], row)
            for column in given:
                there, text = _text(before[column]), _text(row[column])
                if there != text:
                    problems.add(checked.file, row[ROW], column, f"{there or 'nothing'}: `hq pull` wrote it", text)


def _refuse_new(connection: Connection, org_id: str, checked: CheckResult, problems: Problems) -> None:
    """Runs, and controls, of a check that are not on record: its file is where they come from."""
    if not {"schedule_id", *checked.table.key} <= set(checked.columns):
        return
    mark = testing_schedules.c.check_id
    query = testing_schedules.select().where(testing_schedules.c.org_id == org_id, mark.is_not(None))
    checks = {row["id"]: row["check_id"] for row in connection.execute(query).mappings()}
    if not checks:
        return
    table = test_runs if checked.table.name == "test_runs" else schedule_controls
    key = checked.table.key
    there = {
        _key(dict(row), key)
        for row in connection.execute(table.select().where(table.c.org_id == org_id)).mappings()
        if row["schedule_id"] in checks
    }
    for frame in checked.spool:
        for row in frame.select(ROW, *dict.fromkeys((*key, "schedule_id"))).iter_rows(named=True):
            check = checks.get(row["schedule_id"])
            if check is not None and _key(row, key) not in there:
                wanted = (
                    f"a schedule that people perform: {row['schedule_id']} is the check {check}, which `hq pull` runs"
                )
                problems.add(checked.file, row[ROW], "schedule_id", wanted, row["schedule_id"])


def _key(row: Mapping[str, object], names: tuple[str, ...]) -> tuple[object, ...]:
    return tuple(row[name] for name in names)


def _text(value: object) -> str | None:
    if isinstance(value, datetime):
        value = value.replace(tzinfo=value.tzinfo or UTC).astimezone(UTC)
    return None if value is None else str(value)
