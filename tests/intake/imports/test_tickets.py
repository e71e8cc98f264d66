"""Tickets of Jira, Linear and GitHub come back as states, days and hours of the remediations that they name."""

import json
from datetime import date

import polars as pl
import pytest

from engine.intake.imports import import_paths
from engine.intake.imports.files.sources import sheets
from engine.model.documents.document import Document, Table
from engine.model.errors import InvalidData, Usage
from engine.planning.exports.rows import COLUMNS
from engine.planning.exports.work_items import WORK_FORMS
from engine.store.rows import many
from engine.store.schema.controls import remediations
from tests.conftest import NOW

JIRA = """Summary,Issue key,Status,Status Category,Resolved,Resolution,Time Spent,Remaining Estimate,Labels,Labels,Description
A,P-1,Erledigt,Done,26/Nov/26 3:04 PM,Done,7200,0,a,b,"2 h, ann. Remediation R-1.

Seen by ben."
B,P-2,To Do,To Do,,,,,a,b,Nothing of ours
C,P-3,In Progress,In Progress,,,3600,5400,a,b,Remediation R-2.
D,P-4,Done,Done,25/Nov/26 3:04 PM,Won't Do,,,a,b,Remediation R-3.
"""
ISSUES = [
    {"title": "A", "body": "Remediation R-1.", "state": "CLOSED", "closedAt": "2026-11-26T10:00:00Z"},
    {"title": "B", "body": None, "state": "OPEN", "closedAt": None},
    {
        "title": "C",
        "body": "Remediation R-2.",
        "state": "CLOSED",
        "stateReason": "NOT_PLANNED",
        "closedAt": "2026-11-26",
    },
]


@pytest.fixture
def three(store, tmp_path):
    """Three open remediations, of which one has hours on record."""
    rows = [f"R-{number},soc2,CC1.{number},2026-11-01,{number}" for number in (1, 2, 3)]
    path = tmp_path / "remediations.csv"
    path.write_text("\n".join(["id,framework,control_id,opened_on,done_hours", *rows]))
    import_paths(store, [path], org_id="acme", actor="import", now=NOW)
    return store


def bring(store, path, text):
    path.write_text(text)
    import_paths(store, [path], org_id="acme", actor="import", now=NOW)
    with store.reader() as connection:
        rows = many(connection, remediations, "acme", order=("id",))
    return [(row["id"], row["status"], row["closed_on"], row["done_hours"], row["left_hours"]) for row in rows]


def test_an_export_of_jira_brings_states_days_and_hours_back(three, tmp_path):
    assert bring(three, tmp_path / "Jira export.csv", JIRA) == [
        ("R-1", "closed", date(2026, 11, 26), 2.0, 0.0),
        ("R-2", "in_progress", None, 1.0, 1.5),
        ("R-3", "open", None, None, None),
    ]


def test_issues_of_github_that_are_not_planned_are_not_done_and_hours_stay(three, tmp_path):
    assert bring(three, tmp_path / "issues.json", json.dumps(ISSUES)) == [
        ("R-1", "closed", date(2026, 11, 26), 1.0, None),
        ("R-2", "open", None, 2.0, None),
        ("R-3", "open", None, 3.0, None),
    ]


def plan_document():
    details = json.dumps({"plan": {}})
    rows = [
        ("remediations", f"R-{number}", "soc2", f"CC1.{number}", "x", "ann", "2026-11-01", "2026-12-01", details)
        for number in (1, 2)
    ]
    return Document("", tables=(Table("rows", "Rows", pl.DataFrame(rows, COLUMNS, orient="row")),))


def test_what_a_plan_gives_to_linear_comes_back_done(three, tmp_path):
    given = WORK_FORMS["linear"](plan_document())
    head, first, *rest = given.splitlines()
    done = [
        f"{head},Completed",
        f"{first.replace(',Todo,', ',Done,')},2026-11-26T09:46:30.843Z",
        *(f"{one}," for one in rest),
    ]
    assert bring(three, tmp_path / "linear.csv", "\n".join(done))[:2] == [
        ("R-1", "closed", date(2026, 11, 26), 1.0, None),
        ("R-2", "open", None, 2.0, None),
    ]


def test_what_a_plan_gives_to_jira_and_github_names_its_remediation(three, tmp_path):
    given = WORK_FORMS["jira"](plan_document()).splitlines()
    done = [f"{given[0]},Status", *(f"{one},Done" for one in given[1:])]
    assert [row[1] for row in bring(three, tmp_path / "jira.csv", "\n".join(done))] == ["closed", "closed", "open"]
    assert all("Remediation R-" in line for line in WORK_FORMS["gh"](plan_document()).splitlines())


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Summary,Status,Description\nA,Done,nothing\n", "none names its remediation in its description"),
        ("Summary,Status,Time Spent,Description\nA,Done,2h,Remediation R-1.\n", "R-1 has '2h' for time; it is seconds"),
        ("Summary,Status,Resolved,Description\nA,Done,soon,Remediation R-1.\n", "R-1 has the day 'soon'"),
    ],
)
def test_an_export_that_cannot_be_read_is_refused_whole(text, problem, three, tmp_path):
    head = three.head("acme")
    with pytest.raises(InvalidData, match=problem):
        bring(three, tmp_path / "tickets.csv", text)
    assert three.head("acme") == head


def test_a_remediation_that_is_not_on_record_is_named(three, tmp_path):
    with pytest.raises(InvalidData) as refused:
        bring(three, tmp_path / "tickets.csv", "Summary,Status,Description\nA,Done,Remediation R-9.\n")
    assert {problem["column"] for problem in refused.value.details} == {"framework", "control_id", "opened_on"}
    assert "as R-9 is not on record, and a new row needs it: a framework" in refused.value.details[0]["expected"]


@pytest.mark.parametrize("name", ["risks.csv", "standard-input.csv"])
def test_a_table_of_ours_with_such_columns_is_no_tickets(name, tmp_path):
    path = tmp_path / name
    first = "" if name == "risks.csv" else "table,"
    cell = "" if name == "risks.csv" else "risks,"
    path.write_text(f"{first}id,title,status,description\n{cell}r,x,open,Remediation R-1.\n")
    assert [sheet.table for sheet in sheets([path], now=NOW)] == ["risks"]
    path.write_text("title,status,description\nx,open,y\n")
    if name != "risks.csv":
        with pytest.raises(Usage, match="is not a table that can be imported"):
            sheets([path], now=NOW)
