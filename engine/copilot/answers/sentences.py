"""How a query and its rows are said: the noun with what narrows it, a row, the mark of its source."""

import re
from collections.abc import Iterator

import polars as pl

from engine.copilot.answers.answers import CitationList
from engine.copilot.answers.cells import cell, cells, heading, value_with_unit
from engine.copilot.answers.library import Library
from engine.copilot.answers.routes import route_of_row
from engine.copilot.grammar.query import Query

ROWS = 10


def noun(plan: Query, number: int) -> str:
    """The things with their constraints around them."""
    before = " ".join(each.label for each in plan.constraints if not each.after)
    after = ", ".join(each.label for each in plan.constraints if each.after)
    name = plan.entity.name if number == 1 else plan.entity.plural
    return " ".join(part for part in (before, name, after) if part)


def row_lines(plan: Query, rows: pl.DataFrame, library: Library, citations: CitationList) -> Iterator[str]:
    """The first rows as lines, each with its citation, and how many more there are."""
    by = plan.order.column if plan.order is not None and f"{{{plan.order.column}}}" not in plan.entity.line else None
    for row in rows.head(ROWS).iter_rows(named=True):
        shown = by is not None and by in row and by != "rank" and not by.endswith("_at")
        first = f"{value_with_unit(by or '', row[by or ''])} {heading(by or '')}: " if shown else ""
        yield f"- {first}{line(plan, row)}{beside(plan, row)} {mark(plan, row, library, citations)}"
    if rows.height > ROWS:
        yield f"{rows.height - ROWS:,} more."


def beside(plan: Query, row: dict[str, object]) -> str:
    """What is asked for of each row and its line does not say."""
    if plan.intent not in ("list", "count"):
        return ""
    asked = [column for column in plan.columns if column in row and f"{{{column}}}" not in plan.entity.line]
    return "".join(f"; {heading(column)}: {value_with_unit(column, row[column])}" for column in asked)


def line(plan: Query, row: dict[str, object]) -> str:
    """A row as it reads, without what is not recorded of it."""
    text = plan.entity.line.format_map(cells(row))
    return re.sub(r",(?: [\w ()%]+)? – ?%?(?=[,;]|$)| \(next –\)", "", text)


def mark(plan: Query, row: dict[str, object], library: Library, citations: CitationList) -> str:
    """The citation of a row: the route that shows it, or its identifier."""
    return citations.cite(
        plan.entity.report or plan.entity.plural, route_of_row(plan.entity, row, library), cell(row[plan.entity.key])
    )


def title(plan: Query, row: dict[str, object]) -> str:
    """How a row is called: its name, else its identifier with its title."""
    key = cell(row[plan.entity.key])
    name = row.get("called") if plan.entity.name == "framework" else row.get("name")
    if name:
        return cell(name)
    title = row.get("title")
    return f"{key} ({cell(title)})" if title else key
