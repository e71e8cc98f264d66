"""What changed since the last digest: readiness, controls that moved, gaps, and what falls due next."""

from datetime import date, timedelta
from typing import Any

import polars as pl

from engine.model.document import Coverage, Document, Table
from engine.model.report import PERIOD_DAYS, Ask, Report
from engine.model.vocabulary import GAP_SEVERITIES
from reports.shared import ledger, personal
from reports.shared.ordering import STATES_WORST_FIRST, rank
from reports.shared.wording import count, percent

NAME = "compliance-digest"
AHEAD_DAYS = 14
EXPIRING_DAYS = 30
DIRECTIONS = {"worse": "got worse", "better": "got better"}
_KEY = ["framework", "control_id"]
STATE_COLUMNS = ("state", "previous_state", "severity", "direction", "standing")
SAID = {"overdue": "overdue", "new_gaps": "newly not effective"}
LABELS = {
    **personal.LABELS,
    "control_id": "Control",
    "strict_pct": "Strict (%)",
    "prior_strict_pct": "Strict before (%)",
    "strict_points": "Strict (points)",
    "weighted_pct": "Weighted (%)",
    "prior_weighted_pct": "Weighted before (%)",
    "weighted_points": "Weighted (points)",
    "coverage_pct": "Assessed (%)",
    "previous_state": "Was",
    "state": "Is",
    "direction": "Change",
    "days_late": "Days late",
    "due_on": "Due",
    "expires_on": "Expires",
    "runbook_title": "Runbook",
    "duty": "Kind",
    "title": "What",
}


def build(
    readiness: pl.DataFrame,
    readiness_days: pl.DataFrame,
    digest_days: pl.DataFrame,
    control_status: pl.DataFrame,
    state_changes: pl.DataFrame,
    gaps: pl.DataFrame,
    obligations: pl.DataFrame,
    exceptions: pl.DataFrame,
    ask: Ask,
) -> Document:
    base = base_day(readiness_days, digest_days, ask)
    frameworks = _frameworks(readiness, readiness_days, base)
    moved = _moved(control_status, state_changes, base)
    opened, closed = _new_gaps(gaps, moved), _closed_gaps(moved)
    late = _overdue(obligations)
    coming = _coming(obligations, ask)
    expiring = _expiring(exceptions)
    counts = {
        "controls_worse": moved.filter(pl.col("direction") == "worse").height,
        "controls_better": moved.filter(pl.col("direction") == "better").height,
        "new_gaps": opened.height,
        "closed_gaps": closed.height,
    }
    held = Coverage(int(readiness["assessed"].sum()), int(readiness["applicable"].sum()))
    return Document(
        headline=_headline(frameworks, counts, late, coming, base),
        summary={
            "compared_with": base,
            **(counts if base else dict.fromkeys(counts)),
            "overdue_attestations": late.height,
            "expiring_exceptions": expiring.height,
            "due_next_14_days": coming.height,
        },
        tables=(
            Table("frameworks", "Readiness by framework", frameworks, labels=LABELS, hidden=("framework",)),
            Table("controls_changed", "Controls that changed state", moved, labels=LABELS, state=STATE_COLUMNS,
                  hidden=(*_KEY, "owner")),
            Table("overdue_attestations", "Overdue attestations, oldest first", late, labels=LABELS),
            Table("new_gaps", "New gaps", opened, labels=LABELS, state=STATE_COLUMNS, hidden=("gap_id", *_KEY)),
            Table("closed_gaps", "Closed gaps", closed, labels=LABELS, state=STATE_COLUMNS, hidden=_KEY),
            Table("expiring_exceptions", "Exceptions that expire soon", expiring, labels=LABELS, hidden=_KEY),
            Table("next_14_days", "The next 14 days", coming, labels=LABELS, hidden=("obligation_id", "kind")),
            Table("owners", "To each owner", _owners(late, opened), labels=LABELS,
                  note="Overdue attestations and new gaps. An empty name is nobody."),
        ),
        coverage=held,
        definitions={
            "Compared with": "The snapshot that the last digest stored; before the first digest the newest one from "
            "before the period. Sending the digest stores the present one.",
            "Strict, weighted": "Effective controls of the applicable ones; the same by weight, with half for partial "
            "and a quarter for stale ones.",
            "Gap": "An applicable control that is not effective.",
            "Worse, better": "From best to worst: effective, partial, stale, no data, ineffective.",
        },
        warnings=_warnings(base, readiness, ask),
    )  # fmt: skip


def base_day(snapshots: pl.DataFrame, digest_days: pl.DataFrame, ask: Ask) -> date | None:
    """The day of the snapshot that this digest is compared with; None when there is none."""
    sent = digest_days.filter(pl.col("kind") == NAME)["last_on"].max()
    until = sent if isinstance(sent, date) and sent < ask.as_of else ask.period_start - timedelta(days=1)
    day = snapshots.filter(pl.col("taken_on") <= until)["taken_on"].max()
    return day if isinstance(day, date) else None


def _frameworks(readiness: pl.DataFrame, snapshots: pl.DataFrame, base: date | None) -> pl.DataFrame:
    before = snapshots.filter(pl.col("taken_on") == (base or date.min)).select(
        "framework", prior_strict_pct="strict_pct", prior_weighted_pct="weighted_pct"
    )  # fmt: skip
    known = readiness.drop("prior_strict_pct", "prior_weighted_pct")
    return known.join(before, on="framework", how="left", maintain_order="left").select(
        "framework", "name", "strict_pct", "prior_strict_pct",
        (pl.col("strict_pct") - pl.col("prior_strict_pct")).round(1).alias("strict_points"),
        "weighted_pct", "prior_weighted_pct",
        (pl.col("weighted_pct") - pl.col("prior_weighted_pct")).round(1).alias("weighted_points"),
        "coverage_pct",
    )  # fmt: skip


def _moved(status: pl.DataFrame, changes: pl.DataFrame, base: date | None) -> pl.DataFrame:
    """Controls in another state than on the day compared with; those without a state then are not compared."""
    then = (
        changes.filter(pl.col("observed_on") <= (base or date.min))
        .sort("observed_on", "state")
        .group_by(_KEY, maintain_order=True)
        .last()
        .select(*_KEY, previous_state="state")
    )
    worse = rank("state", STATES_WORST_FIRST) < rank("previous_state", STATES_WORST_FIRST)
    return (
        status.drop("previous_state").join(then, on=_KEY)
        .filter(pl.col("state") != pl.col("previous_state"))
        .with_columns(direction=pl.when(worse).then(pl.lit("worse")).otherwise(pl.lit("better")))
        .sort(rank("direction", tuple(DIRECTIONS)), rank("state", STATES_WORST_FIRST), "framework", "position",
              "control_id")
        .select("direction", _control(), *_KEY, "title", "previous_state", "state", "owner")
    )  # fmt: skip


def _control() -> pl.Expr:
    """A control as people name it; null where there is none."""
    return pl.format("{} {}", ledger.framework_name(), "control_id").alias("control")


def _new_gaps(gaps: pl.DataFrame, moved: pl.DataFrame) -> pl.DataFrame:
    fresh = moved.filter(pl.col("previous_state").is_in(["effective", "not_applicable"])).select(_KEY)
    return (
        gaps.join(fresh, on=_KEY, how="semi")
        .sort(rank("severity", GAP_SEVERITIES), "gap_id")
        .select("gap_id", _control(), *_KEY, "title", "state", "severity", "owner", "runbook_title")
    )


def _closed_gaps(moved: pl.DataFrame) -> pl.DataFrame:
    done = moved.filter(
        pl.col("state").is_in(["effective", "not_applicable"]),
        ~pl.col("previous_state").is_in(["effective", "not_applicable"]),
    )
    return done.select("control", *_KEY, "title", "previous_state", "state", "owner")


def _overdue(obligations: pl.DataFrame) -> pl.DataFrame:
    late = obligations.filter(pl.col("kind") == "attestation", pl.col("state") == "overdue")
    return late.sort("due_on", "obligation_id").select("title", "owner", "due_on", days_late=-pl.col("days_left"))


def _coming(obligations: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    last = ask.as_of + timedelta(days=AHEAD_DAYS)
    soon = obligations.filter(pl.col("state") == "open", pl.col("due_on") <= last)
    return soon.sort("due_on", "obligation_id").select(
        "obligation_id", "kind", "due_on", "title", "owner", duty=ledger.kind_name()
    )  # fmt: skip


def _expiring(exceptions: pl.DataFrame) -> pl.DataFrame:
    near = exceptions.filter(pl.col("standing") == "approved", pl.col("days_left") <= EXPIRING_DAYS)
    return near.sort("expires_on", "id").select(
        "id", "title", _control(), *_KEY, "approver", "expires_on", "days_left"
    )  # fmt: skip


def _owners(late: pl.DataFrame, opened: pl.DataFrame) -> pl.DataFrame:
    items = pl.concat([
        late.select(recipient="owner", list=pl.lit("overdue"),
                    line=pl.format("{} ({})", "title", pl.format("due {}", "due_on"))),
        opened.select(recipient="owner", list=pl.lit("new_gaps"), line="control"),
    ])  # fmt: skip
    return personal.sections(items, "list", SAID, pl.col("line"))


def _headline(
    frameworks: pl.DataFrame, counts: dict[str, int], late: pl.DataFrame, coming: pl.DataFrame, base: date | None
) -> str:
    if frameworks.is_empty():
        return "No framework is in scope, so there is nothing to be ready for."
    duties = (
        f"{count(late.height, 'attestation is', 'attestations are')} overdue and "
        f"{count(coming.height, 'duty', 'duties')} due within {AHEAD_DAYS} days"
    )
    if base is None:
        return f"Nothing to compare with yet: sending this digest stores the first snapshot; {duties}."
    lead = frameworks.sort(pl.col("strict_points").abs(), "name", descending=[True, False], nulls_last=True)
    first: dict[str, Any] = lead.row(0, named=True)
    text = "readiness is as it was"
    if first["strict_points"]:
        way = "up" if first["strict_points"] > 0 else "down"
        points = f"{abs(first['strict_points']):.1f} points"
        text = f"{first['name']} is {way} {points} to {percent(first['strict_pct'])} strict"
    return (
        f"Since {base} {text}; {count(counts['controls_worse'], 'control')} got worse, "
        f"{counts['controls_better']} better; {count(counts['new_gaps'], 'new gap')}, {counts['closed_gaps']} closed; "
        f"{duties}."
    )


def _warnings(base: date | None, readiness: pl.DataFrame, ask: Ask) -> list[str]:
    warnings = [] if base else ["No snapshot is stored yet, so no change can be told."]
    if base and (ask.as_of - base).days > 2 * ask.period_days:
        warnings.append(f"The snapshot compared with is of {base}, {(ask.as_of - base).days} days ago.")
    thin = readiness.filter(pl.col("coverage_pct") < ask.settings["coverage_min_pct"])["name"].to_list()
    if thin:
        warnings.append(f"Too little is assessed to rely on: {', '.join(thin)}.")
    return warnings


REPORT = Report(
    name=NAME,
    title="Compliance digest",
    description="Readiness against the last digest, controls that moved, gaps, overdue attestations, what comes next.",
    build=build,
    parameters=(PERIOD_DAYS,),
)
