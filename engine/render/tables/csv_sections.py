"""The sections of a CSV of several tables: a row that stands in two of them is written once, so that sums are right.

A table that is a part of another (``Table.part_of``) gives its rows to it: what it says more of a row stands in further
columns there, and ``also_in`` names it. A row that the other table does not have stays in a section of its own.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from engine.model.documents.document import Table

ALSO_IN = "also_in"
Row = tuple[Any, ...]  # cells, lists as tuples: Polars does not type them


def sections(tables: Sequence[Table]) -> list[Table]:
    """The tables with every row once; a table all of whose rows stand in others has no section."""
    wholes = {table.name: _MergedTable(table) for table in tables if not table.part_of}
    left = {}
    for part in tables:
        there = [wholes[name] for name in part.part_of if name in wholes]
        if not there:
            continue
        rest = part.frame
        for whole in there:
            rest = rest.filter(~pl.Series(whole.take(replace(part, frame=rest)), dtype=pl.Boolean))
        left[part.name] = replace(part, frame=rest)
    found = [wholes[table.name].table() if table.name in wholes else left.get(table.name, table) for table in tables]
    return [table for table in found if table.name not in left or table.frame.height]


class _MergedTable:
    """A table that takes the rows of its parts."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._further: dict[str, list[Any]] = {}
        self._types: dict[str, pl.DataType] = {}
        self._also: list[list[str]] = [[] for _ in range(table.frame.height)]
        self._parts = 0

    def take(self, part: Table) -> list[bool]:
        """Which rows of a part this table has too."""
        self._parts += 1
        shared = [name for name, dtype in part.schema.items() if self._table.schema.get(name) == dtype]
        places = _places(self._table.frame.select(shared)) if shared else {}
        gets = [places.get(row) for row in _rows(part.frame.select(shared))] if shared else [None] * part.frame.height
        taken = [place if times == 1 else None for place, times in zip(gets, map(Counter(gets).get, gets), strict=True)]
        for name in part.frame.columns:
            if name not in shared:
                self._add(name, part, taken)
        for place in taken:
            if place is not None:
                self._also[place].append(part.name)
        return [place is not None for place in taken]

    def table(self) -> Table:
        """The table with what its parts say more."""
        if not self._parts:
            return self._table
        columns = [pl.Series(name, cells, dtype=self._types[name]) for name, cells in self._further.items()]
        also = pl.Series(ALSO_IN, ["; ".join(names) or None for names in self._also], dtype=pl.String)
        return replace(self._table, frame=self._table.frame.with_columns(*columns, also))

    def _add(self, name: str, part: Table, taken: Sequence[int | None]) -> None:
        """A column that only parts have: a part's word for a row of it."""
        free = name not in self._table.schema and name not in self._further
        heading = name if free else f"{part.name}_{name}"
        self._types[heading] = part.schema[name]
        cells = self._further[heading] = [None] * self._table.frame.height
        for place, cell in zip(taken, part.frame.get_column(name).to_list(), strict=True):
            if place is not None:
                cells[place] = cell


def _places(frame: pl.DataFrame) -> Mapping[Row, int | None]:
    """Where each row stands; None for rows that are equal."""
    places: dict[Row, int | None] = {}
    for number, row in enumerate(_rows(frame)):
        places[row] = None if row in places else number
    return places


def _rows(frame: pl.DataFrame) -> list[Row]:
    return [tuple(tuple(cell) if isinstance(cell, list) else cell for cell in row) for row in frame.rows()]
