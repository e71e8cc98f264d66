"""Thresholds and weights in one table (REPORTS 16): defaults that an organization may override.

An override is a row of ``organization_settings``; the version of an organization's set is the revision of the
last change to it, 0 for the defaults. Every report prints the version that it used (R9).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from engine.model.errors import InvalidData

# name: (default, minimum, maximum, what it means)
DEFAULTS: Mapping[str, tuple[float, float, float, str]] = MappingProxyType(
    {
        "due_soon_days": (7, 1, 60, "days before a due date that count as due soon"),
        "at_risk_fraction": (0.20, 0.05, 0.5, "last part of an SLA clock that counts as at risk"),
        "request_sla_p1_days": (3, 1, 90, "business days for an evidence request of priority P1"),
        "request_sla_p2_days": (5, 1, 90, "business days for an evidence request of priority P2"),
        "request_sla_p3_days": (10, 1, 90, "business days for an evidence request of priority P3"),
        "request_sla_p4_days": (20, 1, 180, "business days for an evidence request of priority P4"),
        "reminder_first_days": (1, 1, 30, "days late at which the first reminder is owed"),
        "reminder_second_days": (3, 1, 60, "days late at which the second reminder is owed"),
        "reminder_third_days": (7, 1, 90, "days late at which the third is owed; it also goes to who is accountable"),
        "quiet_from_hour": (19, 0, 23, "local hour from which no reminder is sent"),
        "quiet_until_hour": (7, 0, 23, "local hour from which reminders are sent again"),
        "digest_hour": (8, 0, 23, "local hour at which digests are sent"),
        "digest_weekday": (1, 1, 7, "day of the week of weekly digests: 1 is Monday"),
        "nudge_pause_days": (7, 1, 60, "least days between two nudges for the same attestation"),
        "nudge_ahead_days": (30, 1, 90, "days before its due date from which an attestation is nudged"),
        "staffing_sla_days": (5, 1, 60, "business days after the peak week for a staffing action"),
        "escalation_delay_days": (2, 1, 30, "business days between rollup and escalation"),
        "forecast_weeks": (13, 1, 53, "horizon of the obligation forecast, in weeks"),
        "history_weeks": (26, 4, 104, "trailing weeks that thresholds and expectations are taken from"),
        "crossover_days": (14, 1, 60, "due windows overlap within so many days"),
        "density_warn_count": (5, 1, 500, "least obligations in a week for a warning"),
        "density_critical_count": (8, 1, 500, "least obligations in a week for a critical alert"),
        "utilisation_warn_pct": (85, 10, 200, "utilisation of a week that warns"),
        "utilisation_critical_pct": (100, 10, 300, "utilisation of a week that is critical"),
        "hysteresis_fraction": (0.90, 0.5, 1.0, "a breach clears below this part of its threshold"),
        "plan_slack_days": (5, 0, 60, "days before its target day by which the work of a plan is done"),
        "focus_factor": (0.8, 0.1, 1.0, "part of the contracted hours that compliance work gets done in"),
        "weekly_hours": (6, 0, 60, "compliance hours a week of an owner without a capacity record"),
        "imbalance_ratio": (1.5, 1.0, 10, "largest over mean utilisation that counts as imbalance"),
        "imbalance_min_owners": (3, 2, 50, "least owners for which imbalance is meaningful"),
        "rag_green": (80, 1, 100, "least percentage that is green"),
        "rag_amber": (60, 1, 100, "least percentage that is amber"),
        "coverage_min_pct": (50, 1, 100, "below this coverage a grade is insufficient_data"),
        "exception_max_months": (12, 1, 60, "longest life of an exception"),
        "exception_max_renewals": (2, 0, 20, "most renewals of an exception"),
        "key_person_pct": (40, 10, 100, "share of all accountable roles above which one person is a key-person risk"),
        "consulted_max": (5, 1, 50, "most people consulted about a control"),
        "assessor_token_days": (90, 1, 365, "life of an assessor token"),
        "dry_run_fresh_hours": (24, 1, 168, "age up to which a dry-run allows execution"),
        "dry_run_remediate_minutes": (60, 5, 1440, "age up to which a dry-run allows remediation"),
        "alert_reopen_minutes": (60, 0, 1440, "a resolved incident reopens within so many minutes"),
        "acknowledge_minutes": (15, 1, 1440, "minutes within which somebody on duty acknowledges an incident"),
        "attack_depth": (5, 1, 8, "hops of an attack path when the caller names none"),
        "rca_confident": (0.40, 0.1, 0.9, "least confidence of a conclusive root cause"),
        "rca_gap": (0.10, 0.0, 0.5, "least distance between the best two root causes"),
        "vendor_review_critical_months": (12, 1, 60, "review cadence of critical vendors"),
        "vendor_review_high_months": (12, 1, 60, "review cadence of high-tier vendors"),
        "vendor_review_medium_months": (24, 1, 60, "review cadence of medium-tier vendors"),
        "vendor_review_low_months": (36, 1, 60, "review cadence of low-tier vendors"),
        "vendor_first_review_days": (30, 1, 365, "days within which a new vendor is first assessed"),
        "vendor_expiring_days": (60, 1, 365, "days before its end from which a vendor's assurance is expiring"),
        "soc2_report_months": (12, 1, 24, "age at which a vendor's SOC 2 report expires"),
        "bridge_letter_months": (3, 0, 6, "months that a bridge letter adds"),
        "cohort_min_n": (5, 1, 100, "least members of a cohort for a percentile"),
        "quick_win_hours": (4, 0.5, 40, "most effort of a quick win"),
        "quick_win_leverage": (3, 1, 20, "least requirements that a quick win unlocks"),
        "risk_appetite": (9, 1, 25, "largest risk cell within appetite (F11)"),
        "posture_readiness": (0.35, 0, 1, "weight of weighted readiness in the posture score (F4)"),
        "posture_freshness": (0.20, 0, 1, "weight of evidence freshness"),
        "posture_attestation": (0.15, 0, 1, "weight of attestation currency"),
        "posture_vendor": (0.10, 0, 1, "weight of vendor assurance"),
        "posture_remediation": (0.10, 0, 1, "weight of remediation timeliness"),
        "posture_operations": (0.10, 0, 1, "weight of operational health"),
    }
)


@dataclass(frozen=True)
class Thresholds:
    """An organization's thresholds: ``settings["due_soon_days"]``; ``version`` 0 means nothing was overridden."""

    version: int = 0
    overrides: Mapping[str, float] = field(default_factory=dict)

    def __getitem__(self, name: str) -> float:
        return self.overrides.get(name, DEFAULTS[name][0])


def thresholds(version: int, overrides: Mapping[str, Any]) -> Thresholds:  # as stored: each is checked here
    """Overrides checked against the table; InvalidData names the setting and its range."""
    checked: dict[str, float] = {}
    for name, value in sorted(overrides.items()):
        if name not in DEFAULTS:
            raise InvalidData(f"{name!r} is not a setting; `hq tables` lists those that exist.")
        _, low, high, _ = DEFAULTS[name]
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise InvalidData(f"The setting {name} must be a number from {low:g} to {high:g}; got {value!r}.")
        checked[name] = value
    return Thresholds(version, checked)
