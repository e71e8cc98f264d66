"""Tests and the controls that they show: what is linked, what was refused, and what fits and nobody decided on."""

import polars as pl

from engine.model.declarations.ask import Ask
from reports.shared.columns import share_pct
from reports.shared.ordering import rank

STATUSES = ("suggested", "unlinked", "rejected", "linked")
ADDS = ("first", "renews", "supports")
_KEY = ["framework", "control_id"]
_PAIR = ["test_id", *_KEY]


def by_schedule(control_tests: pl.DataFrame) -> pl.DataFrame:
    """Recurring tests that passed and the controls of their schedules: these have them as evidence without a link."""
    return control_tests.filter("counts", pl.col("outcome") == "passed").select(*_KEY, test_id="run_id").unique()


def tests_in_period(
    tests: pl.DataFrame, test_matches: pl.DataFrame, test_links: pl.DataFrame, control_tests: pl.DataFrame, ask: Ask
) -> pl.DataFrame:
    """Tests of the period with their links and suggestions as lists, and where linking stands."""
    tag = pl.format("{}:{}", "framework", "control_id")
    made = test_links.filter(pl.col("status") == "linked")
    declared = by_schedule(control_tests)
    pairs = pl.concat([made.select(*_PAIR, "bundle_id"), declared.select(*_PAIR)], how="diagonal")
    linked = pairs.group_by(id="test_id").agg(
        linked_controls=tag.unique().sort(), bundles=pl.col("bundle_id").drop_nulls().unique().sort()
    )
    refused = test_links.filter(pl.col("status") == "rejected").group_by(id="test_id").agg(rejected=pl.len())
    free = test_matches.join(test_links, on=_PAIR, how="anti").join(declared, on=_PAIR, how="anti")
    offered = free.group_by(id="test_id").agg(suggested_controls=tag.unique().sort())
    return (
        in_period(tests, ask)
        .join(linked, on="id", how="left")
        .join(refused, on="id", how="left")
        .join(offered, on="id", how="left")
        .with_columns(pl.col("linked_controls", "bundles", "suggested_controls").fill_null([]))
        .select(
            *("id", "kind", "title", "policy_id", "policy_version", "performed_on", "performed_at", "outcome", "actor"),
            *("linked_controls", "bundles", "suggested_controls"),
            suggested=pl.col("suggested_controls").list.len().cast(pl.Int64),
            status=pl.when(pl.col("linked_controls").list.len() > 0)
            .then(pl.lit("linked"))
            .when(pl.col("rejected").is_not_null())
            .then(pl.lit("rejected"))
            .when(pl.col("suggested_controls").list.len() > 0)
            .then(pl.lit("suggested"))
            .otherwise(pl.lit("unlinked")),
        )
        .sort("performed_on", "performed_at", "id", descending=[True, True, False], nulls_last=True)
    )


def suggestions(
    tests: pl.DataFrame,
    test_matches: pl.DataFrame,
    test_links: pl.DataFrame,
    control_tests: pl.DataFrame,
    control_status: pl.DataFrame,
    ask: Ask,
) -> pl.DataFrame:
    """For each control the newest test that fits, nobody decided on, and is newer than what is linked already."""
    kinds = ("kinds_required", "kinds_present", "kinds_stale")
    about = control_status.filter("applicable").select(*_KEY, "weight", *kinds, "state", "owner")
    linked = test_links.filter(pl.col("status") == "linked").group_by(_KEY).agg(covered=pl.col("age_days").min())
    needs = pl.col("kinds_required").list.contains("test")
    body = pl.struct(pl.concat_list(pl.struct("test_id", *_KEY)).alias("links")).struct.json_encode()
    return (
        test_matches.join(in_period(tests, ask).select("kind", test="title", test_id="id"), on="test_id")
        .join(test_links, on=_PAIR, how="anti")
        .join(by_schedule(control_tests), on=_PAIR, how="anti")
        .join(about, on=_KEY)
        .join(linked, on=_KEY, how="left")
        .filter(pl.col("freshness") != "stale", pl.col("covered").is_null() | (pl.col("age_days") < pl.col("covered")))
        .sort("performed_on", "test_id")
        .group_by(_KEY, maintain_order=True)
        .last()
        .with_columns(
            adds=pl.when(needs & ~pl.col("kinds_present").list.contains("test"))
            .then(pl.lit("first"))
            .when(needs & pl.col("kinds_stale").list.contains("test"))
            .then(pl.lit("renews"))
            .otherwise(pl.lit("supports"))
        )
        .sort(
            rank("adds", ADDS), pl.col("state") == "effective", -pl.col("weight"), "framework", "position", "control_id"
        )
        .select(
            *(*_KEY, "title", "adds", "test_id", "test", "basis", "performed_on", "age_days", "window_days"),
            *("freshness", pl.col("state").alias("control_state"), "owner", body.alias("link_body")),
        )
    )


def newly_evidenced(test_links: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Controls whose first link to a passed test was made in the period, the latest first."""
    return (
        test_links.filter(pl.col("status") == "linked", pl.col("outcome") == "passed")
        .sort("linked_at", "id")
        .group_by(_KEY, maintain_order=True)
        .first()
        .filter(pl.col("linked_on") >= ask.period_start)
        .select(*_KEY, "test_id", "linked_on", "linked_by", "bundle_id")
        .sort("linked_on", *_KEY, descending=[True, False, False])
    )


def links(tests: pl.DataFrame, test_links: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Links of the tests of the period, refused ones too, the latest first."""
    return (
        test_links.join(in_period(tests, ask).select(test_id="id"), on="test_id", how="semi")
        .sort("linked_at", "id", descending=[True, False])
        .select(
            *("test_id", *_KEY, "status", "outcome", "bundle_id", "supplement", "linked_by", "linked_on", "age_days"),
            *("window_days", "freshness", pl.col("id").alias("link_id")),
        )
    )


def in_period(tests: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Tests that were performed in the period."""
    return tests.filter(pl.col("performed_on") >= ask.period_start)


def by_playbook(rows: pl.DataFrame) -> pl.DataFrame:
    """Dry-runs of the period by their playbook."""
    passed, linked = pl.col("outcome") == "passed", pl.col("status") == "linked"
    return (
        rows.filter(pl.col("kind") == "dry_run")
        .group_by(playbook="title")
        .agg(
            tests=pl.len().cast(pl.Int64),
            passed=passed.sum().cast(pl.Int64),
            linked=(passed & linked).sum().cast(pl.Int64),
            unused=(passed & ~linked).sum().cast(pl.Int64),
            linked_pct=share_pct((passed & linked).sum(), passed.sum()),
        )
        .sort("unused", "playbook", descending=[True, False])
    )
