"""JSON: the envelope that every report shares, then one key for each table.

    {"report": "posture-score", "title": "Posture score", "schema_version": 1,
     "organization": {"id": "aurora", "name": "Aurora Health"}, "as_of": "2026-11-20",
     "revision": {"seq": 812, "hash": "9f2c…"}, "parameters": {"periodDays": 30}, "settings_version": 3,
     "coverage": {"assessed": 45, "total": 61, "pct": 73.8}, "headline": "…", "summary": {…},
     "components": [{…}, …], "definitions": {…}, "footnotes": […], "warnings": […]}

Rows are written by Polars, which takes half the time of encoding Python rows; msgspec writes the rest.
"""

from collections.abc import Callable

import msgspec

from engine.model.document import Coverage, Edition, Table
from engine.reporting.render.cells import finite, plain, plain_value

AFTER = ("definitions", "footnotes", "warnings")


def render(edition: Edition) -> bytes:
    """The edition as one line of JSON; ValueError names a table that would overwrite a key of the envelope."""
    return msgspec.json.encode(_envelope(edition, _encoded)) + b"\n"


def envelope(edition: Edition) -> dict[str, object]:
    """What ``render`` writes, as values that JSON has: dates and instants are text, rows are dictionaries."""
    return _envelope(edition, plain_rows)


def plain_rows(table: Table) -> list[dict[str, object]]:
    """The rows of a table as values that JSON has."""
    finite(table)
    return plain(table).to_dicts()


def _envelope(edition: Edition, rows: Callable[[Table], object]) -> dict[str, object]:
    document = edition.document
    envelope: dict[str, object] = {
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
        "summary": plain_value(document.summary, "summary"),
    }
    for table in document.tables:
        if table.name in envelope or table.name in AFTER:
            raise ValueError(f"Table {table.name}: the name is taken by the envelope or by another table.")
        envelope[table.name] = rows(table)
    envelope["definitions"] = dict(document.definitions)
    envelope["footnotes"] = list(document.footnotes)
    envelope["warnings"] = list(document.warnings)
    return envelope


def _coverage(coverage: Coverage | None) -> dict[str, object] | None:
    if coverage is None:
        return None
    return {"assessed": coverage.assessed, "total": coverage.total, "pct": coverage.pct}


def _encoded(table: Table) -> msgspec.Raw:
    finite(table)
    return msgspec.Raw(plain(table).write_json().encode())
