"""All tables, and the list of one: filter, sort, state, owner, due, counts, one page at a time."""

from collections.abc import Mapping
from urllib.parse import urlencode

from engine.desk.acts import acts_of
from engine.desk.lateness import LateDays
from engine.desk.notices import NOTICE, notice_from
from engine.desk.queries.lists import ListQuery, counts, key_column, list_page
from engine.desk.queries.words import ListWords, search_columns
from engine.desk.records import key_query, list_columns, table_named, words_of
from engine.desk.titles import control_titles
from engine.desk.visits import Reply, Visit
from engine.desk.wording import column_title, display, person_title
from engine.desk.work import task_acts
from engine.model.errors import BadRequest
from engine.model.rights import DUTIES, NO_DUTY, WorkColumns
from engine.store.schema import IMPORTABLE

NAMES = frozenset({"name", "display_name"})  # columns with the name of a person
DUE_WORDS = {"": "any time", "late": "late", "week": "within 7 days", "month": "within 30 days"}


def tables(visit: Visit) -> Reply:
    """Every table that the caller may look at, with how many rows it has."""
    with visit.services.store.reader() as connection:
        rows = counts(connection, visit.caller.org_id)
    listed = [
        (name, table_named(name).comment, rows[name], visit.may(name, "add"))
        for name in IMPORTABLE
        if visit.may(name, "read")
    ]
    work = [line for line in listed if acts_of(line[0])]
    return visit.reply("tables.html", work=work, others=[line for line in listed if line not in work])


def table_list(visit: Visit, name: str) -> Reply:
    """One page of a table."""
    table = table_named(name)
    visit.must(name, "read")
    query = _query(visit.query, name)
    columns, words, duty = list_columns(name), words_of(table), DUTIES.get(name, NO_DUTY)
    late, titles, people = visit.late_rows([name]).get(name), control_titles(visit), visit.people

    has_names = not NAMES.isdisjoint(table.fields)  # of its own, so that addresses stand beside them

    def cell(column: str, value: object) -> str:
        called = {} if column == "email" and has_names else people
        return display(value, column, called, words.get(column, frozenset()))

    with visit.services.store.reader() as connection:
        page = list_page(
            connection,
            name,
            visit.caller.org_id,
            query,
            today=visit.today,
            texts=search_columns(name, columns),
            words=ListWords(cell, titles),
            late=late,
        )
    rows = [
        (
            key_query(table, row),
            [(column, cell(column, _value(row, column, duty, name, late))) for column in columns],
            titles.get((str(row.get("framework")), str(row.get("control_id"))), ""),
            task_acts(visit, name, row),
            duty.due is not None and _late(visit, row, name, late),
        )
        for row in page.rows
    ]
    return visit.reply(
        "list.html",
        table=table,
        page=page,
        query=query,
        columns=columns,
        rows=rows,
        duty=duty,
        due_words=DUE_WORDS,
        owner_names=people,
        label=column_title if has_names else person_title,
        link=lambda **changed: _link(visit.query, changed),
        notice=notice_from(visit),
    )


def _value(row: Mapping[str, object], column: str, duty: WorkColumns, name: str, late: LateDays | None) -> object:
    """The value of a cell; where the row has no day and is late, the one that it was due on."""
    if row[column] is not None or column != duty.due or not late:
        return row[column]
    return late.get(str(row[key_column(name).name]))


def _late(visit: Visit, row: Mapping[str, object], name: str, late: LateDays | None) -> bool:
    if late is not None:
        return str(row[key_column(name).name]) in late
    duty = DUTIES[name]
    due, state = row.get(str(duty.due)), row.get(str(duty.state)) if duty.state else None
    live = (not duty.live or state in duty.live) and not any(row.get(column) for column in duty.unless)
    return due is not None and live and str(due) < visit.today.isoformat()


def _query(given: Mapping[str, str], name: str) -> ListQuery:
    """What the address asks for; BadRequest for what no list knows."""
    number, sort, due = given.get("page", "1"), given.get("sort", ""), given.get("due", "")
    if not (number.isascii() and number.isdigit() and 0 < int(number) < 1_000_000):
        raise BadRequest(f"A page is a number from 1; got {number[:40]!r}.", word="invalid_parameter")
    if sort and sort.removeprefix("-") not in table_named(name).fields:
        raise BadRequest(f"There is no column {sort[:80]!r} to sort {name} by.", word="invalid_parameter")
    if due not in DUE_WORDS:
        raise BadRequest(f"due is one of {', '.join(filter(None, DUE_WORDS))}; got {due[:40]!r}.")
    return ListQuery(
        given.get("q", "").strip()[:200], given.get("state", ""), given.get("owner", ""), due, sort, int(number)
    )


def _link(given: Mapping[str, str], changed: Mapping[str, object]) -> str:
    """The address of the same list with something else; filters begin at the first page."""
    kept = {name: value for name, value in given.items() if name not in ("page", NOTICE) and value}
    return f"?{urlencode({name: value for name, value in (kept | dict(changed)).items() if value})}"
