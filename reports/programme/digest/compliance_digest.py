"""What changed since the last digest: readiness, controls that moved, gaps, and what falls due next."""

from datetime import date
from typing import Any

import polars as pl

from engine.model.days import spelled_day
from engine.model.declarations.ask import PERIOD_DAYS, Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Document, Opening, Table, at_most
from engine.model.documents.movement import StateMove, in_groups, main_movements
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.programme.board import targets
from reports.programme.digest import digest_changes
from reports.programme.digest.digest_figures import AHEAD_DAYS
from reports.shared import formula_breaks, ledger, packs, personal, setup
from reports.shared.wording import count, in_points, percent

_KEY = ["framework", "control_id"]
STATE_COLUMNS = ("state", "previous_state", "severity", "direction", "standing")
SAID = {"overdue": "overdue", "new_gaps": "newly not effective"}
LABELS = {"coverage_pct": "Assessed (%)", "state": "Is", "duty": "Kind", "title": "What"}
DEFINITIONS = {
    "Strict, weighted": "Effective controls of the applicable ones; the same by weight, with half for partial and a "
    "quarter for stale ones."
}


def build(
    readiness: pl.DataFrame,
    readiness_days: pl.DataFrame,
    gaps: pl.DataFrame,
    movements: pl.DataFrame,
    figures: Figures,
    ask: Ask,
) -> Document:
    base = figures["digest_compared_on"]
    frameworks = _frameworks(readiness, readiness_days, base)
    compared = figures.rows(digest_changes.controls)
    moved = compared.filter(pl.col("direction").is_not_null())
    opened = digest_changes.new_gaps(gaps, compared, ask)
    closed = moved.filter(digest_changes.CLOSED).select("control", *_KEY, "title", "previous_state", "state", "owner")
    late = _overdue(figures.counted_rows("attestations_overdue"), ask)
    coming = figures.counted_rows("obligations_due_in_14_days").select(
        "obligation_id", "kind", "due_on", "title", "owner", duty=ledger.kind_name()
    )
    coming_targets = figures.rows(targets.ready_by)
    expiring = _expiring(figures.counted_rows("exceptions_expiring_in_30_days"), ask)
    return Document(
        *_opening(
            frameworks, _moves(moved, movements, figures, ask), targets.sentence(coming_targets, readiness), figures
        ),
        tables=(
            Table("frameworks", "Readiness by framework", frameworks, labels=LABELS, hidden=("framework",)),
            Table(
                "controls_changed",
                "Controls that changed state",
                moved,
                labels=LABELS,
                state=STATE_COLUMNS,
                hidden=(*_KEY, "owner"),
            ),
            Table("overdue_attestations", "Overdue attestations, oldest first", late, labels=LABELS),
            Table("new_gaps", "New gaps", opened, labels=LABELS, state=STATE_COLUMNS, hidden=("gap_id", *_KEY)),
            Table("closed_gaps", "Closed gaps", closed, labels=LABELS, state=STATE_COLUMNS, hidden=_KEY),
            Table("expiring_exceptions", "Exceptions that expire soon", expiring, labels=LABELS, hidden=_KEY),
            Table("targets", "Ready by its date if nothing is done", coming_targets),
            Table("next_14_days", "The next 14 days", coming, labels=LABELS, hidden=("obligation_id", "kind")),
            Table(
                "owners",
                "To each owner",
                _owners(late, opened),
                labels=LABELS,
                note="Overdue attestations and new gaps. An empty name is nobody.",
            ),
        ),
        coverage=packs.coverage(readiness),
        definitions=DEFINITIONS,
        warnings=[*_warnings(base, readiness, ask), *formula_breaks.past(readiness_days)],
    )


def _frameworks(readiness: pl.DataFrame, snapshots: pl.DataFrame, base: date | None) -> pl.DataFrame:
    before = snapshots.filter(pl.col("taken_on") == (base or date.min)).select(
        "framework", prior_strict_pct="strict_pct", prior_weighted_pct="weighted_pct"
    )
    known = readiness.drop("prior_strict_pct", "prior_weighted_pct")
    return known.join(before, on="framework", how="left", maintain_order="left").select(
        "framework",
        "name",
        "strict_pct",
        "prior_strict_pct",
        (pl.col("strict_pct") - pl.col("prior_strict_pct")).round(1).alias("strict_points"),
        "weighted_pct",
        "prior_weighted_pct",
        (pl.col("weighted_pct") - pl.col("prior_weighted_pct")).round(1).alias("weighted_points"),
        "coverage_pct",
    )


def _overdue(attestations: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Overdue attestations, oldest first; who was asked to sign in place of the owner is in charge."""
    return attestations.sort("due_on", "id").select(
        digest_changes.control(ask),
        "title",
        pl.coalesce("delegated_to", "owner").alias("owner"),
        "due_on",
        days_late=-pl.col("days_left"),
    )


def _expiring(exceptions: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    return exceptions.sort("expires_on", "id").select(
        "id", "title", digest_changes.control(ask), *_KEY, "approver", "expires_on", "days_left"
    )


def _owners(late: pl.DataFrame, opened: pl.DataFrame) -> pl.DataFrame:
    items = pl.concat(
        [
            late.select(recipient="owner", list=pl.lit("overdue"), line=pl.format("{} (due {})", "control", "due_on")),
            opened.select(recipient="owner", list=pl.lit("new_gaps"), line="control"),
        ]
    )
    return personal.sections(items, "list", SAID, pl.col("line"))


def _moves(moved: pl.DataFrame, movements: pl.DataFrame, figures: Figures, ask: Ask) -> list[tuple[str, StateMove]]:
    """What moved since the day compared with, by framework: controls with day and reason where these are known."""
    base = figures["digest_compared_on"]
    if base is None:
        return []
    known = movements.filter(pl.col("kind") == "control").select(
        "framework", "state", "because", control="thing", on=pl.when(pl.col("moved_on") > base).then("moved_on")
    )
    controls = moved.join(known, on=["framework", "control", "state"], how="left", maintain_order="left").select(
        "framework", pl.lit("control"), "state", "control", "on", pl.col("because").fill_null("")
    )
    late = figures.counted_rows("attestations_overdue").filter(pl.col("due_on") > base)
    lapsed = late.select(
        "framework",
        pl.lit("attestation").alias("kind"),
        "status",
        digest_changes.control(ask),
        "due_on",
        because=pl.lit(""),
    )
    return [(framework, StateMove(*row)) for frame in (controls, lapsed) for framework, *row in frame.iter_rows()]


def _opening(frameworks: pl.DataFrame, moves: list[tuple[str, StateMove]], holds: str, figures: Figures) -> Opening:
    if frameworks.is_empty():
        return Opening("No framework is in scope, so there is nothing to be ready for.", setup.IN_SCOPE)
    late, ahead = figures["attestations_overdue"], figures["obligations_due_in_14_days"]
    duties = ""
    if late:
        duties = f"Sign the {count(late, 'overdue attestation')}"
    if ahead:
        due = f"{count(ahead, 'duty', 'duties')} due within {AHEAD_DAYS} days"
        duties = f"{duties}, then do the {due}" if duties else f"Do the {due}"
    step = " ".join(filter(None, [f"{duties}." if duties else "", holds]))
    base = figures["digest_compared_on"]
    if base is None:
        return Opening(
            "Nothing to compare with yet: sending this digest stores the first snapshot.",
            step or "Send it: post to /api/governance/compliance/digest.",
        )
    lead = frameworks.sort(pl.col("strict_points").abs(), "name", descending=[True, False], nulls_last=True)
    first: dict[str, Any] = lead.row(0, named=True)
    because, text = (
        "",
        "readiness is as it was" if first["strict_points"] == 0 else "no framework was in scope then and now",
    )
    if first["strict_points"]:
        way = "up" if first["strict_points"] > 0 else "down"
        points = in_points(abs(first["strict_points"]))
        text = f"{first['name']} is {way} {points} to {percent(first['strict_pct'])} strict"
        own = in_groups(move for framework, move in moves if framework == first["framework"])
        because = main_movements(own, first["strict_points"] > 0, 1)
    sentence = f"Since {spelled_day(base)} {text}"
    if because:
        return Opening(f"{at_most(sentence, f': {because}')}.", step)
    if figures["digest_controls_worse"] is None:
        return Opening(f"{sentence}, and no control has a state to compare with.", step)
    worse, better = count(figures["digest_controls_worse"], "control"), figures["digest_controls_better"]
    return Opening(f"{sentence}; {worse} got worse, {better:,} better.", step)


def _warnings(base: date | None, readiness: pl.DataFrame, ask: Ask) -> list[str]:
    warnings = [] if base else ["No snapshot is stored yet, so no change can be told."]
    if base and (ask.as_of - base).days > 2 * ask.period_days:
        warnings.append(f"The snapshot compared with is of {base}, {(ask.as_of - base).days} days ago.")
    thin = readiness.filter(pl.col("coverage_pct") < ask.settings["coverage_min_pct"])["name"].to_list()
    if thin:
        warnings.append(f"Too little is assessed to rely on: {', '.join(thin)}.")
    return warnings


REPORT = Report(
    name=digest_changes.NAME,
    title="Compliance digest",
    description="Readiness against the last digest, controls that moved, gaps, overdue attestations, what comes next.",
    build=build,
    figures=select(
        *("digest_compared_on", "digest_controls_worse", "digest_controls_better", "digest_gaps_new"),
        *("digest_gaps_closed", "attestations_overdue", "exceptions_expiring_in_30_days"),
        *("obligations_due_in_14_days", "targets_that_do_not_hold"),
    ),
    parameters=(PERIOD_DAYS,),
    schema_version=3,
)
