"""What a scenario does to evidence: controls that go stale, controls that lose every path to evidence, readiness."""

import polars as pl

from engine.model.declarations.ask import Ask
from reports.obligations.whatif.scenario import After, options_of
from reports.shared import ledger
from reports.shared.ordering import state_score

# kinds whose completion is evidence for the controls that the duty names
RENEWING = ("attestation", "test_window", "evidence_request", "policy_review")
_TAG = pl.format("{}:{}", "framework", "control_id")


def stale(base: ledger.Pending, then: After, control_status: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Controls whose evidence is renewed in time now, and would run out before the scenario renews it."""
    return (
        _remaining_controls(control_status, ask)
        .filter(pl.col("freshness").is_in(["fresh", "due_soon"]))
        .join(_renewal_days(base, ask).rename({"renewed_on": "base_on"}), on="tag")
        .join(_renewal_days(then, ask).rename({"renewed_on": "scenario_on"}), on="tag")
        .filter(pl.col("base_on") <= pl.col("next_due_on"), pl.col("scenario_on") > pl.col("next_due_on"))
        .select(
            "framework",
            "control_id",
            "title",
            "owner",
            "base_on",
            fresh_until="next_due_on",
            renewed_on="scenario_on",
            days_stale=(pl.col("scenario_on") - pl.col("next_due_on")).dt.total_days(),
            state="state",
        )
        .sort(ledger.framework_rank(), "framework", "control_id")
    )


def stranded_controls(
    base: ledger.Pending, then: After, control_status: pl.DataFrame, crosswalk: pl.DataFrame, ask: Ask
) -> pl.DataFrame:
    """Controls that stay in scope, have a path to evidence now, and have none once the framework is descoped.

    A path is a pending duty that renews the control's evidence, evidence from operations in the period, or a full
    mapping from a control that has one of these.
    """
    applicable = control_status.filter("applicable").with_columns(tag=_TAG)
    kept = _remaining_controls(control_status, ask)
    lost = _renewed_controls(base, applicable, crosswalk, ask).join(
        _renewed_controls(then, kept, crosswalk, ask), on="tag", how="anti"
    )
    return (
        kept.join(lost, on="tag")
        .select("framework", "control_id", "title", "owner", "state", "last_evidence_on")
        .sort(ledger.framework_rank(), "framework", "control_id")
    )


def readiness(status: pl.DataFrame, worse: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Readiness of each framework (F3) now, and with the controls of ``worse`` stale; null once descoped."""
    gone = options_of(ask).get("descope")
    hit = worse.select("framework", "control_id", hit=pl.lit(True))
    frame = (
        status.filter("applicable")
        .join(hit, on=["framework", "control_id"], how="left")
        .with_columns(
            hit=pl.col("hit").fill_null(False) & pl.col("state").is_in(["effective", "partial"]), base=state_score()
        )
        .with_columns(scenario=pl.when("hit").then(0.25).otherwise("base"))
    )
    total = pl.col("weight").sum()
    result = frame.group_by("framework").agg(
        applicable=pl.len().cast(pl.Int64),
        assessed=(pl.col("state") != "no_data").sum().cast(pl.Int64),
        affected=pl.col("hit").sum().cast(pl.Int64),
        base_strict_pct=(100 * (pl.col("state") == "effective").sum() / pl.len()).round(1),
        scenario_strict_pct=(100 * ((pl.col("state") == "effective") & ~pl.col("hit")).sum() / pl.len()).round(1),
        base_weighted_pct=(100 * (pl.col("weight") * pl.col("base")).sum() / total).round(1),
        scenario_weighted_pct=(100 * (pl.col("weight") * pl.col("scenario")).sum() / total).round(1),
    )
    descoped = pl.col("framework") == (gone or "")
    return (
        result.with_columns(
            pl.when(~descoped).then(pl.col(name)).alias(name)
            for name in ("scenario_strict_pct", "scenario_weighted_pct")
        )
        .with_columns(descoped=descoped)
        .sort(ledger.framework_rank(), "framework")
        .insert_column(1, ledger.framework_name(ask).alias("name"))
    )


def _remaining_controls(status: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Applicable controls that the scenario leaves in scope."""
    gone = options_of(ask).get("descope", "")
    return status.filter(pl.col("applicable"), pl.col("framework") != gone).with_columns(tag=_TAG)


def _renewal_days(duties: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """The first day on which a pending duty renews a control's evidence; overdue work is taken to be done today."""
    return (
        duties.filter(pl.col("kind").is_in(RENEWING))
        .select(tag="controls", on=pl.max_horizontal("due_on", pl.lit(ask.as_of)))
        .explode("tag", empty_as_null=False)
        .group_by("tag")
        .agg(renewed_on=pl.col("on").min())
    )


def _renewed_controls(duties: pl.DataFrame, controls: pl.DataFrame, crosswalk: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    own = (
        pl.concat([_renewal_days(duties, ask).select("tag"), controls.filter("active").select("tag")])
        .unique()
        .join(controls.select("tag"), on="tag", how="semi")
    )
    source = pl.format("{}:{}", "source_framework", "source_id")
    target = pl.format("{}:{}", "target_framework", "target_id")
    edges = crosswalk.filter("full")
    mapped = pl.concat(
        [
            edges.select(source=source, tag=target),
            edges.filter(pl.col("relation") == "equal").select(source=target, tag=source),
        ]
    )
    through = mapped.join(own.rename({"tag": "source"}), on="source", how="semi").select("tag")
    return pl.concat([own, through]).unique().join(controls.select("tag"), on="tag", how="semi")
