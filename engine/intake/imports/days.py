"""The past of a new organization: rows as they were from day to day, checked as files are, a revision for each day."""

import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path

import polars as pl

from engine.intake.imports.checks import CheckResult
from engine.intake.imports.events import new_events
from engine.intake.imports.imports import EVENTS, check_new_organization, check_sheets, frame_sheets, silent
from engine.intake.imports.problems import Problems
from engine.intake.imports.recorded import SCOPES, stamp
from engine.intake.imports.write import typed_records
from engine.model.days import midnight
from engine.model.errors import Usage
from engine.store import EventRow, Revision, Store
from engine.store.schema import metadata

LAST_MOMENT = timedelta(seconds=1)  # before midnight
ORGANIZATION = "organizations"
_Record = dict[str, object]


@dataclass(frozen=True)
class DayRows:
    """Rows of a table and the business day from which each says what it says; a row comes again when it changed."""

    rows: pl.DataFrame
    days: pl.Series


class DaysImport:
    """Rows by table that were checked, to be written up to one day after the other.

    Usage for an organization that is there; InvalidData, with ``details``, for bad cells.
    """

    def __init__(self, store: Store, tables: Mapping[str, DayRows], *, org_id: str, actor: str) -> None:
        self._store, self._org_id, self._actor = store, org_id, actor
        if store.head(org_id) is not None:
            raise Usage(f"There is an organization {org_id!r} already; only the past of a new one can be told.")
        sheets = frame_sheets({name: dated.rows for name, dated in tables.items()})
        check_new_organization(org_id, sheets)
        problems = Problems()
        with tempfile.TemporaryDirectory(prefix="hq-import-") as folder:
            checked = check_sheets(store, sheets, Path(folder), org_id, problems, silent, once=False)
            problems.raise_any()
            rows = {name: result for name, result in checked.items() if name != EVENTS}
            self._pages = {name: _Pages(result, tables[name].days) for name, result in rows.items()}
            self._events = _Events(checked[EVENTS], tables[EVENTS].days) if EVENTS in checked else None
        told = [*self._pages.values(), *([self._events] if self._events else ())]
        self._days = sorted({day for pages in told for day in pages.days})
        self._organization = self._pages[ORGANIZATION].of(self._days[0])[0][0]
        self.time_zone = str(self._organization.get("time_zone") or "UTC")
        self._known: dict[str, dict[tuple[object, ...], _Record]] = {ORGANIZATION: {(): self._organization}}

    def write(self, until: date, *, now: datetime) -> int:
        """Write the days that are left, up to ``until``; returns how many. A day is recorded at its end, or now."""
        days = [day for day in self._days if day <= until]
        changes = [(min(self._end_of(day), now), partial(self._write_day, day=day)) for day in days]
        create = self._organization if self._store.head(self._org_id) is None else None
        self._store.write_in_order(self._org_id, self._actor, changes, create=create)
        self._days = self._days[len(days) :]
        return len(days)

    def _end_of(self, day: date) -> datetime:
        return midnight(day + timedelta(1), self.time_zone) - LAST_MOMENT

    def _write_day(self, revision: Revision, day: date) -> None:
        counts = {name: self._write_rows(revision, name, day) for name in self._pages}
        if revision.start[0] == 0:
            counts[ORGANIZATION] = 1  # the store made it
        if self._events:
            revision.append_events(self._events.of(day))
        written = {name: count for name, count in counts.items() if count}
        if written:  # last, as the last event commits to what was written
            revision.record("import.completed", details={"rows": written})

    def _write_rows(self, revision: Revision, name: str, day: date) -> int:
        """Rows that are new are added; of those that changed, what differs."""
        table, pages = metadata.tables[name], self._pages[name]
        known = self._known.setdefault(name, {})
        primary = tuple(table.info["primary"])
        new: list[_Record] = []
        changed = 0
        page = pages.of(day)
        if page and name in SCOPES:
            stamp(revision, name, [record for record, _ in page])
        for record, again in page:
            key = tuple(record[column] for column in primary)
            before = known.get(key) if again else None
            if before is None:
                new.append(record)
            elif differing := {column: value for column, value in record.items() if before.get(column) != value}:
                revision.update(table, dict(zip(primary, key, strict=True)), differing)
                changed += 1
            if again:
                known[key] = record
        revision.insert(table, new)
        return len(new) + changed


class _Pages:
    """The rows of a table by day."""

    def __init__(self, checked: CheckResult, days: pl.Series) -> None:
        self._days: dict[date, list[tuple[_Record, bool]]] = defaultdict(list)
        rows = pl.concat(list(checked.spool))
        key = list(metadata.tables[checked.table.name].info.get("primary") or ())
        made = checked.table.name == ORGANIZATION  # before its first row is written
        again = pl.repeat(made, rows.height, eager=True) if made or not key else rows.select(key).is_duplicated()
        for day, record, comes_again in zip(days, typed_records(checked, rows), again, strict=True):
            self._days[day].append((record, comes_again))

    @property
    def days(self) -> Iterable[date]:
        return self._days.keys()

    def of(self, day: date) -> Sequence[tuple[_Record, bool]]:
        """Each row of the day, and whether it comes on others, too."""
        return self._days.get(day, ())


class _Events:
    """The audit events by day."""

    def __init__(self, checked: CheckResult, days: pl.Series) -> None:
        self._days: dict[date, list[EventRow]] = defaultdict(list)
        for day, event in zip(days, new_events(pl.concat(list(checked.spool))), strict=True):
            self._days[day].append(event)

    @property
    def days(self) -> Iterable[date]:
        return self._days.keys()

    def of(self, day: date) -> Sequence[EventRow]:
        return self._days.get(day, ())
