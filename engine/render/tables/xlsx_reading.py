"""Cells of a spreadsheet as people read them: people by name, things and records by title, words of ours with spaces.

A file for machines is CSV or JSON; what somebody else prescribes, and columns that pages do not have, stay as they are.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from engine.model.documents.document import Edition, Table
from engine.render.cell_texts import CellTexts, is_word_column
from engine.render.html.names import frameworks_beside, is_naming, title_columns
from engine.render.links import NAMED, Links, ThingKey, links_of
from engine.render.record_names import record_name
from engine.render.tables.xlsx_cells import Cell
from engine.render.words import tone


@dataclass(frozen=True)
class CellReading:
    """How the cells of an edition's tables read."""

    links: Links

    @classmethod
    def of(cls, edition: Edition) -> "CellReading":
        """With the names that the edition knows."""
        return cls(links_of(edition).of_report(edition.report))

    def cells(self, texts: CellTexts, name: str) -> list[Cell]:
        """The cells of a column."""
        table = texts.table
        if is_word_column(table.schema[name]) and not table.headings and name not in table.unseen:
            if name in table.state or name in table.words:
                return [cell or None for cell in texts.display_columns[name]]
            titles = title_columns(table)
            if is_naming(table, name, titles, self.links):
                return self._names(table, name, titles)
        return list(texts.texts[name] if table.schema[name].is_nested() else texts.values[name])

    def tones(self, texts: CellTexts, name: str) -> list[str]:
        """The tone of each cell of a column of states; empty for any other column."""
        if name not in texts.table.state or texts.table.headings or name in texts.table.unseen:
            return []
        return [tone(cell, name) or "" for cell in texts.display_columns[name]]

    def _names(self, table: Table, name: str, titles: Mapping[str, str]) -> list[Cell]:
        beside = frameworks_beside(table, name, self.links.framework)
        read: dict[tuple[str, str], str] = {}
        names: list[Cell] = []
        for place, cell in enumerate(table.frame.get_column(name).to_list()):
            every = [one for one in (cell if isinstance(cell, list) else [cell]) if one is not None]
            for one in every:
                if (one, beside[place]) not in read:
                    thing = self.links.thing(name, table, one, beside[place])
                    read[one, beside[place]] = self._name(one, thing, has_title=name in titles)
            names.append("; ".join(read[one, beside[place]] for one in every) or None)
        return names

    def _name(self, text: str, thing: ThingKey | None, *, has_title: bool) -> str:
        """A name alone; an identifier, and what it is about unless a column beside it says so."""
        if has_title:
            return text
        if thing is not None and thing[0] in (*NAMED, "framework"):
            return self.links.name(*thing, text)
        name = self.links.name(*thing, text) if thing else text
        title = (self.links.title(*thing) if thing else "") or record_name(text, self.links.records)
        return f"{name} {title}" if title else name
