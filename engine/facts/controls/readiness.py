"""Readiness of each framework (F3), its history, and the posture score (F4)."""

import polars as pl

from engine.facts.controls.own import place
from engine.facts.controls.scope import with_names
from engine.facts.expressions import iso_week, pct, plus_days, shape
from engine.model.figures.formulas import largest_remainder
from engine.model.figures.versions import formula_change
from engine.model.vocabulary import CONTROL_STATES, STATE_SCORES

# component: (title, its weight among the thresholds)
COMPONENTS = {
    "readiness": ("Weighted readiness", "posture_readiness"),
    "freshness": ("Evidence freshness", "posture_freshness"),
    "attestation": ("Attestation currency", "posture_attestation"),
    "vendor": ("Vendor assurance", "posture_vendor"),
    "remediation": ("Remediation timeliness", "posture_remediation"),
    "operations": ("Operational health", "posture_operations"),
}
# the figures whose formulas a snapshot rests on: of readiness by column, of posture
READINESS_FORMULAS = {
    "strict_pct": "strict_pct",
    "weighted_pct": "weighted_pct",
    "fresh_pct": "evidence_fresh",
    "attested_pct": "attestation_control_pct",
    "gaps_open": "gaps_open",
}
POSTURE_FORMULAS = ("posture_score",)
# nothing is known of the age of evidence whose date has not come yet
IN_WINDOW = pl.col("freshness").is_in(["fresh", "due_soon"]) & ~pl.col("future_dated")


def readiness_formula_change() -> pl.Expr:
    """Of a snapshot of readiness, the change that first made its formulas others than today's; null for today's."""
    return formula_change(tuple(READINESS_FORMULAS.values())).alias("formula_change")


def posture_formula_change() -> pl.Expr:
    """The same of a snapshot of the posture."""
    return formula_change(POSTURE_FORMULAS).alias("formula_change")


def with_scores(control_status: pl.DataFrame) -> pl.DataFrame:
    """Applicable controls with the score of their state: 1, 0.5 (partial), 0.25 (stale), 0."""
    return control_status.filter("applicable").with_columns(
        score=pl.col("state").replace_strict(STATE_SCORES, return_dtype=pl.Float64)
    )


def readiness(
    control_status: pl.DataFrame,
    readiness_snapshots_rows: pl.DataFrame,
    own_frameworks: pl.DataFrame,
    asked: pl.DataFrame,
) -> pl.DataFrame:
    """Strict and weighted readiness of each framework in scope, beside the last snapshot before the period.

    Of a snapshot by another formula there are no values, but the change that made it another's.
    """
    counts = control_status.group_by("org_id", "framework").agg(
        *((pl.col("state") == state).sum().alias(state) for state in CONTROL_STATES),
        total=pl.len(),
        applicable=pl.col("applicable").sum(),
    )
    weights = (
        with_scores(control_status)
        .group_by("org_id", "framework")
        .agg(
            earned=(pl.col("weight") * pl.col("score")).sum(),
            possible=pl.col("weight").sum(),
            assessed=(pl.col("state") != "no_data").sum(),
            fresh=IN_WINDOW.sum(),
        )
    )
    prior = (
        readiness_snapshots_rows.join(asked.select("org_id", "period_start"), on="org_id")
        .filter(pl.col("taken_on") < pl.col("period_start"))
        .sort("taken_on")
        .group_by("org_id", "framework", maintain_order=True)
        .last()
        .with_columns(readiness_formula_change())
        .select(
            *("org_id", "framework"),
            prior_on="taken_on",
            prior_strict_pct=_if_comparable("strict_pct"),
            prior_weighted_pct=_if_comparable("weighted_pct"),
            prior_formula_change="formula_change",
        )
    )
    frame = (
        with_names(counts, own_frameworks)
        .join(weights, on=["org_id", "framework"], how="left")
        .join(prior, on=["org_id", "framework"], how="left")
        .with_columns(pl.col("assessed", "fresh").fill_null(0))
        .with_columns(
            strict_pct=pct("effective", "applicable"),
            weighted_pct=pct("earned", "possible"),
            fresh_pct=pct("fresh", "applicable"),
            coverage_pct=pct("assessed", "applicable"),
        )
    )
    return shape("readiness", frame.sort("org_id", place(), "framework"))


def _if_comparable(column: str) -> pl.Expr:
    """A value of a snapshot, null where today's formula is another one."""
    return pl.when(pl.col("formula_change").is_null()).then(column)


def readiness_days(readiness_snapshots_rows: pl.DataFrame) -> pl.DataFrame:
    """Every snapshot by the formulas that it was computed by."""
    frame = readiness_snapshots_rows.with_columns(readiness_formula_change())
    return shape("readiness_days", frame).sort("org_id", "framework", "taken_on")


def readiness_weeks(readiness_snapshots_rows: pl.DataFrame) -> pl.DataFrame:
    """The last snapshot of each ISO week by the formulas that it was computed by."""
    frame = (
        readiness_snapshots_rows.with_columns(readiness_formula_change(), week=iso_week("taken_on"))
        .sort("taken_on")
        .group_by("org_id", "framework", "week", maintain_order=True)
        .last()
    )
    return shape("readiness_weeks", frame).sort("org_id", "framework", "week")


def posture(
    control_status: pl.DataFrame,
    vendors: pl.DataFrame,
    remediations: pl.DataFrame,
    service_health: pl.DataFrame,
    posture_snapshots_rows: pl.DataFrame,
    own_frameworks: pl.DataFrame,
    asked: pl.DataFrame,
) -> pl.DataFrame:
    """The six components of the posture score; an absent one has no value and its weight is shared out (F4).

    A framework of one's own counts only where the organization said so.
    """
    applicable = with_scores(in_posture(control_status, own_frameworks))
    work = in_posture(remediations, own_frameworks)
    to_attest = applicable.filter(pl.col("kinds_required").list.contains("attestation"))
    recent = work.join(asked.select("org_id", "as_of"), on="org_id").filter(
        pl.col("on_time").is_not_null(), (pl.col("status") != "closed") | _within_a_quarter()
    )
    measured_services = service_health.filter(pl.col("level") != "insufficient_history")
    health = pl.col("level").replace_strict({"ok": 1.0, "warning": 0.5, "critical": 0.0}, return_dtype=pl.Float64)
    parts = [
        _part(applicable, "readiness", pl.col("weight") * pl.col("score"), pl.col("weight")),
        _part(applicable, "freshness", IN_WINDOW),
        _part(to_attest, "attestation", pl.col("attested")),
        _part(vendors, "vendor", pl.col("assurance").is_in(["assured", "expiring"])),
        _part(recent, "remediation", pl.col("on_time")),
        _part(measured_services, "operations", health),
    ]
    every = asked.select("org_id", *(weight for _, weight in COMPONENTS.values())).join(
        pl.DataFrame({"component": list(COMPONENTS)}), how="cross"
    )
    weight = pl.coalesce(
        pl.when(pl.col("component") == name).then(pl.col(setting)) for name, (_, setting) in COMPONENTS.items()
    )
    frame = (
        every.with_columns(
            weight=weight,
            title=pl.col("component").replace_strict({name: title for name, (title, _) in COMPONENTS.items()}),
        )
        .join(pl.concat(parts), on=["org_id", "component"], how="left")
        .with_columns(pl.col("measured", "population").fill_null(0))
    )
    frame = _contributions(frame).join(_prior(posture_snapshots_rows, asked), on=["org_id", "component"], how="left")
    order = pl.col("component").replace_strict({name: i for i, name in enumerate(COMPONENTS)})
    return shape("posture", frame.with_columns(explanation=_explanation()).sort("org_id", order))


def in_posture(rows: pl.DataFrame, own_frameworks: pl.DataFrame) -> pl.DataFrame:
    """The rows of the frameworks that count in the posture score."""
    if own_frameworks.is_empty():
        return rows
    left_out = own_frameworks.filter(~pl.col("in_posture")).select("org_id", "framework")
    return rows.join(left_out, on=["org_id", "framework"], how="anti", maintain_order="left")


def _within_a_quarter() -> pl.Expr:
    return plus_days("closed_on", pl.lit(91)) >= pl.col("as_of")


def _part(frame: pl.DataFrame, component: str, good: pl.Expr, of: pl.Expr | None = None) -> pl.DataFrame:
    """Value in percent with one decimal: the sum of ``good`` over that of ``of`` (each row counts 1)."""
    possible = of if of is not None else pl.lit(1.0)
    return (
        frame.group_by("org_id")
        .agg(
            earned=good.cast(pl.Float64).sum(),
            possible=(possible * pl.lit(1.0)).sum() if of is not None else pl.len().cast(pl.Float64),
            measured=(good > 0).sum().cast(pl.Int64),
            population=pl.len().cast(pl.Int64),
        )
        .select(
            "org_id",
            component=pl.lit(component),
            value=(100 * pl.col("earned") / pl.col("possible")).round(1),
            measured="measured",
            population="population",
        )
    )


def _contributions(frame: pl.DataFrame) -> pl.DataFrame:
    """Shares of the weights of present components, and contributions that sum exactly to the score (R4)."""
    present = pl.when(pl.col("value").is_not_null()).then(pl.col("weight"))
    whole = present.sum().over("org_id")
    frame = frame.with_columns(share=pl.when(whole > 0).then(present / whole).round(4))
    rounded: list[pl.DataFrame] = []
    for (org_id,), group in frame.group_by("org_id", maintain_order=True):
        there = group.filter(pl.col("value").is_not_null(), pl.col("weight") > 0)
        weights, values = there["weight"].to_list(), there["value"].to_list()
        exact = [w / sum(weights) * v for w, v in zip(weights, values, strict=True)]
        shares = largest_remainder(exact, round(sum(exact), 1)) if exact else []
        rounded.append(
            pl.DataFrame(
                {"org_id": [org_id] * len(shares), "component": there["component"].to_list(), "contribution": shares},
                schema={"org_id": pl.String, "component": pl.String, "contribution": pl.Float64},
            )
        )
    contributions = (
        pl.concat(rounded)
        if rounded
        else pl.DataFrame(schema={"org_id": pl.String, "component": pl.String, "contribution": pl.Float64})
    )
    weightless = pl.when(pl.col("value").is_not_null()).then(pl.lit(0.0))
    return frame.join(contributions, on=["org_id", "component"], how="left").with_columns(
        contribution=pl.coalesce("contribution", weightless)
    )


def posture_days(posture_snapshots_rows: pl.DataFrame) -> pl.DataFrame:
    """Every snapshot of the score by component, by the formula that it was computed by."""
    rows = _by_component(posture_snapshots_rows.filter(pl.col("score").is_not_null()))
    return shape("posture_days", rows).sort("org_id", "taken_on", "component")


def _prior(snapshots: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    before = (
        snapshots.join(asked.select("org_id", "period_start"), on="org_id")
        .filter(pl.col("taken_on") < pl.col("period_start"))
        .sort("taken_on")
        .group_by("org_id", maintain_order=True)
        .last()
    )
    return _by_component(before).select(
        *("org_id", "component"),
        prior_on="taken_on",
        prior_score=_if_comparable("score"),
        prior_value=_if_comparable("value"),
        prior_formula_change="formula_change",
    )


def _by_component(snapshots: pl.DataFrame) -> pl.DataFrame:
    values = pl.concat_list(
        pl.struct(component=pl.lit(name), value=pl.col("components").str.json_path_match(f"$.{name}"))
        for name in COMPONENTS
    )
    return (
        snapshots.select("org_id", "taken_on", "score", posture_formula_change(), parts=values)
        .explode("parts", empty_as_null=False)
        .unnest("parts")
        .with_columns(pl.col("value").cast(pl.Float64))
    )


def _explanation() -> pl.Expr:
    phrases = {
        "readiness": "{} of {} applicable controls earn points by their state and weight",
        "freshness": "{} of {} applicable controls have evidence within its window",
        "attestation": "{} of {} controls that need an attestation are attested",
        "vendor": "{} of {} vendors have valid assurance",
        "remediation": "{} of {} remediations closed in the last quarter or overdue were on time",
        "operations": "{} of {} services with an objective are not critical",
    }
    missing = {
        "readiness": "no applicable control: left out, its weight is shared out",
        "freshness": "no applicable control: left out, its weight is shared out",
        "attestation": "no control needs an attestation: left out, its weight is shared out",
        "vendor": "no vendor in the register: left out, its weight is shared out",
        "remediation": "no remediation was due: left out, its weight is shared out",
        "operations": "no service has enough history for its objective: left out, its weight is shared out",
    }
    return pl.coalesce(
        pl.when(pl.col("component") == name).then(
            pl.when(pl.col("value").is_null())
            .then(pl.lit(missing[name]))
            .otherwise(pl.format(phrase, "measured", "population"))
        )
        for name, phrase in phrases.items()
    )
