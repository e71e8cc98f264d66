"""Columns speak once: what a column is called and means is declared for it, not by each report that shows it."""

import re
from functools import cache

import polars as pl
import pytest

from engine.facts.schemas import SCHEMAS
from engine.facts.schemas import TYPES as DECLARED
from engine.facts.schemas import columns as columns_of
from engine.model.columns import COLUMNS, Column, join_columns
from engine.model.declarations.ask import Ask
from engine.model.thresholds import DEFAULTS, Thresholds
from engine.model.vocabulary import UNITS
from engine.render import words
from reports import CATALOGUE
from reports.digests import DIGESTS
from reports.programme.plans import readiness_plan
from tests.factories import DAY, rows

REPORTS = CATALOGUE | {one.name: one for one in (*(digest.report for digest in DIGESTS), readiness_plan.REPORT)}
WHOLE, REAL, TEXT = pl.Int64(), pl.Float64(), pl.String()
# the types of the cells that may have a unit; an empty unit goes with any
TYPES = {
    **dict.fromkeys(("bytes", "count", "days", "weeks"), (WHOLE,)),
    **dict.fromkeys(("hours", "minutes", "number", "percent", "points"), (WHOLE, REAL)),
    **dict.fromkeys(("text", "word"), (TEXT,)),
    "date": (pl.Date(),),
    "flag": (pl.Boolean(),),
    "instant": (pl.Datetime("us"),),
    "texts": (pl.List(pl.String),),
}
SUFFIXES = {"pct": "percent", "hours": "hours", "minutes": "minutes", "days": "days", "on": "date", "at": "instant"}
# names that end like a unit and have another: limits in numbers of duties, and things counted within so many days
OTHERWISE = re.compile(r"critical_at|warn_at|.*_\d+_days")
NOTHING = {name: rows(name) for name in SCHEMAS} | {
    # the console of every organization runs somehow, ships a catalogue and keeps its records for some time
    "organization": rows("organization", {}),
    "deployment": rows("deployment", {"tier": "shared"}),
    "retention": rows("retention", *({"record_class": name, "days": 1} for name in ("audit_log", "incidents"))),
    "catalogue_entries": rows(
        "catalogue_entries", {"version": "1", "framework": "soc2", "control_id": "CC1.1", "position": 1}
    ),
}
LONGEST = Thresholds(1, {"forecast_weeks": DEFAULTS["forecast_weeks"][2]})


@cache
def tables(name):
    """The tables of a report on an organization without any record, with its defaults and each choice that it offers."""
    report = REPORTS[name]
    defaults = {one.name: one.default for one in report.parameters}
    asked = [defaults, *(defaults | {one.name: choice} for one in report.parameters for choice in one.choices)]
    return [table for options in asked for table in report.document(NOTHING, Ask(DAY, 30, LONGEST, options)).tables]


@cache
def types():
    """Every column of a fact or a table with the types that it has."""
    found = {}
    for shape in (*SCHEMAS.values(), *(table.frame.schema for name in REPORTS for table in tables(name))):
        for column, dtype in shape.items():
            found.setdefault(column, set()).add(dtype() if isinstance(dtype, type) else dtype)
    return found


def visible_columns(table):
    return [name for name in table.frame.columns if name not in table.hidden]


def test_every_column_of_a_fact_or_a_table_is_declared_and_no_other():
    assert set(types()) - set(COLUMNS) == set()
    assert set(COLUMNS) - set(types()) == set()


def test_cells_have_the_type_of_their_unit():
    units = {name: TYPES.get(COLUMNS[name].unit) for name in types()}
    assert {name: found for name, found in types().items() if units[name] and not found <= {*units[name]}} == {}


def test_the_declared_type_of_a_column_is_one_that_its_cells_have():
    declared = {name: DECLARED[column.type] for name, column in COLUMNS.items() if column.type}
    assert [name for name, dtype in declared.items() if not any(dtype == one for one in types()[name])] == []


def test_a_type_is_declared_only_where_it_is_not_that_of_the_unit():
    repeated = [name for name, one in COLUMNS.items() if one.cells == Column(one.label, one.unit, one.meaning).type]
    assert [name for name in repeated if COLUMNS[name].unit] == []


def test_a_fact_lists_its_columns_and_the_types_that_are_not_the_declared_ones():
    found = columns_of("org_id applicable weight:real\n due_on paused_minutes")
    assert list(found.items()) == [
        ("org_id", pl.String),
        ("applicable", pl.Boolean),
        ("weight", pl.Float64),
        ("due_on", pl.Date),
        ("paused_minutes", pl.Int64),
    ]
    assert columns_of("") == {}


def test_a_column_of_a_fact_without_a_type_is_refused():
    with pytest.raises(TypeError, match=r"^The column 'overdue' of a fact needs a type of text, .*; found ''\.$"):
        columns_of("org_id overdue")
    with pytest.raises(TypeError, match=r"^The column 'no_such' of a fact needs a type of text, .*; found ''\.$"):
        columns_of("no_such")
    with pytest.raises(TypeError, match=r"^The column 'weight' of a fact needs a type of text, .*; found 'heavy'\.$"):
        columns_of("weight:heavy")


def test_a_column_without_a_unit_holds_different_things_in_different_tables():
    kinds = {name: {"number" if one.is_numeric() else str(one) for one in found} for name, found in types().items()}
    assert [name for name, column in COLUMNS.items() if not column.unit and len(kinds[name]) == 1] == []


def test_no_unit_contradicts_the_name_of_its_column():
    wrong = {
        name: column.unit
        for name, column in COLUMNS.items()
        if not OTHERWISE.fullmatch(name)
        and "_" in name
        and SUFFIXES.get(name.rpartition("_")[2], column.unit) != column.unit
    }
    assert wrong == {}


def test_every_unit_is_that_of_a_column_or_a_figure_and_no_other():
    figures = {figure.unit for report in REPORTS.values() for figure in report.figures}
    assert {column.unit for column in COLUMNS.values()} - {""} | figures == set(UNITS)


def test_a_meaning_is_one_short_sentence():
    sentence = re.compile(r"[A-Z0-9][^.!?\n]*(?:\.\d[^.!?\n]*)*\.")
    assert [name for name, column in COLUMNS.items() if not sentence.fullmatch(column.meaning)] == []
    assert [name for name, column in COLUMNS.items() if len(column.meaning) > 100] == []
    assert [name for name, column in COLUMNS.items() if not column.label.strip()] == []


@pytest.mark.parametrize("name", REPORTS)
def test_no_two_columns_of_a_table_stand_under_one_heading(name):
    for table in tables(name):
        headings = [words.heading(table, column) for column in visible_columns(table)]
        assert (table.name, sorted({one for one in headings if headings.count(one) > 1})) == (table.name, [])


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_repeats_no_heading_that_the_column_has_anyway(name):
    for table in tables(name):
        repeated = [one for one in visible_columns(table) if table.labels.get(one) == COLUMNS[one].label]
        assert (table.name, repeated) == (table.name, [])


@pytest.mark.parametrize("digest", DIGESTS, ids=lambda digest: digest.name)
def test_no_two_columns_of_a_mail_stand_under_one_heading(digest):
    found = {table.name: table for table in tables(digest.report.name)}
    for items in digest.items:
        headings = [words.heading(found[items.table], column) for column in items.shows]
        assert (items.table, len(set(headings))) == (items.table, len(headings))


def test_a_column_that_is_declared_twice_is_refused():
    once, again = Column("Due", "date", "Last day."), Column("Due by", "date", "Last day.")
    assert join_columns([{"due_on": once}, {"done_on": again}]) == {"due_on": once, "done_on": again}
    assert join_columns([]) == {}
    with pytest.raises(ValueError, match=r"declared again: due_on\.$"):
        join_columns([{"due_on": once}, {"due_on": again}])


def test_the_word_of_a_report_comes_before_that_of_the_column():
    (table,) = (table for table in tables("type-ii") if table.name == "criteria")
    assert [words.heading(table, name) for name in ("control_id", "title", "no_such_pct", "no_such_id")] == [
        "Criterion",
        "Title",
        "No such (%)",
        "No such ID",
    ]
    assert [words.meaning(table, name) for name in ("control_id", "title", "no_such_pct")] == [
        "",
        COLUMNS["title"].meaning,
        "",
    ]
