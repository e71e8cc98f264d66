"""What the front page says of a plan in a line."""

from datetime import date

import polars as pl
import pytest

from engine.model.documents.document import Document, Table
from engine.planning.verdict.likelihood import verdict_of
from engine.reporting.site.plan_pages import verdict

SHORT = "34 short if nothing is done, 67.5 h of work by then"
BY, LATER = date(2027, 3, 1), date(2027, 3, 22)


def plan(likely_on=None, likely_pct=0.0, **summary):
    goals = {"by_on": [BY], "planned_strict_pct": [70.5], "likely_pct": [likely_pct], "likely_on": [likely_on]}
    frame = pl.DataFrame(goals, schema_overrides={"likely_on": pl.Date})
    known = {"not_effective": 34, "needed_hours": 67.5, "reached": True}
    return Document("", summary={**known, **summary}, tables=(Table("goals", "Goals", frame),))


@pytest.mark.parametrize(
    ("document", "line"),
    [
        (plan(not_effective=0), "all controls effective"),
        (plan(BY, 93.4), f"all controls effective with the plan; {SHORT}; 93 % likely"),
        (plan(LATER, 62.0), f"all controls effective with the plan; {SHORT}; 62 % likely; 90 % on 22 Mar 2027"),
        (plan(BY, 100.0), f"all controls effective with the plan; {SHORT}; over 99 % likely"),
        (plan(None, 0.2), f"hardly all controls effective with the plan; {SHORT}; under 1 % likely"),
        (plan(None, 6.2), f"hardly all controls effective with the plan; {SHORT}; 6 % likely"),
        (plan(reached=False), f"no; {SHORT}; the plan comes to 70.5 %"),
    ],
    ids=("holds", "likely", "late", "surely", "not at all", "never", "no"),
)
def test_a_verdict_is_the_plans_own_and_so_is_the_day_on_which_it_is_likely(document, line):
    assert verdict(document) == line


@pytest.mark.parametrize(
    ("is_reached", "probability", "word"), [(False, 0.0, "no"), (True, 0.49, "hardly"), (True, 0.5, "yes")]
)
def test_a_plan_is_called_the_same_wherever_it_is_a_word(is_reached, probability, word):
    assert verdict_of(is_reached, probability) == word
