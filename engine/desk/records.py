"""How a table looks at the desk, out of its description: columns of its list, fields of its form, keys in addresses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from urllib.parse import urlencode

from engine.desk.acts import cell_text
from engine.desk.evidence_fields import MEANING
from engine.desk.queries.rows import LABELS, Option
from engine.intake.imports.tables import Importable, TableField, importable
from engine.model.errors import NotFound
from engine.model.rights import DUTIES, NO_DUTY
from engine.model.vocabulary import FRAMEWORKS
from engine.store.schema import IMPORTABLE

COLUMNS_OF_LIST = 7
LONG_TEXT = frozenset(
    {"statement", "reason", "justification", "rationale", "note", "body", "summary", "root_cause", "compensating"}
    | {"procedure", "response", "cause", "message", "approval_note", "rollback_plan", "implementation", "runbook"}
    | {"blocked_reason", "scope", "boundary"}
)
FIRST = (*LABELS, "framework", "control_id", "severity", "tier", "priority", "kind", "criticality", "category", "email")
KEY = "key."


@dataclass(frozen=True)
class FormField:
    """A field of a form as the page draws it. ``control``: input, select, textarea or file.

    ``listed`` names its options.
    """

    name: str
    title: str
    comment: str
    control: str
    kind: str
    text: str
    required: bool
    problem: str = ""
    choices: Sequence[tuple[str, str]] = ()
    listed: Sequence[Option] = ()
    elsewhere: str = ""
    low: float | None = None
    high: float | None = None
    fixed: bool = False


def table_named(name: str) -> Importable:
    """The description of an importable table; NotFound for any other name."""
    if name not in IMPORTABLE:
        raise NotFound(f"There is no table {name[:80]!r} at the desk.")
    return importable(name)


@cache
def list_columns(name: str) -> tuple[str, ...]:
    """The columns of a table's list: what names a row first, then whose it is, when it is due and how it stands."""
    table, duty = importable(name), DUTIES.get(name, NO_DUTY)
    last = [column for column in (*duty.owners[:1], duty.due, duty.state) if column]
    plain = [
        field.name
        for field in table.fields.values()
        if field.kind != "json" and field.name not in LONG_TEXT and field.name not in last
    ]
    first = [column for column in FIRST if column in plain and column not in last]
    key = [column for column in table.key if column not in first]
    named = any(column in table.fields for column in LABELS)
    begin = [*first, *key] if named else [*key, *first]
    rest = [column for column in plain if column not in begin]
    shortened = list(dict.fromkeys([*begin, *rest]))[: COLUMNS_OF_LIST - len(last)]
    return tuple(dict.fromkeys([*shortened, *last]))


def words_of(table: Importable) -> Mapping[str, frozenset[str]]:
    """The words of each column that has a choice."""
    return {field.name: frozenset(field.choices) for field in table.fields.values()}


def key_of(table: Importable, row: Mapping[str, object]) -> dict[str, object]:
    """The key of a row of the store."""
    return {name: row[name] for name in table.key}


def key_query(table: Importable, row: Mapping[str, object]) -> str:
    """The key of a row as the query of an address."""
    return urlencode({f"{KEY}{name}": cell_text(row[name]) for name in table.key})


def read_key(table: Importable, query: Mapping[str, str]) -> dict[str, object] | None:
    """The key that an address names; None where it names none. NotFound for one that cannot be."""
    given = {name: query[f"{KEY}{name}"] for name in table.key if f"{KEY}{name}" in query}
    if not given:
        return None
    if set(given) != set(table.key):
        raise NotFound(f"A row of {table.name} is named by {', '.join(table.key)}.")
    return {name: _key_value(table.fields[name], text) for name, text in given.items()}


def _key_value(field: TableField, text: str) -> object:
    try:
        if field.kind == "day":
            return date.fromisoformat(text)
        if field.kind == "instant":
            return datetime.fromisoformat(text)
        if field.kind == "whole":
            return int(text)
    except ValueError as error:
        raise NotFound(f"There is no row whose {field.name} is {text[:80]!r}.") from error
    return text


def form_fields(
    table: Importable,
    texts: Mapping[str, str],
    *,
    people: Mapping[str, str],
    references: Mapping[str, Sequence[Option]],
    problems: Mapping[str, str],
    frameworks: Sequence[str],
    only: Sequence[str] | None = None,
    needed: Sequence[str] = (),
    fixed: Sequence[str] = (),
    files: Sequence[str] = (),
) -> list[FormField]:
    """The fields of a form with what is in them; ``only`` some, in that order. ``needed`` ones cannot be left empty,
    ``fixed`` ones cannot be changed, and for ``files`` one is chosen.

    ``frameworks`` are those of the organization's own, which may be chosen beside those of the program.
    """
    names = list(table.fields) if only is None else list(only)
    fields = []
    for name in names:
        field = table.fields[name]
        control, choices = ("file", ()) if name in files and name not in fixed else _control(field, frameworks)
        target = field.references
        listed: Sequence[Option] = references.get(target, ()) if target else ()
        if field.kind in ("person", "email") and control == "input":
            listed = [Option(email, called) for email, called in people.items()]
        fields.append(
            FormField(
                name, "", MEANING if control == "file" else field.comment, control, field.kind, texts.get(name, ""),
                field.required or name in needed, problems.get(name, ""), choices, listed, target or "",
                field.low, field.high, name in fixed,
            )
        )  # fmt: skip
    return fields


def _control(field: TableField, frameworks: Sequence[str]) -> tuple[str, Sequence[tuple[str, str]]]:
    if field.choices:
        return "select", [("", ""), *((one, one) for one in field.choices)]
    if field.kind == "flag":
        return "select", [("", ""), ("true", "Yes"), ("false", "No")]
    if field.kind == "framework":
        return "select", [("", ""), *((one, one) for one in (*FRAMEWORKS, *frameworks))]
    if field.kind == "json" or field.name in LONG_TEXT:
        return "textarea", ()
    return "input", ()


def row_title(table: Importable, row: Mapping[str, object], titles: Mapping[tuple[str, str], str]) -> str:
    """What a row is called: its title or name, else its control's, else its key."""
    for column in LABELS:
        if row.get(column):
            return str(row[column])
    framework, control = row.get("framework"), row.get("control_id")
    if control:
        title = titles.get((str(framework), str(control)))
        return f"{control} {title}" if title else str(control)
    return ", ".join(cell_text(row[name]) for name in table.key)
