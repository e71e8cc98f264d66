"""What a column says, wherever it stands: its heading, the unit of its cells and what they mean."""

from dataclasses import dataclass
from typing import Literal

from engine.model.vocabulary import Unit


@dataclass(frozen=True)
class Column:
    """``label`` is the heading that people read, ``meaning`` a sentence for whoever has not read the code."""

    label: str
    unit: Unit | Literal[""]  # none where tables differ: a flag in a list, a count in its totals
    meaning: str
