"""All claims of a table at once, which are under the law as one of them is, and all rows of a table, which show what moves.

A figure that counts what one row in forty is, or that needs several rows to fall, is moved by these and by no single cell.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import polars as pl

from engine.store.schema import IMPORTABLE
from engine.store.schema.kinds import KINDS
from tests.claims.exceptions import reason_of
from tests.claims.good_rows import good_rows
from tests.claims.harness import Findings, batches
from tests.claims.mutations import Mutation, claims
from tests.claims.organizations import Organization, Tables
from tests.claims.rare_rows import rare_rows
from tests.claims.values import better, different, worlds

TOGETHER = 20
UNTOUCHED = ("organizations",)  # without it there is nobody to ask about


class TableState(NamedTuple):
    """Rows of which a table has fewer; ``claims`` where only those went that speak for us."""

    table: str
    claims: bool
    tables: Tables


def table_states(org: Organization) -> Iterator[TableState]:
    """The organization without the claims of each table, and without any of its rows."""
    for name, frame in sorted(org.tables.items()):
        if not frame.height or name in UNTOUCHED:
            continue
        yield TableState(name, False, {**org.tables, name: frame.clear()})
        keys = IMPORTABLE[name].info["primary"]
        rows = claims(org, name) if KINDS[name][keys[0] if keys else "id"] == "claim" else []
        if rows:
            kept = frame.filter(~pl.int_range(pl.len()).is_in(rows))
            yield TableState(name, True, {**org.tables, name: kept})


def look_at_tables(org: Organization, states: Iterable[TableState] | None = None) -> Findings:
    """What moves when tables are emptied, or are as ``states`` has them, or rows are added; no figure may improve where
    claims went."""
    findings = Findings()
    (base,) = worlds([org.tables], org.day, org.zone)
    findings.see(base)
    for some in batches(table_states(org) if states is None else states, TOGETHER):
        for state, world in zip(some, worlds([one.tables for one in some], org.day, org.zone, base), strict=True):
            findings.tried += 1
            findings.by_way["all claims of a table" if state.claims else "a whole table"] += 1
            findings.moved |= different(base.values, world.values)
            for name, (old, new) in better(base.values, world.values).items() if state.claims else ():
                mutation = Mutation(state.table, "", "withdraw", -1)
                faults = findings.improved if reason_of(mutation.place, name, base, world) is None else findings.exempt
                faults[mutation.place, name].append((mutation, old, new))
    added = [*rare_rows(org), *good_rows(org)]
    for world in worlds([tables for _, tables in added], org.day, org.zone, base):
        findings.moved |= different(base.values, world.values)
        findings.known |= {name for name, value in world.values.items() if value is not None}
    findings.by_way["added rows"] += len(added)
    return findings
