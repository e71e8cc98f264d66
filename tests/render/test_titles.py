"""Titles stand before identifiers, in one cell: the identifier small beside what it names."""

import polars as pl
import pytest

from engine.render import RENDERERS
from engine.render.html.names import title_columns
from engine.render.html.rows import sheet
from engine.render.links import Links
from tests.render.editions import of_tables, table
from tests.render.parsing import Page

FRAME = pl.DataFrame(
    {
        "framework": ["soc2", "soc2", "cis-v8"],
        "control_id": ["CC6.1", "CC9.2", "5.3"],
        "title": ["Access & keys", None, "Dormant accounts"],
        "owner": ["ann@acme.example", "", None],
    }
)


def cells(frame, links=None, **given):
    made = sheet(table(frame, **given), "t", links or Links(href=lambda kind, key: ""))
    return Page(f"<table>{''.join(made.rows)}</table>").tables[0]


def test_a_title_takes_the_place_of_its_identifier():
    assert [row[1] for row in cells(FRAME)] == [
        "Access & keys CC6.1",
        # the row has none, the catalogue does
        "Vendor and business partner risk CC9.2",
        "Dormant accounts 5.3",
    ]
    assert len(cells(FRAME)[0]) == 3


def test_the_title_is_what_leads_to_the_page():
    links = Links(href=lambda kind, key: f"{kind}-{key}.html")
    row = sheet(table(FRAME.head(1)), "t", links).rows[0]
    assert '<a href="control-soc2:CC6.1.html">Access &amp; keys</a> <small>CC6.1</small>' in row


def test_several_in_a_cell_stay_identifiers():
    several = pl.DataFrame({"framework": ["soc2"], "controls": [["soc2:CC6.1", "soc2:CC9.2"]]})
    assert cells(several)[0][1] == "SOC 2 CC6.1; SOC 2 CC9.2"


def test_a_title_belongs_to_the_identifier_of_its_name_or_the_nearest_before():
    def of(*names):
        return title_columns(table(pl.DataFrame({name: ["x"] for name in names})))

    assert of("id", "title", "framework", "control_id") == {"id": "title"}
    assert of("id", "kind", "framework", "control_id", "title") == {"control_id": "title"}
    assert of("title", "control_id", "control_title") == {"control_id": "control_title"}
    assert of("source_id", "source_title", "target_id", "target_title") == {
        "source_id": "source_title",
        "target_id": "target_title",
    }
    assert of("id", "name", "owner") == {"id": "name"}
    assert of("category_id", "category_name") == {"category_id": "category_name"}
    assert of("due_on", "title", "owner") == of("framework_name", "group_title") == of() == {}


def test_a_hidden_title_stays_hidden():
    shown = cells(FRAME.with_columns(title=pl.lit("secret")), hidden=["title"])
    assert [row[1] for row in shown] == [
        "Logical access security architecture CC6.1",
        "Vendor and business partner risk CC9.2",
        "Dormant account disabling 5.3",
    ]


def test_files_for_machines_keep_both_columns():
    page, csv = (RENDERERS[form].render(of_tables(table(FRAME))).decode() for form in ("html", "csv"))
    assert csv.splitlines()[1] == "soc2,CC6.1,Access & keys,ann@acme.example"
    assert "<small>CC6.1</small>" in page


@pytest.mark.real
def test_large_tables_read_the_same():
    large = pl.concat([FRAME] * 6000)
    assert cells(large)[:3] == cells(FRAME)


def test_the_ends_of_a_mapping_are_controls_of_their_own_frameworks():
    ends = pl.DataFrame(
        {
            "source_id": ["CC6.1"],
            "source_title": ["Access"],
            "target_id": ["A.5.15"],
            "target_title": ["Control"],
            "source_framework": ["soc2"],
            "target_framework": ["iso27001"],
        }
    )
    links = Links(href=lambda kind, key: f"{kind}-{key}.html")
    row = sheet(table(ends, hidden=["source_framework", "target_framework"]), "t", links).rows[0]
    assert '<a href="control-soc2:CC6.1.html">Access</a> <small>CC6.1</small>' in row
    assert '<a href="control-iso27001:A.5.15.html">Control</a> <small>A.5.15</small>' in row
