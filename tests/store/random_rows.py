"""Rows of any table, drawn: values of every column's kind, keys from a small stock so that rows meet again."""

from datetime import date, timedelta

from sqlalchemy import BigInteger, Boolean, Date, Float

from engine.store.types import Instant, Json
from tests.conftest import NOW

WORDS = ("", "a", "Ünïcode ✓", 'quo"te\\', "line\nbreak", "=1+1", " x ", "0", "null")
JSONS = ({}, [], {"b": [1, 2.5, None, True], "a": {"ö": "x"}}, ["x", ""], 0, "text", False)


def value(draw, column):
    """A value of a column; now and then none where that is allowed."""
    info, kind = column.info, column.type
    if column.nullable and draw.random() < 0.3:
        return None
    if info.get("choices"):
        return draw.choice(info["choices"])
    if isinstance(kind, Instant):
        return NOW + timedelta(seconds=draw.randrange(-(10**7), 10**7), microseconds=draw.choice((0, 1, 999_999)))
    if isinstance(kind, Date):
        return date(2024, 2, 29) + timedelta(days=draw.randrange(2000))
    if isinstance(kind, Boolean):
        return draw.random() < 0.5
    if isinstance(kind, BigInteger):
        return draw.randrange(1, 2**40)
    if isinstance(kind, Float):
        return draw.choice((0, 1, 2.5, 0.1 + 0.2, 1e-9, 7))
    if isinstance(kind, Json):
        return draw.choice(JSONS)
    return draw.choice(WORDS)


def row(draw, table):
    """A row without organization and revision."""
    found = {}
    for column in table.columns:
        if column.name in ("org_id", "revision", "moves") or (table.name == "organizations" and column.name == "id"):
            continue
        found[column.name] = key(draw, column) if column.name in table.info["primary"] else value(draw, column)
    unique = {column.name for index in table.indexes if index.unique for column in index.columns}
    for name in unique & found.keys():
        if isinstance(found[name], str) and not table.c[name].info.get("choices"):
            found[name] = f"u{draw.random()}"
    return found


def key(draw, column):
    """One of few keys."""
    if isinstance(column.type, Date):
        return date(2026, 1, draw.randrange(1, 8))
    if isinstance(column.type, Instant):
        return NOW + timedelta(hours=draw.randrange(8))
    if isinstance(column.type, BigInteger):
        return draw.randrange(8)
    return draw.choice(column.info["choices"]) if column.info.get("choices") else f"k{draw.randrange(8)}"


def random_write(draw, revision, tables):
    """A write to three tables: rows that are new, changed, the same, changed twice, or gone."""
    for table in draw.sample(tables, 3):
        if draw.random() < 0.7:
            rows = [row(draw, table) for _ in range(draw.randrange(1, 4))]
            unique = {tuple(each[name] for name in table.info["primary"]): each for each in rows}
            revision.upsert(table, list(unique.values()))
        else:
            name = table.info["primary"][0]
            revision.delete(table, table.c[name] == key(draw, table.c[name]))
