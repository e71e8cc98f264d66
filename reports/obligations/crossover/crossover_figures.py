"""Figures of crossover and consolidation: clusters of duties that share evidence, and the plays that use them."""

import polars as pl

from engine.model.figures.aggregates import Count, Sum
from engine.model.figures.figure import Figure
from reports.obligations.crossover.crossovers import cluster_rows
from reports.obligations.crossover.playbook import STATUSES, WAITING, play_rows
from reports.shared import ledger

_NEAR = pl.col("place") != "beyond"
_BEST = "{duties} duties, best on {best_on}"
CROSSOVER = (
    Figure(
        "crossover_clusters",
        "Clusters of duties",
        "count",
        "neither",
        "Groups of pending duties up to the horizon that share a control, an evidence item or a full mapping, with "
        "due dates at most {crossover_days} days apart.",
        cluster_rows,
        Count(),
        reason=_BEST,
    ),
    Figure(
        "obligations_in_clusters",
        "Duties in clusters",
        "count",
        "neither",
        "Pending duties up to the horizon that are in a cluster with others.",
        cluster_rows,
        Sum("duties"),
        reason=_BEST,
    ),
    Figure(
        "obligations_up_to_horizon",
        "Duties overdue or due within {horizon_weeks} weeks",
        "count",
        "neither",
        "Pending duties that are overdue or due within the horizon of {horizon_weeks} weeks.",
        ledger.pending,
        Count(),
        _NEAR,
        "{state}, due {due_on}",
    ),
    Figure(
        "obligations_without_control",
        "Duties up to the horizon without control",
        "count",
        "less",
        "Pending duties, overdue or due within the horizon of {horizon_weeks} weeks, that name no control.",
        ledger.pending,
        Count(),
        _NEAR & (pl.col("controls").list.len().fill_null(0) == 0),
        "{kind}, due {due_on}, no control",
    ),
    Figure(
        "crossover_hours_alone",
        "Hours of clusters, each duty alone",
        "hours",
        "neither",
        "Effort of the duties in clusters where each is done for itself.",
        cluster_rows,
        Sum("hours_alone"),
        reason=_BEST,
    ),
    Figure(
        "crossover_hours_together",
        "Hours of clusters done together",
        "hours",
        "neither",
        "Effort of the duties in clusters where evidence is collected once: of each cluster the longest duty and a "
        "quarter of the others, that to the quarter of an hour.",
        cluster_rows,
        Sum("hours_together"),
        reason=_BEST,
    ),
    Figure(
        "hours_to_save",
        "Hours to save",
        "hours",
        "more",
        "What collecting evidence once would save: of every cluster of pending duties up to the horizon the hours "
        "alone, less those of the longest duty and a quarter of the others, that to the quarter of an hour.",
        cluster_rows,
        Sum("hours_to_save"),
        reason=_BEST,
    ),
)

_STATUS = pl.col("status")
_PLAY = "{status}, {duties} duties"
_GONE = pl.col("duties") == 0
MEANINGS = {
    "active": "that somebody works on",
    "proposed": "that nobody has taken up yet",
    "completed": "that are done",
    "abandoned": "that were given up",
}
CONSOLIDATION = (
    Figure(
        "plays",
        "Collections of evidence to share",
        "count",
        "neither",
        "One for each cluster of duties, and one for each that is tracked though its cluster is gone.",
        play_rows,
        Count(),
        reason=_PLAY,
    ),
    Figure(
        "plays_tracked",
        "Shared collections tracked",
        "count",
        "neither",
        "Plays of which steps or a status are recorded.",
        play_rows,
        Count(),
        pl.col("tracked"),
        _PLAY,
    ),
    *(
        Figure(
            f"plays_{status}",
            f"Shared collections {status}",
            "count",
            "more" if status == "completed" else "neither",
            f"Plays {MEANINGS[status]}.",
            play_rows,
            Count(),
            pl.col("status") == status,
            _PLAY,
        )
        for status in STATUSES
    ),
    Figure(
        "plays_to_do",
        "Shared collections with a next step",
        "count",
        "neither",
        "Active and proposed plays whose cluster still has duties.",
        play_rows,
        Count(),
        _STATUS.is_in(WAITING) & ~_GONE,
        "{status}, next: {next_step}",
    ),
    Figure(
        "plays_blocked",
        "Shared collections with a blocked step",
        "count",
        "less",
        "Plays of which a step is blocked.",
        play_rows,
        Count(),
        pl.col("blocked"),
        "{status}, next: {next_step}",
    ),
    Figure(
        "plays_without_cluster",
        "Shared collections whose duties are gone",
        "count",
        "neither",
        "Tracked plays whose duties are done, have moved or are no longer close.",
        play_rows,
        Count(),
        _GONE,
        _PLAY,
    ),
    Figure(
        "plays_to_close",
        "Shared collections under way whose duties are gone",
        "count",
        "less",
        "Active plays whose duties are done, have moved or are no longer close: to complete or abandon.",
        play_rows,
        Count(),
        _GONE & (_STATUS == "active"),
        _PLAY,
    ),
    Figure(
        "plays_waiting_hours",
        "Hours that shared collections would save",
        "hours",
        "more",
        "Hours to save of the clusters whose plays are proposed or active; nobody works on the others any more.",
        play_rows,
        Sum("hours_to_save"),
        _STATUS.is_in(WAITING),
        _PLAY,
    ),
    Figure(
        "plays_saved_hours",
        "Hours that shared collections have saved",
        "hours",
        "more",
        "As recorded when the play was completed.",
        play_rows,
        Sum("hours_saved"),
        _STATUS == "completed",
        "completed on {closed_on}",
    ),
)

FIGURES = (*CROSSOVER, *CONSOLIDATION)
