"""Figures of whole demo organizations and of the edges of the calendar, recomputed by SQL from their definitions."""

import time
from datetime import date
from pathlib import Path

from data.demo import generate
from data.demo.cast.organizations import PROFILES
from engine.model.vocabulary import FRAMEWORKS
from tests.claims.organizations import Organization, edge
from tests.claims.recomputation import different_values, queries, sql_values
from tests.claims.twins import generic, twin, unequal
from tests.claims.values import worlds
from tests.soak.table import Line

DAY, LEAP_DAY = date(2026, 11, 20), date(2028, 2, 29)


def lines(scratch: Path, seed: int, budget: float) -> list[Line]:
    """A line for each organization: figures recomputed, and those that differ; the budget does not shorten it."""
    found = [_line(org) for org in (*map(_whole, PROFILES), edge(LEAP_DAY, seed))]
    return [*found, _twins_line(_whole("aurora"))]


def _twins_line(org: Organization) -> Line:
    """Each framework of the program under another name: every generic figure is equal."""
    began, broken = time.process_time(), []
    (base,) = worlds([org.tables], org.day, org.zone)
    for framework in FRAMEWORKS:
        (other,) = worlds([twin(org.tables, framework)], org.day, org.zone)
        differing = unequal(base.values, other.values, framework)
        broken += [f"{framework}: {name} {ours}, of its twin {theirs}" for name, (ours, theirs) in differing.items()]
    tried = f"{len(FRAMEWORKS)} frameworks, {len(generic()):,} figures each"
    return Line("figures: twins", tried, seconds=time.process_time() - began, broken=broken)


def _whole(name: str) -> Organization:
    tables = generate(name, DAY)
    return Organization(name, DAY, tables["organizations"]["time_zone"][0], tables)


def _line(org: Organization) -> Line:
    began = time.process_time()
    (world,) = worlds([org.tables], org.day, org.zone)
    differing = different_values(org, world)
    broken = [f"{name}: {ours} by SQL, {theirs} as reported" for name, (ours, theirs) in differing.items()]
    telling = sum(value not in (0, None) for value in sql_values(org).values())
    notes = [f"{org.name}: {org.rows:,} rows; {telling} of the figures are neither 0 nor unknown."]
    tried = f"{len(queries()):,} figures"
    return Line(f"figures: {org.name}", tried, seconds=time.process_time() - began, broken=broken, notes=notes)
