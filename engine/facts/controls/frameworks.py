"""What only the framework packs look at: operation by day, findings of scanners, agreements, holds."""

import polars as pl

from engine.catalogue import catalogue
from engine.facts.controls.own_rules import supported_controls
from engine.facts.expressions import SUPPORTING, has_happened, local_day, shape

_KEY = ["org_id", "framework", "control_id"]
_OPERATION = ("operation", "incident")
SOC2 = "soc2"


def action_days(audit_days_rows: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """The business days on which an action succeeded: most events come on a day that is among them already."""
    return _days(audit_days_rows, ["org_id", "action"], asked)


def criteria_tag_days(criteria_tag_days_rows: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """The same of events that name a SOC 2 criterion themselves."""
    return _days(criteria_tag_days_rows, ["org_id", "action", "tag"], asked)


def criteria_days(
    action_days: pl.DataFrame,
    criteria_tag_days: pl.DataFrame,
    record_days: pl.DataFrame,
    own_rules: pl.DataFrame,
    controls: pl.DataFrame,
    asked: pl.DataFrame,
) -> pl.DataFrame:
    """The business days on which there is evidence that a SOC 2 criterion operated."""
    known = catalogue()
    supporting = known.actions.filter(pl.col("effect").is_in(SUPPORTING), pl.col("kind").is_in([*_OPERATION, "test"]))
    days = supported_controls(action_days, own_rules).filter(
        pl.col("framework") == SOC2, pl.col("kind").is_in([*_OPERATION, "test"])
    )
    tagged = criteria_tag_days.with_columns(
        framework=pl.lit(SOC2), control_id=pl.col("tag").str.strip_prefix(f"{SOC2}:")
    )
    named = tagged.join(supporting, on="action", how="semi")
    events = pl.concat([frame.select(*_KEY, "happened_on") for frame in (days, named)])
    records = record_days.filter(pl.col("framework") == SOC2)
    frame = (
        pl.concat([events, records.select(*_KEY, "happened_on")])
        .unique()
        .join(controls.filter("assessable").select(_KEY), on=_KEY)
        .join(asked.select("org_id", "as_of"), on="org_id")
        .filter(has_happened("happened_on"))
    )
    return shape("criteria_days", frame).sort(*_KEY, "happened_on")


def _days(spans: pl.DataFrame, key: list[str], asked: pl.DataFrame) -> pl.DataFrame:
    """Each business day of a key, before anything multiplies the rows: zones are what costs.

    A day of UTC holds one local midnight at most, so its first and last instant name every local day in it.
    """
    ends = [spans.select(*key, happened_on=local_day(end, asked)) for end in ("first_at", "last_at")]
    return pl.concat(ends).unique().sort(*key, "happened_on")


def criteria_events(tagged_events: pl.DataFrame) -> pl.DataFrame:
    """What machines recorded of each SOC 2 criterion in the period, action by action.

    A supporting action that did not succeed speaks against the criterion, and its title says so.
    """
    titles = catalogue().actions.select("action", "title", usual="effect")
    failed = (pl.col("usual") == "supports") & (pl.col("effect") == "contradicts")
    frame = (
        tagged_events.filter(pl.col("framework") == SOC2, pl.col("kind").is_in(_OPERATION), pl.col("events") > 0)
        .join(titles, on="action")
        .with_columns(title=pl.when(failed).then(pl.format("{} (failed or denied)", "title")).otherwise("title"))
    )
    return shape("criteria_events", frame).sort(*_KEY, "action", "effect")


def state_changes(control_state_changes_rows: pl.DataFrame) -> pl.DataFrame:
    """The days on which a control was seen in another state."""
    return shape("state_changes", control_state_changes_rows).sort(*_KEY, "observed_on", "state")


def agreements(vendor_documents: pl.DataFrame) -> pl.DataFrame:
    """The newest business associate agreement and data processing agreement of each vendor."""
    frame = (
        vendor_documents.filter(pl.col("kind").is_in(["baa", "dpa"]))
        .sort("issued_on", "id", nulls_last=False)
        .group_by("org_id", "vendor_id", "kind", maintain_order=True)
        .last()
        .with_columns(document_id="id")
    )
    return shape("agreements", frame).sort("org_id", "vendor_id", "kind")


def findings(findings_rows: pl.DataFrame, services_rows: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """Weaknesses that scanners reported by the day; one that is fixed later is open."""
    names = services_rows.select("org_id", service_id="id", service="name", owner="owner")
    frame = (
        findings_rows.join(asked.select("org_id", "as_of", "ends_at"), on="org_id")
        .join(names, on=["org_id", "service_id"], how="left")
        .with_columns(later=(pl.col("fixed_at") >= pl.col("ends_at")).fill_null(False))
        .with_columns(
            status=pl.when("later").then(pl.lit("open")).otherwise(pl.col("status")),
            first_seen_on=local_day("first_seen_at", asked),
            last_seen_on=pl.min_horizontal(local_day("last_seen_at", asked), "as_of"),
            fixed_on=pl.when(~pl.col("later")).then(local_day("fixed_at", asked)),
        )
    )
    return shape("findings", frame).sort("org_id", "id")
