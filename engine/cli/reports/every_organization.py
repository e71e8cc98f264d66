"""One table of every organization, for whoever runs many."""

import csv
import json
import sys
from collections.abc import Container, Mapping, Sequence
from datetime import date

import click

from engine.cli.on_terminal import printable
from engine.model.errors import Usage

Row = Mapping[str, object]


def must_be_in_scope_somewhere(frameworks: Sequence[str], scope: Container[str]) -> None:
    """Usage for a framework that no organization has in scope: nothing was asked of anybody."""
    for framework in frameworks:
        if framework not in scope:
            raise Usage(f"{framework} is in scope of no organization.")


def print_rows(columns: Sequence[str], rows: Sequence[Row], form: str | None) -> None:
    """The rows as CSV or JSON, else as a table with a heading."""
    if form == "json":
        json.dump([{name: _plain(row[name]) for name in columns} for row in rows], sys.stdout, indent=2)
        sys.stdout.write("\n")
        return
    if form == "csv":
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([_cell(row[name]) for name in columns] for row in rows)
        return
    cells = [list(columns), *([_text(row[name]) for name in columns] for row in rows)]
    widths = [max(len(line[place]) for line in cells) for place in range(len(columns))]
    for line in cells:
        padded = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        click.echo(printable("  ".join(padded).rstrip()))


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, date) else value


def _cell(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else _plain(value)


def _text(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)
