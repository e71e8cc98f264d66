"""One column of text cells becomes one column of values; what cannot be read becomes null."""

import re
from collections.abc import Callable
from datetime import date
from functools import cache
from zoneinfo import available_timezones

import msgspec
import polars as pl

from engine.intake.imports.tables import TableField
from engine.intake.imports.values import cells, controls
from engine.intake.imports.values.cells import Notation
from engine.intake.imports.values.names import by_squashed
from engine.model.figures.formulas import iso_week
from engine.store.types import canonical_json

TEXT_LIMIT = 100_000
DTYPES: dict[str, pl.DataType] = {
    "whole": pl.Int64(),
    "number": pl.Float64(),
    "flag": pl.Boolean(),
    "day": pl.Date(),
    "instant": pl.Datetime("us", "UTC"),
}
_PLAIN_NUMBER = r"^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,2})?$"
_ADDRESS = r"^[^@\s,;<>]+@[^@\s,;<>]+$"
_SHA256 = re.compile(r"[0-9a-fA-F]{64}")
_UNPRINTABLE = r"[\x00-\x08\x0b\x0c\x0e-\x1f]"


def dtype(field: TableField) -> pl.DataType:
    """The type of a column's values; JSON values are canonical text."""
    return DTYPES.get(field.kind, pl.String())


def values(raw: pl.Series, field: TableField, notation: Notation) -> pl.Series:
    """The values of stripped text cells (null where empty); null too where a cell cannot be read as its column asks."""
    read = _READERS.get(field.kind)
    result = read(raw, field, notation) if read else _text(raw, field)
    if field.low is not None or field.high is not None:
        low = float("-inf") if field.low is None else field.low
        high = float("inf") if field.high is None else field.high
        result = result.set(~result.is_between(low, high), None)
    return result


def _each(parse: Callable[[str], object]) -> Callable[[pl.Series, pl.DataType], pl.Series]:
    """Parse every distinct cell once."""

    def translate(raw: pl.Series, kind: pl.DataType) -> pl.Series:
        distinct = raw.drop_nulls().unique()
        parsed = pl.Series([parse(text) for text in distinct], dtype=kind)
        return raw.replace_strict(distinct, parsed, default=None, return_dtype=kind)

    return translate


def _text(raw: pl.Series, field: TableField) -> pl.Series:
    wrong = raw.str.contains(_UNPRINTABLE) | raw.is_in(cells.SPREADSHEET_ERRORS)
    return raw.set(wrong | (raw.str.len_chars() > (field.limit or TEXT_LIMIT)), None)


def _person(raw: pl.Series, field: TableField, notation: Notation) -> pl.Series:
    """Addresses in lower case; names of systems stay as they are."""
    text = _text(raw, field)
    return text.str.to_lowercase().zip_with(text.str.contains("@", literal=True).fill_null(False), text)


def _email(raw: pl.Series, field: TableField, notation: Notation) -> pl.Series:
    text = _person(raw, field, notation)
    return text.set(~text.str.contains(_ADDRESS), None)


def _number(raw: pl.Series, field: TableField, notation: Notation) -> pl.Series:
    """Plain numbers in one pass; the rest cell by cell. The percent sign is allowed where percentages are meant."""
    kind, parse = dtype(field), cells.whole_number if field.kind == "whole" else cells.number
    plain = raw.str.strip_suffix("%").str.strip_chars() if field.name.endswith("_pct") else raw
    simple = plain.str.contains(_PLAIN_NUMBER)
    if notation.decimal != ".":
        simple &= ~plain.str.contains(".", literal=True)
    fast = plain.set(~simple, None).cast(kind, strict=False)
    return _complete(fast, plain, lambda text: parse(text, notation))


def _flag(raw: pl.Series, field: TableField, notation: Notation) -> pl.Series:
    return _each(cells.FLAGS.get)(raw.str.to_lowercase(), dtype(field))


def _choice(raw: pl.Series, field: TableField, notation: Notation) -> pl.Series:
    words = by_squashed(field.choices)
    return _each(lambda text: words.get("".join(filter(str.isalnum, text.casefold()))))(raw, dtype(field))


def _day(raw: pl.Series, field: TableField, notation: Notation) -> pl.Series:
    fast = raw.set(~raw.str.contains(r"^(19|20|21)\d\d-\d\d-\d\d$"), None).str.to_date("%Y-%m-%d", strict=False)
    return _complete(fast, raw, lambda text: cells.day(text, notation))


def _instant(raw: pl.Series, field: TableField, notation: Notation) -> pl.Series:
    iso = raw.set(~raw.str.contains(r"^(19|20|21)\d\d-\d\d-\d\dT\d\d:\d\d:[0-5]\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$"), None)
    fast = iso.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f%#z", strict=False, time_unit="us")
    return _complete(fast, raw, lambda text: cells.instant(text, notation))


def _complete(fast: pl.Series, raw: pl.Series, parse: Callable[[str], object]) -> pl.Series:
    """What the fast way could not read, cell by cell."""
    left = fast.is_null() & raw.is_not_null()
    if not left.any():
        return fast
    slow = _each(parse)(raw.set(~left, None), fast.dtype)
    return fast.zip_with(~left, slow)


def _json(raw: pl.Series, field: TableField, notation: Notation) -> pl.Series:
    """JSON text in its canonical form."""
    return pl.Series(raw.name, [None if text is None else _canonical(text) for text in raw], dtype=pl.String)


def _canonical(text: str) -> str | None:
    try:
        return canonical_json(msgspec.json.decode(text))
    except (msgspec.DecodeError, RecursionError):
        return None


def _cell_parser(parse: Callable[[str], str | None]) -> Callable[[pl.Series, TableField, Notation], pl.Series]:
    return lambda raw, field, notation: _each(parse)(raw, pl.String())


def _week(raw: pl.Series, field: TableField, notation: Notation) -> pl.Series:
    always = "'default'" in field.comment

    def parse(text: str) -> str | None:
        if always and text.lower() == "default":
            return "default"
        match = re.fullmatch(r"(\d{4})[- ]?[WwKk]{1,2}\s?(\d{1,2})", text)
        return _real_week(int(match[1]), int(match[2])) if match else None

    return _each(parse)(raw, pl.String())


def _real_week(year: int, week: int) -> str | None:
    try:
        return iso_week(date.fromisocalendar(year, week, 1))
    except ValueError:
        return None


@cache
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())


_READERS: dict[str, Callable[[pl.Series, TableField, Notation], pl.Series]] = {
    "whole": _number,
    "number": _number,
    "flag": _flag,
    "choice": _choice,
    "day": _day,
    "instant": _instant,
    "json": _json,
    "person": _person,
    "email": _email,
    "week": _week,
    "framework": _cell_parser(controls.framework),
    "frameworks": _cell_parser(controls.framework_list),
    "controls": _cell_parser(controls.control_list),
    "sha256": _cell_parser(lambda text: text.lower() if _SHA256.fullmatch(text) else None),
    "zone": _cell_parser(lambda text: text if text in _zones() else None),
}
