"""Parts of records: what is shown of them, and what a computation takes."""

from collections.abc import Callable, Mapping
from typing import TypeVar

import msgspec

T = TypeVar("T", bound=msgspec.Struct)
HIDDEN = ("org_id", "revision")


def as_row(row: Mapping[str, object]) -> dict[str, object]:
    """A record as lists show it."""
    return {name: value for name, value in row.items() if name not in HIDDEN}


def part_of(row: Mapping[str, object], kind: type[T]) -> T:
    """The columns of a row that ``kind`` names. Their types are the store's: ``kind`` repeats its schema."""
    make: Callable[..., T] = kind
    return make(**{name: row[name] for name in kind.__struct_fields__})
