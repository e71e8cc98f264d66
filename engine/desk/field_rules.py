"""What a form says besides what its columns take: what is needed, who can be named, how long a reason is."""

from collections.abc import Mapping, Sequence

from engine.desk.acts import NEEDED_WITH, OPTIONAL, cell_text
from engine.desk.queries.rows import active_role
from engine.desk.submissions import FORM
from engine.desk.visits import Visit
from engine.intake.imports.tables import Importable, TableField

Problem = dict[str, object]

WHY = "why"
SAYERS: Mapping[str, Sequence[str]] = {"audit_log": ("actor",)}  # who is said to have done what a new row tells
MOST_WHY = 2_000  # characters: the audit log keeps them for good


def missing_cells(table: Importable, typed: Mapping[str, str]) -> list[Problem]:
    """What an act cannot do without: a date that is emptied would make nothing late."""
    return [_missing(table.fields[name]) for name, text in typed.items() if not text and name not in OPTIONAL]


def missing_with(table: Importable, row: Mapping[str, object], typed: Mapping[str, str]) -> list[Problem]:
    """What a record cannot be without since something else is filled in; one that is so already may stay."""
    given, needed = NEEDED_WITH.get(table.name, ("", ""))
    before = {name: cell_text(row.get(name)) for name in (given, needed)}
    after = {name: typed.get(name, text) for name, text in before.items()}
    return [_missing(table.fields[needed])] if after[given] and not after[needed] and after != before else []


def _missing(field: TableField) -> Problem:
    return {"file": FORM, "column": field.name, "expected": _kind_of(field), "found": "nothing"}


def _kind_of(field: TableField) -> str:
    if field.choices:
        return f"one of {', '.join(field.choices)}"
    return "a day" if field.kind == "day" else field.comment or "something"


def long_why(text: str) -> list[Problem]:
    """A reason that is more than one."""
    length = len(text)
    expected, found = f"at most {MOST_WHY:,} characters", f"{length:,}"
    return [{"file": FORM, "column": WHY, "expected": expected, "found": found}] if length > MOST_WHY else []


def strangers(visit: Visit, typed: Mapping[str, str]) -> list[Problem]:
    """Who is to do something and is no active member of the organization."""
    to = typed.get("delegated_to", "").lower()
    if not to:
        return []
    with visit.services.store.reader() as connection:
        if active_role(connection, visit.caller.org_id, to) is not None:
            return []
    return [{"file": FORM, "column": "delegated_to", "expected": "the address of an active member", "found": to}]


def other_names(visit: Visit, name: str, typed: Mapping[str, str]) -> list[Problem]:
    """An event that is recorded in another's name: what others did comes with a file, whose import says so."""
    return [
        {"file": FORM, "column": column, "expected": f"your own address, {visit.caller.actor}", "found": typed[column]}
        for column in SAYERS.get(name, ())
        if typed.get(column, "").strip().lower() not in ("", visit.caller.actor)
    ]
