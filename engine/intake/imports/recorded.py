"""When the console recorded what is declared for a time: anew where a change makes it cover more than it did."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec
import polars as pl

from engine.intake.imports.files.headers import ROW
from engine.intake.imports.problems import Problems
from engine.model.maintenance import is_of_all, matcher_problem
from engine.model.records import MaintenanceWindowRow, OnCallShiftRow
from engine.store import Revision
from engine.store.rows import many
from engine.store.schema.columns import TypedTable
from engine.store.schema.services import maintenance_windows, on_call_shifts

SCOPES: Mapping[str, tuple[str, ...]] = {
    "on_call_shifts": ("person", "service_id"),
    "maintenance_windows": ("service_id", "matchers"),
}
"""Tables of spans with a ``recorded_at``, and the columns that say what a row of them covers."""
NARROWER = "a service_id, or a matcher that an alert without that label does not meet: these are about every alert"
_TABLES: Mapping[str, TypedTable[OnCallShiftRow] | TypedTable[MaintenanceWindowRow]] = {
    "on_call_shifts": on_call_shifts,
    "maintenance_windows": maintenance_windows,
}


def stamp(revision: Revision, table: str, records: Sequence[dict[str, object]]) -> None:
    """Give new rows, and those that cover more than before, the present as ``recorded_at``."""
    ids = [str(record["id"]) for record in records]
    rows = many(revision.records, _TABLES[table], revision.org_id, id=ids)
    known: dict[str, Mapping[str, object]] = {row["id"]: row for row in rows}
    for record in records:
        old = known.get(str(record["id"]))
        if old is None or not _covers(old, {**old, **record}, SCOPES[table]):
            record["recorded_at"] = revision.now


def _covers(old: Mapping[str, object], new: Mapping[str, object], scope: Sequence[str]) -> bool:
    times = [row[name] for row in (old, new) for name in ("starts_at", "ends_at")]
    before, until, starts, ends = (time if isinstance(time, datetime) else None for time in times)
    if before is None or until is None or starts is None or ends is None:
        return False
    return before <= starts and ends <= until and all(old[name] == new[name] for name in scope)


def check_matchers(file: str, rows: pl.DataFrame, problems: Problems) -> None:
    """A bad cell for each matcher that cannot be."""
    service = pl.col("service_id") if "service_id" in rows.columns else pl.lit(None, dtype=pl.String)
    for row, matchers, of_service in rows.drop_nulls("matchers").select(ROW, "matchers", service).iter_rows():
        rules = msgspec.json.decode(matchers)
        if (wanted := matcher_problem(rules)) is not None:
            problems.add(file, row, "matchers", wanted, matchers[:80])
        elif of_service is None and is_of_all(rules):
            problems.add(file, row, "matchers", NARROWER, matchers[:80])
