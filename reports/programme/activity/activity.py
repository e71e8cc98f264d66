"""SOC 2 and ISO 27001 controls with what was seen of them: events of the audit log and accepted policies."""

import polars as pl

from engine.model.declarations.ask import Ask
from reports.shared import packs, records
from reports.shared.columns import in_order
from reports.shared.ordering import rank

FRAMEWORKS = ("soc2", "iso27001")
_CONTROL = ("framework", "control_id")


def control_activity(
    control_status: pl.DataFrame,
    control_evidence: pl.DataFrame,
    policies: pl.DataFrame,
    known_since: pl.DataFrame,
    ask: Ask,
) -> pl.DataFrame:
    """The applicable controls; ``covered_before`` is null where the records do not go back to the period before."""
    logged = control_evidence.group_by(_CONTROL).agg(
        in_period=_with_signatures("events"),
        in_period_before=_with_signatures("events_before"),
        newest_event_at=pl.col("audit_last_at").max(),
    )
    began = known_since.select("framework", records_reach_back=pl.col("known_since") <= records.before_on(ask))
    accepted = (
        policies.filter(pl.col("control_id").is_not_null() & (pl.col("accepted_on") <= ask.as_of))
        .group_by(_CONTROL)
        .agg(policy_since=pl.col("accepted_on").min())
    )
    return (
        control_status.filter("applicable", pl.col("framework").is_in(FRAMEWORKS))
        .join(logged, on=_CONTROL, how="left")
        .join(accepted, on=_CONTROL, how="left")
        .join(began, on="framework", how="left")
        .with_columns(
            pl.col("records_reach_back").fill_null(False),
            pl.col("in_period").fill_null(0),
            framework_name=packs.pack_name(ask),
            by_events=(pl.col("in_period") > 0).fill_null(False),
            by_policy=pl.col("policy_since").is_not_null(),
        )
        .with_columns(
            covered=pl.col("by_events") | pl.col("by_policy"),
            covered_before=pl.when("records_reach_back").then(
                (pl.col("in_period_before") > 0).fill_null(False)
                | (pl.col("policy_since") < ask.period_start).fill_null(False)
            ),
        )
        .sort("framework", "control_id")
    )


def _with_signatures(events: str) -> pl.Expr:
    """Events of the audit log, and signatures, which are events of it too."""
    signed = pl.col(events).filter(pl.col("source") == "attestation").sum()
    return pl.col(f"audit_{events}").sum() + signed


def activity_totals(controls: pl.DataFrame, by: tuple[str, ...]) -> pl.DataFrame:
    """Controls with activity by framework or category; in no order."""
    return controls.group_by(by).agg(
        applicable=pl.len().cast(pl.Int64),
        covered=pl.col("covered").sum().cast(pl.Int64),
        covered_pct=(100 * pl.col("covered").mean()).round(1),
        covered_change=(100 * (pl.col("covered").mean() - pl.col("covered_before").mean())).round(1),
        by_events=pl.col("by_events").sum().cast(pl.Int64),
        by_policy_only=(~pl.col("by_events") & pl.col("by_policy")).sum().cast(pl.Int64),
        newest_event_at=pl.col("newest_event_at").max(),
    )


def inactive_controls(controls: pl.DataFrame) -> pl.DataFrame:
    """Controls without activity, the heaviest first."""
    return (
        controls.filter(~pl.col("covered"))
        .sort("weight", rank("framework", FRAMEWORKS), in_order("control_id"), descending=[True, False, False])
        .select(
            *("framework", "framework_name", "control_id", "title", "owner", "last_evidence_on", "weight"),
            *("group_title", "last_source", "cadence"),
        )
    )


def untagged_actions(audit_actions: pl.DataFrame) -> pl.DataFrame:
    """Actions with events that map to no control in scope, the most frequent first; bookkeeping is left out."""
    untagged = pl.col("events") - pl.col("tagged_events")
    return (
        audit_actions.filter(untagged > 0, ~pl.col("bookkeeping").fill_null(False))
        .select(
            *("action", "title", "events"),
            untagged.alias("untagged"),
            (100 * untagged / pl.col("events")).round(1).alias("untagged_pct"),
            "last_at",
        )
        .sort("untagged", "action", descending=[True, False])
    )
