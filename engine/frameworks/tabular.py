"""CSV and XLSX of frameworks: the columns of our own tables, under these names or those that people use.

A file is known by its headers: controls have ``id`` and ``title``; pairs lead ``from`` one control ``to`` another, as
``framework:control`` or in two columns each; rules have ``pattern``, runbooks ``control_pattern``, inheritance
``expected_evidence``. A file whose first column is ``table`` has rows of several. Headers come in any spelling.
"""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path

from engine.catalogue.columns import OWN
from engine.frameworks.content import COLUMNS, FrameworkContent, Row, refuse
from engine.intake.imports.files.csv_files import dialect_of, encoding_of
from engine.intake.imports.files.typed_files import open_workbook, read_worksheet
from engine.intake.imports.problems import Problems
from engine.intake.imports.values.controls import framework as known_framework
from engine.intake.imports.values.names import closest_name, slug, squash
from engine.model.errors import InvalidData, Usage
from engine.model.vocabulary import FRAMEWORKS
from engine.render.tables.csv_cells import safe_cell

TABLE = "table"
_ALIASES: Mapping[str, Mapping[str, str]] = {
    "own_frameworks": {
        **dict.fromkeys(("framework", "identifier"), "id"),
        **dict.fromkeys(("name",), "title"),
        "authority": "publisher",
        "levels": "assessable_levels",
    },
    "framework_controls": {
        **dict.fromkeys(("control_id", "control", "identifier", "ref_id", "reference"), "id"),
        **dict.fromkeys(("parent_id", "parent_control"), "parent"),
        **dict.fromkeys(("name", "control_title"), "title"),
        **dict.fromkeys(("description", "requirement", "statement"), "text"),
        **dict.fromkeys(("frequency",), "cadence"),
        **dict.fromkeys(("evidence", "evidence_kind", "kinds_of_evidence"), "evidence_kinds"),
        "group": "group_id",
    },
    "framework_mappings": {
        **dict.fromkeys(("from", "source_control"), "from"),
        **dict.fromkeys(("to", "target_control"), "to"),
        **dict.fromkeys(("from_framework",), "source_framework"),
        **dict.fromkeys(("from_id", "from_control", "source_control_id"), "source_id"),
        **dict.fromkeys(("to_framework",), "target_framework"),
        **dict.fromkeys(("to_id", "to_control", "target_control_id"), "target_id"),
        **dict.fromkeys(("relationship",), "relation"),
        "basis": "source",
    },
    "organization_rules": {"action": "pattern", "control": "control_id"},
    "framework_runbooks": {"pattern": "control_pattern", "control": "control_pattern", "control_id": "control_pattern"},
    "framework_inheritance": {"control": "control_id"},
}
# what says of which table a file is, the first that fits
_MARKS: Sequence[tuple[str, frozenset[str]]] = (
    ("framework_mappings", frozenset({"from", "to"})),
    ("framework_mappings", frozenset({"source_id", "target_id"})),
    ("framework_inheritance", frozenset({"expected_evidence", "control_id"})),
    ("framework_runbooks", frozenset({"control_pattern", "runbook"})),
    ("organization_rules", frozenset({"pattern", "control_id"})),
    ("framework_controls", frozenset({"id", "title"})),
)
_WHOLE = frozenset({"weight", "position", "source_count"})
_NUMBERS = frozenset({"strength", "effort_hours"})
_FLAGS = frozenset({"assessable"})
_JSON = frozenset({"parameters", "details"})
_TRUE, _FALSE = frozenset({"true", "yes", "1", "x", "ja"}), frozenset({"false", "no", "0", "nein"})
_PACK = {squash(name): name for columns in OWN.values() for name in columns}
Lines = Iterator[tuple[int, list[str]]]


def read_table_file(path: Path, content: FrameworkContent, name: str) -> None:
    """Add what a CSV or XLSX file holds; ``name`` is the framework of controls that name none."""
    for label, stem, lines in _sheets(path):
        header = next(lines, (1, []))[1]
        if header and squash(header[0]) == TABLE:
            _mixed_rows(label, header, lines, content, name)
            continue
        table = _table(label, stem, header)
        columns = _columns(label, table, header)
        for number, cells in lines:
            _add(content, table, columns, cells, f"{label}, row {number}", name)


def _sheets(path: Path) -> Iterator[tuple[str, str, Lines]]:
    if path.suffix.lower() in (".xlsx", ".xlsm"):
        try:
            workbook = open_workbook(path)
        except InvalidData as problem:
            raise Usage(problem.message) from problem
        for sheet in workbook.sheet_names:
            label = path.name if len(workbook.sheet_names) == 1 else f"{path.name}, sheet {sheet}"
            problems = Problems()
            batches = list(read_worksheet(workbook, sheet, frozenset(), problems))
            problems.raise_any()
            yield label, path.stem if len(workbook.sheet_names) == 1 else sheet, _worksheet(batches)
        return
    encoding = encoding_of(path)
    if encoding is None:
        raise Usage(f"{path.name} is neither UTF-8 nor Windows-1252 text nor UTF-16 with a byte order mark.")
    known = {squash(name) for columns in COLUMNS.values() for name in columns}
    known |= {squash(name) for aliases in _ALIASES.values() for name in aliases} | {TABLE}
    dialect = dialect_of(path, encoding, known)
    text = path.read_text(encoding)
    yield path.name, path.stem, _delimited_lines(path.name, text, dialect.delimiter, dialect.offset)


def _worksheet(batches: Sequence[object]) -> Lines:
    from engine.intake.imports.batches import Batch

    for batch in batches:
        if not isinstance(batch, Batch):
            continue
        if batch.first_row == 2:
            yield 1, list(batch.header)
        for number, row in enumerate(zip(*batch.columns, strict=True), start=batch.first_row):
            cells = [cell or "" for cell in row]
            if any(cells):
                yield number, cells


def _delimited_lines(label: str, text: str, delimiter: str, offset: int) -> Lines:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    csv.field_size_limit(10_000_000)
    try:
        for number, cells in enumerate(reader, start=1):
            if number > offset and any(cell.strip() for cell in cells):
                yield number, cells
    except csv.Error as error:
        raise Usage(f"{label}, line {reader.line_num}: expected cells whose quotes are closed; {error}.") from error


def _table(label: str, stem: str, header: Sequence[str]) -> str:
    given = slug(stem).replace("-", "_")
    if given in COLUMNS:
        return given
    if given == "frameworks":
        return "own_frameworks"
    for table, marks in _MARKS:
        found = {_column(table, cell) for cell in header}
        if marks <= found:
            return table
    raise refuse(
        f"{label}, header",
        "columns id and title of controls, from and to of pairs, or pattern and control_id of rules",
        ", ".join(header),
    )


def _column(table: str, cell: str) -> str | None:
    key = squash(cell)
    names = {squash(name): name for name in COLUMNS[table]}
    aliases = {squash(name): column for name, column in _ALIASES[table].items()}
    return names.get(key) or aliases.get(key)


def _columns(label: str, table: str, header: Sequence[str]) -> list[str | None]:
    """Our column for each cell of a header; ``details.NAME`` for the columns that frameworks of the program have."""
    found: list[str | None] = []
    for cell in header:
        if not cell.strip():
            found.append(None)
            continue
        name = _column(table, cell)
        if name is None and table == "framework_controls" and squash(cell) in _PACK:
            name = f"details.{_PACK[squash(cell)]}"
        if name is None and table == "own_frameworks":
            name = f"details.{slug(cell).replace('-', '_')}"
        if name is None:
            near = closest_name(cell, COLUMNS[table])
            expected = f"one of {', '.join(COLUMNS[table])}" + (f"; {near} is nearest" if near else "")
            raise refuse(f"{label}, header", expected, cell)
        if name in found:
            raise refuse(f"{label}, header", f"one column {name}", cell)
        found.append(name)
    return found


def _mixed_rows(label: str, header: Sequence[str], lines: Lines, content: FrameworkContent, name: str) -> None:
    for number, cells in lines:
        table = slug(cells[0]).replace("-", "_")
        place = f"{label}, row {number}"
        if table not in COLUMNS:
            raise refuse(f"{place}, table", f"one of {', '.join(COLUMNS)}", cells[0])
        filled = [place for place, cell in enumerate(cells) if place and cell.strip() and place < len(header)]
        columns = _columns(label, table, [header[at] for at in filled])
        _add(content, table, columns, [cells[at] for at in filled], place, name)


def _add(
    content: FrameworkContent, table: str, columns: Sequence[str | None], cells: Sequence[str], place: str, name: str
) -> None:
    if len(cells) > len(columns) and any(cell.strip() for cell in cells[len(columns) :]):
        raise refuse(place, f"{len(columns)} cells, as the header has", f"{len(cells)} cells")
    row: Row = {}
    details: dict[str, object] = {}
    for column, cell in zip(columns, cells, strict=False):
        text = cell.strip()
        if text[:1] == "'" and (text[1:2] == "'" or safe_cell(text[1:]) == text):
            text = text[1:]  # which our own export put before what looks like a formula
        if column is None or not text:
            continue
        head, _, rest = column.partition(".")
        if rest:
            details[rest] = text
        elif head in ("from", "to"):
            end = "source" if head == "from" else "target"
            framework, colon, control = text.partition(":")
            row[f"{end}_framework"], row[f"{end}_id"] = (framework, control.strip()) if colon else (name, text)
        else:
            row[head] = _value(head, text, f"{place}, {head}")
    if details:
        before = row.get("details")
        row["details"] = {**(before if isinstance(before, dict) else {}), **details}
    _own_name(table, row, name)
    content.add(table, row, place)


def _own_name(table: str, row: Row, name: str) -> None:
    """The framework of a row: as given, an identifier of the program where it is one, else that of the file."""
    for column in ("framework", "source_framework", "target_framework"):
        if column in row:
            text = str(row[column])
            row[column] = text if text in FRAMEWORKS else known_framework(text) or text
    if table == "own_frameworks":
        row.setdefault("id", name)
        row.setdefault("title", row["id"])
    elif table == "framework_mappings":
        row.setdefault("source_framework", name)
        row.setdefault("target_framework", name)
    else:
        row.setdefault("framework", name)


def _value(column: str, text: str, place: str) -> object:
    if column in _WHOLE:
        if not text.removesuffix(".0").lstrip("-").isdigit():
            raise refuse(place, "a whole number", text)
        return int(text.removesuffix(".0"))
    if column in _NUMBERS:
        try:
            return float(text)
        except ValueError as error:
            raise refuse(place, "a number", text) from error
    if column in _FLAGS:
        word = text.casefold()
        if word not in _TRUE | _FALSE:
            raise refuse(place, "true or false", text)
        return word in _TRUE
    if column in _JSON:
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise refuse(place, "JSON", text) from error
    if column == "reviewed_on":
        try:
            return date.fromisoformat(text[:10])
        except ValueError as error:
            raise refuse(place, "a date YYYY-MM-DD", text) from error
    if column in ("kind", "cadence", "relation", "outcome", "effect", "model"):
        return text.casefold().replace("_", "-") if column in ("cadence", "model") else text.casefold()
    if column == "evidence_kinds":
        return ";".join(part.strip().casefold() for part in text.replace(",", ";").split(";") if part.strip())
    return text
