"""The past of a new organization: its rows from day to day become a revision each."""

from datetime import UTC, date, datetime

import polars as pl
import pytest
from sqlalchemy import select

from engine.intake.imports.days import DayRows, DaysImport
from engine.model.errors import InvalidData, Usage
from engine.store import Store
from engine.store.log.log_lines import read_json, read_part
from engine.store.rows import many
from engine.store.schema.audit import audit_log, change_log
from engine.store.schema.risk import risks
from engine.store.schema.services import on_call_shifts

NOW = datetime(2026, 11, 20, 8, 30, tzinfo=UTC)
D1, D2, D3, D4 = (date(2026, 11, day) for day in (17, 18, 19, 20))


def day_rows(days, **columns):
    return DayRows(pl.DataFrame(columns), pl.Series(days, dtype=pl.Date))


def tables(**more):
    made = day_rows([D1], id=["beta"], name=["Beta"], time_zone=["Pacific/Auckland"])
    return {"organizations": made, **more}


RISKS = {"id": ["R-1", "R-1", "R-2"], "title": ["Fire", "Fire", "Flood"], "status": ["closed", "open", "open"]}
EVENTS = {
    "event_id": ["e-1", "e-2"],
    "occurred_at": [datetime(2026, 11, 17, 1, tzinfo=UTC), datetime(2026, 11, 17, 12, tzinfo=UTC)],
    "actor": ["ann", "ann"],
    "action": ["login.succeeded", "login.failed"],
}


@pytest.fixture
def empty(any_store):
    store = Store(any_store.url)
    yield store
    store.close()


def stored_days(store):
    columns = audit_log.c.revision, audit_log.c.recorded_at, audit_log.c.action
    query = select(*columns).where(audit_log.c.org_id == "beta").order_by(audit_log.c.seq)
    with store.reader() as connection:
        return [tuple(row) for row in connection.execute(query)]


def logged_rows(store):
    """Of each revision: table and title or name of each row, and its status."""
    query = select(change_log.c.revision, change_log.c.body).where(change_log.c.org_id == "beta")
    with store.reader() as connection:
        parts = connection.execute(query.order_by(change_log.c.revision)).all()
    rows = [(revision, read_json(line.text)) for revision, body in parts for line in read_part(body)]
    return [(revision, row.table, row.key, row.values.get("status")) for revision, row in rows]


def test_a_shift_is_recorded_on_the_day_it_was_noted(empty):
    starts = datetime(2026, 11, 19, 8, tzinfo=UTC)
    shift = day_rows([D2], id=["s"], person=["ann@beta.example"], starts_at=[starts], ends_at=[NOW])
    DaysImport(empty, tables(on_call_shifts=shift), org_id="beta", actor="demo").write(D4, now=NOW)
    with empty.reader() as connection:
        (row,) = many(connection, on_call_shifts, "beta")
    assert row["recorded_at"] == datetime(2026, 11, 18, 10, 59, 59, tzinfo=UTC)


def test_each_day_is_a_revision_at_its_local_end_and_today_is_recorded_now(empty):
    given = tables(risks=day_rows([D3, D1, D4], **RISKS), audit_log=day_rows([D1, D2], **EVENTS))
    past = DaysImport(empty, given, org_id="beta", actor="demo")
    assert past.write(D2, now=NOW) == 2
    assert empty.head("beta").seq == 3
    assert past.write(D4, now=NOW) == 2
    assert stored_days(empty) == [
        (1, datetime(2026, 11, 17, 10, 59, 59, tzinfo=UTC), "login.succeeded"),
        (1, datetime(2026, 11, 17, 10, 59, 59, tzinfo=UTC), "import.completed"),
        (3, datetime(2026, 11, 18, 10, 59, 59, tzinfo=UTC), "login.failed"),
        (4, datetime(2026, 11, 19, 10, 59, 59, tzinfo=UTC), "import.completed"),
        (5, NOW, "import.completed"),
    ]
    assert logged_rows(empty) == [
        (1, "organizations", (), None),
        (1, "risks", ("R-1",), "open"),
        (4, "risks", ("R-1",), "closed"),
        (5, "risks", ("R-2",), "open"),
    ]
    with empty.reader() as connection:
        found = [(row["id"], row["status"], row["revision"]) for row in many(connection, risks, "beta")]
    assert found == [("R-1", "closed", 4), ("R-2", "open", 5)]
    assert empty.verify("beta").ok
    assert empty.verify_rows("beta").ok


def test_a_day_on_which_nothing_is_new_writes_nothing(empty):
    past = DaysImport(empty, tables(), org_id="beta", actor="demo")
    assert (past.write(D4, now=NOW), past.write(D4, now=NOW)) == (1, 0)
    assert len(stored_days(empty)) == 1


def test_a_bad_cell_of_any_day_is_found_before_anything_is_written(empty):
    wrong = day_rows([D3, D1, D4], **(RISKS | {"status": ["closed", "opened", "open"]}))
    with pytest.raises(InvalidData) as caught:
        DaysImport(empty, tables(risks=wrong), org_id="beta", actor="demo")
    assert [(bad["row"], bad["column"], bad["found"]) for bad in caught.value.details] == [(3, "status", "opened")]
    assert empty.head("beta") is None


def test_a_day_that_contradicts_itself_is_found_before_anything_is_written(empty):
    made = {"id": ["M-1"], "framework": ["soc2"], "control_id": ["CC6.1"], "opened_on": [D1], "due_on": [D4]}
    days = {**{name: cells * 2 for name, cells in made.items()}, "closed_on": [D2, D2], "status": ["open", "closed"]}
    with pytest.raises(InvalidData) as refused:
        DaysImport(empty, tables(remediations=day_rows([D2, D3], **days)), org_id="beta", actor="sync")
    assert [(cell["row"], cell["column"], cell["expected"]) for cell in refused.value.details] == [
        (2, "closed_on", "nothing while status is open")
    ]


def test_only_the_past_of_a_new_organization_can_be_told(empty):
    DaysImport(empty, tables(), org_id="beta", actor="demo").write(D4, now=NOW)
    with pytest.raises(Usage, match="already"):
        DaysImport(empty, tables(), org_id="beta", actor="demo")
    with pytest.raises(Usage, match="organizations"):
        DaysImport(empty, {"risks": day_rows([D1, D1, D1], **RISKS)}, org_id="gamma", actor="demo")
