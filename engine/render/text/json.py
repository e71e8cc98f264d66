"""JSON: the envelope that every report shares, then one key for each table.

    {"report": "posture-score", "title": "Posture score", "schema_version": 1,
     "organization": {"id": "aurora", "name": "Aurora Health"}, "as_of": "2026-11-20",
     "revision": {"seq": 812, "hash": "9f2c…"}, "parameters": {"periodDays": 30}, "settings_version": 3,
     "coverage": {"assessed": 45, "total": 61, "pct": 73.8}, "headline": "…", "next_step": "…",
     "summary": {…}, "components": [{…}, …], "definitions": {…}, "footnotes": […], "warnings": […]}

Rows are joined from their members, each different value of a column encoded once by msgspec.
"""

from hashlib import sha256
from typing import Any

import msgspec

from engine.model.documents.document import Coverage, Edition, FrameRow, Table
from engine.model.vocabulary import Json
from engine.render.cell_texts import DictionaryColumn, cell_texts, number_text, remember_with
from engine.render.plain_values import plain_value
from engine.store.types import canonical_json

BEFORE = (
    *("report", "title", "schema_version", "organization", "as_of", "revision", "parameters", "settings_version"),
    *("coverage", "headline", "next_step", "summary"),
)
AFTER = ("definitions", "footnotes", "warnings")
_MEMO = "_json_rows"
_ENCODER = msgspec.json.Encoder()


def render(edition: Edition) -> bytes:
    """The edition as one line of JSON; ValueError names a table that would overwrite a key of the envelope."""
    tables = {name: remember_with(table, _MEMO, _encode) for name, table in _tables(edition).items()}
    return msgspec.json.encode({**_before(edition), **tables, **_after(edition)}) + b"\n"


def envelope(edition: Edition) -> dict[str, Json]:
    """What ``render`` writes, as values that JSON has: dates and instants are text, rows are dictionaries."""
    tables = {name: plain_rows(table) for name, table in _tables(edition).items()}
    return {**_before(edition), **tables, **_after(edition)}


def content_hash(edition: Edition) -> str:
    """SHA-256 of what the edition says, as canonical JSON without its position in the audit chain: any write moves
    that, and what is said stays the same.
    """
    said = {name: value for name, value in envelope(edition).items() if name != "revision"}
    return sha256(canonical_json(said).encode()).hexdigest()


def plain_rows(table: Table) -> list[Json]:
    """The rows of a table as values that JSON has."""
    rows: list[Json] = list(plain_dicts(table))
    return rows


def plain_dicts(table: Table) -> list[FrameRow]:
    """The rows of a table by column."""
    columns = cell_texts(table).plain
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _before(edition: Edition) -> dict[str, Json]:
    document = edition.document
    return {
        "report": edition.report,
        "title": edition.title,
        "schema_version": edition.schema_version,
        "organization": {"id": edition.organization.id, "name": edition.organization.name},
        "as_of": edition.as_of.isoformat(),
        "revision": {"seq": edition.revision.seq, "hash": edition.revision.hash},
        "parameters": plain_value(edition.parameters, "parameters"),
        "settings_version": edition.settings_version,
        "coverage": _coverage(document.coverage),
        "headline": document.headline,
        "next_step": document.next_step,
        "summary": plain_value(document.summary, "summary"),
    }


def _tables(edition: Edition) -> dict[str, Table]:
    tables: dict[str, Table] = {}
    for table in edition.document.tables:
        if table.name in tables or table.name in BEFORE or table.name in AFTER:
            raise ValueError(f"Table {table.name}: the name is taken by the envelope or by another table.")
        tables[table.name] = table
    return tables


def _after(edition: Edition) -> dict[str, Json]:
    document = edition.document
    return {
        "definitions": dict(document.definitions),
        "footnotes": list(document.footnotes),
        "warnings": list(map(str, document.warnings)),
    }


def _coverage(coverage: Coverage | None) -> dict[str, Json] | None:
    if coverage is None:
        return None
    return {"assessed": coverage.assessed, "total": coverage.total, "pct": coverage.pct}


def _encode(table: Table) -> msgspec.Raw:
    members = [_members(name, column) for name, column in cell_texts(table).plain.items()]
    rows = b"},{".join(map(b",".join, zip(*members, strict=True)))
    return msgspec.Raw(b"[{" + rows + b"}]" if rows else b"[]")


def _members(name: str, column: DictionaryColumn) -> DictionaryColumn:
    """A column as members of objects: a name, a colon and a value."""
    key, values = msgspec.json.encode(name) + b":", column.values
    if any(type(value) in (float, list) for value in values):
        values = list(map(_exact, values))
    texts = _ENCODER.encode_lines(values).split(b"\n")  # no value has a line break: in JSON texts they are escaped
    return DictionaryColumn([key + text for text in texts[: len(values)]], column.rows)


def _exact(cell: Any) -> Any:  # a plain value, which msgspec encodes
    """A number as Polars writes it; msgspec has 1e16 for 1e+16 and 1.5e-5 for 0.000015."""
    if isinstance(cell, list):
        return list(map(_exact, cell))
    if not isinstance(cell, float) or not cell or 1e-4 <= abs(cell) < 1e16:
        return cell
    return msgspec.Raw(number_text(cell).encode())
