"""Words are bound: numbers come from figures or rows, and nothing is called growing that shrinks."""

from datetime import date

import polars as pl
import pytest

from engine.model.documents.document import Document, Table
from engine.model.thresholds import DEFAULTS
from tests.claims.organizations import small
from tests.claims.values import documents
from tests.reports.bound_words import loose_numbers, unborne_words

DAY = date(2026, 11, 20)
# numbers that are said and follow from figures, but are none themselves
FOLLOW = {
    "executive-summary": "days from the snapshot before, whose day the posture has",
    "evidence-freshness": "fresh and due soon together, of which evidence_in_window_pct is the share",
    "obligation-density-trend-history": "the share of the last four weeks, whose counts the rows have",
    "obligation-forecast": "days after the due day that is said",
    "posture-score": "days from the snapshot before, whose day the posture has",
}


@pytest.mark.real
def test_every_number_and_every_direction_in_what_is_said_is_borne():
    words, numbers = {}, {}
    for report, document, ask in documents(small("cobalt", DAY, seed=1)):
        settings = {name: float(default) for name, (default, *_) in DEFAULTS.items()}
        asked = {name: value for name, value in ask.options.items() if isinstance(value, int)}
        words[report.name] = unborne_words(document)
        numbers[report.name] = loose_numbers(document, {**settings, **asked, "period": ask.period_days})
    assert {name: said for name, said in words.items() if said} == {}
    assert {name: said for name, said in numbers.items() if said and name not in FOLLOW} == {}


@pytest.mark.parametrize(
    ("weekly", "headline", "refused"),
    [
        (-0.2, "The backlog is shrinking.", False),
        (-0.2, "Close 0.6 more gaps a week to keep 177 from growing.", True),
        (0.2, "Close 0.6 more gaps a week to keep 177 from growing.", False),
        (0.0, "The backlog grows.", True),
        (0.4, "The backlog fell.", True),
    ],
)
def test_a_word_of_direction_is_refused_where_the_figure_goes_the_other_way(weekly, headline, refused):
    rows = pl.DataFrame({"week": ["2026-W46", "2026-W47"], "net": [3, -4]})
    document = Document(headline, summary={"remediations_net_weekly": weekly}, tables=(Table("weeks", "", rows),))
    assert bool(unborne_words(document)) is refused


def test_a_number_that_is_no_figure_and_no_row_is_refused():
    rows = pl.DataFrame({"id": ["a", "b"], "hours": [1.5, 2.0]})
    table = Table("work", "", rows)
    borne = Document(
        "3 gaps (40.0 %) and 2 rows, 3.5 hours, CC6.1 first.", summary={"n": 3, "pct": 40.0}, tables=(table,)
    )
    assert loose_numbers(borne, {}) == []
    loose = Document("3 gaps and 7 others.", summary={"n": 3}, tables=(table,))
    assert loose_numbers(loose, {}) == ["7: 3 gaps and 7 others."]
