"""Which parts of the records a report looks at: tables, and audit events by action.

A report stands at the newest write to any of them. A write that it does not look at moves neither its bytes nor its
name, so it stays where it was built.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from functools import cache

from engine.model.document import Position
from engine.reporting.facts import ASKED, FACTS, inputs
from engine.reporting.facts.assurance_scans import OVER
from engine.reporting.facts.scans import SCANS
from engine.store.part_heads import EVENTS, part_of
from engine.store.schema import REPLICATED

ALWAYS = frozenset({"organizations", "organization_settings"})  # name, time zone and thresholds are in every report
CUTS = "chain_cuts"  # retention takes events without adding any

# scans of the audit log that look at some actions alone; () at events that a row names by its revision
ACTIONS: Mapping[str, tuple[str, ...]] = {
    "density_cleared_rows": ("density.cleared",),
    "deployment_rows": (),
    "revision_days_rows": (),
    "strange_alerts_rows": ("alert.ingested",),
}
_READ = re.compile(r"\b(?:FROM|JOIN)\s+(\w+)")


def scan_tables(query: str) -> frozenset[str]:
    """The tables of the replica that a scan reads."""
    return frozenset(_READ.findall(query)) & REPLICATED.keys()


def report_parts(facts: Iterable[str]) -> frozenset[str]:
    """The parts that a report on these facts looks at; ``audit_log`` alone stands for events of any action."""
    return ALWAYS.union(*(_fact_parts(name) for name in facts))


@cache
def _fact_parts(name: str) -> frozenset[str]:
    if name == ASKED:
        return frozenset()
    if name not in SCANS:
        return report_parts(inputs(FACTS[name]))
    tables = scan_tables(SCANS[name])
    parts = report_parts(OVER.get(name, ())) | (tables - {EVENTS})
    if EVENTS in tables:
        parts |= {CUTS, *map(part_of, ACTIONS[name])} if name in ACTIONS else {CUTS, EVENTS}
    return parts


def newest(parts: Collection[str], heads: Mapping[str, Position], head: Position) -> Position:
    """Where the newest write to any of these parts ended, in an organization that stands at ``head``."""
    if EVENTS in parts:
        return head
    return max((heads[part] for part in parts if part in heads), key=lambda found: found.seq, default=head)
