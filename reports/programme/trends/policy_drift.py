"""Accepted guardrails against what is seen at work: which have drifted, since when, how far it reaches, what to do."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Coverage, Document, Opening, Table
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.programme.trends.drift import NAMES, TYPES, drifted_controls, guardrail_drift
from reports.shared import setup
from reports.shared.packs import pack_name
from reports.shared.wording import count, with_whom

LABELS = {"policy_id": "Policy", "title": "Guardrail", "action": "What to do"}
UNSHOWN = (
    *("policy_id", "policy", "version", "kind", "accepted_by", "accepted_on", "expectation", "drift", "drifts"),
    *("first_drifted_on", "controls", "blast_radius"),
)
DEFINITIONS = {
    "Guardrail": "A policy version that was accepted and is active: a governance policy, or the limits of a playbook. "
    "The limits of a playbook are held against the controls that it repairs, unless they name controls of their own.",
    "Last observed": "The newest event, evidence item or test of its controls, for or against them, or run of its "
    "playbook. Acceptance of a policy and signatures are no observation.",
    "Drifted since": "The first day of any of its drifts that is known, at the earliest that of its acceptance; empty "
    "where none is.",
    "Requirements affected": "Requirements of all frameworks in scope that the drifted controls answer; where the text "
    "itself has drifted (version or review), those of all its controls.",
}


def build(unaccepted_policies: pl.DataFrame, figures: Figures, ask: Ask) -> Document:
    rows, controls = figures.rows(guardrail_drift), figures.rows(drifted_controls)
    return Document(
        *_opening(rows, figures),
        tables=(
            Table(
                "guardrails",
                "Policies and guardrails, contradicted ones first, then the longest in drift",
                rows.select(
                    *("title", pl.col("drift").replace(NAMES).alias("drift_name"), "days_in_drift", "action", "owner"),
                    *("controls_drifted", "last_observed_on", *UNSHOWN),
                ),
                labels={**LABELS, "title": "Policy or guardrail", "owner": "Owner of the policy"},
                hidden=UNSHOWN,
            ),
            Table(
                "controls",
                "Controls behind the drift",
                controls.select(
                    *("severity", "framework", pack_name(ask).alias("framework_name"), "control_id", "control_title"),
                    *("state", "drift", "since_on", "title", "policy_id", "last_evidence_on", "gap_id"),
                ),
                note="Contradictions first: what is seen at work speaks against what was accepted.",
                labels=LABELS,
                state=("severity", "state", "drift"),
                hidden=("policy_id", "framework", "last_evidence_on", "gap_id"),
            ),
            Table(
                "kinds",
                "Kinds of drift",
                pl.DataFrame(
                    [(kind, NAMES[kind], figures[f"guardrails_{kind}"]) for kind in TYPES],
                    schema={"drift": pl.String, "drift_name": pl.String, "guardrails": pl.Int64},
                    orient="row",
                ),
                note="A guardrail may have drifted in more than one way.",
                hidden=("drift",),
            ),
            Table(
                "unaccepted",
                "Active policies that nobody accepted",
                unaccepted_policies.drop("org_id", strict=False).sort("policy_id"),
                note="No guardrails and no evidence until somebody of the organization accepts them.",
                labels={"policy_id": LABELS["policy_id"]},
                hidden=("policy",),
            ),
        ),
        coverage=_coverage(rows),
        definitions=DEFINITIONS,
        warnings=_warnings(rows, figures),
    )


def _coverage(rows: pl.DataFrame) -> Coverage:
    """Guardrails that anything was ever observed of."""
    return Coverage(rows["last_observed_on"].count(), rows.height, "observed")


def _opening(rows: pl.DataFrame, figures: Figures) -> Opening:
    if rows.is_empty():
        return Opening(
            "No policy is accepted and active, so there is nothing to drift from.",
            setup.fill("policies", "policy_controls"),
        )
    every, drifted, against = figures["guardrails"], figures["guardrails_drifted"], figures["guardrails_contradicted"]
    of = count(every, "accepted policy or guardrail", "accepted policies and guardrails")
    if not drifted:
        unseen = every - _coverage(rows).assessed
        seldom = "it was" if every == 1 else f"{unseen:,} of them {'was' if unseen == 1 else 'were'}"
        text = f"; {seldom} never observed" if unseen else ""
        none = "The one accepted policy or guardrail" if every == 1 else f"None of {of}"
        known = "is not known" if every == 1 else "is known"
        return Opening(f"{none} {known} to have drifted{text}.", _first_unseen(rows) if unseen else "")
    worst = f", {against:,} of them contradicted by what is seen" if against else ""
    first = rows.row(0, named=True)
    days = first["days_in_drift"]
    since = "" if days is None else f", {count(days, 'day')} in drift"
    return Opening(
        f"{drifted:,} of {of} {'has' if drifted == 1 else 'have'} drifted{worst}.",
        f"Begin with {first['title']}{since} ({with_whom(first['owner'])}). {first['action']}",
    )


def _first_unseen(rows: pl.DataFrame) -> str:
    """What is to be done where nothing was ever observed of a guardrail."""
    blind = rows.filter(pl.col("last_observed_on").is_null())
    aimless = blind.filter(pl.col("controls") == 0)
    if not aimless.is_empty():
        row = aimless.row(0, named=True)
        return f"Say which controls {row['title']} is about ({with_whom(row['owner'])}): none is in scope."
    row = blind.row(0, named=True)
    return f"Record evidence of the controls that {row['title']} is about ({with_whom(row['owner'])})."


def _warnings(rows: pl.DataFrame, figures: Figures) -> list[str]:
    warnings: list[str] = []
    if figures["policies_unaccepted"]:
        text = count(figures["policies_unaccepted"], "active policy was", "active policies were")
        warnings.append(f"{text} accepted by nobody: no guardrail, and no evidence.")
    blind = rows.filter(pl.col("controls") == 0)["title"].to_list()
    if blind:
        held = count(len(blind), "guardrail is", "guardrails are")
        warnings.append(f"{held} about no control in scope and can only drift in version, review or by overrides.")
    return warnings


REPORT = Report(
    name="policy-drift",
    title="Policy drift",
    description="Accepted guardrails against live gaps: drift, since when, how far it reaches, and what to do.",
    build=build,
    figures=select(
        *("guardrails", "guardrails_without_drift", "guardrails_drifted", "guardrails_drift_free_pct"),
        "policies_unaccepted",
        *("drift_median_days", *(f"guardrails_{kind}" for kind in TYPES), "controls_drifted"),
    ),
    parameters=(),
    schema_version=2,
)
