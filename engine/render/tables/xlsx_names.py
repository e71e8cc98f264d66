"""Names of sheets: at most 31 characters, none that spreadsheets forbid, no two that differ in case alone."""

import re

FORBIDDEN = re.compile(r"[\[\]:*?/\\\x00-\x1f]+")
LONGEST = 31
RESERVED = "history"  # a name that Excel keeps for itself


class SheetNames:
    """The names of one file; the sheets that say what the others are have theirs first."""

    summary, columns = "Summary", "Columns"

    def __init__(self) -> None:
        self._taken = {self.summary.lower(), self.columns.lower(), RESERVED}

    def take(self, title: str) -> str:
        """A name for a sheet with this title; numbered where one like it is taken."""
        whole = " ".join(FORBIDDEN.sub(" ", title).split()).strip("'") or "Table"
        name, number = _cut(whole, LONGEST), 1
        while name.lower() in self._taken:
            number += 1
            ending = f" {number}"
            name = _cut(whole, LONGEST - len(ending)) + ending
        self._taken.add(name.lower())
        return name


def _cut(text: str, most: int) -> str:
    """The text up to its last whole word that fits; in a word where that leaves too little."""
    if len(text) <= most:
        return text
    cut = text[: most + 1].rpartition(" ")[0].rstrip("' ,;")
    return cut if len(cut) > most // 2 else text[:most].rstrip("' ")
