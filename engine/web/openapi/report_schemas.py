"""Closed JSON Schemas of the reports: every figure of the summary, every column of every table, and nothing else."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TypeAlias

import polars as pl

from engine.model.declarations.ask import Parameter
from engine.model.declarations.declaration import EXPLAIN
from engine.model.declarations.filters import NAMING, ROWS, TABLE, filters_beside
from engine.model.declarations.plan_parameters import PLAN_PARAMETERS, TARGET
from engine.model.declarations.report import Report
from engine.model.figures.aggregates import Count, Distinct
from engine.model.figures.figure import Figure
from engine.model.vocabulary import Unit
from engine.reporting.index import index
from engine.reporting.shape import TableShape, shape
from engine.reporting.snapshot.excerpt import naming

Object: TypeAlias = dict[str, object]
OF_UNIT: Mapping[Unit, str] = {
    "date": "string",
    "instant": "string",
    "word": "string",
    "text": "string",
    "flag": "boolean",
}
FORMATS: Mapping[Unit, str] = {"date": "date", "instant": "date-time"}


def report_name(report: Report) -> str:
    """The name of a report's schema: ``PostureScoreReport``."""
    return "".join(part.capitalize() for part in report.name.split("-")) + "Report"


def report_schema(report: Report, envelope: Mapping[str, object]) -> Object:
    """What the report answers with as JSON; ``envelope`` is the schema that all of them share.

    No table is required: filters leave out those that they cannot be asked of.
    """
    report_shape = shape(report)
    tables = {table.name: _rows(table) for table in report_shape.tables}
    summary = {
        **{figure.id: _figure(figure) for figure in report.figures},
        **{name: {"description": "As the organization set it or was asked."} for name in report_shape.further},
    }
    return _envelope_schema(envelope, report, {**tables, "summary": _members(summary)}, tables)


def report_filters(report: Report) -> list[Parameter]:
    """The filters that the report takes: those that some table has a column for, its tables, and all rows of pages."""
    tables = shape(report).tables
    beside = filters_beside(report.parameters)
    parameters = [
        beside[kind] for kind in NAMING if kind in beside and any(naming(kind, one.columns) for one in tables)
    ]
    names = ", ".join(table.name for table in tables)
    if TABLE.name in beside and tables:
        parameters.append(replace(TABLE, help=f"{TABLE.help}: {names}"))
    return [*parameters, ROWS] if ROWS.name in beside and "html" in report.formats else parameters


def plan_parameters(report: Report) -> list[Parameter]:
    """What the report is asked when it is to say what will be by a day; without a framework of its own, of which."""
    if not report.plans:
        return []
    return [replace(TARGET, default=None), *(one for one in PLAN_PARAMETERS if one is not TARGET)]


def formats_of(report: Report) -> tuple[str, ...]:
    """The formats that the route answers in, those of a plan included where it is asked for one."""
    further = index().plan.formats if report.plans else ()
    return tuple(dict.fromkeys((*report.formats, *further)))


def explanation_schema(envelope: Mapping[str, object]) -> Object:
    """What ``explain`` answers with: the rows that a figure counts; their columns are those of its fact."""
    rows = {"type": "array", "items": {"type": "object", "additionalProperties": True}}
    return _envelope_schema(envelope, None, {"rows": rows})


def _envelope_schema(
    envelope: Mapping[str, object],
    report: Report | None,
    members: Mapping[str, object],
    sometimes: Collection[str] = (),
) -> Object:
    properties = envelope["properties"]
    if not isinstance(properties, Mapping):
        raise TypeError(f"The properties of a schema must be an object; got {type(properties).__name__}.")
    own: Object = {} if report is None else {"report": {"const": report.name}}
    every = {**properties, **own, **members}
    about = f"The rows behind a figure, as ``{EXPLAIN}`` asks for them." if report is None else report.description
    return {
        "type": "object",
        "description": about,
        "properties": every,
        "required": sorted(set(every).difference(sometimes)),
        "additionalProperties": False,
    }


def _members(properties: Mapping[str, object], always: Collection[str] | None = None) -> Object:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": sorted(properties if always is None else always),
        "additionalProperties": False,
    }


def _figure(figure: Figure) -> Object:
    whole = isinstance(figure.aggregate, Count | Distinct)  # what is counted; a mean of counts may be a fraction
    kind = "integer" if whole else OF_UNIT.get(figure.unit, "number")
    described: Object = {"type": [kind, "null"], "title": figure.title, "description": figure.definition}
    return described | ({"format": FORMATS[figure.unit]} if figure.unit in FORMATS else {})


def _rows(table: TableShape) -> Object:
    return {
        "type": "array",
        "description": table.title,
        "items": _members({name: _column_schema(dtype) for name, dtype in table.columns.items()}, table.constant),
    }


def _column_schema(dtype: pl.DataType) -> Object:
    if isinstance(dtype, pl.List | pl.Array):
        inner = dtype.inner if isinstance(dtype.inner, pl.DataType) else dtype.inner()
        return {"type": ["array", "null"], "items": _column_schema(inner)}
    if dtype.is_integer():
        return {"type": ["integer", "null"]}
    if dtype.is_float() or dtype.is_decimal():
        return {"type": ["number", "null"]}
    if dtype == pl.Boolean:
        return {"type": ["boolean", "null"]}
    if isinstance(dtype, pl.Datetime):
        return {"type": ["string", "null"], "format": "date-time"}
    return {"type": ["string", "null"], **({"format": "date"} if dtype == pl.Date else {})}
