"""Which rows of which reports speak of a thing."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.model.documents.document import Edition, Table
from engine.render.html.html import Step
from engine.render.html.names import frameworks_beside
from engine.render.html.rows import TableSheet
from engine.render.links import Links, ThingKey, kind_of


@dataclass(frozen=True)
class ReportPage:
    """A report with its tables as they are shown, and where its page is."""

    edition: Edition
    sheets: Sequence[TableSheet]
    file: str

    @property
    def step(self) -> Step:
        """Its title, and where its page is."""
        return self.edition.title, self.file


@dataclass(frozen=True)
class Mention:
    """The rows of one table of a report that speak of a thing."""

    told: ReportPage
    sheet: TableSheet
    rows: Sequence[int]


def mentions(every: Sequence[ReportPage], links: Links) -> dict[ThingKey, list[Mention]]:
    """All of them, in the order of the reports and their tables."""
    found: dict[ThingKey, list[Mention]] = defaultdict(list)
    for report_page in every:
        of_report = links.of_report(report_page.edition.report)
        for sheet in report_page.sheets:
            if sheet.rows:
                for key, rows in _by_thing(sheet.table, of_report).items():
                    found[key].append(Mention(report_page, sheet, sorted(rows)))
    return found


def addresses(editions: Sequence[Edition]) -> list[str]:
    """Every person whom a report names by address."""
    tables = [table for edition in editions for table in edition.document.tables]
    named = {key for table in tables for key, _ in _name_cells(table, Links()) if key[0] == "owner"}
    return sorted(address for _, address in named)


def _by_thing(table: Table, links: Links) -> dict[ThingKey, set[int]]:
    thing: dict[ThingKey, set[int]] = defaultdict(set)
    for key, row in _name_cells(table, links):
        thing[key].add(row)
    return thing


def _name_cells(table: Table, links: Links) -> Iterator[tuple[ThingKey, int]]:
    for name in table.schema:
        if kind_of(name, table) is None and name != "id":
            continue
        beside = frameworks_beside(table, name, links.framework)
        for row, cells in enumerate(table.frame.get_column(name).to_list()):
            for cell in cells if isinstance(cells, list) else [cells]:
                key = None if cell is None else links.thing(name, table, cell, beside[row])
                if key is not None:
                    yield key, row
