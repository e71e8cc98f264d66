"""Which parts of the records a report looks at: tables, and audit events by action.

A report stands at the newest write to any of them. A write that it does not look at moves neither its bytes nor its
name, so it stays where it was built.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache

from engine.facts import ASKED, PLANNED, WEEKLY, sources_of
from engine.model.arrivals import ARRIVALS, CREATED, READ_LATER, REVOKED, TICK, UNREAD
from engine.model.documents.document import Position
from engine.replica.scans.registry import SCANS
from engine.store.log.parts import EVENTS, part_of
from engine.store.schema import REPLICATED

# name, time zone and thresholds are in every report, and what people and frameworks of one's own are called
ALWAYS = frozenset({"organizations", "organization_settings", "memberships", "users", "own_frameworks"})
CUTS = "chain_cuts"  # retention takes events without adding any

# scans of the audit log that look at some actions alone; () at events that a row or a fact names by their place
ACTIONS: Mapping[str, tuple[str, ...]] = {
    "approvers_rows": (),
    "arrival_ticks_rows": (TICK, UNREAD),
    "arrivals_rows": (*ARRIVALS, READ_LATER),
    "dead_letters_rows": (UNREAD, READ_LATER),
    "density_cleared_rows": ("density.cleared",),
    "deployment_rows": (),
    "event_hashes_rows": (),
    "event_ids_rows": (),
    "revision_days_rows": (),
    "revoked_tokens_rows": (CREATED, REVOKED),
    "strange_alerts_rows": ("alert.ingested",),
    "trigger_events_rows": (),
}
# by these it is known which weeks have no snapshot. What is read for them, of whatever table, was recorded by the end
# of a day in a week that is over, and no write moves it any more
_WEEKS = {
    **dict.fromkeys(WEEKLY, frozenset({"readiness_snapshots", "organization_frameworks", CUTS})),
    **dict.fromkeys(PLANNED, frozenset({CUTS})),
}
_READ = re.compile(r"\b(?:FROM|JOIN)\s+(\w+)")


def behind(names: Iterable[str]) -> frozenset[str]:
    """These facts and scans, and all that they are made from."""
    return frozenset().union(*(_behind(name) for name in names))


def tables_behind(names: Iterable[str]) -> frozenset[str]:
    """The tables of the replica that these facts and scans look at."""
    return frozenset().union(*(scan_tables(SCANS[name]) for name in behind(names) if name in SCANS))


def scan_tables(query: str) -> frozenset[str]:
    """The tables of the replica that a scan reads."""
    return frozenset(_READ.findall(query)) & REPLICATED.keys()


def report_parts(facts: Iterable[str]) -> frozenset[str]:
    """The parts that a report on these facts looks at; ``audit_log`` alone stands for events of any action."""
    return ALWAYS.union(*(_scan_parts(name) for name in behind(facts) if name in SCANS))


@cache
def _behind(name: str) -> frozenset[str]:
    made_from = () if name == ASKED else sources_of(name)
    return frozenset((name,)).union(*(_behind(each) for each in made_from))


@cache
def _scan_parts(name: str) -> frozenset[str]:
    tables = scan_tables(SCANS[name]) | _WEEKS.get(name, frozenset())
    if EVENTS not in tables:
        return tables
    return (tables - {EVENTS}) | {CUTS} | (set(map(part_of, ACTIONS[name])) if name in ACTIONS else {EVENTS})


def scan_position(scan: str, heads: Mapping[str, Position]) -> tuple[tuple[Position | None, ...], bool]:
    """Where the newest write to each part ended that a scan looks at, and whether it looks at all events besides."""
    parts = _scan_parts(scan)
    return tuple(heads.get(part) for part in sorted(parts - {EVENTS})), EVENTS in parts
