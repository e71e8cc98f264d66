"""Every column of a fact or of a report's table, declared once: what people read above it and what it means.

A report gives a label of its own only where its framework has another word for the same thing, or where it means
something else by the name.
"""

from collections.abc import Iterable, Mapping

from engine.model.columns.attestations import ATTESTATIONS
from engine.model.columns.boundaries import BOUNDARIES
from engine.model.columns.column import Column
from engine.model.columns.controls import CONTROLS
from engine.model.columns.duties import DUTIES
from engine.model.columns.evidence import EVIDENCE
from engine.model.columns.frameworks import FRAMEWORKS
from engine.model.columns.gaps import GAPS
from engine.model.columns.names import NAMES
from engine.model.columns.people import PEOPLE
from engine.model.columns.plans import PLANS
from engine.model.columns.readiness import READINESS
from engine.model.columns.risks import RISKS
from engine.model.columns.senders import SENDERS
from engine.model.columns.staffing import STAFFING
from engine.model.columns.time import TIME
from engine.model.columns.vendors import VENDORS
from engine.model.columns.weaknesses import WEAKNESSES

# the weeks of a horizon, side by side; a report names each by its ISO week
WEEKS: Mapping[str, Column] = {
    **{f"week_{number:02d}": Column(f"Week {number}", "count", "Duties due in that week.") for number in range(1, 54)},
    **{
        f"week_{number:02d}_pct": Column(f"Week {number} (%)", "percent", "Utilisation in that week.")
        for number in range(1, 54)
    },
}


def join_columns(parts: Iterable[Mapping[str, Column]]) -> dict[str, Column]:
    """All of them; ValueError names those that are declared twice."""
    columns: dict[str, Column] = {}
    for part in parts:
        if twice := sorted(columns.keys() & part.keys()):
            raise ValueError(f"Each column is declared once; declared again: {', '.join(twice)}.")
        columns |= part
    return columns


COLUMNS: Mapping[str, Column] = join_columns(
    (
        *(NAMES, TIME, PEOPLE, CONTROLS, EVIDENCE, ATTESTATIONS, READINESS, GAPS, RISKS, WEAKNESSES, FRAMEWORKS),
        *(DUTIES, WEEKS, STAFFING, VENDORS, BOUNDARIES, PLANS, SENDERS),
    )
)
