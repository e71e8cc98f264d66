"""Bad cells, counted all and listed up to a limit."""

from collections.abc import Callable

import polars as pl

from engine.model.errors import InvalidData

LISTED = 1000
FOUND_LENGTH = 80


class Problems:
    """Collects what is wrong; keeps the first ``LISTED`` cells by file, row and column, and counts the rest."""

    def __init__(self) -> None:
        self.count = 0
        self._advice: list[str] = []
        self._files: dict[str, int] = {}
        self._cells: list[tuple[int, int, int, dict[str, str | int]]] = []
        self.left_out: dict[str, list[str]] = {}

    def add(self, file: str, row: int, column: str, expected: str, found: object) -> None:
        """One bad cell. ``row`` is the one a spreadsheet shows; ``found`` None means that the cell is empty."""
        self.count += 1
        order = (self._files.setdefault(file, len(self._files)), row, self.count)
        cell: dict[str, str | int] = {
            "file": file,
            "row": row,
            "column": column,
            "expected": expected,
            "found": _excerpt(found),
        }
        self._cells.append((*order, cell))
        if len(self._cells) >= 4 * LISTED:
            self._trim()

    def add_all(
        self, file: str, column: str, expected: Callable[[str | None], str], rows: pl.Series, series: pl.Series
    ) -> None:
        """The bad cells of one column, in row order; ``expected`` says for a cell what it should have held."""
        for row, cell in zip(rows.head(LISTED), series.head(LISTED), strict=True):
            self.add(file, row, column, expected(cell), cell)
        self.count += max(rows.len() - LISTED, 0)

    def leave_out(self, file: str, what: str) -> None:
        """Say what of a file is not imported, and why, where the rest is."""
        self.left_out.setdefault(file, []).append(what)

    def advise(self, sentence: str) -> None:
        """Say in the end what may help, once."""
        if sentence not in self._advice:
            self._advice.append(sentence)

    def raise_any(self) -> None:
        """InvalidData when anything was collected."""
        if not self.count:
            return
        self._trim()
        details = [cell for _, _, _, cell in self._cells]
        files = len(self._files)
        where = details[0]["file"] if files == 1 else f"{files} files"
        cells = "1 bad cell" if self.count == 1 else f"{self.count:,} bad cells"
        listed = "" if self.count <= LISTED else f" (the first {LISTED:,} are listed)"
        them = "it" if self.count == 1 else "them"
        text = f"Nothing was imported: {cells} in {where}{listed}; correct {them} and import again."
        raise InvalidData(" ".join([text, *self._advice]), details=details)

    def _trim(self) -> None:
        self._cells = sorted(self._cells, key=lambda cell: cell[:3])[:LISTED]


def _excerpt(found: object) -> str:
    if found is None:
        return "nothing"
    text = str(found)
    return text if len(text) <= FOUND_LENGTH else f"{text[: FOUND_LENGTH - 1]}…"
