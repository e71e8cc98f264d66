"""Ways in which an accepted guardrail drifts from what is seen at work."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.vocabulary import GAP_SEVERITIES
from reports.shared.ordering import rank
from reports.shared.packs import pack_name

TYPES = ("contradicted", "evidence_missing", "version_lag", "scope_drift", "review_expired")
NAMES = {kind: kind.replace("_", " ").capitalize() for kind in TYPES}
OBSERVED = ("operation", "item", "test")
SHOWN = ("operation", "test")  # kinds of evidence that show a guardrail at work
ACTIONS = {
    "evidence_missing": "Collect evidence for the controls that it is about.",
    "version_lag": "Accept the newer version on file, or withdraw it.",
    "scope_drift": "Take the controls that no longer apply out of the policy, or confirm that they do.",
    "review_expired": "Review it and set the next date.",
}
_KEY = ["framework", "control_id"]


def drifted_controls(guardrails: pl.DataFrame, control_status: pl.DataFrame, gaps: pl.DataFrame) -> pl.DataFrame:
    """Guardrail x control that contradicts it, shows no evidence of it, or left the scope; worst first."""
    columns = ("state", "state_since", "applicable", "approved_on", "last_evidence_on", "kinds_required")
    status = control_status.select(*_KEY, *columns, "kinds_present", "kinds_stale", control_title="title")
    named = guardrails.filter(pl.col("control_id").is_not_null())
    stale = pl.col("kinds_stale").list.set_intersection(list(SHOWN)).list.len() > 0
    wanted = pl.col("kinds_required").list.set_intersection(list(SHOWN))
    absent = wanted.list.set_difference("kinds_present").list.len() > 0
    return (
        named.join(status, on=_KEY, how="left")
        .join(gaps.select(*_KEY, "gap_id", "severity", "runbook_title", work_owner="owner"), on=_KEY, how="left")
        .with_columns(
            drift=pl.when(~pl.col("in_scope") | ~pl.col("applicable"))
            .then(pl.lit("scope_drift"))
            .when(pl.col("state") == "ineffective")
            .then(pl.lit("contradicted"))
            .when((pl.col("state") != "effective") & (stale | absent | (pl.col("state") == "no_data")))
            .then(pl.lit("evidence_missing")),
            control=pl.format("{}:{}", *_KEY),
        )
        .filter(pl.col("drift").is_not_null())
        .with_columns(since_on=pl.when(pl.col("drift") == "scope_drift").then("approved_on").otherwise("state_since"))
        .sort(rank("drift", TYPES), rank("severity", GAP_SEVERITIES), "policy_id", *_KEY)
    )


def guardrail_drift(
    guardrails: pl.DataFrame,
    control_status: pl.DataFrame,
    control_evidence: pl.DataFrame,
    gaps: pl.DataFrame,
    policy_blocks: pl.DataFrame,
    automation_runs: pl.DataFrame,
    ask: Ask,
) -> pl.DataFrame:
    """One row for each accepted guardrail with its drifts, the worst of them, their first day and what to do."""
    controls = drifted_controls(guardrails, control_status, gaps)
    frame = (
        _guardrail_answers(guardrails, control_status, control_evidence)
        .join(_by_controls(controls, ask), on="policy_id", how="left")
        .join(_overridden(policy_blocks), on="policy_id", how="left")
        .join(_last_runs(policy_blocks, automation_runs), on="playbook", how="left")
        .with_columns(pl.col("controls_drifted").fill_null(0))
    )
    overridden = pl.col("overridden_on") >= pl.col("accepted_on")
    lag = pl.col("newest_version") > pl.col("version")
    expired = pl.col("review_due_on") < ask.as_of
    since = {
        "contradicted": (
            pl.col("contradicted") | overridden.fill_null(False),
            pl.min_horizontal("contradicted_on", pl.when(overridden).then("overridden_on")),
        ),
        "evidence_missing": (pl.col("evidence_missing"), pl.col("evidence_missing_on")),
        "version_lag": (lag, pl.col("newest_on")),
        "scope_drift": (pl.col("scope_drift"), pl.col("scope_drift_on")),
        "review_expired": (expired, pl.col("review_due_on").dt.offset_by("1d")),
    }
    held = {kind: mark.fill_null(False) for kind, (mark, _) in since.items()}
    text = held["version_lag"] | held["review_expired"]
    drifts = pl.concat_list(pl.when(held[kind]).then(pl.lit(kind)) for kind in TYPES).list.drop_nulls()
    frame = frame.with_columns(
        drifts=drifts,
        first_drifted_on=pl.min_horizontal(
            pl.when(held[kind] & day.is_not_null()).then(pl.max_horizontal(day, "accepted_on"))
            for kind, (_, day) in since.items()
        ),
        last_observed_on=pl.max_horizontal("observed_on", pl.when(pl.col("kind") == "automation").then("worked_on")),
        blast_radius=pl.when(text).then("answered").otherwise(pl.col("radius").fill_null(0)),
    ).with_columns(drift=pl.col("drifts").list.first())
    return frame.with_columns(
        days_in_drift=(pl.lit(ask.as_of) - pl.col("first_drifted_on")).dt.total_days(),
        expectation=_expectation(),
        action=_action(),
    ).sort(
        pl.col("drift").is_null(),
        pl.col("drift") != "contradicted",
        "days_in_drift",
        "blast_radius",
        "policy_id",
        descending=[False, False, True, True, False],
        nulls_last=True,
    )


def _guardrail_answers(
    guardrails: pl.DataFrame, control_status: pl.DataFrame, control_evidence: pl.DataFrame
) -> pl.DataFrame:
    """The guardrails themselves; ``answered`` counts the requirements that their controls answer."""
    status = control_status.select(*_KEY, "applicable", "last_test_on")
    about = guardrails.join(status, on=_KEY, how="left").join(_last_observations(control_evidence), on=_KEY, how="left")
    given = ("policy", "version", "kind", "title", "playbook", "owner", "accepted_by", "accepted_on", "review_due_on")
    newest = ("newest_version", "newest_on")
    return (
        about.sort("policy_id", *_KEY, nulls_last=True)
        .group_by("policy_id", maintain_order=True)
        .agg(
            *(pl.col(name).first() for name in (*given, *newest)),
            controls=pl.col("applicable").fill_null(False).sum().cast(pl.Int64),
            observed_on=pl.max_horizontal(pl.col("observed_on").max(), pl.col("last_test_on").max()),
            answered=pl.col("requirements").explode().drop_nulls().n_unique().cast(pl.Int64),
        )
    )


def _last_observations(control_evidence: pl.DataFrame) -> pl.DataFrame:
    """The newest sight of each control at work, for or against it; a policy or a signature is no observation."""
    seen = pl.when(pl.col("source").is_in(OBSERVED)).then(pl.col("last_on"))
    return control_evidence.group_by(_KEY).agg(
        observed_on=pl.max_horizontal(seen.max(), pl.col("contradicted_on").max())
    )


def _by_controls(controls: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Which drifts the controls of a guardrail show, since when, and the first runbook that helps."""
    kinds = ("contradicted", "evidence_missing", "scope_drift")
    mark = {kind: pl.col("drift") == kind for kind in kinds}
    return controls.group_by("policy_id", maintain_order=True).agg(
        *(mark[kind].any().alias(kind) for kind in kinds),
        *(pl.col("since_on").filter(mark[kind]).min().alias(f"{kind}_on") for kind in kinds),
        controls_drifted=pl.len().cast(pl.Int64),
        worst=pl.format("{} {}", pack_name(ask), "control_id").first(),
        runbook=pl.col("runbook_title").first(),
        work_owner=pl.col("work_owner").first(),
        radius=pl.col("requirements").explode().drop_nulls().n_unique().cast(pl.Int64),
    )


def _overridden(policy_blocks: pl.DataFrame) -> pl.DataFrame:
    """The first refusal of each guardrail that somebody overrode."""
    frame = policy_blocks.filter("overridden", pl.col("policy_id").is_not_null())
    return frame.group_by("policy_id").agg(overridden_on=pl.col("blocked_on").min())


def _last_runs(policy_blocks: pl.DataFrame, automation_runs: pl.DataFrame) -> pl.DataFrame:
    """The last day on which a playbook was refused or let through."""
    blocks = policy_blocks.select("playbook", on="blocked_on")
    runs = automation_runs.select("playbook", on="ran_on")
    return pl.concat([blocks, runs]).drop_nulls().group_by("playbook").agg(worked_on=pl.col("on").max())


def _expectation() -> pl.Expr:
    about = pl.format("{} applicable controls", "controls")
    word = pl.when(pl.col("controls") == 1).then(pl.lit("1 applicable control")).otherwise(about)
    limits = pl.format(
        "The playbook {} stays within its limits, and the {} that it repairs are effective", "playbook", word
    )
    return (
        pl.when(pl.col("controls") == 0)
        .then(
            pl.when(pl.col("playbook").is_not_null())
            .then(pl.format("The playbook {} stays within its limits", "playbook"))
            .otherwise(pl.lit("Reviewed and current"))
        )
        .when(pl.col("playbook").is_not_null())
        .then(limits)
        .otherwise(pl.format("Holds for {}", word))
    )


def _action() -> pl.Expr:
    """What to do about the worst drift."""
    how = pl.coalesce(pl.format("runbook: {}", "runbook"), pl.lit("no runbook fits"))
    whose = pl.coalesce(pl.format("with {}", "work_owner"), pl.lit("nobody owns it"))
    repair = pl.format("Close the gap {} ({}; {}).", "worst", how, whose)
    override = pl.lit("Find out why a refusal was overridden, then tighten or change the guardrail.")
    against = pl.when(pl.col("contradicted").fill_null(False)).then(repair).otherwise(override)
    others = pl.col("drift").replace_strict(ACTIONS, default=None, return_dtype=pl.String)
    return pl.when(pl.col("drift") == "contradicted").then(against).otherwise(others)
