"""Why a figure moved: what happened to the rows that it counts."""

import polars as pl

from engine.model.documents.movement import StateMove
from engine.reporting.difference.figure_rows import why
from reports.programme.figures import INCIDENTS

OPENED = INCIDENTS[0]


def incident_rows(*names):
    schema = {"id": pl.String, "title": pl.String, "flag": pl.Int64, "reason": pl.String}
    return pl.DataFrame([(name, "Replica lagging", 1, "") for name in names], schema=schema, orient="row")


def move(name):
    return StateMove("incident", "open", name, about=(("record", "", name), ("record", "incidents", name)))


def test_every_incident_that_a_figure_counts_is_among_what_happened_and_its_rows_say_why():
    answer = why(OPENED, incident_rows("I-1"), incident_rows("I-2", "I-3"), [move("I-2"), move("I-3"), move("I-9")], {})
    assert answer.moved == ()
    assert answer.rows == "2 came (Replica lagging, Replica lagging); 1 went (Replica lagging)"
    assert answer.incidents == (move("I-2"), move("I-3"))
