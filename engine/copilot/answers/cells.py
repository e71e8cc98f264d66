"""How a value reads in a sentence."""

from collections.abc import Mapping
from datetime import datetime

from engine.model.columns import COLUMNS

OWN_HEADINGS = {
    "left_30d_pct": "error budget of 30 days left", "used_30d_pct": "error budget of 30 days used",
    "objective_pct": "objective", "weighted_pct": "weighted readiness", "strict_pct": "strict readiness",
    "burn_7d": "burn rate of 7 days", "impact_users": "number of users hit", "residual": "residual rating",
    "decided": "decisions", "hours_to_resolve": "time to resolve", "service": "service", "called": "framework",
        "gaps": "open gaps", "late_days": "days overdue",
}  # fmt: skip

BETWEEN = ".."  # stands between two days of a row in the name of the measure of what lies between them
_DAYS = {"age_days": "age", "late_days": "days overdue", "days_to_fix": "days to fix", "days_to_close": "days to close"}


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


def heading(column: str) -> str:
    """What a column is called in a sentence."""
    known = OWN_HEADINGS.get(column) or (COLUMNS[column].label if column in COLUMNS else None)
    if known is None:
        return column.removesuffix("_on").removesuffix("_pct").replace("_", " ")
    return known if known[1:2].isupper() else f"{known[0].lower()}{known[1:]}"


def value_with_unit(column: str, value: object) -> str:
    """A value with the unit of its column; what is not there is said."""
    if value is None:
        return f"no {heading(column)} is recorded"
    unit = (
        " %" if column.endswith("_pct") else " h" if "hours" in column else " days" if column.endswith("_days") else ""
    )
    if isinstance(value, float) and "hours" in column:
        value = round(value, 1)
    return f"{cell(value)}{unit}"


def measure_name(column: str) -> str:
    """What a number over rows is of: "time to resolve", "age"."""
    if column.startswith("hours_to_"):
        return f"time to {column.removeprefix('hours_to_')}"
    first, _, last = column.removesuffix("_days").partition(BETWEEN)
    if last:
        steps = (one.removesuffix("_on").replace("_", " ") for one in (first, last))
        return f"days from {' to '.join(steps)}"
    return _DAYS.get(column) or heading(column)


def plural_of(word: str) -> str:
    return f"{word[:-1]}ies" if word.endswith("y") and word[-2:-1] not in "aeiou" else f"{word}s"


def count_of(number: int, singular: str, plural: str) -> str:
    """A number with its noun; "No" for none."""
    return f"{f'{number:,}' if number else 'No'} {singular if number < 2 else plural}"
