"""Which columns of a table stand side by side, how broad each is, and which fold below their row.

A page is at most ``ROOM`` broad. Widths are those of the text, in the page's own type; what the rows are sorted by
comes first, then the columns that matter most. What does not fit is told below the row with its heading, so that
nothing is cut off and nothing lost.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.model.documents.document import Table
from engine.render.html.measures import TextSize, bold_width

ROOM = 1150.0  # pixels between the margins of a page of 1280
PORTRAIT = 900.0  # what a portrait sheet takes of a page, as its type is smaller
PAPER = 720.0  # the same on a portrait sheet, at the size of print
CHARACTER, BOLD, PADDING, BADGE = 7.4, 9.3, 18.0, 30.0  # pixels of a table's cell: usual characters, its margins
NARROWEST, BROADEST, PROSE_WIDTH = 52.0, 190.0, 300.0
LEAST_VALUES = 3  # different ones: fewer may stand in order by chance
WISH = 600.0  # of a text, where there is room

_FIRST = (
    *("control_id", "title", "control_title", "name", "vendor", "framework", "state", "status", "severity", "standing"),
    *("due_on", "on", "owner", "owners", "todo", "next_step", "what", "why", "finding", "clock", "days_left", "reason"),
    # what rows are sorted and charts are drawn by
    *("days_in_drift", "days_over", "drift", "median_pct", "gap_controls", "points_lost", "shortfall_hours"),
    *("borrow_hours", "movement", "best_on", "hours_to_save", "next_close_on"),
    *("to_owner", "health", "scenario_utilisation_pct"),
)
_LAST = (
    *("cohort", "dated_on", "n", "sample", "statement"),
    *("footnote", "citation", "source_ref", "version", "revision", "position", "weight", "created_at", "link_id"),
    *("run_id", "schedule_id", "document_id", "evidence_id", "last_evidence_id", "event_id", "obligation_id", "org_id"),
)
RANKS: Mapping[str, int] = {**dict.fromkeys(_FIRST, 0), **dict.fromkeys(_LAST, 2)}


@dataclass(frozen=True)
class ColumnText:
    """What decides on a column's width: its heading, the size of its cells and what they are."""

    heading: str
    size: TextSize
    kind: str
    is_state: bool = False


@dataclass(frozen=True)
class Fold:
    """The columns that stand side by side with their widths in percent, and those below; both in the table's order."""

    shown: Mapping[str, float]
    below: Sequence[str]
    breadth: float  # of those side by side, in pixels

    @property
    def is_wide(self) -> bool:
        """Whether a landscape sheet is due."""
        return self.breadth > PAPER


def fold(table: Table, columns: Mapping[str, ColumnText], most: float = ROOM) -> Fold:
    """What stands side by side: the first column, then by rank, as far as ``most`` pixels go."""
    names = list(columns)
    widths = {name: _width(column, _character(name == names[0])) for name, column in columns.items()}
    ordering = _order_column(table, names[1:])
    order = sorted(names[1:], key=lambda name: (name != ordering, _rank(name, table), names.index(name)))
    kept, room = set(names[:1]), most - sum(widths[name] for name in names[:1])
    for name in order:
        if widths[name] <= room:
            kept.add(name)
            room -= widths[name]
    shown = {name: widths[name] for name in names if name in kept}
    below = [name for name in names if name not in kept]
    return Fold(_percent(_widen(shown, columns, most)), below, sum(shown.values()))


def _widen(widths: Mapping[str, float], columns: Mapping[str, ColumnText], most: float) -> Mapping[str, float]:
    """What room is left goes to the texts that break into several lines, in the measure in which they do."""
    first = next(iter(widths), "")
    wishes = {
        name: max(0.0, min(columns[name].size.longest * _character(name == first) + PADDING, WISH) - width)
        for name, width in widths.items()
        if columns[name].kind in ("", "p")
    }
    breadth = sum(widths.values())
    room = min(most, PORTRAIT if breadth <= PAPER else ROOM) - breadth
    part = min(1.0, room / (sum(wishes.values()) or 1.0))
    return {name: width + part * wishes.get(name, 0.0) for name, width in widths.items()}


def _percent(widths: Mapping[str, float]) -> dict[str, float]:
    breadth = sum(widths.values()) or 1.0
    return {name: round(100 * width / breadth, 2) for name, width in widths.items()}


def _order_column(table: Table, names: Sequence[str]) -> str:
    """The first column of numbers or days that rises or falls from row to row; empty where none does."""
    for name in names:
        column = table.frame.get_column(name)
        if not (column.dtype.is_numeric() or column.dtype.is_temporal()) or column.n_unique() < LEAST_VALUES:
            continue
        if any(
            column.is_sorted(descending=falling, nulls_last=last) for falling in (True, False) for last in (True, False)
        ):
            return name
    return ""


def _rank(name: str, table: Table) -> int:
    if name in table.heat:
        return 0
    return RANKS.get(name, 0 if name in table.state else 1)


def _character(is_first: bool) -> float:
    return BOLD if is_first else CHARACTER  # rows begin with their name


def _width(column: ColumnText, character: float) -> float:
    """Of a cell as it reads well: figures in one line, words of a heading unbroken, prose in a broad column."""
    headed = max(map(bold_width, column.heading.replace("-", "- ").split()), default=0.0) + PADDING
    if column.kind == "p":
        return PROSE_WIDTH
    if column.kind in ("n", "s", "heat") or column.is_state:
        breadth = column.size.breadth * character / CHARACTER
        return max(NARROWEST, breadth + PADDING + (BADGE if column.is_state else 0), headed)
    longest, word = column.size.longest, column.size.word
    widest = max(min(longest, 24), min(word, 34)) * character + PADDING
    return max(NARROWEST, headed, min(widest, max(BROADEST, word * character + PADDING)))
