"""Figures of capacity: hours against work in the weeks ahead, and what moving duties would do about it."""

import polars as pl

from engine.model.figures.aggregates import Count, Distinct, Sum
from engine.model.figures.figure import Figure
from reports.capacity import moves, relief, workload
from reports.capacity.shortfall import LEAST, by_week
from reports.shared import ledger

_WEEK = "{demand_hours} of {available_hours} hours; {shortfall_hours} short, {unowned_hours} without owner"
HORIZON = (
    Figure(
        "horizon_weeks",
        "Weeks of the horizon",
        "count",
        "neither",
        "Weeks that are looked ahead, from Monday to Sunday, the present one first.",
        ledger.horizon,
        Count(),
        reason="{week} from {week_start_on}",
    ),
    Figure(
        "owners_staffed",
        "Owners with hours",
        "count",
        "neither",
        "People who own duties or whose hours are recorded, and who have not left.",
        workload.in_horizon,
        Distinct("owner"),
        pl.col("staffed"),
        "{available_hours} hours in {week}",
    ),
    Figure(
        "available_hours",
        "Hours that owners have",
        "hours",
        "more",
        "Hours of all owners in the horizon of {horizon_weeks} weeks, less planned absence, times the focus "
        "factor; of the present week, the part of its working days that is left.",
        by_week,
        Sum("available_hours"),
        reason=_WEEK,
    ),
    Figure(
        "demand_hours",
        "Hours of work in the horizon",
        "hours",
        "neither",
        "Hours of duties due within {horizon_weeks} weeks: all of them for who is responsible, a quarter for "
        "who is accountable. Overdue work is not in them.",
        by_week,
        Sum("demand_hours"),
        reason=_WEEK,
    ),
)
SHORTFALL = (
    Figure(
        "weeks_short",
        "Weeks short of hours",
        "count",
        "less",
        "Weeks of the horizon, the present one first, in which a named owner has more work than hours, or in which "
        "unowned work is more than all owners have room for. One whose working days are over is not short.",
        by_week,
        Count(),
        pl.col("short"),
        "owners short: {owners_short}; hours short: {shortfall_hours}, without owner: {unowned_hours}, spare: "
        "{spare_hours}",
    ),
    Figure(
        "peak_weeks",
        "Peak weeks",
        "count",
        "less",
        f"Weeks of the horizon in which owners lack at least {LEAST:g} hours and work is spread unevenly.",
        by_week,
        Count(),
        pl.col("peak"),
        "{shortfall_hours} hours short, largest over mean {imbalance}",
    ),
    Figure(
        "owners_short",
        "Owners short of hours",
        "count",
        "less",
        "Owners with a shortfall in any week of the horizon; nobody is not an owner.",
        workload.in_horizon,
        Distinct("owner"),
        pl.col("shortfall_hours") > 0,
        "{shortfall_hours} hours short in {week}",
    ),
    Figure(
        "shortfall_hours",
        "Hours that owners lack",
        "hours",
        "less",
        "Hours of work due in a week above those that its owner has in it, owner by owner, over the horizon of "
        "{horizon_weeks} weeks: somebody else's spare hours do not reduce it. A week whose working days are over lacks "
        "none.",
        by_week,
        Sum("shortfall_hours"),
        reason=_WEEK,
    ),
    Figure(
        "unowned_hours",
        "Hours without owner",
        "hours",
        "less",
        "Work due within {horizon_weeks} weeks that nobody owns, or whose owner has left: it has no hours, and "
        "is nobody's shortfall.",
        by_week,
        Sum("unowned_hours"),
        reason=_WEEK,
    ),
    Figure(
        "shift_hours",
        "Hours that others have time for",
        "hours",
        "neither",
        "The part of shortfall and unowned work for which owners have spare hours in the same week, whether or not its "
        "duties can be handed over.",
        by_week,
        Sum("shift_hours"),
        reason=_WEEK,
    ),
    Figure(
        "borrow_hours",
        "Hours that nobody has time for",
        "hours",
        "less",
        "The part of shortfall and unowned work that nobody has hours for in the same week.",
        by_week,
        Sum("borrow_hours"),
        reason=_WEEK,
    ),
)

_MOVE = "{kind}: {hours} hours of {owner} to {to_owner} in {to_week}"
MOVES = (
    Figure(
        "weeks_imbalanced",
        "Weeks with uneven work",
        "count",
        "less",
        "Weeks of the horizon in which the largest utilisation of an owner with any work is at least "
        "{imbalance_ratio} times the mean, among at least {imbalance_min_owners} owners.",
        by_week,
        Count(),
        pl.col("state") == "imbalanced",
        "{owners} owners, largest over mean {imbalance}",
    ),
    Figure(
        "moves_suggested",
        "Moves suggested",
        "count",
        "neither",
        "Duties to hand over or to do earlier, so that nobody has more work than hours.",
        moves.suggestions,
        Count(),
        reason=_MOVE,
    ),
    *(
        Figure(
            f"moves_{kind}",
            f"Moves suggested: {text}",
            "count",
            "neither",
            f"Suggested moves of this kind: {meaning}.",
            moves.suggestions,
            Count(),
            pl.col("kind") == kind,
            _MOVE,
        )
        for kind, text, meaning in (
            ("reassign", "reassign", "the duty goes to another owner in the same week"),
            ("pull_forward", "pull forward", "the owner does the duty up to two weeks earlier"),
        )
    ),
    Figure(
        "moves_hours",
        "Hours of duties to move",
        "hours",
        "neither",
        "Hours of the duties that are suggested to be handed over or done earlier, in weeks that are short whether or "
        "not others have more room. A duty can take more than its owner lacks: what it relieves is said beside it.",
        moves.suggestions,
        Sum("hours"),
        reason=_MOVE,
    ),
    Figure(
        "moves_relief_hours",
        "Missing hours that moves relieve",
        "hours",
        "neither",
        "Hours that owners lack in the weeks ahead and that the suggested moves find elsewhere.",
        relief.by_week,
        Sum("relief_hours"),
    ),
    Figure(
        "weeks_short_after_moves",
        "Weeks short of hours after all moves",
        "count",
        "less",
        "Weeks of the horizon that would still be short with all suggestions taken.",
        moves.by_week,
        Count(),
        pl.col("short_then"),
        "{shortfall_hours} hours short before the moves",
    ),
)

FIGURES = (*HORIZON, *SHORTFALL, *MOVES)
