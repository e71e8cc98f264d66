"""Windows of maintenance out of silences, as ``amtool silence query -o json`` and ``/api/v2/silences`` answer."""

from datetime import datetime, timedelta
from pathlib import Path

import msgspec
import polars as pl

from engine.model.errors import InvalidData
from engine.store.types import canonical_json

TABLE = "maintenance_windows"
LARGEST = 32 * 2**20
MOMENT = timedelta(milliseconds=1)
COLUMNS = ("id", "reason", "created_by", "matchers", "starts_at", "ends_at")


class Silence(msgspec.Struct):
    """A silence, as far as it matters here."""

    id: str
    matchers: list[dict[str, str | bool]]
    starts_at: str = msgspec.field(name="startsAt")
    ends_at: str = msgspec.field(name="endsAt")
    comment: str = ""
    created_by: str = msgspec.field(name="createdBy", default="")


def is_silences(path: Path) -> bool:
    """Whether a JSON file is a list of silences, by its first item; an empty list is that there are none."""
    if path.suffix.lower() != ".json" or path.stat().st_size > LARGEST:
        return False
    try:
        raws = msgspec.json.decode(path.read_bytes(), type=list[dict[str, msgspec.Raw]])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return not raws or {"matchers", "startsAt", "endsAt"} <= raws[0].keys()


def read_silences(path: Path) -> pl.DataFrame:
    """The silences as rows of ``maintenance_windows``; InvalidData names what cannot be read."""
    try:
        silences = msgspec.json.decode(path.read_bytes(), type=list[Silence])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InvalidData(f"{path.name} is no list of silences as amtool prints it: {error}.") from error
    rows = [
        (
            one.id,
            one.comment.strip() or f"Silence {one.id}",
            one.created_by or None,
            canonical_json(one.matchers),
            one.starts_at,
            one.ends_at if one.ends_at != one.starts_at else _a_moment_after(one.ends_at),
        )
        for one in silences
    ]
    return pl.DataFrame(rows, schema=dict.fromkeys(COLUMNS, pl.String), orient="row")


def _a_moment_after(text: str) -> str:
    """The end of a silence that was withdrawn before it began, and so ends there: a window has some length."""
    try:
        return (datetime.fromisoformat(text) + MOMENT).isoformat()
    except ValueError:  # whoever checks the cell says what it should be
        return text
