"""A digest as a mail: one text and one HTML page that say the same, made for reading, not for analysis.

Mail programs drop style sheets, so every style stands at its element (``templates/mail.html``).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from engine.model.days import spelled_day
from engine.model.document import Edition, Table
from engine.reporting.render import words
from engine.reporting.render.cell_texts import shown_rows
from engine.reporting.render.html import ENVIRONMENT

MOST_ROWS = 15  # of each table in a mail about everything
MOST_OWN_ROWS = 200  # in a mail about the own items, which is to list them all
SHORT = 12  # cells of up to so many characters are not broken


@dataclass(frozen=True)
class Mail:
    """What a mail says: to ``greeting`` a person's own sentence, then the headline and some rows of some tables.

    ``link`` leads to the whole report, ``settings`` to where the mail is switched off.
    """

    edition: Edition
    tables: Sequence[Table]
    link: str
    settings: str
    greeting: str | None = None
    late: bool = False
    whole: bool = True

    @property
    def most(self) -> int:
        """How many rows of a table are shown."""
        return MOST_ROWS if self.whole else MOST_OWN_ROWS


@dataclass(frozen=True)
class _Sheet:
    title: str
    headings: list[str]
    rows: list[tuple[str, ...]]
    numeric: list[bool]
    more: int
    hint: str


def narrow(table: Table, columns: Sequence[str], title: str | None = None, hint: str = "") -> Table:
    """The table with some of its columns, in this order, all of them to be seen; under its own title or another.

    Its note speaks of the whole report; a mail has the ``hint`` instead.
    """
    return replace(table, frame=table.frame.select(columns), hidden=(), heat=(), title=title or table.title, note=hint)


def subject(edition: Edition, period: str, late: bool) -> str:
    """``Compliance digest · Acme · 2026-W47``."""
    return f"{edition.title} · {edition.organization.name} · {period}{' (late)' if late else ''}"


def html(mail: Mail) -> str:
    """The HTML part."""
    document = mail.edition.document
    return ENVIRONMENT.get_template("mail.html").render(
        mail=mail,
        edition=mail.edition,
        document=document,
        sheets=[_sheet(table, mail.most) for table in mail.tables if _has(table)],
        short=SHORT,
    )


def text(mail: Mail) -> str:
    """The plain text part."""
    return "\n".join(_lines(mail)).rstrip() + "\n"


def _has(table: Table) -> bool:
    return table.frame.height > 0


def _sheet(table: Table, most: int) -> _Sheet:
    names, rows = shown_rows(replace(table, frame=table.frame.head(most)))
    return _Sheet(
        table.title,
        [words.heading(table, name) for name in names],
        rows,
        [table.schema[name].is_numeric() for name in names],
        max(0, table.frame.height - most),
        table.note,
    )


def _lines(mail: Mail) -> Iterator[str]:
    edition, document = mail.edition, mail.edition.document
    title = f"{edition.title}: {edition.organization.name}, {spelled_day(edition.as_of)}"
    yield from (title, "=" * len(title), "")
    if mail.late:
        yield from ("This comes late: it was owed on an earlier day.", "")
    if mail.greeting:
        yield from (f"For you: {mail.greeting}", "")
    if mail.whole:
        yield from (document.headline, "")
        yield from (f"Warning: {warning}" for warning in document.warnings)
        if document.warnings:
            yield ""
    for table in mail.tables:
        if _has(table):
            yield from _rows(_sheet(table, mail.most))
    yield from (f"The whole report: {mail.link}", f"Switch off this mail: {mail.settings}")
    yield f"Computed from revision {edition.revision.seq} ({edition.revision.hash[:12]})."


def _rows(sheet: _Sheet) -> Iterator[str]:
    yield from (sheet.title, "-" * len(sheet.title))
    for first, *rest in sheet.rows:
        facts = [f"{name}: {cell}" for name, cell in zip(sheet.headings[1:], rest, strict=True) if cell]
        yield f"* {_flat(first)}" + (f" ({_flat('; '.join(facts))})" if facts else "")
    if sheet.more:
        yield f"  and {sheet.more:,} more"
    if sheet.hint:
        yield sheet.hint
    yield ""


def _flat(cell: str) -> str:
    return " ".join(cell.split())
