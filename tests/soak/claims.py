"""Claims of small organizations that are less than they were, all of them: no figure may improve by it."""

import time
from dataclasses import replace
from datetime import date
from pathlib import Path

from engine.store.schema.kinds import KINDS
from reports.figures import FIGURES
from tests.claims.harness import Findings, deteriorations, look
from tests.claims.organizations import FURTHER, Organization, edge, small
from tests.claims.whole_tables import look_at_tables
from tests.soak.table import Line

DAY, LEAP_DAY = date(2026, 11, 20), date(2028, 2, 29)
SECONDS_OF_ONE = 0.12  # processor seconds of a mutation, about
PLACES = 260  # of an organization, about


def lines(scratch: Path, seed: int, budget: float) -> list[Line]:
    """A line for each organization: mutations tried, improvements that have no reason; notes say the rest."""
    orgs = (small("cobalt", DAY, seed), edge(LEAP_DAY, seed), small("aurora", DAY, seed))
    orgs += (replace(small("aurora", DAY, seed, FURTHER), name="further"),)
    each = max(int(budget / len(orgs) / SECONDS_OF_ONE / PLACES), 1)
    made, every = [], Findings()
    for org in orgs:
        line, findings = _line(org, seed, each)
        every.add(findings)
        made.append(line)
    made[-1].notes += [*_still_figures(every), _kinds()]
    return made


def _still_figures(findings: Findings) -> list[str]:
    """The figures with a direction that nothing moved, by why."""
    directed = {name for name, figure in FIGURES.items() if figure.better != "neither"}
    still = directed - findings.moved
    reasons = {
        "unknown in each organization": still - findings.known,
        "nought in each organization, which has no row that they count": (still & findings.known) - findings.counted,
        "known, and moved by no claim, table or row": still & findings.counted,
    }
    return [
        f"{len(directed)} of {len(FIGURES)} figures have a direction; {len(still)} were moved by nothing.",
        *(f"{len(names)} {why}: {', '.join(sorted(names))}." for why, names in reasons.items() if names),
    ]


def _line(org: Organization, seed: int, each: int) -> tuple[Line, Findings]:
    began = time.process_time()
    findings = look(org, seed, each)
    findings.add(look_at_tables(org))
    broken = [
        f"{place}: {figure} {filed[0][1]} → {filed[0][2]} ({against}, row {filed[0][0].row})"
        for against, faults in (("than it is", findings.improved), ("than no row", findings.beyond))
        for (place, figure), filed in sorted(faults.items())
    ]
    broken += [
        f"{added}: {figure} {old} → {new}" for (added, figure), (old, new) in sorted(deteriorations(org).items())
    ]
    ways = ", ".join(f"{count:,} {way}" for way, count in sorted(findings.by_way.items()))
    seconds = time.process_time() - began
    notes = [
        f"{org.name}: {org.rows:,} rows; {ways}; {len(findings.exempt):,} pairs of place and figure have a reason."
    ]
    return Line(
        f"claims: {org.name}", f"{findings.tried:,} mutations", seconds=seconds, broken=broken, notes=notes
    ), findings


def _kinds() -> str:
    kinds = [kind for columns in KINDS.values() for kind in columns.values()]
    counts = ", ".join(f"{kinds.count(kind):,} {kind}" for kind in ("claim", "debt", "deadline", "scope"))
    return f"{len(kinds):,} importable columns: {counts}; seconds are of the processor."
