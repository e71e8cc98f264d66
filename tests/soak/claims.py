"""Claims of small organizations that are less than they were, all of them: no figure may improve by it."""

import time
from datetime import date
from pathlib import Path

from engine.store.schema.kinds import KINDS
from reports.figures import FIGURES
from tests.claims.harness import Findings, deteriorations, look
from tests.claims.organizations import Organization, edge, small
from tests.claims.recomputation import different_values, queries
from tests.claims.values import worlds
from tests.soak.table import Line

DAY, LEAP_DAY = date(2026, 11, 20), date(2028, 2, 29)
SECONDS_OF_ONE = 0.12  # processor seconds of a mutation, about
PLACES = 260  # of an organization, about


def lines(scratch: Path, seed: int, budget: float) -> list[Line]:
    """A line for each organization: mutations tried, improvements that have no reason; notes say the rest."""
    orgs = (small("cobalt", DAY, seed), edge(LEAP_DAY, seed), small("aurora", DAY, seed))
    each = max(int(budget / len(orgs) / SECONDS_OF_ONE / PLACES), 1)
    made, moved, known = [], set(), set()
    for org in orgs:
        line, found = _line(org, seed, each)
        moved, known = moved | found.moved, known | found.known
        made.append(line)
    directed = {name for name, figure in FIGURES.items() if figure.better != "neither"}
    still = sorted((directed & known) - moved)
    made[-1].notes += [
        f"{len(directed)} of {len(FIGURES)} figures have a direction; {len(still)} of those known were moved by nothing: "
        f"{', '.join(still)}.",
        _kinds(),
    ]
    return made


def _line(org: Organization, seed: int, each: int) -> tuple[Line, Findings]:
    began = time.process_time()
    found = look(org, seed, each)
    broken = [
        f"{place}: {figure} {filed[0][1]} → {filed[0][2]} ({against}, row {filed[0][0].row})"
        for against, faults in (("than it is", found.improved), ("than no row", found.beyond))
        for (place, figure), filed in sorted(faults.items())
    ]
    broken += [
        f"{added}: {figure} {old} → {new}" for (added, figure), (old, new) in sorted(deteriorations(org).items())
    ]
    (world,) = worlds([org.tables], org.day, org.zone)
    broken += [
        f"by SQL: {figure} {by_sql} and not {value}" for figure, (by_sql, value) in different_values(org, world).items()
    ]
    ways = ", ".join(f"{count:,} {way}" for way, count in sorted(found.by_way.items()))
    seconds = time.process_time() - began
    notes = [
        f"{org.name}: {org.rows:,} rows; {ways}; {len(found.exempt):,} pairs of place and figure have a reason; "
        f"{len(queries())} figures are recomputed by SQL."
    ]
    return Line(f"claims: {org.name}", f"{found.tried:,} mutations", seconds=seconds, broken=broken, notes=notes), found


def _kinds() -> str:
    kinds = [kind for columns in KINDS.values() for kind in columns.values()]
    counts = ", ".join(f"{kinds.count(kind):,} {kind}" for kind in ("claim", "debt", "deadline", "scope"))
    return f"{len(kinds):,} importable columns: {counts}; seconds are of the processor."
