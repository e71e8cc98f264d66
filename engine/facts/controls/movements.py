"""What moved in the period: controls into another state, attestations that lapsed; and why, as far as facts say it."""

from functools import cache

import polars as pl

from engine.catalogue import catalogue
from engine.facts.controls.own import with_framework_names
from engine.facts.expressions import shape
from engine.model.documents.document import FrameRow


def movements(
    control_assessments: pl.DataFrame,
    attestations: pl.DataFrame,
    vendors: pl.DataFrame,
    audit_actions: pl.DataFrame,
    own_frameworks: pl.DataFrame,
    asked: pl.DataFrame,
) -> pl.DataFrame:
    """Controls that are in another state than was last seen before the period; signatures and assurance that ended."""
    bounds = asked.select("org_id", "period_start", "as_of")
    frame = pl.concat(
        [
            _controls(control_assessments, audit_actions, own_frameworks),
            _lapses(attestations, own_frameworks, bounds),
            _assurance_losses(vendors, bounds),
        ],
        how="diagonal_relaxed",
    ).join(bounds, on="org_id")
    inside = pl.col("moved_on").is_between("period_start", "as_of")
    dated = frame.with_columns(moved_on=pl.when(inside).then("moved_on"))
    return shape("movements", dated).sort("org_id", "kind", "framework", "thing", "state")


def _controls(status: pl.DataFrame, actions: pl.DataFrame, own_frameworks: pl.DataFrame) -> pl.DataFrame:
    known = {
        (org_id, event): action for org_id, event, action in actions.select("org_id", "last_id", "action").iter_rows()
    }
    moved = with_framework_names(status.filter(pl.col("previous_state") != pl.col("state")), own_frameworks)
    reasons = []
    for row in moved.iter_rows(named=True):
        newest = known.get((row["org_id"], row["last_evidence_id"]))
        reasons.append(reason_of(row, newest and family_of(newest), None))
    # the newest evidence of an effective control is not that which made it effective: of it no day is known
    effective = pl.col("state") == "effective"
    return moved.with_columns(because=pl.Series(reasons, dtype=pl.String)).select(
        "org_id",
        "framework",
        "state",
        "because",
        kind=pl.lit("control"),
        thing=_control(),
        moved_on=pl.when(~effective).then("state_since"),
    )


def _lapses(attestations: pl.DataFrame, own_frameworks: pl.DataFrame, bounds: pl.DataFrame) -> pl.DataFrame:
    inside = pl.col("due_on").is_between("period_start", "as_of")
    overdue = attestations.join(bounds, on="org_id").filter(pl.col("status") == "overdue", inside)
    return with_framework_names(overdue, own_frameworks).select(
        "org_id",
        "framework",
        kind=pl.lit("attestation"),
        state="status",
        thing=_control(),
        moved_on="due_on",
        because=pl.lit(""),
    )


def _assurance_losses(vendors: pl.DataFrame, bounds: pl.DataFrame) -> pl.DataFrame:
    inside = pl.col("assured_until").is_between("period_start", "as_of")
    lapsed = vendors.join(bounds, on="org_id").filter(pl.col("assurance") == "lapsed", inside)
    return lapsed.select(
        "org_id",
        kind=pl.lit("third_party"),
        state="assurance",
        thing="name",
        moved_on="assured_until",
        because=pl.lit(""),
    )


def _control() -> pl.Expr:
    return pl.format("{} {}", "framework_name", "control_id")


def reason_of(row: FrameRow, family: str | None, against: str | None) -> str:
    """The reason that a row of ``control_assessments`` has for its state; empty where it says none.

    ``family`` is what its newest evidence was evidence of: ``backup``, ``access review``; ``against`` the event that
    speaks against it, as people call it.
    """
    match row["state"]:
        case "stale" if row["change_invalidated"]:
            return "because what they are about was changed after their evidence"
        case "stale" if family:
            return f"when {family} evidence stopped"
        case "ineffective" if row["failing_test"]:
            return "because a test failed"
        case "ineffective" if against:
            return f"after “{against}”"
    return ""


def family_of(action: str) -> str:
    """What an action is evidence of: ``access.review.completed`` of access reviews."""
    return (action.rpartition(".")[0] or action).replace(".", " ").replace("_", " ")


def title_of(action: str) -> str:
    """An action as people call it."""
    words = _titles().get(action) or action.replace(".", " ").replace("_", " ")
    return words[:1].upper() + words[1:]


@cache
def _titles() -> dict[str, str]:
    return dict(catalogue().actions.select("action", "title").iter_rows())
