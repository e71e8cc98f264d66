"""What a row of a report, or a row that was written, is about: the words by which the two find each other.

A subject is ``("control", framework, control)``, ``("record", table, id)``, ``("framework", framework)`` or
``("person", e-mail)``. A row of a report whose ``id`` may be of any table has ``("record", "", id)``.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from typing import TypeAlias

from engine.store.queries.history.writes import RowWrite
from engine.store.schema import LOGGED
from engine.store.schema.frameworks import framework_controls

Subject: TypeAlias = tuple[str, ...]
_CONTROL_OF = {framework_controls.name: "id"}  # a table whose rows are controls themselves
_PEOPLE = ("owner", "email", "recipient")


def subjects_of_row(row: Mapping[str, object], sources: Mapping[str, str]) -> list[Subject]:
    """What a row of a report is about; ``sources``: the record behind each duty, as ``table/id``."""
    found: list[Subject] = []
    framework, control = row.get("framework"), row.get("control_id")
    if isinstance(framework, str) and isinstance(control, str):
        found.append(("control", framework, control))
    for name, value in row.items():
        if not isinstance(value, str):
            continue
        if name == "gap_id" and ":" in value:
            found.append(("control", *value.split(":", 1)))
        elif name == "obligation_id":
            found.extend(_source(sources.get(value, "")))
        elif name == "id":
            found.append(("record", "", value.removesuffix("-next")))
        elif name.endswith("_id") and name != "control_id":
            found.extend(("record", table, value) for table in _tables_named(name.removesuffix("_id")))
    if found:
        return list(dict.fromkeys(found))
    if isinstance(framework, str):
        return [("framework", framework)]
    first = next((name for name in row if name != "week"), "")  # of a thing the owner is not what it is about
    named = row.get(first) if first in _PEOPLE else None
    return [("person", named)] if isinstance(named, str) and "@" in named else []


def is_of_one_record(row: Mapping[str, object]) -> bool:
    """Whether a row of a report names the one control or record that it is about."""
    return any(subject[0] in ("control", "record") for subject in subjects_of_row(row, {})) or "obligation_id" in row


def subjects_of_write(write: RowWrite) -> list[Subject]:
    """What a written row is about: itself, the control that it names, the rows that it refers to."""
    table = LOGGED[write.table]
    named = dict(zip(table.info["primary"], write.key, strict=True))
    values = {**(write.before or {}), **(write.after or {}), **named}
    found: list[Subject] = []
    if table.info["primary"] == ("id",):
        found += [("record", write.table, str(write.key[0])), ("record", "", str(write.key[0]))]
    framework, control = values.get("framework"), values.get(_CONTROL_OF.get(write.table, "control_id"))
    if framework and control:
        found.append(("control", str(framework), str(control)))
    elif "framework" in named:
        found.append(("framework", str(framework)))
    if "email" in named and not control:
        found.append(("person", str(named["email"])))
    for column in table.columns:
        referred = column.info.get("references")
        if referred and values.get(column.name):
            found.append(("record", referred, str(values[column.name])))
    return found


def tables_about(wanted: Collection[Subject], tables: Iterable[str]) -> frozenset[str]:
    """Those of the tables in which a written row can be about any of these: by its key and its columns alone."""
    kinds = {subject[:2] if subject[0] == "record" else subject[:1] for subject in wanted}
    return frozenset(name for name in tables if not kinds.isdisjoint(_kinds_of_table(name)))


def _kinds_of_table(name: str) -> Iterator[Subject]:
    """The kinds of subject that ``subjects_of_write`` gives a row of the table."""
    table, names = LOGGED[name], {column.name for column in LOGGED[name].columns}
    if table.info["primary"] == ("id",):
        yield from (("record", name), ("record", ""))
    if {"framework", _CONTROL_OF.get(name, "control_id")} <= names:
        yield ("control",)
    yield from (
        (kind,) for kind, key in (("framework", "framework"), ("person", "email")) if key in table.info["primary"]
    )
    for column in table.columns:
        if referred := column.info.get("references"):
            yield "record", referred


def _source(reference: str) -> list[Subject]:
    table, _, name = reference.partition("/")
    if table == "organization_frameworks":
        return [("framework", name)]
    return [("record", table, name)] if name else []


@cache
def _tables_named(noun: str) -> tuple[str, ...]:
    """Tables whose rows are called so: ``run`` is a row of test_runs, ``policy`` one of policies."""
    plurals = (f"{noun}s", f"{noun.removesuffix('y')}ies")
    return tuple(name for name in LOGGED if name in plurals or name.endswith(tuple(f"_{one}" for one in plurals)))
