"""The demo organizations: who they are, how large, how mature and which practices they let slide."""

from collections.abc import Mapping
from dataclasses import dataclass

HISTORY_DAYS = 400


@dataclass(frozen=True)
class Maturity:
    """Shares of the controls whose attestation is signed, not yet due for the first time, overdue, rejected.

    What is left of 1 has never been asked for. ``start`` is the share of those signed or overdue that were signed
    before the history begins too; the others came to it in its course.
    """

    signed: float
    first: float
    overdue: float
    rejected: float
    start: float = 0.6


@dataclass(frozen=True)
class Profile:
    """Sizes are counts of rows; ``lapsed`` gives days since a practice was last seen, ``never`` those not begun.

    ``care`` is the share of what is done in time, ``weeks`` how many snapshots there are at most, one each Monday from
    the first record on, ``days`` how long ago that was made.
    """

    org: str
    name: str
    time_zone: str
    utc_offset: int
    sector: str
    headcount: int
    tier: str
    plan: str
    region: str
    frameworks: Mapping[str, Maturity]
    poam: bool
    events: int
    services: int
    incidents: int
    vendors: int
    deploys: int
    findings: int
    requests: int
    risks: int
    exceptions: int
    evidence: int
    schedules: int
    slo_services: int
    poam_items: int
    lapsed: Mapping[str, int]
    never: frozenset[str]
    accountable_share: float
    care: float
    settings: Mapping[str, float]
    weeks: int = HISTORY_DAYS // 7 + 1
    days: int = HISTORY_DAYS
