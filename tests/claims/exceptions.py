"""Where a figure may improve although a claim is less: each with its reason. Everything else is a fault of the product."""

import re
from dataclasses import dataclass
from typing import Literal

import polars as pl

from tests.claims.values import World

Condition = Literal["", "stale to partial", "applies again", "linked later"]


@dataclass(frozen=True)
class Exempt:
    """Figures that may improve by mutations of these places (both are patterns), under a condition, for a reason."""

    places: str
    figures: str
    reason: str
    condition: Condition = ""


CAPACITY = (
    "available_hours|.*utilisation_pct|.*shortfall_hours|peak_.*|weeks_(imbalanced|short.*|over.*)|owners_short|.*over_capacity|"
    "density_.*|renewal_collision_weeks|borrow_hours|.*remaining_hours|hours_to_save|plays_waiting_hours"
)
# a fault of a claim goes with the claim, by the tables whose rows the figure looks at; what rested on it is worse by others
FAULTS = (
    Exempt(
        r"(attestations|audit_log|dry_runs|evidence_items|evidence_links|policies|policy_controls|test_links|test_runs)\..*|.* added",
        "claims_hash_mismatch|claims_broken",
        "Evidence that is gone is claimed no more, so that nobody looks at its proof; its control is worse.",
    ),
    Exempt(
        r"(evidence_items|evidence_links|policies|policy_controls)\..*",
        "orphan_evidence|graph_orphans",
        "Evidence that is not there belongs to no control and is missed by none; it was used by nothing before.",
    ),
    Exempt(
        r"attestations\..*|a signature added",
        "attestations_unsupported",
        "What never was signed was not signed on stale evidence.",
    ),
    Exempt(
        r"(dry_runs|test_links|test_runs)\..*|a test that passed added",
        "tests_unused|tests_linked_pct",
        "A test that is gone waits for no link.",
    ),
    Exempt(
        r"an event of long ago.* added",
        "records_past_retention",
        "A record is past its retention from the day on which it is written, where it is so old.",
    ),
    Exempt(r"plays\..*", "plays_to_close", "A play that is not under way has nothing to be closed."),
    Exempt(
        r"(exceptions|control_owners)\..*",
        "exceptions_.*",
        "An exception that is not there has no fault, nor has one of nobody.",
    ),
    Exempt(r"test_runs\..*", "type_ii_without_response", "A test that is gone found no deviation to respond to."),
    Exempt(
        r"remediations\..*", "measures_un.*", "A measure that nobody names needs no approval, and makes nothing better."
    ),
    Exempt(
        r"risks\..*",
        "risks_accepted_unapproved",
        "A risk that is not accepted needs no approval; it is over its appetite.",
    ),
    Exempt(
        r"(attestations|audit_log|evidence_items|evidence_links|policies|policy_controls|test_links|test_runs)\..*",
        "controls_changed_since_evidence",
        "Where there is no evidence, nothing changed since; its control is without.",
    ),
    Exempt(r"audit_log\..*", "audit_events_untagged", "An event that is gone names no control and lacks none."),
    Exempt(
        r"control_owners\..*",
        "controls_same_person",
        "Of two roles of one person one is empty: that is counted instead.",
    ),
    Exempt(
        r"(vendors|vendor_documents)\..*",
        "hipaa_associates_without_flow_down",
        "An agreement that is gone flows nothing down: the associate is without an agreement.",
    ),
    Exempt(
        r"policies\.\* withdraw",
        "obligations_without_control|unowned_hours",
        "The review of a policy that is gone is no duty any more, whoever owned it and whatever it was about.",
    ),
)
EXEMPT = (
    Exempt(
        ".*",
        "control_families_red",
        "REPORTS R3: a family of which less than half is known has no colour; that it is red is no longer known.",
    ),
    Exempt(
        r"(?!policies\.accepted_).*",
        "(iso_)?weighted_pct|weighted_change|posture_score|posture_change|control_famil.*|control_health.*|.*_change|digest_.*",
        "REPORTS F2 and F3: a control of which one kind is stale is stale and scores a quarter, one of which that kind "
        "was never given is partial and scores a half.",
        "stale to partial",
    ),
    Exempt(
        ".*",
        CAPACITY,
        "Work that is not done, or is another's, falls into another week or on other shoulders, where there may be room; "
        "what is owed is counted by the obligations, which are under the law.",
    ),
    *FAULTS,
    Exempt(
        r"(?!policies\.).*",
        "freshness_debt_days",
        "Evidence that is gone has no age and adds no days; its control is `evidence_missing` or rests on older evidence.",
    ),
    Exempt(
        r"(policies|policy_controls)\..*",
        "guardrails_.*|controls_drifted",
        "REPORTS 4 has a row for each accepted guardrail: one that nobody accepted is counted by `policies_unaccepted`.",
    ),
    Exempt(
        r"control_profiles\.(justification|approved_by|approved_on) .*",
        ".*",
        "REPORTS R3: an exclusion without its approval is none; the control applies again, with the evidence that it has.",
        "applies again",
    ),
    Exempt(
        "(incidents|evidence_requests|remediations|staffing_actions)\\..*",
        ".*turnaround.*|.*hours_to_restore|gdpr_restore_minutes|.*median.*|.*_p90.*|.*_p95.*|staffing_relief_.*",
        "A measure of what is over says nothing about what is not, or not on a known day: that is open, or not in time.",
    ),
    Exempt(
        "remediations\\.closed_on .*|remediations\\.status .*",
        "gaps_without_owner",
        "Work that turns out not to be closed has an owner, and so has its gap.",
    ),
    Exempt(
        "(posture|readiness)_snapshots\\..*",
        ".*_change|.*before.*|snapshot_.*_pct|packs_.*",
        "A change and a mean are of what was kept: less that was kept then is more since, or another mean.",
    ),
    Exempt(
        ".* leaver|.*delegated_to .*|control_owners\\..*",
        "reminder.*|renewal.*",
        "Nobody is reminded who left, and who left is not the owner; their claims are counted as owned by nobody.",
    ),
    Exempt(
        "poam_items\\.details .*",
        "poam_items_.*",
        "An item whose control of NIST SP 800-53 is not named any more is a gap without one: `poam_gaps_without_control`.",
    ),
    Exempt(
        "control_profiles\\.(decision|rationale|decided_on|approved_.*) .*",
        "regulatory_(new_gaps|effort_hours)",
        "A gap that is there today is none that a scenario brings: `regulatory_existing_gaps` and the readiness have it.",
    ),
    Exempt(
        "control_profiles\\.decision blank",
        "regulatory_satisfied",
        "Without a decision against it a specification is taken as it stands, and met where its evidence is effective.",
    ),
    Exempt(
        "attestations\\..*",
        "attestations_decided_in_week_pct|calendar_entries_done",
        "A duty that is not decided stands where the next one of its control would be planned; it is overdue instead.",
    ),
    Exempt(
        r"(test_links|test_runs)\..*",
        "controls_newly_evidenced",
        "What is new is a change: of a control whose first test is lost the next is the first, and may lie in the period.",
        "linked later",
    ),
    Exempt(
        r"control_owners\.\* withdraw",
        "controls_several_accountable",
        "Of several who are accountable for a control none is left: `controls_no_accountable` and the complete ones say so.",
    ),
    Exempt(
        r"service_senders\.\* withdraw",
        "senders_not_heard",
        "A sender that nobody declared is not waited for; its services are covered no more, as `monitoring_coverage_pct` says.",
    ),
    Exempt(
        r"policies\.\* withdraw",
        "(scenario_)?obligations_overdue(_hours)?|reminder(s|_items)_.*|freshness_debt_days",
        "The review of a policy, and its age, go with a policy that is not on record any more; its controls lost it.",
    ),
    Exempt(
        r"exceptions\.\* withdraw",
        "control_health.*",
        "REPORTS 4: a tenth of control health is for controls without an open exception; its gap stands as it stood.",
    ),
    Exempt(
        "(evidence_items\\.captured_at|audit_log\\.occurred_at) ahead",
        "evidence_missing",
        "Evidence that is dated ahead is an error row of its own: `evidence_future_dated`.",
    ),
)


def reason_of(place: str, figure: str, before: World, after: World) -> str | None:
    """Why this improvement is let pass; None for one that is a fault."""
    for exempt in EXEMPT:
        named = re.fullmatch(exempt.places, place) and re.fullmatch(exempt.figures, figure)
        if named and _holds(exempt.condition, before, after):
            return exempt.reason
    return None


def _holds(condition: Condition, before: World, after: World) -> bool:
    match condition:
        case "":
            return True
        case "linked later":
            return _linked_later(before, after)
    return _some_control(condition, before, after)


def _linked_later(before: World, after: World) -> bool:
    """Whether each control that is new now is one whose first link to a passed test is later than it was."""
    old, new = (_first_links(world) for world in (before, after))
    later = old.join(new, on=["framework", "control_id"], suffix="_now").filter(pl.col("at_now") > pl.col("at"))
    name = "controls_newly_evidenced"
    return after.values[name] - before.values[name] <= later.height


def _first_links(world: World) -> pl.DataFrame:
    links = next(frame for (_, fact), frame in world.frames.items() if fact == "test_links")
    good = links.filter(pl.col("status") == "linked", pl.col("outcome") == "passed")
    return good.group_by("framework", "control_id").agg(at=pl.col("linked_at").min())


EVIDENCED = ("effective", "partial", "stale")
MOVES = {
    "stale to partial": (pl.col("state") == "stale") & (pl.col("state_now") == "partial"),
    "applies again": (pl.col("state") == "not_applicable") & pl.col("state_now").is_in(EVIDENCED),
}


def _some_control(condition: str, before: World, after: World) -> bool:
    """Whether a control is in another state now as the condition says."""
    key = ["framework", "control_id"]
    states = [
        next(frame for (_, fact), frame in world.frames.items() if fact == "control_status")
        for world in (before, after)
    ]
    old, new = (frame.select(*key, "state") for frame in states)
    return old.join(new, on=key, suffix="_now").filter(MOVES[condition]).height > 0
