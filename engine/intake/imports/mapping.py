"""How files of others are read: what their headers mean, what they leave out, whether further columns do any harm.

    [vendors.columns]                  [vendors.values]
    "Supplier" = "name"                status = "not_assessed"
    "Remarks" = ""                     # left out

or the same as CSV with the columns table, header, column, value; a row without a header is a value of all rows.
"""

import csv
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from engine.intake.imports.tables import Importable, importable
from engine.intake.imports.values.names import by_squashed, closest_name, squash
from engine.model.errors import Usage
from engine.store.schema import IMPORTABLE

LEFT_OUT = ""
COLUMNS = ("table", "header", "column", "value")


@dataclass(frozen=True)
class ColumnMapping:
    """``headers``: by table and squashed header our column, ``LEFT_OUT`` for none; ``values``: by table and column."""

    headers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    ignores_unknown: bool = False

    def columns(self, table: Importable) -> dict[str, str]:
        """Our column for each squashed header that a file of the table may have."""
        return {**by_squashed(table.fields), **self.headers.get(table.name, {})}


PLAIN = ColumnMapping()


def read_mapping(path: Path) -> ColumnMapping:
    """The reading that a TOML or CSV file describes. Usage for what it cannot mean: table, column, form."""
    lines = list(_csv_lines(path) if path.suffix.lower() == ".csv" else _toml_lines(path))
    headers: dict[str, dict[str, str]] = {}
    values: dict[str, dict[str, str]] = {}
    for table, header, column, value in lines:
        known = _table(path, table)
        name = LEFT_OUT if header and not column.strip() else _column(path, known, column)
        if header:
            headers.setdefault(known.name, {})[squash(header)] = name
        else:
            values.setdefault(known.name, {})[name] = value
    return ColumnMapping(headers, values)


def _toml_lines(path: Path) -> Iterator[tuple[str, str, str, str]]:
    try:
        content = tomllib.loads(_text(path))
    except tomllib.TOMLDecodeError as error:
        raise Usage(f"{path.name} is not TOML: {error}.") from error
    for table, parts in content.items():
        if not isinstance(parts, dict) or not set(parts) <= {"columns", "values"}:
            raise Usage(f"{path.name}: {table} must have the parts [{table}.columns] and [{table}.values] alone.")
        for part, pairs in parts.items():
            if not isinstance(pairs, dict):
                raise Usage(f'{path.name}: [{table}.{part}] must be lines such as "their header" = "our column".')
            for left, right in pairs.items():
                if isinstance(right, dict | list):
                    raise Usage(f"{path.name}: {left} of [{table}.{part}] must be one text.")
                text = str(right).lower() if isinstance(right, bool) else str(right)
                yield (table, left, text, "") if part == "columns" else (table, "", left, text)


def _csv_lines(path: Path) -> Iterator[tuple[str, str, str, str]]:
    text = _text(path)
    reader = csv.DictReader(text.splitlines(), delimiter=";" if ";" in text.partition("\n")[0] else ",")
    names = {squash(name): name for name in reader.fieldnames or ()}
    if not {"table", "column"} <= set(names):
        raise Usage(f"{path.name} must have the columns {', '.join(COLUMNS)}; got {', '.join(names.values())}.")
    for row in reader:
        table, header, column, value = ((row.get(names.get(name, "")) or "").strip() for name in COLUMNS)
        if table or header or column:
            yield table, header, column, value


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise Usage(f"The mapping {path} cannot be read: {error}.") from error


def _table(path: Path, text: str) -> Importable:
    name = by_squashed(IMPORTABLE).get(squash(text))
    if name is None:
        near = closest_name(text, list(IMPORTABLE))
        raise Usage(f"{path.name}: {text!r} is not a table{f'; probably {near}' if near else ''}.")
    return importable(name)


def _column(path: Path, table: Importable, text: str) -> str:
    name = by_squashed(table.fields).get(squash(text))
    if name is None:
        near = closest_name(text, list(table.fields))
        raise Usage(
            f"{path.name}: {text!r} is not a column of {table.name}{f'; probably {near}' if near else ''}. "
            "`hq tables` has all of them."
        )
    return name
