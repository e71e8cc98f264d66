"""Gaps: what is not effective, how bad that is, and what to do about it."""

from collections.abc import Sequence
from itertools import combinations

import polars as pl

from engine.catalogue import catalogue
from engine.facts.approvals import with_approval
from engine.facts.controls.detection import KINDS
from engine.facts.expressions import days_between, shape
from engine.facts.obligations.ledger import EFFORT_HOURS
from engine.facts.obligations.milestones import by_weakness, plan_controls
from engine.model.poam import DAYS, RATINGS, WEAK_STATES

_KEY = ["org_id", "framework", "control_id"]
SEVERITY_SCORES = {"critical": 5, "high": 4, "medium": 3, "low": 2}
# severity by state and weight 1..5 of the control
_SEVERITY = {
    "ineffective": ("medium", "medium", "high", "critical", "critical"),
    "no_data": ("low", "low", "medium", "high", "high"),
    "stale": ("low", "low", "low", "medium", "medium"),
    "partial": ("low", "low", "low", "medium", "medium"),
}
DEFAULT_EFFORT_HOURS = 8.0
LEAST_HOURS = 0.25  # that a gap is ranked by: what takes nothing is not infinitely worth it
# renewing evidence of a kind, lapsed or not
RENEWAL_HOURS = {
    "operation": 2.0,
    "test": EFFORT_HOURS["test_window"],
    "policy": EFFORT_HOURS["policy_review"],
    "attestation": EFFORT_HOURS["attestation"],
}
_RENEWALS = {
    "operation": "renew the evidence of operation",
    "test": "repeat the test",
    "policy": "review the policy",
    "attestation": "sign",
}
# what a remediation says of its hours, and of the days of others
HOURS = ("estimate_hours", "low_hours", "high_hours", "lead_days")


def leverage(controls: pl.DataFrame, crosswalk: pl.DataFrame) -> pl.DataFrame:
    """For each assessable control the requirements of frameworks in scope that it supports fully, itself first."""
    known = controls.select("org_id", "framework", "control_id")
    every, own = _by_owner(crosswalk.filter("full"))
    assessable = controls.filter("assessable").select(_KEY)
    from_there = ["source_framework", "source_id"]
    pairs = assessable.join(_edges(every).drop("org_id"), left_on=["framework", "control_id"], right_on=from_there)
    if not own.is_empty():
        theirs = assessable.join(_edges(own), left_on=_KEY, right_on=["org_id", *from_there])
        pairs = pl.concat([pairs, theirs.select(pairs.columns)]).unique()
    reached = (
        pairs.join(known, left_on=["org_id", "target_framework", "target_id"], right_on=_KEY)
        .select(*_KEY, requirement=pl.format("{}:{}", "target_framework", "target_id"))
        .sort(*_KEY, "requirement")
        .group_by(_KEY, maintain_order=True)
        .agg(others="requirement")
    )
    itself = pl.concat_list(pl.format("{}:{}", "framework", "control_id"))
    return (
        controls.filter("assessable")
        .select(_KEY)
        .join(reached, on=_KEY, how="left")
        .with_columns(requirements=itself.list.concat(pl.col("others").fill_null([])))
        .select(*_KEY, "requirements", leverage=pl.col("requirements").list.len().cast(pl.Int64))
        .sort(_KEY)
    )


def _of_own(own_runbooks: pl.DataFrame) -> pl.DataFrame:
    """The runbook of each control of a framework of one's own."""
    return own_runbooks.unique(_KEY, keep="first", maintain_order=True).select(
        *_KEY,
        brought="runbook",
        brought_runbook_title="runbook_title",
        brought_playbook="playbook",
        brought_effort_hours="effort_hours",
    )


def _by_owner(pairs: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Pairs of the program, and those of organizations."""
    return pairs.filter(pl.col("org_id").is_null()), pairs.filter(pl.col("org_id").is_not_null())


def _edges(full: pl.DataFrame) -> pl.DataFrame:
    """Pairs in the direction in which they unlock; equal ones both ways."""
    edges = full.select("org_id", "source_framework", "source_id", "target_framework", "target_id")
    back = full.filter(pl.col("relation") == "equal").select(
        "org_id",
        source_framework="target_framework",
        source_id="target_id",
        target_framework="source_framework",
        target_id="source_id",
    )
    return pl.concat([edges, back]).unique()


def gaps(
    control_status: pl.DataFrame,
    leverage: pl.DataFrame,
    open_work: pl.DataFrame,
    worked_hours: pl.DataFrame,
    vendor_days: pl.DataFrame,
    poam: pl.DataFrame,
    nist_pairs: pl.DataFrame,
    dry_runs_rows: pl.DataFrame,
    own_runbooks: pl.DataFrame,
    organization: pl.DataFrame,
    asked: pl.DataFrame,
) -> pl.DataFrame:
    """Every applicable control that is not effective, the most urgent first (F14)."""
    known = catalogue()
    runbook_of = known.runbook_controls.select("framework", "control_id", usual="runbook")
    runbooks = known.runbooks.select("runbook", "playbook", "effort_hours", runbook_title="title")
    rehearsed = (
        dry_runs_rows.filter(pl.col("outcome") == "succeeded")
        .select("org_id", "playbook")
        .unique()
        .with_columns(dry_run=pl.lit(True))
    )
    severity = pl.concat_str("state", pl.lit(":"), "weight").replace_strict(
        {f"{state}:{weight}": word for state, words in _SEVERITY.items() for weight, word in enumerate(words, 1)},
        default="low",
    )
    frame = (
        control_status.filter("applicable", pl.col("state") != "effective")
        .drop("leverage", "owner")
        .join(control_status.select(*_KEY, control_owner="owner"), on=_KEY)
        .join(asked.select("org_id", "as_of", "quick_win_hours", "quick_win_leverage"), on="org_id")
        .join(leverage, on=_KEY)
        .join(open_work, on=_KEY, how="left")
        .with_columns(gap_id=pl.format("{}:{}", "framework", "control_id"))
        .join(
            by_weakness(poam).select("org_id", gap_id="weakness_key", named="owner", milestone_on="scheduled_on"),
            on=["org_id", "gap_id"],
            how="left",
        )
        .join(runbook_of, on=["framework", "control_id"], how="left")
        .join(_of_own(own_runbooks), on=_KEY, how="left")
        .with_columns(runbook=pl.coalesce("own_runbook", "usual", "brought"))
        .join(runbooks, on="runbook", how="left")
        .with_columns(
            pl.when(pl.col("runbook") == pl.col("brought"))
            .then(pl.coalesce(f"brought_{name}", name))
            .otherwise(name)
            .alias(name)
            for name in ("runbook_title", "playbook", "effort_hours")
        )
        .join(worked_hours, on=["org_id", "runbook"], how="left")
        .join(vendor_days, on=_KEY, how="left")
        .join(rehearsed, on=["org_id", "playbook"], how="left")
        .join(plan_controls(organization, nist_pairs), on=_KEY, how="left")
        .with_columns(
            severity=pl.coalesce("own_severity", severity),
            weakness_since=pl.when(pl.col("kinds_present").list.len() == 0)
            .then("detected_on")
            .otherwise(pl.coalesce("state_since", "detected_on")),
            detected_on=pl.min_horizontal("opened_on", "detected_on"),
            usual_hours=pl.coalesce("worked_hours", "effort_hours", pl.lit(DEFAULT_EFFORT_HOURS)),
            kinds_to_renew=_kinds_to_renew(),
            owner=pl.coalesce("named", "work_owner", "control_owner"),
            lead_days=pl.coalesce("lead_days", "vendor_days"),
            status=pl.col("status").fill_null("unplanned"),
            dry_run=pl.col("dry_run").fill_null(False),
        )
        .with_columns(
            action=pl.coalesce(_renewal(), "runbook_title"),
            poam_due_on=pl.coalesce("milestone_on", _allowed_until()),
            effort_hours=_effort(),
            severity_score=pl.col("severity").replace_strict(SEVERITY_SCORES, return_dtype=pl.Int64),
            age_days=days_between("as_of", "detected_on"),
        )
        .with_columns(
            priority=(
                pl.col("severity_score")
                * pl.col("leverage")
                * pl.col("weight")
                / pl.col("effort_hours").clip(LEAST_HOURS)
            ).round(2),
            quick_win=(pl.col("effort_hours") <= pl.col("quick_win_hours"))
            & (pl.col("leverage") >= pl.col("quick_win_leverage")),
        )
    )
    return shape("gaps", frame).sort("org_id", "priority", "gap_id", descending=[False, True, False])


def _allowed_until() -> pl.Expr:
    """The last day that a plan of action allows an item without a number, by detection and rating."""
    days = {severity: DAYS[rating] for severity, rating in RATINGS.items()}
    last = pl.col("weakness_since") + pl.duration(days=pl.col("severity").replace_strict(days, return_dtype=pl.Int64))
    return pl.when(pl.col("on_plan"), pl.col("state").is_in(WEAK_STATES)).then(last)


def _kinds_to_renew() -> pl.Expr:
    """The kinds of evidence whose renewal closes the gap; none where it takes more than that.

    It does where nothing speaks against the control and all that lapsed was there once; a signature may be the first.
    """
    lacking = pl.col("kinds_required").list.set_difference("kinds_present")
    renewed = (pl.col("state") != "ineffective") & (lacking.list.set_difference(["attestation"]).list.len() == 0)
    kinds = pl.col("kinds_stale").list.concat(lacking)
    return (
        pl.when(renewed)
        .then(pl.concat_list(pl.when(kinds.list.contains(kind)).then(pl.lit(kind)) for kind in KINDS).list.drop_nulls())
        .otherwise(pl.lit([], dtype=pl.List(pl.String)))
    )


def _renewal() -> pl.Expr:
    """``Repeat the test and sign``; null where it takes more than a renewal."""
    words = {
        "+".join(some): _sentence([_RENEWALS[kind] for kind in some])
        for many in range(1, len(KINDS) + 1)
        for some in combinations(KINDS, many)
    }
    return pl.col("kinds_to_renew").list.join("+").replace_strict(words, default=None, return_dtype=pl.String)


def _sentence(parts: Sequence[str]) -> str:
    text = " and ".join([part for part in (", ".join(parts[:-1]), parts[-1]) if part])
    return text[:1].upper() + text[1:]


def _effort() -> pl.Expr:
    """What a plan counts as well: the estimate, else what the renewal takes where that is enough, else the usual."""
    kinds = pl.col("kinds_to_renew")
    renewal = pl.sum_horizontal(kinds.list.contains(kind) * hours for kind, hours in RENEWAL_HOURS.items())
    least = pl.when(renewal > 0).then(pl.min_horizontal(renewal, "usual_hours")).otherwise("usual_hours")
    return pl.coalesce("estimate_hours", least)


def remediations(remediations_rows: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """Work on gaps as people track it, closed work too: the flow of gaps (F12)."""
    closed = pl.col("closed_on").is_not_null() & (pl.col("closed_on") <= pl.col("as_of"))
    frame = (
        remediations_rows.join(asked.select("org_id", "as_of"), on="org_id")
        .with_columns(
            status=pl.when(closed)
            .then(pl.lit("closed"))
            .when(pl.col("status") == "closed")
            .then(pl.lit("open"))
            .otherwise(pl.col("status")),
            closed_on=pl.when(closed).then("closed_on"),
        )
        .with_columns(
            on_time=pl.when(pl.col("due_on").is_null())
            .then(None)
            .when(pl.col("status") == "closed")
            .then(pl.col("closed_on") <= pl.col("due_on"))
            .when(pl.col("due_on") < pl.col("as_of"))
            .then(pl.lit(False)),
            days_open=days_between(pl.coalesce("closed_on", "as_of"), "opened_on"),
        )
    )
    return shape("remediations", frame).sort("org_id", "opened_on", "id")


def worked_hours(remediations: pl.DataFrame, remediations_rows: pl.DataFrame) -> pl.DataFrame:
    """The usual hours of work that was done by a runbook: the median of what was recorded of it."""
    usual = catalogue().runbook_controls.select("framework", "control_id", usual="runbook")
    closed = remediations.filter(pl.col("status") == "closed").select("org_id", "id")
    return (
        remediations_rows.filter(pl.col("done_hours") > 0)
        .join(closed, on=["org_id", "id"])
        .join(usual, on=["framework", "control_id"], how="left")
        .with_columns(runbook=pl.coalesce("runbook", "usual"))
        .drop_nulls("runbook")
        .group_by("org_id", "runbook")
        .agg(worked_hours=pl.col("done_hours").median().round(2))
        .sort("org_id", "runbook")
    )


def vendor_days(vendor_controls: pl.DataFrame, vendors_rows: pl.DataFrame) -> pl.DataFrame:
    """Days until the vendors that a control waits for have answered: of several the slowest."""
    slow = vendors_rows.filter(pl.col("lead_days") > 0).select("org_id", "lead_days", vendor_id="id")
    return (
        vendor_controls.filter(pl.col("gap").is_not_null())
        .join(slow, on=["org_id", "vendor_id"])
        .group_by(_KEY)
        .agg(vendor_days=pl.col("lead_days").max())
        .sort(_KEY)
    )


def awaited_work(remediations: pl.DataFrame, remediations_rows: pl.DataFrame) -> pl.DataFrame:
    """Remediations that are open, with what each waits for and the hours that it takes."""
    still = remediations.filter(pl.col("status") != "closed").select("org_id", "id")
    return shape("awaited_work", remediations_rows.join(still, on=["org_id", "id"])).sort("org_id", "id")


def open_work(
    remediations: pl.DataFrame, remediations_rows: pl.DataFrame, approvers: pl.DataFrame, asked: pl.DataFrame
) -> pl.DataFrame:
    """The open remediation of each control: of those that are late the one due first, else the one opened first. It is
    open since the first of all was. ``rows`` are the stored rows with all columns.

    ``compensating_approved`` says of the compensating control that it names whether somebody approved it.
    """
    still = remediations.filter(pl.col("status") != "closed").select("org_id", "id", "status")
    named = pl.col("compensating").fill_null("").str.strip_chars() != ""
    dated = remediations_rows.drop("status").join(asked.select("org_id", "as_of"), on="org_id")
    return (
        with_approval(dated, approvers, "compensating_approved_by", "compensating_approved_on")
        .with_columns(compensating_approved=pl.when(named).then("approved"))
        .join(still, on=["org_id", "id"])
        .sort(pl.when(pl.col("due_on") < pl.col("as_of")).then("due_on"), "opened_on", "id", nulls_last=True)
        .group_by(_KEY, maintain_order=True)
        .agg(pl.all().exclude("opened_on").first(), pl.col("opened_on").min())
        .select(
            *_KEY,
            "opened_on",
            "due_on",
            "status",
            "blocked_by",
            "compensating",
            "compensating_approved",
            *HOURS,
            remediation_id="id",
            own_runbook="runbook",
            own_severity="severity",
            work_owner="owner",
        )
        .sort(_KEY)
    )
