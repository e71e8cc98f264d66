"""What a column takes, in words: for bad cells and for the page that documents the tables."""

import re

from engine.intake.imports.tables import TableField
from engine.intake.imports.values.cells import Notation, number_readings
from engine.intake.imports.values.columns import TEXT_LIMIT
from engine.intake.imports.values.controls import ALIASES
from engine.intake.imports.values.names import closest_name

KINDS = {
    "day": "a date such as 2026-11-20",
    "instant": "a date and time such as 2026-11-20T08:30:00Z",
    "flag": "true or false",
    "json": "JSON",
    "framework": f"a framework: {', '.join(ALIASES)}",
    "frameworks": f"frameworks joined by '; ': {', '.join(ALIASES)}",
    "control": "a control of the framework",
    "controls": "controls of the catalogue such as soc2:CC6.1; iso27001:A.5.15",
    "email": "an e-mail address",
    "week": "an ISO week such as 2026-W47",
    "sha256": "a SHA-256, which is 64 hexadecimal digits",
    "zone": "an IANA time zone such as Europe/Berlin",
}


def expectation(field: TableField) -> str:
    """What the column takes."""
    if field.choices:
        return f"one of {', '.join(field.choices)}"
    if field.kind in ("whole", "number"):
        return ("a whole number" if field.kind == "whole" else "a number") + _range(field)
    if field.kind in KINDS:
        return KINDS[field.kind]
    return f"text of up to {field.limit or TEXT_LIMIT:,} characters"


def cell_expectation(field: TableField, notation: Notation, found: str | None) -> str:
    """What a bad cell should have held; says which two readings it has where that is the trouble."""
    general = expectation(field)
    if found is None:
        return general
    if field.kind in ("day", "instant") and re.match(r"\d{1,2}[/-]\d{1,2}[/-]\d{4}", found):
        if notation.dates == "mixed":
            return f"{general}: the column has dates with the day first and dates with the month first"
        if notation.dates is None and re.match(r"(0?\d|1[0-2])[/-](0?\d|1[0-2])[/-]", found):
            return f"{general}: nothing in the column shows whether the day or the month comes first"
    if field.kind in ("whole", "number") and notation.decimal is None and None not in number_readings(found):
        return f"{general}: nothing in the column shows whether its mark is for decimals or thousands"
    near = closest_name(found, field.choices)
    return f"{general}; probably {near}" if near else general


def _range(field: TableField) -> str:
    if field.low is not None and field.high is not None:
        return f" from {field.low:g} to {field.high:g}"
    if field.low is not None:
        return " not below 0" if field.low == 0 else f" from {field.low:g}"
    return "" if field.high is None else f" up to {field.high:g}"
