"""One value as every format says it: of a summary, of parameters, of a list."""

import math
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

CONTROL = r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]"
LINE_BREAK = r"\r\n|[\r\n\x0b\x0c\x85\u2028\u2029]"


def plain_value(value: object, where: str) -> Any:  # what JSON has, of the same form as what came
    """The same as ``plain`` for one value of a summary or of the parameters, mappings and sequences included."""
    match value:
        case None | str() | bool() | int():
            return value
        case float():
            if not math.isfinite(value):
                raise ValueError(f"{where}: expected a finite number, found {value}.")
            return value
        case datetime():
            instant = value.astimezone(UTC) if value.tzinfo else value
            return instant.replace(tzinfo=None).isoformat() + "Z"
        case date():
            return value.isoformat()
        case Mapping():
            return {str(name): plain_value(part, f"{where}.{name}") for name, part in value.items()}
        case list() | tuple():
            return [plain_value(part, f"{where}.{index}") for index, part in enumerate(value)]
    raise ValueError(f"{where}: expected a scalar, a mapping or a list, found {type(value).__name__}.")


def flat(name: str, value: object) -> list[tuple[str, Any]]:  # a plain value
    """A plain value as (dotted name, scalar) pairs; a list of scalars stays one value, joined by ``; ``."""
    match value:
        case dict():
            return [pair for part, inner in value.items() for pair in flat(f"{name}.{part}" if name else part, inner)]
        case list() if any(isinstance(part, dict | list) for part in value):
            return [pair for index, part in enumerate(value, 1) for pair in flat(f"{name}.{index}", part)]
        case list():
            return [(name, "; ".join("" if part is None else scalar_text(part) for part in value))]
    return [(name, value)]


def scalar_text(value: object) -> str:
    """The text of a scalar in a list or a CSV cell."""
    return str(value).lower() if isinstance(value, bool) else str(value)
