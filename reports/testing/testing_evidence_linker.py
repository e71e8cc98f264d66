"""Tests of the period and the controls that they show: linked, suggested, or of no use so far."""

from collections.abc import Mapping

import polars as pl

from engine.model.document import (
    Chart,
    Coverage,
    Document,
    Table,
)
from engine.model.report import Ask, Report
from reports.shared.columns import share_pct
from reports.shared.ordering import rank
from reports.shared.packs import pack
from reports.shared.wording import count, part_of, percent

ROUTE = "/api/governance/compliance/testing-evidence-linker"
KEY = ["framework", "control_id"]
STATUSES = ("suggested", "unlinked", "rejected", "linked")
ADDS = ("first", "renews", "supports")
LABELS = {
    "test_id": "Test",
    "test": "What was tested",
    "title": "What was tested",
    "id": "Test",
    "link_id": "Link",
    "control_id": "Control",
    "performed_at": "Performed (UTC)",
    "performed_on": "Performed",
    "policy_version": "Guardrail version",
    "status": "Link",
    "linked_controls": "Linked to",
    "suggested": "Controls suggested",
    "bundles": "Bundles",
    "basis": "Match by",
    "freshness": "Age of the test",
    "age_days": "Age (days)",
    "window_days": "Window (days)",
    "control_state": "Control is",
    "adds": "Test evidence would be",
    "bundle_id": "Bundle",
    "linked_pct": "Linked (%)",
}
DEFINITIONS = {
    "Test": "A dry-run of a playbook, or a recurring test that was performed.",
    "Link": "Linked: somebody linked the test to a control. Rejected: somebody refused every link. Suggested: passed, "
    "not linked, and a control fits. Unlinked: not passed, or no control fits.",
    "Match by": "Runbook: the runbook of the control has the playbook. Policy: the guardrail that the dry-run was held "
    "against supports the control. Schedule: the recurring test is that of the control. A match is a suggestion; "
    "somebody has to judge it.",
    "Test evidence would be": "First: the control needs a test and has none. Renews: the one that it has is stale. "
    "Supports: it has one already, or needs none.",
    "Newly evidenced": "Controls whose first link to a passed test was made in the period.",
    "Unused": "Passed and linked to no control.",
    "Age of the test": "Against the window of the control's cadence: fresh up to 80 % of it, due soon up to all of it, "
    "then stale.",
    "Supplement": "Linked to a bundle that was sealed before the test, and marked as such.",
}


def build(
    tests: pl.DataFrame, test_matches: pl.DataFrame, test_links: pl.DataFrame, control_status: pl.DataFrame, ask: Ask
) -> Document:
    recent = tests.filter(pl.col("performed_on") >= ask.period_start)
    judged = _judged(recent, test_matches, test_links)
    passed = judged.filter(pl.col("outcome") == "passed")
    used = passed.filter(pl.col("status") == "linked").height
    open_ones = _suggestions(recent, test_matches, test_links, control_status)
    newly = _newly(test_links, ask)
    counts = {name: judged.filter(pl.col("status") == name).height for name in STATUSES}
    own = test_links.join(recent.select("kind", "title", test_id="id"), on="test_id", how="semi")
    return Document(
        headline=_headline(judged, passed, used, open_ones, ask),
        summary={
            "tests": judged.height,
            "passed": passed.height,
            "linked_pct": Coverage(used, passed.height).pct,
            **counts,
            "unused": passed.height - used,
            "controls_newly_evidenced": newly.height,
            "controls_suggested": open_ones.height,
            "controls_suggested_without_test": open_ones.filter(pl.col("adds") == "first").height,
            "links": own.filter(pl.col("status") == "linked").height,
            "links_in_bundles": own.filter(pl.col("status") == "linked")["bundle_id"].count(),
            "supplements": own.filter("supplement", pl.col("status") == "linked").height,
        },
        tables=(
            Table(
                "suggestions", "Links to decide on, most useful first", open_ones, labels={**LABELS, "title": "Title"},
                state=("control_state", "freshness"), hidden=("link_body", "age_days", "window_days"),
                note="The newest fitting test of each control. Machine formats have the body to post.",
            ),
            Table(
                "tests", "Tests of the period, newest first", judged, labels=LABELS, state=("outcome", "status"),
                words=("kind",), hidden=("policy_id", "suggested_controls"),
            ),
            Table(
                "links", "Links of these tests", _links(own), labels=LABELS, state=("status", "freshness", "outcome"),
            ),
            Table("playbooks", "By playbook", _playbooks(judged), labels=LABELS),
            Table("newly_evidenced", "Controls newly evidenced in the period", newly, labels=LABELS),
        ),
        coverage=Coverage(used, passed.height),
        charts=_charts(counts),
        definitions=DEFINITIONS,
        footnotes=(f"To link tests, POST a suggestion's link_body to {ROUTE}; each link is an audit event.",),
    )  # fmt: skip


def _judged(tests: pl.DataFrame, matches: pl.DataFrame, links: pl.DataFrame) -> pl.DataFrame:
    """Tests with their links and suggestions as lists, and where linking stands."""
    tag = pl.format("{}:{}", "framework", "control_id")
    made = links.filter(pl.col("status") == "linked").sort("framework", "control_id", "id")
    linked = made.group_by(id="test_id").agg(
        linked_controls=tag.unique().sort(), bundles=pl.col("bundle_id").drop_nulls().unique().sort()
    )
    refused = links.filter(pl.col("status") == "rejected").group_by(id="test_id").agg(rejected=pl.len())
    free = matches.join(links, on=["test_id", *KEY], how="anti")
    offered = free.group_by(id="test_id").agg(suggested_controls=tag.unique().sort())
    return (
        tests.join(linked, on="id", how="left")
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


def _suggestions(tests: pl.DataFrame, matches: pl.DataFrame, links: pl.DataFrame, status: pl.DataFrame) -> pl.DataFrame:
    """For each control the newest test that fits, nobody decided on, and is newer than what is linked already."""
    kinds = ("kinds_required", "kinds_present", "kinds_stale")
    about = status.filter("applicable").select(*KEY, "weight", *kinds, "state")
    linked = links.filter(pl.col("status") == "linked").group_by(KEY).agg(covered=pl.col("age_days").min())
    needs = pl.col("kinds_required").list.contains("test")
    body = pl.struct(pl.concat_list(pl.struct("test_id", *KEY)).alias("links")).struct.json_encode()
    return (
        matches.join(tests.select("kind", test="title", test_id="id"), on="test_id")
        .join(links, on=["test_id", *KEY], how="anti")
        .join(about, on=KEY)
        .join(linked, on=KEY, how="left")
        .filter(pl.col("freshness") != "stale", pl.col("covered").is_null() | (pl.col("age_days") < pl.col("covered")))
        .sort("performed_on", "test_id")
        .group_by(KEY, maintain_order=True)
        .last()
        .with_columns(
            adds=pl.when(needs & ~pl.col("kinds_present").list.contains("test"))
            .then(pl.lit("first"))
            .when(needs & pl.col("kinds_stale").list.contains("test"))
            .then(pl.lit("renews"))
            .otherwise(pl.lit("supports"))
        )
        .sort(rank("adds", ADDS), pl.col("state") == "effective", -pl.col("weight"), "framework", "position")
        .select(
            *(*KEY, "title", "adds", "test_id", "test", "basis", "performed_on", "age_days", "window_days"),
            *("freshness", pl.col("state").alias("control_state"), body.alias("link_body")),
        )
    )


def _newly(links: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    return (
        links.filter(pl.col("status") == "linked", pl.col("outcome") == "passed")
        .sort("linked_at", "id")
        .group_by(KEY, maintain_order=True)
        .first()
        .filter(pl.col("linked_on") >= ask.period_start)
        .select(*KEY, "test_id", "linked_on", "linked_by", "bundle_id")
        .sort("linked_on", *KEY, descending=[True, False, False])
    )


def _links(links: pl.DataFrame) -> pl.DataFrame:
    return links.sort("linked_at", "id", descending=[True, False]).select(
        *("test_id", *KEY, "status", "outcome", "bundle_id", "supplement", "linked_by", "linked_on", "age_days"),
        *("window_days", "freshness", pl.col("id").alias("link_id")),
    )


def _playbooks(judged: pl.DataFrame) -> pl.DataFrame:
    passed, linked = pl.col("outcome") == "passed", pl.col("status") == "linked"
    return (
        judged.filter(pl.col("kind") == "dry_run")
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


def _headline(judged: pl.DataFrame, passed: pl.DataFrame, used: int, open_ones: pl.DataFrame, ask: Ask) -> str:
    days = count(ask.period_days, "day")
    if judged.is_empty():
        return f"No test was performed in {days}, so there is nothing to link."
    if passed.is_empty():
        return f"None of {count(judged.height, 'test')} in {days} passed, so none can be evidence."
    share = f"In {days} {part_of(used, passed.height, 'passed test')} linked to a control"
    share += f" ({percent(100 * used / passed.height)})"
    if open_ones.is_empty():
        return f"{share}; no further link is suggested."
    first = open_ones.row(0, named=True)
    state = first["control_state"].replace("_", " ")
    why = {"first": "which has no test yet", "renews": "whose test is stale"}.get(
        first["adds"], f"which is {state}" if state != "effective" else "which it would support"
    )
    return (
        f"{share}, and tests fit {count(open_ones.height, 'more control', 'more controls')}: start with "
        f"{first['test_id']} for {pack(first['framework'])} {first['control_id']}, {why}."
    )


def _charts(counts: Mapping[str, int]) -> list[Chart]:
    if not sum(counts.values()):
        return []
    frame = pl.DataFrame({"link": list(counts), "tests": list(counts.values())})
    return [Chart("bars", "Tests by link", frame, "link", "tests", "Tests of the period by where linking stands.")]


REPORT = Report(
    name="testing-evidence-linker",
    title="Testing evidence linker",
    description="Dry-runs and recurring tests with the controls and bundles that they are linked to, and what fits.",
    build=build,
)
