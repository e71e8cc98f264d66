"""What may be imported: the importable tables of the schema, seen as columns of a spreadsheet."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from types import MappingProxyType

from sqlalchemy import Column

from engine.intake.imports.values.names import by_squashed, closest_name, squash
from engine.model.errors import Usage
from engine.store.schema import IMPORTABLE
from engine.store.types import Instant, Json

ASSIGNED = {"": ("org_id", "revision"), "audit_log": ("seq", "recorded_at", "hash")}
"""Columns that the console fills in itself, in every table and in one; the schema marks others as internal."""

MADE = {"audit_log": "event_id", "organizations": "id"}
"""Keys that the schema does not mark as primary in a file: one organization, events by their own identifier."""

OPTIONAL = {("organizations", "id"), ("organizations", "created_at")}
"""Columns without a declared default that the import can fill: the organization's name and the time of the import."""

NAMED_KINDS = {
    "framework": "framework",
    "week": "week",
    "controls": "controls",
    "frameworks": "frameworks",
    "email": "email",
    "actor": "person",
    "time_zone": "zone",
    "sha256": "sha256",
}
PYTHON_KINDS: Mapping[type, str] = MappingProxyType(
    {bool: "flag", int: "whole", float: "number", date: "day", str: "text"}
)


@dataclass(frozen=True)
class TableField:
    """A column that a file may have. ``kind`` decides how its cells are read; ``required`` is what a new row needs."""

    name: str
    comment: str
    kind: str
    required: bool
    default: str | bool | None = None
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    limit: int | None = None
    references: str | None = None


@dataclass(frozen=True)
class Importable:
    """A table as a file sees it. ``key`` identifies a row; ``natural`` are the columns that an ``id`` is made from."""

    name: str
    comment: str
    fields: Mapping[str, TableField]
    key: tuple[str, ...]
    natural: tuple[str, ...]
    assigned: tuple[str, ...]

    def headers(self, kind: str) -> frozenset[str]:
        """The squashed names of the columns of one kind."""
        return frozenset(squash(field.name) for field in self.fields.values() if field.kind == kind)

    @property
    def required_columns(self) -> tuple[str, ...]:
        """The columns that a file with new rows must have."""
        return tuple(name for name, field in self.fields.items() if field.required)


@cache
def importable(name: str) -> Importable:
    """The description of one importable table; KeyError for any other name."""
    table = IMPORTABLE[name]
    internal = tuple(column.name for column in table.columns if column.info.get("internal"))
    assigned = (*ASSIGNED[""], *ASSIGNED.get(name, ()), *internal)
    natural = table.info["natural"]
    fields = {
        column.name: _field(name, column, made=bool(natural) and column.name == "id")
        for column in table.columns
        if column.name not in assigned
    }
    key = table.info["primary"] or (MADE[name],)
    return Importable(name, table.comment or "", MappingProxyType(fields), key, natural, assigned)


def _field(table: str, column: Column[object], *, made: bool) -> TableField:
    info, comment = column.info, column.comment or ""
    default = info.get("default")
    optional = column.nullable or default is not None or made or (table, column.name) in OPTIONAL
    return TableField(
        column.name,
        comment,
        _kind(column, comment),
        required=not optional,
        default=default,
        choices=tuple(info.get("choices", ())),
        low=info.get("low"),
        high=info.get("high"),
        limit=getattr(column.type, "length", None),
        references=info.get("references"),
    )


def _kind(column: Column[object], comment: str) -> str:
    """The way to read a cell: by the column's markers, its type, then its name and comment."""
    if isinstance(column.type, Instant):
        return "instant"
    if isinstance(column.type, Json):
        return "json"
    if "choices" in column.info:
        return "choice"
    if column.info.get("control"):
        return "control"
    kind = PYTHON_KINDS[column.type.python_type]
    if kind != "text":
        return kind
    if column.name in NAMED_KINDS:
        return NAMED_KINDS[column.name]
    return "person" if "e-mail address" in comment else "text"


_BY_SQUASHED = by_squashed(IMPORTABLE)


def is_table(text: str) -> bool:
    """Whether an importable table goes by that name, in any spelling."""
    return squash(text) in _BY_SQUASHED


def find_table(text: str, where: str) -> str:
    """The importable table of that name in any spelling; Usage lists those that exist."""
    name = _BY_SQUASHED.get(squash(text))
    if name is None:
        near = closest_name(text, list(IMPORTABLE))
        meant = f" Did you mean {near}?" if near else ""
        raise Usage(f"{where}: {text!r} is not a table that can be imported.{meant} There are {', '.join(IMPORTABLE)}.")
    return name
