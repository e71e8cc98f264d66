"""What others ask for and what was agreed on: evidence requests, risks, exceptions, policies, holds, POA&M items."""

from dataclasses import replace

import polars as pl

from engine.copilot.entities.entity import (
    Entity,
    Records,
    RowState,
    flag,
    framework_name,
    is_in,
    none,
    over,
    past,
    phrases,
)
from engine.copilot.entities.wordbook import with_words
from engine.facts.expressions import time_between


def _requests(records: Records) -> pl.DataFrame:
    called = framework_name(records).alias("called")
    days = {
        name: time_between(day, "opened_on").dt.total_days()
        for name, day in (
            ("days_to_close", "finished_on"),
            ("days_to_submit", "submitted_on"),
            ("days_to_accept", "accepted_on"),
        )
    }
    control = pl.format("{}:{}", "framework", "control_id").alias("control")
    return records.fact("requests").with_columns(called, control, **days)


def _risks(records: Records) -> pl.DataFrame:
    """The risks; what nobody rated has no rating, whatever it is taken for where it counts."""
    rated = phrases("residual_likelihood, residual_impact")
    named = pl.col("controls").str.split("; ").alias("control_ids")
    more = records.table("risks").select("id", "identified_on", "previous_likelihood", "previous_impact", named, *rated)
    stands = (
        pl.when("residual_unknown")
        .then(pl.format("not rated (counts as {})", "residual"))
        .otherwise(pl.format("{} ({})", "residual", "level"))
    )
    risks = records.fact("risks").with_columns(stands.alias("residual_cell"))
    return risks.drop(rated).join(more, on="id", how="left")


def _exceptions(records: Records) -> pl.DataFrame:
    """The exceptions, with what the register flags of each."""
    control = pl.format("{}:{}", "framework", "control_id")
    rows = records.fact("exceptions").with_columns(called=framework_name(records), control=control)
    edition = records.edition("exception-register")
    listed = [] if edition is None else [one.frame for one in edition.document.tables if one.name == "register"]
    if not listed or listed[0].is_empty():
        return rows.with_columns(flags=pl.lit(None, pl.List(pl.String)))
    return rows.join(listed[0].select("id", "flags"), on="id", how="left")


def _exclusion_rows(records: Records) -> pl.DataFrame:
    rows = records.fact("control_status").filter(~pl.col("applicable"))
    return rows.with_columns(id=pl.format("{}:{}", "framework", "control_id"), called=framework_name(records))


def _unapproved_rows(records: Records) -> pl.DataFrame:
    """The controls that somebody left out and that nobody approved: they apply all the same."""
    key = ["framework", "control_id"]
    left = records.table("control_profiles").filter(~pl.col("applicable"), pl.col("approved_by").is_null())
    rows = left.select(*key, "justification", "approved_by", "approved_on")
    titles = records.fact("control_status").select(*key, "title")
    id = pl.format("{}:{}", "framework", "control_id")
    return rows.join(titles, on=key, how="left").with_columns(id=id, called=framework_name(records))


def _specifications(records: Records) -> pl.DataFrame:
    """The specifications of the Security Rule that apply, as the pack of HIPAA finds them; it says which are open."""
    edition = records.edition("hipaa")
    tables = {} if edition is None else {one.name: one.frame for one in edition.document.tables}
    columns = phrases("control_id, title, kind, safeguard, decision, finding, rationale, state, owner")
    if not {"specifications", "open"} <= set(tables):
        return pl.DataFrame(schema={**dict.fromkeys([*columns, "framework", "control"], pl.String), "met": pl.Boolean})
    rows = tables["specifications"].filter(pl.col("finding") != "not applicable").select(columns)
    return rows.with_columns(
        framework=pl.lit("hipaa"),
        control=pl.format("hipaa:{}", "control_id"),
        met=~pl.col("control_id").is_in(tables["open"]["control_id"].to_list()),
    )


def _policies(records: Records) -> pl.DataFrame:
    """The policies, each with the controls that it answers for."""
    control = pl.format("{}:{}", "framework", "control_id").sort()
    controls = records.table("policy_controls").group_by(id="policy_id").agg(control_ids=control)
    return records.table("policies").drop("body", "rules").join(controls, on="id", how="left", maintain_order="left")


REQUEST = with_words(
    Entity(
        "evidence request",
        "evidence requests",
        _requests,
        "id",
        "{id} {title}: {priority}, {status}, {clock}, due {due_on}, {called} {control_id}, owner {owner}",
        names=("id",),
        states=(
            RowState("open", lambda _: ~pl.col("clock").is_in(["closed_on_time", "closed_late"])),
            RowState("overdue", is_in("clock", "overdue"), assumed="without those whose clock is paused"),
            RowState("at risk", is_in("clock", "at_risk"), after=True),
            RowState("on track", is_in("clock", "on_track"), after=True),
            RowState(
                "waiting on us",
                is_in("clock", "on_track", "at_risk", "overdue"),
                after=True,
                assumed="by the clock of the request",
            ),
            RowState("waiting on the requester", is_in("clock", "paused"), after=True),
            RowState("closed", is_in("clock", "closed_on_time", "closed_late")),
            RowState("closed late", is_in("clock", "closed_late")),
            RowState("returned", over("returns", 1)),
            RowState("without evidence", lambda _: pl.col("evidence_ids").list.len() == 0, after=True, aside=True),
            RowState("unowned", none("owner"), aside=True),
        ),
        due="due_on",
        done="submitted_on",
        links={"framework": "framework", "control": "control"},
        presumed="open",
        report="evidence-requests",
        size="age_days",
        figures={
            frozenset({"open"}): "requests_open",
            frozenset({"overdue"}): "requests_overdue",
            frozenset({"open", "overdue"}): "requests_overdue",
            frozenset({"at risk"}): "requests_at_risk",
            frozenset({"on track"}): "requests_on_track",
            frozenset({"waiting on the requester"}): "requests_paused",
        },
        period_figures={("finished_on", frozenset({"closed"})): "requests_closed_in_period"},
    )
)

RISK = with_words(
    Entity(
        "risk",
        "risks",
        _risks,
        "id",
        "{id} {title}: residual {residual_cell}, appetite {appetite}, {treatment}, owner {owner}",
        names=("id", "title"),
        states=(
            RowState("above appetite", flag("over_appetite"), after=True, aside=True),
            RowState("that rose", lambda _: pl.col("residual") > pl.col("previous"), after=True, aside=True),
            RowState("that fell", lambda _: pl.col("residual") < pl.col("previous"), after=True, aside=True),
            RowState("unrated", flag("unknown"), aside=True, assumed="with those that are rated in part"),
            RowState("open", is_in("status", "open")),
            RowState("closed", is_in("status", "closed")),
            RowState("unowned", none("owner"), aside=True),
        ),
        links={"control": "control_ids"},
        reason="residual {residual_cell} where {appetite} is accepted, treatment {treatment}",
        size="residual",
        scale="residual",
        unrated="unknown",
        presumed="open",
        report="risk-heatmap",
        figures={
            frozenset({"open"}): "risks",
            frozenset({"above appetite"}): "risks_over_appetite",
            frozenset({"open", "above appetite"}): "risks_over_appetite",
            frozenset({"unrated"}): "risks_unrated",
            frozenset({"open", "unrated"}): "risks_unrated",
        },
    )
)

EXCEPTION = with_words(
    Entity(
        "exception",
        "exceptions",
        _exceptions,
        "id",
        "{id} {kind}, {called} {control_id} {title}: {standing}, expires {expires_on}, approver {approver}",
        names=("id",),
        states=(
            RowState("in force", is_in("standing", "approved"), after=True),
            RowState("expired", is_in("standing", "expired")),
            RowState(
                "still relied on", lambda _: pl.col("flags").list.contains("expired_in_use"), after=True, aside=True
            ),
            RowState("draft", is_in("standing", "draft")),
            RowState("rejected", is_in("standing", "rejected")),
            RowState("resolved", is_in("standing", "resolved")),
            RowState("in review", is_in("standing", "in_review"), after=True),
            RowState("not decided", is_in("standing", "draft", "in_review"), after=True),
            RowState("renewed", over("renewals", 1), aside=True),
            RowState("that nobody approved", none("approver"), after=True),
            RowState("without a compensating control", none("compensating"), after=True),
        ),
        due="expires_on",
        links={"framework": "framework", "control": "control"},
        reason="reason",
        dated=False,
        presumed="in force",
        report="exception-register",
    )
)

EXCLUSION = with_words(
    Entity(
        "excluded control",
        "excluded controls",
        _exclusion_rows,
        "id",
        "{called} {control_id} {title}: {justification}, approved by {approved_by} on {approved_on}",
        names=("control_id",),
        links={"framework": "framework", "control": "id"},
        reason="justification",
        dated=False,
        leaves_out="without those that nobody approved, which apply all the same",
    )
)

UNAPPROVED = replace(
    EXCLUSION,
    name="control left out without approval",
    plural="controls left out without approval",
    source=_unapproved_rows,
    leaves_out="",
    states=(
        RowState(
            "not approved",
            none("approved_by"),
            words=phrases(
                "never approved, unapproved, without approver, without an approver, without approval, not signed, "
                "not signed off, not agreed"
            ),
        ),
    ),
)

SPECIFICATION = with_words(
    Entity(
        "HIPAA specification",
        "HIPAA specifications",
        _specifications,
        "control_id",
        "{control_id} {title}: {kind}, {finding}, {state}, owner {owner}",
        names=("control_id",),
        states=(
            RowState("met", flag("met")),
            RowState("not met", flag("met", False)),
            RowState("unowned", none("owner"), aside=True),
        ),
        links={"framework": "framework", "control": "control"},
        reason="rationale",
        dated=False,
        report="hipaa",
        figures={
            frozenset({"required"}): "hipaa_required",
            frozenset({"required", "met"}): "hipaa_required_met",
            frozenset({"addressable"}): "hipaa_addressable",
            frozenset({"addressable", "met"}): "hipaa_addressable_met",
        },
    )
)

POLICY = with_words(
    Entity(
        "policy",
        "policies",
        _policies,
        "id",
        "{id} {title}: {state}, version {version}, review due {review_due_on}, owner {owner}",
        names=("id", "policy", "title"),
        states=(
            RowState("active", is_in("state", "active")),
            RowState("draft", is_in("state", "draft")),
            RowState("never accepted", none("accepted_on")),
            RowState("retired", is_in("state", "retired")),
            RowState("overdue for review", past("review_due_on", "active", status="state"), after=True),
            RowState("unowned", none("owner"), aside=True),
        ),
        due="review_due_on",
        links={"control": "control_ids"},
        reason="{state}, accepted on {accepted_on}, review due {review_due_on}",
        presumed="active",
        dated=False,
    )
)

HOLD = with_words(
    Entity(
        "legal hold",
        "legal holds",
        lambda records: records.fact("legal_holds").with_columns(
            days_in_force=(pl.col("released_on").fill_null(records.today) - pl.col("placed_on")).dt.total_days()
        ),
        "id",
        "{id} {matter}: placed on {placed_on} by {placed_by}, custodian {custodian}, incident {incident_id}, released "
        "{released_on}",
        names=("id", "matter"),
        states=(RowState("active", flag("active")), RowState("released", flag("active", False))),
        links={"incident": "incident_id"},
        reason="reason",
        report="legal-holds",
        figures={frozenset({"active"}): "holds_active", frozenset({"released"}): "holds_released"},
        presumed="active",
    )
)

POAM = with_words(
    Entity(
        "POA&M item",
        "POA&M items",
        lambda records: records.fact("poam"),
        "id",
        "{id} {title}: {status}, due {due_on}, weakness {weakness_key}, owner {owner}",
        names=("id",),
        states=(
            RowState("open", is_in("status", "open")),
            RowState("late", past("due_on", "open")),
            RowState("closed", is_in("status", "completed")),
            RowState("unowned", none("owner"), aside=True),
        ),
        due="due_on",
        done="closed_on",
        links={"control": "weakness_key"},
        presumed="open",
        report="fedramp-poam",
        figures={
            frozenset({"open"}): "poam_items_open",
            frozenset({"late"}): "poam_items_late",
            frozenset({"open", "late"}): "poam_items_late",
            frozenset({"closed"}): "poam_items_closed",
        },
    )
)
ASSURANCE = (REQUEST, RISK, EXCEPTION, EXCLUSION, UNAPPROVED, SPECIFICATION, POLICY, HOLD, POAM)
