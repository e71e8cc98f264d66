"""The page that documents every table which can be imported."""

from engine.intake.imports.tables import Importable, TableField, importable
from engine.intake.imports.values.expectations import expectation
from engine.model.thresholds import DEFAULTS
from engine.store.schema import IMPORTABLE
from engine.store.schema.kinds import column_kind

INTRODUCTION = """# Tables that can be imported

`hq import PATH… --org ORG` takes files, or folders of files, in CSV, XLSX, JSON Lines or Parquet. The name of a file,
or of a sheet in a workbook, is the name of a table. The first row names the columns, in any order and case, with spaces
or underscores.

* Everything is checked first. One bad cell and nothing is imported; every bad cell is named with file, row, column,
  what was expected and what was found.
* A row whose key exists is changed in the columns that the file has and keeps the others; an empty cell empties. The
  same file twice changes nothing. Events of `audit_log` are only ever added.
* CSV may use commas, semicolons, tabs or bars, and UTF-8, Windows-1252, or UTF-16 with a byte order mark.
* Dates: 2026-11-20, 20.11.2026, 20 Nov 2026, real dates of a workbook or their serial numbers. 20/11/2026 or 11/20/2026
  where the column shows which of day and month comes first, else they are refused. A time without an offset is UTC.
* Numbers may have separators of thousands and a decimal comma; what can be read in two ways is refused.
* True and false: also yes and no, 1 and 0, x, ja and nein. Choices and frameworks in any case and spelling.
* An `id` that a file has not is made from the columns that the table names.
* A row that contradicts itself is a bad cell: an end before its beginning, an end of what is open, an incident under
  itself. What a record says already may stay.
* In JSON Lines a member that is absent is an empty cell, and rows are lines.
* The kind says what a column says, whatever figure it moves. A claim speaks for us (evidence, signatures, tests,
  approvals, documents, reviews, ratings, owners, closings), a debt against us; a deadline is a day, a rhythm or a limit
  that we are held to; scope says which thing it is about and whether it counts. No figure improves because a claim is
  empty, old, dated ahead or not approved.
"""


def describe_tables() -> str:
    """Markdown: for every importable table its meaning, its columns and an example of its header line."""
    return "\n".join([INTRODUCTION, *(_table(importable(name)) for name in sorted(IMPORTABLE)), _settings()])


def _table(table: Importable) -> str:
    lines = [f"## {table.name}", "", table.comment, "", f"Key: {_columns(table.key)}."]
    if table.natural:
        lines[-1] += f" Without an `id` it is made from {_columns(table.natural)}."
    lines += ["", "| column | kind | required | takes | meaning |", "|---|---|---|---|---|"]
    lines += [_row(field, column_kind(table.name, field.name)) for field in table.fields.values()]
    return "\n".join([*lines, "", "```", ",".join(table.fields), "```", ""])


def _row(field: TableField, kind: str) -> str:
    default = field.default if not isinstance(field.default, bool) else str(field.default).lower()
    required = "yes" if field.required else "no" if default is None else f"no, else {default}"
    takes = expectation(field)
    if field.references:
        takes = f"the `id` of a row of {field.references}"
    return f"| {field.name} | {kind} | {required} | {_cell(takes)} | {_cell(field.comment)} |"


def _settings() -> str:
    lines = ["## Names and values of organization_settings", "", "| name | default | from | to | meaning |"]
    lines += ["|---|---|---|---|---|"]
    for name, (default, low, high, meaning) in DEFAULTS.items():
        lines.append(f"| {name} | {default:g} | {low:g} | {high:g} | {_cell(meaning)} |")
    return "\n".join([*lines, ""])


def _columns(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
