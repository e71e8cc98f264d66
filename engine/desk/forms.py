"""Forms: a new row, a row that exists, an act. Every one is an import of one row, checked by the import itself."""

import re
from collections.abc import Collection, Mapping, Sequence
from urllib.parse import urlencode

from engine.desk.acts import ACTS, OPTIONAL, Act, acts_of, cell_text, value
from engine.desk.changes import submit
from engine.desk.day_rules import DAYS_AHEAD, bare_deadlines, wrong_days
from engine.desk.evidence_fields import (
    CONTROL,
    byte_fields,
    chosen_files,
    file_fields,
    own_control_options,
    wrong_control,
    wrong_files,
)
from engine.desk.field_rules import SAYERS, WHY, long_why, missing_cells, missing_with, other_names, strangers
from engine.desk.notices import NOTICE, notice_of
from engine.desk.queries.rows import Option, find_row, options
from engine.desk.records import form_fields, key_of, key_query, read_key, row_title, table_named
from engine.desk.submissions import CHANGED, FORM, ITEMS, Submission
from engine.desk.titles import control_titles
from engine.desk.visits import Reply, Visit
from engine.desk.wording import column_title, display, table_title
from engine.desk.work import task_acts
from engine.evidence.items import ITEM_ADDED
from engine.intake.imports.tables import Importable
from engine.model.errors import Conflict, InvalidData, NotFound, Usage
from engine.model.rights import DUTIES, NO_DUTY, is_own
from engine.store.queries.own_frameworks import own_framework_ids

CELL, SEEN, WAS = "cell.", "seen", "was."
_OWN_PAGE = re.compile(r"/(?:[^/\\\x00-\x20][^\\\x00-\x20]*)?")  # browsers take a backslash for a slash, and drop tabs


def edit_form(visit: Visit, name: str) -> Reply:
    """The form of a row that exists, with the acts that there are; what cannot be changed by the caller is shown."""
    table, row = _row_of_query(visit, name)
    return _form(visit, table, row, {field: cell_text(row[field]) for field in table.fields})


def new_form(visit: Visit, name: str) -> Reply:
    """The empty form of a table, filled with what is meant where nothing is said; the address may fill more."""
    table = table_named(name)
    visit.must(name, "add")
    texts = {field.name: cell_text(field.default) for field in table.fields.values() if field.default is not None}
    texts |= {field: text for field, text in visit.query.items() if field in table.fields}
    for who in (*DUTIES.get(name, NO_DUTY).owners[:1], *SAYERS.get(name, ())):
        texts.setdefault(who, visit.caller.actor)
    return _form(visit, table, None, texts)


def save(visit: Visit, name: str) -> Reply:
    """A form that was posted: written, or shown again with what is wrong, and nothing that was typed is lost."""
    table = table_named(name)
    key = read_key(table, visit.query)
    typed = {field: visit.form.get(f"{CELL}{field}", "") for field in table.fields if f"{CELL}{field}" in visit.form}
    row = None if key is None else _row(visit, table, key)
    if row is None:
        visit.must(name, "add", own=is_own(name, typed, visit.caller.actor))
        cells = {field: text or None for field, text in typed.items() if text or table.fields[field].required}
    else:
        visit.must(name, "change", own=is_own(name, row, visit.caller.actor))
        keys = {field: cell_text(row[field]) or None for field in table.key}
        cells = {**{field: text or None for field, text in typed.items()}, **keys}
    files = chosen_files(visit) if name == ITEMS else []
    controls, control = own_control_options(visit, name, row), visit.form.get(CONTROL, "")
    days = [*wrong_days(table, row or {}, typed, visit.today, visit.now), *bare_deadlines(table, row or {}, typed)]
    why = visit.form.get(WHY, "")
    others = [*missing_with(table, row or {}, typed), *wrong_files(name, row, typed, files), *long_why(why)]
    others += wrong_control(controls, control)
    if details := [*days, *others, *other_names(visit, name, typed)]:
        problem = InvalidData("Some of what was filled in does not hold.", details=details)
        return _form(visit, table, row, typed, problem=problem, status=400)
    cells = {field: text for field, text in cells.items() if field not in byte_fields(name, row)}
    cells |= {field: file for field in file_fields(name) for file, _ in files}
    form = Submission(
        visit.author, name, "add" if row is None else "change", cells, key, _revision_of_form(visit),
        ITEM_ADDED if files else "record.added" if row is None else "record.changed", why,
        own_files=dict(files), control=controls.get(control),
    )  # fmt: skip
    return _submission_reply(visit, table, row, typed, form, None)


def act_form(visit: Visit, name: str, act_name: str) -> Reply:
    """The form of an act: two fields, filled in."""
    table, row = _row_of_query(visit, name)
    act = _act(visit, name, act_name, row)
    texts = {column: _value(visit, act, source, column, row) or "" for column, source in act.asks.items()}
    return _form(visit, table, row, texts, act=act)


def do_act(visit: Visit, name: str, act_name: str) -> Reply:
    """An act that was posted."""
    table, row = _row_of_query(visit, name)
    act = ACTS.get((name, act_name))
    if act is None:
        raise NotFound(f"There is no act {act_name[:80]!r} in {name}.")
    visit.must(name, act_name, own=is_own(name, row, visit.caller.actor))
    typed = {column: visit.form.get(f"{CELL}{column}", "") for column in act.asks}
    if not act.applies(row):
        raise Conflict(f"{act.title} is over for this record: it stands otherwise now.", word="act_over")
    days, why = wrong_days(table, row, typed, visit.today, visit.now, DAYS_AHEAD), visit.form.get(WHY, "")
    if details := [*missing_cells(table, typed), *days, *strangers(visit, typed), *long_why(why)]:
        problem = InvalidData("Some of what was filled in does not hold.", details=details)
        return _form(visit, table, row, typed, act=act, problem=problem, status=400)
    cells: dict[str, str | None] = {column: cell_text(row[column]) or None for column in _naming_columns(table)}
    cells |= {column: text or None for column, text in typed.items()}
    cells |= {column: _value(visit, act, source, column, row) for column, source in act.sets.items()}
    files = chosen_files(visit) if act.takes_files else []
    form = Submission(
        visit.author, name, act_name, cells, key_of(table, row), _revision_of_form(visit), act.event_for(typed), why,
        act.step, files,
    )  # fmt: skip
    return _submission_reply(visit, table, row, typed, form, act)


def _submission_reply(
    visit: Visit,
    table: Importable,
    row: Mapping[str, object] | None,
    typed: Mapping[str, str],
    form: Submission,
    act: Act | None,
) -> Reply:
    try:
        changed = visit.compute(submit, form, visit.now)
    except (InvalidData, Usage) as error:
        return _form(visit, table, row, typed, act=act, problem=error, status=400)
    except Conflict as error:
        if error.word == CHANGED:
            row = None if form.key is None else _row(visit, table, form.key)
            kept = typed if row is None else {**typed, **_own_values(visit, row, typed)}
            return _form(visit, table, row, kept, act=act, conflict=True, status=409)
        return _form(visit, table, row, typed, act=act, problem=error, status=409)
    title = table_title(table.name) if act is None else act.title
    back = visit.form.get("back", "")
    where = back if _OWN_PAGE.fullmatch(back) else f"/tables/{table.name}"
    joined = "&" if "?" in where else "?"
    return Reply(status=303, to=f"{where}{joined}{urlencode({NOTICE: notice_of(title, bool(changed))})}")


def _own_values(visit: Visit, row: Mapping[str, object], typed: Mapping[str, str]) -> dict[str, str]:
    """What the record has by now in fields that nobody typed into: sending the form again leaves it."""
    return {name: cell_text(row[name]) for name, text in typed.items() if text == visit.form.get(f"{WAS}{name}")}


def _form(
    visit: Visit,
    table: Importable,
    row: Mapping[str, object] | None,
    texts: Mapping[str, str],
    *,
    act: Act | None = None,
    problem: InvalidData | Conflict | Usage | None = None,
    conflict: bool = False,
    status: int = 200,
) -> Reply:
    name = table.name
    own = row is not None and is_own(name, row, visit.caller.actor)
    right = "add" if row is None else "change"
    writes = act is not None or visit.may(name, right, own=own)
    by_field, general = _problems(problem, {*(table.fields if act is None else act.asks), WHY, CONTROL})
    fixed = (*table.key, *byte_fields(name, row)) if row is not None and act is None else ()
    fields = form_fields(
        table,
        texts,
        people=visit.people,
        references=_references(visit, table),
        problems=by_field,
        frameworks=_own_frameworks(visit),
        only=None if act is None else list(act.asks),
        needed=() if act is None else [column for column in act.asks if column not in OPTIONAL],
        fixed=fixed,
        files=file_fields(name),
    )
    titles = control_titles(visit)
    return visit.reply(
        "form.html",
        status=status,
        table=table,
        row=row,
        title=row_title(table, row, titles) if row is not None else f"New: {table_title(name)}",
        control=titles.get((str((row or {}).get("framework")), str((row or {}).get("control_id"))), ""),
        fields=fields,
        act=act,
        acts=[] if row is None or act is not None else task_acts(visit, name, row),
        writes=writes,
        general=general,
        wrong=len(by_field),
        wrong_why=by_field.get(WHY, ""),
        own_controls=[
            (value, *key, titles.get(key, ""))
            for value, key in own_control_options(visit, name, row if act is None else {}).items()
        ],
        chosen_control=visit.form.get(CONTROL, "") if visit.request.method == "POST" else visit.query.get(CONTROL, ""),
        wrong_control=by_field.get(CONTROL, ""),
        differences=_differences(visit, table, row, texts) if conflict and row is not None else None,
        was={field: cell_text(row[field]) for field in table.fields} if row is not None else {},
        seen="" if row is None else row["revision"],
        key=key_query(table, row) if row is not None else "",
        facts=_facts(visit, table, row, whole=act is None) if row is not None and (act or not writes) else [],
        choose_again=visit.request.method == "POST" and any(part.file for part in visit.parts),
        why=visit.form.get(WHY, "") if visit.request.method == "POST" else "",
        back=visit.form.get("back", "") if visit.request.method == "POST" else visit.query.get("back", ""),
        label=lambda column: column_title(column),
    )


def _problems(
    problem: InvalidData | Conflict | Usage | None, shown: Collection[str]
) -> tuple[dict[str, str], list[str]]:
    """What is wrong by field that is ``shown``, in the words of the import, and what belongs to none."""
    if problem is None:
        return {}, []
    by_field: dict[str, str] = {}
    general: list[str] = []
    for cell in problem.details:
        text = f"Expected {cell['expected']}; got {cell['found']}."
        columns = [one.strip() for one in str(cell["column"]).split(",")]
        if cell.get("file") == FORM and columns[0] in shown:
            by_field.setdefault(columns[0], text)
        else:
            general.append(f"{cell['column']}: {text}")
    return by_field, general if by_field or general else [problem.message]


def _differences(
    visit: Visit, table: Importable, row: Mapping[str, object], texts: Mapping[str, str]
) -> list[tuple[str, str, str, str]]:
    """What changed since the form was filled: column, what it was, what it is now, what was typed."""
    differences = []
    for name in table.fields:
        was, now = visit.form.get(f"{WAS}{name}"), cell_text(row[name])
        if was is not None and was != now:
            typed = texts.get(name, was)
            differences.append((name, was, now, "" if visit.form.get(f"{CELL}{name}", was) == was else typed))
    return differences


def _facts(visit: Visit, table: Importable, row: Mapping[str, object], *, whole: bool) -> list[tuple[str, str]]:
    """What a row says, for those who decide on it; ``whole`` for those who may only read it."""
    facts = []
    for field in table.fields.values():
        if row.get(field.name) not in (None, "") and (whole or field.kind != "json"):
            text = display(row[field.name], field.name, visit.people, frozenset(field.choices))
            facts.append((column_title(field.name), text))
    return facts


def _references(visit: Visit, table: Importable) -> dict[str, Sequence[Option]]:
    targets = {field.references for field in table.fields.values() if field.references}
    with visit.services.store.reader() as connection:
        return {target: options(connection, target, visit.caller.org_id) for target in sorted(targets)}


def _own_frameworks(visit: Visit) -> list[str]:
    with visit.services.store.reader() as connection:
        return own_framework_ids(connection, visit.caller.org_id)


def _row_of_query(visit: Visit, name: str) -> tuple[Importable, dict[str, object]]:
    table = table_named(name)
    visit.must(name, "read")
    key = read_key(table, visit.query)
    if key is None:
        raise NotFound(f"Name the row of {name} by {', '.join(table.key)}.")
    return table, _row(visit, table, key)


def _row(visit: Visit, table: Importable, key: Mapping[str, object]) -> dict[str, object]:
    with visit.services.store.reader() as connection:
        row = find_row(connection, table.name, visit.caller.org_id, key)
    if row is None:
        raise NotFound(f"There is no such row of {table.name}: {', '.join(str(one)[:80] for one in key.values())}.")
    return row


def _act(visit: Visit, name: str, act_name: str, row: Mapping[str, object]) -> Act:
    act = ACTS.get((name, act_name))
    if act is None:
        raise NotFound(f"There is no act {act_name[:80]!r} in {name}; there is {_names(name)}.")
    visit.must(name, act_name, own=is_own(name, row, visit.caller.actor))
    if not act.applies(row):
        raise Conflict(f"{act.title} is over for this record: it stands otherwise now.", word="act_over")
    return act


def _names(name: str) -> str:
    return ", ".join(act.name for act in acts_of(name)) or "none"


def _value(visit: Visit, act: Act, source: str, column: str, row: Mapping[str, object]) -> str | None:
    return value(source, column, row, visit.caller.actor, visit.now, visit.today)


def _revision_of_form(visit: Visit) -> int | None:
    text = visit.form.get(SEEN, "")
    return int(text) if text.isascii() and text.isdigit() else None


def _naming_columns(table: Importable) -> Sequence[str]:
    """The columns that a row of an act has besides those that it changes: its key, and what a control is named by."""
    control = [column for column in ("framework", "control_id") if column in table.fields]
    return tuple(dict.fromkeys([*table.key, *control]))
