"""What a report is made of, told before there is any data: its tables and their columns, found by asking it of nothing.

A report is a pure function of facts, and facts have declared columns; so its document of facts without rows has every
table and every column that it ever has.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache

import polars as pl

from engine.facts.schemas import SCHEMAS
from engine.model.declarations.ask import PERIOD_DAYS, Ask, Parameter, Parameters, Value
from engine.model.declarations.report import Report
from engine.model.documents.document import Document, Table
from engine.model.thresholds import Thresholds

ANY_DAY = date(2026, 1, 5)


@dataclass(frozen=True)
class TableShape:
    """A table that a report may have: its columns by name, and which of them it has whatever is asked."""

    name: str
    title: str
    columns: Mapping[str, pl.DataType]
    constant: frozenset[str]


@dataclass(frozen=True)
class ReportShape:
    """Its tables: all that it may have, whatever is asked.

    ``further`` are the keys of the summary that are no figures, with a value of each.
    """

    tables: tuple[TableShape, ...]
    further: Mapping[str, object]


@cache  # a report never changes, and to build it of nothing takes some ten milliseconds
def shape(report: Report) -> ReportShape:
    """The shape of a report under its default parameters and under what else they may be that changes tables."""
    defaults = report.parse({})
    asked = [{parameter.name: value} for parameter in report.parameters for value in _others(parameter)]
    documents = [_empty_document(report, {**defaults, **words}) for words in ({}, *asked)]
    found: dict[str, list[Table]] = {}
    for document in documents:
        for table in document.tables:
            found.setdefault(table.name, []).append(table)
    figures = {figure.id for figure in report.figures}
    return ReportShape(
        tuple(_merge(tables) for tables in found.values()),
        {name: value for name, value in documents[0].summary.items() if name not in figures},
    )


def _others(parameter: Parameter) -> Sequence[Value]:
    """The words that it may be instead of its own, the least and the most of a number; a period changes rows alone."""
    if parameter.default in parameter.choices:
        return parameter.choices
    if parameter.name == PERIOD_DAYS.name or parameter.maximum is None:
        return ()
    return (parameter.minimum, parameter.maximum)


def _empty_document(report: Report, parameters: Parameters) -> Document:
    frames = {name: pl.DataFrame(schema=dict(SCHEMAS[name])) for name in report.facts}
    return report.document(frames, Ask(ANY_DAY, report.period_days(parameters), Thresholds(), parameters))


def _merge(tables: Sequence[Table]) -> TableShape:
    schemas = [table.schema for table in tables]
    every = {name: dtype for schema in schemas for name, dtype in schema.items()}
    constant = frozenset(name for name in every if all(name in schema for schema in schemas))
    return TableShape(tables[0].name, tables[0].title, every, constant)
