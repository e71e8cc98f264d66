"""How a value reads in a sentence."""

from collections.abc import Mapping
from datetime import datetime


def cell(value: object) -> str:
    """A value as text; a dash for none."""
    match value:
        case None:
            return "–"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:g}"
        case datetime():
            return f"{value:%Y-%m-%d %H:%M} UTC"
        case str():
            return " ".join(value.split()) or "–"
        case list():
            return ", ".join(map(cell, value)) or "–"
    return str(value)


def cells(row: Mapping[str, object]) -> dict[str, str]:
    """A row as text."""
    return {name: cell(value) for name, value in row.items()}


def counted(number: int, singular: str, plural: str) -> str:
    """A number with its noun; "No" for none."""
    return f"{f'{number:,}' if number else 'No'} {singular if number < 2 else plural}"
