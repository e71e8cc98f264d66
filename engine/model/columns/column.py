"""What a column says, wherever it stands: its heading, the type and unit of its cells and what they mean."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine.model.vocabulary import Unit

Cells: TypeAlias = Literal["text", "texts", "whole", "real", "flag", "date", "instant"]

_CELLS_OF_UNITS: Mapping[Unit, Cells] = {
    "count": "whole",
    "percent": "real",
    "points": "real",
    "hours": "real",
    "days": "whole",
    "weeks": "whole",
    "minutes": "real",
    "bytes": "whole",
    "number": "real",
    "ratio": "real",
    "date": "date",
    "instant": "instant",
    "flag": "flag",
    "word": "text",
    "text": "text",
    "texts": "texts",
}


@dataclass(frozen=True)
class Column:
    """``label`` is the heading that people read, ``meaning`` a sentence for whoever has not read the code."""

    label: str
    unit: Unit | Literal[""]  # none where tables differ: a flag in a list, a count in its totals
    meaning: str
    cells: Cells | Literal[""] = ""  # the type of cells in facts, where the unit has none or the unit's is another

    @property
    def type(self) -> Cells | Literal[""]:
        """The type of cells in facts; none for a column without a unit that stands in tables of reports alone."""
        return self.cells or (_CELLS_OF_UNITS[self.unit] if self.unit else "")
