"""What an import would do, as it is handed to whoever shows it: nothing here reads cells."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

LISTED_ROWS = 200


@dataclass(frozen=True)
class CellChange:
    """A cell as it is and as it would become; ``before`` is empty for a new row."""

    column: str
    before: str
    after: str


@dataclass(frozen=True)
class PreviewRow:
    """A row of a sheet that would do something. ``row`` is the one that a spreadsheet shows."""

    row: int
    key: str
    new: bool
    cells: tuple[CellChange, ...]


@dataclass(frozen=True)
class TablePreview:
    """What would become of the rows of one table; ``rows`` has the first ``LISTED_ROWS`` that do something."""

    table: str
    file: str
    created: int
    updated: int
    unchanged: int
    refused: int
    rows: tuple[PreviewRow, ...]


@dataclass(frozen=True)
class ImportPreview:
    """``refused`` has the cells that do not hold, as the import's error lists them; with any, nothing can be applied.

    ``problem`` says it in a sentence; ``ignored``: by file the headers that are left out, ``left_out`` what else is.
    """

    tables: tuple[TablePreview, ...]
    refused: tuple[Mapping[str, str | int], ...] = ()
    problem: str = ""
    ignored: Mapping[str, Sequence[str]] = field(default_factory=dict)
    left_out: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def has_changes(self) -> bool:
        """Whether applying it would write anything."""
        return any(one.created or one.updated for one in self.tables)
