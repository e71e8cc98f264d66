"""What others ask for and what was agreed on: evidence requests, risks, exceptions, policies, holds, POA&M items."""

from dataclasses import replace

import polars as pl

from engine.copilot.entities.entity import Records, RowState, flag, framework_name, is_in, none, over, past, phrases
from engine.copilot.entities.wordbook import thing
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
    given = records.table("risks").select("id", scored=pl.all_horizontal(pl.col("likelihood", "impact").is_not_null()))
    risks = risks.drop(rated).join(more, on="id", how="left").join(given, on="id", how="left")
    return risks.with_columns(pl.when("scored").then("inherent").alias("inherent"))


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


REQUEST = thing(
    "evidence request",
    _requests,
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
)

RISK = thing(
    "risk",
    _risks,
    RowState("above appetite", flag("over_appetite"), after=True, aside=True),
    RowState("that rose", lambda _: pl.col("residual") > pl.col("previous"), after=True, aside=True),
    RowState("that fell", lambda _: pl.col("residual") < pl.col("previous"), after=True, aside=True),
    RowState("unrated", flag("unknown"), aside=True, assumed="with those that are rated in part"),
    RowState("without any score", lambda _: pl.col("unknown") & ~pl.col("scored"), after=True, aside=True),
    RowState("open", is_in("status", "open")),
    RowState("closed", is_in("status", "closed")),
    RowState("unowned", none("owner"), aside=True),
)

EXCEPTION = thing(
    "exception",
    _exceptions,
    RowState("in force", is_in("standing", "approved"), after=True),
    RowState("expired", is_in("standing", "expired")),
    RowState("still relied on", lambda _: pl.col("flags").list.contains("expired_in_use"), after=True, aside=True),
    RowState("draft", is_in("standing", "draft")),
    RowState("rejected", is_in("standing", "rejected")),
    RowState("resolved", is_in("standing", "resolved")),
    RowState("in review", is_in("standing", "in_review"), after=True),
    RowState("not decided", is_in("standing", "draft", "in_review"), after=True),
    RowState("renewed", over("renewals", 1), aside=True),
    RowState("that nobody approved", none("approver"), after=True),
    RowState("without a compensating control", none("compensating"), after=True),
)

EXCLUSION = thing("excluded control", _exclusion_rows)

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

SPECIFICATION = thing(
    "HIPAA specification",
    _specifications,
    RowState("met", flag("met")),
    RowState("not met", flag("met", False)),
    RowState("unowned", none("owner"), aside=True),
)

POLICY = thing(
    "policy",
    _policies,
    RowState("active", is_in("state", "active")),
    RowState("draft", is_in("state", "draft")),
    RowState("never accepted", none("accepted_on")),
    RowState("retired", is_in("state", "retired")),
    RowState("overdue for review", past("review_due_on", "active", status="state"), after=True),
    RowState("unowned", none("owner"), aside=True),
)

HOLD = thing(
    "legal hold",
    lambda records: records.fact("legal_holds").with_columns(
        days_in_force=(pl.col("released_on").fill_null(records.today) - pl.col("placed_on")).dt.total_days()
    ),
    RowState("active", flag("active")),
    RowState("released", flag("active", False)),
)

POAM = thing(
    "POA&M item",
    lambda records: records.fact("poam"),
    RowState("open", is_in("status", "open")),
    RowState("late", past("due_on", "open")),
    RowState("closed", is_in("status", "completed")),
    RowState("unowned", none("owner"), aside=True),
)
ASSURANCE = (REQUEST, RISK, EXCEPTION, EXCLUSION, UNAPPROVED, SPECIFICATION, POLICY, HOLD, POAM)
