"""Columns about readiness, scores, benchmarks and regulatory scenarios."""

from collections.abc import Mapping

from engine.model.columns.column import Column

READINESS: Mapping[str, Column] = {
    "answered_by": Column(
        "Answered, at least in part, by", "text", "Control that answers the requirement, at least in part."
    ),
    "assessed": Column("Assessed", "count", "Applicable controls about which something is known."),
    "attested_pct": Column("Attested (%)", "percent", "Controls that are attested, as a share of those with a duty."),
    "authority": Column("Authority", "text", "Who issues the rule."),
    "biggest_mover": Column("Biggest mover", "text", "Control whose state moved weighted readiness most."),
    "by_events": Column("By events", "count", "Controls covered by events in the period."),
    "by_policy_only": Column(
        "By policy only", "count", "Controls covered by an accepted policy, without any event in the period."
    ),
    "cohort": Column("Cohort", "text", "Reference cohort that the framework is compared with."),
    "cohort_kind": Column("Kind", "word", "Whether the cohort consists of model programmes or of organizations."),
    "component": Column("Component", "word", "Component of the score."),
    "contribution": Column("Contribution", "points", "Points of the score that the component gives."),
    "coverage": Column("Coverage", "word", "How far the control answers the new requirement, full or part."),
    "coverage_pct": Column(
        "Coverage (%)",
        "percent",
        "Applicable controls about which something is known, as a share of all applicable ones.",
    ),
    "covered": Column(
        "Covered", "count", "Applicable controls with supporting activity in the period or a policy in force."
    ),
    "covered_change": Column(
        "Change (points)", "points", "Change of the covered share against the period before, in percentage points."
    ),
    "covered_pct": Column("Covered (%)", "percent", "Covered controls as a share of the applicable ones."),
    "effect_points": Column(
        "Effect (points)", "points", "Change of strict readiness by the catalogue alone, in percentage points."
    ),
    "effective": Column("Effective", "count", "Controls whose evidence is complete, fresh and attested."),
    "effective_on": Column("Effective", "date", "Day on which the change takes effect."),
    "evidence_reuse_pct": Column(
        "Evidence reuse (%)", "percent", "Newest pieces of evidence of the pack that also serve another one."
    ),
    "exceptions_pct": Column("Without exception (%)", "percent", "Controls that do not rest on an open exception."),
    "exceptions_points": Column(
        "Exceptions points", "points", "Points of the health that the absence of exceptions gives."
    ),
    "existing_gap": Column("Gaps already open", "count", "Requirements of the scenario that are gaps today."),
    "explanation": Column("How it is measured", "text", "How the component is measured."),
    "falls_away": Column("Falls away", "count", "Requirements that the scenario withdraws or merges into others."),
    "formula_change": Column(
        "Formula changed", "text", "Change that made the formula of the snapshot another than today's."
    ),
    "fresh_pct": Column(
        "Evidence fresh (%)", "percent", "Controls with fresh evidence, as a share of the applicable ones."
    ),
    "freshness_pct": Column("Fresh (%)", "percent", "Controls whose newest evidence is inside its window."),
    "freshness_points": Column("Freshness points", "points", "Points of the health that fresh evidence gives."),
    "gap_controls": Column(
        "Controls to the median", "count", "Further controls that must become effective to reach the cohort's median."
    ),
    "headcount_from": Column("Headcount from", "count", "Fewest people of an organization of the cohort."),
    "headcount_to": Column("Headcount to", "count", "Most people of an organization of the cohort."),
    "health": Column("Health (0–100)", "points", "Health of the controls, 0 to 100."),
    "hours_a_week": Column("Hours a week", "hours", "Hours of work a week until the change takes effect."),
    "in_force": Column("In force", "flag", "Whether the change is in force already."),
    "ineffective": Column(
        "Ineffective", "count", "Controls that a failing test or a contradicting event speaks against."
    ),
    "into": Column("Into", "texts", "Requirements into which the requirement is merged."),
    "lost": Column("Points lost", "points", "Points that the component would add at 100 %."),
    "measured": Column("Measured", "count", "Items that the component was measured on."),
    "measured_in": Column("Measured", "number", "Year of the measurement.", cells="whole"),
    "median_pct": Column("Median (%)", "percent", "Median of the cohort's strict readiness."),
    "n": Column("N", "count", "How many the figure rests on."),
    "new_gap": Column("New gaps", "count", "Requirements of the scenario that would become gaps."),
    "no_data": Column("No data", "count", "Controls about which nothing is known."),
    "not_applicable": Column("Not applicable", "count", "Controls or requirements that do not apply."),
    "now_applicable": Column("Now applicable", "count", "Applicable controls with the present catalogue."),
    "now_effective": Column("Now effective", "count", "Effective controls with the present catalogue."),
    "now_strict_pct": Column("Strict now (%)", "percent", "Strict readiness with the present catalogue."),
    "ownership_pct": Column(
        "Owned (%)", "percent", "Controls with someone responsible and exactly one person accountable."
    ),
    "ownership_points": Column("Ownership points", "points", "Points of the health that ownership gives."),
    "p25_pct": Column("P25 (%)", "percent", "25th percentile of the cohort's strict readiness."),
    "p75_pct": Column("P75 (%)", "percent", "75th percentile of the cohort's strict readiness."),
    "partial": Column("Partial", "count", "Controls that have some of the evidence that they need."),
    "percentile": Column("Percentile", "number", "Members of the cohort below, and half of those equal, in percent."),
    "points": Column("Points gained", "points", "Points that the score gains."),
    "points_per_hour": Column("Points per hour", "number", "Points that the score gains for each hour of work."),
    "population": Column("Population", "count", "Items that could have been looked at."),
    "previous_applicable": Column("Previous applicable", "count", "Applicable controls with the catalogue before."),
    "previous_effective": Column("Previous effective", "count", "Effective controls with the catalogue before."),
    "previous_strict_pct": Column("Strict before (%)", "percent", "Strict readiness with the catalogue before."),
    "prior_formula_change": Column(
        "Formula changed",
        "text",
        "Change that made the formula of the last snapshot before the period another than today's.",
    ),
    "prior_on": Column("Prior", "date", "Day of the last snapshot before the period."),
    "prior_score": Column("Prior score", "points", "Score of the last snapshot before the period."),
    "prior_strict_pct": Column(
        "Strict before (%)", "percent", "Strict readiness of the last snapshot before the period."
    ),
    "prior_value": Column("Prior value", "number", "Value of the component in the last snapshot before the period."),
    "prior_value_pct": Column(
        "Value before (%)", "percent", "Value of the component in the last snapshot before the period, in percent."
    ),
    "prior_weighted_pct": Column(
        "Weighted before (%)", "percent", "Weighted readiness of the last snapshot before the period."
    ),
    "programme": Column("Programme", "text", "Identifier of the model programme."),
    "programme_title": Column("Programme", "text", "Name of the model programme."),
    "provenance": Column("Provenance", "text", "Where the reference cohort comes from."),
    "published_in": Column("Published", "number", "Year of the publication.", cells="whole"),
    "published_on": Column("Published", "date", "Day of the publication."),
    "rag": Column("Rating", "word", "Rating by the organization's thresholds: green, amber, red or insufficient data."),
    "satisfied": Column("Already satisfied", "count", "Requirements of the scenario that are met today."),
    "scenario": Column("Scenario", "text", "Identifier of the scenario."),
    "sector": Column("Sector", "word", "Sector of the organization or the study."),
    "score": Column("Posture score", "number", "The posture score of the day."),
    "series_break": Column("Series break", "flag", "Whether the component is measured otherwise than before."),
    "share": Column("Share", "number", "Weight of the component in the score, missing ones left out."),
    "stale": Column("Stale", "count", "Controls whose evidence is past its window or void."),
    "state_change": Column(
        "State moved (points)", "points", "Points by which the state component moved since the snapshot before."
    ),
    "state_pct": Column("State (%)", "percent", "Weighted readiness of the controls."),
    "state_points": Column("State points", "points", "Points of the health that the state of controls gives."),
    "status_as_of": Column("Status known on", "date", "Day on which the status was last looked up."),
    "steps": Column("Steps", "count", "Steps of the kind."),
    "strict_after": Column(
        "Strict after (%)", "percent", "Strict readiness with all changes of the scenario in force."
    ),
    "strict_change": Column("Strict change", "points", "Change of strict readiness, in percentage points."),
    "strict_delta": Column(
        "Strict change", "points", "Change of strict readiness that the scenario brings, in percentage points."
    ),
    "strict_now": Column("Strict now (%)", "percent", "Strict readiness today."),
    "strict_pct": Column("Strict (%)", "percent", "Effective controls as a share of the applicable ones."),
    "strict_points": Column("Strict (points)", "points", "Change of strict readiness, in percentage points."),
    "study": Column("Study", "text", "Identifier of the published study."),
    "tests_pct": Column("Tests passed (%)", "percent", "Tests passed as a share of those performed or required."),
    "tests_points": Column("Tests points", "points", "Points of the health that tests give."),
    "timing": Column("Timing", "text", "When the change takes effect, in words."),
    "total_points": Column("Total points", "points", "Points that the score gains with this gap and those above it."),
    "weeks_to_effective": Column(
        "Weeks to effective", "weeks", "Weeks until the change takes effect; negative after it."
    ),
    "weight_pct": Column("Weight (%)", "percent", "Weight of the component before missing ones are left out."),
    "weighted_after": Column(
        "Weighted after (%)", "percent", "Weighted readiness with all changes of the scenario in force."
    ),
    "weighted_average": Column(
        "Weighted, 4-week average (%)", "percent", "Mean weighted readiness of the week and the three before it."
    ),
    "weighted_change": Column("Weighted change", "points", "Change of weighted readiness, in percentage points."),
    "weighted_delta": Column(
        "Weighted change", "points", "Change of weighted readiness that the scenario brings, in percentage points."
    ),
    "weighted_median_pct": Column("Weighted median (%)", "percent", "Median of the cohort's weighted readiness."),
    "weighted_now": Column("Weighted now (%)", "percent", "Weighted readiness today."),
    "weighted_pct": Column(
        "Weighted (%)", "percent", "Readiness with partial and stale controls counted in part, each by its weight."
    ),
    "weighted_percentile": Column(
        "Weighted percentile",
        "number",
        "Members of the cohort with lower weighted readiness, and half of those equal, in percent.",
    ),
    "weighted_points": Column("Weighted (points)", "points", "Change of weighted readiness, in percentage points."),
}
