"""Four pilots, each as far as it is: planned, running, under review, and bought."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from data.demo.cast.enquiries import lead_id
from data.demo.cast.prospects import IDRIS, MAREN
from data.demo.draws import draws
from data.demo.history.diary import Diary, Hours, meeting
from engine.sales import leads, pilots
from engine.store import Revision


@dataclass(frozen=True)
class DemoPilot:
    """One pilot. Days are days ago; ``dates`` holds (days ago, hour in UTC) of each meeting that was agreed.

    ``moved`` says when meetings got other dates.
    """

    email: str
    owner: str
    created: int
    scope: Mapping[str, object]
    dates: Mapping[str, tuple[int, int]]
    path: tuple[tuple[str, int], ...] = ()
    moved: tuple[tuple[int, str, tuple[int, int]], ...] = ()
    notes: str | None = None


DEMO_PILOTS: tuple[DemoPilot, ...] = (
    DemoPilot(
        "ingrid.valdes@mirador-pay.example",
        MAREN,
        93,
        {
            "goal": "One place for the evidence of PCI DSS and SOC 2 before the assessor's visit in spring.",
            "frameworks": ["pci-dss", "soc2"],
            "success_criteria": [
                "The evidence of the last twelve months is imported from all four places without rejected rows",
                "The assessor verifies a sealed bundle without our software",
                "The weekly report takes less than one hour",
            ],
        },
        {"discovery_at": (102, 13), "kickoff_at": (78, 9), "review_at": (36, 14)},
        (("kickoff", 82), ("active", 77), ("review", 36), ("converted", 29)),
        notes="Bought the team plan for a year after the review.",
    ),
    DemoPilot(
        "r.achterberg@tarnfell-clinics.example",
        IDRIS,
        75,
        {
            "goal": "HIPAA readiness of seven clinics that the board can follow from month to month.",
            "frameworks": ["hipaa"],
            "assumptions": [
                "Records hold no data of patients; the clinics remove it before the export",
                "One person in each clinic answers questions within two working days",
            ],
        },
        {"discovery_at": (86, 8), "kickoff_at": (54, 8), "review_at": (6, 8)},
        (("kickoff", 58), ("active", 53), ("review", 4)),
        ((12, "review_at", (-4, 8)),),
        "Review moved: one clinic sent its records late.",
    ),
    DemoPilot(
        "hyunwoo.baek@quillon-robotics.example",
        MAREN,
        54,
        {
            "goal": "Show the customer a gap list for ISO 27001 and a SOC 2 readiness that can be traced to records.",
            "frameworks": ["iso27001", "soc2"],
        },
        {"discovery_at": (68, 7), "kickoff_at": (25, 7), "review_at": (-17, 7)},
        (("kickoff", 34), ("active", 24)),
        notes="Records of the build system are imported; the people system follows.",
    ),
    DemoPilot(
        "bram@saltmarsh-energy.example",
        IDRIS,
        14,
        {
            "goal": "A NIST CSF profile of the grid control centre from the records that exist, not from spreadsheets.",
            "frameworks": ["nist-csf", "cis-v8"],
            "weeks": 8,
        },
        {"discovery_at": (36, 12), "kickoff_at": (-20, 12)},
    ),
)


def record_pilot(diary: Diary, trial: DemoPilot) -> None:
    """The conversion of the lead, each step, and each meeting that moved."""
    rng = draws(f"platform/pilot/{trial.email}")
    identifier, lead = f"pilot_{rng.getrandbits(64):016x}", lead_id(trial.email)
    dates = {name: meeting(diary.today, *agreed) for name, agreed in trial.dates.items()}
    fields = {"id": identifier, "scope": dict(trial.scope), **dates}
    hours = Hours(diary.today, rng)
    diary.note(hours.office(trial.created), trial.owner, partial(_convert, lead=lead, fields=fields))
    changes: list[tuple[int, dict[str, object]]] = [(ago, {"stage": stage}) for stage, ago in trial.path]
    changes += [(ago, {name: meeting(diary.today, *agreed)}) for ago, name, agreed in trial.moved]
    for ago, wanted in sorted(changes, key=lambda change: -change[0]):
        diary.note(hours.office(ago), trial.owner, partial(_change, pilot=identifier, wanted=wanted))
    if trial.notes:
        diary.note(hours.next_moment(), trial.owner, partial(_change, pilot=identifier, wanted={"notes": trial.notes}))


def _convert(revision: Revision, lead: str, fields: Mapping[str, object]) -> None:
    leads.convert(revision, lead, fields)


def _change(revision: Revision, pilot: str, wanted: Mapping[str, object]) -> None:
    pilots.change(revision, pilot, wanted)
