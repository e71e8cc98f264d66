"""A difference as people read it: a sentence first, figures, what happened, who did what, then the rows."""

from dataclasses import replace
from datetime import date

import polars as pl
import pytest

from engine.model.documents.document import Document, Table
from engine.model.documents.movement import StateMove, in_groups
from engine.model.figures.aggregates import Count
from engine.model.figures.figure import Figure
from engine.reporting.difference.causes import Cause
from engine.reporting.difference.diff_text import DiffContext, diff_document
from engine.reporting.difference.documents import diff_documents
from engine.reporting.difference.figure_rows import FigureWhy

FROM, TO = date(2026, 11, 1), date(2026, 11, 20)
GAPS = Figure("gaps_open", "Open gaps", "count", "less", "Gaps.", "gaps", Count())
STALE = [
    StateMove("control", "stale", f"SOC 2 {name}", date(2026, 11, 3), "when backup evidence stopped")
    for name in ("CC6.1", "CC7.2")
]
SIGNED = Cause("write", "Attestation signed: attestation a was written", date(2026, 11, 3), 7, "hq:8", "ann")


def document(gaps, *rows):
    schema = {"framework": pl.String, "control_id": pl.String, "state": pl.String, "age_days": pl.Int64}
    table = Table("gaps", "Gaps", pl.DataFrame(rows, schema=schema, orient="row"), state=("state",))
    return Document(f"{gaps} gaps.", summary={"gaps_open": gaps}, titles={"gaps_open": "Open gaps"}, tables=(table,))


def diff_of(before, after, *, causes=(), moved=()):
    difference = diff_documents(before, after, [GAPS])
    whys = {"gaps_open": FigureWhy("1 came (SOC 2 CC8.1)", tuple(moved))}
    facts = ("control_status", "gaps")
    return diff_document(
        DiffContext((FROM, TO), 3, difference, lambda row, columns: list(causes), facts, in_groups(moved), whys)
    )


BEFORE = document(2, ("soc2", "CC6.1", "partial", 5), ("soc2", "CC7.2", "stale", 9), ("soc2", "A1.2", "stale", 1))
AFTER = document(3, ("soc2", "CC6.1", "stale", 24), ("soc2", "A1.2", "stale", 20), ("soc2", "CC8.1", "no_data", 1))


def test_the_first_sentence_says_what_moved_and_what_did_it():
    assert diff_of(BEFORE, AFTER, moved=STALE).headline == (
        "From 1 Nov 2026 to 20 Nov 2026, Open gaps went up by 1, from 2 to 3: "
        "2 controls went stale on 3 Nov when backup evidence stopped."
    )


def test_the_figures_have_both_values_unit_and_direction():
    table = diff_of(BEFORE, AFTER).table("figures")
    assert table.frame.rows() == [("gaps_open", "Open gaps", "2", "3", "+1", None, "worse", "1 came (SOC 2 CC8.1)")]


def test_rows_that_merely_got_older_are_counted_and_not_told():
    table = diff_of(BEFORE, AFTER, causes=[SIGNED]).table("gaps_rows")
    why = "Attestation signed: attestation a was written (ann, 3 Nov 2026, revision 7)."
    assert table.title == "Gaps: 1 came, 1 went, 1 changed"
    assert table.note == "1 more row differs only in what each day changes: ages and days left."
    assert table.frame.select("change", "row", "what", "why").rows() == [
        ("changed", "SOC 2, CC6.1", "State: partial → stale", why),
        ("came", "SOC 2, CC8.1", "State: no data", why),
        ("went", "SOC 2, CC7.2", "State: stale", why),
    ]
    assert table.frame.select("columns", "before", "after", "revisions", "event_ids").row(0) == (
        ["state", "age_days"],
        ["partial", "5"],
        ["stale", "24"],
        [7],
        ["hq:8"],
    )


def test_a_row_without_a_cause_says_from_what_it_was_computed():
    table = diff_of(BEFORE, AFTER).table("gaps_rows")
    assert table.frame["why"].unique().to_list() == [
        "No write between the two touches it; computed anew from control_status, gaps."
    ]


def test_each_write_stands_once_with_the_rows_that_it_touched():
    table = diff_of(BEFORE, AFTER, causes=[SIGNED]).table("writes")
    assert table.frame.rows() == [
        (date(2026, 11, 3), "ann", "Attestation signed: attestation a was written", 3, None, 7, "hq:8")
    ]


def test_where_nothing_differs_that_is_said():
    found = diff_of(BEFORE, BEFORE)
    assert found.headline == "From 1 Nov 2026 to 20 Nov 2026, nothing changed."
    assert [table.name for table in found.tables] == ["figures", "writes"]
    assert [table.frame.height for table in found.tables] == [0, 0]
    assert dict(found.summary) == {
        "since_on": FROM,
        "since_revision": 3,
        "figures_changed": 0,
        "figures_worse": 0,
        "figures_better": 0,
        "rows_came": 0,
        "rows_went": 0,
        "rows_changed": 0,
    }


@pytest.mark.parametrize(
    ("unit", "before", "after", "sentence"),
    [
        ("points", 82.7, 76.0, "Score went down by 6.7 points, from 82.7 to 76.0."),
        ("percent", 70.0, 75.0, "Score went up by 5.0 points, from 70.0 to 75.0."),
        ("hours", 4.0, 12345.25, "Score went up by 12,341.25 hours, from 4 to 12,345.25."),
        ("count", 2, 1204, "Score went up by 1,202, from 2 to 1,204."),
    ],
)
def test_a_whole_number_has_the_decimals_of_its_unit(unit, before, after, sentence):
    figure = Figure("score", "Score", unit, "more", "Score.", "gaps", Count())
    held = [Document("Score.", summary={"score": value}, titles={"score": "Score"}) for value in (before, after)]
    difference = diff_documents(*held, [figure])
    told = diff_document(DiffContext((FROM, TO), 3, difference, lambda row, columns: [], ("gaps",)))
    assert told.headline == f"From 1 Nov 2026 to 20 Nov 2026, {sentence}"


def test_what_compares_two_days_itself_is_no_change():
    """A figure and a table that say how it was before are of each day on its own."""
    earlier = Figure(
        "gaps_before", "Gaps before the period", "count", "less", "Then.", "gaps", Count(), comparison=True
    )
    moved = Table("changes", "What changed most", pl.DataFrame({"what": ["Gaps"], "change": [1]}), comparison=True)

    def with_comparison(now, before):
        return replace(now, summary={**now.summary, "gaps_before": before}, tables=(*now.tables, moved))

    difference = diff_documents(
        replace(BEFORE, summary={"gaps_open": 2, "gaps_before": 9}), with_comparison(AFTER, 8), [GAPS, earlier]
    )
    assert difference == diff_documents(BEFORE, AFTER, [GAPS])
