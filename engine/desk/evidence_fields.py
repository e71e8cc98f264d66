"""The file of an evidence item at its form: chosen and held, never typed; what an item holds stays."""

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from engine.desk.queries.rows import own_controls
from engine.desk.submissions import FORM, ITEMS
from engine.desk.visits import Visit

FILE, SHA256, CONTROL = "file", "sha256", "control"
MEANING = "its bytes are held here, and their SHA-256 is computed"
ChosenFile = tuple[str, bytes]


def chosen_files(visit: Visit) -> list[ChosenFile]:
    """The files that were chosen at a form, each with its name without folders."""
    return [(_base_name(part.file), part.content) for part in visit.parts if part.file]


def own_control_options(visit: Visit, table: str, row: Mapping[str, object] | None) -> dict[str, tuple[str, str]]:
    """The controls that a new item of evidence may be linked to, those of its author, by ``framework:identifier``."""
    if table != ITEMS or row is not None:
        return {}
    with visit.services.store.reader() as connection:
        own = own_controls(connection, visit.caller.org_id, visit.caller.actor)
    return {f"{framework}:{control}": (framework, control) for framework, control in own}


def wrong_control(known: Mapping[str, tuple[str, str]], typed: str) -> list[dict[str, object]]:
    """A control that is none of the author's own."""
    if not typed or typed in known:
        return []
    return [{"file": FORM, "column": CONTROL, "expected": "a control that you own", "found": typed[:80]}]


def file_fields(table: str) -> tuple[str, ...]:
    """The columns of a form that take a file."""
    return (FILE,) if table == ITEMS else ()


def byte_fields(table: str, row: Mapping[str, object] | None) -> tuple[str, ...]:
    """The columns that say which bytes the item holds, or held: they do not change at a form."""
    return (FILE, SHA256) if table == ITEMS and row is not None and row["held_sha256"] is not None else ()


def wrong_files(
    table: str, row: Mapping[str, object] | None, typed: Mapping[str, str], files: Sequence[ChosenFile]
) -> list[dict[str, object]]:
    """What an item of evidence cannot take: another file than it holds, and more than one."""
    given = {**typed, FILE: files[0][0]} if files else dict(typed)
    wrong: list[dict[str, object]] = []
    for column in byte_fields(table, row):
        there = str((row or {}).get(column) or "")
        if given.get(column, there) != there:
            expected = f"{there or 'nothing'}, as it is held: another file is another item"
            wrong.append({"file": FORM, "column": column, "expected": expected, "found": given[column] or "nothing"})
    if table == ITEMS and len(files) > 1 and not wrong:
        wrong.append({"file": FORM, "column": FILE, "expected": "one file", "found": str(len(files))})
    return wrong


def _base_name(given: str) -> str:
    """Its name without folders, as a cell can have it."""
    return PurePosixPath(given.replace("\\", "/")).name.strip().strip("\ufeff\u200b") or "file"
