"""What a report is made of, whatever it is asked."""

import polars as pl

from engine.model.declarations.ask import PERIOD_DAYS, Parameter
from engine.model.declarations.report import Report
from engine.model.documents.document import Document, Table
from engine.reporting.shape import TableShape, shape

VIEW = Parameter("view", "rows", "which table", choices=("rows", "sum"))
WEEKS = Parameter("weeks", None, "how many weeks", 1, 3)
ONLY = Parameter("only", None, "one of them alone", choices=("a", "b"))


def build(ask):
    weeks = int(ask.options["weeks"] or 2)
    columns = {"name": "a", **{f"week_{number}": 0 for number in range(1, weeks + 1)}}
    tables = {
        "rows": Table("rows", "Rows", pl.DataFrame([columns])),
        "sum": Table("sum", "Sum", pl.DataFrame({"n": 1})),
    }
    return Document(headline="Two.", summary={"weeks": weeks}, tables=(tables[ask.options["view"]],))


def test_tables_and_columns_are_those_of_every_view_and_number_and_constant_are_those_of_each():
    report = Report("weeks", "Weeks", "Weeks.", build, parameters=(VIEW, WEEKS, ONLY, PERIOD_DAYS))
    report_shape = shape(report)
    columns = {"name": pl.String, "week_1": pl.Int64, "week_2": pl.Int64, "week_3": pl.Int64}
    assert report_shape.tables == (
        TableShape("rows", "Rows", columns, frozenset({"name", "week_1"})),
        TableShape("sum", "Sum", {"n": pl.Int64}, frozenset({"n"})),
    )
    assert report_shape.further == {"weeks": 2}
