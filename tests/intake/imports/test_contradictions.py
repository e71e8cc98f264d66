"""Rows that contradict themselves are bad cells: an end before its beginning, an end of what goes on, a family in a
circle."""

import pytest

from engine.intake.imports.contradictions import GOING_ON, ORDERED
from engine.intake.imports.tables import importable
from engine.model.errors import InvalidData
from engine.store.schema.services import incidents
from tests.conftest import NOW

INCIDENTS = "id,title,severity,status,opened_at,resolved_at,closed_at,parent_id\n"
OPENED = "2026-11-20 08:00:00 UTC"
RISKS = "id,title,loss_low,loss_high\n"


@pytest.mark.parametrize(
    ("table", "text", "cells"),
    [
        (
            "incidents",
            INCIDENTS + "i1,I,high,closed,2026-11-20T08:00Z,2026-11-19T08:00Z,2026-11-20T07:59Z,\n",
            [
                (2, "resolved_at", f"{OPENED}, which is opened_at, or later", "2026-11-19 08:00:00 UTC"),
                (2, "closed_at", f"{OPENED}, which is opened_at, or later", "2026-11-20 07:59:00 UTC"),
            ],
        ),
        (
            "incidents",
            INCIDENTS + "i1,I,high,open,2026-11-20T08:00Z,2026-11-20T09:00Z,,\n",
            [(2, "resolved_at", "nothing while status is open", "2026-11-20 09:00:00 UTC")],
        ),
        ("risks", RISKS + "r1,R,10,9.5\n", [(2, "loss_high", "10, which is loss_low, or more", "9.5")]),
        (
            "remediations",
            "id,framework,control_id,opened_on,due_on,closed_on,status\nm1,soc2,CC6.1,2026-11-02,2026-11-01,2026-11-03,open\n",
            [(2, "closed_on", "nothing while status is open", "2026-11-03")],
        ),
        (
            "incidents",
            INCIDENTS
            + "i1,I,high,open,2026-11-20T08:00Z,,,i1\n"
            + "i2,I,high,open,2026-11-20T08:00Z,,,nowhere\n"
            + "i3,I,high,open,2026-11-20T08:00Z,,,i4\n"
            + "i4,I,high,open,2026-11-20T08:00Z,,,i3\n"
            + "i5,I,high,open,2026-11-20T08:00Z,,,i4\n",
            [
                (2, "parent_id", "an incident that is not i1 and not below it", "i1 under i1"),
                (3, "parent_id", "the id of a row of incidents", "nowhere"),
                (4, "parent_id", "an incident that is not i3 and not below it", "i3 under i4 under i3"),
                (5, "parent_id", "an incident that is not i4 and not below it", "i4 under i3 under i4"),
            ],
        ),
    ],
)
def test_a_contradiction_is_a_bad_cell(door, table, text, cells):
    assert door.bad_cells(f"{table}.csv", text) == cells


def test_equal_times_an_end_alone_and_a_family_are_taken(door):
    text = INCIDENTS + "i1,I,high,closed,2026-11-20T08:00Z,2026-11-20T08:00Z,,\ni2,I,high,open,2026-11-20T08:00Z,,,i1\n"
    door.text("incidents.csv", text)
    assert door.rows("incidents", "id", "parent_id") == [("i1", None), ("i2", "i1")]
    door.text("risks.csv", RISKS + "r1,R,,9\nr2,R,9,9\n")
    assert door.rows("risks", "id", "loss_low", "loss_high") == [("r1", None, 9.0), ("r2", 9.0, 9.0)]


def test_what_a_file_lacks_is_what_is_on_record(door):
    door.text("incidents.csv", INCIDENTS + "i1,I,high,closed,2026-11-20T08:00Z,2026-11-20T09:00Z,,\n")
    assert door.bad_cells("incidents.csv", "id,resolved_at\ni1,2026-11-20T07:00Z\n") == [
        (2, "resolved_at", f"{OPENED}, which is opened_at, or later", "2026-11-20 07:00:00 UTC")
    ]
    assert door.bad_cells("incidents.csv", "id,opened_at\ni1,2026-11-20T09:30Z\n") == [
        (2, "opened_at", "2026-11-20 09:00:00 UTC, which is resolved_at, or earlier", "2026-11-20 09:30:00 UTC")
    ]
    assert door.bad_cells("incidents.csv", "id,status\ni1,open\n") == [
        (2, "status", "what has ended, as resolved_at is 2026-11-20 09:00:00 UTC", "open")
    ]


def test_a_closed_incident_may_be_of_a_family_whose_first_retention_took(door):
    ended = "closed,2026-11-18T08:00Z,2026-11-19T08:00Z,2026-11-19T09:00Z"
    door.text("incidents.csv", INCIDENTS + f"i2,I,high,{ended},i1\n")
    assert door.rows("incidents", "id", "parent_id") == [("i2", "i1")]
    door.text("incidents.csv", "id,parent_id\ni2,i0\n")
    assert door.rows("incidents", "id", "parent_id") == [("i2", "i0")]
    text = INCIDENTS + f"i3,I,high,{ended},i3\n"
    assert door.bad_cells("incidents.csv", text) == [
        (2, "parent_id", "an incident that is not i3 and not below it", "i3 under i3")
    ]


def test_what_a_record_says_already_may_stay(door):
    with door.store.revision("acme", "monitor", now=NOW) as revision:
        row = {"id": "i1", "title": "I", "severity": "high", "status": "open", "opened_at": NOW, "parent_id": "gone"}
        revision.insert(incidents, [{**row, "resolved_at": NOW.replace(year=2025)}])
        revision.record("incident.opened")
    text = f"id,title,status,resolved_at,parent_id\ni1,New,open,{NOW.replace(year=2025).isoformat()},gone\n"
    door.text("incidents.csv", text)
    assert door.rows("incidents", "id", "title") == [("i1", "New")]
    with pytest.raises(InvalidData):
        door.text("incidents.csv", "id,resolved_at\ni1,2025-01-01\n")


def test_declarations_name_columns_that_there_are():
    for table, pairs in ORDERED.items():
        fields = importable(table).fields
        assert {fields[first].kind == fields[last].kind for first, last in pairs} == {True}
        assert importable(table).key == ("id",)
    for table, (states, ends) in GOING_ON.items():
        assert set(states) < set(importable(table).fields["status"].choices)
        assert set(ends) < importable(table).fields.keys()
