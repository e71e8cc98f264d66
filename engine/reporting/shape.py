"""What a report is made of, told before there is any data: its tables and their columns, found by asking it of nothing.

A report is a pure function of facts, and facts have declared columns; so its document of facts without rows has every
table and every column that it ever has.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

import polars as pl

from engine.model.document import Table
from engine.model.report import Ask, Report
from engine.model.thresholds import Thresholds
from engine.reporting.facts.schemas import SCHEMAS

ANY_DAY = date(2026, 1, 5)


@dataclass(frozen=True)
class ReportShape:
    """The tables without rows; ``further`` are the keys of the summary that are no figures, with a value of each."""

    tables: tuple[Table, ...]
    further: Mapping[str, object]


def shape(report: Report) -> ReportShape:
    """The shape of a report under its default parameters."""
    parameters = report.parse({})
    frames = {name: pl.DataFrame(schema=dict(SCHEMAS[name])) for name in report.facts}
    document = report.document(frames, Ask(ANY_DAY, report.period_days(parameters), Thresholds(), parameters))
    figures = {figure.id for figure in report.figures}
    return ReportShape(
        tuple(document.tables), {name: value for name, value in document.summary.items() if name not in figures}
    )
