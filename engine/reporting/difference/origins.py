"""What a fact is made from: the facts and scans behind it, and the tables that those scans read."""

import re
from collections.abc import Iterable
from functools import cache

import duckdb

from engine.reporting.facts import FACTS, inputs
from engine.reporting.facts.assurance_scans import OVER
from engine.reporting.facts.scans import SCANS
from engine.store.schema import REPLICATED


def behind(names: Iterable[str]) -> frozenset[str]:
    """These facts and scans, and all that they are made from."""
    return frozenset().union(*(_behind(name) for name in names))


def tables_behind(names: Iterable[str]) -> frozenset[str]:
    """The stored tables that these facts and scans look at."""
    return frozenset().union(*(_tables(name) for name in behind(names) if name in SCANS))


@cache
def _behind(name: str) -> frozenset[str]:
    taken = OVER.get(name, ()) if name in SCANS else inputs(FACTS[name]) if name in FACTS else ()
    return frozenset((name,)).union(*(_behind(each) for each in taken))


@cache
def _tables(scan: str) -> frozenset[str]:
    """The tables that a scan names, as DuckDB parses it; nothing is bound, for here are no tables."""
    with duckdb.connect() as connection:
        (parsed,) = connection.execute("SELECT json_serialize_sql(?)", [SCANS[scan]]).fetchall()[0]
    return frozenset(re.findall(r'"table_name":"(\w+)"', parsed)) & REPLICATED.keys()
