"""Single cells as people and spreadsheets write them: dates, instants, numbers.

Some cells have two readings: 03/04/2026 is in April or in March, 1.234 is one and a bit or more than a thousand.
``Notation`` holds what the rest of the column says about them; where it says nothing the cell is refused.
"""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from math import isfinite
from types import MappingProxyType

FIRST_YEAR, LAST_YEAR = 1900, 2199
EXCEL_DAY_0 = date(1899, 12, 30)
SPREADSHEET_ERRORS = ("#N/A", "#REF!", "#VALUE!", "#DIV/0!", "#NAME?", "#NULL!", "#NUM!", "#NV", "#WERT!", "#BEZUG!")
TRUE = ("true", "yes", "y", "1", "x", "ja", "j", "wahr", "on", "✓", "1.0")
FALSE = ("false", "no", "n", "0", "nein", "falsch", "off", "0.0")
FLAGS = MappingProxyType({**dict.fromkeys(TRUE, True), **dict.fromkeys(FALSE, False)})
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_YEAR_FIRST = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})")
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})")
_DOTTED = re.compile(r"(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})")
_ORDERED = re.compile(r"(\d{1,2})([/-])(\d{1,2})\2(\d{4})")
_DAY_MONTH = re.compile(r"(\d{1,2})\.?[ -]([a-z]{3,9})\.?[ -](\d{4})", re.IGNORECASE)
_MONTH_DAY = re.compile(r"([a-z]{3,9})\.? (\d{1,2}),? (\d{4})", re.IGNORECASE)
_SERIAL = re.compile(r"\d{5}(\.\d+)?")
_MIDNIGHT = re.compile(r"[T ]0?0:00(:00([.,]0+)?)?(Z|[+-]00:?00)?$")
_INSTANT = re.compile(
    r"(?P<date>.+?)(?:(?:T|,?\s+)(?P<hour>\d{1,2})[:.](?P<minute>\d{2})(?:[:.](?P<second>\d{2})(?:[.,](?P<part>\d{1,9}))?)?"
    r"\s*(?P<half>[ap]\.?m\.?)?\s*(?P<zone>Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?)?",
    re.IGNORECASE,
)
_GROUP_SPACE = re.compile(r"(?<=\d)[\s'’](?=\d{3}(?!\d))")
_NUMBER = re.compile(r"[+-]?(?:(?:\d+|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?", re.IGNORECASE)
_OTHER_MARK = str.maketrans(",.", ".,")


@dataclass(frozen=True)
class Notation:
    """What a column says of cells with two readings: ``dates`` dmy, mdy or mixed; ``decimal`` the decimal mark."""

    dates: str | None = None
    decimal: str | None = None


def day(text: str, notation: Notation) -> date | None:
    """A day without a time; None when the text is not one, is impossible or can be read in two ways."""
    return _date(_MIDNIGHT.sub("", text), notation)


def instant(text: str, notation: Notation) -> datetime | None:
    """A moment; without an offset it is UTC, without a time midnight. None as for ``day``."""
    if _SERIAL.fullmatch(text):
        moment = datetime.combine(EXCEL_DAY_0, datetime.min.time(), UTC) + timedelta(
            milliseconds=round(float(text) * 86_400_000)
        )
        return moment if FIRST_YEAR <= moment.year <= LAST_YEAR else None
    match = _INSTANT.fullmatch(text)
    on = _date(match["date"], notation) if match else None
    if match is None or on is None:
        return None
    try:
        return _at(on, match).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _at(on: date, match: re.Match[str]) -> datetime:
    hour, half = int(match["hour"] or 0), (match["half"] or "").lower()[:1]
    if half:
        if not 1 <= hour <= 12:
            raise ValueError(hour)
        hour = hour % 12 + (12 if half == "p" else 0)
    microsecond = int((match["part"] or "0").ljust(6, "0")[:6])
    minute, second, zone = int(match["minute"] or 0), int(match["second"] or 0), _zone(match["zone"] or "Z")
    return datetime.combine(on, time(hour, minute, second, microsecond, tzinfo=zone))


def _zone(text: str) -> timezone:
    if text[0] not in "+-":
        return UTC
    digits = text[1:].replace(":", "").ljust(4, "0")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-offset if text[0] == "-" else offset)


def _date(text: str, notation: Notation) -> date | None:
    if match := _YEAR_FIRST.fullmatch(text):
        return _valid(int(match[1]), int(match[3]), int(match[4]))
    if match := _DOTTED.fullmatch(text):
        return _valid(int(match[3]), int(match[2]), int(match[1]))
    if match := _ORDERED.fullmatch(text):
        return _date_in_order(int(match[1]), int(match[3]), int(match[4]), notation.dates)
    if match := _COMPACT.fullmatch(text):
        return _valid(int(match[1]), int(match[2]), int(match[3]))
    if match := _DAY_MONTH.fullmatch(text):
        return _valid(int(match[3]), _month(match[2]), int(match[1]))
    if match := _MONTH_DAY.fullmatch(text):
        return _valid(int(match[3]), _month(match[1]), int(match[2]))
    if _SERIAL.fullmatch(text) and float(text).is_integer():
        serial = EXCEL_DAY_0 + timedelta(days=int(float(text)))
        return serial if serial.year <= LAST_YEAR else None
    return None


def _date_in_order(first: int, second: int, year: int, order: str | None) -> date | None:
    if order == "dmy" or first == second:
        return _valid(year, second, first)
    return _valid(year, first, second) if order == "mdy" else None


def _valid(year: int, month: int, day_of_month: int) -> date | None:
    try:
        return date(year, month, day_of_month) if FIRST_YEAR <= year <= LAST_YEAR else None
    except ValueError:
        return None


def _month(word: str) -> int:
    return MONTHS.index(word[:3].lower()) + 1 if word[:3].lower() in MONTHS else 0


def number(text: str, notation: Notation) -> float | None:
    """A finite real number; None when the text is not one or can be read in two ways."""
    amount = _chosen(*number_readings(text), notation.decimal)
    return None if amount is None else float(amount)


def whole_number(text: str, notation: Notation) -> int | None:
    """A whole number of 64 bits; 3.0 is one, 3.5 is not."""
    dot, comma = number_readings(text)
    amount = _chosen(_integral(dot), _integral(comma), notation.decimal)
    return None if amount is None or abs(amount) >= 2**63 else int(amount)


def _integral(value: Decimal | None) -> Decimal | None:
    return value if value is not None and value == value.to_integral_value() else None


def number_readings(text: str) -> tuple[Decimal | None, Decimal | None]:
    """The number with a point and with a comma as decimal mark; None where that reading is impossible."""
    plain = _GROUP_SPACE.sub("", text).replace("\u2212", "-")
    return _reading(plain), _reading(plain.translate(_OTHER_MARK))


def _reading(text: str) -> Decimal | None:
    value = Decimal(text.replace(",", "")) if _NUMBER.fullmatch(text) else None
    return value if value is not None and isfinite(float(value)) else None


def _chosen(dot: Decimal | None, comma: Decimal | None, decimal: str | None) -> Decimal | None:
    if decimal is not None:
        return dot if decimal == "." else comma
    if dot is None or comma is None or dot == comma:
        return comma if dot is None else dot
    return None
