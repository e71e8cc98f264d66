"""A digest as a mail: one text and one HTML page that say the same, made for reading, not for analysis.

Mail programs drop style sheets, so every style stands at its element (``templates/mail.html``).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap
from types import MappingProxyType
from typing import NamedTuple

import polars as pl

from engine.model.days import spelled_day
from engine.model.documents.document import Edition, Table
from engine.model.vocabulary import FRAMEWORK_NAMES
from engine.render import words
from engine.render.cell_texts import display_rows
from engine.render.html.html import ENVIRONMENT

MOST_ROWS = 15  # of each table in a mail about everything
MOST_OWN_ROWS = 200  # in a mail about the own items, which is to list them all
BESIDE = 24  # characters of the columns beside the first one: what a telephone shows of them
SHORT = 12  # of one of them
PLAIN = ("framework", "frameworks", "control", "control_id", "duty")  # columns that need no label
TEXT_WIDTH = 76
MOST_BYTES = 90_000  # of the HTML: Gmail cuts at 102 kB
FEWER_ROWS = (120, 80, 50, 30, 15, 8, 4)


class MailAct(NamedTuple):
    """Something to do about a row, and the link that leads to it."""

    title: str
    link: str


@dataclass(frozen=True)
class Mail:
    """What a mail says: to ``greeting`` a person's own sentence, then the headline and some rows of some tables.

    ``link`` leads to the whole report, which ``reader`` sees once signed in; ``desk`` to the reader's own work, the
    first link where there is one. ``acts`` are to be done at the desk; ``record`` does the first of them without one.
    """

    edition: Edition
    tables: Sequence[Table]
    link: str
    reader: str | None = None
    greeting: str | None = None
    late: bool = False
    whole: bool = True
    desk: str = ""
    acts: Sequence[MailAct] = ()
    record: str = ""

    @property
    def most(self) -> int:
        """How many rows of a table are shown."""
        return MOST_ROWS if self.whole else MOST_OWN_ROWS


@dataclass(frozen=True)
class _Row:
    """A row: what it is about, short cells beside it, and the others below with their labels."""

    lead: str
    below: list[tuple[str, str]]
    beside: list[str]


@dataclass(frozen=True)
class _Sheet:
    title: str
    headings: list[str]
    numeric: list[bool]
    rows: list[_Row]
    more: int
    hint: str


def narrow(
    table: Table,
    columns: Sequence[str],
    title: str | None = None,
    hint: str = "",
    own_frameworks: Mapping[str, str] = MappingProxyType({}),
) -> Table:
    """The table with some of its columns, in this order, all of them to be seen; under its own title or another.

    Its note speaks of the whole report; a mail has the ``hint`` instead.
    """
    frame = _with_names(table.frame.select(columns), {**FRAMEWORK_NAMES, **own_frameworks})
    return replace(table, frame=frame, hidden=(), heat=(), title=title or table.title, note=hint)


def _with_names(frame: pl.DataFrame, names: Mapping[str, str]) -> pl.DataFrame:
    """Frameworks under the names that people say; what an action is called, which pages keep to themselves, is seen."""
    columns = []
    if "framework" in frame.columns:
        columns.append(pl.col("framework").replace(names))
    if "frameworks" in frame.columns:
        columns.append(pl.col("frameworks").list.eval(pl.element().replace(names)).list.join(", "))
    return frame.with_columns(columns).rename({"action_id": "identifier"}, strict=False)


def subject(edition: Edition, period: str, late: bool, figure: str = "") -> str:
    """``Compliance digest · Acme · 2026-W47 · Gaps open: 12``."""
    parts = [edition.title, edition.organization.name, f"{period}{' (late)' if late else ''}", figure]
    return " · ".join(filter(None, parts))


def html(mail: Mail) -> str:
    """The HTML part, with as many rows as stay below ``MOST_BYTES``."""
    page = _html(mail, mail.most)
    for most in FEWER_ROWS:
        if len(page.encode()) <= MOST_BYTES:
            break
        page = _html(mail, min(most, mail.most))
    return page


def _html(mail: Mail, most: int) -> str:
    document = mail.edition.document
    return ENVIRONMENT.get_template("mail.html").render(
        mail=mail,
        edition=mail.edition,
        document=document,
        sheets=[_sheet(table, most) for table in mail.tables if _has(table)],
    )


def text(mail: Mail) -> str:
    """The plain text part."""
    return "\n".join(_lines(mail)).rstrip() + "\n"


def _has(table: Table) -> bool:
    return table.frame.height > 0


def _sheet(table: Table, most: int) -> _Sheet:
    names, given = display_rows(replace(table, frame=table.frame.head(most)))
    rows = [tuple(cell or "" for cell in row) for row in given]
    headings = [words.heading(table, name) for name in names]
    beside = _beside(names, headings, rows)
    below = [place for place in range(1, len(names)) if place not in beside]
    labels = ["" if name in PLAIN else heading for name, heading in zip(names, headings, strict=True)]
    shown = [0, *beside]
    return _Sheet(
        table.title,
        [headings[place] for place in shown],
        [table.schema[names[place]].is_numeric() for place in shown],
        [
            _Row(
                row[0], [(labels[place], row[place]) for place in below if row[place]], [row[place] for place in beside]
            )
            for row in rows
        ],
        max(0, table.frame.height - most),
        table.note,
    )


def _beside(names: Sequence[str], headings: Sequence[str], rows: Sequence[tuple[str, ...]]) -> list[int]:
    """The columns of short cells that fit beside the first one on the smallest screen, from the left."""
    beside, left = [], BESIDE
    for place in range(1, len(headings)):
        cells = max((len(row[place]) for row in rows), default=0)
        width = max(cells, max(map(len, headings[place].split()), default=0))
        if cells and width <= min(SHORT, left) and names[place] not in PLAIN:
            beside.append(place)
            left -= width
    return beside


def _lines(mail: Mail) -> Iterator[str]:
    edition, document = mail.edition, mail.edition.document
    title = f"{edition.title}: {edition.organization.name}, {spelled_day(edition.as_of)}"
    yield from (title, "=" * len(title), "")
    if mail.late:
        yield from ("This comes late: it was owed on an earlier day.", "")
    if mail.desk:
        yield from ("Your work, at the desk:", f"  {mail.desk}", "")
    if mail.greeting:
        yield from (*_wrap(f"For you: {mail.greeting}"), "")
    if mail.whole:
        yield from (*_wrap(edition.readable(document.headline)), "")
        if document.next_step:
            yield from (*_wrap(f"Next: {edition.readable(document.next_step)}"), "")
        for warning in document.warnings:
            yield from _wrap(f"Warning: {edition.readable(warning)}")
        if document.warnings:
            yield ""
    for act in mail.acts:
        yield from (*_wrap(act.title), f"  {act.link}")
    if mail.acts:
        yield ""
    for table in mail.tables:
        if _has(table):
            yield from _rows(_sheet(table, mail.most))
    if mail.record:
        yield from ("Done? As a record, for `hq import -`:", *(f"  {line}" for line in mail.record.splitlines()), "")
    yield from ("The whole report, once you are signed in:", f"  {mail.link}")
    yield f"Computed from revision {edition.revision.seq} ({edition.revision.hash[:12]})."


def _rows(sheet: _Sheet) -> Iterator[str]:
    yield from (sheet.title, "-" * len(sheet.title))
    for row in sheet.rows:
        yield from _wrap(_flat(row.lead), "* ", "  ")
        plain = [cell for label, cell in row.below if not label]
        facts = [f"{name}: {cell}" for name, cell in zip(sheet.headings[1:], row.beside, strict=True) if cell]
        facts += [f"{label}: {cell}" for label, cell in row.below if label]
        if flat := _flat("; ".join((*plain, *facts))):
            yield from _wrap(flat, "  ", "  ")
    if sheet.more:
        yield f"  and {sheet.more:,} more"
    if sheet.hint:
        yield from _wrap(sheet.hint)
    yield ""


def _wrap(text: str, first: str = "", further: str = "") -> list[str]:
    return wrap(
        text,
        TEXT_WIDTH,
        initial_indent=first,
        subsequent_indent=further,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _flat(cell: str) -> str:
    return " ".join(cell.split())
