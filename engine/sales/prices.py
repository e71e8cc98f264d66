"""The price table of pilots: data that whoever sells maintains, checked as a whole."""

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from engine.model.errors import Usage
from engine.reporting.artifacts.artifact_names import ROOT

BUILT_IN = ROOT / "data" / "prices" / "pilot.toml"
Text = Annotated[str, msgspec.Meta(min_length=1, max_length=300)]


class PriceLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line: ``cents`` for each pilot, framework or accompanied week."""

    title: Text
    per: Literal["pilot", "framework", "week"]
    cents: Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000)]


class PriceTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that a proposal takes from the table."""

    version: Text
    currency: Annotated[str, msgspec.Meta(pattern="^[A-Z]{3}$")]
    valid_days: Annotated[int, msgspec.Meta(ge=1, le=365)]
    default_weeks: Annotated[int, msgspec.Meta(ge=1, le=52)]
    tax_note: Text
    payment_note: Text
    lines: Annotated[tuple[PriceLine, ...], msgspec.Meta(min_length=1, max_length=50)]


@dataclass(frozen=True)
class Charge:
    """A line of a proposal."""

    title: str
    per: str
    quantity: int
    unit_cents: int
    cents: int


def price_table(path: Path | None) -> PriceTable:
    """The table in a file, else ours; Usage names what in it does not hold."""
    chosen = path or BUILT_IN
    try:
        return _read(chosen, chosen.stat().st_mtime_ns)
    except OSError as error:
        raise Usage(f"SVC_PILOT_PRICES must be a readable price table; {chosen}: {error.strerror}.") from error


@lru_cache(maxsize=4)
def _read(path: Path, changed: int) -> PriceTable:
    try:
        return msgspec.convert(tomllib.loads(path.read_text()), PriceTable)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise Usage(f"SVC_PILOT_PRICES must be a price table; {path}: {error}.") from error


def charges(table: PriceTable, frameworks: int, weeks: int) -> list[Charge]:
    """The lines of a pilot; what is charged for nothing is left out."""
    quantities = {"pilot": 1, "framework": frameworks, "week": weeks}
    return [
        Charge(line.title, line.per, quantities[line.per], line.cents, line.cents * quantities[line.per])
        for line in table.lines
        if quantities[line.per]
    ]
