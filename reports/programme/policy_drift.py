"""Accepted guardrails against what is seen at work: which have drifted, since when, how far it reaches, what to do."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from engine.model.document import Coverage, Document, Table
from engine.model.report import Ask, Report
from reports.programme.drift import (
    NAMES,
    TYPES,
    drifted_controls,
    guardrails_of,
)
from reports.shared.packs import pack_name
from reports.shared.wording import count, inside, percent

LABELS = {
    "policy_id": "Policy",
    "title": "Guardrail",
    "drift_name": "Drift",
    "accepted_on": "Accepted",
    "last_observed_on": "Last observed",
    "first_drifted_on": "Drifted since",
    "days_in_drift": "Days in drift",
    "controls_drifted": "Controls drifted",
    "blast_radius": "Requirements affected",
    "action": "What to do",
    "framework_name": "Framework",
    "control_title": "Control title",
    "gap_id": "Gap",
    "guardrails": "Guardrails",
}
DEFINITIONS = {
    "Guardrail": "A policy version that was accepted and is active: a governance policy, or the limits of a playbook. "
    "The limits of a playbook are held against the controls that it repairs, unless they name controls of their own.",
    "Contradicted": "A control that it is about is ineffective (a failing test or contradicting event), or somebody "
    "overrode one of its refusals.",
    "Evidence missing": "A control that it is about has no operating or test evidence, or only stale evidence. Missing "
    "or lapsed signatures alone are not drift.",
    "Version lag": "A newer version is on file than the one accepted.",
    "Scope drift": "It is about a control that no longer applies, or a framework that is no longer followed.",
    "Review expired": "Its review date has passed: 380 days after acceptance where none was set.",
    "Drifted since": "The first day of any of its drifts that is known, at the earliest that of its acceptance; empty "
    "where none is.",
    "Requirements affected": "Requirements of all frameworks in scope that the drifted controls answer; where the text "
    "itself has drifted (version or review), those of all its controls.",
}


def build(
    guardrails: pl.DataFrame,
    control_status: pl.DataFrame,
    gaps: pl.DataFrame,
    policy_blocks: pl.DataFrame,
    automation_runs: pl.DataFrame,
    ask: Ask,
) -> Document:
    controls = drifted_controls(guardrails, control_status, gaps)
    rows = guardrails_of(guardrails, controls, policy_blocks, automation_runs, control_status, ask)
    drifted = rows.filter(pl.col("drift").is_not_null())
    days = drifted["days_in_drift"].drop_nulls().median()
    kinds = _kinds(rows)
    return Document(
        headline=_headline(rows, drifted, kinds),
        summary={
            "guardrails": rows.height,
            "without_drift": rows.height - drifted.height,
            "drift_free_pct": Coverage(rows.height - drifted.height, rows.height).pct,
            "median_days_in_drift": days,
            **{kind: kinds.get(kind, 0) for kind in TYPES},
            "controls_drifted": controls["control"].n_unique(),
        },
        tables=(
            Table(
                "guardrails",
                "Guardrails, contradicted ones first, then the longest in drift",
                rows.select(
                    *("policy_id", "policy", "version", "kind", "title", "owner", "accepted_by", "accepted_on"),
                    *("expectation", "drift", pl.col("drift").replace(NAMES).alias("drift_name"), "drifts"),
                    *("last_observed_on", "first_drifted_on", "days_in_drift", "controls", "controls_drifted"),
                    *("blast_radius", "action"),
                ),
                labels=LABELS,
                hidden=("policy", "kind", "accepted_by", "drift", "drifts", "controls"),
            ),
            Table(
                "controls",
                "Controls behind the drift",
                controls.select(
                    *("policy_id", "title", "framework", pack_name().alias("framework_name"), "control_id"),
                    *("control_title", "state", "drift", "since_on", "last_evidence_on", "gap_id", "severity"),
                ),
                note="Contradictions first; the gap is the one to close in the remediation queue.",
                labels={**LABELS, "since_on": "Since", "last_evidence_on": "Last evidence"},
                state=("state", "drift"),
                hidden=("policy_id", "framework"),
            ),
            Table(
                "kinds",
                "Kinds of drift",
                pl.DataFrame(
                    [(kind, NAMES[kind], kinds.get(kind, 0)) for kind in TYPES],
                    schema={"drift": pl.String, "drift_name": pl.String, "guardrails": pl.Int64},
                    orient="row",
                ),
                note="A guardrail may have drifted in more than one way.",
                labels=LABELS,
                hidden=("drift",),
            ),
        ),
        coverage=_coverage(rows),
        definitions=DEFINITIONS,
        warnings=_warnings(rows),
    )


def _kinds(rows: pl.DataFrame) -> dict[str, int]:
    counted = rows.explode("drifts", empty_as_null=False).group_by("drifts").len().sort("drifts")
    return {str(kind): int(number) for kind, number in counted.iter_rows() if kind is not None}


def _coverage(rows: pl.DataFrame) -> Coverage:
    """Guardrails that anything was ever observed of."""
    return Coverage(rows["last_observed_on"].count(), rows.height)


def _headline(rows: pl.DataFrame, drifted: pl.DataFrame, kinds: Mapping[str, Any]) -> str:
    if rows.is_empty():
        return "No policy is accepted and active, so there is nothing to drift from: accept one first."
    if drifted.is_empty():
        return f"None of {count(rows.height, 'accepted guardrail')} has drifted."
    free = Coverage(rows.height - drifted.height, rows.height).pct or 0.0
    many = (
        f"{drifted.height:,} of {count(rows.height, 'accepted guardrail')} {'has' if drifted.height == 1 else 'have'}"
    )
    against = kinds.get("contradicted", 0)
    worst = f", {against:,} of them contradicted by what is seen" if against else ""
    first = drifted.row(0, named=True)
    days = first["days_in_drift"]
    since = "" if days is None else f", {count(days, 'day')} in drift"
    return (
        f"{many} drifted{worst} ({percent(free)} free of drift); begin with {first['title']}{since}: "
        f"{inside(first['action']).removesuffix('.')}."
    )


def _warnings(rows: pl.DataFrame) -> list[str]:
    blind = rows.filter(pl.col("controls") == 0)["title"].to_list()
    if not blind:
        return []
    held = count(len(blind), "guardrail is", "guardrails are")
    return [f"{held} about no control in scope and can only drift in version, review or by overrides."]


REPORT = Report(
    name="policy-drift",
    title="Policy drift",
    description="Accepted guardrails against live gaps: drift, since when, how far it reaches, and what to do.",
    build=build,
    parameters=(),
)
