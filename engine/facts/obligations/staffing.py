"""Staffing actions with their clocks: peak week, committee SLA, reminders and mails that named them."""

import polars as pl

from engine.facts.expressions import days_between, has_happened, plus_days, shape
from engine.facts.governance.deliveries import payload_of

# the kinds of deliveries that carry staffing actions; each payload lists them under ``actions``
REMINDERS = "staffing-action-reminders"
ROLLUP = "staffing-completion-rollup"
BREACHES = "staffing-sla-breach-digest"
ESCALATION = "cross-staffing-committee-escalation"
NOTICES = (REMINDERS, ROLLUP, BREACHES, ESCALATION)
TOLD = ("pending", "sent")  # a failed or skipped delivery told nobody
_PAYLOAD = payload_of("actions", rows=("action_id", "step"))
_KEY = ["org_id", "action_id"]


def members(memberships_rows: pl.DataFrame) -> pl.DataFrame:
    """Who may act for an organization now, and in which role."""
    frame = memberships_rows.filter(pl.col("status") == "active")
    return shape("members", frame).sort("org_id", "email")


def staffing_notices(deliveries_rows: pl.DataFrame) -> pl.DataFrame:
    """Each staffing action in each delivery that carried it."""
    frame = (
        deliveries_rows.filter(pl.col("kind").is_in(NOTICES))
        .with_columns(action=pl.col("payload").str.json_decode(_PAYLOAD).struct.field("actions"))
        .explode("action", empty_as_null=False)
        .drop_nulls("action")
        .unnest("action")
        .drop_nulls("action_id")
        .with_columns(delivery_id="id", told_on=pl.coalesce("sent_on", "created_on"))
    )
    return shape("staffing_notices", frame).sort("org_id", "told_on", "delivery_id", "action_id", "step")


def staffing_actions(
    staffing_actions_rows: pl.DataFrame,
    staffing_notices: pl.DataFrame,
    obligations: pl.DataFrame,
    committees: pl.DataFrame,
    meetings: pl.DataFrame,
    people: pl.DataFrame,
    asked: pl.DataFrame,
) -> pl.DataFrame:
    """Actions as they stood at the end of the day, with who is accountable and which committee hears of them."""
    left = people.filter(pl.col("active").not_()).select("org_id", owner="email", owner_left=True)
    settings = asked.select("org_id", "as_of", sla_days=pl.col("staffing_sla_days").cast(pl.Int64))
    known = (
        staffing_actions_rows.rename({"id": "action_id"})
        .join(settings, on="org_id")
        .filter(pl.col("proposed_on") <= pl.col("as_of"))
        .with_columns(week_start_on=pl.format("{}-1", "week").str.to_date("%G-W%V-%u", strict=False))
        .drop_nulls("week_start_on")
        .with_columns(week_end_on=plus_days("week_start_on", pl.lit(6)))
    )
    frame = _standing(known)
    frame = frame.join(_accountable(frame, obligations, left), on=_KEY, how="left")
    frame = frame.join(_chairs(frame, committees, meetings, left), on=_KEY, how="left")
    frame = frame.join(left, on=["org_id", "owner"], how="left")
    frame = frame.join(_notice_state(frame, staffing_notices), on=_KEY, how="left").with_columns(
        pl.col("reminder_step", "rollups", "escalations").fill_null(0), pl.col("owner_left").fill_null(False)
    )
    return shape("staffing_actions", frame).sort("org_id", "week_start_on", "owner", "kind", "action_id")


def _standing(known: pl.DataFrame) -> pl.DataFrame:
    """Status on the day, days past the peak week, and where the action stands on the committee's clock.

    What was taken up, by its day or else by its word, is open from the Monday of its peak week, whether or not a digest
    has recorded that since; an action that somebody recorded as open earlier is so.
    The clock counts business days after the Sunday that ends the peak week, up to the day on which the action is done.
    """
    completed = (pl.col("status") == "completed") & (pl.col("completed_on").is_null() | has_happened("completed_on"))
    taken_up = (
        pl.when(pl.col("tracked_on").is_not_null())
        .then(has_happened("tracked_on"))
        .otherwise(pl.col("status") != "proposed")
    )
    unfinished = pl.col("status").is_in(["tracked", "open"])
    over = pl.col("week_end_on") < pl.col("as_of")
    past = pl.business_day_count(plus_days("week_end_on", pl.lit(1)), plus_days("as_of", pl.lit(1)))
    return (
        known.with_columns(
            status=pl.when(completed)
            .then(pl.lit("completed"))
            .when(~taken_up)
            .then(pl.lit("proposed"))
            .when(pl.col("week_start_on") <= pl.col("as_of"))
            .then(pl.lit("open"))
            .when(pl.col("status") == "completed")
            .then(pl.lit("tracked"))
            .otherwise("status")
        )
        .with_columns(
            *(
                pl.when(pl.col("status") == "completed").then(name).alias(name)
                for name in ("completed_on", "relief_actual_hours", "evidence")
            ),
            blocked_reason=pl.when(pl.col("status") != "completed").then("blocked_reason"),
            tracked_on=pl.when(pl.col("status") != "proposed").then("tracked_on"),
            days_past=pl.max_horizontal(days_between("as_of", "week_end_on"), pl.lit(0)),
            business_days_past=pl.max_horizontal(pl.when(over).then(past), pl.lit(0)).cast(pl.Int64),
            sla_due_on=plus_days("week_start_on", pl.lit(4)).dt.add_business_days("sla_days"),
        )
        .with_columns(
            breach_days=pl.when(unfinished)
            .then(pl.max_horizontal(pl.col("business_days_past") - pl.col("sla_days"), pl.lit(0)))
            .otherwise(0)
        )
        .with_columns(
            standing=pl.when(pl.col("status") == "completed")
            .then(
                pl.when(pl.col("completed_on") <= pl.col("sla_due_on"))
                .then(pl.lit("done_on_time"))
                .when(pl.col("completed_on").is_null())
                .then(pl.lit("done_undated"))
                .otherwise(pl.lit("done_late"))
            )
            .when(pl.col("status") == "proposed")
            .then(pl.when(over).then(pl.lit("lapsed")).otherwise(pl.lit("proposed")))
            .when(pl.col("breach_days") > 0)
            .then(pl.lit("breached"))
            .when(over)
            .then(pl.lit("past_peak"))
            .otherwise(pl.lit("under_way"))
        )
    )


def _accountable(actions: pl.DataFrame, obligations: pl.DataFrame, left: pl.DataFrame) -> pl.DataFrame:
    """Who is accountable: for the action's duty, else for most duties of the owner. Never the owner, never who left."""
    left = left.select("org_id", accountable="owner", gone="owner_left")
    theirs = (
        obligations.drop_nulls(["owner", "accountable"])
        .filter(pl.col("owner") != pl.col("accountable"))
        .join(left, on=["org_id", "accountable"], how="anti")
    )
    usual = (
        theirs.group_by("org_id", "owner", "accountable")
        .agg(duties=pl.len())
        .sort("duties", "accountable", descending=[True, False])
        .group_by("org_id", "owner", maintain_order=True)
        .agg(usual=pl.col("accountable").first())
    )
    named = (
        actions.select(*_KEY, "owner", obligation_id=pl.col("obligation_id").str.split("; "))
        .explode("obligation_id", empty_as_null=False)
        .join(
            obligations.select("org_id", "obligation_id", "title", "hard", "accountable"),
            on=["org_id", "obligation_id"],
        )
        .with_columns(allowed=pl.when(pl.col("accountable") != pl.col("owner")).then("accountable"))
        .join(left, on=["org_id", "accountable"], how="left")
        .sort("title", "obligation_id")
        .group_by(_KEY, maintain_order=True)
        .agg(
            duties="title",
            hard=pl.col("hard").any(),
            duty_accountable=pl.col("allowed").filter(pl.col("gone").is_null()).drop_nulls().min(),
        )
    )
    return (
        actions.select(*_KEY, "owner")
        .join(named, on=_KEY, how="left")
        .join(usual, on=["org_id", "owner"], how="left")
        .select(
            *_KEY,
            pl.col("duties").fill_null([]),
            pl.col("hard").fill_null(False),
            accountable=pl.coalesce("duty_accountable", "usual"),
        )
    )


def _chairs(
    actions: pl.DataFrame, committees: pl.DataFrame, meetings: pl.DataFrame, left: pl.DataFrame
) -> pl.DataFrame:
    """The committee that hears of an action: the owner's own and the next to meet come first, led by somebody else who
    is there."""
    meets = (
        meetings.filter(pl.col("status") == "planned")
        .join(actions.select("org_id", "as_of").unique(), on="org_id")
        .filter(pl.col("held_on") >= pl.col("as_of"))
        .group_by("org_id", "committee_id")
        .agg(meets_on=pl.col("held_on").min())
    )
    return (
        actions.select(*_KEY, "owner")
        .join(committees.drop_nulls("chair"), on="org_id")
        .join(left.select("org_id", chair="owner"), on=["org_id", "chair"], how="anti")
        .join(meets, on=["org_id", "committee_id"], how="left")
        .filter(pl.col("chair") != pl.col("owner"))
        .with_columns(own=pl.col("members").list.contains(pl.col("owner")))
        .sort("own", "meets_on", "name", "committee_id", descending=[True, False, False, False], nulls_last=True)
        .group_by(_KEY, maintain_order=True)
        .agg(pl.col("name").first().alias("committee"), pl.col("chair", "meets_on").first())
    )


def _notice_state(actions: pl.DataFrame, notices: pl.DataFrame) -> pl.DataFrame:
    """What mails have said of each action. ``breach_told_on``: the first rollup mail that named it as a breach."""
    frame = notices.filter(pl.col("status").is_in(TOLD)).join(actions.select(*_KEY, "sla_due_on"), on=_KEY)
    about = pl.col("kind")
    mailed = (about == ROLLUP) & (pl.col("channel") == "email") & pl.col("sent_on").is_not_null()
    return frame.group_by(_KEY).agg(
        reminder_step=pl.col("step").filter(about == REMINDERS).max(),
        last_reminder_on=pl.col("told_on").filter(about == REMINDERS).max(),
        rollups=pl.col("sent_on").filter(mailed).n_unique().cast(pl.Int64),
        last_rollup_on=pl.col("sent_on").filter(mailed).max(),
        breach_told_on=pl.col("sent_on").filter(mailed & (pl.col("sent_on") > pl.col("sla_due_on"))).min(),
        escalations=pl.col("told_on").filter(about == ESCALATION).n_unique().cast(pl.Int64),
        last_escalation_on=pl.col("told_on").filter(about == ESCALATION).max(),
    )
