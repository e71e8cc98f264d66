"""The compliance calendar as a feed to subscribe to: one all-day event for each duty."""

import polars as pl

from engine.model.document import Document
from engine.model.report import Ask, Report
from reports.obligations import calendar


def build(obligations: pl.DataFrame, ask: Ask) -> Document:
    listed = calendar.entries(obligations, ask.as_of)
    return Document(
        headline=calendar.headline(listed, ask.as_of),
        summary=calendar.totals(listed, obligations, ask),
        tables=(calendar.table(listed),),
        events=calendar.events(listed),
        definitions=calendar.DEFINITIONS,
        warnings=calendar.warnings(listed),
    )


REPORT = Report(
    name="obligation-ics",
    title="Compliance obligations",
    description="Dated compliance duties as a calendar feed; a duty keeps its entry when its date moves.",
    build=build,
    formats=("ics", "json", "csv", "html", "md"),
)
