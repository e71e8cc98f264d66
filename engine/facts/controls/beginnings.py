"""Where records begin: what lies before that day is unknown, and nothing is said of it."""

import polars as pl

from engine.catalogue import catalogue
from engine.facts.expressions import local_day, shape
from engine.model.vocabulary import EVERY_RECORD

_KEY = ["org_id", "framework", "control_id"]


def event_starts(audit_by_action: pl.DataFrame, audit_by_tag: pl.DataFrame) -> pl.DataFrame:
    """The first event of each action, and of each action with a control that it names: none later moves it."""
    tagged = audit_by_tag.with_columns(
        pl.col("tag").str.splitn(":", 2).struct.rename_fields(["framework", "control_id"])
    ).unnest("tag")
    named = tagged.select(*_KEY, "action", "first_at")
    return pl.concat([named, audit_by_action.select("org_id", "action", "first_at")], how="diagonal")


def organization_beginnings(organizations: pl.DataFrame, starts: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """When each organization came, or earlier where its records begin before: no event moves either, so that events
    leave the register as it is."""
    came = organizations.select("org_id", begun_on=local_day("created_at", asked))
    kept = starts.filter(pl.col("framework") == EVERY_RECORD).select("org_id", begun_on="since_on")
    return pl.concat([came, kept]).group_by("org_id").agg(pl.col("begun_on").min())


def records_since(event_starts: pl.DataFrame, record_starts_rows: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """The day of each organization's first event; retention keeps it when that event goes."""
    events = event_starts.select("org_id", since_on=local_day("first_at", asked))
    kept = record_starts_rows.filter(pl.col("framework") == EVERY_RECORD).select("org_id", "since_on")
    first = pl.concat([events, kept]).group_by("org_id").agg(known_since=pl.col("since_on").min())
    frame = asked.select("org_id").join(first, on="org_id", how="left")
    return shape("records_since", frame).sort("org_id")


def known_since(
    records_since: pl.DataFrame,
    event_starts: pl.DataFrame,
    attestation_duties: pl.DataFrame,
    readiness_snapshots_rows: pl.DataFrame,
    record_starts_rows: pl.DataFrame,
    own_rules: pl.DataFrame,
    controls: pl.DataFrame,
    asked: pl.DataFrame,
) -> pl.DataFrame:
    """For each framework in scope the earliest event about it, signature or snapshot, else the first event of all.

    Dates that vendors and documents bear do not count: they are older than any record of ours.
    """
    mapped = catalogue().action_controls.select("framework", "action").unique()
    of_all = event_starts.filter(pl.col("framework").is_null()).drop("framework")
    events = pl.concat(
        [
            of_all.join(mapped, on="action").select("org_id", "framework", "first_at"),
            of_all.join(own_rules.select("org_id", "action", "framework").unique(), on=["org_id", "action"]).select(
                "org_id", "framework", "first_at"
            ),
            event_starts.join(controls.select(_KEY), on=_KEY, how="semi").select("org_id", "framework", "first_at"),
        ]
    )
    days = pl.concat(
        [
            events.select("org_id", "framework", since_on=local_day("first_at", asked)),
            attestation_duties.filter("done").select("org_id", "framework", since_on="attested_on"),
            readiness_snapshots_rows.select("org_id", "framework", since_on="taken_on"),
            record_starts_rows.select("org_id", "framework", "since_on"),
        ]
    )
    own = days.group_by("org_id", "framework").agg(own=pl.col("since_on").min())
    frame = (
        controls.select("org_id", "framework")
        .unique()
        .join(own, on=["org_id", "framework"], how="left")
        .join(records_since, on="org_id", how="left")
        .with_columns(known_since=pl.coalesce("own", "known_since"))
    )
    return shape("known_since", frame).sort("org_id", "framework")
