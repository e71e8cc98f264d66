"""What the routes of platform administrators share: pages, changes, downloads."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

from engine.model.declarations.ask import Parameter
from engine.model.errors import BadRequest
from engine.render import RENDERERS, download_name
from engine.sales import texts
from engine.sales.history import plain
from engine.store import Revision
from engine.store.queries.sales.commerce import LeadFilter, PilotFilter, Row, page_of
from engine.store.types import canonical_json
from engine.web.admission.access_log import note_access
from engine.web.http import Options, Request, Response, answer

if TYPE_CHECKING:
    import polars as pl

T = TypeVar("T")
PAGE = Parameter("page", 1, "page, from 1", 1, 1_000_000)
PER_PAGE = Parameter("perPage", 50, "rows on a page", 1, 200)
FIRST_DAY, AHEAD = date(2000, 1, 1), timedelta(days=5 * 366)


def page(request: Request, name: str, wanted: LeadFilter | PilotFilter, given: Options) -> Response:
    """One page of what the filter lists, and how many pages there are."""
    number, size = given["page"], given["perPage"]
    with request.services.store.reader() as connection:
        total, rows = page_of(connection, request.caller.org_id, wanted, (number - 1) * size, size)
    shown = [{key: value for key, value in row.items() if key not in ("org_id", "revision")} for row in rows]
    return answer({name: shown, "page": number, "per_page": size, "total": total, "pages": -(-total // size)})


def write(request: Request, change: Callable[[Revision], T]) -> T:
    """A change by the administrator; the platform's organization is made when it is first needed."""
    caller, store = request.caller, request.services.store
    store.ensure_platform(request.now)
    return store.write(caller.org_id, caller.actor, change, now=request.now)


def download(request: Request, what: str, frames: "Iterator[pl.DataFrame]") -> Response:
    """A CSV in pieces; the first is read before anything is sent, so that a failure still has a status of its own."""
    from engine.render.tables.csv import csv_chunks

    request.services.store.ensure_platform(request.now)
    chunks = csv_chunks(frames)
    first = next(chunks)
    left_with = note_access(request, "csv")
    name = download_name(request.services.settings.brand, what, request.now.date(), "csv")
    headers = {"Content-Disposition": f'attachment; filename="{name}"', **left_with}
    return Response(chain([first], chunks), RENDERERS["csv"].content_type, headers=headers)


def frame(rows: Sequence[Row], columns: Sequence[str], types: "Mapping[str, type[pl.DataType]]") -> "pl.DataFrame":
    """Rows as a frame of these columns: instants and JSON as text."""
    import polars as pl

    schema = {name: types.get(name, pl.String) for name in columns}
    cells = [[_cell(row[name]) for name in columns] for row in rows]
    return pl.DataFrame(cells, schema=schema, orient="row")


def day(name: str, text: str) -> date:
    """A query parameter that is a day."""
    try:
        fromisoformat = date.fromisoformat(text) if len(text) == len("2026-11-20") else None
    except ValueError:
        fromisoformat = None
    if fromisoformat is None:
        raise BadRequest(
            f"The parameter {name} must be a date YYYY-MM-DD; got {text[:80]!r}.",
            word="invalid_parameter",
            details=[{"parameter": name, "expected": "a date YYYY-MM-DD", "got": text[:80]}],
        )
    return fromisoformat


def check_day(field: str, value: date | None, today: date) -> None:
    """BadRequest for a day that nobody can mean."""
    if value is not None and not FIRST_DAY <= value <= today + AHEAD:
        raise texts.invalid(field, f"a date from {FIRST_DAY} to {today + AHEAD}", value.isoformat())


def _cell(value: object) -> object:
    if isinstance(value, dict | list):
        return canonical_json(value)
    return plain(value) if isinstance(value, datetime) else value
