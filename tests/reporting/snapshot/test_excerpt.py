"""Excerpts: which rows name a thing, what is left out, and what is said so that nobody takes a part for the whole."""

from dataclasses import replace

import polars as pl
import pytest

from engine.model.declarations.filters import Filters
from engine.model.documents.document import CalendarEvent, Chart, Document, Table
from engine.model.errors import BadRequest
from engine.reporting.snapshot.excerpt import excerpt
from tests.factories import DAY, rows

GAPS = Table(
    "gaps",
    "Gaps",
    pl.DataFrame(
        {
            "framework": ["soc2", "soc2", "iso27001"],
            "control_id": ["CC6.1", "CC6.2", "CC6.1"],
            "owner": ["ann@acme.example", None, "bob@acme.example"],
            "assignees": [["bob@acme.example"], [], None],
        },
        schema_overrides={"assignees": pl.List(pl.String)},
    ),
    note="Worst first.",
)
DUTIES = Table(
    "duties",
    "Duties",
    pl.DataFrame(
        {
            "controls": [["soc2:CC6.1", "iso27001:A.5.1"], ["soc2:CC6.10"]],
            "frameworks": [["soc2", "iso27001"], ["soc2"]],
            "ics_uid": ["one", "two"],
        }
    ),
)
TOTALS = Table("totals", "Totals", pl.DataFrame({"owners": [2], "vendor": [3], "days": [4]}))
EVENTS = tuple(CalendarEvent(uid, DAY, uid, "", (), 0, "CONFIRMED", DAY) for uid in ("one", "two"))
CHART = Chart("bars", "Chart", pl.DataFrame({"x": ["a"], "y": [1]}), "x", "y", "One bar.")
WHOLE = Document(
    "Three gaps are open.", summary={"gaps": 3}, tables=(GAPS, DUTIES, TOTALS), charts=(CHART,), events=EVENTS
)
FACTS = {
    "people": rows("people", {"email": "ann@acme.example", "name": "Ann"}, {"email": "cy@acme.example", "name": "Cy"}),
    "members": rows("members", {"email": "dee@acme.example"}),
    "vendors": rows("vendors", {"vendor_id": "ven-1", "name": "Okta"}),
    "controls": rows("controls", {"framework": "soc2", "control_id": "CC7.1"}),
    "frameworks": rows(
        "frameworks", {"framework": "soc2", "name": "SOC 2"}, {"framework": "iso27001", "name": "ISO 27001"}
    ),
}


def excerpt_of(document=WHOLE, report="program", table=None, **named):
    return excerpt(document, Filters(named, table), report, FACTS.__getitem__)


def excerpt_rows(**named):
    """The rows that are kept, by table."""
    return {table.name: table.frame.rows() for table in excerpt_of(**named).tables}


def test_a_row_is_kept_that_names_the_person_in_any_of_its_columns_or_lists():
    assert excerpt_rows(owner="bob@acme.example") == {"gaps": [GAPS.frame.row(0), GAPS.frame.row(2)]}


@pytest.mark.parametrize(
    ("control", "report", "gaps", "duties"),
    [
        ("soc2:CC6.1", "program", [0], [0]),
        ("iso27001:CC6.1", "program", [2], []),
        ("CC6.1", "program", [0, 2], [0]),
        ("CC6.1", "type-ii", [0], [0]),
        ("A.5.1", "program", [], [0]),
        ("CC6.10", "program", [], [1]),
    ],
)
def test_a_control_is_named_beside_its_framework_or_together_with_it(control, report, gaps, duties):
    found = excerpt_rows(control=control, report=report)
    assert found == {
        "gaps": [GAPS.frame.row(each) for each in gaps],
        "duties": [DUTIES.frame.row(each) for each in duties],
    }


def test_a_control_that_stands_alone_is_one_of_the_report_s_own_framework():
    alone = Document("", tables=(Table("criteria", "Criteria", pl.DataFrame({"control_id": ["CC6.1", "CC6.2"]})),))
    (of_soc2,) = excerpt_of(alone, "type-ii", control="soc2:CC6.1").tables
    assert of_soc2.frame.rows() == [("CC6.1",)]
    with pytest.raises(BadRequest, match="must be a control of ISO 27001"):
        excerpt_of(alone, "type-ii", control="iso27001:CC6.1")


@pytest.mark.parametrize(("control", "left"), [("soc2:1", ["a"]), ("iso27001:1", ["b"]), ("soc2:2", [])])
def test_the_ends_of_a_mapping_are_controls_of_their_own_frameworks(control, left):
    ends = {
        "source_framework": "soc2",
        "source_id": ["1", "3"],
        "target_framework": "iso27001",
        "target_id": ["2", "1"],
    }
    mapping = Table("pairs", "Pairs", pl.DataFrame({**ends, "name": ["a", "b"]}))
    fact = {"controls": rows("controls", {"framework": "soc2", "control_id": "2"})}.__getitem__
    document = excerpt(Document("One.", tables=(mapping,)), Filters(named={"control": control}), "crosswalk", fact)
    assert document.tables[0].frame.get_column("name").to_list() == left


def test_a_table_that_cannot_name_it_is_left_out_and_the_document_says_what_is_of_the_whole():
    found = excerpt_of(framework="iso27001")
    assert [(table.name, table.frame.height, table.note) for table in found.tables] == [
        ("gaps", 1, "1 of 3 rows names framework ISO 27001. Worst first."),
        ("duties", 1, "1 of 2 rows names framework ISO 27001."),
    ]
    assert (found.headline, found.summary, found.charts) == ("2 of 5 rows name framework ISO 27001.", {"gaps": 3}, ())
    assert found.warnings == (
        "Figures, coverage and definitions are those of the whole report, which says: Three gaps are open.",
        "Left out, as no row of them can name that: Totals.",
        "Charts are left out: they draw the whole report.",
    )


def test_several_filters_are_asked_of_every_row():
    assert excerpt_rows(owner="ann@acme.example", framework="soc2") == {"gaps": [GAPS.frame.row(0)]}
    assert excerpt_rows(owner="ann@acme.example", framework="iso27001") == {"gaps": []}


def test_a_calendar_keeps_the_entries_of_the_rows_that_are_left():
    assert [event.uid for event in excerpt_of(framework="iso27001").events] == ["one"]
    assert excerpt_of(owner="ann@acme.example").events == ()
    assert excerpt_of(table="duties").events == EVENTS


def test_one_table_is_what_it_is_in_the_whole():
    found = excerpt_of(table="totals")
    (table,) = found.tables
    assert (table.name, table.title, table.frame is TOTALS.frame) == ("totals", "Totals", True)
    assert found.headline == WHOLE.headline
    assert found.warnings == (
        "Left out, as one table is asked for: Gaps, Duties.",
        "Charts are left out: they draw the whole report.",
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"table": "gap"}, "The parameter table must be one of gaps, duties, totals; got 'gap'."),
        (
            {"vendor": "ven-1"},
            "This report can be filtered by control, owner, framework: nothing in it names any vendor.",
        ),
        (
            {"vendor": "ven-1", "table": "gaps"},
            "The table gaps can be filtered by control, owner, framework: nothing in it names any vendor.",
        ),
        (
            {"owner": "ann@acme.example", "table": "totals"},
            "The table totals cannot be filtered: nothing in it names any owner.",
        ),
        (
            {"owner": "zoe@acme.example"},
            "The parameter owner must be the address of one of the organization's people; got 'zoe@acme.example'.",
        ),
        (
            {"owner": "Cy"},
            "The parameter owner must be the address of one of the organization's people; Cy is cy@acme.example; got 'Cy'.",
        ),
        (
            {"control": "soc2:CC9.9"},
            "The parameter control must be a control of SOC 2, such as soc2:CC6.1; got 'soc2:CC9.9'.",
        ),
        (
            {"control": "CC9.9"},
            "The parameter control must be a control of a framework in scope, such as soc2:CC6.1; got 'CC9.9'.",
        ),
    ],
)
def test_what_cannot_be_filtered_is_said(given, message):
    with pytest.raises(BadRequest) as raised:
        excerpt_of(**given)
    assert raised.value.message == message


def test_filters_that_no_table_takes_together_are_refused():
    alone = replace(WHOLE, tables=(DUTIES, Table("owners", "Owners", GAPS.frame.select("owner"))))
    with pytest.raises(BadRequest, match="no table has control and owner together"):
        excerpt_of(alone, control="soc2:CC6.1", owner="ann@acme.example")


def test_what_the_organization_knows_and_no_row_names_is_an_answer():
    assert excerpt_rows(owner="cy@acme.example") == excerpt_rows(owner="dee@acme.example") == {"gaps": []}
    assert excerpt_rows(control="CC7.1") == {"gaps": [], "duties": []}
